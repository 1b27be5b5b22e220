//! The state behind an operation handle: planned, warmed up, recorded.

use std::ffi::{CStr, CString};
use std::mem::offset_of;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use multisplit::ash::vk::{self, Handle as _};
use multisplit::embed::BufferContract;
use multisplit::graph::{Buffer, Plan, Step};
use multisplit::{
    BufferAt, Error, Executable, ExecutableOptions, Import, PassValue, RecordOptions,
    TimestampQueries, Timing, WorkspaceRequirements,
};

use crate::context::ContextObject;
use crate::declare::{COUNT, Declaration, OperationInfo, RecordedCount, no_buffer};
use crate::read::{self, Choice as _, Sized32};
use crate::result::{Failure, MultisplitResult, Outcome};
use crate::types::{MultisplitBinding, MultisplitRole, MultisplitScope};
use crate::values::{MAX_REPLACED, MAX_VALUES, MultisplitValues, PUSH_BYTES, Replaceable};
use crate::vulkan::{VkBool32, VkBufferUsageFlags, VkCommandBuffer, VkDeviceSize, VkQueryPool};

/// Requirements for the scratch memory of an operation.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultisplitWorkspace {
    /// Size in bytes; 0 if recordings need no scratch memory.
    pub size: VkDeviceSize,
    /// Required alignment of the offset of the scratch memory in its buffer.
    pub alignment: VkDeviceSize,
    /// Required buffer usage flags.
    pub usage: VkBufferUsageFlags,
    /// Memory types that a buffer for the scratch memory may be bound to, one bit each.
    pub memory_type_bits: u32,
    /// The operation's accesses to the scratch memory. Two recordings that use the same memory must be
    /// separated by a barrier with this scope on both sides, by a semaphore, or by a fence.
    pub scope: MultisplitScope,
}

/// Requirements of an operation for one of its buffers, and the scopes for synchronisation.
///
/// If the operation was given a `before` scope, the recording begins with the barrier; otherwise `first_use`
/// is the second scope of the caller's barrier. If it was given an `after` scope, the recording ends with the
/// barrier; otherwise `last_use` is the first scope of the caller's barrier.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultisplitContract {
    /// Minimum size in bytes, counted from the offset of the binding.
    pub size: VkDeviceSize,
    /// Required alignment of the offset of the binding.
    pub alignment: VkDeviceSize,
    /// Required buffer usage flags.
    pub usage: VkBufferUsageFlags,
    /// Whether the operation uses the buffer; if not, it need not be bound.
    pub used: VkBool32,
    /// The first accesses of the operation to the buffer.
    pub first_use: MultisplitScope,
    /// The last accesses of the operation to the buffer.
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

/// Parameters of one recording.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitRecordInfo {
    /// `sizeof(MultisplitRecordInfo)`.
    pub struct_size: u32,
    /// Number of bindings.
    pub binding_count: u32,
    /// The buffers, one for each role in use, in any order.
    pub bindings: *const MultisplitBinding,
    /// The scratch memory, for operations created with `caller_workspace`; the buffer is `VK_NULL_HANDLE` if
    /// none is needed.
    pub workspace: MultisplitBinding,
    /// The number of elements for `MULTISPLIT_COUNT_RECORDED`; otherwise 0.
    pub count: u64,
    /// Index of the frame in flight, from 0. Earlier recordings of the same frame must have finished
    /// executing.
    pub frame: u32,
    /// Index of the first query written.
    pub first_query: u32,
    /// The caller's timestamp queries, already reset. One is written before the first pass and one after the
    /// last. `NULL`: none are written.
    pub query_pool: VkQueryPool,
    /// Whether a timestamp is written after each pass; `multisplit_operation_timestamps` returns their
    /// number.
    pub each_pass: VkBool32,
    /// Must be 0.
    pub reserved: u32,
    /// Length of the second array, or number of segments, for `MULTISPLIT_COUNT_RECORDED`; otherwise 0.
    pub other_count: u64,
    /// Values for this recording; `NULL`: those that the operation was created with.
    pub values: *const MultisplitValues,
}

