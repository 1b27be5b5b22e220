//! Declaration of a pass: a kernel or a transfer, its buffers, and its workgroup count.

use std::any::TypeId;
use std::sync::Arc;

use multisplit_shaders::{Interface, Kernel, PushConstants, PushField};

use crate::graph::Graph;
use crate::resource::View;

/// The shader of a pass. Planning requires only its [`Interface`], so a pass can be planned
/// without SPIR-V. Execution requires a [`Kernel`].
#[derive(Clone, Debug)]
pub struct PassKernel(Source);

#[derive(Clone, Debug)]
enum Source {
    Kernel(Arc<Kernel>),
    Described { label: String, interface: Arc<Interface> },
}

impl PassKernel {
    /// Creates a shader that can be planned but not executed, from its interface.
    pub fn described(label: impl Into<String>, interface: Interface) -> Self {
        Self(Source::Described { label: label.into(), interface: Arc::new(interface) })
    }

    /// The kernel's dotted lower-case name.
    pub fn label(&self) -> &str {
        match &self.0 {
            Source::Kernel(kernel) => kernel.label(),
            Source::Described { label, .. } => label,
        }
    }

    /// The bindings, push constants and specialization constants of the shader.
    pub fn interface(&self) -> &Interface {
        match &self.0 {
            Source::Kernel(kernel) => kernel.interface(),
            Source::Described { interface, .. } => interface,
        }
    }

    /// The kernel; `None` if the shader was created by [`described`](Self::described).
    pub fn kernel(&self) -> Option<&Arc<Kernel>> {
        match &self.0 {
            Source::Kernel(kernel) => Some(kernel),
            Source::Described { .. } => None,
        }
    }
}

impl From<Arc<Kernel>> for PassKernel {
    fn from(kernel: Arc<Kernel>) -> Self {
        Self(Source::Kernel(kernel))
    }
}

impl From<&Arc<Kernel>> for PassKernel {
    fn from(kernel: &Arc<Kernel>) -> Self {
        Self::from(Arc::clone(kernel))
    }
}

impl From<&Self> for PassKernel {
    fn from(kernel: &Self) -> Self {
        kernel.clone()
    }
}

/// Workgroup count of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Groups {
    /// At least this many workgroups, with the linear index
    /// `gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x`. If the count exceeds
    /// `maxComputeWorkGroupCount[0]`, the dispatch extends in y as well. This can add up to
    /// `gl_NumWorkGroups.y - 1` surplus workgroups, which the kernel must ignore.
    Linear(u64),
    /// Exact workgroup counts in x, y and z.
    Xyz([u32; 3]),
}

impl Groups {
    /// At least `count` workgroups with linear indices ([`Groups::Linear`]). With a count of zero,
    /// the pass is a no-op.
    pub fn linear(count: u64) -> Self {
        Self::Linear(count)
    }

    /// Exact workgroup counts in x, y and z.
    pub fn xyz(groups: [u32; 3]) -> Self {
        Self::Xyz(groups)
    }
}

/// Handle to a pass, for [`Graph::order`], [`Graph::keep`] and [`Graph::settable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PassId {
    pub(crate) graph: u64,
    pub(crate) index: usize,
}

/// A buffer bound to a binding of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct BindDecl {
    pub name: String,
    pub view: View,
    /// Whether the pass ignores the contents on entry.
    pub scratch: bool,
}

/// Declared push constants.
#[derive(Clone, Debug)]
pub(crate) struct PushDecl {
    pub bytes: Vec<u8>,
    /// Layout of the source struct; `None` for plain bytes.
    pub fields: Option<&'static [PushField]>,
}

/// Workgroup count of a dispatch, or the view that contains it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    Groups(Groups),
    Indirect(View),
}

/// The command of a declared pass.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Dispatch {
        kernel: PassKernel,
        binds: Vec<BindDecl>,
        push: Option<PushDecl>,
        specialize: Vec<(String, u32)>,
        extent: Extent,
        maker: Option<TypeId>,
    },
    Fill {
        view: View,
        value: u32,
    },
    Copy {
        src: View,
        dst: View,
    },
    Update {
        view: View,
        bytes: Vec<u8>,
    },
}

/// A declared pass.
#[derive(Clone, Debug)]
pub(crate) struct PassDecl {
    pub label: String,
    pub action: Action,
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
    kernel: PassKernel,
    binds: Vec<BindDecl>,
    push: Option<PushDecl>,
    specialize: Vec<(String, u32)>,
    maker: Option<TypeId>,
}

impl<'g> PassBuilder<'g> {
    pub(crate) fn new(graph: &'g mut Graph, label: String, kernel: PassKernel) -> Self {
        let (binds, specialize) = (Vec::new(), Vec::new());
        Self { graph, label, kernel, binds, push: None, specialize, maker: None }
    }

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
        self.push = Some(PushDecl { bytes: constants.to_bytes(), fields: Some(T::FIELDS) });
        self
    }

    /// Sets the push constants as raw bytes. [`Graph::compile`] checks only their size. A later
    /// call replaces the constants.
    pub fn push_bytes(mut self, bytes: &[u8]) -> Self {
        self.push = Some(PushDecl { bytes: bytes.to_vec(), fields: None });
        self
    }

    /// Sets the specialization constant called `name` to a 32-bit pattern. A later call with the
    /// same name replaces the value.
    pub fn specialize(mut self, name: impl Into<String>, value: u32) -> Self {
        let name = name.into();
        self.specialize.retain(|(other, _)| *other != name);
        self.specialize.push((name, value));
        self
    }

    /// Tags the pass with a marker type. A library with a private marker type can identify its
    /// passes in a plan ([`PlannedPass::is_made_by`](crate::PlannedPass::is_made_by)), because
    /// other code cannot create a value of that type.
    pub fn made_by<M: 'static>(mut self, _maker: M) -> Self {
        self.maker = Some(TypeId::of::<M>());
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
        self.binds.push(BindDecl { name, view, scratch });
        self
    }

    fn finish(self, extent: Extent) -> PassId {
        let Self { graph, label, kernel, binds, push, specialize, maker } = self;
        let action = Action::Dispatch { kernel, binds, push, specialize, extent, maker };
        graph.add_pass(label, action)
    }
}
