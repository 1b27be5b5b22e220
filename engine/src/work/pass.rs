//! User-defined passes.

use std::sync::Arc;

use bytemuck::NoUninit;
use multisplit_graph::{Groups, PassBuilder, PassId, PassKernel, View};

use super::{Operand, Work};
use crate::error::Result;
use crate::operations::{self, Count};
use crate::shaders::Kernel;
#[cfg(feature = "glsl")]
use crate::shaders::compile::Source;

/// Returns the smallest number of workgroups of `size` threads that contain at least `n` threads.
pub fn threads(n: u64, size: u32) -> Groups {
    Groups::linear(n.div_ceil(u64::from(size.max(1))))
}

/// A pass under construction. [`dispatch`](Self::dispatch) adds it to the work. Errors in the pass
/// are reported with its label when the work is planned.
#[must_use = "a pass is added to the work only when `dispatch` is called"]
pub struct WorkPass<'w> {
    work: &'w mut Work,
    label: String,
    kernel: PassKernel,
    binds: Vec<(String, View)>,
    push: Option<Vec<u8>>,
    constants: Vec<(String, u32)>,
}

impl Work {
    /// Starts a pass that runs a GLSL compute shader. The source is compiled and checked: it may
    /// only access its bindings. Out-of-bounds accesses are prevented.
    #[cfg(feature = "glsl")]
    pub fn glsl(&mut self, label: impl Into<String>, source: &str) -> Result<WorkPass<'_>> {
        let label = label.into();
        let kernel = Kernel::from_glsl(label.clone(), &Source::new(&label, source))?;
        Ok(self.pass(label, kernel))
    }

    /// Starts a pass that runs `kernel`. If the kernel was created from the caller's SPIR-V, the
    /// plan must be instantiated with
    /// [`Context::instantiate_foreign`](crate::Context::instantiate_foreign).
    pub fn pass(&mut self, label: impl Into<String>, kernel: Arc<Kernel>) -> WorkPass<'_> {
        let (label, kernel, binds, constants) =
            (label.into(), kernel.into(), Vec::new(), Vec::new());
        WorkPass { work: self, label, kernel, binds, push: None, constants }
    }
}

impl WorkPass<'_> {
    /// Binds an array to the binding `name`. If the array is limited by a host count, only its
    /// first elements are bound. A device count has no effect here; the shader must read the count
    /// itself. The shader declares whether it reads or writes the binding.
    pub fn bind<A: Operand>(mut self, name: impl Into<String>, array: A) -> Self {
        let array = self.work.declare(array);
        let view = match array.limit {
            Some(Count::Host(n)) => {
                array.buffer.range(0, n.saturating_mul(size_of::<A::Item>() as u64))
            }
            _ => array.buffer.into(),
        };
        self.binds.push((name.into(), view));
        self
    }

    /// Sets the push constants. `T` must have the layout of the shader's push constant block. Later
    /// runs can replace them ([`Frame::set`](crate::Frame::set) with the label of the pass).
    pub fn push<T: NoUninit>(mut self, constants: &T) -> Self {
        self.push = Some(bytemuck::bytes_of(constants).to_vec());
        self
    }

    /// Sets the specialization constant called `name` to a 32-bit pattern.
    pub fn specialize(mut self, name: impl Into<String>, value: u32) -> Self {
        self.constants.push((name.into(), value));
        self
    }

    /// Adds the pass to the work with this many workgroups.
    pub fn dispatch(self, groups: Groups) {
        self.finish(|pass| pass.dispatch(groups));
    }

    /// Adds the pass to the work. The workgroup counts are read from the first three words of
    /// `groups` when the pass runs, and clamped to the limits of the device.
    pub fn dispatch_indirect(self, groups: impl Operand<Item = u32>) -> Result<()> {
        let groups = self.work.declare(groups).buffer;
        let limits = self.work.context.limits();
        let bounded = operations::bounded_groups(&mut self.work.graph, &limits, groups)?;
        self.finish(|pass| pass.dispatch_indirect(bounded));
        Ok(())
    }

    fn finish(self, dispatch: impl FnOnce(PassBuilder<'_>) -> PassId) {
        let Self { work, label, kernel, binds, push, constants } = self;
        // Push constants that are set later are zero until then.
        let block = kernel.interface().push_constants.as_ref().map(|block| block.size as usize);
        let push = push.or_else(|| block.map(|size| vec![0; size]));
        let mut pass = work.graph.pass(label, kernel);
        for (name, view) in binds {
            pass = pass.bind(name, view);
        }
        for (name, value) in constants {
            pass = pass.specialize(name, value);
        }
        if let Some(push) = push {
            pass = pass.push_bytes(&push);
        }
        let pass = dispatch(pass);
        // Only the push constants of user-defined passes may be replaced, because the kernels of
        // built-in operations do not validate theirs.
        work.graph.settable(pass);
    }
}
