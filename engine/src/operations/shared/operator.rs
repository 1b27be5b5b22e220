//! Operators of scans and reductions: built-in ones, and user functions in GLSL.

#[cfg(feature = "glsl")]
use crate::operations::shared::glsl::GlslOperator;

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

#[cfg(feature = "glsl")]
pub(in crate::operations) use crate::operations::shared::glsl::GlslOperator as UserOperator;

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
