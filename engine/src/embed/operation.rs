//! A task that is ready to be recorded into an engine's command buffer, any number of times.

use ash::vk;
use multisplit_graph::{self as graph, Graph, Plan, Scope};

use super::task::{COUNT_LABEL, Declaration};
use super::{Elements, Role, Task};
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::execute::executable::{Executable, ExecutableOptions};
use crate::execute::import::{BufferAt, Import, WorkspaceBinding};
use crate::execute::profiler::Timing;
use crate::execute::recorder::{RecordOptions, Word};
use crate::execute::workspace::{self, WorkspaceRequirements};
use crate::memory::{Buffer, Location};
use crate::primitives::Policy;

/// How an [`Operation`] is made.
#[derive(Clone, Debug)]
pub struct OperationOptions {
    /// What the engine did last with a buffer. The recording then begins with the barrier;
    /// without, the engine's own barrier ends in [`RoleContract::first_use`].
    pub entry: Vec<(Role, Scope)>,
    /// What the engine does next with a buffer. The recording then ends with the barrier;
    /// without, the engine's own barrier begins with [`RoleContract::last_use`].
    pub exit: Vec<(Role, Scope)>,
    /// How many recordings may be recorded and yet to run: frames in flight, times the threads
    /// that record.
    pub frames: usize,
    /// Whether the operation brings scratch memory, one piece for each frame; otherwise each
    /// recording is given some.
    pub own_workspace: bool,
    /// Whether kernels take the addresses of buffers instead of binding them
    /// ([`ExecutableOptions::by_address`]).
    pub by_address: bool,
    /// Sizes and methods other than those that suit the device.
    pub policy: Option<Policy>,
}

impl Default for OperationOptions {
    fn default() -> Self {
        let (entry, exit) = (Vec::new(), Vec::new());
        Self { entry, exit, frames: 2, own_workspace: true, by_address: false, policy: None }
    }
}

impl OperationOptions {
    /// The same with what the engine did last with a buffer.
    #[must_use]
    pub fn entry(mut self, role: Role, scope: Scope) -> Self {
        self.entry.push((role, scope));
        self
    }

    /// The same with what the engine does next with a buffer.
    #[must_use]
    pub fn exit(mut self, role: Role, scope: Scope) -> Self {
        self.exit.push((role, scope));
        self
    }

    /// The same with scratch memory given by each recording.
    #[must_use]
    pub fn without_workspace(self) -> Self {
        Self { own_workspace: false, ..self }
    }

    /// The same with buffers by address.
    #[must_use]
    pub fn by_address(self) -> Self {
        Self { by_address: true, ..self }
    }

    /// The same for as many frames in flight.
    #[must_use]
    pub fn frames(self, frames: usize) -> Self {
        Self { frames, ..self }
    }
}

/// What an operation expects of a buffer, and does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoleContract {
    /// Which one.
    pub role: Role,
    /// Bytes that it has at least.
    pub bytes: u64,
    /// What its offset is a multiple of.
    pub alignment: u64,
    /// The usages that it was created with at least.
    pub usage: vk::BufferUsageFlags,
    /// What the engine said it did before: the recording synchronises with it.
    pub entry: Option<Scope>,
    /// What the engine said it does after: the recording synchronises with it.
    pub exit: Option<Scope>,
    /// What the recording does first with it. Where `entry` is `None`, the engine's barrier before
    /// has this as its second scope. `None` where it is not touched at all.
    pub first_use: Option<Scope>,
    /// What the recording does last with it. Where `exit` is `None`, the engine's barrier after has
    /// this as its first scope.
    pub last_use: Option<Scope>,
}

/// What is given to one recording.
#[derive(Clone, Copy, Default)]
pub struct Recording<'r> {
    /// A buffer for each role, in any order.
    pub buffers: &'r [(Role, BufferAt)],
    /// Which of [`OperationOptions::frames`] it is.
    pub frame: usize,
    /// The engine's scratch memory; `None` for the operation's own.
    pub workspace: Option<WorkspaceBinding>,
    /// How many elements, for [`Elements::Recorded`] and only for it.
    pub count: Option<u64>,
    /// Timestamps.
    pub timing: Timing<'r>,
}

