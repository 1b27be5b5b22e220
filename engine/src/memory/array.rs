//! Arrays in device memory, and the traits that let calls accept either host slices or device arrays. Only the
//! signatures of calls are generic. Their implementations use types whose element type is known only at run time
//! ([`AnyArray`], [`Input`], [`Output`]).

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;
use bytemuck::allocation::try_zeroed_vec;
use multisplit_graph::ElementType;

use super::budget::out_of_memory;
use super::buffer::{Buffer, Location};
use crate::device::Context;
use crate::error::{Error, Result};

/// An array of `T` in device memory. It is created by calls such as [`Context::upload`], [`Context::zeroed`] and
/// [`uninit`](Self::uninit), or by a call whose inputs are device arrays. Clones share the memory, which is freed when
/// all of them have been dropped.
///
/// All submissions by the library that use an array are ordered. Each of them observes the writes of earlier ones.
pub struct Array<T> {
    any: AnyArray,
    elements: PhantomData<fn() -> T>,
}

/// An array in device memory whose element type is known only at run time.
#[derive(Clone)]
pub struct AnyArray {
    buffer: Buffer,
    len: u64,
    element: ElementType,
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        Self { any: self.any.clone(), elements: PhantomData }
    }
}

impl<T> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array<{}>({})", std::any::type_name::<T>(), self.any.len)
    }
}

/// Minimum size of an array's buffer in bytes. Vulkan does not support empty buffers, and kernels read up to 16 bytes at
/// a time.
const MIN_BYTES: u64 = 16;

impl<T> Array<T> {
    /// Number of elements.
    pub fn len(&self) -> u64 {
        self.any.len
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.any.len == 0
    }

    /// The Vulkan buffer. It is valid until the array and all its clones have been dropped.
    pub fn raw(&self) -> ash::vk::Buffer {
        self.any.buffer.raw()
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.any.buffer
    }

    pub(crate) fn any(&self) -> &AnyArray {
        &self.any
    }
}

impl<T: Pod> Array<T> {
    /// Creates an array with undefined contents, which passes must write. The name appears in error messages and
    /// debuggers.
    pub fn uninit(context: &Context, name: &str, len: u64) -> Result<Self> {
        AnyArray::uninit(context, name, ElementType::of::<T>(), len).map(Self::of)
    }

    pub(crate) fn of(any: AnyArray) -> Self {
        debug_assert_eq!(any.element, ElementType::of::<T>());
        Self { any, elements: PhantomData }
    }
}

impl AnyArray {
    pub(crate) fn uninit(
        context: &Context,
        name: &str,
        element: ElementType,
        len: u64,
    ) -> Result<Self> {
        let bytes = bytes_of(element);
        let (what, limit) = ("length of an array", u64::MAX / bytes.max(1));
        let size = len.checked_mul(bytes).ok_or(Error::TooLarge { what, asked: len, limit })?;
        // Kernels read elements of 8 and 16 bits as 32-bit words, so the last word must be complete. `Work` imports an
        // empty array as an array with one element.
        let size = size.max(MIN_BYTES).max(bytes);
        let size = size.checked_next_multiple_of(4).unwrap_or(u64::MAX);
        let buffer = Buffer::new(&context.device, name, size, Location::Device)?;
        Ok(Self { buffer, len, element })
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn element(&self) -> ElementType {
        self.element
    }

    /// Bytes per element.
    pub(crate) fn element_bytes(&self) -> u64 {
        bytes_of(self.element)
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The first `len` elements, in the same memory.
    pub(crate) fn truncated(self, len: u64) -> Self {
        Self { len: self.len.min(len), ..self }
    }
}

fn bytes_of(element: ElementType) -> u64 {
    element.bytes().unwrap_or(1).into()
}

/// An array on the host (a slice, `Vec` or fixed-size array) or on the device ([`Array`]).
///
/// A call with host arrays returns `Vec`s. A call with device arrays returns [`Array`]s. It does not transfer their
/// elements to the host, except that some operations process arrays that exceed one plan in parts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array that multisplit can read",
    note = "give a slice, a `Vec`, a fixed array or a `multisplit::Array`"
)]
pub trait Elements: sealed::Elements {
    /// The element type.
    type Item: Pod;
    /// The memory that contains the array: [`Host`] or [`Device`].
    type Place: Place;

    #[doc(hidden)]
    fn input(&self) -> Input<'_>;
}

