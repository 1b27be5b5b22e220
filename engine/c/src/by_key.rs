//! Reductions by key: of each run of equal keys, the key and what its values combine to.

use std::mem::{MaybeUninit, offset_of};

use multisplit::graph::ElementType;
use multisplit::primitives::{self, ReduceByKeyBuffers};
use multisplit::{Context, KeyType, Operator};

use crate::context::MultisplitContext;
use crate::declare::Declaration;
use crate::operation::{self, MultisplitOperation};
use crate::read::{self, Sized32};
use crate::result::{MultisplitResult, Outcome};
use crate::types::{
    COUNT_END, MultisplitCommonInfo, MultisplitKeyType, MultisplitOperator, MultisplitRole,
};

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
    /// How many elements, and what the caller does around the reduction.
    pub common: MultisplitCommonInfo,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitReduceByKeyInfo {
    const NAME: &'static str = "MultisplitReduceByKeyInfo";
    const REQUIRED: usize = offset_of!(Self, common) + COUNT_END;
}

/// Plans a reduction by key. Nothing is compiled yet: see `multisplit_operation_warm_up`.
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
    unsafe { operation::create(context, info, operation, |info| &info.common, declare) }
}

fn declare(context: &Context, info: &MultisplitReduceByKeyInfo) -> Outcome<Declaration> {
    let key = ElementType::from(KeyType::from(read::choice(info.key_type)?));
    let value = ElementType::from(KeyType::from(read::choice(info.value_type)?));
    let operator = Operator::from(read::choice(info.op)?);
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
