//! The GLSL texts that kernels compiled at run time may include.

#[rustfmt::skip]
#[path = "generated_includes.rs"]
mod generated_includes;

/// The text of `glsl/include/<name>`, if there is one.
pub fn include(name: &str) -> Option<&'static str> {
    generated_includes::INCLUDES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