/// The elements that a call reads.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// On the host.
    Host {
        /// Type of the elements.
        element: ElementType,
        /// Number of elements.
        len: u64,
        /// The elements.
        bytes: &'a [u8],
    },
    /// On the device.
    Device(&'a AnyArray),
}

impl<'a> Input<'a> {
    pub(crate) fn host<T: Pod>(elements: &'a [T]) -> Self {
        let (element, len) = (ElementType::of::<T>(), elements.len() as u64);
        Self::Host { element, len, bytes: bytemuck::cast_slice(elements) }
    }

    pub(crate) fn len(self) -> u64 {
        match self {
            Self::Host { len, .. } => len,
            Self::Device(array) => array.len,
        }
    }

    pub(crate) fn element(self) -> ElementType {
        match self {
            Self::Host { element, .. } => element,
            Self::Device(array) => array.element,
        }
    }

    /// Bytes per element.
    pub(crate) fn element_bytes(self) -> u64 {
        bytes_of(self.element())
    }

    /// The elements as bytes, if they are on the host.
    pub(crate) fn on_host(self) -> Option<&'a [u8]> {
        match self {
            Self::Host { bytes, .. } => Some(bytes),
            Self::Device(_) => None,
        }
    }

    /// Whether [`on_device`](Self::on_device) returns an array that belongs to the caller and must not be modified.
    pub(crate) fn is_borrowed(self) -> bool {
        matches!(self, Self::Device(_))
    }

    /// The elements as a device array. Host elements are uploaded.
    pub(crate) fn on_device(self, context: &Context, name: &str) -> Result<AnyArray> {
        match self {
            Self::Host { element, len, bytes } => {
                let array = AnyArray::uninit(context, name, element, len)?;
                context.write_bytes(&array.buffer, 0, bytes)?;
                Ok(array)
            }
            Self::Device(array) => {
                array.buffer.check_device(&context.device)?;
                Ok(array.clone())
            }
        }
    }

    /// A range of the elements, if they are on the host; otherwise `None`.
    pub(crate) fn slice(self, range: Range<u64>) -> Option<Self> {
        let (bytes, each) = (self.on_host()?, self.element_bytes());
        let within = (range.start * each) as usize..(range.end * each) as usize;
        let (element, len) = (self.element(), range.end - range.start);
        Some(Self::Host { element, len, bytes: &bytes[within] })
    }

    /// A range of the elements as a separate device array. A device array is not copied if the range covers all its
    /// elements.
    pub(crate) fn part(self, context: &Context, name: &str, range: Range<u64>) -> Result<AnyArray> {
        if range == (0..self.len()) {
            return self.on_device(context, name);
        }
        if let Some(slice) = self.slice(range.clone()) {
            return slice.on_device(context, name);
        }
        // The start of the range might not be a valid binding offset, so the range is copied through the host.
        let (array, element) = (self.on_device(context, name)?, self.element());
        let bytes = context.read_range(&array, range.clone())?;
        Input::Host { element, len: range.end - range.start, bytes: &bytes }
            .on_device(context, name)
    }
}

/// Result of a call: a device array, or host elements to which the call appended the results of parts.
pub struct Output<T> {
    host: Vec<T>,
    device: Option<AnyArray>,
}

impl<T> Default for Output<T> {
    fn default() -> Self {
        Self { host: Vec::new(), device: None }
    }
}

impl<T, A: Into<Option<AnyArray>>> From<A> for Output<T> {
    fn from(array: A) -> Self {
        Self { host: Vec::new(), device: array.into() }
    }
}

/// An [`Output`] whose element type is known only at run time.
pub(crate) trait AnyOutput {
    /// Sets the result to a device array.
    fn set(&mut self, array: AnyArray);

    /// Bytes per element.
    fn element_bytes(&self) -> usize;

    /// The elements on the host, as bytes.
    fn bytes(&mut self) -> &mut [u8];

    /// Appends this many zero bytes to the elements on the host. Errors contain `name`.
    fn grow(&mut self, name: &str, bytes: u64) -> Result<()>;

    /// Shortens the elements on the host to this many bytes.
    fn truncate(&mut self, bytes: usize);
}

impl<T: Pod> AnyOutput for Output<T> {
    fn set(&mut self, array: AnyArray) {
        self.device = Some(array);
    }

    fn element_bytes(&self) -> usize {
        size_of::<T>()
    }

