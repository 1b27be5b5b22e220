//! The C interface of histograms.

use multisplit::operations::HistogramBuffers;
use multisplit::operations::histogram::{Bin, Layout};
use multisplit::{Bins, EdgeValues};

use crate::prelude::*;
use crate::split::wrong_edges;
use crate::types::MultisplitSampleType;
use crate::values::{Edges, Setting};

/// Mapping from samples to bins.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitBins {
    /// m equal bins between the two edges, excluding the upper edge. Bin k of integers begins exactly at
    /// `lo + k * (hi - lo) / m`. Bin k of floats begins at `k * ((hi - lo) / m) + lo`, where every operation
    /// is rounded to the type and does not overflow, or at `hi` if that is less.
    Even = 0,
    /// m + 1 sorted edges; each bin includes its lower edge and excludes its upper edge.
    Range = 1,
    /// The sample is its bin number.
    Identity = 2,
    /// The function `uint bucket_of(K sample)` in `glsl`, where K is `uint`, `int`, `float`, `uint64_t`,
    /// `int64_t` or `double`, depending on the sample type. It returns the bin of the sample; a result of m or
    /// more is outside all bins. The function may use `push.parameter_0`, `_1` and `_2`, and `table.at[]` if
    /// `table_words` is not 0.
    Glsl = 3,
}
choice!(MultisplitBins: Even, Range, Identity, Glsl);

/// Amount that an element adds to its bin.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitWeight {
    /// Every element adds one.
    None = 0,
    /// A `uint32_t` per element. Sums are modulo 2^32, or 2^64 with `wide_counts`.
    U32 = 1,
    /// A `float` per element. The order of additions, and so the rounding, may differ from run to run.
    F32 = 2,
}
choice!(MultisplitWeight: None, U32, F32);

/// A histogram of up to 2^20 bins.
///
/// Roles: `SAMPLES` and `COUNTS`; `WEIGHTS` if there are weights; `OUT_OF_RANGE` if `count_out_of_range` is
/// set; `CUMULATIVE` if `cumulative` is set; `TABLE` if `table_words` is not 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitHistogramInfo {
    /// `sizeof(MultisplitHistogramInfo)`.
    pub struct_size: u32,
    /// Sample type.
    pub sample_type: MaybeUninit<MultisplitSampleType>,
    /// m, the number of bins: 1 to 2^20.
    pub bins: u32,
    /// Mapping from samples to bins.
    pub function: MaybeUninit<MultisplitBins>,
    /// Edges, of the sample type: 2 for `EVEN`, m + 1 for `RANGE`. Copied.
    pub edges: *const c_void,
    /// Number of edges.
    pub edge_count: u32,
    /// For `GLSL`: size of the `TABLE` buffer in words.
    pub table_words: u32,
    /// For `GLSL`: source of the function. Copied.
    pub glsl: *const c_char,
    /// For `GLSL`: `push.parameter_0`, `_1` and `_2`.
    pub parameters: [u32; 3],
    /// Amount that an element adds to its bin.
    pub weight: MaybeUninit<MultisplitWeight>,
    /// Byte offset of the first element.
    pub first_byte: u64,
    /// Byte distance between elements; 0: tightly packed.
    pub stride: u32,
    /// Samples per element, 1 to 4, adjacent in memory; 0: 1.
    pub channels: u32,
    /// Bit mask of the counted channels, each with its own bins; 0: all channels.
    pub active_channels: u32,
    /// Whether counts have 64 bits, low word first; otherwise 32.
    pub wide_counts: VkBool32,
    /// Whether to add to the counts in the buffer; otherwise the buffer is cleared first.
    pub accumulate: VkBool32,
    /// Whether to write to `OUT_OF_RANGE`, for each counted channel, the number of samples outside all bins,
    /// in the type of the counts.
    pub count_out_of_range: VkBool32,
    /// Whether to write the exclusive prefix sums of the counts to `CUMULATIVE`; requires a single counted
    /// channel and 32-bit integer counts.
    pub cumulative: VkBool32,
    /// For `EVEN` and `RANGE`: whether the last bin includes its upper edge; otherwise samples equal to it
    /// are out of range.
    pub closed: VkBool32,
    /// For `EVEN` and `RANGE`: whether each recording may set other edges (`MultisplitValues`).
    pub settable_edges: VkBool32,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitHistogramInfo, declare);

