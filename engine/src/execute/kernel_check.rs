//! Checks whether a device supports a kernel, before the driver compiles it.

use ash::vk::{self, SubgroupFeatureFlags as Flags};
use multisplit_shaders::{BindingKind, Kernel};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::words;

/// Maximum number of bindings of a kernel. Vulkan guarantees this many push descriptors, and the descriptor writes
/// for them fit on the stack.
pub(crate) const MAX_BINDINGS: usize = 32;

/// Behaviour of `subgroupBarrier()` on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubgroupBarriers {
    /// It waits for the other lanes of the subgroup, as Vulkan specifies.
    Kept,
    /// It waits for the whole workgroup, but the lanes of a subgroup run in lockstep. The engine therefore replaces it
    /// in kernels by a memory barrier.
    Replaced,
    /// It waits for the whole workgroup, and the lanes of a subgroup do not run in lockstep. Kernels that use it are
    /// rejected.
    Refused,
}

/// SPIR-V capabilities of subgroups (without the common prefix), each with the feature that the device must support,
/// and a description.
const SUBGROUP_CAPABILITIES: [(&str, Flags, &str); 8] = [
    ("", Flags::BASIC, "subgroups (VK_SUBGROUP_FEATURE_BASIC_BIT)"),
    ("Vote", Flags::VOTE, "subgroup votes (VK_SUBGROUP_FEATURE_VOTE_BIT)"),
    ("Arithmetic", Flags::ARITHMETIC, "subgroup arithmetic (VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)"),
    ("Ballot", Flags::BALLOT, "subgroup ballots (VK_SUBGROUP_FEATURE_BALLOT_BIT)"),
    ("Shuffle", Flags::SHUFFLE, "subgroup shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_BIT)"),
    (
        "ShuffleRelative",
        Flags::SHUFFLE_RELATIVE,
        "relative subgroup shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT)",
    ),
    (
        "Clustered",
        Flags::CLUSTERED,
        "clustered subgroup operations (VK_SUBGROUP_FEATURE_CLUSTERED_BIT)",
    ),
    ("Quad", Flags::QUAD, "subgroup quads (VK_SUBGROUP_FEATURE_QUAD_BIT)"),
];

/// Common prefix of the names of [`SUBGROUP_CAPABILITIES`].
const SUBGROUP: &str = "GroupNonUniform";

impl Error {
    /// Returns the error for a kernel that cannot run on this device or with this engine.
    pub(crate) fn kernel(kernel: &Kernel, problem: impl Into<String>) -> Self {
        Self::Kernel { kernel: kernel.label().to_owned(), problem: problem.into() }
    }

    /// Returns an error about a kernel whose pipeline the driver could not create.
    pub(crate) fn pipeline(kernel: &Kernel, result: vk::Result) -> Self {
        let is_callers = kernel.is_checked() || kernel.is_foreign();
        Self::Pipeline { kernel: kernel.label().to_owned(), result, next: None, is_callers }
    }
}

/// Rejects a kernel that the device or this engine cannot run. The error contains the reason.
pub(super) fn check_kernel(
    device: &Device,
    kernel: &Kernel,
    specialization: &[(u32, u32)],
    barriers: SubgroupBarriers,
) -> Result<()> {
    check_bindings(device, kernel)?;
    let capabilities = &kernel.interface().capabilities;
    capabilities.iter().try_for_each(|capability| check_capability(device, kernel, capability))?;
    if barriers == SubgroupBarriers::Refused && kernel.has_subgroup_barriers() {
        let problem = "needs subgroupBarrier(), which this driver treats as a barrier of the whole workgroup; update \
                       the driver or use another device";
        return Err(Error::kernel(kernel, problem));
    }
    check_memory(device, kernel, specialization)
}