/// A task that is ready to be recorded into an engine's command buffer, any number of times.
pub struct Operation {
    executable: Executable,
    roles: Vec<(Role, graph::Buffer)>,
    /// One for each frame, where the operation brings them.
    workspaces: Vec<Buffer>,
    /// The most elements, where each recording says how many.
    most_recorded: Option<u64>,
    /// The step that writes their number; a plan for none at all has no use for it.
    count_step: Option<usize>,
}

impl Context {
    /// Makes everything that recording `task` needs: this is the warm-up.
    pub fn operation(&self, task: &Task, options: &OperationOptions) -> Result<Operation> {
        let (plan, roles) = self.plan_task(task, options)?;
        let most_recorded = match task.elements() {
            Elements::Recorded { most } => Some(most),
            _ => None,
        };
        let count_step = plan.steps().iter().position(|s| s.pass.label == COUNT_LABEL);
        let (size, name) = (plan.workspace().size, plan.name().to_owned());
        let frames = options.frames.max(1);
        let executable = self.instantiate_with(
            plan,
            ExecutableOptions {
                own_workspace: false,
                slots: frames,
                by_address: options.by_address,
            },
        )?;
        let own = if options.own_workspace && size > 0 { frames } else { 0 };
        let workspace = |frame| {
            let name = format!("{name}.workspace.{frame}");
            Buffer::new(&self.device, &name, size, Location::Device)
        };
        let workspaces = (0..own).map(workspace).collect::<Result<_>>()?;
        Ok(Operation { executable, roles, workspaces, most_recorded, count_step })
    }

    /// What an engine that supplies scratch memory for `task` has to supply. It creates no
    /// pipelines.
    pub fn workspace_of(
        &self,
        task: &Task,
        options: &OperationOptions,
    ) -> Result<WorkspaceRequirements> {
        let (plan, _) = self.plan_task(task, options)?;
        workspace::requirements(&self.device, &plan, options.by_address)
    }

    /// What `task` would expect of each of the engine's buffers, and do with them. It creates
    /// nothing.
    pub fn contracts_of(
        &self,
        task: &Task,
        options: &OperationOptions,
    ) -> Result<Vec<RoleContract>> {
        let (plan, roles) = self.plan_task(task, options)?;
        let alignment = self.limits().heap_alignment();
        let one = |role| contract(&plan, role, alignment, options.by_address);
        Ok(roles.into_iter().filter_map(one).collect())
    }

    fn plan_task(
        &self,
        task: &Task,
        options: &OperationOptions,
    ) -> Result<(Plan, Vec<(Role, graph::Buffer)>)> {
        let mut graph = Graph::new(task.name());
        let mut declaration = Declaration { graph: &mut graph, roles: Vec::new() };
        let policy = options.policy.unwrap_or_else(|| self.policy());
        task.declare(&mut declaration, &policy)?;
        let roles = declaration.roles;
        for &(role, scope) in &options.entry {
            graph.entry(find(task.name(), &roles, role)?, scope);
        }
        for &(role, scope) in &options.exit {
            graph.exit(find(task.name(), &roles, role)?, scope);
        }
        Ok((graph.compile(&self.limits())?, roles))
    }
}

impl Operation {
    /// The plan that is recorded.
    pub fn plan(&self) -> &Plan {
        self.executable.plan()
    }

    /// What it expects of each of its buffers, and does with them.
    pub fn contracts(&self) -> impl Iterator<Item = RoleContract> {
        let (plan, alignment) = (self.plan(), self.executable.offset_alignment());
        let by_address = self.executable.is_by_address();
        self.roles.iter().filter_map(move |&role| contract(plan, role, alignment, by_address))
    }

    /// What it expects of one of them; `None` where it has no such buffer.
    pub fn contract(&self, role: Role) -> Option<RoleContract> {
        self.contracts().find(|contract| contract.role == role)
    }

    /// What an engine that supplies scratch memory has to supply.
    pub fn workspace_requirements(&self) -> Result<WorkspaceRequirements> {
        self.executable.workspace_requirements()
    }

