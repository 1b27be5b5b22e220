//! An operation: planned when it is created, ready when it is warmed up, recorded any number of
//! times.

use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use multisplit::ash::vk::{self, Handle as _};
use multisplit::embed::{self, OperationOptions, Recording, Role, RoleContract, Task};
use multisplit::{BufferAt, TimestampQueries, Timing, WorkspaceBinding, WorkspaceRequirements};

use crate::context::{Child, ContextObject};
use crate::handle::Registry;
use crate::read::{self, Out, Sized32};
use crate::result::{Failure, MultisplitResult, Outcome, guard};
use crate::types::{MultisplitBinding, MultisplitCommonInfo, MultisplitRole, MultisplitScope};
use crate::vulkan::{VkBool32, VkBufferUsageFlags, VkCommandBuffer, VkDeviceSize, VkQueryPool};

/// A sort, a split, a histogram or a scan: planned, and after `multisplit_operation_warm_up` ready
/// to be recorded. Several threads may record one operation into different command buffers.
pub struct MultisplitOperation;

/// The scratch memory that a recording of an operation is given.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultisplitWorkspace {
    /// Bytes; 0 where it is to be given none.
    pub size: VkDeviceSize,
    /// What its offset in its buffer is a multiple of.
    pub alignment: VkDeviceSize,
    /// What its buffer is created for, at least.
    pub usage: VkBufferUsageFlags,
    /// The memory types that such a buffer may be bound to, a bit for each.
    pub memory_type_bits: u32,
    /// What the operation does with it. Two recordings that share it need a barrier with this on
    /// both sides between them, or a semaphore, or a fence.
    pub scope: MultisplitScope,
}

/// What an operation needs of one of its buffers, and how the two sides synchronise.
///
/// Where the caller has said what it does before, the recording begins with the barrier; otherwise
/// the caller's barrier ends in `first_use`. Where the caller has said what it does after, the
/// recording ends with the barrier; otherwise the caller's barrier begins with `last_use`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultisplitContract {
    /// Bytes that it has from its offset on, at least.
    pub size: VkDeviceSize,
    /// What its offset is a multiple of.
    pub alignment: VkDeviceSize,
    /// What it is created for, at least.
    pub usage: VkBufferUsageFlags,
    /// Whether the operation uses it at all; where not, it need not be bound.
    pub used: VkBool32,
    /// What the operation does with it first.
    pub first_use: MultisplitScope,
    /// What the operation does with it last.
    pub last_use: MultisplitScope,
}

