//! Results of calls: error codes, the message of the last error, and the function that catches panics.

use std::any::Any;
use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use multisplit::Error;
use multisplit::ash::vk;
use multisplit::graph::GraphError;
use multisplit_sssp::network::NetworkError;

use MultisplitResult as Code;

/// Result of a call. `multisplit_last_error` returns the message of an error.
/// cbindgen:rename-all=ScreamingSnakeCase
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitResult {
    /// The call succeeded.
    MultisplitSuccess = 0,
    /// A required pointer or Vulkan handle is `NULL`.
    MultisplitErrorNull = -1,
    /// The caller was compiled for an incompatible version of the library.
    MultisplitErrorVersion = -2,
    /// `struct_size` omits required members, or includes members that this version of the library does not
    /// know and that are not zero.
    MultisplitErrorStructSize = -3,
    /// A handle is not valid: it was destroyed, is of another kind, or was never created.
    MultisplitErrorHandle = -4,
    /// A context cannot be destroyed while objects created from it exist or calls use it.
    MultisplitErrorInUse = -5,
    /// The operation needs `multisplit_operation_warm_up` first.
    MultisplitErrorNotReady = -6,
    /// An argument or a member has a value that is not allowed.
    MultisplitErrorInvalid = -7,
    /// A buffer, an array or a workspace is too small.
    MultisplitErrorTooSmall = -8,
    /// An offset or an address does not have the required alignment.
    MultisplitErrorMisaligned = -9,
    /// A number exceeds a limit of the device, the algorithm or the operation.
    MultisplitErrorTooLarge = -10,
    /// The device, the operation or this build of the library does not support the request.
    MultisplitErrorUnsupported = -11,
    /// The GLSL does not compile, or is rejected; the message gives the reason.
    MultisplitErrorGlsl = -12,
    /// Out of host or device memory.
    MultisplitErrorOutOfMemory = -13,
    /// The device is lost: destroy all objects created from it.
    MultisplitErrorDeviceLost = -14,
    /// A Vulkan call failed with another error.
    MultisplitErrorVulkan = -15,
    /// A bug in the library: please report the message.
    MultisplitErrorInternal = -16,
    /// `value_bytes` is not 0, 4, 8 or 16.
    MultisplitErrorValueSize = -17,
    /// `first_bit` and `bit_count` select bits that the key type does not have.
    MultisplitErrorSortBits = -18,
    /// `frame` is not less than the number of frames in flight of the operation.
    MultisplitErrorFrame = -19,
    /// `profile` is damaged, was made for another version, device or driver, or has sizes that the device
    /// does not support; the message gives the reason.
    MultisplitErrorProfile = -20,
    /// The library was called by one of the caller's functions (`allocate` and `free` of
    /// `MultisplitMemoryFunctions`, or the log function), which must not call it.
    MultisplitErrorCallback = -21,
}

/// All codes and their names.
const NAMES: [(Code, &CStr); 22] = [
    (Code::MultisplitSuccess, c"MULTISPLIT_SUCCESS"),
    (Code::MultisplitErrorNull, c"MULTISPLIT_ERROR_NULL"),
    (Code::MultisplitErrorVersion, c"MULTISPLIT_ERROR_VERSION"),
    (Code::MultisplitErrorStructSize, c"MULTISPLIT_ERROR_STRUCT_SIZE"),
    (Code::MultisplitErrorHandle, c"MULTISPLIT_ERROR_HANDLE"),
    (Code::MultisplitErrorInUse, c"MULTISPLIT_ERROR_IN_USE"),
    (Code::MultisplitErrorNotReady, c"MULTISPLIT_ERROR_NOT_READY"),
    (Code::MultisplitErrorInvalid, c"MULTISPLIT_ERROR_INVALID"),
    (Code::MultisplitErrorTooSmall, c"MULTISPLIT_ERROR_TOO_SMALL"),
    (Code::MultisplitErrorMisaligned, c"MULTISPLIT_ERROR_MISALIGNED"),
    (Code::MultisplitErrorTooLarge, c"MULTISPLIT_ERROR_TOO_LARGE"),
    (Code::MultisplitErrorUnsupported, c"MULTISPLIT_ERROR_UNSUPPORTED"),
    (Code::MultisplitErrorGlsl, c"MULTISPLIT_ERROR_GLSL"),
    (Code::MultisplitErrorOutOfMemory, c"MULTISPLIT_ERROR_OUT_OF_MEMORY"),
    (Code::MultisplitErrorDeviceLost, c"MULTISPLIT_ERROR_DEVICE_LOST"),
    (Code::MultisplitErrorVulkan, c"MULTISPLIT_ERROR_VULKAN"),
    (Code::MultisplitErrorInternal, c"MULTISPLIT_ERROR_INTERNAL"),
    (Code::MultisplitErrorValueSize, c"MULTISPLIT_ERROR_VALUE_SIZE"),
    (Code::MultisplitErrorSortBits, c"MULTISPLIT_ERROR_SORT_BITS"),
    (Code::MultisplitErrorFrame, c"MULTISPLIT_ERROR_FRAME"),
    (Code::MultisplitErrorProfile, c"MULTISPLIT_ERROR_PROFILE"),
    (Code::MultisplitErrorCallback, c"MULTISPLIT_ERROR_CALLBACK"),
];

