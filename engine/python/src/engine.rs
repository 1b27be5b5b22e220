//! Opened devices, the list of devices, and transfers of arrays.

use std::path::PathBuf;

use multisplit::{
    Config, Context, DeviceChoice, DeviceProperties, Error, PipelineCache, ValidationConfig,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{Element, HostArray, Kind};
use crate::buffer::{Buffer, Data, with_any};
use crate::canonical;
use crate::error;
use crate::process::OfProcess;

/// An opened device.
#[pyclass(frozen, module = "multisplit._native")]
pub(crate) struct Engine {
    context: OfProcess<Context>,
}

impl Engine {
    /// The device; fails in a forked process.
    pub fn context(&self) -> PyResult<&Context> {
        self.context.get()
    }

    /// Runs `work` on the device with the GIL released.
    pub fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Context) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let context = self.context()?;
        py.detach(|| work(context)).map_err(|error| error::raise(&error))
    }
}

#[pymethods]
impl Engine {
    /// Opens a device: `device` is an index, a part of a name or `software`; `None` selects the best.
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
        Ok(Self { context: OfProcess::new(context) })
    }

    /// Device properties, as reported by the driver.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        describe(py, self.context()?.properties())
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
                Ok(Buffer::new(self.run(py, |gpu| gpu.upload(values))?, true))
            }
        }
    }

    /// Copies a buffer into an array of the same length, with the same type or from 32 to 64 bits.
    fn download(&self, py: Python<'_>, buffer: &Buffer, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut out = HostArray::of(out)?;
        let data = buffer.data()?;
        match (data, out.kind()) {
            (Data::U32(numbers), Kind::I64) => {
                let out = out.elements_mut::<i64>()?;
                if out.len() as u64 != numbers.len() {
                    return Err(error::argument("the output must have the length of the input"));
                }
                let at = Target(out.as_mut_ptr());
                self.run(py, |gpu| {
                    gpu.download_with(numbers, 0..numbers.len(), |first, chunk| {
                        at.widen(first, chunk);
                        Ok::<(), Error>(())
                    })
                })
            }
            _ => with_any!(data, array => self.download_same(py, array, &mut out)),
        }
    }
}

impl Engine {
    fn download_same<T: Element>(
        &self,
        py: Python<'_>,
        array: &multisplit::Array<T>,
        out: &mut HostArray<'_>,
    ) -> PyResult<()> {
        let out = out.elements_mut::<T>()?;
        self.run(py, |gpu| gpu.download_into(array, out))
    }
}

/// Output of several threads, each of which writes a separate range.
struct Target(*mut i64);

// SAFETY: the ranges of two threads do not overlap.
unsafe impl Sync for Target {}
// SAFETY: it points to the memory of an array that the caller holds.
unsafe impl Send for Target {}

impl Target {
    fn widen(&self, first: u64, chunk: &[u32]) {
        // SAFETY: chunks are within the array, whose length was checked, and do not overlap.
        let to = unsafe { std::slice::from_raw_parts_mut(self.0.add(first as usize), chunk.len()) };
        for (to, &number) in to.iter_mut().zip(chunk) {
            *to = number.into();
        }
    }
}

/// All devices, usable or not.
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
