//! Converts engine errors to Python exceptions with the same text.

use multisplit::Error;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The exception classes. They are defined in Python, because some have two base classes.
static CLASSES: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// The exception for an error of the engine.
pub(crate) fn raise(error: &Error) -> PyErr {
    let class = match error {
        Error::NoLoader(_)
        | Error::NoDevice
        | Error::UnknownDevice { .. }
        | Error::MissingRequirements { .. }
        | Error::FaultyDevice { .. }
        | Error::NoValidationLayer
        | Error::Pipeline { .. }
        | Error::Vulkan { .. } => "DeviceError",
        Error::OutOfMemory { .. } => "OutOfMemoryError",
        Error::LengthMismatch { .. }
        | Error::TooLarge { .. }
        | Error::Method { .. }
        | Error::Operand { .. }
        | Error::NoBuckets
        | Error::Bucket { .. }
        | Error::BucketOutOfRange { .. }
        | Error::Histogram { .. }
        | Error::Segments { .. }
        | Error::Selection { .. }
        | Error::Rows { .. }
        | Error::OtherContext { .. } => "ArgumentError",
        #[cfg(feature = "glsl")]
        Error::Compile(_) => "ArgumentError",
        _ => "Error",
    };
    exception(class, error.to_string())
}

/// An error that becomes a Python exception.
pub(crate) trait Raise {
    fn raised(self) -> PyErr;
}

impl Raise for Error {
    fn raised(self) -> PyErr {
        raise(&self)
    }
}

/// Reason why a transfer ended early: an error of the engine, or an exception that a signal handler raised.
pub(crate) enum Stop {
    Engine(Error),
    Raised(PyErr),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl Raise for Stop {
    fn raised(self) -> PyErr {
        match self {
            Self::Engine(error) => raise(&error),
            Self::Raised(error) => error,
        }
    }
}

/// The exception for an error of a search for shortest paths.
pub(crate) fn raise_search(error: &multisplit_sssp::Error) -> PyErr {
    match error {
        multisplit_sssp::Error::Engine(error) => raise(error),
        multisplit_sssp::Error::Network(_) => exception("ArgumentError", error.to_string()),
        _ => exception("Error", error.to_string()),
    }
}

/// Error for a child process that uses objects opened by its parent.
pub(crate) fn forked(parent: u32) -> PyErr {
    let text = format!(
        "process {} was forked from process {parent} after multisplit had opened a device, and devices do not \
         survive a fork; start workers with the method \"spawn\" or \"forkserver\" \
         (multiprocessing.set_start_method), or fork before multisplit is first used",
        std::process::id()
    );
    exception("ForkError", text)
}

/// Error for the use of a closed device.
pub(crate) fn closed() -> PyErr {
    let text = "the context of this call or array is closed; copy arrays to the host before Context.close()";
    exception("DeviceError", text.to_owned())
}

/// Error for an unsupported argument.
pub(crate) fn argument(text: impl Into<String>) -> PyErr {
    exception("ArgumentError", text.into())
}

fn exception(class: &str, text: String) -> PyErr {
    Python::attach(|py| {
        let found = CLASSES
            .get_or_try_init(py, || py.import("multisplit._errors").map(Bound::unbind))
            .and_then(|module| module.bind(py).getattr(class))
            .and_then(|class| Ok(class.cast_into::<PyType>()?));
        match found {
            Ok(class) => PyErr::from_type(class, text),
            Err(error) => error,
        }
    })
}
