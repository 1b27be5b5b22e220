//! The C interface of splits.

use multisplit::half::{bf16, f16};
use multisplit::operations::SplitBuffers;
use multisplit::operations::split::Bucket;
use multisplit::{Buckets, EdgeValues};

use crate::prelude::*;
use crate::values::{Edges, Setting};

/// Mapping from keys to buckets.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitBucket {
    /// Buckets of `width` integers each, starting at the only edge. Keys below the edge belong to the first
    /// bucket, and keys past the last bucket to the last.
    Delta = 0,
    /// The bits of the key are its bucket number.
    Identity = 1,
    /// `bits` bits of the key, starting at bit `shift`.
    Digit = 2,
    /// m equal parts of the range between two float edges. Keys below the range belong to the first part, and
    /// keys above the range and NaN to the last. Part k begins at `k * ((hi - lo) / m) + lo`, where every
    /// operation is rounded to the type (to `float` for 16-bit floats) and does not overflow, or at `hi` if that
    /// is less.
    Even = 3,
    /// m - 1 sorted edges. The bucket of a key is the number of edges less than or equal to the key.
    Range = 4,
    /// The function `uint bucket_of(K key)` in `glsl`, where K is `uint`, `int`, `float`, `uint64_t`,
    /// `int64_t` or `double`, depending on the key type; keys of 8 and 16 bits are widened to 32. The function
    /// may use `push.parameter_0`, `_1` and `_2`, and `table.at[]` if `table_words` is not 0.
    Glsl = 5,
}
choice!(MultisplitBucket: Delta, Identity, Digit, Even, Range, Glsl);

/// The output of a split.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitSplitOutput {
    /// The keys in bucket order.
    Keys = 0,
    /// The keys in bucket order, and one value of `value_bytes` bytes per key.
    Pairs = 1,
    /// The output position of each element.
    Permutation = 2,
}
choice!(MultisplitSplitOutput: Keys, Pairs, Permutation);

/// A split of up to 2^30 - 1 elements, in arrays of at most `maxStorageBufferRange` bytes each, into m
/// contiguous buckets. Elements are ordered by bucket and keep their order within each bucket.
///
/// Roles: `KEYS` and `OFFSETS`; `KEYS_OUT` for keys and pairs; `VALUES` and `VALUES_OUT` for pairs;
/// `PERMUTATION` for a permutation; `OUT_OF_RANGE` if `count_out_of_range` is set; `TABLE` if `table_words`
/// is not 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitSplitInfo {
    /// `sizeof(MultisplitSplitInfo)`.
    pub struct_size: u32,
    /// Key type.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// m, the number of buckets: 1 to 65,536.
    pub buckets: u32,
    /// Mapping from keys to buckets.
    pub bucket: MaybeUninit<MultisplitBucket>,
    /// Edges, of the key type: 1 for `DELTA`, 2 for `EVEN`, m - 1 for `RANGE`. Copied.
    pub edges: *const c_void,
    /// Number of edges.
    pub edge_count: u32,
    /// For `DIGIT`: the lowest bit.
    pub shift: u32,
    /// For `DELTA`: the number of integers per bucket.
    pub width: u64,
    /// For `DIGIT`: the number of bits; 0: enough bits for the number m - 1.
    pub bits: u32,
    /// For `GLSL`: size of the `TABLE` buffer in words.
    pub table_words: u32,
    /// For `GLSL`: source of the function. Copied.
    pub glsl: *const c_char,
    /// For `GLSL`: `push.parameter_0`, `_1` and `_2`.
    pub parameters: [u32; 3],
    /// The output.
    pub output: MaybeUninit<MultisplitSplitOutput>,
    /// For pairs: bytes per value, 4, 8 or 16; 0: 4.
    pub value_bytes: u32,
    /// Whether to write to `OUT_OF_RANGE` the number of keys whose bucket id is m or more. These keys are put
    /// into the last bucket. If there are any such keys, the other outputs must not be used.
    pub count_out_of_range: VkBool32,
    /// For `DELTA`, `EVEN` and `RANGE`, with at most 256 buckets: whether each recording may set other edges
    /// (`MultisplitValues`).
    pub settable_edges: VkBool32,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitSplitInfo, declare);

