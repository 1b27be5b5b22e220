//! Every limit of a device, exceeded.

// A panic is how a test reports.
#![allow(clippy::expect_used, clippy::panic)]

mod common;

use common::{Described, kernel, limits, names};
use multisplit_graph::{Graph, GraphError, Groups, Limits, PassBuilder};
use multisplit_shaders::Dimension;

fn error(g: &Graph) -> GraphError {
    g.compile(&limits()).expect_err("the graph is wrong")
}

fn step() -> Described {
    kernel("step").read("src").write("dst")
}

/// The pass `the.pass` of `described`, which binds `src` and `dst` and `more`, compiled.
fn compiled(
    described: Described,
    limits: &Limits,
    more: impl FnOnce(PassBuilder<'_>) -> PassBuilder<'_>,
    groups: Groups,
) -> Option<GraphError> {
    let mut g = Graph::new("limits");
    let (src, dst) = (g.import::<u32>("keys", 64), g.transient::<u32>("work", 64));
    more(g.pass("the.pass", described).bind("src", src).bind("dst", dst)).dispatch(groups);
    g.compile(limits).err()
}

fn pass_error(described: Described, limits: &Limits, groups: Groups) -> GraphError {
    compiled(described, limits, |pass| pass, groups).expect("the pass is wrong")
}

fn one_error(
    described: Described,
    more: impl FnOnce(PassBuilder<'_>) -> PassBuilder<'_>,
) -> GraphError {
    compiled(described, &limits(), more, Groups::linear(1)).expect("the pass is wrong")
}

fn exceeds(error: &GraphError, name: &str, wanted: u64, most: u64) {
    match error {
        GraphError::LimitExceeded { limit, value, max, .. } => {
            assert_eq!((*limit, *value, *max), (name, wanted, most));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn view_limits() {
    let small = Limits { max_storage_range: 128, max_uniform_range: 64, ..limits() };
    let error = pass_error(step(), &small, Groups::linear(1));
    exceeds(&error, "maxStorageBufferRange", 256, 128);
    names(&error, &["the.pass", "src"]);
    let uniform = kernel("uniform").uniform("src").write("dst");
    let error = pass_error(uniform, &small, Groups::linear(1));
    exceeds(&error, "maxUniformBufferRange", 256, 64);
}

#[test]
fn buffer_limits() {
    let mut g = Graph::new("large");
    g.import::<u32>("large", u64::MAX);
    exceeds(&error(&g), "maxBufferSize", u64::MAX, 1 << 30);
    names(&error(&g), &["large"]);

    // Each fits, and both together do not.
    let mut g = Graph::new("large");
    let (a, b) = (g.persistent_bytes("a", 1 << 30), g.persistent_bytes("b", 16));
    g.fill("a", a, 0);
    g.fill("b", b, 0);
    exceeds(&error(&g), "maxBufferSize", (1 << 30) + 16, 1 << 30);
    names(&error(&g), &["workspace"]);

    let endless = Limits { max_buffer_size: u64::MAX, ..limits() };
    let mut g = Graph::new("endless");
    let (a, b) = (g.persistent_bytes("a", u64::MAX - 3), g.persistent_bytes("b", u64::MAX - 3));
    g.fill("a", a, 0);
    g.fill("b", b, 0);
    let error = g.compile(&endless).expect_err("more than there are addresses");
    exceeds(&error, "maxBufferSize", u64::MAX, u64::MAX);
}

#[test]
fn group_limits() {
    let most = 65535 * 65535;
    let error = pass_error(step(), &limits(), Groups::linear(most + 1));
    exceeds(&error, "maxComputeWorkGroupCount", most + 1, most);
    let error = pass_error(step(), &limits(), Groups::xyz([1, 70_000, 1]));
    exceeds(&error, "maxComputeWorkGroupCount", 70_000, 65535);
    names(&error, &["the.pass"]);
    let none = Limits { max_workgroup_count: [0; 3], ..limits() };
    let error = pass_error(step(), &none, Groups::linear(1));
    exceeds(&error, "maxComputeWorkGroupCount", 1, 0);
}

#[test]
fn workgroup_size_limits() {
    let sized = || {
        step().constant("WIDTH", 3, 64).with(|interface| {
            interface.local_size = [
                Dimension::Specialized { id: 3, default: 64 },
                Dimension::Fixed(2),
                Dimension::Fixed(1),
            ];
        })
    };
    let error = one_error(sized(), |pass| pass.specialize("WIDTH", 256));
    exceeds(&error, "maxComputeWorkGroupSize", 256, 128);
    let error = one_error(sized(), |pass| pass.specialize("WIDTH", 128));
    exceeds(&error, "maxComputeWorkGroupInvocations", 256, 128);
    names(&error, &["the.pass"]);
    assert_eq!(
        compiled(sized(), &limits(), |pass| pass, Groups::linear(1)),
        None,
        "the default fits"
    );
}

#[test]
fn update_limit() {
    let mut g = Graph::new("update");
    let x = g.import_bytes("x", 65540);
    g.update("the.pass", x, &[0; 65540]);
    exceeds(&error(&g), "the size of vkCmdUpdateBuffer", 65540, 65536);
}

#[test]
fn push_limit() {
    let error = one_error(step().push(132), |pass| pass.push_bytes(&[0; 132]));
    exceeds(&error, "maxPushConstantsSize", 132, 128);
}

/// Passes for two subgroup sizes fit no device, also none of which nothing is known.
#[test]
fn two_subgroup_sizes() {
    for lanes in [[64, 1], [32, 64], [0, 0]] {
        let mut g = Graph::new("lanes");
        lanes.into_iter().for_each(|lanes| g.sized_for_subgroups(lanes));
        for subgroup_size in [0, 32, 64] {
            let refused = g.compile(&Limits { subgroup_size, ..limits() }).err();
            let expected = matches!(refused, Some(GraphError::SubgroupSize { .. }));
            assert!(expected, "{lanes:?} on {subgroup_size}: {refused:?}");
        }
    }
}

/// An alignment of zero is none, and not a multiple of all others.
#[test]
fn no_alignment_is_not_enough() {
    let device = Limits { storage_alignment: 16, uniform_alignment: 64, ..limits() };
    let none = Limits { storage_alignment: 0, ..device };
    assert_eq!(none.exceeded_on(&device), Some("minStorageBufferOffsetAlignment"));
    let none = Limits { uniform_alignment: 0, ..device };
    assert_eq!(none.exceeded_on(&device), Some("minUniformBufferOffsetAlignment"));
    assert_eq!(device.exceeded_on(&device), None);
}
