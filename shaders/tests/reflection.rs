//! Tests reflection: compares the reflected interfaces with the shaders.
#![cfg(feature = "compile")]
#![allow(clippy::panic, clippy::expect_used)]

use multisplit_shaders::compile::{CompileError, Source, compile};
use multisplit_shaders::{
    BindingAccess, BindingKind, Dimension, Kernel, PushField, PushMismatch, ReflectError, builtin,
    check_layout,
};
use std::sync::Arc;

fn kernel(glsl: &str) -> Arc<Kernel> {
    let spirv = compile(&Source::new("test.comp", glsl)).unwrap_or_else(|e| panic!("{e}"));
    Kernel::new("test", spirv).unwrap_or_else(|e| panic!("{e}"))
}

const EVERYTHING: &str = "#version 460
layout(local_size_x = 64, local_size_x_id = 3, local_size_y = 2) in;
layout(constant_id = 1) const uint DEPTH = 7;
layout(constant_id = 5) const bool FAST = true;
layout(set = 0, binding = 4) readonly buffer In { uint header; float scale[3]; uvec2 at[]; } source;
layout(set = 0, binding = 2) writeonly buffer Out { uint at[]; } result;
layout(set = 0, binding = 2) writeonly buffer OutVec4 { uvec4 at[]; } result_vec4;
layout(set = 0, binding = 3) buffer Mixed { readonly uint a; writeonly uint b; } mixed;
layout(set = 1, binding = 0) uniform Params { vec4 tint; uint count; } params;
layout(push_constant) uniform Push { uint n; vec2 offset; uint flags[2]; } push;
void main() {
    result.at[0] = source.header + DEPTH + uint(FAST) + params.count + push.n + mixed.a;
    result_vec4.at[1] = uvec4(push.flags[1]);
    mixed.b = 1;
}";

#[test]
fn bindings_are_reflected_with_name_set_access_and_extent() {
    let kernel = kernel(EVERYTHING);
    let rows: Vec<_> = kernel
        .interface()
        .bindings
        .iter()
        .map(|b| (&*b.name, b.set, b.binding, b.kind, b.access, b.fixed_size, b.element_stride))
        .collect();
    use BindingAccess::*;
    use BindingKind::*;
    assert_eq!(
        rows,
        [
            ("result", 0, 2, Storage, Write, 0, Some(4)),
            ("mixed", 0, 3, Storage, ReadWrite, 8, None),
            ("source", 0, 4, Storage, Read, 16, Some(8)),
            ("params", 1, 0, Uniform, Read, 20, None),
        ]
    );
}

/// Columns or rows of a matrix may have padding.
#[test]
fn matrix_sizes_include_padding() {
    let kernel = kernel(
        "#version 460
layout(local_size_x = 1) in;
struct Inner { uint x; mat2x3 m; };
layout(set = 0, binding = 0, std430) buffer A { mat3 m; } a;
layout(set = 0, binding = 1, std140) buffer B { layout(row_major) mat2x4 m; } b;
layout(set = 0, binding = 2, std140) buffer C { mat2 m; } c;
layout(set = 0, binding = 3, std430) buffer D { mat3 m[2]; Inner inner; } d;
layout(push_constant) uniform Push { mat3 m; } push;
void main() { a.m = push.m; b.m = mat2x4(1); c.m = mat2(1); d.m[1] = a.m; d.inner.m = mat2x3(2); }",
    );
    let sizes: Vec<u32> = kernel.interface().bindings.iter().map(|b| b.fixed_size).collect();
    // The sizes are 2 * 16 + 12, 3 * 16 + 8, 16 + 8, and 96 + 16 + 16 + 12 bytes.
    assert_eq!(sizes, [44, 56, 24, 140]);
    assert_eq!(kernel.interface().push_constants.as_ref().map(|block| block.size), Some(44));
}

#[test]
fn local_size_and_specialization_constants_are_reflected() {
    let kernel = kernel(EVERYTHING);
    let interface = kernel.interface();
    assert_eq!(
        interface.local_size,
        [Dimension::Specialized { id: 3, default: 64 }, Dimension::Fixed(2), Dimension::Fixed(1)]
    );
    assert_eq!(interface.workgroup_size(|_| None), [64, 2, 1]);
    assert_eq!(interface.workgroup_size(|id| (id == 3).then_some(128)), [128, 2, 1]);
    let constants: Vec<_> =
        interface.spec_constants.iter().map(|c| (&*c.name, c.id, c.default)).collect();
    assert_eq!(constants, [("DEPTH", 1, 7), ("local_size_x", 3, 64), ("FAST", 5, 1)]);
}

#[test]
fn push_constants_are_checked_against_the_struct() {
    let kernel = kernel(EVERYTHING);
    let block =
        kernel.interface().push_constants.clone().expect("the kernel has a push-constant block");
    assert_eq!(block.size, 24);
    let field = |name, offset, size| PushField { name, offset, size };
    let good = [field("n", 0, 4), field("offset", 8, 8), field("flags", 16, 8)];
    assert_eq!(check_layout(&block, &good), Ok(()));
    let moved = [field("n", 0, 4), field("offset", 4, 8), field("flags", 16, 8)];
    assert!(matches!(check_layout(&block, &moved), Err(PushMismatch::Member { .. })));
    assert!(matches!(check_layout(&block, &good[..2]), Err(PushMismatch::Count { .. })));
}