/// A code and its message.
#[derive(Debug)]
pub(crate) struct Failure {
    code: Code,
    text: String,
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    pub fn null(what: &str) -> Self {
        Self::new(Code::MultisplitErrorNull, format!("{what} is NULL"))
    }

    pub fn invalid(text: impl Into<String>) -> Self {
        Self::new(Code::MultisplitErrorInvalid, text)
    }

    pub fn too_small(what: &str, has: u64, needed: u64) -> Self {
        let text = format!("{what} has {has} bytes, but at least {needed} are needed");
        Self::new(Code::MultisplitErrorTooSmall, text)
    }

    pub fn vulkan(call: &str, result: vk::Result) -> Self {
        Self::new(vulkan(result), format!("{call}: {result}"))
    }

    fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "a panic without a message".to_owned());
        Self::new(
            Code::MultisplitErrorInternal,
            format!("internal error in multisplit, please report it: {text}"),
        )
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::BufferTooSmall { .. } => Code::MultisplitErrorTooSmall,
            Error::Misaligned { .. } => Code::MultisplitErrorMisaligned,
            Error::TooLarge { .. } | Error::Graph(GraphError::LimitExceeded { .. }) => {
                Code::MultisplitErrorTooLarge
            }
            Error::MissingRequirements { .. }
            | Error::FaultyDevice { .. }
            | Error::MissingFeature { .. }
            | Error::Kernel { .. } => Code::MultisplitErrorUnsupported,
            Error::ValueSize { .. } => Code::MultisplitErrorValueSize,
            Error::SortBits { .. } => Code::MultisplitErrorSortBits,
            Error::NoSuchFrame { .. } => Code::MultisplitErrorFrame,
            Error::Profile { .. } => Code::MultisplitErrorProfile,
            Error::OutOfMemory { .. } => Code::MultisplitErrorOutOfMemory,
            Error::Vulkan { result, .. } | Error::Pipeline { result, .. } => vulkan(*result),
            #[cfg(feature = "glsl")]
            Error::Compile(_) => Code::MultisplitErrorGlsl,
            Error::Reflect(_) => Code::MultisplitErrorInternal,
            _ => Code::MultisplitErrorInvalid,
        };
        Self::new(code, for_c(error.to_string()))
    }
}

/// Rust names and terms in messages of the engine, and their replacements for C programs.
const IN_C: [(&str, &str); 5] = [
    ("ExecutableOptions::by_address", "by_address of MultisplitCommonInfo"),
    ("ExecutableOptions::frames", "frames of MultisplitCommonInfo"),
    ("Select::first_of_runs", "MULTISPLIT_CONDITION_FIRST_OF_RUNS"),
    ("; compile it with Context::limits", ""),
    ("declare the work again", "create the operation again"),
];

fn for_c(text: String) -> String {
    IN_C.iter().fold(text, |text, (rust, c)| text.replace(rust, c))
}

impl From<multisplit_sssp::Error> for Failure {
    fn from(error: multisplit_sssp::Error) -> Self {
        use multisplit_sssp::Error as SearchError;
        let code = match error {
            SearchError::Engine(error) => return error.into(),
            SearchError::Network(NetworkError::TooLarge { .. }) => Code::MultisplitErrorTooLarge,
            SearchError::Network(_) => Code::MultisplitErrorInvalid,
            _ => Code::MultisplitErrorInternal,
        };
        Self::new(code, error.to_string())
    }
}

fn vulkan(result: vk::Result) -> Code {
    match result {
        vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => {
            Code::MultisplitErrorOutOfMemory
        }
        vk::Result::ERROR_DEVICE_LOST => Code::MultisplitErrorDeviceLost,
        _ => Code::MultisplitErrorVulkan,
    }
}

/// Bytes of the message of the last error, with the final zero.
const MESSAGE_BYTES: usize = 8192;

