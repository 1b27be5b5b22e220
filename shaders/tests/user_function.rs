//! Tests the insertion of users' GLSL functions into built-in kernels, and the messages about
//! rejected functions.
#![cfg(feature = "compile")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{disassembly, expect_valid};
use multisplit_shaders::address::by_address;
use multisplit_shaders::builtin::{self, Builtin};
use multisplit_shaders::compile::CompileError;
use multisplit_shaders::{CheckError, Kernel};

/// Returns the disassembly of the kernel, which must be valid with bindings and with addresses.
fn accepted(builtin: &Builtin, key: &str, source: &str) -> String {
    let kernel = Kernel::with_function(builtin, key, source)
        .unwrap_or_else(|e| panic!("{}: {e}\n{source}", builtin.label()));
    assert!(!kernel.is_built_in() && !kernel.is_foreign());
    assert_eq!(kernel.label(), format!("{}.user", builtin.label()));
    expect_valid(builtin.label(), kernel.spirv());
    let addresses = by_address(kernel.spirv_for_addresses(), kernel.interface());
    let addresses = addresses.unwrap_or_else(|e| panic!("{}: {e}", builtin.label()));
    expect_valid(builtin.label(), &addresses);
    disassembly(kernel.spirv())
}

fn refused(key: &str, source: &str) -> CompileError {
    match Kernel::with_function(&builtin::MULTISPLIT_LABELS, key, source) {
        Err(error) => error,
        Ok(_) => panic!("this is accepted: {source}"),
    }
}

/// Functions like those that the tests, the documentation and the examples use.
#[test]
fn common_user_functions_are_accepted() {
    let narrow = &builtin::MULTISPLIT_LABELS;
    let wide = &builtin::MULTISPLIT_LABELS_KEY64;
    let cases: &[(&Builtin, &str, &str)] = &[
        (narrow, "uint", "uint bucket_of(uint key) { return table.at[key & 3u]; }"),
        (narrow, "uint", "uint bucket_of(uint key) { return key % 1000u * 7919u; }"),
        (narrow, "uint", "uint bucket_of(const uint key) { return key * key % 1009u; }"),
        (narrow, "uint", "uint bucket_of(uint key) { return (key * table.at[0]) >> 31; }"),
        (narrow, "uint", "uint bucket_of(uint key) {
            if (key < 2u) return 1u;
            for (uint i = 2u; i * i <= key && i < 300u; ++i) if (key % i == 0u) return 0u;
            return 1u;
        }"),
        (narrow, "float", "uint bucket_of(float key) { return table.at[uint(key) % push.parameter_1] + push.parameter_0; }"),
        (narrow, "int", "uint bucket_of(int key) { return uint(key) & 1u; }"),
        (narrow, "uint", "#define HALF(x) ((x) / 2u)\nconst uint list[3] = uint[](1u, 2u, 3u);
            struct Both { uint a; float b; };
            Both both(in uint x, inout float y, out uint z) { y += 1.0; z = list[x]; return Both(HALF(x), sqrt(y)); }
            uint bucket_of(uint key) { float f = 2.0; uint z; Both b = both(key, f, z); precise float p = f * b.b + 1.0; return b.a + z + uint(p); }"),
        (narrow, "uint", "uint bucket_of(uint key) { uint64_t x = uint64_t(key) << 20; return uint(double(x) / 3.0lf); }"),
        (wide, "int64_t", "uint bucket_of(int64_t key) { return key < 0 ? 0u : 1u; }"),
        (wide, "uint64_t", "uint bucket_of(uint64_t key) { return uint(key >> 40) & 31u; }"),
        (wide, "double", "uint bucket_of(double key) { return abs(key) < 1e-200lf ? 1u : 0u; }"),
        (&builtin::HISTOGRAM_COUNT, "uint", "uint bucket_of(uint key) { return table.at[key % push.parameter_1] + push.parameter_0; }"),
        (&builtin::HISTOGRAM_COUNT, "float", "uint bucket_of(float key) { return uint(abs(key)) / 50u; }"),
        (&builtin::HISTOGRAM_COUNT, "int", "uint bucket_of(int key) { return key < 0 ? 1u : 25u; }"),
        (&builtin::HISTOGRAM_COUNT_WIDE, "uint64_t", "uint bucket_of(uint64_t key) { return uint(key >> 40) & 31u; }"),
        (&builtin::HISTOGRAM_COUNT_DOUBLE, "double", "uint bucket_of(double key) { return uint(abs(key)) / 50u; }"),
    ];
    for (builtin, key, source) in cases {
        accepted(builtin, key, source);
    }
}

/// Every multisplit kernel with a bucket function for 32-bit keys must accept a user's function. The kernel keeps its
/// buffers, and all push constants except those of built-in bucket functions.
#[test]
fn every_multisplit_bucket_kernel_accepts_a_user_function() {
    let source = "uint bucket_of(uint key) { return table.at[key] / push.parameter_2; }";
    let mut kernels = 0;
    for builtin in builtin::ALL {
        let plain = builtin.kernel().unwrap();
        let label = builtin.label();
        let has_bucket_function =
            label.starts_with("multisplit.") && plain.interface().binding("table").is_some();
        if !has_bucket_function || label.ends_with("key64") {
            continue;
        }
        let text = accepted(builtin, "uint", source);
        assert!(text.contains("OpArrayLength"), "{label}: the table index is not clamped");
        let user = Kernel::with_function(builtin, "uint", source).unwrap();
        let names = |kernel: &Kernel| -> Vec<(String, u32)> {
            kernel.interface().bindings.iter().map(|b| (b.name.clone(), b.binding)).collect()
        };
        assert_eq!(names(&user), names(&plain), "{label}");
        let words = |kernel: &Kernel| -> Vec<String> {
            let block = kernel.interface().push_constants.as_ref().expect("has one");
            block.members.iter().map(|member| member.name.clone()).collect()
        };
        let (users, mut expected) = (words(&user), words(&plain));
        let own = (0..3).map(|k| format!("parameter_{k}"));
        let first = expected.iter().position(|name| name == "shift_or_min").expect("has it");
        expected.splice(first..first + 5, own);
        assert_eq!(users, expected, "{label}");
        kernels += 1;
    }
    assert!(kernels > 10, "only {kernels} kernels have a bucket function, expected over 10");
}

#[test]
fn only_user_instructions_are_guarded() {
    let plain = "uint bucket_of(uint key) { return key & 3u; }";
    let before = accepted(&builtin::MULTISPLIT_LABELS, "uint", plain);
    let source = "uint bucket_of(uint key) {
        uint own[5]; own[key] = table.at[key]; return own[key] / push.parameter_0 + (key << push.parameter_1); }";
    let after = accepted(&builtin::MULTISPLIT_LABELS, "uint", source);
    let more = |what: &str| after.matches(what).count() - before.matches(what).count();
    assert_eq!(more("OpArrayLength"), 1, "{after}");
    assert_eq!(more(" UMin "), 3, "{after}");
    assert_eq!(more("OpSelect "), 1, "{after}");
    assert_eq!(before.matches("OpArrayLength").count(), 0, "{before}");
}

