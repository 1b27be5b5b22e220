//! Reductions and scans by key: of each run of equal keys, what its values combine to.

use std::ffi::c_char;
use std::mem::{MaybeUninit, offset_of};

use multisplit::graph::ElementType;
use multisplit::primitives::{self, ReduceByKeyBuffers, ScanBuffers};
use multisplit::{Context, KeyType, Scan};

use crate::context::MultisplitContext;
use crate::declare::Declaration;
use crate::glsl;
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Sized32};
use crate::result::{MultisplitResult, Outcome};
use crate::types::{
    COUNT_END, MultisplitCommonInfo, MultisplitKeyType, MultisplitOperator, MultisplitRole,
};
use crate::vulkan::VkBool32;

/// A reduction by key: of each run of equal neighbours of the keys, the key and what its values combine to.
///
/// Roles: `KEYS` and `VALUES`, only read; `KEYS_OUT` and `VALUES_OUT`, with room for all, of which what is
/// past the count stays as it is; `FOUND`, one word: how many runs there are.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitReduceByKeyInfo {
    /// `sizeof(MultisplitReduceByKeyInfo)`.
    pub struct_size: u32,
    /// What a key is. Equal are keys with equal bits.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// What a value is.
    pub value_type: MaybeUninit<MultisplitKeyType>,
    /// How values are combined.
    pub op: MaybeUninit<MultisplitOperator>,
    /// The function for `MULTISPLIT_OPERATOR_GLSL`: a C string. Copied.
    pub glsl: *const c_char,
    /// The element that changes nothing on either side of another, for that function: the bits of an element,
    /// the low ones of 32-bit types.
    pub identity: u64,
    /// How many elements, and what the caller does around the reduction.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitReduceByKeyInfo {
    const NAME: &'static str = "MultisplitReduceByKeyInfo";
    const REQUIRED: usize = offset_of!(Self, common) + COUNT_END;
}

/// Plans a reduction by key. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitReduceByKeyInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_reduce_by_key_create(
    context: *const MultisplitContext,
    info: *const MultisplitReduceByKeyInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        let declare = |context: &Context, info: &_| declare_reduce(context, info);
        operation::create(context, info, operation, |info| &info.common, declare)
    }
}

/// # Safety
/// The pointers of `info` are null or what they say they are.
unsafe fn declare_reduce(
    context: &Context,
    info: &MultisplitReduceByKeyInfo,
) -> Outcome<Declaration> {
    let key = ElementType::from(KeyType::from(read::choice(info.key_type)?));
    let value = KeyType::from(read::choice(info.value_type)?);
    let op = read::choice(info.op)?;
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(op, value, (info.glsl, info.identity))? };
    let value = ElementType::from(value);
    let mut declaration = Declaration::new(context, "reduce by key");
    let n = declaration.count(&info.common)?;
    let mut of = |role, element| declaration.import(role, element, n.max());
    let from = (of(MultisplitRole::Keys, key), of(MultisplitRole::Values, value));
    let to = (of(MultisplitRole::KeysOut, key), of(MultisplitRole::ValuesOut, value));
    let found = declaration.import(MultisplitRole::Found, ElementType::U32, 1);
    let (graph, policy) = declaration.parts();
    let buffers = ReduceByKeyBuffers::new(from, to, found).count(n);
    primitives::reduce_by_key(graph, policy, operator, &buffers)?;
    Ok(declaration)
}

/// A scan in segments: each run of equal neighbours of the keys is scanned on its own. All zero but `common`:
/// exclusive prefix sums of `uint32_t` by keys of `uint32_t`.
///
/// Roles: `KEYS`, or `FLAGS` where `heads` says so, and `VALUES`, only read; `VALUES_OUT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitScanByKeyInfo {
    /// `sizeof(MultisplitScanByKeyInfo)`.
    pub struct_size: u32,
    /// What a key is. Equal are keys with equal bits. Not looked at with `heads`.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// What a value is.
    pub value_type: MaybeUninit<MultisplitKeyType>,
    /// How values are combined.
    pub op: MaybeUninit<MultisplitOperator>,
    /// Whether a value is combined with those before it; otherwise they are alone, and the first result of a
    /// segment is what changes nothing.
    pub inclusive: VkBool32,
    /// Whether segments begin where a word of `FLAGS` is not zero, and at the first element, instead of where
    /// a key differs from the one before.
    pub heads: VkBool32,
    /// The function for `MULTISPLIT_OPERATOR_GLSL`: a C string. Copied.
    pub glsl: *const c_char,
    /// The element that changes nothing on either side of another, for that function: the bits of an element,
    /// the low ones of 32-bit types.
    pub identity: u64,
    /// How many elements, and what the caller does around the scan.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitScanByKeyInfo {
    const NAME: &'static str = "MultisplitScanByKeyInfo";
    const REQUIRED: usize = offset_of!(Self, common) + COUNT_END;
}

/// Plans a scan by key. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitScanByKeyInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_scan_by_key_create(
    context: *const MultisplitContext,
    info: *const MultisplitScanByKeyInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        let declare = |context: &Context, info: &_| declare_scan(context, info);
        operation::create(context, info, operation, |info| &info.common, declare)
    }
}

/// # Safety
/// The pointers of `info` are null or what they say they are.
unsafe fn declare_scan(context: &Context, info: &MultisplitScanByKeyInfo) -> Outcome<Declaration> {
    let value = KeyType::from(read::choice(info.value_type)?);
    let op = read::choice(info.op)?;
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(op, value, (info.glsl, info.identity))? };
    let scan = match info.inclusive {
        0 => Scan::exclusive(operator),
        _ => Scan::inclusive(operator),
    };
    let key = KeyType::from(read::choice(info.key_type)?);
    let mut declaration = Declaration::new(context, "scan by key");
    let n = declaration.count(&info.common)?;
    let src = declaration.import(MultisplitRole::Values, value.into(), n.max());
    let dst = declaration.import(MultisplitRole::ValuesOut, value.into(), n.max());
    let buffers = ScanBuffers::new(src, dst).count(n);
    let buffers = match info.heads {
        0 => buffers.keys(declaration.import(MultisplitRole::Keys, key.into(), n.max())),
        _ => {
            let flags = declaration.import(MultisplitRole::Flags, ElementType::U32, n.max());
            buffers.heads(flags)
        }
    };
    let (graph, policy) = declaration.parts();
    primitives::scan(graph, policy, &scan, &buffers)?;
    Ok(declaration)
}
