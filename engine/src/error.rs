//! What can go wrong, with the names of what it went wrong for.

use ash::vk;
use multisplit_graph::{ElementType, GraphError};
use multisplit_shaders::ReflectError;

use crate::network::NetworkError;
use crate::words;

/// Result of the engine's fallible functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything the engine reports. No error leaves the context unusable, except a lost device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The Vulkan loader library is not installed.
    #[error("no Vulkan loader was found ({0}); install libvulkan1 or your GPU vendor's driver")]
    NoLoader(String),
    /// The loader works, but there is no device at all.
    #[error(
        "no Vulkan device was found; install a GPU driver, or Mesa's software driver (mesa-vulkan-drivers)"
    )]
    NoDevice,
    /// No device has the given name or index.
    #[error("no Vulkan device matches `{wanted}`; found: {}", .found.join("; "))]
    UnknownDevice {
        /// What was asked for.
        wanted: String,
        /// What there is.
        found: Vec<String>,
    },
    /// What ranking may rely on has another name.
    #[error("no such ranking: `{given}`; it is `promised` or `probed`")]
    UnknownRanking {
        /// What was asked for.
        given: String,
    },
    /// A device exists but lacks what the kernels need.
    #[error("`{device}` cannot run multisplit; missing: {}", .missing.join(", "))]
    MissingRequirements {
        /// Device name.
        device: String,
        /// What it lacks.
        missing: Vec<String>,
    },
    /// Validation was asked for, but the layer is not installed.
    #[error("the Khronos validation layer is not installed (package vulkan-validationlayers)")]
    NoValidationLayer,
    /// A validation layer reported an error during a run, and
    /// [`ValidationConfig::fail_on_error`](crate::ValidationConfig::fail_on_error) is set.
    #[error("the validation layer reported an error: {id}: {text}")]
    Validation {
        /// The rule, or empty.
        id: String,
        /// The first message.
        text: String,
    },
    /// A Vulkan call failed.
    #[error("{call} failed: {result}{}", advice(*result))]
    Vulkan {
        /// The call.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// Memory for a buffer could not be had.
    #[error("no memory for {} of {size} bytes: {reason}", words::array(.name))]
    OutOfMemory {
        /// Buffer name.
        name: String,
        /// Size in bytes.
        size: u64,
        /// What the allocator or the driver said.
        reason: String,
    },
    /// A buffer of no bytes was asked for; Vulkan has none.
    #[error("buffer `{name}` would have no bytes; give it at least one element")]
    EmptyBuffer {
        /// Buffer name.
        name: String,
    },
    /// A buffer is smaller than what is to be read from or written to it.
    #[error("{} has {size} bytes, {needed} are needed", words::array(.name))]
    BufferTooSmall {
        /// Buffer name.
        name: String,
        /// Its size in bytes.
        size: u64,
        /// What is needed.
        needed: u64,
    },
    /// Elements past the end of an array were to be read or written.
    #[error(
        "{len} elements from index {first} on are outside of the array, which has {array} elements"
    )]
    OutOfBounds {
        /// The first element.
        first: u64,
        /// How many.
        len: u64,
        /// How many the array has.
        array: u64,
    },
    /// Two arrays that belong together have different lengths.
    #[error("`{name}` has {len} elements, but `{other}` has {other_len}: give one for each")]
    LengthMismatch {
        /// One of them.
        name: &'static str,
        /// Its length.
        len: u64,
        /// The other.
        other: &'static str,
        /// Its length.
        other_len: u64,
    },
    /// A reduction by sum was asked for the index of an element.
    #[error("a sum has no index; ask for one of a minimum or a maximum")]
    IndexOfSum,
    /// What a selection is given does not go together.
    #[error("selection: {problem}")]
    Selection {
        /// What does not.
        problem: &'static str,
    },
    /// The first elements of an array, where a call cannot take them.
    #[error("`{call}`: {problem}")]
    Operand {
        /// The call, or which of its arrays.
        call: &'static str,
        /// What is wrong.
        problem: &'static str,
    },
    /// Keys or samples are of another type than what they are to be sorted, split or counted by.
    #[error("`{name}` is an array of {found}, {expected} is needed")]
    KeyTypeMismatch {
        /// Which array.
        name: &'static str,
        /// What it is an array of.
        found: String,
        /// What is needed.
        expected: String,
    },
    /// An array of one type of numbers was given for an import of another.
    #[error("an array of {found} was given for an import of {expected}")]
    ElementTypeMismatch {
        /// What it is an array of.
        found: ElementType,
        /// What the import is.
        expected: ElementType,
    },
    /// Values of a size that kernels cannot move.
    #[error("values of {bytes} bytes; values have 4, 8 or 16 bytes each")]
    ValueSize {
        /// Bytes of a value.
        bytes: u32,
    },
    /// Bits that a key does not have.
    #[error("a {key} key has bits 0..{key_bits}, not {start}..{end}")]
    SortBits {
        /// What a key is.
        key: String,
        /// How many bits it has.
        key_bits: u32,
        /// The first bit asked for.
        start: u32,
        /// One past the last bit asked for.
        end: u32,
    },
    /// A buffer or an executable of one context was given to another.
    #[error(
        "`{name}` belongs to another context; use arrays and plans with the context that made them"
    )]
    OtherContext {
        /// Name of the buffer or the plan.
        name: String,
    },
    /// An imported buffer of the graph was given no Vulkan buffer, or one it does not know.
    #[error("`{plan}`: {problem} `{name}`")]
    ImportBinding {
        /// Plan name.
        plan: String,
        /// What is wrong.
        problem: &'static str,
        /// Buffer name.
        name: String,
    },
    /// An imported buffer's offset does not have the alignment the device needs.
    #[error("`{plan}`: offset {offset} of import `{name}` is not a multiple of {alignment}")]
    Misaligned {
        /// Plan name.
        plan: String,
        /// Buffer name.
        name: String,
        /// The offset.
        offset: u64,
        /// What it must be a multiple of.
        alignment: u64,
    },
    /// A kernel cannot run on this device or with this engine.
    #[error("kernel `{kernel}`: {problem}")]
    Kernel {
        /// Kernel label.
        kernel: String,
        /// What is wrong.
        problem: String,
    },
    /// An operation needs a feature that the device does not support, or that was not enabled.
    #[error(
        "{operation} needs {feature}, which {device} {}",
        if *.enabled { "does not support" } else { "does not support or has not enabled" }
    )]
    MissingFeature {
        /// The operation.
        operation: String,
        /// What it needs, with Vulkan's name.
        feature: String,
        /// Device name.
        device: String,
        /// Whether the context has enabled every feature that the device supports.
        enabled: bool,
    },
    /// A safe call was to run SPIR-V that was not checked, or a user's GLSL by address.
    #[error(
        "kernel `{kernel}` is not known to stay within its buffers: make it from GLSL, give it buffers and not addresses, or use Context::instantiate_foreign"
    )]
    ForeignKernel {
        /// Kernel label.
        kernel: String,
    },
    /// A safe call was to run a pass with as many workgroups as words say that may hold anything.
    #[error(
        "pass `{pass}` is dispatched by words that may ask for more workgroups than the device allows: bound them with primitives::bounded_groups, or use Context::instantiate_foreign"
    )]
    UnboundedGroups {
        /// Pass label.
        pass: String,
    },
    /// A plan that does not cover its own last-to-first hazards was to be replayed.
    #[error("`{plan}` was not declared replayable (Graph::replayable)")]
    NotReplayable {
        /// Plan name.
        plan: String,
    },
    /// A value was given for a pass that the plan does not have.
    #[error("`{plan}` has no pass `{pass}` whose values can be set")]
    UnknownPass {
        /// Plan name.
        plan: String,
        /// The pass asked for.
        pass: String,
    },
    /// A value of the wrong size was given for a pass.
    #[error("pass `{pass}` takes {needed} bytes, {given} were given")]
    ValueOfPass {
        /// The pass.
        pass: String,
        /// Bytes that were given.
        given: u64,
        /// Bytes that it takes.
        needed: u64,
    },
    /// A recording named a frame in flight that the executable was not made for.
    #[error(
        "there is no frame {frame}: frames in flight are numbered from 0, and the executable has {frames} (ExecutableOptions::frames)"
    )]
    NoSuchFrame {
        /// The frame asked for.
        frame: usize,
        /// How many there are.
        frames: usize,
    },
    /// A plan was compiled for limits that the device does not have.
    #[error(
        "`{plan}` was compiled for another device: {limit} differs; compile it with Context::limits"
    )]
    OtherLimits {
        /// Plan name.
        plan: String,
        /// The limit, by Vulkan's name.
        limit: &'static str,
    },
    /// An entry or exit scope has stages that the queue does not have.
    #[error(
        "`{plan}` waits for {stages}, which queues of the context's family do not have; leave these scopes out, and synchronise on a queue that has them"
    )]
    QueueStages {
        /// Plan name.
        plan: String,
        /// The stages.
        stages: String,
    },
    /// The queue cannot write timestamps.
    #[error(
        "`{device}` has no timestamps on its compute queue, so GPU times cannot be measured; choose another device, or run without timing"
    )]
    NoTimestamps {
        /// Device name.
        device: String,
    },
    /// Keys were ranked by lane order, and a tile that checked itself (`canary_period` of the policy) found
    /// that the device does not keep it.
    #[error(
        "`{plan}` ranked by lane order, which the device does not keep; its result may be in the wrong order: build it again, the context ranks by ballots now"
    )]
    LaneOrder {
        /// The plan.
        plan: String,
    },
    /// A profile, named by the caller, that cannot be used on the device.
    #[error("{profile}: {problem}")]
    Profile {
        /// Where it comes from.
        profile: String,
        /// What is wrong.
        problem: String,
    },
    /// A policy that no kernel can follow.
    #[error("policy: {problem}")]
    Policy {
        /// What is wrong.
        problem: &'static str,
    },
    /// A method that does not do what is asked of it.
    #[error("{problem}")]
    Method {
        /// What it does not do, and what does.
        problem: &'static str,
    },
    /// A size that the device or the method cannot handle.
    #[error("{what}: {asked} is more than the limit of {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// What was asked for.
        asked: u64,
        /// What there is.
        limit: u64,
    },
    /// A split into no buckets at all.
    #[error("a split needs at least one bucket")]
    NoBuckets,
    /// A bucket function that does not fit the keys or the number of buckets.
    #[error("invalid bucket function for {key} keys: {problem}")]
    Bucket {
        /// What a key is.
        key: String,
        /// What is wrong.
        problem: String,
    },
    /// Offsets that cut nothing into segments.
    #[error("invalid segments: {problem}")]
    Segments {
        /// What is wrong.
        problem: &'static str,
    },
    /// Rows that an array cannot be cut into.
    #[error(
        "{n} elements are no whole number of rows of {length}: give a length that divides them"
    )]
    Rows {
        /// Elements.
        n: u64,
        /// The length of a row that was asked for.
        length: u64,
    },
    /// Rows of an array whose length the device counts.
    #[error("rows need a host count of elements; with a device count there is one row")]
    RowsOfDeviceCount,
    /// A histogram that does not fit its samples: its bins, their layout or their weights.
    #[error("invalid histogram of {sample} samples: {problem}")]
    Histogram {
        /// What a sample is.
        sample: String,
        /// What is wrong.
        problem: String,
    },
    /// A bucket function gave ids past the last bucket.
    #[error(
        "the bucket function gave an id of {buckets} or more for {keys} of the keys; ids have to be below the count of buckets"
    )]
    BucketOutOfRange {
        /// How many keys it gave such an id for.
        keys: u64,
        /// m, the number of buckets.
        buckets: u32,
    },
    /// An iteration that should have come to an end has not.
    #[error(
        "{what} did not end within {rounds} rounds: the driver or the device may compute wrong values; update the driver, or use another device"
    )]
    Unfinished {
        /// What has not ended.
        what: &'static str,
        /// How far it came.
        rounds: u64,
    },
    /// A network, or a search in it.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The graph is not one that can be planned.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// SPIR-V that could not be reflected.
    #[error(transparent)]
    Reflect(#[from] ReflectError),
    /// GLSL that did not compile.
    #[cfg(feature = "glsl")]
    #[error(transparent)]
    Compile(#[from] multisplit_shaders::compile::CompileError),
}

/// What to do about a call that failed.
fn advice(result: vk::Result) -> &'static str {
    match result {
        vk::Result::ERROR_DEVICE_LOST => {
            "; the context cannot be used any more: drop it, with all its arrays, and open another"
        }
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => "; free arrays, or work on less at a time",
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => "; the host has no memory left",
        _ => "",
    }
}

/// Names the call that a raw Vulkan result came from.
pub(crate) trait VkResultExt<T> {
    fn during(self, call: &'static str) -> Result<T>;
}

impl<T> VkResultExt<T> for std::result::Result<T, vk::Result> {
    fn during(self, call: &'static str) -> Result<T> {
        self.map_err(|result| Error::Vulkan { call, result })
    }
}