// SAFETY: satisfies the requirements of the trait.
unsafe impl Sized32 for MultisplitRecordInfo {
    const NAME: &'static str = "MultisplitRecordInfo";
    const REQUIRED: usize = offset_of!(Self, workspace);
}

/// The object behind an operation handle.
pub(crate) struct Operation {
    plan: Plan,
    options: ExecutableOptions,
    workspace: WorkspaceRequirements,
    roles: Vec<RoleBuffer>,
    /// The counts that recordings may set: the element count, and the length of a second array or the number
    /// of segments.
    counts: [RecordedCount; 2],
    /// The values that recordings may replace.
    replaceable: Replaceable,
    /// Pass names, in order.
    passes: Vec<CString>,
    ready: OnceLock<Executable>,
    /// Held during warm-up, so that only one thread does the work.
    warming: Mutex<()>,
    /// Declared last, so that it is dropped after everything that uses the device.
    context: Arc<ContextObject>,
}

/// The buffer of a role.
pub(crate) struct RoleBuffer {
    role: MultisplitRole,
    buffer: Buffer,
    pub contract: MultisplitContract,
}

impl Operation {
    /// # Safety
    /// The pointers of `info` are null or valid.
    pub unsafe fn plan<I: OperationInfo>(context: &Arc<ContextObject>, info: &I) -> Outcome<Self> {
        let common = info.common();
        // SAFETY: by the caller's contract.
        let (mut declaration, scopes) =
            unsafe { ((I::DECLARE)(&context.engine, info)?, common.scopes()?) };
        read::reserved("MultisplitCommonInfo", common.reserved)?;
        declaration.scopes(scopes, read::choice(common.barriers)?)?;
        let Declaration { work, roles, counts, setting } = declaration;
        let (plan, options) = (work.plan()?, common.options());
        context.engine.check_plan(&plan, options)?;
        let workspace = context.engine.workspace_requirements_with(&plan, options)?;
        let contracts = context.engine.contracts(&plan, options);
        let with_contract = |(role, buffer): (MultisplitRole, Buffer)| {
            let contract = contracts.iter().find(|contract| contract.name == role.name());
            let contract: &BufferContract = contract.ok_or_else(|| no_buffer(role))?;
            Ok(RoleBuffer { role, buffer, contract: contract.into() })
        };
        let roles = roles.into_iter().map(with_contract).collect::<Outcome<_>>()?;
        let label = |step: &Step| CString::new(step.pass.label.as_str()).unwrap_or_default();
        let passes = plan.steps().iter().map(label).collect();
        let replaceable = Replaceable::new(&plan, setting);
        Ok(Self {
            plan,
            options,
            workspace,
            roles,
            counts,
            replaceable,
            passes,
            ready: OnceLock::new(),
            warming: Mutex::new(()),
            context: context.clone(),
        })
    }

    pub fn warm_up(&self) -> Outcome {
        let _turn = self.warming.lock().unwrap_or_else(PoisonError::into_inner);
        if self.ready.get().is_none() {
            let engine = &self.context.engine;
            let plan = self.plan.clone();
            let made = if self.options.by_address {
                // SAFETY: a caller that uses addresses guarantees that its GLSL functions read valid memory.
                unsafe { engine.instantiate_foreign(plan, self.options)? }
            } else {
                engine.instantiate_with(plan, self.options)?
            };
            // Cannot fail: only the thread that holds `warming` sets it.
            let _ = self.ready.set(made);
        }
        Ok(())
    }

    pub fn is_ready(&self) -> bool {
        self.ready.get().is_some()
    }

    /// Compiles the pipeline of one pass, if it has one.
    pub fn compile_pass(&self, pass: u32) -> Outcome {
        self.pass(pass)?;
        let (engine, step) = (&self.context.engine, pass as usize);
        if self.options.by_address {
            // SAFETY: as in `warm_up`.
            unsafe { engine.prepare_foreign_step(&self.plan, step, self.options)? };
        } else {
            engine.prepare_step(&self.plan, step, self.options)?;
        }
        Ok(())
    }

