//! Vulkan devices: selection or adoption, requirements, properties, and the handles that all other modules share.
//! This module does not depend on buffers, plans or operations.

pub(crate) mod adopt;
pub(crate) mod barriers;
pub(crate) mod commands;
pub(crate) mod context;
pub(crate) mod faulty_devices;
pub(crate) mod files;
mod functions;
pub(crate) mod hooks;
pub(crate) mod instance;
#[cfg(feature = "broken-plans")]
mod lowered_limits;
pub(crate) mod observer;
pub(crate) mod order;
pub(crate) mod pipeline_fallback;
pub(crate) mod profile_choice;
pub(crate) mod properties;
pub(crate) mod ranking;
pub mod requirements;
pub(crate) mod selection;
pub(crate) mod shared;
pub(crate) mod validation;
pub(crate) mod verdict;
