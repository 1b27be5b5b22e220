//! Which functions of a user's can be a part of our kernels, and what each of them is called, takes and gives.

use super::ids::Shape;

/// What a user's GLSL function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UserFunction {
    /// `uint bucket_of(K key)`: the bucket or bin of a key.
    Bucket,
    /// `bool is_selected(K key)`: whether an element is selected.
    Predicate,
    /// `K combined(K a, K b)`: what two elements combine to.
    Operator,
}

/// What the functions of one parameter see. The names are those of the kernels.
const PARAMETERS: &str =
    "layout(push_constant) uniform Push { uint parameter_0; uint parameter_1; uint parameter_2; } push;
layout(set = 0, binding = 1, std430) readonly buffer Table { uint at[]; } table;
";

impl UserFunction {
    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bucket => "bucket_of",
            Self::Predicate => "is_selected",
            Self::Operator => "combined",
        }
    }

    /// The name that messages about its text carry, under which kernels include it.
    pub(super) fn include(self) -> &'static str {
        match self {
            Self::Bucket => "user_bucket.glsl",
            Self::Predicate => "user_predicate.glsl",
            Self::Operator => "user_operator.glsl",
        }
    }

    /// What is defined in kernels that have one.
    pub(super) fn define(self) -> &'static str {
        match self {
            Self::Bucket => "USER_BUCKET",
            Self::Predicate => "USER_PREDICATE",
            Self::Operator => "USER_OPERATOR",
        }
    }

    /// The names of its parameters, each of the type of the keys.
    pub(super) fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Bucket | Self::Predicate => &["key"],
            Self::Operator => &["a", "b"],
        }
    }

    /// The GLSL type that it returns.
    pub(super) fn returns(self, key: &str) -> &str {
        match self {
            Self::Bucket => "uint",
            Self::Predicate => "bool",
            Self::Operator => key,
        }
    }

    /// That type in a module.
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

    /// What messages call that which it returns.
    pub(super) fn result(self) -> &'static str {
        match self {
            Self::Bucket => "ids",
            Self::Predicate => "answers",
            Self::Operator => "elements",
        }
    }

    /// What messages call that which it takes.
    pub(super) fn taken(self) -> &'static str {
        match self {
            Self::Bucket => "keys",
            Self::Predicate | Self::Operator => "elements",
        }
    }

    /// How it is to be written, with the names of its parameters or with their types alone.
    pub(super) fn written(self, key: &str, named: bool) -> String {
        let parameter = |name: &&str| if named { format!("{key} {name}") } else { key.to_owned() };
        let parameters: Vec<String> = self.parameters().iter().map(parameter).collect();
        format!("{} {}({})", self.returns(key), self.name(), parameters.join(", "))
    }

    /// A shader with the function, which declares what that may read and nothing else.
    pub(super) fn template(self) -> String {
        let (name, include) = (self.name(), self.include());
        let sees = if self == Self::Operator { "" } else { PARAMETERS };
        let zeros = vec!["USER_KEY_TYPE(0)"; self.parameters().len()].join(", ");
        format!(
            "#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
{sees}#include \"{include}\"
void main() {{ {name}({zeros}); }}
"
        )
    }
}
