//! Kernels: SPIR-V, together with the interface that is reflected from it.
//!
//! The scheduler and the engine take the binding names, reads and writes, push-constant layout and workgroup size of a
//! shader from its SPIR-V. They are not repeated in Rust code, where they could disagree. Only push constants may also
//! have Rust structs, whose layout is compared with the SPIR-V.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::spirv::check::{self, CheckError, MemoryUse};
use crate::spirv::interface::{Interface, ReflectError};
use crate::spirv::reflect;
use crate::spirv::subgroup_barriers;

/// A compute shader ready to become a pipeline, with its reflected [`Interface`].
pub struct Kernel {
    label: Cow<'static, str>,
    spirv: Cow<'static, [u32]>,
    /// SPIR-V for access to buffers by address, if it is different.
    for_addresses: Option<Vec<u32>>,
    interface: Interface,
    subgroup_barriers: bool,
    origin: Origin,
}

/// Origin of a kernel, which determines how far it is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Part of this library.
    BuiltIn,
    /// A user's GLSL, compiled by this library, checked and rewritten.
    Checked,
    /// Part of this library, with a checked user function.
    #[cfg(feature = "compile")]
    WithFunction,
    /// A user's SPIR-V, whose validity was not verified, even if its accesses were checked.
    Foreign,
}

impl Kernel {
    /// Creates a kernel from `spirv` without checking its safety ([`Kernel::is_foreign`]). `label` is the dotted
    /// lower-case name (`scan.reduce`) that passes, debug labels, tracing spans and error messages use.
    pub fn new(
        label: impl Into<Cow<'static, str>>,
        spirv: impl Into<Cow<'static, [u32]>>,
    ) -> Result<Arc<Self>, ReflectError> {
        Self::of(label.into(), spirv.into(), Origin::Foreign).map(Arc::new)
    }

    /// Checks the compute shader in `spirv`, and rewrites it so that it stays within its buffers, whatever
    /// they contain: indices are clamped, and divisions, shifts and conversions are guarded. Shaders that
    /// cannot be made safe are rejected. This assumes valid SPIR-V, which is not verified here: the kernel is
    /// sound only if the words come from the compiler ([`Kernel::from_glsl`]).
    ///
    /// ```
    /// use multisplit_shaders::Kernel;
    ///
    /// assert!(Kernel::checked("user.nothing", &[]).is_err()); // not a module
    /// ```
    pub fn checked(
        label: impl Into<Cow<'static, str>>,
        spirv: &[u32],
    ) -> Result<Arc<Self>, CheckError> {
        Self::rewritten(label.into(), spirv, Origin::Foreign)
    }

    fn rewritten(
        label: Cow<'static, str>,
        spirv: &[u32],
        origin: Origin,
    ) -> Result<Arc<Self>, CheckError> {
        let spirv = check::shader(spirv)?;
        Ok(Arc::new(Self::of(label, spirv.into(), origin)?))
    }

    /// Compiles a user's compute shader and checks it, as [`Kernel::checked`] does.
    ///
    /// ```
    /// use multisplit_shaders::Kernel;
    /// use multisplit_shaders::compile::Source;
    ///
    /// let glsl = "#version 460
    ///     layout(local_size_x = 64) in;
    ///     layout(set = 0, binding = 0) buffer Data { uint at[]; } data;
    ///     void main() { if (gl_LocalInvocationIndex == 0) barrier(); }";
    /// let refused = Kernel::from_glsl("user.half", &Source::new("half.comp", glsl));
    /// assert!(refused.is_err_and(|e| e.to_string().contains("only a part of the workgroup")));
    /// ```
    #[cfg(feature = "compile")]
    pub fn from_glsl(
        label: impl Into<Cow<'static, str>>,
        source: &crate::spirv::compile::Source<'_>,
    ) -> Result<Arc<Self>, crate::spirv::compile::CompileError> {
        let texts = source.includes.iter().map(|(_, text)| *text);
        texts.chain([source.glsl]).try_for_each(check::source::check)?;
        let spirv = crate::spirv::compile::compile(source)?;
        Ok(Self::rewritten(label.into(), &spirv, Origin::Checked)?)
    }

