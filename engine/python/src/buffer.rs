//! Device arrays held by Python.

use multisplit::Array;
use multisplit::half::f16;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::array::{Kind, with_element_types};
use crate::process::OfProcess;

/// A flat array on the device. It is immutable, except that the package may sort an array in place if it
/// holds the only reference.
#[pyclass(frozen, module = "multisplit._native")]
pub(crate) struct Buffer {
    data: OfProcess<Data>,
    kind: Kind,
    len: u64,
    /// Whether all zeros and NaNs are known to have canonical bits (`canonical.rs`). If so, the engine's order of
    /// floats matches NumPy's.
    #[pyo3(get)]
    canonical: bool,
    /// Whether the upload changed the bits of zeros or NaNs to make the array canonical.
    #[pyo3(get)]
    altered: bool,
}

macro_rules! data {
    ($($rust:ty: $kind:ident, $name:literal;)*) => {
        /// The contents, by element type.
        #[derive(Clone)]
        pub(crate) enum Data {
            $($kind(Array<$rust>),)*
        }

        $(impl From<Array<$rust>> for Data {
            fn from(array: Array<$rust>) -> Self {
                Self::$kind(array)
            }
        })*

        impl Data {
            fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind(_) => Kind::$kind,)*
                }
            }

            fn len(&self) -> u64 {
                match self {
                    $(Self::$kind(array) => array.len(),)*
                }
            }
        }
    };
}
with_element_types!(data);

/// Evaluates `$body` with an array of one of the listed kinds, or `$otherwise` for other kinds.
macro_rules! with_kinds {
    ($data:expr, $array:ident => $body:expr, [$($kind:ident)*] $(, $otherwise:expr)?) => {
        match $data {
            $($crate::buffer::Data::$kind($array) => $body,)*
            $(_ => $otherwise,)?
        }
    };
}

/// [`with_kinds`] for all key types. Rejects opaque values.
macro_rules! with_keys {
    ($data:expr, $array:ident => $body:expr) => {
        $crate::buffer::with_kinds!(
            $data, $array => $body,
            [U8 I8 U16 I16 F16 U32 I32 F32 U64 I64 F64],
            Err($crate::buffer::not_keys())
        )
    };
}

/// [`with_kinds`] for elements of 4 and 8 bytes, which scans, reductions and run lengths support.
macro_rules! with_numbers {
    ($data:expr, $array:ident => $body:expr) => {
        $crate::buffer::with_kinds!(
            $data, $array => $body,
            [U32 I32 F32 U64 I64 F64],
            Err($crate::buffer::not_numbers())
        )
    };
}

/// [`with_kinds`] for values: elements of 4, 8 and 16 bytes.
macro_rules! with_values {
    ($data:expr, $array:ident => $body:expr) => {
        $crate::buffer::with_kinds!(
            $data, $array => $body,
            [U32 I32 F32 U64 I64 F64 Wide],
            Err($crate::buffer::not_values())
        )
    };
}

/// [`with_kinds`] for all element types.
macro_rules! with_any {
    ($data:expr, $array:ident => $body:expr) => {
        $crate::buffer::with_kinds!(
            $data, $array => $body,
            [U8 I8 U16 I16 F16 U32 I32 F32 U64 I64 F64 Wide]
        )
    };
}

pub(crate) use {with_any, with_keys, with_kinds, with_numbers, with_values};

impl Buffer {
    pub fn new(data: impl Into<Data>, canonical: bool) -> Self {
        let data = data.into();
        let (kind, len) = (data.kind(), data.len());
        Self { data: OfProcess::new(data), kind, len, canonical, altered: false }
    }

    /// Sets whether the upload has changed the bits of zeros or NaNs.
    pub fn altered(self, altered: bool) -> Self {
        Self { altered, ..self }
    }

    /// The contents. Fails in a forked process.
    pub fn data(&self) -> PyResult<&Data> {
        self.data.get()
    }

    /// NumPy's name of the element type.
    pub fn kind_name(&self) -> &'static str {
        self.kind.name()
    }

    /// Whether all zeros and NaNs are known to have canonical bits.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }
}

#[pymethods]
impl Buffer {
    fn __len__(&self) -> usize {
        usize::try_from(self.len).unwrap_or(usize::MAX)
    }

    /// NumPy's name of the element type.
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind.name()
    }
}

/// Error for elements that do not have 4 or 8 bytes.
pub(crate) fn not_numbers() -> PyErr {
    PyTypeError::new_err("elements must be numbers of 4 or 8 bytes")
}

/// Error for values of an unsupported size.
pub(crate) fn not_values() -> PyErr {
    PyTypeError::new_err(
        "values on the device must have 4, 8 or 16 bytes each; convert them first, for example to uint32",
    )
}

/// Error for keys of 16 bytes.
pub(crate) fn not_keys() -> PyErr {
    PyTypeError::new_err("elements of 16 bytes can only be values, not keys")
}
