//! Reductions: the sum, minimum or maximum of an array, and optionally its index.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use multisplit::graph::ElementType;
use multisplit::operations::{self, ReduceBuffers};
use multisplit::{Context, KeyType};

use crate::context::MultisplitContext;
use crate::declare::{Declaration, operation_info};
use crate::glsl;
use crate::operation::{self, MultisplitOperation};
use crate::read;
use crate::result::{MultisplitResult, Outcome};
use crate::types::{MultisplitCommonInfo, MultisplitKeyType, MultisplitOperator, MultisplitRole};
use crate::vulkan::VkBool32;

/// A reduction of a whole array to one element. The result for an empty array is the identity element: 0 for
/// a sum, the last value in order for a minimum, the first for a maximum.
///
/// Roles: `INPUT`; `OUTPUT`, one element; `INDICES`, one word, if `index` is set.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitReduceInfo {
    /// `sizeof(MultisplitReduceInfo)`.
    pub struct_size: u32,
    /// Element type.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// Operator that combines elements.
    pub op: MaybeUninit<MultisplitOperator>,
    /// Whether to write the index of the minimum or maximum to `INDICES`: the lowest index among equal
    /// elements, or 2^32 - 1 for an empty array. An error for sums and GLSL functions.
    pub index: VkBool32,
    /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
    pub glsl: *const c_char,
    /// The identity element of that function, as bits; 32-bit types use the low half.
    pub identity: u64,
    /// The element count, and the caller's buffer accesses around the reduction.
    pub common: MultisplitCommonInfo,
}
operation_info!(MultisplitReduceInfo, declare);

/// Plans a reduction. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitReduceInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_reduce_create(
    context: *const MultisplitContext,
    info: *const MultisplitReduceInfo,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { operation::create(context, info, operation) }
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn declare(context: &Context, info: &MultisplitReduceInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(info.op, key, (info.glsl, info.identity))? };
    let mut declaration = Declaration::new(context, "reduce");
    let n = declaration.count(&info.common)?;
    let src = declaration.import(MultisplitRole::Input, key.into(), n.max());
    let dst = declaration.import(MultisplitRole::Output, key.into(), 1);
    let mut buffers = ReduceBuffers::new(src, dst).count(n);
    if info.index != 0 {
        buffers = buffers.index(declaration.import(MultisplitRole::Indices, ElementType::U32, 1));
    }
    declaration.add(|graph, policy| operations::reduce(graph, policy, operator, &buffers))
}