impl From<&RoleContract> for MultisplitContract {
    fn from(contract: &RoleContract) -> Self {
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
    /// The scratch memory; without a buffer where it is to be given none.
    pub workspace: MultisplitBinding,
    /// How many elements, where each recording says so; otherwise 0.
    pub count: u64,
    /// Which of the frames it is: no other recording of the same one is yet to run.
    pub frame: u32,
    /// The first query that is written.
    pub first_query: u32,
    /// Timestamp queries of the caller's, which it has reset: one before the first pass, one after the
    /// last. `NULL`: none are written.
    pub query_pool: VkQueryPool,
    /// Whether there is a timestamp after each pass; `multisplit_operation_timestamps` says how many
    /// that makes.
    pub each_pass: VkBool32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitRecordInfo {
    const NAME: &'static str = "MultisplitRecordInfo";
}

static OPERATIONS: Registry<MultisplitOperation, Operation> = Registry::new("operation");

/// What a handle of an operation stands for.
struct Operation {
    task: Task,
    options: OperationOptions,
    workspace: WorkspaceRequirements,
    contracts: Vec<RoleContract>,
    ready: OnceLock<embed::Operation>,
    /// Held while it is warmed up, so that two threads do not do it twice.
    warming: Mutex<()>,
    /// Last, so that the context may go when everything else has.
    context: Child,
}

/// Plans an operation: what every `multisplit_*_create` comes to.
///
/// # Safety
/// The pointer in `common` is null or what it says it is.
pub(crate) unsafe fn create(
    context: &Arc<ContextObject>,
    common: &MultisplitCommonInfo,
    task: impl Into<Task>,
) -> Outcome<*mut MultisplitOperation> {
    let task = task.into();
    // SAFETY: by the caller's contract.
    let options = unsafe { common.options()? };
    // Whatever is wrong with the task is found out by planning it.
    let workspace = context.engine.workspace_of(&task, &options)?;
    let contracts = context.engine.contracts_of(&task, &options)?;
    let (ready, warming, context) = (OnceLock::new(), Mutex::new(()), Child::of(context));
    let operation = Operation { task, options, workspace, contracts, ready, warming, context };
    Ok(OPERATIONS.insert(operation))
}

impl Operation {
    fn warm_up(&self) -> Outcome {
        let _turn = self.warming.lock().unwrap_or_else(PoisonError::into_inner);
        if self.ready.get().is_none() {
            let made = self.context.engine().operation(&self.task, &self.options)?;
            // Nobody else makes one meanwhile.
            let _ = self.ready.set(made);
        }
        Ok(())
    }

    fn ready(&self) -> Outcome<&embed::Operation> {
        self.ready.get().ok_or_else(|| {
            let text = "the operation is not warmed up yet (multisplit_operation_warm_up)";
            Failure::new(MultisplitResult::MultisplitErrorNotReady, text)
        })
    }

    fn contract(&self, role: Role) -> Outcome<&RoleContract> {
        let found = self.contracts.iter().find(|contract| contract.role == role);
        found.ok_or_else(|| {
            Failure::invalid(format!("the operation has no buffer `{}`", role.name()))
        })
    }

    /// # Safety
    /// As for [`multisplit_record`].
    unsafe fn record(
        &self,
        commands: VkCommandBuffer,
        info: &MultisplitRecordInfo,
        bindings: &[MultisplitBinding],
    ) -> Outcome {
        let operation = self.ready()?;
        // On the stack: recording allocates nothing.
        let nothing = (Role::Keys, BufferAt::new(vk::Buffer::null(), 0));
        let mut buffers = [nothing; Role::ALL.len()];
        let too_many = || Failure::invalid("more bindings than there are roles");
        let buffers = buffers.get_mut(..bindings.len()).ok_or_else(too_many)?;
        for (buffer, binding) in buffers.iter_mut().zip(bindings) {
            *buffer = self.bound(binding)?;
        }
        let queries = TimestampQueries {
            pool: info.query_pool,
            first: info.first_query,
            each_pass: info.each_pass != 0,
        };
        let timing = if queries.pool.is_null() { Timing::None } else { Timing::Queries(queries) };
        let counted = matches!(self.task_elements(), embed::Elements::Recorded { .. });
        let recording = Recording {
            buffers,
            frame: info.frame as usize,
            workspace: self.scratch(&info.workspace)?,
            count: (counted || info.count != 0).then_some(info.count),
            timing,
        };
        // SAFETY: by the caller's contract; what can be checked has been.
        unsafe { operation.record(commands, &recording)? };
        Ok(())
    }

    fn task_elements(&self) -> embed::Elements {
        match &self.task {
            Task::Sort(task) => task.n,
            Task::Split(task) => task.n,
            Task::Histogram(task) => task.n,
            Task::Scan(task) => task.n,
        }
    }

    fn bound(&self, binding: &MultisplitBinding) -> Outcome<(Role, BufferAt)> {
        let role = Role::from(read::choice(binding.role)?);
        let needed = self.contract(role)?.bytes;
        let at = match (binding.buffer.is_null(), binding.address) {
            (true, 0) => return Err(Failure::null(&format!("buffer `{}`", role.name()))),
            (true, address) => BufferAt::Address(address),
            (false, 0) => BufferAt::new(binding.buffer, binding.offset),
            (false, _) => {
                let text = format!("buffer `{}` is bound by handle and by address", role.name());
                return Err(Failure::invalid(text));
            }
        };
        if binding.size < needed {
            let what = format!("buffer `{}`", role.name());
            return Err(Failure::too_small(&what, binding.size, needed));
        }
        Ok((role, at))
    }

    /// The scratch memory, where some is to be given.
    fn scratch(&self, given: &MultisplitBinding) -> Outcome<Option<WorkspaceBinding>> {
        let needed = self.needed().size;
        if needed == 0 {
            return Ok(None);
        }
        if given.buffer.is_null() {
            return Err(Failure::null(&format!("the workspace, which needs {needed} bytes,")));
        }
        if given.size < needed {
            return Err(Failure::too_small("the workspace", given.size, needed));
        }
        Ok(Some(WorkspaceBinding { buffer: given.buffer, offset: given.offset }))
    }

    fn needed(&self) -> MultisplitWorkspace {
        let WorkspaceRequirements { size, alignment, usage, memory_type_bits, scope } =
            self.workspace;
        MultisplitWorkspace {
            size: if self.options.own_workspace { 0 } else { size },
            alignment,
            usage: usage.as_raw(),
            memory_type_bits,
            scope: Some(scope).into(),
        }
    }
}

/// Makes everything that recording needs: pipelines, which the driver may take a while to compile,
/// descriptors, and the workspace where the operation brings its own. May be called from any thread,
/// and again, which does nothing. After it, recording creates and allocates nothing.
///
/// # Safety
/// The device of the operation's context is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_warm_up(
    operation: *const MultisplitOperation,
) -> MultisplitResult {
    guard(|| OPERATIONS.get(operation)?.warm_up())
}

/// The scratch memory that recordings are to be given. The operation need not be warmed up.
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
        out.set(operation.contract(read::choice(role)?.into())?.into());
        Ok(())
    })
}

/// How many timestamps a recording writes, where it is given queries. The operation is warmed up.
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
/// The compute pipeline, descriptor set 0 and the push constants of the compute bind point are
/// others afterwards.
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
            operation.record(commands, info, bindings)
        }
    })
}

/// Destroys an operation. `NULL` is no mistake.
///
/// # Safety
/// Everything that was recorded with it has run, and the device is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_operation_destroy(
    operation: *mut MultisplitOperation,
) -> MultisplitResult {
    guard(|| OPERATIONS.remove(operation, |_| Ok(())))
}
