//! A pass of the caller's own among those of some work.

use std::sync::Arc;

use bytemuck::NoUninit;
use multisplit_graph::{Groups, PassBuilder, PassId, PassKernel, View};

use super::{Operand, Work};
use crate::error::Result;
use crate::primitives::{self, Count};
use crate::shaders::Kernel;
#[cfg(feature = "glsl")]
use crate::shaders::compile::Source;

/// As many workgroups of `size` threads as have `n` threads or more.
pub fn threads(n: u64, size: u32) -> Groups {
    Groups::linear(n.div_ceil(u64::from(size.max(1))))
}

/// A pass under construction; [`dispatch`](Self::dispatch) adds it to the work. What is wrong with it
/// is reported when the work is planned, with its label.
#[must_use = "a pass joins the work when it is dispatched"]
pub struct WorkPass<'w> {
    work: &'w mut Work,
    label: String,
    kernel: PassKernel,
    binds: Vec<(String, View)>,
    push: Option<Vec<u8>>,
    constants: Vec<(String, u32)>,
}

impl Work {
    /// Begins a pass that runs a compute shader in GLSL. The source is compiled, checked (it may
    /// touch its bindings and nothing else), and made to stay inside of them.
    #[cfg(feature = "glsl")]
    pub fn glsl(&mut self, label: impl Into<String>, source: &str) -> Result<WorkPass<'_>> {
        let label = label.into();
        let kernel = Kernel::from_glsl(label.clone(), &Source::new(&label, source))?;
        Ok(self.pass(label, kernel))
    }

    /// Begins a pass that runs `kernel`. One made from SPIR-V of the caller's own can only be
    /// executed by [`Context::instantiate_foreign`](crate::Context::instantiate_foreign).
    pub fn pass(&mut self, label: impl Into<String>, kernel: Arc<Kernel>) -> WorkPass<'_> {
        WorkPass {
            work: self,
            label: label.into(),
            kernel: kernel.into(),
            binds: Vec::new(),
            push: None,
            constants: Vec::new(),
        }
    }
}

impl WorkPass<'_> {
    /// Binds an array to the binding called `name`; of its first elements by a host count only these,
    /// while a device count is for the shader to read. Whether it is read or written is the shader's own
    /// word.
    pub fn bind<A: Operand>(mut self, name: impl Into<String>, array: A) -> Self {
        let buffer = array.declare(self.work);
        let view = match array.limit() {
            Some(Count::Host(n)) => buffer.range(0, n.saturating_mul(size_of::<A::Item>() as u64)),
            _ => buffer.into(),
        };
        self.binds.push((name.into(), view));
        self
    }

    /// The push constants: a plain type, laid out as the shader's block. They can be set anew for
    /// each run, under the label of the pass.
    pub fn push<T: NoUninit>(mut self, constants: &T) -> Self {
        self.push = Some(bytemuck::bytes_of(constants).to_vec());
        self
    }

    /// Gives the specialization constant called `name` a value (its 32-bit pattern).
    pub fn specialize(mut self, name: impl Into<String>, value: u32) -> Self {
        self.constants.push((name.into(), value));
        self
    }

    /// Adds the pass to the work with this many workgroups.
    pub fn dispatch(self, groups: Groups) {
        self.finish(|pass| pass.dispatch(groups));
    }

    /// Adds the pass to the work with as many workgroups as the first three words of `groups` say
    /// when it runs, and no more in each direction than the device allows.
    pub fn dispatch_indirect(self, groups: impl Operand<Item = u32>) -> Result<()> {
        let groups = groups.declare(self.work);
        let limits = self.work.context.limits();
        let bounded = primitives::bounded_groups(&mut self.work.graph, &limits, groups)?;
        self.finish(|pass| pass.dispatch_indirect(bounded));
        Ok(())
    }

    fn finish(self, dispatch: impl FnOnce(PassBuilder<'_>) -> PassId) {
        let Self { work, label, kernel, binds, push, constants } = self;
        // Push constants that are set later begin as zeros.
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
        // The caller's own passes only: those of primitives trust what they are pushed.
        work.graph.settable(pass);
    }
}
