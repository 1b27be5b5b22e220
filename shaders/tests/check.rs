//! Tests that unsafe user shaders are rejected, and that accepted shaders are safe and valid after
//! rewriting.
#![cfg(feature = "compile")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{disassembly, expect_valid};
use multisplit_shaders::check::MAX_LOCAL_BYTES;
use multisplit_shaders::compile::{Source, compile};
use multisplit_shaders::{CheckError, Kernel, builtin};
use rspirv::binary::Assemble as _;
use rspirv::dr::{Instruction, Operand, load_words};
use rspirv::spirv::{Op, StorageClass};

const HEAD: &str = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint at[]; } data;
layout(set = 0, binding = 1) readonly buffer Words { uint at[]; } words;
layout(push_constant) uniform Push { uint n; int m; uint list[4]; } push;
shared uint pool[64];
";

fn words(glsl: &str) -> Vec<u32> {
    compile(&Source::new("test.comp", glsl)).unwrap_or_else(|e| panic!("{e}\n{glsl}"))
}

/// A shader with these `declarations` and `body` as its main function.
fn shader(declarations: &str, body: &str) -> Vec<u32> {
    words(&format!("{HEAD}{declarations}\nvoid main() {{\n{body}\n}}"))
}

/// Returns the disassembly of the rewritten module, which must be valid.
fn accepted(name: &str, spirv: &[u32]) -> String {
    let kernel = Kernel::checked(name.to_owned(), spirv).unwrap_or_else(|e| panic!("{name}: {e}"));
    expect_valid(name, kernel.spirv());
    disassembly(kernel.spirv())
}

fn refused(name: &str, spirv: &[u32]) -> CheckError {
    match Kernel::checked(name.to_owned(), spirv) {
        Err(error) => error,
        Ok(_) => panic!("{name} is accepted"),
    }
}

/// Reflection, which follows members recursively, would not terminate for such types.
#[test]
fn structs_that_contain_themselves_are_rejected() {
    let spirv = shader("", "data.at[0] = 1;");
    let module = load_words(&spirv).unwrap();
    let is_struct = |one: &Instruction| one.class.opcode == Op::TypeStruct;
    let place = module.types_global_values.iter().position(is_struct).unwrap();
    let id = module.types_global_values[place].result_id.unwrap();
    let storage = Operand::StorageClass(StorageClass::StorageBuffer);
    let declared =
        Instruction::new(Op::TypeForwardPointer, None, None, vec![Operand::IdRef(id), storage]);
    let bits = vec![Operand::LiteralBit32(32), Operand::LiteralBit32(0)];
    let defined = Instruction::new(Op::TypeInt, None, Some(id), bits);
    for (name, before) in [("declared as a pointer", declared), ("defined before", defined)] {
        let mut module = module.clone();
        module.types_global_values[place].operands = vec![Operand::IdRef(id)];
        module.types_global_values.insert(place, before);
        let error = refused(name, &module.assemble()).to_string();
        assert!(error.contains("is defined twice"), "{name}: not about two definitions: {error}");
    }
}

