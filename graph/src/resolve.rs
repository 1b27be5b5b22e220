//! Validates a declared pass and resolves it into its command and memory accesses.

use multisplit_shaders::{Binding, BindingKind, Interface, check_layout};

use crate::access::{Access, Scope, Stages};
use crate::check::{Checker, WORD, fold_groups};
use crate::error::GraphError;
use crate::graph::Graph;
use crate::limits::Limits;
use crate::pass::{Action, BindDecl, Extent, Groups, PassDecl, PushDecl, ShaderDecl};
use crate::plan::{PlannedBinding, PlannedPass, PlannedView, Work};
use crate::resource::{Kind, View};
use crate::sync::ByteRange;

/// Size of a `VkDispatchIndirectCommand`.
const INDIRECT_BYTES: u64 = 12;
/// Maximum `dataSize` of `vkCmdUpdateBuffer`.
const MAX_UPDATE_BYTES: u64 = 65536;

/// A valid pass with all handles resolved.
pub(crate) struct CheckedPass {
    /// The pass; its level is assigned by the schedule.
    pub planned: PlannedPass,
    pub kept: bool,
    pub uses: Vec<Use>,
    /// All stages of the pass, including those without memory accesses.
    pub stages: Stages,
}

/// An access of a pass to a byte range of a buffer, in one stage.
#[derive(Clone)]
pub(crate) struct Use {
    /// Name of the binding, or of the role in a transfer or an indirect dispatch.
    pub name: String,
    pub buffer: usize,
    pub bytes: ByteRange,
    /// A single stage.
    pub stage: Stages,
    pub reads: Access,
    pub writes: Access,
    /// Whether the pass writes every byte before it reads it, so that the previous contents are
    /// irrelevant.
    pub scratch: bool,
}

impl Use {
    fn new(name: &str, view: PlannedView, scope: Scope) -> Self {
        Self {
            name: name.to_owned(),
            buffer: view.buffer,
            bytes: ByteRange { start: view.offset, end: view.offset + view.size },
            stage: scope.stages,
            reads: scope.access.reads(),
            writes: scope.access.writes(),
            scratch: false,
        }
    }

    /// Whether the pass reads the previous contents of the bytes.
    pub fn needs_contents(&self) -> bool {
        !self.reads.is_empty() && !self.scratch
    }

    /// Whether both accesses have bytes in common, and at least one of them is a write.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.buffer == other.buffer
            && !(self.writes.is_empty() && other.writes.is_empty())
            && self.bytes.overlaps(other.bytes)
    }
}

pub(crate) fn resolve_pass(
    graph: &Graph,
    decl: &PassDecl,
    limits: &Limits,
) -> Result<CheckedPass, GraphError> {
    let checker = Checker { graph, limits, pass: &decl.label };
    let checked = match &decl.action {
        Action::Dispatch(shader, extent) => checker.dispatch(shader, *extent)?,
        Action::Fill { view, value } => {
            let view = checker.word_view("fill", *view)?;
            let uses = vec![Use::new("fill", view, Scope::TRANSFER_WRITE)];
            checker.transfer(Work::Fill { view, value: *value }, uses)
        }
        Action::Copy { src, dst } => checker.copy(*src, *dst)?,
        Action::Update { view, bytes } => checker.update(*view, bytes)?,
    };
    checker.check_status_words(&checked.uses)?;
    checker.check_constants(&checked.uses)?;
    checker.check_alias_conflicts(&checked.uses)?;
    Ok(checked)
}

