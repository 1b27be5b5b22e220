//! Opened devices, the list of devices, and transfers of arrays.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use multisplit::{
    Config, Context, DeviceChoice, DeviceProperties, PipelineCache, ValidationConfig,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{Element, HostArray, Kind};
use crate::buffer::{Buffer, Data, with_any};
use crate::canonical;
use crate::error::{self, Raise, Stop};
use crate::process::OfProcess;
use crate::signals::Signals;

/// An opened device. Contains no context after it has been closed.
#[pyclass(frozen, module = "multisplit._native")]
pub(crate) struct Engine {
    context: OfProcess<Mutex<Option<Context>>>,
}

impl Engine {
    /// The device, which stays open while the result exists. Fails after [`close`](Self::close), and in a forked
    /// process.
    pub fn context(&self) -> PyResult<Context> {
        let held = self.context.get()?.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone().ok_or_else(error::closed)
    }

    /// Runs `work` on the device with the GIL released.
    pub fn run<T: Send, E: Raise + Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Context) -> Result<T, E> + Send,
    ) -> PyResult<T> {
        let context = self.context()?;
        py.detach(|| work(&context)).map_err(Raise::raised)
    }
}

#[pymethods]
impl Engine {
    /// Opens a device: `device` is an index, a part of a name or `software`; `None` means [`DeviceChoice::Auto`].
    #[new]
    #[pyo3(signature = (device, memory_limit, validation, cache))]
    fn open(
        py: Python<'_>,
        device: Option<String>,
        memory_limit: Option<u64>,
        validation: bool,
        cache: Option<PathBuf>,
    ) -> PyResult<Self> {
        let device = match device {
            None => DeviceChoice::Auto,
            Some(name) if name == "software" => DeviceChoice::Software,
            Some(name) => DeviceChoice::Named(name),
        };
        let pipeline_cache = cache.map_or(PipelineCache::UserFolder, PipelineCache::Folder);
        let validation = validation.then(ValidationConfig::default);
        let config =
            Config { device, memory_limit, validation, pipeline_cache, ..Config::default() };
        let context = py.detach(|| Context::open(&config)).map_err(|error| error::raise(&error))?;
        Ok(Self { context: OfProcess::new(Mutex::new(Some(context))) })
    }

    /// Closes the device as soon as calls in other threads have finished and its arrays have been deleted.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let held = self.context.get()?;
        let context = held.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(context));
        Ok(())
    }

    /// Device properties reported by the driver, and `max_scan_row`.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let context = self.context()?;
        let described = describe(py, context.properties())?;
        described.set_item("max_scan_row", context.max_scan_row())?;
        Ok(described)
    }

    /// Takes the messages of the validation layer since the last call.
    fn messages(&self) -> PyResult<Vec<String>> {
        let messages = self.context()?.messages().take();
        Ok(messages.into_iter().map(|message| message.text).collect())
    }

    /// Copies an array to the device. With `canonical`, floats are uploaded with a single zero and a single
    /// NaN.
    fn upload(
        &self,
        py: Python<'_>,
        array: &Bound<'_, PyAny>,
        canonical: bool,
    ) -> PyResult<Buffer> {
        let array = HostArray::of(array)?;
        macro_rules! keys {
            ($rust:ty) => {{
                let keys = array.elements::<$rust>()?;
                let (array, differs) =
                    self.run(py, |gpu| canonical::upload(gpu, keys, canonical))?;
                Ok(Buffer::new(array, canonical || !differs).altered(canonical && differs))
            }};
        }
        match array.kind() {
            Kind::U8 => keys!(u8),
            Kind::I8 => keys!(i8),
            Kind::U16 => keys!(u16),
            Kind::I16 => keys!(i16),
            Kind::F16 => keys!(multisplit::half::f16),
            Kind::U32 => keys!(u32),
            Kind::I32 => keys!(i32),
            Kind::F32 => keys!(f32),
            Kind::U64 => keys!(u64),
            Kind::I64 => keys!(i64),
            Kind::F64 => keys!(f64),
            Kind::Wide => {
                let values = array.elements::<[u32; 4]>()?;
                Ok(Buffer::new(self.run(py, |gpu| canonical::upload_bits(gpu, values))?, true))
            }
        }
    }

    /// Fills an array with the elements of a buffer, from index `first` on. The array must have the type of the buffer.
    /// A buffer of `u32` may also be copied to an array of `i64`.
    fn download(
        &self,
        py: Python<'_>,
        buffer: &Buffer,
        first: u64,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let mut out = HostArray::of(out)?;
        let data = buffer.data()?;
        match (data, out.kind()) {
            (Data::U32(numbers), Kind::I64) => {
                self.read(py, (numbers, first), out.elements_mut::<i64>()?, |&number| number.into())
            }
            _ => with_any!(data, array => {
                self.read(py, (array, first), out.elements_mut()?, |&element| element)
            }),
        }
    }
}

impl Engine {
    fn read<T: Element, U: Element>(
        &self,
        py: Python<'_>,
        (array, begin): (&multisplit::Array<T>, u64),
        out: &mut [U],
        convert: impl Fn(&T) -> U + Sync + Send,
    ) -> PyResult<()> {
        let end = begin.checked_add(out.len() as u64).filter(|&end| end <= array.len());
        let end =
            end.ok_or_else(|| error::argument("the output is longer than the rest of the input"))?;
        let to = Target(out.as_mut_ptr());
        self.run(py, |gpu| {
            let (to, signals) = (&to, Signals::watch());
            gpu.download_with(array, begin..end, |first, chunk| {
                signals.check()?;
                // SAFETY: `first` is at least `begin`, so chunks are within `out`, and they do not overlap.
                let to = unsafe { to.part((first - begin) as usize, chunk.len()) };
                for (to, from) in to.iter_mut().zip(chunk) {
                    *to = convert(from);
                }
                Ok::<(), Stop>(())
            })
        })
    }
}

/// Output of several threads, each of which writes a separate range.
struct Target<T>(*mut T);

// SAFETY: the ranges of two threads do not overlap.
unsafe impl<T: Send> Sync for Target<T> {}
// SAFETY: it points to the memory of an array that the caller holds.
unsafe impl<T: Send> Send for Target<T> {}

impl<T> Target<T> {
    /// # Safety
    /// The elements must be within the array, and nothing else may access them while the result exists.
    #[allow(clippy::mut_from_ref, reason = "threads write disjoint parts")]
    unsafe fn part(&self, first: usize, len: usize) -> &mut [T] {
        // SAFETY: by the caller's contract.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(first), len) }
    }
}

/// All Vulkan devices, including those that do not meet the requirements.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let found = py.detach(Context::devices).map_err(|error| error::raise(&error))?;
    let entry = |device: &multisplit::DeviceEntry| {
        let described = describe(py, &device.properties)?;
        described.set_item("index", device.index)?;
        described.set_item("missing", &device.missing)?;
        Ok(described)
    };
    found.iter().map(entry).collect()
}

fn describe<'py>(py: Python<'py>, properties: &DeviceProperties) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("name", &properties.name)?;
    described.set_item("kind", properties.kind())?;
    described.set_item("driver", &properties.driver)?;
    described.set_item("memory", properties.device_memory)?;
    described.set_item("subgroup_size", properties.subgroup_size)?;
    described.set_item("max_storage_range", properties.limits.max_storage_buffer_range)?;
    Ok(described)
}