/// Each shader must be rejected with an error that contains all the given words.
#[test]
fn errors_name_the_forbidden_feature() {
    let reference = "#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(buffer_reference) buffer Anywhere { uint x; };";
    #[rustfmt::skip]
    let cases: &[(&str, &str, &str, &[&str])] = &[
        ("address", reference, "Anywhere(uint64_t(push.n)).x = 1;",
         &["PhysicalStorageBufferAddresses"]),
        ("set", "layout(set = 1, binding = 0) buffer B { uint x; } other;", "other.x = 1;",
         &["other", "set = 0"]),
        ("twice", "layout(set = 0, binding = 0) buffer B { uvec4 x[]; } wide;", "wide.x[0].x = 1;",
         &["wide", "binding 0", "data"]),
        ("many", "layout(set = 0, binding = 5) buffer B { uint x; } many[2];", "many[0].x = 1;",
         &["many", "single"]),
        ("image", "layout(set = 0, binding = 5, r32ui) uniform uimage2D i;",
         "imageStore(i, ivec2(0), uvec4(0));", &["`i`"]),
        ("printf", "#extension GL_EXT_debug_printf : require", "debugPrintfEXT(\"x\");",
         &["SPV_KHR_non_semantic_info"]),
        ("clock", "#extension GL_ARB_shader_clock : require",
         "data.at[0] = uint(clock2x32ARB().x);", &["ShaderClockKHR"]),
        ("model",
         "#pragma use_vulkan_memory_model\n#extension GL_KHR_memory_scope_semantics : require",
         "data.at[0] = 1;", &["VulkanMemoryModel"]),
        ("group", "#extension GL_EXT_device_group : require", "data.at[0] = gl_DeviceIndex;",
         &["DeviceGroup"]),
        ("wide constant",
         "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\nlayout(constant_id = 1) const uint64_t W = 3;",
         "data.at[0] = uint(W);", &["`W`", "32 bits"]),
        ("block",
         "layout(constant_id = 1) const uint N = 4;\nlayout(set = 0, binding = 5) buffer B { uint x[N]; uint y; } sized;",
         "sized.y = 1;", &["sized.x", "specialization constant"]),
        ("local", "", "uint big[5000]; big[push.n] = 1; data.at[0] = big[push.m];",
         &["`main`", "20000", &MAX_LOCAL_BYTES.to_string()]),
        ("barrier", "", "if (gl_LocalInvocationIndex < 3) barrier();", &["barrier()", "`main`"]),
        ("lane", "#extension GL_KHR_shader_subgroup_ballot : require",
         "data.at[0] = subgroupBroadcast(data.at[1], push.n);",
         &["not a constant", "subgroupShuffle"]),
        ("quad", "#extension GL_KHR_shader_subgroup_quad : require",
         "data.at[0] = subgroupQuadBroadcast(data.at[1], push.n);", &["not a constant"]),
        ("cluster", "#extension GL_KHR_shader_subgroup_clustered : require",
         "data.at[0] = subgroupClusteredAdd(data.at[1], 8);", &["more than 4 lanes"]),
    ];
    for (name, declarations, body, expected) in cases {
        let text = refused(name, &shader(declarations, body)).to_string();
        for part in *expected {
            assert!(text.contains(part), "{name}: `{part}` is not in: {text}");
        }
        assert!(!text.contains('\n'), "{name}: more than one line: {text}");
    }
}

#[test]
fn indices_are_clamped() {
    let text = accepted("runtime", &shader("", "data.at[words.at[push.n]] = 1;"));
    assert_eq!(text.matches("OpArrayLength").count(), 2, "{text}");
    assert_eq!(text.matches("UMin").count(), 2, "{text}");
    // Indices that are known to be in range are not clamped. A buffer has at least one element.
    let text = accepted("first", &shader("", "data.at[0] = pool[63] + push.list[3];"));
    assert!(!text.contains("UMin"), "an index in range is clamped:\n{text}");
    let text = accepted("fourth", &shader("", "data.at[4] = 1;"));
    assert_eq!(text.matches("UMin").count(), 1, "{text}");
    let body = "uint own[7]; own[push.n] = 3; pool[push.m] = own[push.m];
        uvec4 v = uvec4(push.list[push.n]); v[push.m] = 2; data.at[push.m] = v[push.n];
        mat3 t = mat3(1); t[push.n][push.m] = 4; data.at[1] = uint(t[2][push.n]);";
    let text = accepted("all", &shader("", body));
    assert!(text.matches("UMin").count() >= 11, "fewer than 11 clamps:\n{text}");
}

#[test]
fn array_lengths_can_be_specialization_constants() {
    let declarations = "layout(constant_id = 3) const uint N = 16;
layout(constant_id = 4) const int M = 3;
shared uint table[N];
shared uint other[M * 2];
layout(constant_id = 5) const uint BITS = 3;
shared uint shifted[1u << BITS];
";
    let body = "table[push.n] = 1; table[push.m] = 2; other[push.n] = 3; other[push.m] = 4;
        shifted[push.n] = 5; data.at[0] = table[3] + shifted[1];";
    let spirv = shader(declarations, body);
    accepted("specialized", &spirv);
    let kernel = Kernel::checked("specialized", &spirv).unwrap();
    assert_eq!(kernel.shared_bytes(|_| None).unwrap(), 4 * (64 + 16 + 6 + 8));
    let large = kernel.shared_bytes(|id| (id == 3).then_some(1 << 20)).unwrap();
    assert_eq!(large, 4 * (64 + (1 << 20) + 6 + 8));
    for (id, value) in [(3, 0), (4, 0), (4, u32::MAX), (5, 32), (5, 40)] {
        let error = kernel.memory(|wanted| (wanted == id).then_some(value)).unwrap_err();
        assert!(matches!(error, CheckError::Specialization(_)), "{id} = {value}: {error}");
    }
}

