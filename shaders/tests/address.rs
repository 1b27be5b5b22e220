//! Tests that every built-in kernel is still a valid module after it was rewritten to use addresses, or that the
//! error states why it cannot be rewritten.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::expect_valid;
use multisplit_shaders::address::{AddressError, address_offset, by_address, push_bytes};
use multisplit_shaders::builtin::ALL;

/// Label prefix of the kernels that may query the length of a binding, and then cannot be rewritten.
const BOUND_ONLY: &str = "sssp.";

#[test]
fn rewritten_kernels_are_valid() {
    let mut rewritten = 0;
    for builtin in ALL {
        let kernel = builtin.kernel().unwrap();
        let words = match by_address(kernel.spirv(), kernel.interface()) {
            Ok(words) => words,
            Err(AddressError::Unsupported(why)) if builtin.label().starts_with(BOUND_ONLY) => {
                assert!(why.contains("ArrayLength"), "not about array lengths: {why}");
                continue;
            }
            Err(error) => panic!("{}: {error}", builtin.label()),
        };
        let bytes = push_bytes(kernel.interface());
        assert!(
            bytes <= 128,
            "{}: {bytes} bytes of push constants, more than 128",
            builtin.label()
        );
        assert!(address_offset(kernel.interface()).is_multiple_of(8));
        assert_eq!(
            words,
            by_address(kernel.spirv(), kernel.interface()).unwrap(),
            "the result is not reproducible"
        );
        expect_valid(builtin.label(), &words);
        rewritten += 1;
    }
    assert!(rewritten > 50, "only {rewritten} kernels could be rewritten, expected over 50");
}

/// Stores must declare the alignment that offsets and strides guarantee, up to the maximum for the stored type.
#[cfg(feature = "compile")]
#[test]
fn stores_declare_the_alignment_of_layout_and_type() {
    use common::tool;
    use multisplit_shaders::Kernel;
    use multisplit_shaders::compile::{Source, compile};

    for (name, layout, body, expected) in [
        ("whole", "std430", "b.m[1] = mat4(2);", "Aligned 4"),
        ("column", "std430", "b.m[1][2] = vec4(2);", "Aligned 16"),
        ("column of rows", "std430, row_major", "b.m[1][2] = vec4(2);", "Aligned 4"),
        ("element", "std430", "b.m[1][2][3] = 2;", "Aligned 4"),
        ("scalar", "scalar", "b.m[1][2] = vec4(2);", "Aligned 4"),
        ("doubles", "std430", "b.d[1] = dmat2(2);", "Aligned 8"),
        ("structure", "std430", "b.s[1] = S(1, dmat2(2));", "Aligned 8"),
    ] {
        let source = format!(
            "#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 1) in;
struct S {{ float tag; dmat2 d; }};
layout(set = 0, binding = 0, {layout}) buffer B {{ float head; mat4 m[3]; dmat2 d[2]; S s[2]; }} b;
void main() {{ {body} }}"
        );
        let spirv = compile(&Source::new("test.comp", &source)).unwrap();
        let kernel = Kernel::checked("test", &spirv).unwrap_or_else(|e| panic!("{name}: {e}"));
        let words = by_address(kernel.spirv(), kernel.interface()).unwrap();
        let run = |program: &str, arguments: &[&str]| {
            tool(program, arguments, &words).unwrap_or_else(|problem| panic!("{name}: {problem}"))
        };
        run("spirv-val", &["--target-env", "vulkan1.2", "--scalar-block-layout"]);
        let text = run("spirv-dis", &["--no-color"]);
        let store = text.lines().find(|line| line.contains("Aligned")).unwrap_or("");
        assert!(store.ends_with(expected), "{name}: no `{expected}` in: {store}");
    }
}
