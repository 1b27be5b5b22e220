//! Tests device limits, subgroup sizes and variants of graphs.

// Tests report failures by panicking.
#![allow(clippy::expect_used, clippy::panic)]

mod common;

use common::{Described, assert_names, error, kernel, limits, step};
use multisplit_graph::{Graph, GraphError, Groups, Limits, PassBuilder};
use multisplit_shaders::Dimension;

/// Compiles a graph whose only pass, `the.pass`, binds `src` and `dst` and is completed by
/// `extend`. Returns the error, if any.
fn compile_error(
    described: Described,
    limits: &Limits,
    extend: impl FnOnce(PassBuilder<'_>) -> PassBuilder<'_>,
    groups: Groups,
) -> Option<GraphError> {
    let mut g = Graph::new("limits");
    let (src, dst) = (g.import::<u32>("keys", 64), g.transient::<u32>("work", 64));
    extend(g.pass("the.pass", described).bind("src", src).bind("dst", dst)).dispatch(groups);
    g.compile(limits).err()
}

fn pass_error(described: Described, limits: &Limits, groups: Groups) -> GraphError {
    compile_error(described, limits, |pass| pass, groups).expect("invalid pass")
}

fn extended_pass_error(
    described: Described,
    extend: impl FnOnce(PassBuilder<'_>) -> PassBuilder<'_>,
) -> GraphError {
    compile_error(described, &limits(), extend, Groups::linear(1)).expect("invalid pass")
}

fn assert_exceeds(error: &GraphError, name: &str, expected_value: u64, expected_max: u64) {
    match error {
        GraphError::LimitExceeded { limit, value, max, .. } => {
            assert_eq!((*limit, *value, *max), (name, expected_value, expected_max));
        }
        other => panic!("expected LimitExceeded, found {other:?}"),
    }
}

#[test]
fn too_large_views_are_rejected() {
    let small = Limits { max_storage_range: 128, max_uniform_range: 64, ..limits() };
    let error = pass_error(step(), &small, Groups::linear(1));
    assert_exceeds(&error, "maxStorageBufferRange", 256, 128);
    assert_names(&error, &["the.pass", "src"]);
    let uniform = kernel("uniform").uniform("src").write("dst");
    let error = pass_error(uniform, &small, Groups::linear(1));
    assert_exceeds(&error, "maxUniformBufferRange", 256, 64);
}

#[test]
fn too_large_buffers_and_workspaces_are_rejected() {
    let mut g = Graph::new("large");
    g.import::<u32>("large", u64::MAX);
    assert_exceeds(&error(&g), "maxBufferSize", u64::MAX, 1 << 30);
    assert_names(&error(&g), &["large"]);

    // Each buffer is within the limit, but the workspace for both is not.
    let mut g = Graph::new("large");
    let (a, b) = (g.persistent_bytes("a", 1 << 30), g.persistent_bytes("b", 16));
    g.fill("a", a, 0);
    g.fill("b", b, 0);
    assert_exceeds(&error(&g), "maxBufferSize", (1 << 30) + 16, 1 << 30);
    assert_names(&error(&g), &["workspace"]);

    // The workspace size overflows `u64`.
    let unlimited = Limits { max_buffer_size: u64::MAX, ..limits() };
    let mut g = Graph::new("overflow");
    let (a, b) = (g.persistent_bytes("a", u64::MAX - 3), g.persistent_bytes("b", u64::MAX - 3));
    g.fill("a", a, 0);
    g.fill("b", b, 0);
    let error = g.compile(&unlimited).expect_err("size overflow");
    assert_exceeds(&error, "maxBufferSize", u64::MAX, u64::MAX);
}

#[test]
fn too_many_workgroups_are_rejected() {
    let max = 65535 * 65535;
    let error = pass_error(step(), &limits(), Groups::linear(max + 1));
    assert_exceeds(&error, "maxComputeWorkGroupCount", max + 1, max);
    let error = pass_error(step(), &limits(), Groups::xyz([1, 70_000, 1]));
    assert_exceeds(&error, "maxComputeWorkGroupCount", 70_000, 65535);
    assert_names(&error, &["the.pass"]);
    let zero = Limits { max_workgroup_count: [0; 3], ..limits() };
    let error = pass_error(step(), &zero, Groups::linear(1));
    assert_exceeds(&error, "maxComputeWorkGroupCount", 1, 0);
}

#[test]
fn too_large_workgroups_are_rejected() {
    let sized = || {
        step().constant("WIDTH", 3, 64).with(|interface| {
            interface.local_size = [
                Dimension::Specialized { id: 3, default: 64 },
                Dimension::Fixed(2),
                Dimension::Fixed(1),
            ];
        })
    };
    let error = extended_pass_error(sized(), |pass| pass.specialize("WIDTH", 256));
    assert_exceeds(&error, "maxComputeWorkGroupSize", 256, 128);
    let error = extended_pass_error(sized(), |pass| pass.specialize("WIDTH", 128));
    assert_exceeds(&error, "maxComputeWorkGroupInvocations", 256, 128);
    assert_names(&error, &["the.pass"]);
    assert_eq!(
        compile_error(sized(), &limits(), |pass| pass, Groups::linear(1)),
        None,
        "the default size is within the limits"
    );
}

#[test]
fn empty_workgroups_are_rejected() {
    let empty = step().with(|interface| interface.local_size[1] = Dimension::Fixed(0));
    let error = pass_error(empty, &limits(), Groups::linear(1));
    assert_eq!(error, GraphError::EmptyWorkgroup { pass: "the.pass".to_owned() });
}

#[test]
fn too_large_updates_are_rejected() {
    let mut g = Graph::new("update");
    let x = g.import_bytes("x", 65540);
    g.update("the.pass", x, &[0; 65540]);
    assert_exceeds(&error(&g), "dataSize of vkCmdUpdateBuffer", 65540, 65536);
}

#[test]
fn too_large_push_constants_are_rejected() {
    let error = extended_pass_error(step().push(132), |pass| pass.push_bytes(&[0; 132]));
    assert_exceeds(&error, "maxPushConstantsSize", 132, 128);
}

/// Graphs whose passes need different subgroup sizes, or a size of 0, are rejected even if the
/// device's size is unknown (0).
#[test]
fn conflicting_or_zero_subgroup_sizes_are_rejected() {
    for lanes in [[64, 1], [32, 64], [0, 0]] {
        let mut g = Graph::new("lanes");
        lanes.into_iter().for_each(|lanes| g.sized_for_subgroups(lanes));
        for subgroup_size in [0, 32, 64] {
            let error = g.compile(&Limits { subgroup_size, ..limits() }).err();
            let expected = matches!(error, Some(GraphError::SubgroupSize { .. }));
            assert!(
                expected,
                "sizes {lanes:?}, device {subgroup_size}: expected SubgroupSize, found {error:?}"
            );
        }
    }
}

#[test]
fn subgroup_size_errors_describe_each_kind_of_mismatch() {
    let message = |sizes: &[u32], subgroup_size: u32| {
        let mut g = Graph::new("lanes");
        sizes.iter().for_each(|&lanes| g.sized_for_subgroups(lanes));
        g.compile(&Limits { subgroup_size, ..limits() }).expect_err("wrong size").to_string()
    };
    assert!(message(&[32], 64).contains("a subgroup size of 32, but the device has 64"));
    assert!(message(&[32], 0).contains("a subgroup size of 32, but the device's is unknown"));
    assert!(message(&[32, 64], 64).contains("different subgroup sizes"));
}

#[test]
fn plan_has_the_lowest_variant_of_its_passes() {
    for (variants, expected) in [(&[][..], None), (&[2], Some(2)), (&[1, 0, 2], Some(0))] {
        let mut g = Graph::new("variants");
        variants.iter().for_each(|&variant| g.planned_in(variant));
        assert_eq!(g.compile(&limits()).expect("a plan").variant(), expected);
    }
}

/// An alignment of 0 means 1. It is not treated as a multiple of every alignment.
#[test]
fn zero_alignment_does_not_satisfy_device_alignment() {
    let device = Limits { storage_alignment: 16, uniform_alignment: 64, ..limits() };
    let unaligned = Limits { storage_alignment: 0, ..device };
    assert_eq!(unaligned.exceeded_on(&device), Some("minStorageBufferOffsetAlignment"));
    let unaligned = Limits { uniform_alignment: 0, ..device };
    assert_eq!(unaligned.exceeded_on(&device), Some("minUniformBufferOffsetAlignment"));
    assert_eq!(device.exceeded_on(&device), None);
}