#[test]
fn trapping_arithmetic_is_guarded() {
    let wide = "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n";
    let body = "uint a = push.n / words.at[0]; int b = push.m / int(a); uvec2 c = uvec2(a, 3) % uvec2(push.n, b);
        a = a << b; a >>= push.n; c <<= uvec2(a); uint64_t w = uint64_t(a) << push.n; w /= uint64_t(push.n);
        int64_t s = int64_t(w) % int64_t(push.m);
        int x = int(uintBitsToFloat(a)); uint y = uint(double(x)); w += uint64_t(uintBitsToFloat(y));
        uvec2 z = uvec2(vec2(x, y)); a += bitfieldExtract(a, x, int(y)); a = bitfieldInsert(a, y, x, int(a));
        data.at[0] = a + uint(b) + c.x + uint(w) + uint(s) + z.y + y;";
    let text = accepted("guarded", &shader(wide, body));
    assert!(
        text.matches("OpSelect ").count() >= 5 && text.matches("NClamp").count() == 4,
        "expected at least 5 OpSelect and exactly 4 NClamp:\n{text}"
    );
    let plain = "data.at[0] = (push.n / 3u) + (push.n % 7u) + (push.n << 5) + uint(push.m / 2);";
    let text = accepted("plain", &shader("", plain));
    let guards = text.contains("OpSelect") || text.contains("OpBitwiseAnd");
    assert!(!guards, "constant operands are guarded:\n{text}");
}

#[test]
fn barriers_require_uniform_control_flow() {
    let accepted_bodies = [
        "barrier();",
        "pool[gl_LocalInvocationIndex] = 1; barrier(); memoryBarrierShared(); data.at[0] = pool[0];",
        "for (uint s = gl_WorkGroupSize.x / 2; s > 0; s >>= 1) {
            if (gl_LocalInvocationIndex < s) pool[gl_LocalInvocationIndex] += pool[gl_LocalInvocationIndex + s];
            barrier();
        }",
        "if (push.n > 3 && gl_WorkGroupID.x < gl_NumWorkGroups.x) barrier();",
        "uint i = 0; while (true) { if (i >= push.n) break; barrier(); i++; }",
        "if (push.n == 7) return; barrier();",
        "wait(push.n); wait(4);",
        "uint x = 0; if (gl_LocalInvocationIndex == 0) pool[0] = 1; x = twice(push.n); if (x > 4) barrier();",
        "switch (push.n) { case 0: barrier(); break; case 1: barrier(); default: data.at[1] = 1; }",
    ];
    let functions = "void wait(uint n) { for (uint i = 0; i < n; i++) barrier(); }
uint twice(uint n) { uint m = n; m += n; return m; }
void spoil(inout uint n) { n = gl_LocalInvocationIndex; }
";
    for (number, body) in accepted_bodies.iter().enumerate() {
        accepted(&format!("barrier {number}"), &shader(functions, body));
    }
    let refused_bodies = [
        "if (gl_LocalInvocationIndex == 0) barrier();",
        "if (gl_LocalInvocationIndex == 0) return; barrier();",
        "if (data.at[0] == 3) barrier();",
        "if (pool[0] == 3) barrier();",
        "for (uint i = 0; i < gl_GlobalInvocationID.x; i++) barrier();",
        "uint i = 0; while (true) { if (i++ >= words.at[0]) break; barrier(); }",
        "uint x = 3; if (gl_LocalInvocationIndex == 0) x = 4; if (x == 3) barrier();",
        "uint x = gl_LocalInvocationIndex; uint y = x > 3 ? 1 : 2; if (y == 1) barrier();",
        "wait(3); wait(gl_LocalInvocationIndex);",
        "if (gl_LocalInvocationIndex > 4) wait(3);",
        "uint x = 1; spoil(x); if (x == 1) barrier();",
        "bool b = gl_LocalInvocationIndex > 2 && push.n > 2; if (b) barrier();",
        "if (gl_LocalInvocationIndex == 0) memoryBarrierShared();",
        "if (gl_LocalInvocationIndex == 0) memoryBarrier();",
        "uint x = 0; for (uint i = 0; i < push.n; i++) { if (i == gl_LocalInvocationIndex) continue; barrier(); }",
        "uint x = 0; do { x++; } while (x < gl_LocalInvocationIndex); if (x > 3) barrier();",
        "uint x = atomicAdd(data.at[0], 1); if (x > 3) barrier();",
        "uint a[4]; a[gl_LocalInvocationIndex & 3] = 1; if (a[2] == 1) barrier();",
        "uint a[4] = uint[](1, 2, 3, 4); if (a[gl_LocalInvocationIndex] == 1) barrier();",
        "switch (gl_LocalInvocationIndex) { case 0: barrier(); break; default: data.at[1] = 1; }",
    ];
    for (number, body) in refused_bodies.iter().enumerate() {
        let error = refused(&format!("`{body}`"), &shader(functions, body));
        assert!(matches!(error, CheckError::Barrier { .. }), "{number}, not a Barrier: {error}");
    }
}

