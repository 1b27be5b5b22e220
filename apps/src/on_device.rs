//! Arrays that lie on the device between reading and writing: brought there from memory or straight
//! from a file, and taken from there to memory or straight into a file.

use anyhow::Result;
use bytemuck::Pod;
use multisplit::{Array, Context};

use crate::formats::Data;
use crate::inputs::Elements;
use crate::phase;

/// Brings elements to the device. `T` has as many bytes as each of them.
pub fn upload<T: Pod>(context: &Context, elements: &Elements) -> Result<Array<T>> {
    let _span = tracing::info_span!("upload", elements = elements.len() as u64).entered();
    phase::timed("reading and uploading", || match elements {
        Elements::Memory(data) => {
            let bytes = data.bytes();
            context.upload_with(elements.len() as u64, |first, chunk: &mut [T]| {
                let begin = first as usize * size_of::<T>();
                let chunk: &mut [u8] = bytemuck::cast_slice_mut(chunk);
                chunk.copy_from_slice(&bytes[begin..begin + chunk.len()]);
                Ok(())
            })
        }
        Elements::File(file) => context.upload_with(file.len() as u64, |first, chunk: &mut [T]| {
            Ok(file.read(first, bytemuck::cast_slice_mut(chunk))?)
        }),
    })
}

/// Some of the elements, in memory. `T` has as many bytes as each of them.
pub fn elements_of<T: Pod>(elements: &Elements, first: u64, len: usize) -> Result<Vec<T>> {
    let mut some = vec![T::zeroed(); len];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut some);
    match elements {
        Elements::Memory(data) => {
            let begin = first as usize * size_of::<T>();
            bytes.copy_from_slice(&data.bytes()[begin..begin + bytes.len()]);
        }
        Elements::File(file) => file.read(first, bytes)?,
    }
    Ok(some)
}

/// What is done with a part of an array on its way to the host: it is given the index of the first
/// element, and the bytes.
pub type Drain<'d> = dyn Fn(u64, &[u8]) -> Result<()> + Sync + 'd;

/// An array on the device, of whatever type.
pub trait DeviceArray {
    /// How many elements.
    fn count(&self) -> usize;

    /// Bytes of an element.
    fn element_bytes(&self) -> usize;

    /// Gives `drain` all elements, from several threads.
    fn drain(&self, context: &Context, drain: &Drain<'_>) -> Result<()>;

    /// The elements in memory.
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

/// Elements that a job has moved: on the host, or still on the device.
pub enum Moved {
    Host(Data),
    Device(Context, Box<dyn DeviceArray>),
}

impl Moved {
    /// An array that is still on the device.
    pub fn device<T: Pod>(context: &Context, array: Array<T>) -> Self {
        Self::Device(context.clone(), Box::new(array))
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        match self {
            Self::Host(data) => data.len(),
            Self::Device(_, array) => array.count(),
        }
    }

    /// The elements in memory.
    pub fn load(self) -> Result<Data> {
        match self {
            Self::Host(data) => Ok(data),
            Self::Device(context, array) => array.download(&context),
        }
    }
}
