//! An operation: planned when it is created, ready when it is warmed up, recorded any number of
//! times.

use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use multisplit::ash::vk::{self, Handle as _};
use multisplit::embed::BufferContract;
use multisplit::graph::{Buffer, Plan};
use multisplit::{
    BufferAt, Error, Executable, ExecutableOptions, Import, PassValue, RecordOptions,
    TimestampQueries, Timing, WorkspaceRequirements,
};

use crate::context::{Child, ContextObject};
use crate::declare::{COUNT, Declaration, no_buffer};
use crate::handle::Registry;
use crate::read::{self, Choice as _, Out, Sized32};
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
    plan: Plan,
    options: ExecutableOptions,
    workspace: WorkspaceRequirements,
    roles: Vec<RoleBuffer>,
    /// The maximum count, where each recording sets the count.
    max_count: Option<u64>,
    ready: OnceLock<Executable>,
    /// Held while it is warmed up, so that two threads do not do it twice.
    warming: Mutex<()>,
    /// Last, so that the context may go when everything else has.
    context: Child,
}

/// The buffer of a role.
struct RoleBuffer {
    role: MultisplitRole,
    buffer: Buffer,
    contract: MultisplitContract,
}

/// Plans an operation: what every `multisplit_*_create` comes to.
///
/// # Safety
/// The pointer in `common` is null or what it says it is.
pub(crate) unsafe fn create(
    context: &Arc<ContextObject>,
    common: &MultisplitCommonInfo,
    mut declaration: Declaration,
) -> Outcome<*mut MultisplitOperation> {
    // SAFETY: by the caller's contract.
    declaration.scopes(unsafe { common.scopes()? })?;
    let Declaration { work, roles, max_count } = declaration;
    let (plan, options) = (work.plan()?, common.options());
    let workspace = context.engine.workspace_requirements_with(&plan, options)?;
    // In the order in which the roles were declared.
    let contracts = context.engine.contracts(&plan, options);
    let with_contract = |((role, buffer), contract): (_, &BufferContract)| {
        RoleBuffer { role, buffer, contract: contract.into() }
    };
    let roles = roles.into_iter().zip(&contracts).map(with_contract).collect();
    let (ready, warming, context) = (OnceLock::new(), Mutex::new(()), Child::of(context));
    let operation =
        Operation { plan, options, workspace, roles, max_count, ready, warming, context };
    Ok(OPERATIONS.insert(operation))
}

impl Operation {
    fn warm_up(&self) -> Outcome {
        let _turn = self.warming.lock().unwrap_or_else(PoisonError::into_inner);
        if self.ready.get().is_none() {
            let engine = self.context.engine();
            let made = engine.instantiate_with(self.plan.clone(), self.options)?;
            // Nobody else makes one meanwhile.
            let _ = self.ready.set(made);
        }
        Ok(())
    }

    fn ready(&self) -> Outcome<&Executable> {
        self.ready.get().ok_or_else(|| {
            let text = "the operation is not warmed up yet (multisplit_operation_warm_up)";
            Failure::new(MultisplitResult::MultisplitErrorNotReady, text)
        })
    }

    fn role(&self, role: MultisplitRole) -> Outcome<&RoleBuffer> {
        self.roles.iter().find(|other| other.role == role).ok_or_else(|| no_buffer(role))
    }

    /// # Safety
    /// As for [`multisplit_record`].
    unsafe fn record(
        &self,
        commands: VkCommandBuffer,
        info: &MultisplitRecordInfo,
        bindings: &[MultisplitBinding],
    ) -> Outcome {
        read::reserved(MultisplitRecordInfo::NAME, info.reserved)?;
        let executable = self.ready()?;
        let Some(any) = self.roles.first() else { return Ok(()) };
        // On the stack: recording allocates nothing.
        let nowhere = BufferAt::new(vk::Buffer::null(), 0);
        let mut imports = [(any.buffer, nowhere); MultisplitRole::ALL.len()];
        let too_many = || Failure::invalid("more bindings than there are roles");
        let imports = imports.get_mut(..bindings.len()).ok_or_else(too_many)?;
        for (count, binding) in bindings.iter().enumerate() {
            imports[count] = self.bound(binding)?;
            let (buffer, _) = imports[count];
            if imports[..count].iter().any(|(other, _)| *other == buffer) {
                let name = read::choice(binding.role)?.name();
                return Err(Failure::invalid(format!("two buffers are given for `{name}`")));
            }
        }
        let queries = TimestampQueries {
            pool: info.query_pool,
            first: info.first_query,
            each_pass: info.each_pass != 0,
        };
        let count = self.count(info.count)?.map(u32::to_ne_bytes);
        let value = count.as_ref().map(|bytes| PassValue { pass: COUNT, bytes });
        let options = RecordOptions {
            workspace: self.scratch(&info.workspace)?,
            frame: Some(info.frame as usize),
            values: value.as_slice(),
            timing: if queries.pool.is_null() { Timing::None } else { Timing::Queries(queries) },
        };
        // SAFETY: by the caller's contract; what can be checked has been.
        unsafe { executable.record_with(commands, imports, &options)? };
        Ok(())
    }

    /// What the recording sets the count to, where it sets one and the plan reads it.
    fn count(&self, given: u64) -> Outcome<Option<u32>> {
        let Some(limit) = self.max_count else {
            return match given {
                0 => Ok(None),
                _ => Err(Failure::invalid(format!(
                    "count is {given}, but the operation takes no count from recordings: set it to 0"
                ))),
            };
        };
        let what = "number of elements";
        let too_large = || Error::TooLarge { what, asked: given, limit };
        let count = u32::try_from(given).ok().filter(|_| given <= limit).ok_or_else(too_large)?;
        // A plan for a maximum of 0 has no passes, that of the count included.
        let is_read = self.plan.steps().iter().any(|step| step.pass.label == COUNT);
        Ok(is_read.then_some(count))
    }

    fn bound(&self, binding: &MultisplitBinding) -> Outcome<Import> {
        read::reserved("MultisplitBinding", binding.reserved)?;
        let role = self.role(read::choice(binding.role)?)?;
        let (name, needed) = (role.role.name(), role.contract.size);
        let at = match (binding.buffer.is_null(), binding.address) {
            (true, 0) => return Err(Failure::null(&format!("buffer `{name}`"))),
            (true, address) => BufferAt::Address(address),
            (false, 0) => BufferAt::new(binding.buffer, binding.offset),
            (false, _) => {
                let text = format!("buffer `{name}` is bound by handle and by address");
                return Err(Failure::invalid(text));
            }
        };
        if binding.size < needed {
            return Err(Failure::too_small(&format!("buffer `{name}`"), binding.size, needed));
        }
        Ok((role.buffer, at))
    }

    /// The scratch memory, where some is to be given.
    fn scratch(&self, given: &MultisplitBinding) -> Outcome<Option<BufferAt>> {
        read::reserved("MultisplitBinding", given.reserved)?;
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
        Ok(Some(BufferAt::new(given.buffer, given.offset)))
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
        out.set(operation.role(read::choice(role)?)?.contract);
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
