//! Builds a dispatch pass, argument by argument.

use std::any::TypeId;

use multisplit_shaders::PushConstants;

use crate::graph::Graph;
use crate::pass::{Action, BindDecl, Extent, Groups, PassId, PassKernel, PushDecl, ShaderDecl};
use crate::resource::View;

impl Graph {
    /// Starts a pass that runs `kernel`. By convention, `label` is a dotted lower-case name
    /// (`scan.reduce`).
    pub fn pass(
        &mut self,
        label: impl Into<String>,
        kernel: impl Into<PassKernel>,
    ) -> PassBuilder<'_> {
        let (kernel, binds, specialize) = (kernel.into(), Vec::new(), Vec::new());
        let shader = ShaderDecl { kernel, binds, push: None, specialize, maker: None };
        PassBuilder { graph: self, label: label.into(), shader }
    }
}

/// A pass under construction; [`dispatch`](Self::dispatch) or
/// [`dispatch_indirect`](Self::dispatch_indirect) adds it to the graph.
///
/// Declarations never fail. [`Graph::compile`] reports errors, with the label of the pass.
#[must_use = "a pass is added to the graph when it is dispatched"]
#[derive(Debug)]
pub struct PassBuilder<'g> {
    graph: &'g mut Graph,
    label: String,
    shader: ShaderDecl,
}

impl PassBuilder<'_> {
    /// Binds a view to the binding called `name`. The kernel determines whether the view is read
    /// or written.
    pub fn bind(self, name: impl Into<String>, view: impl Into<View>) -> Self {
        self.add(name.into(), view.into(), false)
    }

    /// Like [`bind`](Self::bind), for a view that the pass uses as scratch memory: it writes every
    /// byte before reading it. The pass then does not depend on the data of earlier writers, and
    /// the view may be an unwritten transient.
    pub fn scratch(self, name: impl Into<String>, view: impl Into<View>) -> Self {
        self.add(name.into(), view.into(), true)
    }

    /// Sets the push constants. [`Graph::compile`] checks the names, offsets and sizes of the
    /// fields against the kernel's block. A later call replaces the constants.
    pub fn push<T: PushConstants>(mut self, constants: &T) -> Self {
        self.shader.push = Some(PushDecl { bytes: constants.to_bytes(), fields: Some(T::FIELDS) });
        self
    }

    /// Sets the push constants as raw bytes. [`Graph::compile`] checks only their size. A later
    /// call replaces the constants.
    pub fn push_bytes(mut self, bytes: &[u8]) -> Self {
        self.shader.push = Some(PushDecl { bytes: bytes.to_vec(), fields: None });
        self
    }

    /// Sets the specialization constant called `name` to a 32-bit pattern. A later call with the
    /// same name replaces the value.
    pub fn specialize(mut self, name: impl Into<String>, value: u32) -> Self {
        let name = name.into();
        self.shader.specialize.retain(|(other, _)| *other != name);
        self.shader.specialize.push((name, value));
        self
    }

    /// Tags the pass with a marker type. If a library uses a private marker type, it can identify
    /// its own passes in a plan ([`PlannedPass::is_made_by`](crate::PlannedPass::is_made_by)):
    /// other code cannot create a value of that type.
    pub fn made_by<M: 'static>(mut self, _maker: M) -> Self {
        self.shader.maker = Some(TypeId::of::<M>());
        self
    }

    /// Adds the pass to the graph, with a fixed workgroup count.
    pub fn dispatch(self, groups: Groups) -> PassId {
        self.finish(Extent::Groups(groups))
    }

    /// Adds the pass to the graph, with a workgroup count read from `groups` at execution. The
    /// view must start with a 12-byte `VkDispatchIndirectCommand`, at an offset that is a multiple
    /// of 4.
    pub fn dispatch_indirect(self, groups: impl Into<View>) -> PassId {
        self.finish(Extent::Indirect(groups.into()))
    }

    fn add(mut self, name: String, view: View, scratch: bool) -> Self {
        self.shader.binds.push(BindDecl { name, view, scratch });
        self
    }

    fn finish(self, extent: Extent) -> PassId {
        self.graph.add_pass(self.label, Action::Dispatch(self.shader, extent))
    }
}
