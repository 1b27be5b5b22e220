//! What combines elements: one of the built-in operators, or a function of the user's in GLSL.

#[cfg(feature = "glsl")]
use std::sync::Arc;

#[cfg(feature = "glsl")]
use multisplit_shaders::Kernel;
#[cfg(feature = "glsl")]
use multisplit_shaders::builtin::Builtin;
#[cfg(feature = "glsl")]
use multisplit_shaders::check::UserFunction;

use super::term::Operator;
#[cfg(feature = "glsl")]
use super::{
    key::{Key, KeyType},
    multisplit::glsl,
};
#[cfg(feature = "glsl")]
use crate::error::{Error, Result};

/// What scans and reductions combine elements by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnyOperator {
    /// One of the built-in operators.
    BuiltIn(Operator),
    /// One in GLSL.
    #[cfg(feature = "glsl")]
    Glsl(GlslOperator),
}

impl Default for AnyOperator {
    fn default() -> Self {
        Self::BuiltIn(Operator::default())
    }
}

impl From<Operator> for AnyOperator {
    fn from(operator: Operator) -> Self {
        Self::BuiltIn(operator)
    }
}

#[cfg(feature = "glsl")]
impl From<GlslOperator> for AnyOperator {
    fn from(operator: GlslOperator) -> Self {
        Self::Glsl(operator)
    }
}

#[cfg(feature = "glsl")]
impl From<&GlslOperator> for AnyOperator {
    fn from(operator: &GlslOperator) -> Self {
        Self::Glsl(operator.clone())
    }
}

/// An operator in GLSL: `K combined(K a, K b)`, K being `uint`, `int`, `float`, `uint64_t`, `int64_t` or
/// `double` after the type of the elements (`double` needs a device with `shaderFloat64`), and the element
/// that changes nothing when it is combined with another, on either side.
///
/// The operator has to be associative: how elements are grouped depends on the device, its policy and the
/// count; it is the same from run to run. It need not be commutative: elements are combined in their order.
/// It computes, and does nothing else: a function that writes memory, waits at a barrier, or reads what is
/// not its own is refused. Divisions, shifts and conversions are guarded as those of
/// [`Glsl`](crate::Glsl) are.
///
/// ```
/// use multisplit::{GlslOperator, Scan};
///
/// # let gpu = multisplit::Context::new()?;
/// let product = GlslOperator::new("uint combined(uint a, uint b) { return a * b; }", 1u32);
/// assert_eq!(gpu.reduce(&[2u32, 3, 4], &product)?, 24);
/// assert_eq!(gpu.scan_with(&[2u32, 3, 4], &Scan::inclusive(product))?, [2, 6, 24]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[cfg(feature = "glsl")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GlslOperator {
    source: Arc<str>,
    key: KeyType,
    identity: u64,
}

#[cfg(feature = "glsl")]
impl GlslOperator {
    /// The function in `source`, and the element that changes nothing.
    pub fn new<K: Key>(source: impl Into<Arc<str>>, identity: K) -> Self {
        Self { source: source.into(), key: K::TYPE, identity: identity.key_bits() }
    }

    /// The same for elements of a type that is known when the program runs: `identity` is the bits of an
    /// element, the low ones of 32-bit types.
    pub fn of_type(source: impl Into<Arc<str>>, key: KeyType, identity: u64) -> Self {
        let identity = identity & (u64::MAX >> (64 - key.bits()));
        Self { source: source.into(), key, identity }
    }

    /// Refuses elements of another type than that of the identity.
    pub(in crate::primitives) fn check(&self, key: KeyType) -> Result<()> {
        if key == self.key {
            return Ok(());
        }
        let (found, expected) = (self.key.to_string(), key.to_string());
        Err(Error::KeyTypeMismatch { name: "identity", found, expected })
    }

    pub(in crate::primitives) fn identity(&self) -> u64 {
        self.identity
    }

    /// The built-in kernel with the function in it.
    pub(in crate::primitives) fn kernel(&self, builtin: &Builtin) -> Result<Arc<Kernel>> {
        glsl::kernel(builtin, UserFunction::Operator, self.key.glsl(), &self.source)
    }
}

#[cfg(feature = "glsl")]
pub(in crate::primitives) use GlslOperator as UserOperator;

/// Without GLSL there is none.
#[cfg(not(feature = "glsl"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::primitives) enum UserOperator {}

#[cfg(not(feature = "glsl"))]
impl UserOperator {
    pub fn identity(&self) -> u64 {
        match *self {}
    }

    pub fn kernel(
        &self,
        _: &multisplit_shaders::builtin::Builtin,
    ) -> crate::error::Result<std::sync::Arc<multisplit_shaders::Kernel>> {
        match *self {}
    }
}