thread_local! {
    /// The message of the last error. It never moves, because C programs may keep its address.
    static LAST: Box<[Cell<u8>; MESSAGE_BYTES]> = Box::new([const { Cell::new(0) }; MESSAGE_BYTES]);
    /// Whether a function of the caller is running.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Stores the message of the last error, truncated at the first zero byte, and to fit `MESSAGE_BYTES` with a
/// final zero. Does nothing if the thread is terminating.
fn store(text: &str) {
    let text = text.split('\0').next().unwrap_or_default();
    let end = (0..MESSAGE_BYTES).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
    let bytes = text[..end].bytes().chain([0]);
    let _ = LAST.try_with(|last| last.iter().zip(bytes).for_each(|(to, byte)| to.set(byte)));
}

/// Runs the body of a call and converts errors and panics to result codes: a panic that leaves an `extern "C"`
/// function aborts the process. A successful call does not change the last error. Rejects calls from callbacks,
/// which could wait for a lock that the library holds while it runs the callback.
pub(crate) fn guard(call: impl FnOnce() -> Outcome) -> MultisplitResult {
    let failure = if IN_CALLBACK.try_with(Cell::get).unwrap_or_default() {
        let text = "a callback (an allocator or the log function) called the library, which callbacks must not do";
        Failure::new(Code::MultisplitErrorCallback, text)
    } else {
        // A panic may leave an object partially changed, which is memory-safe; its message reports a bug.
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(Ok(())) => return Code::MultisplitSuccess,
            Ok(Err(failure)) => failure,
            Err(payload) => Failure::panicked(&*payload),
        }
    };
    store(&failure.text);
    failure.code
}

/// Calls a callback of the caller. Until it returns, [`guard`] rejects calls on this thread.
pub(crate) fn call_back<T>(function: impl FnOnce() -> T) -> T {
    let before = IN_CALLBACK.try_with(|inside| inside.replace(true)).unwrap_or_default();
    let result = function();
    let _ = IN_CALLBACK.try_with(|inside| inside.set(before));
    result
}

/// Returns the message of the last error on this thread, or an empty string. Never `NULL`. The address is
/// the same in all calls of a thread and valid until the thread ends; the next call that fails on this thread
/// replaces the text. Copy the text to keep it. Texts of more than 8191 bytes are shortened.
#[unsafe(no_mangle)]
pub extern "C" fn multisplit_last_error() -> *const c_char {
    LAST.try_with(|last| last.as_ptr().cast()).unwrap_or(c"".as_ptr())
}

/// Returns the name of a result code, such as `"MULTISPLIT_ERROR_NULL"`. Never `NULL`; must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn multisplit_result_name(result: MaybeUninit<MultisplitResult>) -> *const c_char {
    // SAFETY: C passes an arbitrary number; it is read as an integer.
    let number = unsafe { result.as_ptr().cast::<i32>().read() };
    let found = NAMES.iter().find(|(code, _)| *code as i32 == number);
    found.map_or(c"unknown", |(_, name)| name).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        // SAFETY: never null, and valid until the thread ends.
        unsafe { CStr::from_ptr(multisplit_last_error()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn panic_becomes_error_code_with_message() {
        assert_eq!(guard(|| panic!("on {}", "purpose")), Code::MultisplitErrorInternal);
        assert_eq!(last(), "internal error in multisplit, please report it: on purpose");
        assert_eq!(guard(|| std::panic::panic_any(7)), Code::MultisplitErrorInternal);
        assert_eq!(
            last(),
            "internal error in multisplit, please report it: a panic without a message"
        );
    }

    #[test]
    fn last_error_is_per_thread_and_survives_success() {
        assert_eq!(guard(|| Err(Failure::null("this"))), Code::MultisplitErrorNull);
        assert_eq!(guard(|| Ok(())), Code::MultisplitSuccess);
        assert_eq!(last(), "this is NULL");
        let other = std::thread::spawn(last).join();
        assert_eq!(other.expect("the thread does not panic"), "");
        assert_eq!(guard(|| Err(Failure::invalid("a\0b"))), Code::MultisplitErrorInvalid);
        assert_eq!(last(), "a");
    }

    #[test]
    fn message_keeps_its_address_and_fits_its_buffer() {
        let before = multisplit_last_error();
        let long = "\u{e9}".repeat(MESSAGE_BYTES);
        assert_eq!(guard(|| Err(Failure::invalid(&long))), Code::MultisplitErrorInvalid);
        assert_eq!(multisplit_last_error(), before);
        assert_eq!(last(), long[..MESSAGE_BYTES - 2]);
    }

    #[test]
    fn calls_from_callbacks_are_rejected() {
        let inside = || call_back(|| guard(|| Ok(())));
        assert_eq!(inside(), Code::MultisplitErrorCallback);
        assert_eq!(call_back(inside), Code::MultisplitErrorCallback);
        assert_eq!(guard(|| Ok(())), Code::MultisplitSuccess);
    }

    #[test]
    fn every_result_code_has_its_name() {
        for (at, (code, name)) in (0..).zip(NAMES) {
            assert_eq!(code as i32, -at);
            let given = multisplit_result_name(MaybeUninit::new(code));
            // SAFETY: never null.
            assert_eq!(unsafe { CStr::from_ptr(given) }, name);
        }
    }
}
