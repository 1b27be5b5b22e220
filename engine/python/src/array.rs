//! Access to the memory of NumPy arrays that are contiguous, aligned and of a supported type.

use std::marker::PhantomData;
use std::slice;

use bytemuck::Pod;
use multisplit::half::f16;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

/// Passes the element types to a macro: the Rust type, its [`Kind`], and NumPy's name.
macro_rules! with_element_types {
    ($macro:ident) => {
        $macro! {
            u8: U8, "u1";
            i8: I8, "i1";
            u16: U16, "u2";
            i16: I16, "i2";
            f16: F16, "f2";
            u32: U32, "u4";
            i32: I32, "i4";
            f32: F32, "f4";
            u64: U64, "u8";
            i64: I64, "i8";
            f64: F64, "f8";
            // 16 opaque bytes, used only for values.
            [u32; 4]: Wide, "V16";
        }
    };
}
pub(crate) use with_element_types;

/// A Rust type for elements.
pub(crate) trait Element: Pod + Send + Sync {
    /// The corresponding element type.
    const KIND: Kind;
}

macro_rules! kinds {
    ($($rust:ty: $kind:ident, $name:literal;)*) => {
        /// Element type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($kind,)*
        }

        impl Kind {
            const ALL: &[Self] = &[$(Self::$kind),*];

            /// NumPy's type name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            fn bytes(self) -> usize {
                match self {
                    $(Self::$kind => size_of::<$rust>(),)*
                }
            }
        }

        $(impl Element for $rust {
            const KIND: Kind = Kind::$kind;
        })*
    };
}
with_element_types!(kinds);

impl Kind {
    fn of(description: &str) -> Option<Self> {
        // The first character is the byte order; it is `|` for single bytes and opaque types.
        let native = if cfg!(target_endian = "little") { '<' } else { '>' };
        let mut rest = description.chars();
        let order = rest.next()?;
        let kind = *Self::ALL.iter().find(|kind| kind.name() == rest.as_str())?;
        let has_no_order = matches!(kind, Self::U8 | Self::I8 | Self::Wide);
        (order == native || (order == '|' && has_no_order)).then_some(kind)
    }
}

/// The memory of a NumPy array. Keeps the array alive. If other threads write to the array during a call, the
/// result is unspecified, as in NumPy.
pub(crate) struct HostArray<'py> {
    at: *mut u8,
    len: usize,
    kind: Kind,
    is_read_only: bool,
    _owner: Bound<'py, PyAny>,
    _memory: PhantomData<&'py [u8]>,
}

static NDARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();

impl<'py> HostArray<'py> {
    /// The memory of `array`, which must be a NumPy array: the `__array_interface__` of other objects is not
    /// trusted.
    pub fn of(array: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = array.py();
        let ndarray = NDARRAY.import(py, "numpy", "ndarray")?;
        if !array.is_instance(ndarray)? {
            return Err(PyTypeError::new_err("the argument must be a NumPy array"));
        }
        let interface = array.getattr("__array_interface__")?.cast_into::<PyDict>()?;
        let entry = |name: &str| {
            let missing = || format!("the array has no `{name}` in its __array_interface__");
            interface.get_item(name)?.ok_or_else(|| PyTypeError::new_err(missing()))
        };
        let description: String = entry("typestr")?.extract()?;
        let kind = Kind::of(&description).ok_or_else(|| {
            PyTypeError::new_err(format!(
                "the array has elements of type {description}, which is not supported"
            ))
        })?;
        if !entry("strides")?.is_none() {
            return Err(PyValueError::new_err(
                "the array is not contiguous; use numpy.ascontiguousarray",
            ));
        }
        let (address, is_read_only): (usize, bool) = entry("data")?.extract()?;
        let shape: Vec<usize> = entry("shape")?.extract()?;
        // The product cannot overflow, because the array fits in memory.
        let len = shape.iter().product();
        let at = std::ptr::with_exposed_provenance_mut::<u8>(address);
        Ok(Self { at, len, kind, is_read_only, _owner: array.clone(), _memory: PhantomData })
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The elements. Fails if the array has another type or is not aligned.
    pub fn elements<T: Element>(&self) -> PyResult<&[T]> {
        let at = self.checked::<T>()?;
        if self.len == 0 {
            return Ok(&[]);
        }
        // SAFETY: a NumPy array has that many contiguous, aligned elements of the type, and lives as long as
        // its owner.
        Ok(unsafe { slice::from_raw_parts(at, self.len) })
    }

    /// The elements, mutable. Fails if the array has another type, is not aligned, or is read-only.
    pub fn elements_mut<T: Element>(&mut self) -> PyResult<&mut [T]> {
        let at = self.checked::<T>()?;
        if self.is_read_only {
            return Err(PyValueError::new_err("the output array is read-only"));
        }
        if self.len == 0 {
            return Ok(&mut []);
        }
        // SAFETY: as above; arrays that are read at the same time do not overlap (`check_apart_from`).
        Ok(unsafe { slice::from_raw_parts_mut(at, self.len) })
    }

    /// Fails if two arrays share memory.
    pub fn check_apart_from(&self, other: &HostArray<'_>) -> PyResult<()> {
        let range = |array: &HostArray<'_>| {
            (array.at.addr(), array.at.addr() + array.len * array.kind.bytes())
        };
        let ((begin, end), (other_begin, other_end)) = (range(self), range(other));
        if begin < other_end && other_begin < end {
            return Err(PyValueError::new_err("the input and output arrays overlap"));
        }
        Ok(())
    }

    fn checked<T: Element>(&self) -> PyResult<*mut T> {
        if T::KIND != self.kind {
            let (given, wanted) = (self.kind.name(), T::KIND.name());
            return Err(PyTypeError::new_err(format!(
                "the array has elements of type {given}, but {wanted} is needed"
            )));
        }
        let at = self.at.cast::<T>();
        if self.len > 0 && !at.is_aligned() {
            return Err(PyValueError::new_err("the array is not aligned to its element size"));
        }
        Ok(at)
    }
}