#[test]
fn required_capabilities_are_reflected() {
    let kernel = builtin::SCAN_LOOKBACK.kernel().expect("built-in");
    for needed in ["Shader", "GroupNonUniform", "GroupNonUniformArithmetic"] {
        assert!(kernel.interface().capabilities.iter().any(|c| c == needed), "no {needed}");
    }
}

#[test]
fn every_built_in_kernel_can_be_reflected() {
    for builtin in builtin::ALL {
        let kernel = builtin.kernel().unwrap_or_else(|e| panic!("{}: {e}", builtin.label()));
        assert!(!kernel.interface().bindings.is_empty());
        assert!(kernel.interface().bindings.iter().all(|b| !b.name.is_empty()));
    }
}

#[test]
fn malformed_spirv_is_rejected_without_panic() {
    let spirv = compile(&Source::new("test.comp", EVERYTHING)).expect("compiles");
    assert!(matches!(Kernel::new("empty", vec![]), Err(ReflectError::Malformed(_))));
    assert!(matches!(
        Kernel::new("magic", vec![1, 2, 3, 4, 5, 6]),
        Err(ReflectError::Malformed(_))
    ));
    assert!(matches!(Kernel::new("cut", spirv[..6].to_vec()), Err(ReflectError::Malformed(_))));
    // If a single word is corrupted, reflection may succeed or return an error, but must not panic.
    for at in 5..spirv.len().min(400) {
        let mut bad = spirv.clone();
        bad[at] ^= 0x0001_0101;
        let _ = Kernel::new("corrupt", bad);
    }
}

#[test]
fn images_are_rejected() {
    let image = "#version 460
layout(local_size_x = 1) in;
layout(set = 0, binding = 1, r32ui) uniform uimage2D picture;
void main() { imageStore(picture, ivec2(0), uvec4(0)); }";
    let spirv = compile(&Source::new("image.comp", image)).expect("compiles");
    assert!(matches!(
        Kernel::new("image", spirv),
        Err(ReflectError::UnsupportedResource { binding: 1, .. })
    ));
}

#[test]
fn compile_error_points_to_the_users_line() {
    let shader = "#version 460
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { uint at[]; } data;
#include \"bucket.glsl\"
void main() { data.at[0] = bucket_of(data.at[1]); }";
    let snippet = "// prime or composite\nuint bucket_of(uint key) {\n    return kee & 1u;\n}\n";
    let source =
        Source { includes: &[("bucket.glsl", snippet)], ..Source::new("main.comp", shader) };
    let Err(CompileError::Glsl(diagnostics)) = compile(&source) else { panic!("must not compile") };
    let first = &diagnostics[0];
    assert_eq!((&*first.file, first.line), ("bucket.glsl", 3));
    assert_eq!(first.excerpt.as_deref(), Some("    return kee & 1u;"));
    assert!(first.message.contains("kee"), "`kee` is not in: {}", first.message);
}

#[test]
fn missing_include_is_reported_by_name() {
    let shader = "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"nowhere.glsl\"
void main() {}";
    let error = compile(&Source::new("main.comp", shader)).expect_err("must not compile");
    assert!(error.to_string().contains("nowhere.glsl"), "no file name in: {error}");
}

/// The compiler prints its whole built-in library to standard output for versions before 1.50. It treats a shader
/// without a `#version` line as version 1.10.
#[test]
fn shaders_without_a_compute_version_are_rejected() {
    let body = "layout(local_size_x = 1) in;\nvoid main() {}\n";
    for good in [
        "#version 460\n",
        "#version 310 es\n",
        "# version\t450 core // comment\n",
        "// first\r\n/* second\n */ #version 450\r\n",
        "// a \\\n b\n#version 450\n",
    ] {
        let done = compile(&Source::new("good.comp", &format!("{good}{body}")));
        assert!(done.is_ok(), "{good}: {done:?}");
    }
    for (bad, line, part) in [
        ("", 1, "must begin with a #version line; add `#version 460`"),
        ("\n// comment\n", 3, "must begin with a #version line"),
        ("int x;\n#version 460\n", 1, "must begin with a #version line"),
        ("//#version 460\n", 2, "must begin with a #version line"),
        ("// a \\\n#version 460\n", 3, "must begin with a #version line"),
        ("/* #version 460", 1, "must begin with a #version line"),
        ("\u{feff}#version 460\n", 1, "must begin with a #version line"),
        ("#version460\n", 1, "must begin with a #version line"),
        ("#version 0x1cc\n", 1, "#version 0 has no compute shaders"),
        ("#version 110\n", 1, "#version 110 has no compute shaders; use `#version 460`"),
        ("#version 140\n", 1, "#version 140 has no compute shaders"),
        ("#version 99999999999\n", 1, "must begin with a #version line"),
    ] {
        let glsl = format!("{bad}{body}");
        let error = compile(&Source::new("bad.comp", &glsl)).expect_err(bad);
        let CompileError::Glsl(diagnostics) = &error else { panic!("{bad}: {error}") };
        assert_eq!((&*diagnostics[0].file, diagnostics[0].line), ("bad.comp", line), "{bad}");
        assert!(error.to_string().contains(part), "{bad}: `{part}` is not in: {error}");
    }
    // The source contains only a comment.
    assert!(compile(&Source::new("bad.comp", "//#version 460")).is_err());
}
