//! What C does with an operation: plans it, warms it up, asks what it needs, records it any number of
//! times.

use std::ffi::c_char;
use std::mem::{MaybeUninit, offset_of};
use std::sync::Arc;

use multisplit::Context;
use multisplit::ash::vk::Handle as _;
use multisplit::embed::BufferContract;

use crate::context::{CONTEXTS, ContextObject, MultisplitContext};
use crate::declare::Declaration;
use crate::handle::Registry;
use crate::planned::Operation;
use crate::read::{self, Out, Sized32};
use crate::result::{Failure, MultisplitResult, Outcome, guard};
use crate::types::{MultisplitBinding, MultisplitCommonInfo, MultisplitRole, MultisplitScope};
use crate::vulkan::{VkBool32, VkBufferUsageFlags, VkCommandBuffer, VkDeviceSize, VkQueryPool};

/// A sort, split, top-k, histogram, scan, reduction, selection, search or merge: planned, and after
/// `multisplit_operation_warm_up` ready to be recorded. Several threads may record one operation into
/// different command buffers.
pub struct MultisplitOperation;

/// What the scratch memory of an operation has to be like.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultisplitWorkspace {
    /// Bytes; 0 where recordings need none.
    pub size: VkDeviceSize,
    /// Its offset in its buffer is a multiple of this.
    pub alignment: VkDeviceSize,
    /// The usages that its buffer has at least.
    pub usage: VkBufferUsageFlags,
    /// The memory types that such a buffer may be bound to, a bit for each.
    pub memory_type_bits: u32,
    /// What the operation does with it. Two recordings that share it need a barrier with this on
    /// both sides between them, or a semaphore, or a fence.
    pub scope: MultisplitScope,
}

/// What an operation needs of one of its buffers, and how the two sides synchronise.
///
/// Where the operation was given a scope `before`, the recording begins with the barrier; otherwise
/// `first_use` is the second scope of the caller's barrier. Where it was given a scope `after`, the
/// recording ends with the barrier; otherwise `last_use` is the first scope of the caller's barrier.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultisplitContract {
    /// Bytes that it has at least, from its offset on.
    pub size: VkDeviceSize,
    /// Its offset is a multiple of this.
    pub alignment: VkDeviceSize,
    /// The usages that it has at least.
    pub usage: VkBufferUsageFlags,
    /// Whether the operation uses it at all; where not, it need not be bound.
    pub used: VkBool32,
    /// What the operation does with it first.
    pub first_use: MultisplitScope,
    /// What the operation does with it last.
    pub last_use: MultisplitScope,
}

impl From<&BufferContract> for MultisplitContract {
    fn from(contract: &BufferContract) -> Self {
        Self {
            size: contract.bytes,
            alignment: contract.alignment,
            usage: contract.usage.as_raw(),
            used: contract.first_use.is_some().into(),
            first_use: contract.first_use.into(),
            last_use: contract.last_use.into(),
        }
    }
}

/// What one recording is given.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitRecordInfo {
    /// `sizeof(MultisplitRecordInfo)`.
    pub struct_size: u32,
    /// How many buffers are bound.
    pub binding_count: u32,
    /// The buffers, one for each role that is used, in any order.
    pub bindings: *const MultisplitBinding,
    /// The scratch memory; without a buffer where none is needed.
    pub workspace: MultisplitBinding,
    /// The number of elements for `MULTISPLIT_COUNT_RECORDED`; otherwise 0.
    pub count: u64,
    /// Which of the frames in flight it is, from 0. No other recording of this frame is yet to run.
    pub frame: u32,
    /// The first query that is written.
    pub first_query: u32,
    /// The caller's timestamp queries, already reset: one is written before the first pass and one
    /// after the last. `NULL`: none.
    pub query_pool: VkQueryPool,
    /// Whether one is written after each pass; `multisplit_operation_timestamps` returns their number.
    pub each_pass: VkBool32,
    /// Must be 0.
    pub reserved: u32,
    /// The number of elements of the second array, or of segments, where it is
    /// `MULTISPLIT_COUNT_RECORDED`; otherwise 0.
    pub other_count: u64,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitRecordInfo {
    const NAME: &'static str = "MultisplitRecordInfo";
    const REQUIRED: usize = offset_of!(Self, workspace);
}

static OPERATIONS: Registry<MultisplitOperation, Operation> = Registry::new("operation");

/// Plans an operation: what every `multisplit_*_create` does, each with passes of its own.
///
/// # Safety
/// `info` is null or points to an `I` whose pointers are null or what they say they are. `operation` is
/// null or may be written.
pub(crate) unsafe fn create<I: Sized32 + Copy>(
    context: *const MultisplitContext,
    info: *const I,
    operation: *mut *mut MultisplitOperation,
    common: impl FnOnce(&I) -> &MultisplitCommonInfo,
    declare: impl FnOnce(&Context, &I) -> Outcome<Declaration>,
) -> MultisplitResult {
    guard(|| {
        // SAFETY: by the caller's contract.
        unsafe {
            let out = Out::handle("operation", operation)?;
            let (context, info) = (CONTEXTS.get(context)?, read::info(info)?);
            let declaration = declare(&context.engine, &info)?;
            let planned = Operation::plan(&context, common(&info), declaration)?;
            out.set(OPERATIONS.insert(planned)?);
        }
        Ok(())
    })
}

/// Plans an operation that is then ready to be recorded.
///
/// # Safety
/// The pointer in `common` is null or what it says it is.
pub(crate) unsafe fn create_ready(
    context: &Arc<ContextObject>,
    common: &MultisplitCommonInfo,
    declaration: Declaration,
) -> Outcome<*mut MultisplitOperation> {
    // SAFETY: by the caller's contract.
    let operation = unsafe { Operation::plan(context, common, declaration)? };
    operation.warm_up()?;
    OPERATIONS.insert(operation)
}

