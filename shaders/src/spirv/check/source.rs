//! Checks a user's GLSL before it is compiled.
//!
//! The compiler is a C++ library that runs in the same process and can crash it. It therefore runs on a large stack,
//! and receives only sources of limited size that use only extensions on a list. Some other extensions are known to
//! crash it.

use super::error::CheckError;

/// Maximum source size in bytes.
pub const MAX_SOURCE_BYTES: usize = 64 << 10;

/// Extensions that a checked shader can use.
#[rustfmt::skip]
const EXTENSIONS: &[&str] = &[
    "GL_GOOGLE_include_directive", "GL_GOOGLE_cpp_style_line_directive",
    "GL_EXT_control_flow_attributes", "GL_EXT_shader_8bit_storage", "GL_EXT_shader_16bit_storage",
    "GL_EXT_shader_atomic_int64", "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_int8", "GL_EXT_shader_explicit_arithmetic_types_int16",
    "GL_EXT_shader_explicit_arithmetic_types_int32",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
    "GL_EXT_shader_explicit_arithmetic_types_float32",
    "GL_EXT_shader_explicit_arithmetic_types_float64", "GL_ARB_gpu_shader_int64",
    "GL_KHR_shader_subgroup_basic", "GL_KHR_shader_subgroup_vote",
    "GL_KHR_shader_subgroup_arithmetic", "GL_KHR_shader_subgroup_ballot",
    "GL_KHR_shader_subgroup_shuffle", "GL_KHR_shader_subgroup_shuffle_relative",
    "GL_KHR_shader_subgroup_clustered", "GL_KHR_shader_subgroup_quad",
];

/// Rejects a source that is too long, or that names an extension that is not on the list.
pub(crate) fn check(text: &str) -> Result<(), CheckError> {
    if text.len() > MAX_SOURCE_BYTES {
        return Err(CheckError::SourceTooLong { bytes: text.len(), max: MAX_SOURCE_BYTES });
    }
    // The preprocessor joins continued lines and treats comments as spaces.
    let joined = text.replace("\\\r\n", "").replace("\\\n", "").replace("\\\r", "");
    for line in without_comments(&joined).split(['\n', '\r']) {
        let Some(directive) = line.trim_start().strip_prefix('#') else { continue };
        let Some(rest) = directive.trim_start().strip_prefix("extension") else { continue };
        let name = rest.split(':').next().unwrap_or_default().trim();
        if !EXTENSIONS.contains(&name) {
            return Err(CheckError::Extension { extension: name.to_owned() });
        }
    }
    Ok(())
}

/// Removes `//` comments, and replaces each `/* */` comment by a space.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = rest.find(['\n', '\r']).map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            out.push(' ');
            rest = rest[2..].find("*/").map_or("", |end| &rest[2 + end + 2..]);
        } else {
            out.push('/');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_extensions_are_rejected_in_any_spelling() {
        let bad = [
            "#extension GL_EXT_buffer_reference : require",
            "  # \t extension GL_EXT_buffer_reference:enable",
            "#/* x */extension/**/GL_EXT_buffer_reference : warn",
            "#ext\\\nension GL_EXT_buffer_reference : require",
            "/* a\n */ #extension all : enable",
            "uint x;\r\n#extension GL_EXT_ray_query : require\r\n",
            "/*/ #version */\n#extension GL_EXT_buffer_reference : require",
        ];
        for text in bad {
            assert!(matches!(check(text), Err(CheckError::Extension { .. })), "accepted: {text}");
        }
        let good = [
            "#extension GL_KHR_shader_subgroup_basic : require\nuint x = 4 / 2;",
            "// #extension all : enable\n/* \n#extension all : enable\n*/",
            "#define extension 3",
        ];
        for text in good {
            assert!(check(text).is_ok(), "rejected: {text}");
        }
        let long = " ".repeat(MAX_SOURCE_BYTES + 1);
        assert!(matches!(check(&long), Err(CheckError::SourceTooLong { .. })));
    }
}
