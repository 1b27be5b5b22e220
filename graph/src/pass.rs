//! What a pass is: a kernel (or a transfer), the buffers bound to it, and how much of it runs.

use std::any::TypeId;
use std::sync::Arc;

use multisplit_shaders::{Interface, Kernel, PushConstants, PushField};

use crate::graph::Graph;
use crate::resource::View;

/// The shader of a pass. Planning only needs its [`Interface`], so a pass can also be planned
/// from a description, without any SPIR-V; only a real [`Kernel`] can be executed.
#[derive(Clone, Debug)]
pub struct PassKernel(Source);

#[derive(Clone, Debug)]
enum Source {
    Kernel(Arc<Kernel>),
    Described { label: String, interface: Arc<Interface> },
}

impl PassKernel {
    /// A shader known by its interface alone: enough to plan with.
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

    /// What the shader expects from the host.
    pub fn interface(&self) -> &Interface {
        match &self.0 {
            Source::Kernel(kernel) => kernel.interface(),
            Source::Described { interface, .. } => interface,
        }
    }

    /// The kernel, unless the shader is only described.
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

/// How many workgroups a dispatch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Groups {
    /// At least this many, numbered `gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x`.
    /// A count past `maxComputeWorkGroupCount[0]` is folded into y, which can round it up by
    /// less than the number of rows: the kernel ignores groups past its count.
    Linear(u64),
    /// Exactly these in x, y and z.
    Xyz([u32; 3]),
}

impl Groups {
    /// `count` groups in a row, folded into y where they do not fit into x. Zero is legal, and
    /// makes the pass a no-op.
    pub fn linear(count: u64) -> Self {
        Self::Linear(count)
    }

    /// Exactly these groups in x, y and z.
    pub fn xyz(groups: [u32; 3]) -> Self {
        Self::Xyz(groups)
    }
}

/// A pass of one graph, for [`Graph::order`], [`Graph::keep`] and [`Graph::settable`].
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
    /// The contents on entry do not matter to the pass.
    pub scratch: bool,
}

/// Push constants as declared.
#[derive(Clone, Debug)]
pub(crate) struct PushDecl {
    pub bytes: Vec<u8>,
    /// The layout of the struct they came from; `None` for plain bytes.
    pub fields: Option<&'static [PushField]>,
}

/// How much of a kernel runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    Groups(Groups),
    Indirect(View),
}

/// What a pass does.
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

/// A pass as declared.
#[derive(Clone, Debug)]
pub(crate) struct PassDecl {
    pub label: String,
    pub action: Action,
}

/// A pass under construction; [`dispatch`](Self::dispatch) or
/// [`dispatch_indirect`](Self::dispatch_indirect) adds it to the graph.
///
/// Nothing here fails: what is wrong with a pass is reported, with its label, by
/// [`Graph::compile`].
#[must_use = "a pass joins the graph when it is dispatched"]
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

    /// Binds a view to the binding called `name`. Whether it is read or written is the kernel's
    /// own word.
    pub fn bind(self, name: impl Into<String>, view: impl Into<View>) -> Self {
        self.add(name.into(), view.into(), false)
    }

    /// Like [`bind`](Self::bind), for a binding whose contents on entry do not matter because the
    /// pass writes every byte before it reads it. Such a pass depends on no earlier writer's
    /// data, and may use a transient that nobody has written yet.
    pub fn scratch(self, name: impl Into<String>, view: impl Into<View>) -> Self {
        self.add(name.into(), view.into(), true)
    }

    /// The push constants. Names, offsets and sizes of the struct's fields are held against the
    /// kernel's block when the graph is compiled. The last call counts.
    pub fn push<T: PushConstants>(mut self, constants: &T) -> Self {
        self.push = Some(PushDecl { bytes: constants.to_bytes(), fields: Some(T::FIELDS) });
        self
    }

    /// The push constants as bytes, of which only the size is checked. The last call counts.
    pub fn push_bytes(mut self, bytes: &[u8]) -> Self {
        self.push = Some(PushDecl { bytes: bytes.to_vec(), fields: None });
        self
    }

    /// Gives the specialization constant called `name` a value (its 32-bit pattern). The last
    /// call for a name counts.
    pub fn specialize(mut self, name: impl Into<String>, value: u32) -> Self {
        let name = name.into();
        self.specialize.retain(|(other, _)| *other != name);
        self.specialize.push((name, value));
        self
    }

    /// Says who made the pass, by a type. A library that keeps the type private can tell its own
    /// passes from others in a plan ([`PlannedPass::is_made_by`](crate::PlannedPass::is_made_by)):
    /// nobody else has a value of it to give.
    pub fn made_by<M: 'static>(mut self, _maker: M) -> Self {
        self.maker = Some(TypeId::of::<M>());
        self
    }

    /// Adds the pass to the graph with this many workgroups.
    pub fn dispatch(self, groups: Groups) -> PassId {
        self.finish(Extent::Groups(groups))
    }

    /// Adds the pass to the graph with as many workgroups as the first 12 bytes of `groups` say
    /// when it runs (a `VkDispatchIndirectCommand`, at a multiple of 4 bytes).
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
