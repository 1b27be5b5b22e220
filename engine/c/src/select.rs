//! Selections: the elements that satisfy a condition, and their number.

use multisplit::half::{bf16, f16};
use multisplit::operations::SelectBuffers;
use multisplit::{Key, Select};

use crate::prelude::*;
use crate::values::{Limits, MultisplitValues, Setting};

/// Condition for selecting an element. Comparisons use the order of sorts; elements are equal if their bits
/// are equal.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitCondition {
    /// The element's flag, a word of `FLAGS`, is not zero.
    Flagged = 0,
    /// The element is less than `first`.
    LessThan = 1,
    /// The element is less than or equal to `first`.
    AtMost = 2,
    /// The element is greater than `first`.
    GreaterThan = 3,
    /// The element is greater than or equal to `first`.
    AtLeast = 4,
    /// The element is equal to `first`.
    EqualTo = 5,
    /// The element is not equal to `first`.
    NotEqualTo = 6,
    /// The element is between `first` and `last`, inclusive.
    Within = 7,
    /// The element is the first of a run of equal adjacent elements. In a sorted array, this selects each
    /// distinct element once.
    FirstOfRuns = 8,
    /// A GLSL function returns true: `bool is_selected(K key)`.
    Glsl = 9,
}
choice!(MultisplitCondition:
    Flagged, LessThan, AtMost, GreaterThan, AtLeast, EqualTo, NotEqualTo, Within, FirstOfRuns, Glsl,
);

/// A selection: the elements that satisfy a condition, in their original order, and their number.
///
/// Roles: `INPUT`; `OUTPUT`, with room for n elements, unchanged past the number of selected elements;
/// `FOUND`, one word; `FLAGS`, one word per element, for `FLAGGED`; `REJECTED` and `RUN_LENGTHS`, each with
/// room for n elements, if `rejected` or `run_lengths` is set; `DISPATCH`, eight words, if `dispatch_threads` is
/// not 0; `TABLE` if `table_words` is not 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitSelectInfo {
    /// `sizeof(MultisplitSelectInfo)`.
    pub struct_size: u32,
    /// Element type.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Condition for selecting an element.
    pub condition: MaybeUninit<MultisplitCondition>,
    /// Whether to write the elements that are not selected to `REJECTED`, in their original order.
    pub rejected: VkBool32,
    /// The operand of comparisons: a number of the element type, such as `multisplit_f32(0.5f)`. Each recording
    /// may replace it (`MultisplitValues`).
    pub first: MultisplitNumber,
    /// The upper bound for `WITHIN`.
    pub last: MultisplitNumber,
    /// Whether to write the length of each run to `RUN_LENGTHS`, one word each. Only for `FIRST_OF_RUNS`;
    /// must not be combined with `rejected`.
    pub run_lengths: VkBool32,
    /// Number of words that the GLSL function reads as `table.at[]`; 0: none.
    pub table_words: u32,
    /// GLSL source of the function for `GLSL`. Copied.
    pub glsl: *const c_char,
    /// Values that the function reads as `push.parameter_0`, `_1` and `_2`.
    pub parameters: [u32; 3],
    /// Number of elements per workgroup of an indirect dispatch over the selected elements, whose arguments
    /// are written to `DISPATCH`; 0: they are not written.
    pub dispatch_threads: u32,
    /// Members shared by all operations; `n` is the element count.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitSelectInfo, declare);

/// Plans a selection. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitSelectInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_select_create(
    context: *const MultisplitContext,
    info: *const MultisplitSelectInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare(context: &Context, info: &MultisplitSelectInfo) -> Outcome<Declaration> {
    // SAFETY: by the caller's contract.
    unsafe {
        match KeyType::from(read::choice(info.key_type)?) {
            KeyType::U32 => declare_of(context, info, |bits| bits as u32),
            KeyType::I32 => declare_of(context, info, |bits| bits as i32),
            KeyType::F32 => declare_of(context, info, |bits| f32::from_bits(bits as u32)),
            KeyType::U64 => declare_of(context, info, |bits| bits),
            KeyType::I64 => declare_of(context, info, |bits| bits as i64),
            KeyType::F64 => declare_of(context, info, f64::from_bits),
            // The engine rejects these types; its error lists the supported ones.
            KeyType::U8 => declare_of(context, info, |bits| bits as u8),
            KeyType::I8 => declare_of(context, info, |bits| bits as i8),
            KeyType::U16 => declare_of(context, info, |bits| bits as u16),
            KeyType::I16 => declare_of(context, info, |bits| bits as i16),
            KeyType::F16 => declare_of(context, info, |bits| f16::from_bits(bits as u16)),
            KeyType::Bf16 => declare_of(context, info, |bits| bf16::from_bits(bits as u16)),
        }
    }
}

