//! How a context comes to be: a device that is opened or adopted, and the sizes that were tuned for it.

use crate::device::adopt::AdoptedDevice;
use crate::device::context::{Config, Context};
use crate::device::hooks::AdoptOptions;
use crate::error::Result;

impl Context {
    /// Opens the best device there is.
    pub fn new() -> Result<Self> {
        Self::open(&Config::default())
    }

    /// Opens the device that `config` chooses.
    pub fn open(config: &Config) -> Result<Self> {
        let context = Self::open_device(config)?;
        context.use_profile(&config.profile)?;
        Ok(context)
    }

    /// Uses a device that other code created.
    ///
    /// # Safety
    /// The handles are valid and belong together, the instance was created with `api_version`,
    /// the device with `features`, and the queue is one of `queue_family`. They outlive the
    /// context and everything made from it, and when the last of that goes, everything recorded
    /// with it has run. The queue is not used by other code while the context submits or waits.
    pub unsafe fn adopt(adopted: AdoptedDevice) -> Result<Self> {
        // SAFETY: by the caller's contract.
        unsafe { Self::adopt_with(adopted, AdoptOptions::default()) }
    }

    /// Like [`adopt`](Self::adopt), with options.
    ///
    /// # Safety
    /// That of [`adopt`](Self::adopt).
    pub unsafe fn adopt_with(adopted: AdoptedDevice, options: AdoptOptions) -> Result<Self> {
        let profile = adopted.profile.clone();
        // SAFETY: by the caller's contract.
        let context = unsafe { Self::adopt_device(adopted, options) }?;
        context.use_profile(&profile)?;
        Ok(context)
    }
}
