//! How the buffers of a plan are bound to its kernels: where each buffer is for one recording, and
//! push descriptors or, on devices without them, descriptor sets made beforehand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ash::vk;
use multisplit_graph::{Place, Plan, PlannedBinding};

use crate::device::Device;
use crate::error::{Error, Result, VkResultExt};
use crate::executor::{Import, WorkspaceBinding};
use crate::pipeline::{MAX_BINDINGS, Pipeline, descriptor_type};

/// Most imports a plan may have; where they are is then resolved on the stack.
const MAX_IMPORTS: usize = 32;

/// Where the plan's buffers are for one recording.
pub(crate) struct Places<'p> {
    plan: &'p Plan,
    imports: [(usize, vk::Buffer, u64); MAX_IMPORTS],
    count: usize,
    workspace: (vk::Buffer, u64),
}

impl<'p> Places<'p> {
    pub fn resolve(
        device: &Device,
        plan: &'p Plan,
        imports: &[Import],
        workspace: Option<WorkspaceBinding>,
    ) -> Result<Self> {
        let problem = |problem, name: &str| {
            Err(Error::ImportBinding { plan: plan.name.clone(), problem, name: name.to_owned() })
        };
        let workspace = match workspace {
            Some(given) => (given.buffer, given.offset),
            None if plan.workspace.size == 0 => (vk::Buffer::null(), 0),
            None => return problem("no memory was given for", "workspace"),
        };
        let mut this =
            Self { plan, imports: [(0, vk::Buffer::null(), 0); MAX_IMPORTS], count: 0, workspace };
        let alignment = device.properties.graph_limits().heap_alignment();
        let check = |name: &str, offset: u64| {
            if offset.is_multiple_of(alignment) {
                return Ok(());
            }
            let (plan, name) = (plan.name.clone(), name.to_owned());
            Err(Error::Misaligned { plan, name, offset, alignment })
        };
        check("workspace", workspace.1)?;
        for (index, planned, contract) in plan.imports() {
            let given = imports.iter().find(|i| plan.index_of(i.import) == Some(index));
            match given {
                Some(given) => {
                    check(&planned.name, given.offset)?;
                    let Some(entry) = this.imports.get_mut(this.count) else {
                        return problem("too many imports, at", &planned.name);
                    };
                    *entry = (index, given.buffer, given.offset);
                    this.count += 1;
                }
                None if contract.first_use.is_none() => {}
                None => return problem("no buffer was given for import", &planned.name),
            }
        }
        if let Some(stranger) = imports.iter().find(|i| plan.index_of(i.import).is_none()) {
            return problem("the plan has no import", &format!("#{}", stranger.import.index()));
        }
        Ok(this)
    }

    /// Buffer and offset of byte `offset` of the plan's buffer `index`.
    pub fn at(&self, index: usize, offset: u64) -> (vk::Buffer, u64) {
        match self.plan.place(index, offset) {
            Some(Place::Import { buffer, offset }) => self.imports[..self.count]
                .iter()
                .find(|(i, ..)| *i == buffer)
                .map_or((vk::Buffer::null(), 0), |(_, raw, base)| (*raw, base + offset)),
            Some(Place::Workspace { offset }) => (self.workspace.0, self.workspace.1 + offset),
            None => (vk::Buffer::null(), 0),
        }
    }

    fn info(&self, binding: &PlannedBinding) -> vk::DescriptorBufferInfo {
        let (buffer, offset) = self.at(binding.buffer, binding.offset);
        vk::DescriptorBufferInfo { buffer, offset, range: binding.size }
    }

    /// Calls `body` with the descriptor writes of one pass, all on the stack.
    fn with_writes(
        &self,
        set: vk::DescriptorSet,
        bindings: &[PlannedBinding],
        body: impl FnOnce(&[vk::WriteDescriptorSet<'_>]),
    ) {
        let mut infos = [vk::DescriptorBufferInfo::default(); MAX_BINDINGS];
        for (info, binding) in infos.iter_mut().zip(bindings) {
            *info = self.info(binding);
        }
        let mut writes = [vk::WriteDescriptorSet::default(); MAX_BINDINGS];
        for ((write, info), binding) in writes.iter_mut().zip(infos.chunks(1)).zip(bindings) {
            *write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding.binding)
                .descriptor_type(descriptor_type(binding.kind))
                .buffer_info(info);
        }
        body(&writes[..bindings.len().min(MAX_BINDINGS)]);
    }
}

/// How buffers are bound when recording.
pub(crate) enum Descriptors {
    /// Written into the command buffer itself.
    Push,
    /// In sets that were allocated beforehand.
    Sets(SetRing),
}

/// The descriptors of one recording.
pub(crate) struct Slot<'e> {
    sets: Option<&'e [vk::DescriptorSet]>,
}

