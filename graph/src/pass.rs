//! Declarations of passes: a kernel or a transfer, its buffers, and its workgroup count.

use std::any::TypeId;
use std::sync::Arc;

use multisplit_shaders::{Interface, Kernel, PushField};

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

    /// The kernel's name.
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

/// Handle to a pass, for [`Graph::order`](crate::Graph::order),
/// [`Graph::keep`](crate::Graph::keep) and [`Graph::settable`](crate::Graph::settable).
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
    /// Whether the pass writes every byte before it reads it, so that the previous contents are
    /// irrelevant.
    pub scratch: bool,
}

/// Declared push constants.
#[derive(Clone, Debug)]
pub(crate) struct PushDecl {
    pub bytes: Vec<u8>,
    /// Layout of the Rust struct; `None` if plain bytes were given.
    pub fields: Option<&'static [PushField]>,
}

/// The shader of a dispatch and its arguments.
#[derive(Clone, Debug)]
pub(crate) struct ShaderDecl {
    pub kernel: PassKernel,
    pub binds: Vec<BindDecl>,
    pub push: Option<PushDecl>,
    pub specialize: Vec<(String, u32)>,
    pub maker: Option<TypeId>,
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
    Dispatch(ShaderDecl, Extent),
    Fill { view: View, value: u32 },
    Copy { src: View, dst: View },
    Update { view: View, bytes: Vec<u8> },
}

#[derive(Clone, Debug)]
pub(crate) struct PassDecl {
    pub label: String,
    pub action: Action,
}
