//! Operators of scans and reductions: built-in ones, and user functions in GLSL.

#[cfg(feature = "glsl")]
use std::sync::Arc;

#[cfg(feature = "glsl")]
use multisplit_shaders::Kernel;
#[cfg(feature = "glsl")]
use multisplit_shaders::builtin::Builtin;
#[cfg(feature = "glsl")]
use multisplit_shaders::check::UserFunction;

#[cfg(feature = "glsl")]
use crate::operations::shared::glsl;
#[cfg(feature = "glsl")]
use crate::{
    elements::key::{Key, KeyType},
    error::{Error, Result},
};

/// Built-in operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Operator {
    /// Sum. Integers wrap around. Floats are added in an order that depends only on the device, its policy and the
    /// count, so the result is the same from run to run.
    #[default]
    Sum,
    /// Minimum. Floats are ordered as by `total_cmp`, as in a sort: -NaN first, -0 before 0, NaN last.
    Min,
    /// Maximum in the same order: NaN if there is a NaN whose sign bit is clear.
    Max,
}

impl Operator {
    /// Every operator.
    pub const ALL: [Self; 3] = [Self::Sum, Self::Min, Self::Max];

    /// Name: `sum`, `min` or `max`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

/// Operator of a scan or a reduction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnyOperator {
    /// One of the built-in operators.
    BuiltIn(Operator),
    /// A user's operator in GLSL.
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

/// An operator in GLSL: a function `K combined(K a, K b)`, and its identity element on both sides. K is the GLSL
/// type of the elements: `uint`, `int`, `float`, `uint64_t`, `int64_t` or `double` (which needs a device with
/// `shaderFloat64`).
///
/// The operator must be associative: the grouping of elements depends on the device, its policy and the count, but
/// is the same from run to run. It need not be commutative: elements are combined in order. The function must not
/// have side effects: a function that writes memory, waits at a barrier, or reads any other resource is rejected.
/// Divisions, shifts and conversions are guarded as in [`Glsl`](crate::Glsl).
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
    /// Takes the function in `source`, and its identity element.
    pub fn new<K: Key>(source: impl Into<Arc<str>>, identity: K) -> Self {
        Self { source: source.into(), key: K::TYPE, identity: identity.key_bits() }
    }

    /// Like [`new`](Self::new), for elements whose type is known only at run time. `identity` contains the bits of
    /// an element, zero-extended.
    pub fn of_type(source: impl Into<Arc<str>>, key: KeyType, identity: u64) -> Self {
        let identity = identity & (u64::MAX >> (64 - key.bits()));
        Self { source: source.into(), key, identity }
    }

    /// Rejects elements whose type differs from that of the identity.
    pub(in crate::operations) fn check(&self, key: KeyType) -> Result<()> {
        if key == self.key {
            return Ok(());
        }
        let (found, expected) = (self.key.to_string(), key.to_string());
        Err(Error::KeyTypeMismatch { name: "identity", found, expected })
    }

    pub(in crate::operations) fn identity(&self) -> u64 {
        self.identity
    }

    /// Returns the built-in kernel compiled with the function.
    pub(in crate::operations) fn kernel(&self, builtin: &Builtin) -> Result<Arc<Kernel>> {
        glsl::kernel(builtin, UserFunction::Operator, self.key.glsl(), &self.source)
    }
}

#[cfg(feature = "glsl")]
pub(in crate::operations) use GlslOperator as UserOperator;

/// User operators need the feature `glsl`.
#[cfg(not(feature = "glsl"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::operations) enum UserOperator {}

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
