//! Enables the validation layers and collects their messages.
//!
//! The messenger is also chained into instance creation, so that messages from creating and destroying the instance
//! (such as leaked objects) are collected. Every message is also emitted as a `tracing` event with level error and
//! target `multisplit::validation`.
//!
//! By default, a call that instantiates or runs work fails with the first error that a layer reports meanwhile.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, Weak};

use ash::vk::{
    self, DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type,
};

use crate::error::{Error, Result};
use crate::lock::lock;

/// The layer that validates API usage.
pub(crate) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Makes synchronization validation track accesses through descriptors. Layers since Vulkan 1.3.290 do not track them
/// by default. Without this setting, these layers miss most hazards of compute shaders, and report a false hazard
/// between two writes that have a read in between.
pub(crate) fn shader_accesses_setting() -> vk::LayerSettingEXT<'static> {
    const ON: &[u8] = &vk::TRUE.to_ne_bytes();
    vk::LayerSettingEXT {
        p_layer_name: LAYER.as_ptr(),
        p_setting_name: c"syncval_shader_accesses_heuristic".as_ptr(),
        ty: vk::LayerSettingTypeEXT::BOOL32,
        value_count: 1,
        p_values: ON.as_ptr().cast(),
        ..Default::default()
    }
}

/// Optional checks of the validation layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidationConfig {
    /// Detects hazards between commands that lack a barrier.
    pub synchronization: bool,
    /// Detects out-of-bounds accesses in shaders, at about twice the run time. Disables push descriptors, which
    /// the layer does not instrument correctly.
    pub gpu_assisted: bool,
    /// Whether a call that instantiates or runs work fails with [`Error::Validation`] if a layer reports an error
    /// meanwhile. Otherwise, the caller checks [`Context::messages`](crate::Context::messages).
    pub fail_on_error: bool,
}

impl Default for ValidationConfig {
    fn default() -> Self {
        Self { synchronization: true, gpu_assisted: false, fail_on_error: true }
    }
}

impl ValidationConfig {
    pub(crate) fn enables(&self) -> Vec<vk::ValidationFeatureEnableEXT> {
        let mut enables = Vec::new();
        if self.synchronization {
            enables.push(vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION);
        }
        if self.gpu_assisted {
            enables.push(vk::ValidationFeatureEnableEXT::GPU_ASSISTED);
            enables.push(vk::ValidationFeatureEnableEXT::GPU_ASSISTED_RESERVE_BINDING_SLOT);
        }
        enables
    }
}

/// A message of a validation layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Identifier of the rule, such as `SYNC-HAZARD-READ_AFTER_WRITE`; may be empty.
    pub id: String,
    /// Text of the message.
    pub text: String,
}

/// Messages of the validation layers with severity warning or above. Clones share one list, to which the layers
/// append. A clone that outlives the context therefore includes messages from its destruction, and a clone of
/// [`Config::messages`](crate::Config::messages) includes messages from a failed open.
#[derive(Clone, Debug, Default)]
pub struct Messages(Arc<Shared>);

/// State shared by the messenger and all clones of [`Messages`].
#[derive(Debug, Default)]
struct Shared {
    messages: Mutex<Vec<Message>>,
    watches: Mutex<Vec<Weak<Mutex<Option<Message>>>>>,
}

impl Shared {
    fn push(&self, message: Message, is_error: bool) {
        if is_error {
            lock(&self.watches).retain(|watch| {
                let watch = watch.upgrade();
                if let Some(watch) = &watch {
                    lock(watch).get_or_insert_with(|| message.clone());
                }
                watch.is_some()
            });
        }
        lock(&self.messages).push(message);
    }
}

/// Stores the first error that a layer reports after the watch was created. The error remains stored even if other
/// code takes the messages.
#[derive(Debug, Default)]
pub(crate) struct ErrorWatch(Option<Arc<Mutex<Option<Message>>>>);

impl ErrorWatch {
    /// Fails with the stored error, if there is one, and clears it.
    pub fn check(&self) -> Result<()> {
        match self.0.as_ref().and_then(|watch| lock(watch).take()) {
            Some(Message { id, text }) => Err(Error::Validation { id, text }),
            None => Ok(()),
        }
    }
}

impl Messages {
    /// Takes all messages received so far.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *lock(&self.0.messages))
    }

    pub(crate) fn watch(&self) -> ErrorWatch {
        let watch = Arc::default();
        let mut watches = lock(&self.0.watches);
        watches.retain(|watch| watch.strong_count() > 0);
        watches.push(Arc::downgrade(&watch));
        ErrorWatch(Some(watch))
    }

    /// Create-info of a messenger that appends to this list. A clone of the list must outlive the messenger, which
    /// holds a pointer to the shared state.
    pub(crate) fn create_info(sink: &Self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(Severity::WARNING | Severity::ERROR)
            .message_type(Type::VALIDATION | Type::PERFORMANCE)
            .pfn_user_callback(Some(on_message))
            .user_data(Arc::as_ptr(&sink.0).cast_mut().cast())
    }
}

/// Callback of the layers. They may call it from several threads.
unsafe extern "system" fn on_message(
    severity: Severity,
    _types: Type,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    let text = |at: *const std::ffi::c_char| {
        if at.is_null() {
            return String::new();
        }
        // SAFETY: the specification guarantees a null-terminated string if the pointer is not null.
        unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
    };
    if data.is_null() || user_data.is_null() {
        return vk::FALSE;
    }
    // SAFETY: valid for the duration of the callback by the specification.
    let data = unsafe { &*data };
    let message = Message { id: text(data.p_message_id_name), text: text(data.p_message) };
    tracing::error!(target: "multisplit::validation", id = %message.id, "{}", message.text);
    // SAFETY: `create_info` set this pointer to shared state that outlives the messenger.
    let sink = unsafe { &*user_data.cast::<Shared>() };
    sink.push(message, severity.contains(Severity::ERROR));
    vk::FALSE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports a message the way a layer does.
    fn report(sink: &Messages, severity: Severity, text: &CStr) {
        let info = Messages::create_info(sink);
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default()
            .message_id_name(c"VUID-x")
            .message(text);
        let kind = Type::VALIDATION;
        // SAFETY: the arguments are as valid as those that a layer passes.
        unsafe { on_message(severity, kind, &data, info.p_user_data) };
    }

    #[test]
    fn error_watch_keeps_the_first_error() {
        let sink = Messages::default();
        report(&sink, Severity::ERROR, c"earlier");
        let (watch, other) = (sink.watch(), sink.watch());
        report(&sink, Severity::WARNING, c"a warning");
        assert!(watch.check().is_ok());
        report(&sink, Severity::ERROR, c"first");
        report(&sink, Severity::ERROR, c"second");
        assert_eq!(sink.take().len(), 4);
        for watch in [watch, other] {
            let error = watch.check().expect_err("an error was reported").to_string();
            let names_first = error.contains("VUID-x") && error.contains("first");
            assert!(names_first, "expected `VUID-x` and `first` in: {error}");
            assert!(watch.check().is_ok());
        }
        assert!(ErrorWatch::default().check().is_ok());
    }

    #[test]
    fn messages_are_visible_in_existing_clones() {
        let sink = Messages::default();
        let kept = sink.clone();
        report(&sink, Severity::ERROR, c"broken");
        let expected = Message { id: "VUID-x".to_owned(), text: "broken".to_owned() };
        assert_eq!(kept.take(), [expected]);
        assert_eq!(kept.take(), []);
    }
}