#[test]
fn subgroup_barriers_require_uniform_control_flow_in_the_subgroup() {
    let head = "#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
void wait(uint n) { for (uint i = 0; i < n; i++) subgroupBarrier(); }
";
    let accepted_bodies = [
        "subgroupBarrier();",
        "for (uint i = 0; i < gl_SubgroupID; i++) subgroupBarrier();",
        "if (gl_SubgroupID == 0) { subgroupBarrier(); pool[0] = 1; } barrier();",
        "wait(push.n + gl_NumSubgroups - gl_SubgroupID);",
        "if (gl_SubgroupID * gl_SubgroupSize > push.n) return; subgroupBarrier();",
        "if (subgroupAny(data.at[gl_LocalInvocationIndex] > 3)) subgroupBarrier();",
        "uint most = subgroupMax(data.at[gl_LocalInvocationIndex]); while (most > 0) { subgroupBarrier(); most >>= 1; }",
        "if (subgroupBallotBitCount(subgroupBallot(data.at[gl_LocalInvocationIndex] > 3)) > 2) subgroupBarrier();",
        "if (subgroupBroadcastFirst(data.at[0]) > 2) subgroupBarrier();",
    ];
    for (number, body) in accepted_bodies.iter().enumerate() {
        accepted(&format!("subgroup barrier {number}"), &shader(head, body));
    }
    let refused_bodies = [
        "if (gl_SubgroupInvocationID == 0) subgroupBarrier();",
        "if (gl_LocalInvocationIndex == 0) return; subgroupBarrier();",
        "for (uint i = 0; i < data.at[0]; i++) subgroupBarrier();",
        "wait(gl_LocalInvocationIndex);",
        "if (subgroupElect()) subgroupBarrier();",
        "if (subgroupInclusiveAdd(1) > 2) subgroupBarrier();",
        "uint x = 0; if (gl_LocalInvocationIndex > 2) x = subgroupAdd(1); if (x > 2) subgroupBarrier();",
    ];
    for body in refused_bodies {
        let error = refused(&format!("`{body}`"), &shader(head, body));
        assert!(matches!(error, CheckError::SubgroupBarrier { .. }), "{body}: {error}");
        let text = error.to_string();
        assert!(
            text.starts_with("subgroupBarrier() in `") && text.contains("part of the subgroup")
        );
    }
    // A workgroup barrier must still be reached by the whole workgroup.
    let error = refused("workgroup", &shader(head, "if (gl_SubgroupID == 0) barrier();"));
    assert!(matches!(error, CheckError::Barrier { barrier: "barrier()", .. }), "{error}");
}

#[test]
fn common_compute_features_are_accepted() {
    let everything = "#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
struct Item { vec3 a; float b; };
layout(set = 0, binding = 2) uniform Camera { mat4 view; vec3 eye; float x[3]; } camera;
layout(set = 0, binding = 3) writeonly buffer Out { vec4 header; Item at[]; } result;
uint count;
struct Pair { uint a; vec2 b; };
Pair swap(Pair p) { Pair q; q.a = uint(p.b.x); q.b = p.b.yx; return q; }
float pick(uint i) { const float list[5] = float[](1, 2, 3, 4, 5); switch (i) { case 2: return 3.0; default: return list[i]; } }
uint missing(uint i) { if (i > 3) return 2; }
";
    let body = "Pair p = swap(Pair(push.n, vec2(1, 2)));
        count += p.a; uint sum = subgroupAdd(count) + subgroupBallotBitCount(subgroupBallot(true));
        if (subgroupElect()) atomicAdd(data.at[sum], 1); atomicMax(pool[sum], 4); atomicCompSwap(pool[0], 1, 2);
        vec4 v = camera.view * vec4(camera.eye, camera.x[sum]);
        float whole; int exponent; v.x += frexp(v.y, exponent); v.y = modf(v.x, whole);
        result.header = v; result.at[1].b = whole;
        result.at[sum].a = v.xyz * pick(sum) * inverse(mat3(camera.view));
        data.at[data.at.length() - 1] = missing(sum) + subgroupShuffle(sum, push.n) + uint(subgroupAll(sum > 3));
        memoryBarrierBuffer(); barrier();";
    let text = accepted("everything", &shader(everything, body));
    assert!(text.contains("%count = OpVariable %_ptr_Private_uint Private %"), "{text}");
}

