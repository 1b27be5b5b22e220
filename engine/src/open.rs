//! Constructors of [`Context`]: open or adopt a device and load its tuned kernel sizes.

use crate::device::{AdoptOptions, AdoptedDevice, Config, Context};
use crate::error::Result;

impl Context {
    /// Opens the device that `MULTISPLIT_DEVICE` selects. If it is not set, opens the best available device.
    pub fn new() -> Result<Self> {
        Self::open(&Config::default())
    }

    /// Opens the device that `config` selects.
    pub fn open(config: &Config) -> Result<Self> {
        let context = Self::open_device(config)?;
        context.use_profile(&config.profile)?;
        Ok(context)
    }

    /// Creates a context for a device that other code created.
    ///
    /// # Safety
    /// The handles are valid and belong together: the instance was created with `api_version`, the device with
    /// `features`, and the queue belongs to `queue_family`. They outlive the context and everything created from it.
    /// All recorded work has completed before the last of these objects is dropped. Other code does not use the queue
    /// while the context submits or waits.
    pub unsafe fn adopt(adopted: AdoptedDevice) -> Result<Self> {
        // SAFETY: `adopt_with` has the same requirements as this function.
        unsafe { Self::adopt_with(adopted, AdoptOptions::default()) }
    }

    /// Like [`adopt`](Self::adopt), with options.
    ///
    /// # Safety
    /// The requirements of [`adopt`](Self::adopt).
    pub unsafe fn adopt_with(adopted: AdoptedDevice, options: AdoptOptions) -> Result<Self> {
        let profile = adopted.profile.clone();
        // SAFETY: `adopt_device` has the same requirements as this function.
        let context = unsafe { Self::adopt_device(adopted, options) }?;
        context.use_profile(&profile)?;
        Ok(context)
    }
}
