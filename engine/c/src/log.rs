//! Forwarding of log messages to the caller.

use std::ffi::{CString, c_char, c_void};
use std::fmt::{self, Write as _};
use std::mem::MaybeUninit;
use std::sync::{PoisonError, RwLock};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::read;
use crate::result::{Failure, MultisplitResult, call_back, guard};
use crate::types::choice;

/// Severity of a log message.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitLogLevel {
    /// A failure that no call reports, for example memory that could not be freed.
    Error = 0,
    /// A problem that the library works around, for example a damaged cache file that it ignores.
    Warning = 1,
    /// Information of interest once per run.
    Info = 2,
    /// Internal details.
    Debug = 3,
}
choice!(MultisplitLogLevel: Error, Warning, Info, Debug);

/// Receives a log message, which is valid only during the call. The function may be called from any thread
/// that calls the library, and must not call the library: such calls return `MULTISPLIT_ERROR_CALLBACK`.
pub type MultisplitLogFunction = Option<
    unsafe extern "C" fn(user: *mut c_void, level: MultisplitLogLevel, message: *const c_char),
>;

#[derive(Clone, Copy)]
struct Sink {
    function: unsafe extern "C" fn(*mut c_void, MultisplitLogLevel, *const c_char),
    user: *mut c_void,
    level: MultisplitLogLevel,
}

// SAFETY: the caller of `multisplit_set_log` guarantees that the function may be called from any thread.
unsafe impl Send for Sink {}
// SAFETY: as above.
unsafe impl Sync for Sink {}

static SINK: RwLock<Option<Sink>> = RwLock::new(None);

fn sink() -> Option<Sink> {
    *SINK.read().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the log function for messages of the given level and of higher severity. `NULL`, the initial state,
/// disables logging. The setting is global.
///
/// # Safety
/// `function` is `NULL` or may be called with `user` from any thread until another function is set and all
/// earlier calls of the library have returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_set_log(
    function: MultisplitLogFunction,
    user: *mut c_void,
    level: MaybeUninit<MultisplitLogLevel>,
) -> MultisplitResult {
    guard(|| {
        let level = read::choice(level)?;
        let sink = function.map(|function| Sink { function, user, level });
        *SINK.write().unwrap_or_else(PoisonError::into_inner) = sink;
        if sink.is_some() && !tracing::dispatcher::has_been_set() {
            tracing::subscriber::set_global_default(Forward)
                .map_err(|error| Failure::invalid(error.to_string()))?;
        }
        Ok(())
    })
}

/// Forwards events to the caller's function. Spans are used only for measurements and are not forwarded.
struct Forward;

fn level_of(level: &Level) -> MultisplitLogLevel {
    match *level {
        Level::ERROR => MultisplitLogLevel::Error,
        Level::WARN => MultisplitLogLevel::Warning,
        Level::INFO => MultisplitLogLevel::Info,
        _ => MultisplitLogLevel::Debug,
    }
}

impl Subscriber for Forward {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> tracing::subscriber::Interest {
        // The level may be changed at any time.
        tracing::subscriber::Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let wanted = |sink: Sink| level_of(metadata.level()) as u32 <= sink.level as u32;
        metadata.is_event() && *metadata.level() != Level::TRACE && sink().is_some_and(wanted)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let Some(sink) = sink() else { return };
        let mut text = Text::default();
        event.record(&mut text);
        let whole = format!("{}{}", text.message, text.fields).replace('\0', "");
        let Ok(message) = CString::new(whole) else { return };
        let level = level_of(event.metadata().level());
        // SAFETY: guaranteed by the caller of `multisplit_set_log`.
        call_back(|| unsafe { (sink.function)(sink.user, level, message.as_ptr()) });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// An event as one line: its message followed by its fields.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a `String` cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