fn check_bindings(device: &Device, kernel: &Kernel) -> Result<()> {
    let refuse = |problem| Err(Error::kernel(kernel, problem));
    let bindings = &kernel.interface().bindings;
    if let Some(binding) = bindings.iter().find(|b| b.set != 0) {
        let (name, set) = (&binding.name, binding.set);
        return refuse(format!("binding `{name}` is in descriptor set {set}; use set 0"));
    }
    let count = bindings.len();
    if count > MAX_BINDINGS {
        return refuse(format!("has {count} bindings; at most {MAX_BINDINGS} are supported"));
    }
    let limits = &device.properties.limits;
    for (kind, name, limit) in [
        (BindingKind::Storage, "storage", limits.max_per_stage_descriptor_storage_buffers),
        (BindingKind::Uniform, "uniform", limits.max_per_stage_descriptor_uniform_buffers),
    ] {
        let count = bindings.iter().filter(|b| b.kind == kind).count();
        if count > limit as usize {
            return refuse(format!(
                "has {count} {name} buffers, but the device supports at most {limit}"
            ));
        }
    }
    Ok(())
}

fn check_capability(device: &Device, kernel: &Kernel, capability: &str) -> Result<()> {
    let of_subgroups = capability
        .strip_prefix(SUBGROUP)
        .and_then(|name| SUBGROUP_CAPABILITIES.iter().find(|(other, ..)| *other == name));
    let other = format!("the SPIR-V capability {capability}");
    let (supported, feature) = match (capability, of_subgroups) {
        ("Int64", _) => (device.features.shader_int64, "64-bit integers (shaderInt64)"),
        ("Float64", _) => (device.features.shader_float64, "64-bit floats (shaderFloat64)"),
        (_, Some((_, needed, feature))) => {
            (device.properties.subgroup_operations.contains(*needed), *feature)
        }
        ("Shader" | "Matrix", None) => (true, &*other),
        // Other capabilities need no check in built-in kernels, which are selected by the device's features, and in
        // foreign modules, for which the caller is responsible. User-written GLSL must not use them.
        _ => (kernel.is_built_in() || kernel.is_foreign(), &*other),
    };
    if supported {
        return Ok(());
    }
    let label = kernel.label();
    let operation = match kernel.is_built_in() {
        true if label.contains("64") => format!("{} of 64-bit elements", words::operation(label)),
        true => words::operation(label),
        false => format!("kernel `{label}`"),
    };
    Err(device.missing_feature(operation, feature.to_owned()))
}

/// Rejects a kernel that exceeds the device's shared memory. Drivers do not check this. Even built-in kernels can
/// exceed it, if a profile sets large tiles.
fn check_memory(device: &Device, kernel: &Kernel, specialization: &[(u32, u32)]) -> Result<()> {
    let bytes = kernel
        .shared_bytes(|id| value_of(specialization, id))
        .map_err(|error| Error::kernel(kernel, error.to_string()))?;
    let max = u64::from(device.properties.shared_memory);
    if bytes <= max {
        return Ok(());
    }
    let problem = format!(
        "needs {bytes} bytes of shared memory, but the device has {max} (maxComputeSharedMemorySize)"
    );
    Err(Error::kernel(kernel, problem))
}

/// The value given to a specialization constant.
pub(super) fn value_of(specialization: &[(u32, u32)], id: u32) -> Option<u32> {
    specialization.iter().find(|(given, _)| *given == id).map(|(_, value)| *value)
}

pub(super) fn uses_subgroups(kernel: &Kernel) -> bool {
    kernel.interface().capabilities.iter().any(|c| c.starts_with(SUBGROUP))
}

/// Rejects built-in kernels with subgroup operations whose workgroup size is not a multiple of the subgroup size,
/// because they rely on full subgroups.
pub(super) fn check_subgroups(device: &Device, workgroup: [u32; 3], kernel: &Kernel) -> Result<()> {
    let (size, threads) = (device.properties.subgroup_size, workgroup[0]);
    let own = kernel.is_built_in() && uses_subgroups(kernel);
    if !own || threads.is_multiple_of(size.max(1)) {
        return Ok(());
    }
    let problem =
        format!("has {threads} threads, which is not a multiple of the subgroup size {size}");
    Err(Error::kernel(kernel, problem))
}
