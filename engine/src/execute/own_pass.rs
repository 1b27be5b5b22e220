//! Distinguishes passes that this library creates from passes that users create.
//!
//! A built-in kernel stays within its buffers because the operation that dispatches it has checked counts and sizes.
//! A user can dispatch the same kernel with a count that exceeds its buffers. Safety checks therefore depend on who
//! created the pass, not on the kernel.

use std::sync::Arc;

use multisplit_graph::{Graph, Limits, PassBuilder, Plan, PlannedBinding, PlannedPass, Work};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::{self, Builtin};

/// Marks passes that the library has created. The type is private, so other code cannot use the mark.
struct Library;

/// Declares passes whose memory safety the library guarantees.
pub(crate) trait OwnPasses {
    /// Adds a pass. The caller guarantees that the pass stays within its buffers, whatever they contain.
    fn own_pass(&mut self, label: impl Into<String>, kernel: &Arc<Kernel>) -> PassBuilder<'_>;
}

impl OwnPasses for Graph {
    fn own_pass(&mut self, label: impl Into<String>, kernel: &Arc<Kernel>) -> PassBuilder<'_> {
        self.pass(label, kernel).made_by(Library)
    }
}

/// The kernel of a pass; `None` for transfers, and for kernels without SPIR-V.
pub(super) fn kernel_of(pass: &PlannedPass) -> Option<&Arc<Kernel>> {
    pass.kernel.as_ref()?.kernel()
}

/// Finds a pass that may lead to a dispatch of more workgroups than the device allows. There are two kinds: indirect
/// dispatches by user passes, unless `operations::bounded_groups` writes all their workgroup counts with bounds
/// within the device limits; and passes of the library that compute workgroup counts for a higher limit.
pub(super) fn unbounded_dispatch<'p>(plan: &'p Plan, device: &Limits) -> Option<&'p PlannedPass> {
    let passes = || plan.steps().iter().map(|step| &step.pass);
    let is_own = |pass: &PlannedPass, builtin: &Builtin| {
        let label = builtin.label();
        pass.is_made_by::<Library>()
            && kernel_of(pass).is_some_and(|kernel| kernel.label() == label)
    };
    // Whether the push constants from member `first` on do not exceed `limits`. They may have been set for a device
    // with higher limits.
    let pushes_within = |pass: &PlannedPass, first: &str, limits: &[u32]| {
        let block = pass.kernel.as_ref().and_then(|k| k.interface().push_constants.as_ref());
        let member = block.and_then(|block| block.members.iter().find(|m| m.name == first));
        let words = member.and_then(|member| pass.push.get(member.offset as usize..));
        let words = words.unwrap_or_default().chunks_exact(size_of::<u32>());
        let words: Vec<u32> = words.map(bytemuck::pod_read_unaligned).collect();
        words.len() >= limits.len() && words.iter().zip(limits).all(|(word, max)| word <= max)
    };
    let is_bound = |pass: &PlannedPass| {
        let max = &device.max_workgroup_count;
        is_own(pass, &builtin::COUNT_GROUPS) && pushes_within(pass, "max_x", max)
    };
    passes().find(|pass| match pass.work {
        Work::DispatchIndirect { buffer, .. } if !pass.is_made_by::<Library>() => {
            let mut writers = passes().filter(|pass| writes(pass, buffer)).peekable();
            writers.peek().is_none() || !writers.all(is_bound)
        }
        _ => {
            let max = &device.max_workgroup_count[..1];
            is_own(pass, &builtin::COUNT_PREPARE) && !pushes_within(pass, "max_groups", max)
        }
    })
}

/// Whether the pass writes to the buffer, with a kernel or a transfer.
fn writes(pass: &PlannedPass, buffer: usize) -> bool {
    let bound = |binding: &PlannedBinding| binding.buffer == buffer && binding.access.writes();
    let transferred = match &pass.work {
        Work::Fill { view, .. } | Work::Update { view, .. } | Work::Copy { dst: view, .. } => {
            view.buffer == buffer
        }
        Work::Dispatch(_) | Work::DispatchIndirect { .. } => false,
    };
    transferred || pass.bindings.iter().any(bound)
}

/// Whether the pass runs a kernel of an operation, which stays within its buffers only with the push constants that the
/// operation computed.
pub(super) fn needs_own_push_constants(pass: &PlannedPass) -> bool {
    pass.is_made_by::<Library>() && pass.kernel.is_some()
}

/// Whether the pass stays within its buffers, whatever they contain. Checked kernels and user functions compare their
/// indices with the lengths of the buffers, which are not available if buffers are accessed by address.
pub(super) fn is_sound(pass: &PlannedPass, by_address: bool) -> bool {
    let Some(kernel) = kernel_of(pass) else { return true };
    let own = pass.is_made_by::<Library>();
    match by_address {
        true => own && kernel.is_built_in(),
        false => own || kernel.is_checked(),
    }
}
