//! What a scan or a reduction combines: the operator, the type, and which kernels and constants follow.

use std::sync::Arc;

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::Builtin;

use super::key::KeyType;
use super::operator::{AnyOperator, UserOperator};
use crate::error::Result;

/// How two elements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Operator {
    /// Their sum. Integers wrap around. Floats are added in an order that depends on the device, its
    /// policy and the count, and on nothing else: the result is the same from run to run.
    #[default]
    Sum,
    /// The least. Floats are in the order of `total_cmp`, as in a sort: -NaN first, -0 before 0, NaN
    /// last.
    Min,
    /// The greatest, in the same order: NaN, where there is one whose sign is not set.
    Max,
}

impl Operator {
    /// Every operator.
    pub const ALL: [Self; 3] = [Self::Sum, Self::Min, Self::Max];

    /// Its name: `sum`, `min`, `max`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

/// What kernels load, combine and store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::primitives) struct Terms<'o> {
    /// Which choice of the axis `TERM` in kernels.txt.
    pub variant: usize,
    /// Bytes of an element, and of a term.
    pub bytes: u64,
    /// What elements are where terms have an order: the kernels' LOADED_AS and STORED_AS.
    loaded_as: u32,
    stored_as: u32,
    /// What combines them, where that is the user's.
    user: Option<&'o UserOperator>,
}

/// The kernels have the same in term.glsl.
const REVERSED: u32 = 4;
/// Kernels from this choice on add floats.
const FLOATS: usize = 4;

impl<'o> Terms<'o> {
    /// Elements of an array, which an operator in GLSL has to be made for.
    pub fn new(key: KeyType, operator: &'o AnyOperator) -> Result<Self> {
        match operator {
            AnyOperator::BuiltIn(operator) => Ok(Self::of(key, *operator)),
            #[cfg(feature = "glsl")]
            AnyOperator::Glsl(user) => {
                user.check(key)?;
                // As bits, which the user's function makes elements of.
                let bits = Self::of(
                    if key.bits() == 64 { KeyType::U64 } else { KeyType::U32 },
                    Operator::Sum,
                );
                Ok(Self { user: Some(user), ..bits })
            }
        }
    }

    pub fn of(key: KeyType, operator: Operator) -> Self {
        let wide = usize::from(key.bits() == 64);
        let variant = match operator {
            Operator::Sum if key.is_float() => FLOATS + wide,
            Operator::Sum => 2 * wide,
            Operator::Min | Operator::Max => 2 * wide + 1,
        };
        let reversed = if operator == Operator::Max { REVERSED } else { 0 };
        let element = key.kind() | reversed;
        let bytes = u64::from(key.bytes());
        Self { variant, bytes, loaded_as: element, stored_as: element, user: None }
    }

    /// Whether the result depends on the order in which terms are combined.
    pub fn depend_on_order(self) -> bool {
        self.variant >= FLOATS || self.user.is_some()
    }

    /// The kernel for them of a table of all kinds.
    pub fn kernel(self, kernels: &[&'static Builtin]) -> Result<Arc<Kernel>> {
        let builtin = kernels[self.variant];
        match self.user {
            None => Ok(builtin.kernel()?),
            Some(user) => user.kernel(builtin),
        }
    }

    /// From elements to terms that another pass combines further.
    pub fn partial(self) -> Self {
        Self { stored_as: 0, ..self }
    }

    /// From such terms to elements.
    pub fn of_partial(self) -> Self {
        Self { loaded_as: 0, ..self }
    }

    /// An array of the library's own with so many terms.
    pub fn transient(self, graph: &mut Graph, name: &str, n: u64) -> Buffer {
        match self.bytes {
            4 => graph.transient::<u32>(name, n),
            _ => graph.transient::<u64>(name, n),
        }
    }

    /// The constants of its kernels.
    pub fn constants(self) -> [(&'static str, u32); 4] {
        let identity = self.user.map_or(0, UserOperator::identity);
        [
            ("LOADED_AS", self.loaded_as),
            ("STORED_AS", self.stored_as),
            ("IDENTITY_LOW", identity as u32),
            ("IDENTITY_HIGH", (identity >> 32) as u32),
        ]
    }
}

#[cfg(test)]
mod tests {
    use multisplit_shaders::builtin::variants;

    use super::*;

    #[test]
    fn kernels_are_of_the_width_and_kind_of_their_terms() {
        for key in KeyType::WIDE {
            for operator in Operator::ALL {
                let terms = Terms::of(key, operator);
                let kernel = variants::REDUCE_TERMS[terms.variant];
                let has = |name| kernel.defines().iter().any(|(define, _)| *define == name);
                assert_eq!(kernel.define("KEY_BITS"), Some(key.bits()), "{key} {operator:?}");
                assert_eq!(has("ORDER"), operator != Operator::Sum, "{key} {operator:?}");
                assert_eq!(has("FLOAT"), key.is_float() && operator == Operator::Sum);
                assert_eq!(terms.depend_on_order(), has("FLOAT"), "{key} {operator:?}");
            }
        }
    }
}