    pub fn passes(&self) -> u32 {
        self.passes.len() as u32
    }

    /// The name of a pass.
    pub fn pass(&self, pass: u32) -> Outcome<&CStr> {
        let count = self.passes.len();
        let found = self.passes.get(pass as usize).map(CString::as_c_str);
        found.ok_or_else(|| {
            Failure::invalid(format!(
                "pass {pass} does not exist; the operation has {count} passes, numbered from 0"
            ))
        })
    }

    pub fn ready(&self) -> Outcome<&Executable> {
        self.ready.get().ok_or_else(|| {
            let text =
                "the operation is not warmed up yet; call multisplit_operation_warm_up first";
            Failure::new(MultisplitResult::MultisplitErrorNotReady, text)
        })
    }

    pub fn role(&self, role: MultisplitRole) -> Outcome<&RoleBuffer> {
        self.roles.iter().find(|other| other.role == role).ok_or_else(|| no_buffer(role))
    }

    /// # Safety
    /// As for [`multisplit_record`](crate::operation::multisplit_record).
    pub unsafe fn record(
        &self,
        commands: VkCommandBuffer,
        info: &MultisplitRecordInfo,
        bindings: &[MultisplitBinding],
    ) -> Outcome {
        read::reserved(MultisplitRecordInfo::NAME, info.reserved)?;
        let executable = self.ready()?;
        let Some(any) = self.roles.first() else { return Ok(()) };
        // Kept on the stack, because recording must not allocate.
        let nowhere = BufferAt::new(vk::Buffer::null(), 0);
        let mut imports = [(any.buffer, nowhere); MultisplitRole::ALL.len()];
        let too_many = || {
            Failure::invalid(format!(
                "{} bindings were given, but an operation has at most {} buffers",
                bindings.len(),
                MultisplitRole::ALL.len()
            ))
        };
        let imports = imports.get_mut(..bindings.len()).ok_or_else(too_many)?;
        for (count, binding) in bindings.iter().enumerate() {
            imports[count] = self.bound(binding)?;
            let (buffer, _) = imports[count];
            if imports[..count].iter().any(|(other, _)| *other == buffer) {
                let name = read::choice(binding.role)?.name();
                return Err(Failure::invalid(format!("two buffers are bound to `{name}`")));
            }
        }
        let (pool, first, each_pass) = (info.query_pool, info.first_query, info.each_pass != 0);
        let queries = TimestampQueries { pool, first, each_pass };
        let [count, other] = &self.counts;
        let numbers = [self.recorded(count, info.count)?, self.recorded(other, info.other_count)?];
        let bytes = numbers.map(|number| number.unwrap_or_default().to_ne_bytes());
        let values = [0, 1].map(|at| PassValue { pass: self.counts[at].name, bytes: &bytes[at] });
        // Pass only the counts that the plan reads.
        let [first, second] = numbers.map(|number| number.is_some());
        let counts = &values[usize::from(!first)..1 + usize::from(second)];
        let mut pushes = [[0; PUSH_BYTES]; MAX_REPLACED];
        let mut values = [PassValue { pass: "", bytes: &[] }; 2 + MAX_VALUES];
        values[..counts.len()].copy_from_slice(counts);
        // SAFETY: by the caller's contract.
        let new = unsafe {
            let given = read::structure("values", info.values)?;
            given.map(|given| self.replaceable.convert(given)).transpose()?
        };
        let replaced = match &new {
            Some(new) => self.replaceable.replace(new, &mut pushes, &mut values[counts.len()..]),
            None => 0,
        };
        let values = &values[..counts.len() + replaced];
        let options = RecordOptions {
            workspace: self.scratch(&info.workspace)?,
            frame: Some(info.frame as usize),
            values,
            timing: if queries.pool.is_null() { Timing::None } else { Timing::Queries(queries) },
        };
        // SAFETY: guaranteed by the caller; everything that can be checked has been.
        unsafe { executable.record_with(commands, imports, &options)? };
        Ok(())
    }

