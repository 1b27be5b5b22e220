//! Checks of a kernel against the device, before the driver compiles it.

use ash::vk;
use multisplit_shaders::{BindingKind, Kernel};

use crate::device::shared::Device;
use crate::error::{Error, Result};
use crate::execute::subgroup_barriers::SubgroupBarriers;
use crate::words;

/// Maximum number of bindings of a kernel. Vulkan guarantees this many push descriptors, and this many descriptor
/// writes fit on the stack.
pub(crate) const MAX_BINDINGS: usize = 32;

/// Rejects a kernel that the device or this engine cannot run, with a message that names the reason.
pub(super) fn check_kernel(
    device: &Device,
    kernel: &Kernel,
    specialization: &[(u32, u32)],
    barriers: SubgroupBarriers,
) -> Result<()> {
    check_interface(device, kernel)?;
    check_subgroup_barriers(kernel, barriers)?;
    check_memory(device, kernel, specialization)
}

fn check_interface(device: &Device, kernel: &Kernel) -> Result<()> {
    let refuse =
        |problem: String| Err(Error::Kernel { kernel: kernel.label().to_owned(), problem });
    let interface = kernel.interface();
    if let Some(binding) = interface.bindings.iter().find(|b| b.set != 0) {
        return refuse(format!(
            "binding `{}` is in descriptor set {}; use set 0",
            binding.name, binding.set
        ));
    }
    if interface.bindings.len() > MAX_BINDINGS {
        return refuse(format!(
            "has {} bindings; at most {MAX_BINDINGS} are supported",
            interface.bindings.len()
        ));
    }
    let limits = &device.properties.limits;
    for (kind, name, limit) in [
        (BindingKind::Storage, "storage", limits.max_per_stage_descriptor_storage_buffers),
        (BindingKind::Uniform, "uniform", limits.max_per_stage_descriptor_uniform_buffers),
    ] {
        let count = interface.bindings.iter().filter(|b| b.kind == kind).count();
        if count > limit as usize {
            return refuse(format!(
                "has {count} {name} buffers, but the device supports at most {limit}"
            ));
        }
    }
    let operations = device.properties.subgroup_operations;
    for capability in &interface.capabilities {
        use vk::SubgroupFeatureFlags as Flags;
        let supported = match capability.as_str() {
            "Int64" => device.features.shader_int64,
            "Float64" => device.features.shader_float64,
            "GroupNonUniform" => operations.contains(Flags::BASIC),
            "GroupNonUniformVote" => operations.contains(Flags::VOTE),
            "GroupNonUniformArithmetic" => operations.contains(Flags::ARITHMETIC),
            "GroupNonUniformBallot" => operations.contains(Flags::BALLOT),
            "GroupNonUniformShuffle" => operations.contains(Flags::SHUFFLE),
            "GroupNonUniformShuffleRelative" => operations.contains(Flags::SHUFFLE_RELATIVE),
            "GroupNonUniformClustered" => operations.contains(Flags::CLUSTERED),
            "GroupNonUniformQuad" => operations.contains(Flags::QUAD),
            "Shader" | "Matrix" => true,
            // Built-in kernels are selected by the device's features, and the author of a foreign module is
            // responsible for its capabilities.
            _ => kernel.is_built_in() || kernel.is_foreign(),
        };
        if !supported {
            let label = kernel.label();
            let operation = match kernel.is_built_in() {
                true if label.contains("64") => {
                    format!("{} of 64-bit elements", words::operation(label))
                }
                true => words::operation(label),
                false => format!("kernel `{label}`"),
            };
            return Err(Error::MissingFeature {
                operation,
                feature: words::feature(capability),
                device: device.properties.name.clone(),
                enabled: !device.is_adopted(),
            });
        }
    }
    Ok(())
}

/// Rejects a kernel that needs subgroup barriers on a device without them.
fn check_subgroup_barriers(kernel: &Kernel, barriers: SubgroupBarriers) -> Result<()> {
    if barriers != SubgroupBarriers::Refused || !kernel.has_subgroup_barriers() {
        return Ok(());
    }
    let problem = "needs subgroupBarrier(), which this driver treats as a barrier of the whole workgroup; update \
                   the driver or use another device";
    Err(Error::Kernel { kernel: kernel.label().to_owned(), problem: problem.to_owned() })
}

/// Rejects a kernel that exceeds the device's shared memory. Drivers do not check this, and a profile can set the
/// sizes of built-in kernels.
fn check_memory(device: &Device, kernel: &Kernel, specialization: &[(u32, u32)]) -> Result<()> {
    let refuse = |problem| Error::Kernel { kernel: kernel.label().to_owned(), problem };
    let bytes = kernel
        .shared_bytes(|id| value_of(specialization, id))
        .map_err(|e| refuse(e.to_string()))?;
    let max = u64::from(device.properties.shared_memory);
    if bytes <= max {
        return Ok(());
    }
    Err(refuse(format!(
        "needs {bytes} bytes of shared memory, but the device has {max} (maxComputeSharedMemorySize)"
    )))
}
/// The value given to a specialization constant.
pub(super) fn value_of(specialization: &[(u32, u32)], id: u32) -> Option<u32> {
    specialization.iter().find(|(given, _)| *given == id).map(|(_, value)| *value)
}
/// Whether a kernel uses subgroup operations.
pub(super) fn uses_subgroups(kernel: &Kernel) -> bool {
    kernel.interface().capabilities.iter().any(|c| c.starts_with("GroupNonUniform"))
}
/// Rejects built-in kernels whose workgroups are not a multiple of the subgroup size: they rely on full subgroups.
pub(super) fn check_subgroups(device: &Device, workgroup: [u32; 3], kernel: &Kernel) -> Result<()> {
    let size = device.properties.subgroup_size;
    let own = kernel.is_built_in() && uses_subgroups(kernel);
    if !own || workgroup[0].is_multiple_of(size.max(1)) {
        return Ok(());
    }
    let problem = format!(
        "has {} threads, which is not a multiple of the subgroup size {size}",
        workgroup[0]
    );
    Err(Error::Kernel { kernel: kernel.label().to_owned(), problem })
}