/// Plans a histogram. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitHistogramInfo` whose pointers are `NULL` or valid. `operation`
/// is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_histogram_create(
    context: *const MultisplitContext,
    info: *const MultisplitHistogramInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare(context: &Context, info: &MultisplitHistogramInfo) -> Outcome<Declaration> {
    let sample = KeyType::from(read::choice(info.sample_type)?);
    let mut declaration = Declaration::new(context, "histogram");
    let n = declaration.count(&info.common)?;
    // SAFETY: by the caller's contract.
    let function = unsafe { function(info, sample, |words| declaration.table(words))? };
    let layout = layout(info);
    let bytes = layout.bytes(sample, n.max());
    let samples = declaration.import_bytes(MultisplitRole::Samples, sample.into(), bytes);
    let weight = match read::choice(info.weight)? {
        MultisplitWeight::None => None,
        MultisplitWeight::U32 => Some(ElementType::U32),
        MultisplitWeight::F32 => Some(ElementType::F32),
    };
    let count = match (weight, info.wide_counts) {
        (_, wide) if wide != 0 => ElementType::U64,
        (Some(ElementType::F32), _) => ElementType::F32,
        _ => ElementType::U32,
    };
    let (bins, channels) = (u64::from(info.bins), u64::from(layout.active_channels()));
    let counts = declaration.import(MultisplitRole::Counts, count, bins * channels);
    let mut buffers = HistogramBuffers::new(samples, counts).count(n);
    if let Some(weight) = weight {
        buffers = buffers.weights(declaration.import(MultisplitRole::Weights, weight, n.max()));
    }
    if info.count_out_of_range != 0 {
        let each = declaration.import(MultisplitRole::OutOfRange, count, channels);
        buffers = buffers.out_of_range(each);
    }
    if info.cumulative != 0 {
        let sums = declaration.import(MultisplitRole::Cumulative, ElementType::U32, bins);
        buffers = buffers.cumulative(sums);
    }
    let (m, closed, settable) = (info.bins, info.closed != 0, info.settable_edges != 0);
    let describe = move |function: Bin| {
        let bins = Bins::of(sample, m, function).layout(layout);
        let bins = if closed { bins.closed() } else { bins };
        if settable { bins.settable() } else { bins }
    };
    let described = describe(function);
    let described = if info.accumulate != 0 { described.accumulate() } else { described };
    let kind = read::choice(info.function)?;
    if settable {
        let (_, policy) = declaration.work.parts();
        let (planned, policy) = (described.edge_values(policy)?, *policy);
        let convert = move |edges: Vec<u64>, _: u64| -> Outcome<EdgeValues> {
            Ok(describe(with_edges(kind, edges)?).edge_values(&policy)?)
        };
        let edges = Edges { convert: Box::new(convert), bytes: sample.bytes(), planned };
        declaration.setting = Some(Setting::Edges(edges));
    } else if kind == MultisplitBins::Glsl {
        declaration.setting = Some(Setting::Parameters);
    }
    declaration.add(|graph, policy| operations::histogram(graph, policy, &described, &buffers))
}

fn layout(info: &MultisplitHistogramInfo) -> Layout {
    let channels = info.channels.max(1);
    let active = match info.active_channels {
        // The engine rejects channel counts that are too large.
        0 => 1u32.checked_shl(channels).map_or(u32::MAX, |end| end - 1),
        active => active,
    };
    let stride = (info.stride != 0).then_some(info.stride);
    Layout { offset: info.first_byte, stride, channels, active }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn function(
    info: &MultisplitHistogramInfo,
    sample: KeyType,
    table: impl FnOnce(u32) -> Option<Buffer>,
) -> Outcome<Bin> {
    // SAFETY: by the caller's contract.
    let edges = unsafe { read::numbers("edges", info.edges, info.edge_count, sample.bytes())? };
    match read::choice(info.function)? {
        MultisplitBins::Identity => Ok(Bin::Identity),
        // SAFETY: by the caller's contract.
        MultisplitBins::Glsl => unsafe {
            glsl::bin(info.glsl, info.parameters, table(info.table_words))
        },
        kind => with_edges(kind, edges),
    }
}

/// A bin function with edges, given as the bits of samples.
fn with_edges(kind: MultisplitBins, edges: Vec<u64>) -> Outcome<Bin> {
    match (kind, edges.as_slice()) {
        (MultisplitBins::Even, &[lo, hi]) => Ok(Bin::Even { lo, hi }),
        (MultisplitBins::Even, _) => wrong_edges("EVEN", 2, edges.len()),
        _ => Ok(Bin::Range(edges)),
    }
}
