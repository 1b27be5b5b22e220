//! Operations as seen from C: create, warm up, query requirements, and record any number of times.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::Arc;

use multisplit::ash::vk::Handle as _;

use crate::context::{CONTEXTS, ContextObject, MultisplitContext};
use crate::declare::OperationInfo;
use crate::handle::Registry;
use crate::planned::{MultisplitContract, MultisplitRecordInfo, MultisplitWorkspace, Operation};
use crate::read::{self, Out};
use crate::result::{Failure, MultisplitResult, Outcome, guard};
use crate::types::MultisplitRole;
use crate::vulkan::{VkBool32, VkCommandBuffer};

/// A planned sort, split, top-k, histogram, scan, reduction, selection, search or merge. After
/// `multisplit_operation_warm_up` it can be recorded. Several threads may record one operation into different
/// command buffers.
pub struct MultisplitOperation;

static OPERATIONS: Registry<MultisplitOperation, Operation> = Registry::new("operation");

/// Plans an operation. Shared by the `multisplit_*_create` functions that only plan.
///
/// # Safety
/// `info` is null or points to an `I` whose pointers are null or valid. `operation` is null or writable.
pub(crate) unsafe fn create<I: OperationInfo>(
    context: *const MultisplitContext,
    info: *const I,
    operation: *mut *mut MultisplitOperation,
) -> MultisplitResult {
    guard(|| {
        // SAFETY: by the caller's contract.
        unsafe {
            let out = Out::handle("operation", operation)?;
            let (context, info) = (CONTEXTS.get(context)?, read::info(info)?);
            out.set(OPERATIONS.insert(Operation::plan(&context, &info)?)?);
        }
        Ok(())
    })
}

/// Plans an operation and warms it up.
///
/// # Safety
/// The pointers of `info` are null or valid.
pub(crate) unsafe fn create_ready(
    context: &Arc<ContextObject>,
    info: &impl OperationInfo,
) -> Outcome<*mut MultisplitOperation> {
    let operation = context.engine.with_fallback(|| {
        // SAFETY: by the caller's contract.
        let operation = unsafe { Operation::plan(context, info)? };
        operation.warm_up()?;
        Ok::<_, Failure>(operation)
    })?;
    OPERATIONS.insert(operation)
}

/// The operation of a handle.
pub(crate) fn get(operation: *const MultisplitOperation) -> Outcome<Arc<Operation>> {
    OPERATIONS.get(operation)
}

/// Creates everything that recording needs: pipelines, which may take the driver a while to compile,
/// descriptors, constants, and the workspaces if the operation allocates its own. May submit to the context's
/// queue and wait, to clear memory that kernels keep from recording to recording. Further calls have no effect.
///
/// If the driver cannot create a pipeline, the context plans operations that are created from then on with
/// smaller tiles, or without look-back: destroy the operation and create it again. The message says whether this
/// may help.
///
/// # Safety
/// The device of the operation's context is valid, and its queue is not used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_warm_up(
    operation: *const MultisplitOperation,
) -> MultisplitResult {
    guard(|| OPERATIONS.get(operation)?.warm_up())
}

/// Reports whether an operation can be recorded, that is, whether `multisplit_operation_warm_up` has
/// completed. It does not wait, so a program may poll it every frame while another thread warms up the
/// operation.
///
/// # Safety
/// `ready` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_is_ready(
    operation: *const MultisplitOperation,
    ready: *mut VkBool32,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        OPERATIONS.query(operation, "ready", ready, |operation| Ok(operation.is_ready().into()))
    }
}

/// Returns the number of passes of a recording. `multisplit_operation_pass_name` and
/// `multisplit_operation_compile_pass` number the passes from 0. The operation need not be warmed up.
///
/// # Safety
/// `count` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_pass_count(
    operation: *const MultisplitOperation,
    count: *mut u32,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe { OPERATIONS.query(operation, "count", count, |operation| Ok(operation.passes())) }
}

/// Returns the name of a pass, such as `"sort.histogram"`. If timestamps are written after each pass, pass k
/// ends at query `first_query + k + 1`. The text is valid until the operation is destroyed.
///
/// # Safety
/// `name` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_pass_name(
    operation: *const MultisplitOperation,
    pass: u32,
    name: *mut *const c_char,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        OPERATIONS.query(operation, "name", name, |operation| Ok(operation.pass(pass)?.as_ptr()))
    }
}

/// Compiles the pipeline of one pass on the calling thread, so that a program with its own job system can run
/// one job per pass. Passes may be compiled in any order and concurrently. A pass without a pipeline returns
/// immediately. `multisplit_operation_warm_up` compiles the remaining pipelines. A pipeline that the driver
/// cannot create has the same effect as there.
///
/// # Safety
/// The device of the operation's context is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_compile_pass(
    operation: *const MultisplitOperation,
    pass: u32,
) -> MultisplitResult {
    guard(|| OPERATIONS.get(operation)?.compile_pass(pass))
}

/// Returns the requirements for the scratch memory of recordings. The operation need not be warmed up.
///
/// # Safety
/// `workspace` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_workspace(
    operation: *const MultisplitOperation,
    workspace: *mut MultisplitWorkspace,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        OPERATIONS.query(operation, "workspace", workspace, |operation| Ok(operation.needed()))
    }
}

/// Returns the requirements of an operation for one of its buffers, and the scopes for synchronisation. The
/// operation need not be warmed up.
///
/// # Safety
/// `contract` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_contract(
    operation: *const MultisplitOperation,
    role: MaybeUninit<MultisplitRole>,
    contract: *mut MultisplitContract,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        OPERATIONS.query(operation, "contract", contract, |operation| {
            Ok(operation.role(read::choice(role)?)?.contract)
        })
    }
}

/// Returns the number of timestamps that a recording with a query pool writes. The operation must be warmed
/// up.
///
/// # Safety
/// `count` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_timestamps(
    operation: *const MultisplitOperation,
    each_pass: VkBool32,
    count: *mut u32,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        OPERATIONS.query(operation, "count", count, |operation| {
            Ok(operation.ready()?.timestamp_count(each_pass != 0))
        })
    }
}

/// Records an operation into the caller's command buffer. Does not submit or create anything, and allocates
/// nothing except host memory for new edges.
///
/// The recorded commands change the compute pipeline, descriptor set 0 and the push constants of the compute
/// bind point: bind yours again afterwards.
///
/// # Safety
/// `commands` is in the recording state, outside a render pass, and belongs to the context's device and a
/// queue family with compute support. Buffers satisfy `multisplit_operation_contract`, are synchronised
/// accordingly, and stay valid until the commands have finished, as do the operation, the workspace and the
/// queries. No other recording of the same frame, or with the same workspace, executes at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_record(
    operation: *const MultisplitOperation,
    commands: VkCommandBuffer,
    info: *const MultisplitRecordInfo,
) -> MultisplitResult {
    guard(|| {
        let operation = OPERATIONS.get(operation)?;
        if commands.is_null() {
            return Err(Failure::null("commands"));
        }
        // SAFETY: by the caller's contract.
        unsafe {
            let info = read::info(info)?;
            let count = info.binding_count.into();
            let bindings = read::slice("bindings", info.bindings, count)?;
            operation.record(commands, &info, bindings)
        }
    })
}

/// Destroys an operation. `NULL` is allowed and ignored.
///
/// # Safety
/// All recordings of the operation have finished executing, and the device is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_destroy(
    operation: *mut MultisplitOperation,
) -> MultisplitResult {
    guard(|| OPERATIONS.remove(operation, |_| Ok(())))
}
