//! Reductions: the sum, minimum or maximum of an array, and where it is.

use std::ffi::c_char;
use std::mem::{MaybeUninit, offset_of};

use multisplit::graph::ElementType;
use multisplit::primitives::{self, ReduceBuffers};
use multisplit::{Context, KeyType};

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

/// A reduction of a whole array to one element. Of no elements it is what changes nothing: 0 of a sum, the
/// last value in order of a minimum, the first of a maximum.
///
/// Roles: `INPUT`; `OUTPUT`, one element; `INDICES`, one word, where `index` says so.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitReduceInfo {
    /// `sizeof(MultisplitReduceInfo)`.
    pub struct_size: u32,
    /// What an element is.
    pub key_type: MaybeUninit<MultisplitKeyType>,
    /// How elements are combined.
    pub op: MaybeUninit<MultisplitOperator>,
    /// Whether `INDICES` gets where the minimum or the maximum is, the lowest index of equals, and 2^32 - 1
    /// of no elements; an error of sums, and of functions in GLSL.
    pub index: VkBool32,
    /// The function for `MULTISPLIT_OPERATOR_GLSL`: a C string. Copied.
    pub glsl: *const c_char,
    /// The element that changes nothing on either side of another, for that function: the bits of an element,
    /// the low ones of 32-bit types.
    pub identity: u64,
    /// How many elements, and what the caller does around the reduction.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitReduceInfo {
    const NAME: &'static str = "MultisplitReduceInfo";
    const REQUIRED: usize = offset_of!(Self, common) + COUNT_END;
}

/// Plans a reduction. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitReduceInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_reduce_create(
    context: *const MultisplitContext,
    info: *const MultisplitReduceInfo,
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
unsafe fn declare(context: &Context, info: &MultisplitReduceInfo) -> Outcome<Declaration> {
    let key = KeyType::from(read::choice(info.key_type)?);
    let op = read::choice(info.op)?;
    // SAFETY: by the caller's contract.
    let operator = unsafe { glsl::operator(op, key, (info.glsl, info.identity))? };
    let mut declaration = Declaration::new(context, "reduce");
    let n = declaration.count(&info.common)?;
    let src = declaration.import(MultisplitRole::Input, key.into(), n.max());
    let dst = declaration.import(MultisplitRole::Output, key.into(), 1);
    let mut buffers = ReduceBuffers::new(src, dst).count(n);
    if info.index != 0 {
        buffers = buffers.index(declaration.import(MultisplitRole::Indices, ElementType::U32, 1));
    }
    let (graph, policy) = declaration.parts();
    primitives::reduce(graph, policy, operator, &buffers)?;
    Ok(declaration)
}
