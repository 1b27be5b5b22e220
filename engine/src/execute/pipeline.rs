//! Compute pipelines: a kernel with its specialization constants, in the variant that the device needs.

use std::borrow::Cow;
use std::ffi::CString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::vk;
use multisplit_shaders::Kernel;
use multisplit_shaders::address::by_address;
use multisplit_shaders::freeze::{frozen, rolled};
use multisplit_shaders::prune::pruned;
use multisplit_shaders::reconvergence::{Reconvergence, with_reconvergence};
use multisplit_shaders::subgroup_barriers::with_memory_barriers;

use crate::device::Device;
use crate::error::{Error, Result, VkResultExt};
use crate::execute::kernel_check::{check_kernel, check_subgroups, uses_subgroups, value_of};
use crate::execute::layout::Layouts;
use crate::execute::{BufferAccess, SubgroupBarriers};

/// PCI vendor id that SwiftShader reports. This driver takes minutes to compile some kernels, unless specialization
/// constants are replaced by their values and unroll hints are removed.
const SWIFTSHADER: u32 = 0x1AE0;

/// A compute pipeline with its layouts. Owned by the [`PipelineStore`].
pub(crate) struct Pipeline {
    pub raw: vk::Pipeline,
    pub layout: vk::PipelineLayout,
    pub set_layout: vk::DescriptorSetLayout,
    /// Keeps the kernel alive. The store uses the kernel's address as key, so the address must not be reused.
    pub kernel: Arc<Kernel>,
}

impl Pipeline {
    /// Creates the pipeline. Also returns the time that the driver took.
    pub fn create(
        device: &Device,
        kernel: &Arc<Kernel>,
        specialization: &[(u32, u32)],
        adaptation: Adaptation,
        cache: vk::PipelineCache,
    ) -> Result<(Self, Duration)> {
        check_kernel(device, kernel, specialization, adaptation.barriers)?;
        let layouts = Layouts::new(device, kernel, adaptation.access)?;
        let mut spirv = match adaptation.access {
            BufferAccess::Addresses => {
                let rewritten = by_address(kernel.spirv_for_addresses(), kernel.interface());
                Cow::Owned(rewritten.map_err(|error| {
                    Error::kernel(kernel, format!("cannot access its buffers by address: {error}"))
                })?)
            }
            BufferAccess::Pushed | BufferAccess::Sets => Cow::Borrowed(kernel.spirv()),
        };
        if !kernel.is_foreign() {
            let value_of = |id| value_of(specialization, id);
            if device.properties.vendor_id == SWIFTSHADER {
                spirv = Cow::Owned(rolled(&frozen(&spirv, value_of)));
            }
            spirv = Cow::Owned(pruned(&spirv, value_of));
        }
        if adaptation.barriers == SubgroupBarriers::Replaced {
            spirv = with_memory_barriers(&spirv).map_or(spirv, Cow::Owned);
        }
        if let Some(mode) = reconvergence(device, kernel) {
            spirv = Cow::Owned(with_reconvergence(&spirv, mode).map_err(|error| {
                Error::kernel(kernel, format!("cannot declare reconvergence: {error}"))
            })?);
        }
        #[cfg(feature = "broken-plans")]
        let spirv = super::broken_kernel::broken(kernel.label(), &spirv).map_or(spirv, Cow::Owned);
        let begin = Instant::now();
        let raw = create_raw(device, kernel, specialization, (layouts.layout, &spirv), cache)?;
        let elapsed = begin.elapsed();
        tracing::debug!(kernel = kernel.label(), words = spirv.len(), ?elapsed, "created pipeline");
        device.name_object(raw, kernel.label());
        let (layout, set_layout) = layouts.into_handles();
        Ok((Self { raw, layout, set_layout, kernel: kernel.clone() }, elapsed))
    }

    /// Destroys the pipeline and its layouts.
    ///
    /// # Safety
    /// The pipeline is no longer in use.
    pub unsafe fn destroy(&self, device: &Device) {
        let callbacks = device.callbacks();
        // SAFETY: the caller guarantees that the pipeline is no longer in use.
        unsafe {
            device.raw.destroy_pipeline(self.raw, callbacks);
            device.raw.destroy_pipeline_layout(self.layout, callbacks);
            device.raw.destroy_descriptor_set_layout(self.set_layout, callbacks);
        }
    }
}

/// Adaptation of a kernel to a device: its method of accessing buffers, and its treatment of `subgroupBarrier()`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Adaptation {
    pub access: BufferAccess,
    pub barriers: SubgroupBarriers,
}

/// Reconvergence mode that the engine adds to a kernel. Foreign modules declare their own.
fn reconvergence(device: &Device, kernel: &Kernel) -> Option<Reconvergence> {
    let features = &device.features;
    if kernel.is_foreign() || !uses_subgroups(kernel) {
        None
    } else if features.shader_maximal_reconvergence {
        Some(Reconvergence::Maximal)
    } else if features.shader_subgroup_uniform_control_flow {
        Some(Reconvergence::UniformControlFlow)
    } else {
        None
    }
}