    /// Records a sort of keys, with optional values and an optional device count. All arrays start at the beginning
    /// of their buffers. Uses the operation's own workspace, and its frames in turn.
    ///
    /// # Safety
    /// As for [`multisplit_record_sort`](crate::short::multisplit_record_sort).
    pub unsafe fn record_sort(
        &self,
        commands: VkCommandBuffer,
        keys: vk::Buffer,
        others: [(MultisplitRole, vk::Buffer); 2],
    ) -> Outcome {
        let executable = self.ready()?;
        let at = |role, buffer: vk::Buffer| {
            let name = MultisplitRole::name(role);
            let found = self.role(role)?;
            match buffer.is_null() {
                true => Err(Failure::null(&format!("buffer `{name}`"))),
                false => Ok((found.buffer, BufferAt::new(buffer, 0))),
            }
        };
        let (mut imports, mut count) = ([at(MultisplitRole::Keys, keys)?; 3], 1);
        for (role, buffer) in others {
            if !buffer.is_null() || self.roles.iter().any(|other| other.role == role) {
                imports[count] = at(role, buffer)?;
                count += 1;
            }
        }
        if self.needed().size > 0 {
            let text = "the operation needs scratch memory; record it with multisplit_record";
            return Err(Failure::invalid(text));
        }
        // SAFETY: by the caller's contract.
        unsafe { executable.record_with(commands, &imports[..count], &RecordOptions::default())? };
        Ok(())
    }

    /// Validates a count that a recording gives. Returns `None` if recordings do not set this count or the plan
    /// does not read it.
    fn recorded(&self, count: &RecordedCount, given: u64) -> Outcome<Option<u32>> {
        let name = count.name;
        let Some(limit) = count.max else {
            return match given {
                0 => Ok(None),
                _ => Err(Failure::invalid(format!(
                    "{name} is {given}, but the operation does not take this count when it is recorded; set it to 0"
                ))),
            };
        };
        let what = if name == COUNT { "number of elements" } else { "other_count" };
        let too_large = || Error::TooLarge { what, asked: given, limit };
        let number = u32::try_from(given).ok().filter(|_| given <= limit).ok_or_else(too_large)?;
        // A plan for at most 0 elements does not read the count.
        let is_read = self.plan.steps().iter().any(|step| step.pass.label == name);
        Ok(is_read.then_some(number))
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
                let text =
                    format!("buffer `{name}` is bound by handle and by address; give one of them");
                return Err(Failure::invalid(text));
            }
        };
        if binding.size < needed {
            return Err(Failure::too_small(&format!("buffer `{name}`"), binding.size, needed));
        }
        let start = if binding.buffer.is_null() { binding.address } else { binding.offset };
        check_end(&format!("buffer `{name}`"), start, needed, binding.size)?;
        Ok((role.buffer, at))
    }

    /// The caller's scratch memory; `None` if none is needed.
    fn scratch(&self, given: &MultisplitBinding) -> Outcome<Option<BufferAt>> {
        read::reserved("MultisplitBinding", given.reserved)?;
        if given.address != 0 {
            return Err(Failure::invalid("the workspace is given by address; give a buffer"));
        }
        if self.options.own_workspace && !given.buffer.is_null() {
            let text = "a workspace is given, but the operation allocates its own; omit it, or create the \
                        operation with caller_workspace";
            return Err(Failure::invalid(text));
        }
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
        check_end("the workspace", given.offset, needed, given.size)?;
        Ok(Some(BufferAt::new(given.buffer, given.offset)))
    }

    pub fn needed(&self) -> MultisplitWorkspace {
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

/// Rejects ranges whose end exceeds 2^64 - 1.
fn check_end(what: &str, start: u64, needed: u64, size: VkDeviceSize) -> Outcome {
    let size = if size == vk::WHOLE_SIZE { needed } else { size };
    match start.checked_add(size) {
        Some(_) => Ok(()),
        None => Err(Failure::new(
            MultisplitResult::MultisplitErrorTooLarge,
            format!(
                "{what} starts at {start} and has {size} bytes, which together exceed 2^64 - 1"
            ),
        )),
    }
}