/// Returns the function that converts the comparison limits given by a recording.
fn limits<K: Key>(
    condition: MultisplitCondition,
    key: impl Fn(u64) -> K + Send + Sync + 'static,
) -> Limits {
    Box::new(move |given: &MultisplitValues| {
        let (first, last) = bounds(K::TYPE, condition, (given.first, given.last))?;
        let comparison = comparison(condition, key(first), key(last));
        Ok(comparison.and_then(|comparison| comparison.limits()).unwrap_or_default())
    })
}

/// The bits of the operands. Fails if an operand that the condition uses does not have the element type.
fn bounds(
    key: KeyType,
    condition: MultisplitCondition,
    (first, last): (MultisplitNumber, MultisplitNumber),
) -> Outcome<(u64, u64)> {
    use MultisplitCondition::{FirstOfRuns, Flagged, Glsl, Within};
    Ok(match condition {
        Flagged | FirstOfRuns | Glsl => (0, 0),
        Within => (first.of_type("first", key)?, last.of_type("last", key)?),
        _ => (first.of_type("first", key)?, 0),
    })
}

/// A selection by comparison; `None` for other conditions.
fn comparison<K: Key>(condition: MultisplitCondition, first: K, last: K) -> Option<Select<K>> {
    Some(match condition {
        MultisplitCondition::LessThan => Select::less_than(first),
        MultisplitCondition::AtMost => Select::at_most(first),
        MultisplitCondition::GreaterThan => Select::greater_than(first),
        MultisplitCondition::AtLeast => Select::at_least(first),
        MultisplitCondition::EqualTo => Select::equal_to(first),
        MultisplitCondition::NotEqualTo => Select::not_equal_to(first),
        MultisplitCondition::Within => Select::within(first..=last),
        MultisplitCondition::Flagged
        | MultisplitCondition::FirstOfRuns
        | MultisplitCondition::Glsl => return None,
    })
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare_of<K: Key>(
    context: &Context,
    info: &MultisplitSelectInfo,
    key: impl Fn(u64) -> K + Send + Sync + 'static,
) -> Outcome<Declaration> {
    let condition = read::choice(info.condition)?;
    let (first, last) = bounds(K::TYPE, condition, (info.first, info.last))?;
    let mut declaration = Declaration::new(context, "select");
    let n = declaration.count(&info.common)?;
    let element = ElementType::from(K::TYPE);
    let src = declaration.import(MultisplitRole::Input, element, n.max());
    let dst = declaration.import(MultisplitRole::Output, element, n.max());
    let found = declaration.import(MultisplitRole::Found, ElementType::U32, 1);
    let mut buffers = SelectBuffers::new(src, dst, found).count(n);
    let which = match (comparison(condition, key(first), key(last)), condition) {
        (Some(comparison), _) => {
            declaration.setting = Some(Setting::Limits(limits(condition, key)));
            comparison
        }
        (None, MultisplitCondition::Glsl) => {
            let table = declaration.table(info.table_words);
            declaration.setting = Some(Setting::Parameters);
            // SAFETY: by the caller's contract.
            unsafe { glsl::predicate(info.glsl, info.parameters, table)? }
        }
        (None, MultisplitCondition::FirstOfRuns) => Select::first_of_runs(),
        (None, _) => {
            let flags = declaration.import(MultisplitRole::Flags, ElementType::U32, n.max());
            buffers = buffers.flags(flags);
            Select::flagged()
        }
    };
    if info.rejected != 0 {
        buffers = buffers.rejected(declaration.import(MultisplitRole::Rejected, element, n.max()));
    }
    if info.run_lengths != 0 {
        let lengths = declaration.import(MultisplitRole::RunLengths, ElementType::U32, n.max());
        buffers = buffers.run_lengths(lengths);
    }
    let mut declaration =
        declaration.add(|graph, policy| operations::select(graph, policy, &which, &buffers))?;
    declaration.dispatch(found, n.max(), info.dispatch_threads)?;
    Ok(declaration)
}
