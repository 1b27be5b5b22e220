//! The driver's statistics of compiled pipelines: registers, spills, shared memory.

use ash::vk;

use crate::device::context::Context;
use crate::device::shared::Device;
use crate::execute::pipeline::Pipeline;
use crate::execute::pipeline_store::PipelineStore;

/// One statistic of one pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineStatistic {
    /// Number of the pipeline. Statistics of one pipeline have the same number and are consecutive.
    pub pipeline: usize,
    /// Label of the kernel.
    pub kernel: String,
    /// Name of the statistic, as reported by the driver.
    pub name: String,
    /// Value of the statistic.
    pub value: String,
}

impl Context {
    /// The driver's statistics of all pipelines; empty unless
    /// [`Config::pipeline_statistics`](crate::Config::pipeline_statistics) was set and the device supports
    /// `VK_KHR_pipeline_executable_properties`.
    pub fn pipeline_statistics(&self) -> Vec<PipelineStatistic> {
        let mut all = Vec::new();
        if let Ok(pipelines) = PipelineStore::of(&self.device) {
            let mut number = 0;
            pipelines.for_each(|pipeline| {
                all.extend(of_pipeline(&self.device, pipeline, number));
                number += 1;
            });
        }
        all.sort_by(|a, b| a.kernel.cmp(&b.kernel));
        all
    }
}

fn of_pipeline(device: &Device, pipeline: &Pipeline, number: usize) -> Vec<PipelineStatistic> {
    let Some(functions) = &device.executables else { return Vec::new() };
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline.raw);
    // SAFETY: a live pipeline, on a device with the extension.
    let parts = unsafe { functions.get_pipeline_executable_properties(&info) }.unwrap_or_default();
    let figures = (0..parts.len() as u32).flat_map(|part| {
        let info =
            vk::PipelineExecutableInfoKHR::default().pipeline(pipeline.raw).executable_index(part);
        // SAFETY: the pipeline was created with CAPTURE_STATISTICS and has this many executables.
        unsafe { functions.get_pipeline_executable_statistics(&info) }.unwrap_or_default()
    });
    let statistic = |figure: vk::PipelineExecutableStatisticKHR<'_>| PipelineStatistic {
        pipeline: number,
        kernel: pipeline.kernel.label().to_owned(),
        name: figure
            .name_as_c_str()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        value: value(&figure),
    };
    figures.map(statistic).collect()
}

fn value(figure: &vk::PipelineExecutableStatisticKHR<'_>) -> String {
    // SAFETY: `format` identifies the valid member of the union.
    unsafe {
        match figure.format {
            vk::PipelineExecutableStatisticFormatKHR::BOOL32 => (figure.value.b32 != 0).to_string(),
            vk::PipelineExecutableStatisticFormatKHR::INT64 => figure.value.i64.to_string(),
            vk::PipelineExecutableStatisticFormatKHR::UINT64 => figure.value.u64.to_string(),
            vk::PipelineExecutableStatisticFormatKHR::FLOAT64 => figure.value.f64.to_string(),
            _ => String::new(),
        }
    }
}