fn create_raw(
    device: &Device,
    kernel: &Kernel,
    specialization: &[(u32, u32)],
    (layout, spirv): (vk::PipelineLayout, &[u32]),
    cache: vk::PipelineCache,
) -> Result<vk::Pipeline> {
    let interface = kernel.interface();
    let workgroup = interface.workgroup_size(|id| value_of(specialization, id));
    check_subgroups(device, workgroup, kernel)?;
    let (required_size, full) = subgroup_control(device, workgroup, kernel)?;
    let versioned = (full == FullSubgroups::ByModule).then(|| full_subgroups_by_module(spirv));
    let module_info =
        vk::ShaderModuleCreateInfo::default().code(versioned.as_deref().unwrap_or(spirv));
    // SAFETY: the SPIR-V was reflected successfully, so its structure is valid.
    let module = unsafe { device.raw.create_shader_module(&module_info, device.callbacks()) }
        .during("vkCreateShaderModule")?;

    let entries = (0..).step_by(4).zip(specialization).map(|(offset, (id, _))| {
        vk::SpecializationMapEntry::default().constant_id(*id).offset(offset).size(4)
    });
    let entries: Vec<_> = entries.collect();
    let data: Vec<u8> = specialization.iter().flat_map(|(_, value)| value.to_ne_bytes()).collect();
    let specialization_info = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
    let entry_point = CString::new(interface.entry_point.as_str()).unwrap_or_default();
    let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
        .required_subgroup_size(device.properties.subgroup_size);
    let mut stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(&entry_point)
        .flags(match full {
            FullSubgroups::ByFlag => vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS,
            FullSubgroups::ByModule | FullSubgroups::No => Default::default(),
        })
        .specialization_info(&specialization_info);
    if required_size {
        stage = stage.push_next(&mut required);
    }
    let flags = match device.executables {
        Some(_) => vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR,
        None => vk::PipelineCreateFlags::empty(),
    };
    let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).flags(flags);
    // SAFETY: all referenced objects are alive during the call.
    let created =
        unsafe { device.raw.create_compute_pipelines(cache, &[info], device.callbacks()) };
    // SAFETY: the module is not needed after pipeline creation.
    unsafe { device.raw.destroy_shader_module(module, device.callbacks()) };
    const CALL: &str = "vkCreateComputePipelines";
    match created.map_err(|(_, result)| result) {
        // Some drivers report success without a pipeline.
        Ok(pipelines) => match pipelines.first() {
            Some(&pipeline) if pipeline != vk::Pipeline::null() => Ok(pipeline),
            _ => Err(Error::pipeline(kernel, vk::Result::ERROR_UNKNOWN)),
        },
        Err(result @ vk::Result::ERROR_DEVICE_LOST) => Err(Error::Vulkan { call: CALL, result }),
        Err(result) => Err(Error::pipeline(kernel, result)),
    }
}

/// The mechanism that guarantees full subgroups.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FullSubgroups {
    /// The pipeline flag, which needs `computeFullSubgroups`.
    ByFlag,
    /// The version of the module: since SPIR-V 1.6, subgroups are full if the workgroup size is a multiple of the
    /// subgroup size.
    ByModule,
    /// Full subgroups are neither guaranteed nor needed.
    No,
}

/// Returns whether to request the device's default subgroup size, and the mechanism that guarantees full subgroups.
/// Built-in kernels rely on full subgroups.
fn subgroup_control(
    device: &Device,
    workgroup: [u32; 3],
    kernel: &Kernel,
) -> Result<(bool, FullSubgroups)> {
    let (properties, features) = (&device.properties, &device.features);
    let uses_subgroups = uses_subgroups(kernel);
    let threads = workgroup.into_iter().fold(1, u32::saturating_mul);
    let (min, max) = properties.subgroup_size_range;
    let required = uses_subgroups
        && features.subgroup_size_control
        // VUID-VkPipelineShaderStageCreateInfo-pNext-02756
        && threads <= properties.subgroup_size.saturating_mul(properties.max_workgroup_subgroups)
        && properties.required_size_stages.contains(vk::ShaderStageFlags::COMPUTE)
        && (min..=max).contains(&properties.subgroup_size);
    // SPIR-V 1.6 also allows the driver to vary the subgroup size. This version is therefore declared only if the
    // device has a single size or a size is requested.
    let by_module = device.api_version >= vk::API_VERSION_1_3 && (required || min == max);
    // VUID-VkPipelineShaderStageCreateInfo-flags-02759 and pNext-02757: x must be a multiple of the subgroup size.
    let whole_subgroups = uses_subgroups && workgroup[0].is_multiple_of(properties.subgroup_size);
    let full = match whole_subgroups {
        true if features.compute_full_subgroups => FullSubgroups::ByFlag,
        true if kernel.is_built_in() && by_module => FullSubgroups::ByModule,
        true if kernel.is_built_in() => {
            let problem = "needs full subgroups; enable the device feature computeFullSubgroups";
            return Err(Error::kernel(kernel, problem));
        }
        _ => FullSubgroups::No,
    };
    Ok((required, full))
}

/// Sets the version of the module to SPIR-V 1.6, which includes all features of 1.5 that the kernels use.
fn full_subgroups_by_module(spirv: &[u32]) -> Vec<u32> {
    const VERSION_1_6: u32 = 0x0001_0600;
    let mut words = spirv.to_vec();
    if let Some(version) = words.get_mut(1) {
        *version = VERSION_1_6.max(*version);
    }
    words
}
