//! The terms of a scan or reduction: the values that kernels combine, with their type and operator.
//! They select the kernel and its specialization constants.

use std::sync::Arc;

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::Builtin;

use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::{AnyOperator, Operator, UserOperator, halves};

/// Type and operator of the terms that kernels load, combine and store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms<'o> {
    /// Index of the kernel variant: the position on the axis `TERM` of kernels.txt.
    pub variant: usize,
    /// Size of an element and of a term, in bytes.
    pub bytes: u64,
    /// Values of the constants LOADED_AS and STORED_AS: how elements are converted to terms when
    /// loaded, and back when stored. 0 means no conversion.
    loaded_as: u32,
    stored_as: u32,
    /// The user's operator, if any.
    user: Option<&'o UserOperator>,
}

/// Flag that reverses the order of terms; must match `term.glsl`.
const REVERSED: u32 = 4;
/// First kernel variant that adds floats.
const FLOATS: usize = 4;

impl<'o> Terms<'o> {
    /// Terms for elements of type `key`. Rejects a GLSL operator for another element type.
    pub fn new(key: KeyType, operator: &'o AnyOperator) -> Result<Self> {
        match operator {
            AnyOperator::BuiltIn(operator) => Ok(Self::of(key, *operator)),
            #[cfg(feature = "glsl")]
            AnyOperator::Glsl(user) => {
                user.check(key)?;
                // Terms are the bits of the elements. Kernels convert them to elements for the
                // user's function.
                let bits = Self::of(
                    if key.bits() == 64 { KeyType::U64 } else { KeyType::U32 },
                    Operator::Sum,
                );
                Ok(Self { user: Some(user), ..bits })
            }
        }
    }

    /// Terms for elements of type `key` and a built-in operator.
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

    /// Selects the kernel for these terms from a table of variants.
    pub fn kernel(self, kernels: &[&'static Builtin]) -> Result<Arc<Kernel>> {
        let builtin = kernels[self.variant];
        match self.user {
            None => Ok(builtin.kernel()?),
            Some(user) => user.kernel(builtin),
        }
    }

    /// Terms of a first pass, which loads elements and stores terms for another pass.
    pub fn partial(self) -> Self {
        Self { stored_as: 0, ..self }
    }

    /// Terms of a last pass, which loads terms that another pass stored, and stores elements.
    pub fn of_partial(self) -> Self {
        Self { loaded_as: 0, ..self }
    }

    /// Declares a transient buffer of `n` terms.
    pub fn transient(self, graph: &mut Graph, name: &str, n: u64) -> Buffer {
        match self.bytes {
            4 => graph.transient::<u32>(name, n),
            _ => graph.transient::<u64>(name, n),
        }
    }

    /// Specialization constants of the kernels.
    pub fn constants(self) -> [(&'static str, u32); 4] {
        let [low, high] = halves(self.user.map_or(0, UserOperator::identity));
        [
            ("LOADED_AS", self.loaded_as),
            ("STORED_AS", self.stored_as),
            ("IDENTITY_LOW", low),
            ("IDENTITY_HIGH", high),
        ]
    }
}

#[cfg(test)]
mod tests {
    use multisplit_shaders::builtin::variants;

    use super::*;

    #[test]
    fn kernels_match_the_width_and_type_of_their_terms() {
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