/// A shader that copies elements of `at`, an array of matrices of type `ty`, between two buffers.
fn matrices(ty: &str, member: &str, layout: &str, order: &str) -> Vec<u32> {
    let source = format!(
        "#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
struct Item {{ float tag; MAT m[2]; }};
layout(set = 0, binding = 0, {layout}, {order}) readonly buffer From {{ uint head; {member}; }} from;
layout(set = 0, binding = 1, {layout}, {order}) buffer To {{ uint head; {member}; }} to;
void main() {{ uint i = gl_GlobalInvocationID.x; to.at[i] = from.at[i]; }}"
    );
    words(&source.replace("MAT", ty))
}

#[test]
fn arrays_of_matrices_are_accepted() {
    let types = ["mat2", "mat3", "mat4", "mat3x4", "mat4x3", "mat2x3", "dmat3"];
    let members = ["MAT at[]", "MAT at[3]", "MAT at[][2]", "MAT at[3][2]", "Item at[]"];
    // Each type is combined with each member. The layouts are used in turn.
    let pairs = types.iter().flat_map(|ty| members.iter().map(move |member| (ty, member)));
    for (turn, (ty, member)) in pairs.enumerate() {
        let layout = ["std430", "std140", "scalar"][turn % 3];
        let order = ["row_major", "column_major"][turn % 2];
        let name = format!("{ty} {member} {layout} {order}");
        let kernel = Kernel::checked(name.clone(), &matrices(ty, member, layout, order));
        let kernel = kernel.unwrap_or_else(|e| panic!("{name}: {e}"));
        let binding = &kernel.interface().bindings[0];
        assert_eq!(binding.element_stride.is_some(), member.contains("[]"), "{name}");
    }
    let text = accepted("matrices", &matrices("mat4", "MAT at[]", "std430", "column_major"));
    assert_eq!(text.matches("OpArrayLength").count(), 2, "{text}");
}

#[test]
fn overlapping_matrices_are_rejected() {
    let spirv = matrices("mat4", "MAT at[]", "std430", "column_major");
    let (matrix_stride, array_stride) = (7, 6);
    for (decoration, value, small, expected) in [
        (matrix_stride, 16, 12, "`to.at` has rows or columns that overlap"),
        (matrix_stride, 16, 32, "the elements of `to.at` overlap"),
        (array_stride, 64, 60, "the elements of `to.at` overlap"),
    ] {
        let mut bad = spirv.clone();
        let pairs: Vec<usize> =
            (0..bad.len() - 1).filter(|&at| bad[at..at + 2] == [decoration, value]).collect();
        assert!(!pairs.is_empty());
        pairs.iter().for_each(|&at| bad[at + 1] = small);
        let text = refused("overlap", &bad).to_string();
        assert!(text.contains(expected), "`{expected}` is not in: {text}");
    }
}

#[test]
fn invalid_modules_are_rejected_without_panic() {
    let spirv = shader(
        "",
        "uint own[4]; own[push.n] = data.at[push.m] / push.n; data.at[0] = own[push.m]; barrier();",
    );
    assert!(Kernel::checked("empty", &[]).is_err());
    assert!(Kernel::checked("cut", &spirv[..spirv.len() - 3]).is_err());
    assert!(matches!(refused("long", &vec![0; 1 << 20]), CheckError::TooLarge { .. }));
    // Corrupting a single word must not cause a panic.
    for at in 0..spirv.len() {
        for change in [0x0000_0001, 0x0000_0010, 0x0001_0000, 0xFFFF_FFFF] {
            let mut bad = spirv.clone();
            bad[at] ^= change;
            let _ = Kernel::checked("corrupt", &bad);
        }
    }
}

#[test]
fn kernels_report_their_origin() {
    assert!(builtin::SCAN_REDUCE.kernel().unwrap().is_built_in());
    let spirv = shader("", "data.at[push.n] = 1;");
    assert!(Kernel::new("foreign", spirv.clone()).unwrap().is_foreign());
    // Checked SPIR-V may not come from our GLSL compiler, so the kernel still counts as foreign.
    assert!(Kernel::checked("checked", &spirv).unwrap().is_foreign());
}

#[test]
fn default_shared_memory_of_built_in_kernels_is_within_48_kib() {
    for builtin in builtin::ALL {
        let kernel = builtin.kernel().unwrap();
        let memory = kernel.memory(|_| None).unwrap_or_else(|e| panic!("{}: {e}", builtin.label()));
        let bytes = memory.shared_bytes;
        assert!(bytes <= 48 << 10, "{}: {bytes} bytes, more than 48 KiB", builtin.label());
    }
}