    fn bytes(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.host)
    }

    fn grow(&mut self, name: &str, bytes: u64) -> Result<()> {
        let (len, more) = (self.host.len(), bytes as usize / size_of::<T>().max(1));
        if len == 0 {
            self.host = zeroed(name, more as u64)?;
            return Ok(());
        }
        self.host.try_reserve(more).map_err(|_| no_host_memory(name, bytes))?;
        self.host.resize(len + more, T::zeroed());
        Ok(())
    }

    fn truncate(&mut self, bytes: usize) {
        self.host.truncate(bytes / size_of::<T>().max(1));
    }
}

/// Allocates zeroed host memory for the download of `len` elements of the buffer `name`. Returns an error if the memory
/// is not available, because a device array may be larger than the host's memory. Large allocations are pages that the
/// system provides zeroed, so they are not cleared again.
pub(super) fn zeroed<T: Pod>(name: &str, len: u64) -> Result<Vec<T>> {
    let made = usize::try_from(len).map_err(|_| ()).and_then(try_zeroed_vec);
    made.map_err(|()| no_host_memory(name, len.saturating_mul(size_of::<T>() as u64)))
}

fn no_host_memory(name: &str, size: u64) -> Error {
    out_of_memory(name, size, &"not enough host memory for the download")
}

impl dyn AnyOutput + '_ {
    /// Number of elements on the host.
    pub(crate) fn len(&mut self) -> usize {
        let each = self.element_bytes();
        self.bytes().len() / each.max(1)
    }

    /// Element `index` on the host, as bytes.
    pub(crate) fn element(&mut self, index: usize) -> &mut [u8] {
        let each = self.element_bytes();
        &mut self.bytes()[index * each..][..each]
    }

    /// Removes element `index` on the host, and returns it.
    pub(crate) fn remove(&mut self, index: usize) -> Vec<u8> {
        let (each, end) = (self.element_bytes(), self.bytes().len());
        let removed = self.element(index).to_vec();
        self.bytes().copy_within((index + 1) * each.., index * each);
        self.truncate(end - each);
        removed
    }

    pub(crate) fn insert(&mut self, index: usize, element: &[u8]) -> Result<()> {
        self.extend(element)?;
        self.bytes()[index * element.len()..].rotate_right(element.len());
        Ok(())
    }

    /// Appends elements on the host.
    pub(crate) fn extend(&mut self, bytes: &[u8]) -> Result<()> {
        let begin = self.bytes().len();
        self.grow("results", bytes.len() as u64)?;
        self.bytes()[begin..].copy_from_slice(bytes);
        Ok(())
    }
}

/// The memory in which the arrays of a call are stored: [`Host`] or [`Device`].
pub trait Place: sealed::Place {
    /// The type that a call returns for an array of `T`.
    type Array<T: Pod>;

    /// Moves a result to this memory, if it is not there.
    #[doc(hidden)]
    fn take<T: Pod>(context: &Context, output: impl Into<Output<T>>) -> Result<Self::Array<T>>;
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

    fn take<T: Pod>(context: &Context, output: impl Into<Output<T>>) -> Result<Vec<T>> {
        match output.into() {
            Output { device: Some(array), .. } => context.download(&Array::of(array)),
            Output { host, .. } => Ok(host),
        }
    }
}

impl sealed::Place for Device {}

impl Place for Device {
    type Array<T: Pod> = Array<T>;

    fn take<T: Pod>(context: &Context, output: impl Into<Output<T>>) -> Result<Array<T>> {
        match output.into() {
            Output { device: Some(array), .. } => Ok(Array::of(array)),
            Output { host, .. } => context.upload(&host),
        }
    }
}

macro_rules! elements {
    ($($ty:ty $(, $n:ident)?: $place:ty, $elements:ident => $input:expr;)*) => {$(
        impl<T: Pod $(, const $n: usize)?> sealed::Elements for $ty {}

        impl<T: Pod $(, const $n: usize)?> Elements for $ty {
            type Item = T;
            type Place = $place;

            fn input(&self) -> Input<'_> {
                let $elements = self;
                $input
            }
        }
    )*};
}

elements! {
    [T]: Host, slice => Input::host(slice);
    [T; N], N: Host, array => Input::host(array);
    Vec<T>: Host, vector => Input::host(vector);
    Box<[T]>: Host, slice => Input::host(slice);
    Array<T>: Device, array => Input::Device(&array.any);
}

impl<A: Elements + ?Sized> sealed::Elements for &A {}

impl<A: Elements + ?Sized> Elements for &A {
    type Item = A::Item;
    type Place = A::Place;

    fn input(&self) -> Input<'_> {
        (**self).input()
    }
}