    /// How many timestamps a recording writes.
    pub fn timestamp_count(&self, each_pass: bool) -> u32 {
        self.executable.timestamp_count(each_pass)
    }

    /// Records the operation into `commands`. Nothing is submitted, allocated or created.
    ///
    /// # Safety
    /// `commands` is a recording primary or secondary command buffer of the context's device and of
    /// a family with compute, outside a render pass. The buffers are as
    /// [`contracts`](Self::contracts) says, and live until the commands have run, as does the
    /// operation. The engine synchronises with them as the contract says. No other recording of
    /// the same frame is yet to run. A workspace of the engine's is as
    /// [`workspace_requirements`](Self::workspace_requirements) says. Timestamp queries exist and
    /// are reset.
    pub unsafe fn record(
        &self,
        commands: vk::CommandBuffer,
        recording: &Recording<'_>,
    ) -> Result<()> {
        let frame = recording.frame;
        let own = self.workspaces.get(frame);
        let own = own.map(|w| WorkspaceBinding { buffer: w.raw(), offset: 0 });
        let options = RecordOptions {
            workspace: recording.workspace.or(own),
            slot: Some(frame),
            timing: recording.timing,
        };
        let word = self.word(recording.count)?;
        let Some(&(_, any)) = self.roles.first() else { return Ok(()) };
        // As many as there are roles, so on the stack.
        let nowhere = BufferAt::new(vk::Buffer::null(), 0);
        let mut imports = [Import { import: any, at: nowhere }; Role::ALL.len()];
        for (count, &(role, at)) in recording.buffers.iter().enumerate() {
            let import = find(self.plan().name(), &self.roles, role)?;
            let earlier = recording.buffers.get(..count).unwrap_or_default();
            let entry = imports.get_mut(count);
            match entry.filter(|_| !earlier.iter().any(|(other, _)| *other == role)) {
                Some(entry) => *entry = Import { import, at },
                None => return Err(problem(self.plan().name(), "two buffers are given for", role)),
            }
        }
        let imports = imports.get(..recording.buffers.len()).unwrap_or_default();
        // SAFETY: by the caller's contract.
        unsafe { self.executable.record_counted(commands, imports, &options, word) }
    }

    /// The number of elements, where the recording says it.
    fn word(&self, count: Option<u64>) -> Result<Option<Word>> {
        let name = self.plan().name();
        match (self.most_recorded, count) {
            (None, None) => Ok(None),
            (None, Some(_)) => {
                Err(problem(name, "does not take from the recording its", Role::Count))
            }
            (Some(_), None) => Err(problem(name, "the recording does not say the", Role::Count)),
            (Some(limit), Some(asked)) if asked > limit => {
                Err(Error::TooLarge { what: "number of elements", asked, limit })
            }
            // At most `most`, which passes have found to be a word.
            (Some(_), Some(n)) => Ok(self.count_step.map(|step| Word { step, value: n as u32 })),
        }
    }
}

fn contract(
    plan: &Plan,
    (role, buffer): (Role, graph::Buffer),
    alignment: u64,
    by_address: bool,
) -> Option<RoleContract> {
    let index = plan.index_of(buffer)?;
    let contract = plan.buffers().get(index)?.contract()?;
    Some(RoleContract {
        role,
        bytes: buffer.size(),
        alignment,
        // Also of a buffer that is not touched: Vulkan has none of no use.
        usage: workspace::usage(plan, by_address, |other| other == index)
            | workspace::shader_usage(by_address),
        entry: contract.entry,
        exit: contract.exit,
        first_use: contract.first_use,
        last_use: contract.last_use,
    })
}

fn find(name: &str, roles: &[(Role, graph::Buffer)], role: Role) -> Result<graph::Buffer> {
    let found = roles.iter().find(|(other, _)| *other == role).map(|(_, buffer)| *buffer);
    found.ok_or_else(|| problem(name, "it has no", role))
}

fn problem(plan: &str, problem: &'static str, role: Role) -> Error {
    Error::ImportBinding { plan: plan.to_owned(), problem, name: role.name().to_owned() }
}