impl Checker<'_> {
    fn dispatch(&self, shader: &ShaderDecl, extent: Extent) -> Result<CheckedPass, GraphError> {
        let interface = shader.kernel.interface();
        let binds = shader.binds.as_slice();
        self.check_binding_names(interface, binds)?;
        let mut bindings = Vec::new();
        let mut uses = Vec::new();
        for binding in &interface.bindings {
            let planned = self.resolve_binding(binding, binds)?;
            // Status words need no synchronization, because passes only set them with atomics.
            if self.graph.buffers[planned.buffer].kind != Kind::StatusWord {
                uses.push(binding_use(&planned));
            }
            bindings.push(planned);
        }
        let specialization = self.specialization(interface, &shader.specialize)?;
        self.check_workgroup_size(interface, &specialization)?;
        let mut stages = Stages::COMPUTE_SHADER;
        let work = match extent {
            Extent::Groups(groups) => Work::Dispatch(self.workgroup_counts(groups)?),
            Extent::Indirect(view) => {
                let view = self.indirect_view(view)?;
                stages |= Stages::DRAW_INDIRECT;
                uses.push(Use::new("indirect", view, Scope::INDIRECT_READ));
                Work::DispatchIndirect { buffer: view.buffer, offset: view.offset }
            }
        };
        let planned = PlannedPass {
            bindings,
            push: self.push_bytes(interface, shader.push.as_ref())?,
            specialization,
            kernel: Some(shader.kernel.clone()),
            maker: shader.maker,
            ..self.planned(work)
        };
        Ok(CheckedPass { planned, kept: false, uses, stages })
    }

    fn transfer(&self, work: Work, uses: Vec<Use>) -> CheckedPass {
        let planned = self.planned(work);
        CheckedPass { planned, kept: false, uses, stages: Stages::TRANSFER }
    }

    /// Creates a planned pass without a kernel.
    fn planned(&self, work: Work) -> PlannedPass {
        PlannedPass {
            label: self.pass.to_owned(),
            level: 0,
            work,
            bindings: Vec::new(),
            push: Vec::new(),
            specialization: Vec::new(),
            kernel: None,
            settable: false,
            maker: None,
        }
    }

    fn copy(&self, src: View, dst: View) -> Result<CheckedPass, GraphError> {
        let (src, dst) = (self.view("src", src)?, self.view("dst", dst)?);
        self.check_same_size(dst, src.size)?;
        let uses = vec![
            Use::new("src", src, Scope::TRANSFER_READ),
            Use::new("dst", dst, Scope::TRANSFER_WRITE),
        ];
        Ok(self.transfer(Work::Copy { src, dst }, uses))
    }

    fn update(&self, view: View, bytes: &[u8]) -> Result<CheckedPass, GraphError> {
        let view = self.word_view("update", view)?;
        self.check_same_size(view, bytes.len() as u64)?;
        self.check_limit("update", "dataSize of vkCmdUpdateBuffer", view.size, MAX_UPDATE_BYTES)?;
        let uses = vec![Use::new("update", view, Scope::TRANSFER_WRITE)];
        Ok(self.transfer(Work::Update { view, bytes: bytes.to_vec() }, uses))
    }

    /// Checks that every bound name exists in the kernel and is bound only once.
    fn check_binding_names(
        &self,
        interface: &Interface,
        binds: &[BindDecl],
    ) -> Result<(), GraphError> {
        for (index, bind) in binds.iter().enumerate() {
            let (pass, binding) = (self.pass.to_owned(), bind.name.clone());
            if interface.binding(&bind.name).is_none() {
                let known: Vec<_> = interface.bindings.iter().map(|b| b.name.as_str()).collect();
                return Err(GraphError::UnknownBinding { pass, binding, known: known.join(", ") });
            }
            if binds[..index].iter().any(|other| other.name == bind.name) {
                return Err(GraphError::BoundTwice { pass, binding });
            }
        }
        Ok(())
    }

    fn resolve_binding(
        &self,
        binding: &Binding,
        binds: &[BindDecl],
    ) -> Result<PlannedBinding, GraphError> {
        let Binding { name, set, binding: number, kind, access, .. } = binding;
        let names = || (self.pass.to_owned(), name.clone());
        let Some(bind) = binds.iter().find(|bind| bind.name == *name) else {
            let (pass, binding) = names();
            return Err(GraphError::UnboundBinding { pass, binding });
        };
        if bind.scratch && !access.writes() {
            let (pass, binding) = names();
            return Err(GraphError::ScratchReadOnly { pass, binding });
        }
        let view = self.view(name, bind.view)?;
        let limits = self.limits;
        let (alignment, max, limit) = match kind {
            BindingKind::Storage => {
                (limits.storage_alignment, limits.max_storage_range, "maxStorageBufferRange")
            }
            BindingKind::Uniform => {
                (limits.uniform_alignment, limits.max_uniform_range, "maxUniformBufferRange")
            }
        };
        self.check_aligned(view, "offset", view.offset, alignment)?;
        self.check_limit(name, limit, view.size, max)?;
        self.check_binding_fits(binding, view)?;
        Ok(PlannedBinding {
            set: *set,
            binding: *number,
            kind: *kind,
            name: name.clone(),
            buffer: view.buffer,
            offset: view.offset,
            size: view.size,
            access: *access,
            scratch: bind.scratch,
        })
    }

    /// Checks that the view is large enough for the fixed-size members of the binding and one
    /// element, and that one of the element sizes of the buffer and the binding is a multiple of
    /// the other.
    fn check_binding_fits(&self, binding: &Binding, view: PlannedView) -> Result<(), GraphError> {
        let stride = u64::from(binding.element_stride.unwrap_or(0));
        let needed = u64::from(binding.fixed_size) + stride;
        let buffer = &self.graph.buffers[view.buffer];
        self.check_min_size(&binding.name, view, needed)?;
        match buffer.element.bytes().map(u64::from) {
            Some(element) if stride > 0 && element % stride != 0 && stride % element != 0 => {
                let (pass, buffer) = self.pass_and_buffer(view.buffer);
                let binding = binding.name.clone();
                Err(GraphError::ElementMismatch { pass, binding, buffer, element, stride })
            }
            _ => Ok(()),
        }
    }

    /// Returns the specialization constants as pairs of `constant_id` and value, sorted.
    fn specialization(
        &self,
        interface: &Interface,
        specialize: &[(String, u32)],
    ) -> Result<Vec<(u32, u32)>, GraphError> {
        let mut values = Vec::new();
        for (name, value) in specialize {
            let Some(constant) = interface.spec_constant(name) else {
                let (pass, constant) = (self.pass.to_owned(), name.clone());
                return Err(GraphError::UnknownConstant { pass, constant });
            };
            values.push((constant.id, *value));
        }
        values.sort_unstable();
        Ok(values)
    }

    fn check_workgroup_size(
        &self,
        interface: &Interface,
        values: &[(u32, u32)],
    ) -> Result<(), GraphError> {
        let value_of = |id| values.iter().find(|(other, _)| *other == id).map(|(_, value)| *value);
        let size = interface.workgroup_size(value_of).map(u64::from);
        for (size, max) in size.into_iter().zip(self.limits.max_workgroup_size) {
            self.check_limit("workgroup size", "maxComputeWorkGroupSize", size, u64::from(max))?;
        }
        let invocations = size.into_iter().fold(1, u64::saturating_mul);
        if invocations == 0 {
            return Err(GraphError::EmptyWorkgroup { pass: self.pass.to_owned() });
        }
        let max = u64::from(self.limits.max_workgroup_invocations);
        self.check_limit("workgroup size", "maxComputeWorkGroupInvocations", invocations, max)
    }

    /// Returns the workgroup counts of a dispatch. Fails if they exceed the device limits.
    fn workgroup_counts(&self, groups: Groups) -> Result<[u32; 3], GraphError> {
        let max = self.limits.max_workgroup_count;
        let (at, limit) = ("workgroups", "maxComputeWorkGroupCount");
        match groups {
            Groups::Xyz(groups) => {
                for (count, max) in groups.into_iter().zip(max) {
                    self.check_limit(at, limit, u64::from(count), u64::from(max))?;
                }
                Ok(groups)
            }
            Groups::Linear(count) => match fold_groups(count, max) {
                Some(groups) => Ok(groups),
                None => {
                    let max = u64::from(max[0]) * u64::from(max[1]);
                    Err(self.limit_exceeded(at, limit, count, max))
                }
            },
        }
    }

    fn indirect_view(&self, view: View) -> Result<PlannedView, GraphError> {
        let view = self.view("indirect", view)?;
        self.check_min_size("indirect", view, INDIRECT_BYTES)?;
        self.check_aligned(view, "offset", view.offset, WORD)?;
        Ok(PlannedView { size: INDIRECT_BYTES, ..view })
    }

    fn push_bytes(
        &self,
        interface: &Interface,
        push: Option<&PushDecl>,
    ) -> Result<Vec<u8>, GraphError> {
        let pass = self.pass.to_owned();
        let expected = interface.push_constants.as_ref().map_or(0, |block| block.size);
        let given = match push {
            None if expected > 0 => return Err(GraphError::MissingPush { pass, expected }),
            None => &[],
            Some(push) => push.bytes.as_slice(),
        };
        if let (Some(block), Some(fields)) =
            (&interface.push_constants, push.and_then(|push| push.fields))
            && let Err(mismatch) = check_layout(block, fields)
        {
            return Err(GraphError::PushLayout { pass, mismatch });
        }
        if given.len() as u64 != u64::from(expected) {
            return Err(GraphError::PushSize { pass, expected, given: given.len() });
        }
        let max = u64::from(self.limits.max_push_bytes);
        self.check_limit("push constants", "maxPushConstantsSize", u64::from(expected), max)?;
        Ok(given.to_vec())
    }

    /// Rejects status words in transfers and indirect dispatches. Kernel bindings of status words
    /// are not part of `uses`.
    fn check_status_words(&self, uses: &[Use]) -> Result<(), GraphError> {
        let is_status = |used: &&Use| self.graph.buffers[used.buffer].kind == Kind::StatusWord;
        let Some(used) = uses.iter().find(is_status) else { return Ok(()) };
        let (pass, buffer) = self.pass_and_buffer(used.buffer);
        Err(GraphError::StatusWord { pass, buffer })
    }

    /// Rejects passes that write a constant.
    fn check_constants(&self, uses: &[Use]) -> Result<(), GraphError> {
        let is_constant = |used: &&Use| self.graph.buffers[used.buffer].kind == Kind::Constant;
        let mut written = uses.iter().filter(|used| !used.writes.is_empty());
        let Some(used) = written.find(is_constant) else { return Ok(()) };
        let (pass, buffer) = self.pass_and_buffer(used.buffer);
        Err(GraphError::ConstantWritten { pass, buffer })
    }

    /// Rejects overlapping uses of a buffer if one of them writes, because accesses within a pass
    /// are unordered.
    fn check_alias_conflicts(&self, uses: &[Use]) -> Result<(), GraphError> {
        for (index, second) in uses.iter().enumerate() {
            if let Some(first) = uses[..index].iter().find(|first| first.conflicts(second)) {
                let (pass, buffer) = self.pass_and_buffer(second.buffer);
                let (first, second) = (first.name.clone(), second.name.clone());
                return Err(GraphError::AliasConflict { pass, buffer, first, second });
            }
        }
        Ok(())
    }
}

fn binding_use(binding: &PlannedBinding) -> Use {
    let mut access = Access::empty();
    if binding.access.reads() {
        access |= match binding.kind {
            BindingKind::Storage => Access::SHADER_STORAGE_READ,
            BindingKind::Uniform => Access::UNIFORM_READ,
        };
    }
    if binding.access.writes() {
        access |= Access::SHADER_STORAGE_WRITE;
    }
    let PlannedBinding { buffer, offset, size, .. } = *binding;
    let scope = Scope::new(Stages::COMPUTE_SHADER, access);
    let used = Use::new(&binding.name, PlannedView { buffer, offset, size }, scope);
    Use { scratch: binding.scratch, ..used }
}
