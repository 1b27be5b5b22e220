//! Items that most files of operations use.

pub(crate) use std::ffi::{c_char, c_void};
pub(crate) use std::mem::MaybeUninit;

pub(crate) use multisplit::graph::{Buffer, ElementType};
pub(crate) use multisplit::{Context, KeyType, operations};

pub(crate) use crate::context::MultisplitContext;
pub(crate) use crate::declare::{Declaration, operation_info};
pub(crate) use crate::operation::MultisplitOperation;
pub(crate) use crate::result::{Failure, MultisplitResult, Outcome};
pub(crate) use crate::types::{
    MultisplitCommonInfo, MultisplitCount, MultisplitKeyType, MultisplitNumber, MultisplitOperator,
    MultisplitOtherCount, MultisplitRole, choice, value_bytes,
};
pub(crate) use crate::vulkan::VkBool32;
pub(crate) use crate::{glsl, operation, read};
