//! Operators of scans and reductions: built-in operators, and user functions in GLSL.

#[cfg(feature = "glsl")]
use crate::operations::shared::glsl::GlslOperator;

/// Built-in operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Operator {
    /// Sum. Integers wrap around. The order in which floats are added depends on the device, its policy, the count and
    /// the segments, but does not vary between runs. Exception: one-call functions process arrays that do not fit in
    /// the device's free memory in parts, and the size of the parts affects the order.
    #[default]
    Sum,
    /// Minimum. Floats are ordered as by `total_cmp`: NaNs with a set sign bit first, -0 before +0, other NaNs last.
    Min,
    /// Maximum in the same order. The result is NaN if the input contains a NaN whose sign bit is clear.
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

/// Without the feature `glsl`, there are no user operators.
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
