//! The purposes of user functions, with the names and signatures of the functions.

use crate::spirv::ids::Shape;

/// Purpose of a user's GLSL function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UserFunction {
    /// `uint bucket_of(K key)`: the bucket or bin of a key.
    Bucket,
    /// `bool is_selected(K key)`: whether an element is selected.
    Predicate,
    /// `K combined(K a, K b)`: combines two elements.
    Operator,
}

/// Declarations of the data that functions with one parameter can read. Kernels use the same names.
const PARAMETERS: &str =
    "layout(push_constant) uniform Push { uint parameter_0; uint parameter_1; uint parameter_2; } push;
layout(set = 0, binding = 1, std430) readonly buffer Table { uint at[]; } table;
";

impl UserFunction {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bucket => "bucket_of",
            Self::Predicate => "is_selected",
            Self::Operator => "combined",
        }
    }

    /// The include name in kernels, which also appears in compiler messages.
    pub(super) fn include(self) -> &'static str {
        match self {
            Self::Bucket => "user_bucket.glsl",
            Self::Predicate => "user_predicate.glsl",
            Self::Operator => "user_operator.glsl",
        }
    }

    /// The preprocessor definition of kernels with such a function.
    pub(super) fn define(self) -> &'static str {
        match self {
            Self::Bucket => "USER_BUCKET",
            Self::Predicate => "USER_PREDICATE",
            Self::Operator => "USER_OPERATOR",
        }
    }

    /// Names of the parameters, all of the key type.
    pub(super) fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Bucket | Self::Predicate => &["key"],
            Self::Operator => &["a", "b"],
        }
    }

    /// GLSL type of the result.
    pub(super) fn returns(self, key: &str) -> &str {
        match self {
            Self::Bucket => "uint",
            Self::Predicate => "bool",
            Self::Operator => key,
        }
    }

    /// Result type, as the shape of a SPIR-V type.
    pub(super) fn shape(self, key: &str) -> Option<Shape> {
        match self.returns(key) {
            "bool" => Some(Shape::Bool),
            "uint" => Some(Shape::Int { bits: 32, signed: false }),
            "int" => Some(Shape::Int { bits: 32, signed: true }),
            "uint64_t" => Some(Shape::Int { bits: 64, signed: false }),
            "int64_t" => Some(Shape::Int { bits: 64, signed: true }),
            "float" => Some(Shape::Float { bits: 32 }),
            "double" => Some(Shape::Float { bits: 64 }),
            _ => None,
        }
    }

    /// Noun for the results, for messages.
    pub(super) fn result_noun(self) -> &'static str {
        match self {
            Self::Bucket => "ids",
            Self::Predicate => "results",
            Self::Operator => "elements",
        }
    }

    /// Noun for the parameters, for messages.
    pub(super) fn parameter_noun(self) -> &'static str {
        match self {
            Self::Bucket => "keys",
            Self::Predicate | Self::Operator => "elements",
        }
    }

    /// The declaration of the function, with or without parameter names.
    pub(super) fn written(self, key: &str, named: bool) -> String {
        let parameter = |name: &&str| if named { format!("{key} {name}") } else { key.to_owned() };
        let parameters: Vec<String> = self.parameters().iter().map(parameter).collect();
        format!("{} {}({})", self.returns(key), self.name(), parameters.join(", "))
    }

    /// A shader that contains the function and declares only what it may read.
    pub(super) fn template(self) -> String {
        let (name, include) = (self.name(), self.include());
        let declarations = if self == Self::Operator { "" } else { PARAMETERS };
        let zeros = vec!["USER_KEY_TYPE(0)"; self.parameters().len()].join(", ");
        format!(
            "#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
{declarations}#include \"{include}\"
void main() {{ {name}({zeros}); }}
"
        )
    }
}