#[test]
fn functions_with_side_effects_or_forbidden_features_are_rejected() {
    let deep = format!(
        "uint bucket_of(uint key) {{ uint big[{}]; big[key] = 1u; return big[0]; }}",
        1 << 20
    );
    #[rustfmt::skip]
    let cases: &[(&str, &str)] = &[
        ("shared uint x[9]; uint bucket_of(uint key) { x[key] = 1u; return 0u; }", "writes `x`"),
        ("shared uint x[9]; uint bucket_of(uint key) { return x[key]; }", "reads `x`"),
        ("uint x; uint bucket_of(uint key) { x = key; return x; }", "writes `x`"),
        ("layout(set = 0, binding = 0) buffer B { uint x[]; } b; uint bucket_of(uint key) { b.x[key] = 1u; return 0u; }",
         "writes `b`"),
        ("layout(set = 0, binding = 0) buffer B { uint x[]; } b; uint bucket_of(uint key) { return b.x[key]; }",
         "uses `b`"),
        ("layout(set = 0, binding = 1) buffer B { uint x[]; } b; uint bucket_of(uint key) { return atomicAdd(b.x[key], 1u); }",
         "an atomic operation"),
        ("uint bucket_of(uint key) { barrier(); return 0u; }", "waits at a barrier"),
        ("void f() { memoryBarrier(); } uint bucket_of(uint key) { f(); return 0u; }",
         "`f` waits at a barrier"),
        ("uint bucket_of(uint key) { return gl_GlobalInvocationID.x; }", "gl_GlobalInvocationID"),
        ("layout(constant_id = 2) const uint N = 4; uint bucket_of(uint key) { return N; }",
         "a specialization constant"),
        ("#extension GL_EXT_buffer_reference : require\nuint bucket_of(uint key) { return 0u; }",
         "GL_EXT_buffer_reference"),
        ("#extension GL_KHR_shader_subgroup_arithmetic : require\nuint bucket_of(uint key) { return subgroupAdd(key); }",
         "GroupNonUniform"),
        (&deep, "bytes of local variables"),
    ];
    for (source, expected) in cases {
        let error = refused("uint", source);
        let text = error.to_string();
        assert!(matches!(error, CompileError::Refused(_)), "{source}: not Refused: {text}");
        assert!(text.contains(expected), "{source}: `{expected}` is not in: {text}");
        assert!(!text.contains('\n'), "more than one line: {text}");
    }
}

