//! Runs whole plans without Vulkan: the planner's steps are plain data.

use multisplit_graph::{
    BufferPlacement, Place, Plan, PlannedBinding, PlannedPass, PlannedView, Work,
};

use crate::error::{MachineError, Result};
use crate::finding_kind::FindingKind;
use crate::machine::{Binding, Buffer, Launch, Machine};
use crate::memory::{Bound, Record};
use crate::timeline::Stage;

/// Options of a plan run.
#[derive(Clone, Copy, Debug)]
pub struct PlanOptions {
    /// Number of submissions, without waits in between.
    pub runs: u32,
    /// Whether kernels take addresses instead of bindings.
    pub by_address: bool,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self { runs: 1, by_address: false }
    }
}

/// Number of workgroups per dimension that every Vulkan device supports. A larger count is a defect
/// of the kernel that wrote it.
const MAX_GROUPS: u32 = 65_535;

/// A plan with memory for its buffers.
struct Instance<'p> {
    plan: &'p Plan,
    /// The import of each planned buffer, if it is one.
    imports: Vec<Option<Buffer>>,
    workspace: Option<Buffer>,
    constants: Option<Buffer>,
    state: Option<Buffer>,
    /// One buffer that serves as the status word of all passes.
    status: Buffer,
    by_address: bool,
}

impl Machine {
    /// Runs a plan with imports given by name, and waits for it. Plans must be replayable if they
    /// run more than once.
    pub fn run(
        &mut self,
        plan: &Plan,
        imports: &[(&str, Buffer)],
        options: PlanOptions,
    ) -> Result<()> {
        self.run_after(plan, imports, options, |_, _| {})
    }

    /// Like [`Self::run`], but calls `prepare` with the number of each run before it.
    pub fn run_after(
        &mut self,
        plan: &Plan,
        imports: &[(&str, Buffer)],
        options: PlanOptions,
        mut prepare: impl FnMut(&mut Self, u32),
    ) -> Result<()> {
        let named = |name: &str| imports.iter().find(|(n, _)| *n == name).map(|(_, own)| *own);
        let imports = plan.buffers().iter().map(|buffer| named(&buffer.name)).collect();
        let bytes = plan.workspace().size;
        let workspace = (bytes > 0).then(|| self.buffer("workspace", bytes));
        let by_address = options.by_address;
        let constants = (plan.constants_size() > 0).then(|| {
            let mut words = vec![0; plan.constants_size().div_ceil(4) as usize];
            for (offset, bytes) in plan.constants() {
                for (word, value) in words[offset as usize / 4..].iter_mut().zip(packed(bytes)) {
                    *word = value;
                }
            }
            self.upload("constants", &words)
        });
        let bytes = plan.state_size();
        let state = (bytes > 0).then(|| self.upload("state", &vec![0; bytes.div_ceil(4) as usize]));
        let status = self.upload("status word", &[0]);
        let instance = Instance { plan, imports, workspace, constants, state, status, by_address };
        for run in 0..options.runs {
            prepare(self, run);
            let mut level = None;
            for step in plan.steps() {
                if let Some(barrier) = &step.barrier {
                    self.timeline.barrier(barrier);
                }
                if level != Some(step.pass.level) {
                    level = Some(step.pass.level);
                    self.forget(&instance, step.pass.level);
                }
                self.run_pass(&instance, &step.pass)?;
                if self.options.first_only && !self.findings.is_empty() {
                    return Ok(());
                }
            }
            if let Some(exit) = plan.exit() {
                self.timeline.barrier(exit);
            }
        }
        self.timeline.wait();
        Ok(())
    }

    /// Marks the transients whose first use is at `level` as unwritten.
    fn forget(&mut self, instance: &Instance<'_>, level: u32) {
        for (index, buffer) in instance.plan.buffers().iter().enumerate() {
            let transient = matches!(buffer.placement, BufferPlacement::Transient { .. });
            if transient
                && buffer.first_level == Some(level)
                && let Ok((region, offset)) = instance.place(index, 0)
            {
                let words = (offset / 4) as usize..(offset + buffer.size).div_ceil(4) as usize;
                self.memory.regions[region].cells.set_written(words, false);
            }
        }
    }

