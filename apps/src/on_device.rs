//! Arrays on the device: uploaded from memory or directly from a file, and downloaded to memory or directly
//! into a file.

use anyhow::Result;
use bytemuck::Pod;
use multisplit::{Array, Context};

use crate::formats::Data;
use crate::inputs::Elements;
use crate::phase;

/// Uploads elements. `T` must have the size of an element.
pub fn upload<T: Pod>(context: &Context, elements: &Elements) -> Result<Array<T>> {
    let _span = tracing::info_span!("upload", elements = elements.len() as u64).entered();
    phase::timed("reading and uploading", || {
        context.upload_with(elements.len() as u64, |first, chunk: &mut [T]| {
            Ok(elements.read(first, bytemuck::cast_slice_mut(chunk))?)
        })
    })
}

/// Returns `len` elements, starting at element `first`. `T` must have the size of an element.
pub fn elements_of<T: Pod>(elements: &Elements, first: u64, len: usize) -> Result<Vec<T>> {
    let mut some = vec![T::zeroed(); len];
    elements.read(first, bytemuck::cast_slice_mut(&mut some))?;
    Ok(some)
}

/// Callback for one part of an array during a download. Receives the index of the first element and the
/// bytes.
pub type Drain<'d> = dyn Fn(u64, &[u8]) -> Result<()> + Sync + 'd;

/// An array on the device, of any type.
pub trait DeviceArray {
    fn count(&self) -> usize;

    fn element_bytes(&self) -> usize;

    /// Downloads all elements, and passes them to `drain` in parts, from several threads.
    fn drain(&self, context: &Context, drain: &Drain<'_>) -> Result<()>;

    fn download(&self, context: &Context) -> Result<Data>;
}

impl<T: Pod> DeviceArray for Array<T> {
    fn count(&self) -> usize {
        self.len() as usize
    }

    fn element_bytes(&self) -> usize {
        size_of::<T>()
    }

    fn drain(&self, context: &Context, drain: &Drain<'_>) -> Result<()> {
        context.download_with(self, 0..self.len(), |first, chunk: &[T]| {
            drain(first, bytemuck::cast_slice(chunk))
        })
    }

    fn download(&self, context: &Context) -> Result<Data> {
        Ok(Data::of(context.download(self)?))
    }
}

/// Evaluates `$body` with `$value` as a type of `$bytes` bytes: 4, 8 or 16, or 0 if there are no values. Any other
/// size makes the enclosing function return an error.
macro_rules! by_value_bytes {
    ($bytes:expr, $value:ident => $body:expr) => {
        match $bytes {
            0 | 4 => {
                type $value = u32;
                $body
            }
            8 => {
                type $value = u64;
                $body
            }
            16 => {
                type $value = [u32; 4];
                $body
            }
            bytes => anyhow::bail!("values must have 4, 8 or 16 bytes, not {bytes}"),
        }
    };
}
pub(crate) use by_value_bytes;

/// Elements that a command has moved, on the host or on the device.
pub enum Moved {
    Host(Data),
    Device(Context, Box<dyn DeviceArray>),
}

impl Moved {
    fn device<T: Pod>(context: &Context, array: Array<T>) -> Self {
        Self::Device(context.clone(), Box::new(array))
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Host(data) => data.len(),
            Self::Device(_, array) => array.count(),
        }
    }

    pub fn load(self) -> Result<Data> {
        match self {
            Self::Host(data) => Ok(data),
            Self::Device(context, array) => array.download(&context),
        }
    }
}

/// Keys that a command has moved, in the device's representation, and the values that moved with them.
pub struct MovedPairs {
    pub keys: Moved,
    pub values: Option<Moved>,
}

impl MovedPairs {
    pub fn device<K: Pod, V: Pod>(
        context: &Context,
        keys: Array<K>,
        values: Option<Array<V>>,
    ) -> Self {
        let values = values.map(|values| Moved::device(context, values));
        Self { keys: Moved::device(context, keys), values }
    }

    pub fn host<K: Pod>(keys: Vec<K>, values: Option<Data>) -> Self {
        Self { keys: Moved::Host(Data::of(keys)), values: values.map(Moved::Host) }
    }
}
