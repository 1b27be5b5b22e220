//! Typed arrays in device memory, and the traits that let calls accept either host slices or device arrays.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;

use super::buffer::{Buffer, Location};
use crate::device::context::Context;
use crate::error::{Error, Result};

/// An array of `T` in device memory, created by [`Context::upload`], [`Context::zeroed`], or a call that works on
/// arrays. Clones share the memory, which is freed with the last of them.
///
/// The library orders the calls and recordings that use an array: each observes the writes of earlier ones.
pub struct Array<T> {
    buffer: Buffer,
    len: u64,
    elements: PhantomData<fn() -> T>,
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        Self { buffer: self.buffer.clone(), len: self.len, elements: PhantomData }
    }
}

impl<T> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array<{}>({})", std::any::type_name::<T>(), self.len)
    }
}

/// Vulkan does not support empty buffers, and kernels read up to 16 bytes at a time.
const MIN_BYTES: u64 = 16;

impl<T> Array<T> {
    /// Number of elements.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The Vulkan buffer; valid until the array and all its clones are dropped.
    pub fn raw(&self) -> ash::vk::Buffer {
        self.buffer.raw()
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}

impl<T: Pod> Array<T> {
    /// Creates an array with undefined contents, for passes to write. Error messages and debuggers show the name.
    pub fn uninit(context: &Context, name: &str, len: u64) -> Result<Self> {
        let bytes = size_of::<T>() as u64;
        let size = len.checked_mul(bytes).ok_or_else(|| Error::TooLarge {
            what: "length of an array",
            asked: len,
            limit: u64::MAX / bytes.max(1),
        })?;
        // Kernels read narrow elements in 32-bit words, so the last word must be complete. Graphs treat an empty array
        // as one with a single element.
        let size = size.max(MIN_BYTES).max(bytes);
        let size = size.checked_next_multiple_of(4).unwrap_or(u64::MAX);
        let buffer = Buffer::new(&context.device, name, size, Location::Device)?;
        Ok(Self { buffer, len, elements: PhantomData })
    }

    /// The first `len` elements, in the same memory.
    pub(crate) fn truncated(self, len: u64) -> Self {
        Self { len: self.len.min(len), ..self }
    }
}

/// An array on the host (a slice, `Vec` or fixed-size array) or on the device ([`Array`]).
///
/// A call with host arrays returns `Vec`s. A call with device arrays returns [`Array`]s and transfers no data.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array that multisplit can read",
    note = "give a slice, a `Vec`, a fixed array or a `multisplit::Array`"
)]
pub trait Elements: sealed::Elements {
    /// The element type.
    type Item: Pod;
    /// The location: [`Host`] or [`Device`].
    type Place: Place;

    #[doc(hidden)]
    fn count(&self) -> u64;

    /// The elements as a device array; uploads them if necessary.
    #[doc(hidden)]
    fn on_device(&self, context: &Context, name: &str) -> Result<Array<Self::Item>>;

    /// The elements, if they are on the host.
    #[doc(hidden)]
    fn on_host(&self) -> Option<&[Self::Item]> {
        None
    }

    /// A range of the elements as a separate array, or the array itself if the range covers all of it.
    #[doc(hidden)]
    fn part(&self, context: &Context, name: &str, range: Range<u64>) -> Result<Array<Self::Item>>;
}

/// Location of arrays: [`Host`] or [`Device`].
pub trait Place: sealed::Place {
    /// The type that a call returns for an array of `T`.
    type Array<T: Pod>;

    /// Whether [`Elements::on_device`] returns the caller's own array, which must not be modified.
    #[doc(hidden)]
    const BORROWED: bool;

    /// Moves a result on the device to this location.
    #[doc(hidden)]
    fn take<T: Pod>(context: &Context, array: Array<T>) -> Result<Self::Array<T>>;

    /// Moves a result on the host to this location.
    #[doc(hidden)]
    fn put<T: Pod>(context: &Context, elements: Vec<T>) -> Result<Self::Array<T>>;
}

mod sealed {
    pub trait Elements {}
    pub trait Place {}
}

/// Arrays in host memory.
#[derive(Clone, Copy, Debug)]
pub enum Host {}

/// Arrays in device memory.
#[derive(Clone, Copy, Debug)]
pub enum Device {}

impl sealed::Place for Host {}

impl Place for Host {
    type Array<T: Pod> = Vec<T>;
    const BORROWED: bool = false;

    fn take<T: Pod>(context: &Context, array: Array<T>) -> Result<Vec<T>> {
        context.download(&array)
    }

    fn put<T: Pod>(_: &Context, elements: Vec<T>) -> Result<Vec<T>> {
        Ok(elements)
    }
}

impl sealed::Place for Device {}

impl Place for Device {
    type Array<T: Pod> = Array<T>;
    const BORROWED: bool = true;

    fn take<T: Pod>(_: &Context, array: Array<T>) -> Result<Array<T>> {
        Ok(array)
    }

    fn put<T: Pod>(context: &Context, elements: Vec<T>) -> Result<Array<T>> {
        context.upload(&elements)
    }
}

macro_rules! host_elements {
    ($($ty:ty $(, $n:ident)?;)*) => {$(
        impl<T: Pod $(, const $n: usize)?> sealed::Elements for $ty {}

        impl<T: Pod $(, const $n: usize)?> Elements for $ty {
            type Item = T;
            type Place = Host;

            fn count(&self) -> u64 {
                self.len() as u64
            }

            fn on_device(&self, context: &Context, name: &str) -> Result<Array<T>> {
                context.upload_named(name, self)
            }

            fn on_host(&self) -> Option<&[T]> {
                Some(self)
            }

            fn part(&self, context: &Context, name: &str, range: Range<u64>) -> Result<Array<T>> {
                context.upload_named(name, &self[range.start as usize..range.end as usize])
            }
        }
    )*};
}

host_elements! {
    [T];
    [T; N], N;
    Vec<T>;
    Box<[T]>;
}

impl<T: Pod> sealed::Elements for Array<T> {}

impl<T: Pod> Elements for Array<T> {
    type Item = T;
    type Place = Device;

    fn count(&self) -> u64 {
        self.len
    }

    fn on_device(&self, context: &Context, _: &str) -> Result<Self> {
        self.buffer.check_device(&context.device)?;
        Ok(self.clone())
    }

    fn part(&self, context: &Context, name: &str, range: Range<u64>) -> Result<Self> {
        if range == (0..self.len) {
            return self.on_device(context, name);
        }
        // A range may start at an offset that violates the binding alignment, so it is copied through the host.
        context.upload_named(name, &context.download_range(self, range)?)
    }
}

impl<A: Elements + ?Sized> sealed::Elements for &A {}

impl<A: Elements + ?Sized> Elements for &A {
    type Item = A::Item;
    type Place = A::Place;

    fn count(&self) -> u64 {
        (**self).count()
    }

    fn on_device(&self, context: &Context, name: &str) -> Result<Array<Self::Item>> {
        (**self).on_device(context, name)
    }

    fn on_host(&self) -> Option<&[Self::Item]> {
        (**self).on_host()
    }

    fn part(&self, context: &Context, name: &str, range: Range<u64>) -> Result<Array<Self::Item>> {
        (**self).part(context, name, range)
    }
}
