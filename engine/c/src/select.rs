//! Selections: the elements for which a condition holds, and how many they are.

use std::ffi::c_char;
use std::mem::{MaybeUninit, offset_of};

use multisplit::graph::ElementType;
use multisplit::half::{bf16, f16};
use multisplit::primitives::{self, SelectBuffers};
use multisplit::{Context, Key, KeyType, Select};

use crate::context::MultisplitContext;
use crate::declare::Declaration;
use crate::glsl;
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Sized32};
use crate::result::{MultisplitResult, Outcome};
use crate::types::{COUNT_END, MultisplitCommonInfo, MultisplitKeyType, MultisplitRole, choice};
use crate::vulkan::VkBool32;

/// Which elements are selected. Comparisons are in the order of a sort; equal are elements with equal bits.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitCondition {
    /// Those whose flag, a word of `FLAGS`, is not zero.
    Flagged = 0,
    /// Those less than `first`.
    LessThan = 1,
    /// Those less than or equal to `first`.
    AtMost = 2,
    /// Those greater than `first`.
    GreaterThan = 3,
    /// Those greater than or equal to `first`.
    AtLeast = 4,
    /// Those equal to `first`.
    EqualTo = 5,
    /// Those not equal to `first`.
    NotEqualTo = 6,
    /// Those from `first` to `last`, both included.
    Within = 7,
    /// The first of each run of equal neighbours: of a sorted array, each element once.
    FirstOfRuns = 8,
    /// Those for which a function in GLSL says so: `bool is_selected(K key)`.
    Glsl = 9,
}
choice!(MultisplitCondition:
    Flagged, LessThan, AtMost, GreaterThan, AtLeast, EqualTo, NotEqualTo, Within, FirstOfRuns, Glsl,
);

/// A selection: the elements for which a condition holds, in their order, and how many they are.
///
/// Roles: `INPUT`; `OUTPUT`, with room for all, of which what is past the count stays as it is; `FOUND`, one
/// word; `FLAGS`, a word for each element, for `FLAGGED`; `REJECTED` and `RUN_LENGTHS`, with room for all,
/// where `rejected` and `run_lengths` say so; `TABLE` for a function that reads one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitSelectInfo {
    /// `sizeof(MultisplitSelectInfo)`.
    pub struct_size: u32,
    /// What an element is.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// What is asked of an element.
    pub condition: MaybeUninit<MultisplitCondition>,
    /// Whether the elements that are not selected are kept, in their order, in `REJECTED`.
    pub rejected: VkBool32,
    /// What elements are compared with: the bits of an element, the low ones of 32-bit types.
    pub first: u64,
    /// The end of `WITHIN`.
    pub last: u64,
    /// Whether `RUN_LENGTHS` gets the length of each run, a word for each; only for `FIRST_OF_RUNS`, and not
    /// with `rejected`.
    pub run_lengths: VkBool32,
    /// How many words the function in GLSL reads as `table.at[]`; 0: none.
    pub table_words: u32,
    /// The function for `GLSL`: a C string. Copied.
    pub glsl: *const c_char,
    /// What the function reads as `push.parameter_0`, `_1` and `_2`.
    pub parameters: [u32; 3],
    /// Must be 0.
    pub reserved: u32,
    /// How many elements, and what the caller does around the selection.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitSelectInfo {
    const NAME: &'static str = "MultisplitSelectInfo";
    const REQUIRED: usize = offset_of!(Self, common) + COUNT_END;
}

/// Plans a selection. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitSelectInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_select_create(
    context: *const MultisplitContext,
    info: *const MultisplitSelectInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        let declare = |context: &Context, info: &_| declare(context, info);
        operation::create(context, info, operation, |info| &info.common, declare)
    }
}

/// # Safety
/// The pointers of `info` are null or what they say they are.
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
            // Refused by the engine, which says what is allowed.
            KeyType::U8 => declare_of(context, info, |bits| bits as u8),
            KeyType::I8 => declare_of(context, info, |bits| bits as i8),
            KeyType::U16 => declare_of(context, info, |bits| bits as u16),
            KeyType::I16 => declare_of(context, info, |bits| bits as i16),
            KeyType::F16 => declare_of(context, info, |bits| f16::from_bits(bits as u16)),
            KeyType::Bf16 => declare_of(context, info, |bits| bf16::from_bits(bits as u16)),
        }
    }
}

/// # Safety
/// The pointers of `info` are null or what they say they are.
unsafe fn declare_of<K: Key>(
    context: &Context,
    info: &MultisplitSelectInfo,
    key: impl Fn(u64) -> K,
) -> Outcome<Declaration> {
    read::reserved("MultisplitSelectInfo", info.reserved)?;
    let mut declaration = Declaration::new(context, "select");
    let n = declaration.count(&info.common)?;
    let element = ElementType::from(K::TYPE);
    let src = declaration.import(MultisplitRole::Input, element, n.max());
    let dst = declaration.import(MultisplitRole::Output, element, n.max());
    let found = declaration.import(MultisplitRole::Found, ElementType::U32, 1);
    let mut buffers = SelectBuffers::new(src, dst, found).count(n);
    let first = key(info.first);
    let which = match read::choice(info.condition)? {
        MultisplitCondition::Flagged => {
            let flags = declaration.import(MultisplitRole::Flags, ElementType::U32, n.max());
            buffers = buffers.flags(flags);
            Select::flagged()
        }
        MultisplitCondition::LessThan => Select::less_than(first),
        MultisplitCondition::AtMost => Select::at_most(first),
        MultisplitCondition::GreaterThan => Select::greater_than(first),
        MultisplitCondition::AtLeast => Select::at_least(first),
        MultisplitCondition::EqualTo => Select::equal_to(first),
        MultisplitCondition::NotEqualTo => Select::not_equal_to(first),
        MultisplitCondition::Within => Select::within(first..=key(info.last)),
        MultisplitCondition::FirstOfRuns => Select::first_of_runs(),
        MultisplitCondition::Glsl => {
            let table = declaration.table(info.table_words);
            // SAFETY: by the caller's contract.
            unsafe { glsl::predicate(info.glsl, info.parameters, table)? }
        }
    };
    if info.rejected != 0 {
        buffers = buffers.rejected(declaration.import(MultisplitRole::Rejected, element, n.max()));
    }
    if info.run_lengths != 0 {
        let lengths = declaration.import(MultisplitRole::RunLengths, ElementType::U32, n.max());
        buffers = buffers.run_lengths(lengths);
    }
    let (graph, policy) = declaration.parts();
    primitives::select(graph, policy, &which, &buffers)?;
    Ok(declaration)
}
