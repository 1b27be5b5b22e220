//! The Vulkan instance: created with the requested layers, or provided by the caller.

use std::ffi::CStr;

use ash::vk;

use crate::device::requirements::InstanceRequirements;
use crate::device::validation;
use crate::device::{Messages, ValidationConfig};
use crate::error::{Error, Result, VkResultExt};

/// API version of instances that the engine creates.
pub(crate) const API_VERSION: u32 = vk::API_VERSION_1_3;

/// A Vulkan instance, with a debug messenger if validation is enabled.
pub(crate) struct Instance {
    pub raw: ash::Instance,
    pub debug_utils: bool,
    /// Whether the engine created the instance and the device, and must therefore destroy them.
    pub owned: bool,
    messages: Messages,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// Vulkan version of the validation layer, if it is enabled.
    pub layer_version: Option<u32>,
    /// Keeps the loader library mapped.
    entry: ash::Entry,
}

impl Instance {
    /// Creates an instance. Messages of its layers are sent to `messages`.
    pub fn create(validation: Option<ValidationConfig>, messages: Messages) -> Result<Self> {
        // SAFETY: loads the system's Vulkan loader.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| Error::NoLoader(e.to_string()))?;
        let requirements = InstanceRequirements::of(&entry)?;
        let layer_version = match validation {
            Some(_) => Some(validation_layer(&entry)?.ok_or(Error::NoValidationLayer)?),
            None => None,
        };
        let debug_utils =
            validation.is_some() || requirements.extensions.contains(&ash::ext::debug_utils::NAME);
        let create = |settings| create_raw(&entry, &requirements, validation, settings, &messages);
        let settings = validation.is_some() && layer_has_settings(&entry)?;
        let raw = match create(settings) {
            // Loaders before Vulkan 1.3.272 reject the layer-settings extension even if the layer provides it.
            Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT) if settings => {
                tracing::warn!(
                    "the Vulkan loader is older than the validation layer: hazards of shaders may be missed unless \
                     VK_KHRONOS_VALIDATION_SYNCVAL_SHADER_ACCESSES_HEURISTIC=true is set"
                );
                create(false)
            }
            created => created,
        };
        let raw = match raw {
            // The loader returns this if no driver is installed.
            Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => return Err(Error::NoDevice),
            other => other.during("vkCreateInstance")?,
        };
        let messenger = None;
        let mut this =
            Self { raw, debug_utils, owned: true, messages, messenger, layer_version, entry };
        if validation.is_some() {
            this.create_messenger()?;
        }
        Ok(this)
    }

    /// Wraps an instance that the caller owns. It is not destroyed on drop.
    pub fn adopt(entry: ash::Entry, raw: ash::Instance, debug_utils: bool) -> Self {
        let (messages, messenger, layer_version) = (Messages::default(), None, None);
        Self { raw, debug_utils, owned: false, messages, messenger, layer_version, entry }
    }

    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    fn create_messenger(&mut self) -> Result<()> {
        let functions = ash::ext::debug_utils::Instance::new(&self.entry, &self.raw);
        let info = Messages::create_info(&self.messages);
        // SAFETY: the callback's data is in an `Arc` that is dropped after the messenger.
        let messenger = unsafe { functions.create_debug_utils_messenger(&info, None) };
        self.messenger = Some((functions, messenger.during("vkCreateDebugUtilsMessengerEXT")?));
        Ok(())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        // SAFETY: the device and all other objects created from the instance have been destroyed.
        unsafe {
            if let Some((functions, messenger)) = self.messenger.take() {
                functions.destroy_debug_utils_messenger(messenger, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}

/// Creates an instance, with the validation layer if `validation` is given. `settings` states whether the layer
/// accepts settings (`VK_EXT_layer_settings`).
fn create_raw(
    entry: &ash::Entry,
    requirements: &InstanceRequirements,
    validation: Option<ValidationConfig>,
    settings: bool,
    messages: &Messages,
) -> std::result::Result<ash::Instance, vk::Result> {
    let mut names = requirements.extensions.clone();
    let mut layers = Vec::new();
    if validation.is_some() {
        layers.push(validation::LAYER.as_ptr());
        names.push(ash::ext::validation_features::NAME);
        // If the loader does not list this extension, the validation layer provides it.
        if !names.contains(&ash::ext::debug_utils::NAME) {
            names.push(ash::ext::debug_utils::NAME);
        }
        if settings {
            names.push(ash::ext::layer_settings::NAME);
        }
    }
    let names: Vec<_> = names.into_iter().map(CStr::as_ptr).collect();
    let application =
        vk::ApplicationInfo::default().application_name(c"multisplit").api_version(API_VERSION);
    let enables = validation.map(|v| v.enables()).unwrap_or_default();
    let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enables);
    let shader_accesses = [validation::shader_accesses_setting()];
    let mut layer_settings = vk::LayerSettingsCreateInfoEXT::default().settings(&shader_accesses);
    let mut messenger_info = Messages::create_info(messages);
    let mut info = vk::InstanceCreateInfo::default()
        .flags(requirements.flags)
        .application_info(&application)
        .enabled_extension_names(&names)
        .enabled_layer_names(&layers);
    if validation.is_some() {
        info = info.push_next(&mut features).push_next(&mut messenger_info);
    }
    if settings {
        info = info.push_next(&mut layer_settings);
    }
    // SAFETY: all pointers in `info` are valid for the duration of the call.
    unsafe { entry.create_instance(&info, None) }
}

/// Whether the validation layer accepts settings from the application (`VK_EXT_layer_settings`). Layers before Vulkan
/// 1.3.272 do not.
fn layer_has_settings(entry: &ash::Entry) -> Result<bool> {
    // SAFETY: the function has no preconditions.
    let extensions =
        unsafe { entry.enumerate_instance_extension_properties(Some(validation::LAYER)) };
    let extensions = extensions.during("vkEnumerateInstanceExtensionProperties")?;
    Ok(extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(ash::ext::layer_settings::NAME)))
}

/// Vulkan version of the validation layer; `None` if it is not installed.
fn validation_layer(entry: &ash::Entry) -> Result<Option<u32>> {
    // SAFETY: the function has no preconditions.
    let layers = unsafe { entry.enumerate_instance_layer_properties() };
    let layers = layers.during("vkEnumerateInstanceLayerProperties")?;
    let layer = layers.iter().find(|l| l.layer_name_as_c_str() == Ok(validation::LAYER));
    Ok(layer.map(|layer| layer.spec_version))
}