    /// Creates a kernel that is part of this library.
    pub(crate) fn built_in(
        label: &'static str,
        spirv: Vec<u32>,
    ) -> Result<Arc<Self>, ReflectError> {
        Self::of(label.into(), spirv.into(), Origin::BuiltIn).map(Arc::new)
    }

    /// Creates a kernel that is part of this library, with a checked user function. In the words `for_addresses`,
    /// accesses to the function's table are not clamped.
    #[cfg(feature = "compile")]
    pub(crate) fn with_checked_function(
        label: String,
        spirv: Vec<u32>,
        for_addresses: Vec<u32>,
    ) -> Result<Arc<Self>, ReflectError> {
        let mut kernel = Self::of(label.into(), spirv.into(), Origin::WithFunction)?;
        kernel.for_addresses = Some(for_addresses);
        Ok(Arc::new(kernel))
    }

    fn of(
        label: Cow<'static, str>,
        spirv: Cow<'static, [u32]>,
        origin: Origin,
    ) -> Result<Self, ReflectError> {
        let interface = reflect::reflect(&spirv)?;
        let subgroup_barriers = subgroup_barriers::has_subgroup_barriers(&spirv);
        Ok(Self { label, spirv, for_addresses: None, interface, subgroup_barriers, origin })
    }

    /// Whether this is a user's GLSL shader that was checked and rewritten ([`Kernel::from_glsl`]): it stays within its
    /// bindings and variables, whatever they contain and whatever is dispatched.
    pub fn is_checked(&self) -> bool {
        self.origin == Origin::Checked
    }

    /// Whether this kernel is part of this library, without a user's function. It stays within its buffers if its
    /// sizes and counts match them, which the engine's operations ensure.
    pub fn is_built_in(&self) -> bool {
        self.origin == Origin::BuiltIn
    }

    /// Whether the kernel comes from a user's SPIR-V ([`Kernel::new`], [`Kernel::checked`]), whose validity was not
    /// verified.
    pub fn is_foreign(&self) -> bool {
        self.origin == Origin::Foreign
    }

    /// Whether the kernel contains a `subgroupBarrier()`, which is a control barrier of subgroup scope.
    pub fn has_subgroup_barriers(&self) -> bool {
        self.subgroup_barriers
    }

    /// Returns the memory that the kernel uses in addition to buffers, with these specialization constants.
    /// `value_of` maps a `constant_id` to its value, or to `None` for the default. Fails if no pipeline can be
    /// created with them, for example because of an empty array, a division by zero, or, if
    /// [`Kernel::is_checked`], more than [`check::MAX_LOCAL_BYTES`] of local variables.
    pub fn memory(&self, value_of: impl Fn(u32) -> Option<u32>) -> Result<MemoryUse, CheckError> {
        let memory = check::memory_of(&self.spirv, &value_of)?;
        if self.origin == Origin::Checked {
            check::check_local(&self.interface.entry_point, memory.local_bytes)?;
        }
        Ok(memory)
    }

    /// Shared memory in bytes per workgroup; see [`Kernel::memory`].
    pub fn shared_bytes(&self, value_of: impl Fn(u32) -> Option<u32>) -> Result<u64, CheckError> {
        Ok(self.memory(value_of)?.shared_bytes)
    }

    /// The SPIR-V words for [`crate::address::by_address`]. Addresses have no length, so with these words, a user's
    /// function can read past the end of its table.
    #[doc(hidden)]
    pub fn spirv_for_addresses(&self) -> &[u32] {
        self.for_addresses.as_deref().unwrap_or(&self.spirv)
    }

    /// The dotted lower-case name.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The SPIR-V words.
    pub fn spirv(&self) -> &[u32] {
        &self.spirv
    }

    /// The interface between shader and host.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel")
            .field("label", &self.label)
            .field("words", &self.spirv.len())
            .field("origin", &self.origin)
            .field("interface", &self.interface)
            .finish()
    }
}