/// The operation of a handle.
pub(crate) fn get(operation: *const MultisplitOperation) -> Outcome<Arc<Operation>> {
    OPERATIONS.get(operation)
}

/// Creates everything that recording needs: pipelines, which the driver may take a while to compile,
/// descriptors, constants, and the workspace where the operation has its own. A second call does nothing. After
/// it, recording creates and allocates nothing.
///
/// # Safety
/// The device of the operation's context is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_warm_up(
    operation: *const MultisplitOperation,
) -> MultisplitResult {
    guard(|| OPERATIONS.get(operation)?.warm_up())
}

/// Whether an operation can be recorded: whether `multisplit_operation_warm_up` has been called and has
/// returned. It does not wait, so that a program may ask every frame while another thread warms up.
///
/// # Safety
/// `ready` is `NULL` or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_is_ready(
    operation: *const MultisplitOperation,
    ready: *mut VkBool32,
) -> MultisplitResult {
    guard(|| {
        let operation = OPERATIONS.get(operation)?;
        // SAFETY: by the caller's contract.
        let out = unsafe { Out::new("ready", ready)? };
        out.set(operation.is_ready().into());
        Ok(())
    })
}

/// How many passes a recording has: what `multisplit_operation_pass_name` and
/// `multisplit_operation_compile_pass` count. The operation need not be warmed up.
///
/// # Safety
/// `count` is `NULL` or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_pass_count(
    operation: *const MultisplitOperation,
    count: *mut u32,
) -> MultisplitResult {
    guard(|| {
        let operation = OPERATIONS.get(operation)?;
        // SAFETY: by the caller's contract.
        let out = unsafe { Out::new("count", count)? };
        out.set(operation.passes());
        Ok(())
    })
}

/// The name of a pass, such as `"sort.histogram"`: where timestamps are written after each pass, pass k ends
/// at query `first_query + k + 1`. The text is valid until the operation is destroyed.
///
/// # Safety
/// `name` is `NULL` or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_pass_name(
    operation: *const MultisplitOperation,
    pass: u32,
    name: *mut *const c_char,
) -> MultisplitResult {
    guard(|| {
        let operation = OPERATIONS.get(operation)?;
        // SAFETY: by the caller's contract.
        let out = unsafe { Out::new("name", name)? };
        out.set(operation.pass(pass)?.as_ptr());
        Ok(())
    })
}

/// Compiles the pipeline of one pass, on the calling thread: for a program with a job system of its own, a job
/// for each pass. Passes may be compiled in any order and at the same time; a pass that has no pipeline of
/// its own is done at once. `multisplit_operation_warm_up` then compiles what is left.
///
/// # Safety
/// The device of the operation's context is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_compile_pass(
    operation: *const MultisplitOperation,
    pass: u32,
) -> MultisplitResult {
    guard(|| OPERATIONS.get(operation)?.compile_pass(pass))
}

/// What the scratch memory of recordings has to be like. The operation need not be warmed up.
///
/// # Safety
/// `workspace` is `NULL` or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_workspace(
    operation: *const MultisplitOperation,
    workspace: *mut MultisplitWorkspace,
) -> MultisplitResult {
    guard(|| {
        let operation = OPERATIONS.get(operation)?;
        // SAFETY: by the caller's contract.
        let out = unsafe { Out::new("workspace", workspace)? };
        out.set(operation.needed());
        Ok(())
    })
}

/// What an operation needs of one of its buffers, and how the two sides synchronise. The operation
/// need not be warmed up.
///
/// # Safety
/// `contract` is `NULL` or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_contract(
    operation: *const MultisplitOperation,
    role: MaybeUninit<MultisplitRole>,
    contract: *mut MultisplitContract,
) -> MultisplitResult {
    guard(|| {
        let operation = OPERATIONS.get(operation)?;
        // SAFETY: by the caller's contract.
        let out = unsafe { Out::new("contract", contract)? };
        out.set(operation.role(read::choice(role)?)?.contract);
        Ok(())
    })
}

/// How many timestamps a recording writes, where it is given queries. The operation must be warmed
/// up.
///
/// # Safety
/// `count` is `NULL` or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_timestamps(
    operation: *const MultisplitOperation,
    each_pass: VkBool32,
    count: *mut u32,
) -> MultisplitResult {
    guard(|| {
        let operation = OPERATIONS.get(operation)?;
        // SAFETY: by the caller's contract.
        let out = unsafe { Out::new("count", count)? };
        out.set(operation.ready()?.timestamp_count(each_pass != 0));
        Ok(())
    })
}

/// Records an operation into the caller's command buffer. Submits, creates and allocates nothing.
///
/// It binds other compute pipelines, another descriptor set 0 and other push constants at the compute
/// bind point: bind yours again afterwards.
///
/// # Safety
/// `commands` is recording, outside a render pass, of the context's device and of a family with
/// compute. Buffers are as `multisplit_operation_contract` says, are synchronised as it says, and live
/// until the commands have run, as do the operation, the workspace and the queries. No other recording
/// of the same frame, or with the same workspace, runs at the same time.
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

/// Destroys an operation. `NULL` is allowed and does nothing.
///
/// # Safety
/// Everything that was recorded with it has run, and the device is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_destroy(
    operation: *mut MultisplitOperation,
) -> MultisplitResult {
    guard(|| OPERATIONS.remove(operation, |_| Ok(())))
}
