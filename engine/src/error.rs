//! The engine's error type.

use ash::vk;
use multisplit_graph::{ElementType, GraphError};
use multisplit_shaders::ReflectError;

use crate::fallback::PlanForm;
use crate::fault::DeviceFault;
use crate::words;

/// Result type of the engine's fallible functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// All errors that the engine reports. The context remains usable after any of them, except after a lost device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No Vulkan loader library was found.
    #[error("no Vulkan loader was found ({0}); install libvulkan1 or your GPU vendor's driver")]
    NoLoader(String),
    /// The Vulkan loader reports no device.
    #[error(
        "no Vulkan device was found; install a GPU driver, or Mesa's software driver (mesa-vulkan-drivers)"
    )]
    NoDevice,
    /// No device has the given name or index.
    #[error("no Vulkan device matches `{wanted}`; found: {}", .found.join("; "))]
    UnknownDevice {
        /// The requested name or index.
        wanted: String,
        /// Descriptions of the available devices.
        found: Vec<String>,
    },
    /// The name of a [`RankingChoice`](crate::RankingChoice) is unknown.
    #[error("unknown ranking `{given}`; use `promised` (Vulkan's guarantees only) or `probed`")]
    UnknownRanking {
        /// The given name.
        given: String,
    },
    /// The name of a [`FaultyDevices`](crate::FaultyDevices) choice is unknown.
    #[error("unknown choice `{given}` for faulty devices; use `refused` or `used`")]
    UnknownFaultyDevices {
        /// The given name.
        given: String,
    },
    /// The name of a [`PipelineFallback`](crate::PipelineFallback) choice is unknown.
    #[error("unknown choice `{given}` for the fallback of pipelines; use `on` or `off`")]
    UnknownPipelineFallback {
        /// The given name.
        given: String,
    },
    /// The device failed the [device probe](crate::Context::probe_device): kernels would give wrong results.
    /// [`Config::faulty_devices`](crate::Config::faulty_devices) allows its use.
    #[error(
        "`{device}` would give wrong results: {fault}; update its driver, choose another device, or set MULTISPLIT_FAULTY_DEVICES=used (or Config::faulty_devices) to use it nevertheless"
    )]
    FaultyDevice {
        /// Device name.
        device: String,
        /// The fault that the device probe found.
        fault: DeviceFault,
    },
    /// The device does not meet the requirements of the kernels.
    #[error("`{device}` cannot run multisplit; missing: {}", .missing.join(", "))]
    MissingRequirements {
        /// Device name.
        device: String,
        /// The missing requirements.
        missing: Vec<String>,
    },
    /// Validation was requested, but the layer is not installed.
    #[error("the Khronos validation layer is not installed (package vulkan-validationlayers)")]
    NoValidationLayer,
    /// A validation layer reported an error during a call, and
    /// [`ValidationConfig::fail_on_error`](crate::ValidationConfig::fail_on_error) is set.
    #[error("the validation layer reported an error: {id}: {text}")]
    Validation {
        /// Identifier of the violated rule; may be empty.
        id: String,
        /// Text of the first message.
        text: String,
    },
    /// A Vulkan call failed.
    #[error("{call} failed: {result}{}", words::advice(*result))]
    Vulkan {
        /// Name of the function.
        call: &'static str,
        /// The returned result code.
        result: vk::Result,
    },
    /// The driver could not create the pipeline of a kernel, for example because its compiler ran out of registers.
    /// One-call functions return this error only if the fallback to simpler plans is off, if no form of plans is left,
    /// or if the kernel is the caller's own. Declare other work again if `next` is not `None`.
    #[error(
        "the driver could not create the pipeline of {}: {result}; {}",
        if *.is_callers { format!("your kernel `{}`", .kernel) } else { words::kernel(.kernel) },
        words::remedy(*.next, *.is_callers)
    )]
    Pipeline {
        /// Kernel label.
        kernel: String,
        /// The returned result code.
        result: vk::Result,
        /// The form in which the context plans from now on. `None` if it did not change.
        next: Option<PlanForm>,
        /// Whether the kernel is the caller's own GLSL or SPIR-V. Such a kernel is the same in every form, so its
        /// failure does not change the form.
        is_callers: bool,
    },
    /// Memory for a buffer could not be allocated.
    #[error("cannot allocate {size} bytes for {}: {reason}", words::array(.name))]
    OutOfMemory {
        /// Buffer name.
        name: String,
        /// Size in bytes.
        size: u64,
        /// The reason, from the allocator or the driver.
        reason: String,
    },
    /// A buffer with a size of zero was requested. Vulkan does not support empty buffers.
    #[error("buffer `{name}` has a size of 0; give it at least one element")]
    EmptyBuffer {
        /// Buffer name.
        name: String,
    },
    /// A buffer is smaller than the range to be read or written, or than the other buffer of a copy.
    #[error("{} has {size} bytes, but at least {needed} are needed", words::array(.name))]
    BufferTooSmall {
        /// Buffer name.
        name: String,
        /// Size of the buffer in bytes.
        size: u64,
        /// Required size in bytes.
        needed: u64,
    },
    /// A range of elements exceeds the end of the array.
    #[error(
        "the range of {len} elements from index {first} exceeds the array, which has {array} elements"
    )]
    OutOfBounds {
        /// Index of the first element.
        first: u64,
        /// Number of elements.
        len: u64,
        /// Length of the array.
        array: u64,
    },
    /// Two arrays that must have the same length have different lengths.
    #[error(
        "`{name}` has {len} elements, but `{other}` has {other_len}; the lengths must be equal"
    )]
    LengthMismatch {
        /// Name of the first array.
        name: &'static str,
        /// Length of the first array.
        len: u64,
        /// Name of the second array.
        other: &'static str,
        /// Length of the second array.
        other_len: u64,
    },
    /// The index of the result was requested from a reduction by sum.
    #[error(
        "the index of the result was requested, but a sum has no index; use a minimum or maximum"
    )]
    IndexOfSum,
    /// The condition and the arrays of a selection do not match.
    #[error("selection: {problem}")]
    Selection {
        /// Description of the mismatch, and how to resolve it.
        problem: &'static str,
    },
    /// A call does not support one of its arguments, such as an array that is limited to its first elements.
    #[error("`{call}`: {problem}")]
    Operand {
        /// Name of the call or of the argument.
        call: &'static str,
        /// The reason.
        problem: &'static str,
    },
    /// An array, or the identity of a GLSL operator, has the wrong element type.
    #[error("`{name}` has the type {found}, but {expected} is needed")]
    KeyTypeMismatch {
        /// Name of the array or argument.
        name: &'static str,
        /// Its element type.
        found: String,
        /// The expected element type.
        expected: String,
    },
    /// The element type of an array differs from that of the import that it was given for.
    #[error("an array of {found} was given for an import of {expected}")]
    ElementTypeMismatch {
        /// Element type of the array.
        found: ElementType,
        /// Element type of the import.
        expected: ElementType,
    },
    /// The kernels do not support values of this size.
    #[error("values of {bytes} bytes are not supported; use values of 4, 8 or 16 bytes")]
    ValueSize {
        /// Size of a value in bytes.
        bytes: u32,
    },
    /// The range of bits to sort by is not within the key.
    #[error(
        "cannot sort {key} keys by bits {start}..{end}; the range must be within 0..{key_bits}"
    )]
    SortBits {
        /// Type of the keys.
        key: String,
        /// Number of bits in a key.
        key_bits: u32,
        /// The first requested bit.
        start: u32,
        /// One past the last requested bit.
        end: u32,
    },
    /// A buffer or an executable was used with a context other than the one that created it.
    #[error(
        "`{name}` belongs to another context; use arrays and plans with the context that created them"
    )]
    OtherContext {
        /// Name of the buffer or the plan.
        name: String,
    },
    /// A buffer for an import or the workspace of a plan is missing, was given twice, overlaps another, or is not
    /// allowed, or the plan has no such import.
    #[error("`{plan}`: {problem} `{name}`")]
    ImportBinding {
        /// Plan name.
        plan: String,
        /// The problem.
        problem: &'static str,
        /// Buffer name.
        name: String,
    },
    /// The offset or address of an import or a workspace is not a multiple of the required alignment.
    #[error(
        "`{plan}`: {offset}, the offset or address of `{name}`, is not a multiple of {alignment}"
    )]
    Misaligned {
        /// Plan name.
        plan: String,
        /// Buffer name.
        name: String,
        /// The given offset or address.
        offset: u64,
        /// The required alignment.
        alignment: u64,
    },
    /// A kernel cannot run on this device or with this engine.
    #[error("{}: {problem}", words::kernel(.kernel))]
    Kernel {
        /// Kernel label.
        kernel: String,
        /// The reason.
        problem: String,
    },
    /// An operation needs a feature that the device does not support, or that was not enabled.
    #[error(
        "{operation} needs {feature}, which {device} {}",
        if *.enabled { "does not support" } else { "does not support or has not enabled" }
    )]
    MissingFeature {
        /// Description of the operation.
        operation: String,
        /// The required feature, with its Vulkan name.
        feature: String,
        /// Device name.
        device: String,
        /// Whether the engine created the device. If so, it enabled all supported features, unless the configuration
        /// excludes them.
        enabled: bool,
    },
    /// A safe call was given a kernel whose accesses cannot be checked: external SPIR-V, GLSL that accesses buffers by
    /// address, or a built-in kernel in a pass of the caller.
    #[error(
        "kernel `{kernel}` may access memory outside its buffers; compile it from GLSL and bind buffers instead of addresses, or use Context::instantiate_foreign"
    )]
    ForeignKernel {
        /// Kernel label.
        kernel: String,
    },
    /// A safe call was given an indirect dispatch whose workgroup counts are not bounded by the device's limits.
    #[error(
        "pass `{pass}` may cause an indirect dispatch with more workgroups than the device allows; bound the counts with operations::bounded_groups, declare operations with Context::policy, or use Context::instantiate_foreign"
    )]
    UnboundedGroups {
        /// Pass label.
        pass: String,
    },
    /// The call would submit, but the device was adopted with
    /// [`AdoptOptions::record_only`](crate::AdoptOptions::record_only).
    #[error(
        "this context only records commands (AdoptOptions::record_only); record the work into a command buffer (Executable::record) and submit it yourself"
    )]
    RecordOnly,
    /// A plan was to be replayed, but its graph was not declared replayable.
    #[error("`{plan}` cannot be replayed; declare its graph replayable (Graph::replayable)")]
    NotReplayable {
        /// Plan name.
        plan: String,
    },
    /// A value was given for a pass or count that does not exist, or for a pass whose value cannot be set.
    #[error(
        "`{plan}` has no pass or count `{pass}` whose value can be set; check the name, or declare your own pass settable (Graph::settable)"
    )]
    UnknownPass {
        /// Plan name.
        plan: String,
        /// The given label.
        pass: String,
    },
    /// A value of the wrong size was given for a pass.
    #[error("pass `{pass}` takes a value of {needed} bytes, but {given} bytes were given")]
    ValueOfPass {
        /// Pass label.
        pass: String,
        /// Size of the given value in bytes.
        given: u64,
        /// Required size in bytes.
        needed: u64,
    },
    /// The given frame is not less than the number of frames in flight of the executable.
    #[error(
        "frame {frame} does not exist; the executable has {frames} frames in flight, numbered from 0 (ExecutableOptions::frames)"
    )]
    NoSuchFrame {
        /// The given frame.
        frame: usize,
        /// Number of frames in flight.
        frames: usize,
    },
    /// A plan was compiled for limits that the device does not meet.
    #[error(
        "`{plan}` was compiled for another device: {limit} differs; compile it with Context::limits"
    )]
    OtherLimits {
        /// Plan name.
        plan: String,
        /// Vulkan name of the limit.
        limit: &'static str,
    },
    /// An entry or exit scope contains pipeline stages that the queue does not support.
    #[error(
        "entry or exit scopes of `{plan}` have the stages {stages}, which the context's queue family does not support; remove them, and synchronise on a queue that supports them"
    )]
    QueueStages {
        /// Plan name.
        plan: String,
        /// The unsupported stages.
        stages: String,
    },
    /// The queue does not support timestamps.
    #[error(
        "`{device}` does not support timestamps on its compute queue, so GPU times cannot be measured; choose another device, or run without timing"
    )]
    NoTimestamps {
        /// Device name.
        device: String,
    },
    /// Keys may have been sorted wrongly. The kernels relied on lane order: that the lanes of a subgroup execute the
    /// shared-memory atomics of one instruction in order of their index. A check during the run found that the device
    /// does not keep this order. By default, the kernels check one tile in 256.
    #[error(
        "the result of `{plan}` may be in the wrong order, because the device did not execute shared-memory atomics in lane order; build the plan again (the context now ranks by ballots instead)"
    )]
    LaneOrder {
        /// Plan name.
        plan: String,
    },
    /// A profile cannot be used on the device, or its file cannot be read or written.
    #[error("{profile}: {problem}")]
    Profile {
        /// Source of the profile.
        profile: String,
        /// The reason.
        problem: String,
    },
    /// The policy is invalid or not supported by the kernels.
    #[error("policy: {problem}")]
    Policy {
        /// The reason.
        problem: String,
    },
    /// The requested method does not support the input.
    #[error("{problem}")]
    Method {
        /// Limitation of the method, and usually an alternative.
        problem: &'static str,
    },
    /// A size exceeds a limit of the device or the method.
    #[error("{what}: {asked} given, at most {limit} supported")]
    TooLarge {
        /// Description of the size.
        what: &'static str,
        /// The requested size.
        asked: u64,
        /// The limit.
        limit: u64,
    },
    /// A split has no buckets.
    #[error("a split needs at least one bucket")]
    NoBuckets,
    /// The bucket function does not support the keys or the number of buckets.
    #[error("invalid bucket function for {key} keys: {problem}")]
    Bucket {
        /// Type of the keys.
        key: String,
        /// The reason.
        problem: String,
    },
    /// The segment offsets are invalid.
    #[error("invalid segments: {problem}")]
    Segments {
        /// The reason.
        problem: &'static str,
    },
    /// The length of the array is not a multiple of the row length.
    #[error("the array has {n} elements, which is not a multiple of the row length {length}")]
    Rows {
        /// Length of the array.
        n: u64,
        /// The requested row length.
        length: u64,
    },
    /// Rows were requested for an array whose element count is on the device.
    #[error("rows need a host count of elements, but a device count was given")]
    RowsOfDeviceCount,
    /// The histogram's bins, layout or weights do not match its samples.
    #[error("invalid histogram of {sample} samples: {problem}")]
    Histogram {
        /// Type of the samples.
        sample: String,
        /// The reason.
        problem: String,
    },
    /// A bucket function returned ids that are not less than the number of buckets.
    #[error(
        "the bucket function returned an id of {buckets} or more for {keys} of the keys; ids must be less than the number of buckets"
    )]
    BucketOutOfRange {
        /// Number of keys with such an id.
        keys: u64,
        /// Number of buckets.
        buckets: u32,
    },
    /// The graph cannot be compiled.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The SPIR-V module could not be reflected.
    #[error(transparent)]
    Reflect(#[from] ReflectError),
    /// The GLSL source did not compile.
    #[cfg(feature = "glsl")]
    #[error(transparent)]
    Compile(#[from] multisplit_shaders::compile::CompileError),
}

/// Attaches the name of the call to a raw Vulkan result.
pub(crate) trait VkResultExt<T> {
    fn during(self, call: &'static str) -> Result<T>;
}

impl<T> VkResultExt<T> for std::result::Result<T, vk::Result> {
    fn during(self, call: &'static str) -> Result<T> {
        self.map_err(|result| Error::Vulkan { call, result })
    }
}