/// Plans a split. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitSplitInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_split_create(
    context: *const MultisplitContext,
    info: *const MultisplitSplitInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare(context: &Context, info: &MultisplitSplitInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    let mut declaration = Declaration::new(context, "split");
    let n = declaration.count(&info.common)?;
    // SAFETY: by the caller's contract.
    let (bucket, kind) = unsafe {
        (bucket(info, key, |words| declaration.table(words))?, read::choice(info.bucket)?)
    };
    let keys = declaration.import(MultisplitRole::Keys, key.into(), n.max());
    let words = u64::from(info.buckets) + 1;
    let offsets = declaration.import(MultisplitRole::Offsets, ElementType::U32, words);
    let mut of = |role, element| declaration.import(role, element, n.max());
    let value = ElementType::Other(value_bytes(info.value_bytes));
    let mut buffers = match read::choice(info.output)? {
        MultisplitSplitOutput::Keys => {
            SplitBuffers::keys(keys, of(MultisplitRole::KeysOut, key.into()), offsets)
        }
        MultisplitSplitOutput::Pairs => SplitBuffers::pairs(
            (keys, of(MultisplitRole::Values, value)),
            (of(MultisplitRole::KeysOut, key.into()), of(MultisplitRole::ValuesOut, value)),
            offsets,
        ),
        MultisplitSplitOutput::Permutation => {
            let permutation = of(MultisplitRole::Permutation, ElementType::U32);
            SplitBuffers::permutation(keys, permutation, offsets)
        }
    };
    if info.count_out_of_range != 0 {
        let word = declaration.import(MultisplitRole::OutOfRange, ElementType::U32, 1);
        buffers = buffers.out_of_range(word);
    }
    let mut buckets = Buckets::of(key, info.buckets, bucket);
    if info.settable_edges != 0 {
        buckets = buckets.settable();
        let (_, policy) = declaration.work.parts();
        let (planned, policy, m) = (buckets.edge_values(policy)?, *policy, info.buckets);
        let convert = move |edges: Vec<u64>, width: u64| -> Outcome<EdgeValues> {
            let bucket = with_edges(kind, key, edges, width)?;
            Ok(Buckets::of(key, m, bucket).settable().edge_values(&policy)?)
        };
        let edges = Edges { convert: Box::new(convert), bytes: key.bytes(), planned };
        declaration.setting = Some(Setting::Edges(edges));
    } else if kind == MultisplitBucket::Glsl {
        declaration.setting = Some(Setting::Parameters);
    }
    declaration.add(|graph, policy| operations::split(graph, policy, &buckets, &buffers.count(n)))
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn bucket(
    info: &MultisplitSplitInfo,
    key: KeyType,
    table: impl FnOnce(u32) -> Option<Buffer>,
) -> Outcome<Bucket> {
    // SAFETY: by the caller's contract.
    let edges = unsafe { read::numbers("edges", info.edges, info.edge_count, key.bytes())? };
    match read::choice(info.bucket)? {
        MultisplitBucket::Identity => Ok(Bucket::Identity),
        MultisplitBucket::Digit => {
            let bits = if info.bits == 0 { digit_bits(info.buckets) } else { info.bits };
            Ok(Bucket::Digit { shift: info.shift, bits })
        }
        // SAFETY: by the caller's contract.
        MultisplitBucket::Glsl => unsafe {
            glsl::bucket(info.glsl, info.parameters, table(info.table_words))
        },
        kind => with_edges(kind, key, edges, info.width),
    }
}

/// A bucket function with edges, given as the bits of keys.
fn with_edges(
    kind: MultisplitBucket,
    key: KeyType,
    edges: Vec<u64>,
    width: u64,
) -> Outcome<Bucket> {
    let given = edges.len();
    let float = |bits: u64| match key {
        KeyType::F16 => f16::from_bits(bits as u16).to_f64(),
        KeyType::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        KeyType::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    match (kind, edges.as_slice()) {
        (MultisplitBucket::Delta, &[min]) => Ok(Bucket::Delta { min, width }),
        (MultisplitBucket::Delta, _) => wrong_edges("DELTA", 1, given),
        (MultisplitBucket::Even, _) if !key.is_float() => {
            Err(Failure::invalid("EVEN needs float keys; use DELTA or RANGE for integers"))
        }
        (MultisplitBucket::Even, &[lo, hi]) => Ok(Bucket::Even { lo: float(lo), hi: float(hi) }),
        (MultisplitBucket::Even, _) => wrong_edges("EVEN", 2, given),
        _ => Ok(Bucket::Range(edges)),
    }
}

/// Number of bits that bucket numbers below `buckets` need.
fn digit_bits(buckets: u32) -> u32 {
    u32::BITS - buckets.saturating_sub(1).leading_zeros()
}

pub(crate) fn wrong_edges<T>(function: &str, needed: u32, given: usize) -> Outcome<T> {
    Err(Failure::invalid(format!("edge_count is {given}, but {function} needs {needed}")))
}