impl Descriptors {
    /// Sets for `slots` recordings of the steps with these pipelines.
    pub fn sets<'s>(
        device: &Arc<Device>,
        plan: &Plan,
        pipelines: impl Iterator<Item = Option<&'s Pipeline>> + Clone,
        slots: usize,
    ) -> Result<Self> {
        Ok(Self::Sets(SetRing::new(device, plan, pipelines, slots)?))
    }

    /// Takes the next slot; its sets, if any, are written here.
    pub fn begin(&self, device: &Device, plan: &Plan, places: &Places<'_>) -> Slot<'_> {
        let Self::Sets(ring) = self else { return Slot { sets: None } };
        let sets = ring.next();
        for (set, step) in sets.iter().zip(&plan.steps) {
            places.with_writes(*set, &step.pass.bindings, |writes| {
                // SAFETY: the caller of `record` promises that no more recordings are alive than
                // there are slots, so this slot's sets are not in use.
                unsafe { device.raw.update_descriptor_sets(writes, &[]) };
            });
        }
        Slot { sets: Some(sets) }
    }
}

impl Slot<'_> {
    /// # Safety
    /// `commands` is recording, and `pipeline` is bound.
    pub unsafe fn bind(
        &self,
        device: &Device,
        commands: vk::CommandBuffer,
        step: usize,
        pipeline: &Pipeline,
        bindings: &[PlannedBinding],
        places: &Places<'_>,
    ) {
        let (point, layout) = (vk::PipelineBindPoint::COMPUTE, pipeline.layout);
        match (self.sets, &device.push_descriptor) {
            // SAFETY: recording; the set was allocated with this pipeline's layout.
            (Some(sets), _) => unsafe {
                let set = &sets[step..=step];
                device.raw.cmd_bind_descriptor_sets(commands, point, layout, 0, set, &[]);
            },
            (None, Some(functions)) => {
                places.with_writes(vk::DescriptorSet::null(), bindings, |writes| {
                    // SAFETY: recording; the layout was made for push descriptors.
                    unsafe {
                        functions.cmd_push_descriptor_set(commands, point, layout, 0, writes);
                    }
                });
            }
            (None, None) => {}
        }
    }
}

/// Descriptor sets for several recordings, used in turn.
pub(crate) struct SetRing {
    device: Arc<Device>,
    pool: vk::DescriptorPool,
    /// One row a slot, one set a step (null for transfers).
    sets: Vec<Vec<vk::DescriptorSet>>,
    next: AtomicUsize,
}

impl SetRing {
    fn new<'s>(
        device: &Arc<Device>,
        plan: &Plan,
        pipelines: impl Iterator<Item = Option<&'s Pipeline>> + Clone,
        slots: usize,
    ) -> Result<Self> {
        let count = |wanted: vk::DescriptorType| {
            let bindings = plan.steps.iter().flat_map(|s| &s.pass.bindings);
            let per_slot = bindings.filter(|b| descriptor_type(b.kind) == wanted).count();
            let size = vk::DescriptorPoolSize::default().ty(wanted);
            // A pool size of zero is not allowed.
            size.descriptor_count((per_slot * slots).max(1) as u32)
        };
        let sizes =
            [count(vk::DescriptorType::STORAGE_BUFFER), count(vk::DescriptorType::UNIFORM_BUFFER)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets((plan.steps.len() * slots).max(1) as u32)
            .pool_sizes(&sizes);
        // SAFETY: a live device.
        let pool = unsafe { device.raw.create_descriptor_pool(&info, None) };
        let pool = pool.during("vkCreateDescriptorPool")?;
        // From here on, dropping `this` destroys the pool.
        let mut this =
            Self { device: device.clone(), pool, sets: Vec::new(), next: AtomicUsize::new(0) };
        for _ in 0..slots {
            let row: Result<Vec<_>> = pipelines.clone().map(|p| this.allocate(p)).collect();
            this.sets.push(row?);
        }
        Ok(this)
    }

    fn allocate(&self, pipeline: Option<&Pipeline>) -> Result<vk::DescriptorSet> {
        let Some(pipeline) = pipeline else { return Ok(vk::DescriptorSet::null()) };
        let layouts = [pipeline.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&layouts);
        // SAFETY: the pool was sized for this.
        let sets = unsafe { self.device.raw.allocate_descriptor_sets(&info) };
        Ok(sets.during("vkAllocateDescriptorSets")?.first().copied().unwrap_or_default())
    }

    fn next(&self) -> &[vk::DescriptorSet] {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        &self.sets[turn % self.sets.len()]
    }
}

impl Drop for SetRing {
    fn drop(&mut self) {
        // SAFETY: the executable goes only when no recording of it is in use.
        unsafe { self.device.raw.destroy_descriptor_pool(self.pool, None) };
    }
}