    fn run_pass(&mut self, instance: &Instance<'_>, pass: &PlannedPass) -> Result<()> {
        match &pass.work {
            Work::Dispatch(groups) => self.run_kernel(instance, pass, Some(*groups), None),
            Work::DispatchIndirect { buffer, offset } => {
                let place = instance.place(*buffer, *offset)?;
                self.run_kernel(instance, pass, None, Some(place))
            }
            Work::Fill { view, value } => {
                let number = self.begin(&pass.label, None);
                for place in instance.words(view)? {
                    self.transfer(number, place, *value);
                }
                Ok(())
            }
            Work::Copy { src, dst } => {
                let number = self.begin(&pass.label, None);
                for ((from, at), to) in instance.words(src)?.zip(instance.words(dst)?) {
                    self.touch(number, Stage::Transfer, from, at, false);
                    self.transfer(number, to, self.memory.regions[from].cells.words[at]);
                }
                Ok(())
            }
            Work::Update { view, bytes } => {
                let number = self.begin(&pass.label, None);
                for (place, word) in instance.words(view)?.zip(packed(bytes)) {
                    self.transfer(number, place, word);
                }
                Ok(())
            }
        }
    }

    /// Writes a word in a transfer.
    fn transfer(&mut self, pass: u32, (region, at): (usize, usize), word: u32) {
        self.touch(pass, Stage::Transfer, region, at, true);
        self.memory.regions[region].cells.words[at] = word;
    }

    fn run_kernel(
        &mut self,
        instance: &Instance<'_>,
        pass: &PlannedPass,
        groups: Option<[u32; 3]>,
        indirect: Option<(usize, u64)>,
    ) -> Result<()> {
        let Some(kernel) = pass.kernel.as_ref().and_then(|k| k.kernel()) else {
            return Err(instance.problem(format!("pass `{}` has no SPIR-V", pass.label)));
        };
        let bindings = pass.bindings.iter().map(|binding| instance.binding(binding));
        let bindings = bindings.collect::<Result<Vec<_>>>()?;
        let mut launch = Launch {
            label: &pass.label,
            kernel,
            specialization: &pass.specialization,
            push: &pass.push,
            bindings: &bindings,
            groups: groups.unwrap_or([0; 3]),
            by_address: instance.by_address,
        };
        let program = self.program(&launch)?;
        let number = self.begin(&pass.label, Some(program.clone()));
        if let Some((region, offset)) = indirect {
            let first = (offset / 4) as usize;
            for (k, count) in launch.groups.iter_mut().enumerate() {
                self.touch(number, Stage::Indirect, region, first + k, false);
                *count = self.memory.regions[region].cells.words[first + k];
            }
        }
        if launch.groups.iter().any(|&count| count > MAX_GROUPS) {
            let (region, offset) = indirect.unwrap_or((0, 0));
            let record = Record { pass: number, ..Record::default() };
            self.report(FindingKind::TooManyGroups, &record, None, region, (offset / 4) as usize);
            return Ok(());
        }
        self.launch(number, &program, &launch)
    }
}

/// Packs bytes into words.
fn packed(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks(4).map(|word| word.iter().rev().fold(0, |w, &byte| w << 8 | u32::from(byte)))
}

impl Instance<'_> {
    fn problem(&self, problem: String) -> MachineError {
        MachineError::plan(self.plan.name(), problem)
    }

    /// The region and byte offset of a byte of a planned buffer.
    fn place(&self, buffer: usize, offset: u64) -> Result<(usize, u64)> {
        let (memory, offset) = match self.plan.place(buffer, offset) {
            Some(Place::Import { buffer, offset }) => (self.imports[buffer], offset),
            Some(Place::Workspace { offset }) => (self.workspace, offset),
            Some(Place::Constant { offset }) => (self.constants, offset),
            Some(Place::State { offset }) => (self.state, offset),
            Some(Place::StatusWord { .. }) => (Some(self.status), 0),
            None => (None, 0),
        };
        let no_memory = || self.problem(format!("`{}` has no memory", self.name(buffer)));
        Ok((memory.ok_or_else(no_memory)?.0, offset))
    }

    fn name(&self, buffer: usize) -> &str {
        self.plan.buffers().get(buffer).map_or("?", |b| b.name.as_str())
    }

    fn binding(&self, planned: &PlannedBinding) -> Result<Binding> {
        let (region, offset) = self.place(planned.buffer, planned.offset)?;
        let name = format!("{} ({})", planned.name, self.name(planned.buffer));
        let bound = Bound { name, region, offset, size: planned.size };
        Ok(Binding { set: planned.set, binding: planned.binding, bound })
    }

    /// Region and index of each word of a view.
    fn words(&self, view: &PlannedView) -> Result<impl Iterator<Item = (usize, usize)>> {
        let (region, offset) = self.place(view.buffer, view.offset)?;
        let first = (offset / 4) as usize;
        Ok((first..first + (view.size / 4) as usize).map(move |at| (region, at)))
    }
}
