//! Which device a command runs on, and what the validation layers said while it did.

use std::cell::RefCell;

use anyhow::Result;
use multisplit::{
    Config, Context, DEVICE_VARIABLE, DeviceChoice, DeviceEntry, DeviceProperties, Message,
    Messages, ValidationConfig,
};

use crate::arguments::Common;

/// Opens devices as the command line says, and remembers where their messages go.
pub struct Devices {
    common: Common,
    messages: RefCell<Vec<Messages>>,
}

impl Devices {
    /// Devices by these arguments.
    pub fn new(common: Common) -> Self {
        Self { common, messages: RefCell::default() }
    }

    /// Opens the device that the command line chooses.
    pub fn open(&self) -> Result<Context> {
        self.open_with(Config::default())
    }

    /// Like [`open`](Self::open); what the command line does not say is taken from `config`.
    pub fn open_with(&self, config: Config) -> Result<Context> {
        let device = match self.asked_for() {
            Some(name) => DeviceChoice::Named(name.to_owned()),
            None => DeviceChoice::Auto,
        };
        let validation = self.common.validate.then(ValidationConfig::default);
        let context = Context::open(&Config { device, validation, ..config })?;
        self.messages.borrow_mut().push(context.messages());
        Ok(context)
    }

    /// What the layers have said of all devices opened so far.
    pub fn messages(&self) -> Vec<Message> {
        self.messages.borrow().iter().flat_map(Messages::take).collect()
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

    /// The entry of `all` that [`open`](Self::open) opened. Devices of one kind say the same of
    /// themselves; the choice falls on the first of them, unless it was made by index.
    pub fn entry_of<'a>(
        &self,
        opened: &DeviceProperties,
        all: &'a [DeviceEntry],
    ) -> Option<&'a DeviceEntry> {
        let index = self.wanted().and_then(|(_, wanted)| wanted.parse::<usize>().ok());
        let same = |entry: &&DeviceEntry| {
            let other = &entry.properties;
            index.is_none_or(|index| index == entry.index)
                && (&other.name, other.vendor_id, other.device_id, other.pipeline_cache_uuid)
                    == (
                        &opened.name,
                        opened.vendor_id,
                        opened.device_id,
                        opened.pipeline_cache_uuid,
                    )
        };
        all.iter().find(same)
    }
}
