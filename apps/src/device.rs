//! Which device a command runs on, and what the validation layers said while it did.

use anyhow::Result;
use multisplit::{
    Config, Context, DEVICE_VARIABLE, DeviceChoice, DeviceEntry, Message, Messages,
    ValidationConfig,
};

use crate::arguments::Common;

/// Opens devices as the command line says, and keeps what the validation layers say of them.
pub struct Devices {
    common: Common,
    messages: Messages,
}

impl Devices {
    /// Devices by these arguments.
    pub fn new(common: Common) -> Self {
        Self { common, messages: Messages::default() }
    }

    /// Opens the device that the command line chooses.
    pub fn open(&self) -> Result<Context> {
        self.open_with(Config::default())
    }

    /// Like [`open`](Self::open); what the command line does not say is taken from `config`.
    pub fn open_with(&self, config: Config) -> Result<Context> {
        Ok(Context::open(&self.config(config))?)
    }

    /// Every device there is.
    pub fn list(&self) -> Result<Vec<DeviceEntry>> {
        Ok(Context::devices_for(&self.config(Config::default()))?)
    }

    /// The one of `all` that [`open`](Self::open) opens.
    pub fn pick<'a>(&self, all: &'a [DeviceEntry]) -> Result<&'a DeviceEntry> {
        Ok(self.choice().pick(all)?)
    }

    /// What the layers have said so far, of devices that could not be opened too.
    pub fn messages(&self) -> Vec<Message> {
        self.messages.take()
    }

    /// The name or index on the command line.
    pub fn asked_for(&self) -> Option<&str> {
        self.common.device.as_deref()
    }

    /// The name or index on the command line or in the environment, and which of the two.
    pub fn wanted(&self) -> Option<(&'static str, String)> {
        let argument = self.asked_for().map(|name| ("--device", name.to_owned()));
        let variable = || std::env::var(DEVICE_VARIABLE).ok().filter(|name| !name.is_empty());
        argument.or_else(|| variable().map(|name| (DEVICE_VARIABLE, name)))
    }

    fn choice(&self) -> DeviceChoice {
        match self.asked_for() {
            Some(name) => DeviceChoice::Named(name.to_owned()),
            None => DeviceChoice::Auto,
        }
    }

    fn config(&self, config: Config) -> Config {
        Config {
            device: self.choice(),
            validation: self.common.validate.then(ValidationConfig::default),
            messages: self.messages.clone(),
            ..config
        }
    }
}
