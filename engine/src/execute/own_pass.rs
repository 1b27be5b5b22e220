//! Which passes of a plan are the library's own?
//!
//! A built-in kernel stays within its buffers because the primitive that dispatches it has checked
//! counts and sizes. The same kernel in a graph of the user's, with a count past its buffers, does
//! not. So it is the pass that is trusted, not the kernel.

use std::sync::Arc;

use multisplit_graph::{Graph, PassBuilder, PlannedPass};
use multisplit_shaders::Kernel;

/// The maker of the library's passes. It never leaves the crate, so nobody else can claim to be it.
struct Library;

/// Declares passes that the library answers for.
pub(crate) trait OwnPasses {
    /// Begins a pass, of which the caller has made sure that it stays within its buffers, whatever
    /// they hold.
    fn own_pass(&mut self, label: impl Into<String>, kernel: &Arc<Kernel>) -> PassBuilder<'_>;
}

impl OwnPasses for Graph {
    fn own_pass(&mut self, label: impl Into<String>, kernel: &Arc<Kernel>) -> PassBuilder<'_> {
        self.pass(label, kernel).made_by(Library)
    }
}

/// Whether the pass stays within its buffers, whatever they hold. A buffer that is an address has no
/// length, by which checked kernels and users' functions are kept within it.
pub(super) fn is_sound(pass: &PlannedPass, by_address: bool) -> bool {
    let Some(kernel) = pass.kernel.as_ref().and_then(|kernel| kernel.kernel()) else { return true };
    let own = pass.is_made_by::<Library>();
    match by_address {
        true => own && kernel.is_built_in(),
        false => own || kernel.is_checked(),
    }
}