#[test]
fn missing_mistyped_and_recursive_functions_are_rejected() {
    #[rustfmt::skip]
    let cases: &[(&str, &str, &str)] = &[
        ("uint", "uint bucket(uint key) { return 0u; }",
         "the GLSL has no function `uint bucket_of(uint)`"),
        ("uint", "", "the GLSL has no function `uint bucket_of(uint)`"),
        ("float", "// uint bucket_of(float key)",
         "the GLSL has no function `uint bucket_of(float)`"),
        ("uint", "uint bucket_of(float key) { return 0u; }",
         "bucket_of takes `float`, but keys are `uint`: write `uint bucket_of(uint key)`"),
        ("float", "uint bucket_of(uint key) { return 0u; }",
         "bucket_of takes `uint`, but keys are `float`"),
        ("uint", "uint bucket_of(inout uint key) { return 0u; }",
         "bucket_of takes `inout uint`, but keys are `uint`"),
        ("uint", "uint bucket_of(uint a, uint b) { return 0u; }", "bucket_of takes `uint, uint`"),
        ("uint", "uint bucket_of() { return 0u; }", "bucket_of has no parameters"),
        ("uint", "int bucket_of(uint key) { return 0; }",
         "bucket_of returns `int`, but ids are `uint`"),
        ("uint", "float bucket_of(uint key) { return 0.0; }",
         "bucket_of returns `float`, but ids are `uint`"),
    ];
    for (key, source, expected) in cases {
        let error = refused(key, source);
        assert!(matches!(error, CompileError::Refused(_)), "{source}: not Refused: {error}");
        let text = error.to_string();
        assert!(text.starts_with(expected), "{source}: expected `{expected}`, but got: {text}");
    }
    let error = refused(
        "uint",
        "uint f(uint k);\nuint bucket_of(uint key) { return f(key); }\nuint f(uint k) { return bucket_of(k); }",
    );
    let text = error.to_string();
    assert!(
        text.contains("ecursi") || text.contains("calls itself"),
        "not about recursion: {text}"
    );
}

#[test]
fn compiler_messages_refer_to_the_users_lines() {
    let lines = |source: &str| match refused("uint", source) {
        CompileError::Glsl(found) => {
            assert!(found.iter().all(|d| d.file == "user_bucket.glsl"), "another file: {found:?}");
            found.iter().map(|d| d.line).collect::<Vec<_>>()
        }
        other => panic!("{source}: {other}"),
    };
    assert_eq!(lines("uint bucket_of(uint key) {\n  return kye;\n}")[0], 2);
    assert_eq!(lines("\n\nuint bucket_of(uint key) { return push.ids; }")[0], 3);
    assert_eq!(lines("uint bucket_of(uint key) {\n  return key;\n")[0], 2);
    assert_eq!(lines("uint bucket_of(uint key) { return 0u; }\nvoid main() {}\n")[0], 2);
}

/// An address has no length, so a kernel whose function queries the length requires a bound table.
#[test]
fn function_can_query_the_table_length() {
    let source = "uint bucket_of(uint key) { return table.at.length() > 3 ? key : 0u; }";
    let kernel = Kernel::with_function(&builtin::MULTISPLIT_LABELS, "uint", source).unwrap();
    expect_valid(kernel.label(), kernel.spirv());
    assert!(by_address(kernel.spirv_for_addresses(), kernel.interface()).is_err());
}

/// Tests source text that would change the kernel if both were compiled together.
#[test]
fn user_macros_do_not_affect_the_kernel() {
    let source = "#define barrier() discard\n#define gl_LocalInvocationIndex 7u\n#define min(a, b) 9u\n#define main other
uint bucket_of(uint key) { return key & 3u; }
#undef main
#define push table";
    let plain = "uint bucket_of(uint key) { return key & 3u; }";
    let kernel =
        |source| Kernel::with_function(&builtin::MULTISPLIT_LABELS, "uint", source).unwrap();
    assert_eq!(kernel(source).spirv(), kernel(plain).spirv());
}

/// Tests sources that could crash the compiler or keep it busy forever.
#[test]
fn compiler_survives_extreme_sources() {
    let sum = vec!["key"; 12_000].join("+");
    let ok = format!("uint bucket_of(uint key) {{ return {sum}; }}");
    assert!(Kernel::with_function(&builtin::MULTISPLIT_LABELS, "uint", &ok).is_ok());
    let deep = format!(
        "uint bucket_of(uint key) {{ return {}key{}; }}",
        "(".repeat(30_000),
        ")".repeat(30_000)
    );
    let _ = Kernel::with_function(&builtin::MULTISPLIT_LABELS, "uint", &deep);
    let blocks = format!(
        "uint bucket_of(uint key) {{ {}{} return key; }}",
        "{".repeat(30_000),
        "}".repeat(30_000)
    );
    let _ = Kernel::with_function(&builtin::MULTISPLIT_LABELS, "uint", &blocks);
    let error =
        refused("uint", "#include \"user_bucket.glsl\"\nuint bucket_of(uint key) { return 0u; }");
    assert!(error.to_string().contains("includes itself"), "not `includes itself`: {error}");
    let error = refused("uint", &" ".repeat(1 << 20));
    assert!(matches!(error, CompileError::Refused(CheckError::SourceTooLong { .. })), "{error}");
}
