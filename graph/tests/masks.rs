//! Tests the exact barrier masks of every kind of dependency, and that there are no barriers
//! without a dependency.

// Tests report failures by panicking.
#![allow(clippy::expect_used, clippy::panic)]

mod common;

use common::{Described, Once as _, kernel, plan};
use multisplit_graph::{
    Access, Barrier, Buffer, Graph, Hazard, HazardKind, MemoryBarrier, PassId, Plan, Scope, Stages,
    View,
};

const C: Stages = Stages::COMPUTE_SHADER;
const T: Stages = Stages::TRANSFER;
const I: Stages = Stages::DRAW_INDIRECT;
const R: Access = Access::SHADER_STORAGE_READ;
const W: Access = Access::SHADER_STORAGE_WRITE;
const TW: Access = Access::TRANSFER_WRITE;
const NONE: Access = Access::empty();

fn barrier(
    src_stages: Stages,
    src_access: Access,
    dst_stages: Stages,
    dst_access: Access,
) -> MemoryBarrier {
    MemoryBarrier { src_stages, src_access, dst_stages, dst_access }
}

fn reader() -> Described {
    kernel("reader").read("x")
}

fn writer() -> Described {
    kernel("writer").write("x")
}

fn updater() -> Described {
    kernel("updater").update("x")
}

fn run(g: &mut Graph, label: &str, described: Described, view: impl Into<View>) -> PassId {
    g.pass(label, described).bind("x", view).once()
}

fn memory(barrier: Option<&Barrier>) -> &[MemoryBarrier] {
    barrier.map_or(&[], |barrier| &barrier.memory)
}

fn before(plan: &Plan, step: usize) -> &[MemoryBarrier] {
    memory(plan.steps()[step].barrier.as_ref())
}

fn hazards(plan: &Plan) -> Vec<&Hazard> {
    plan.barriers().flat_map(|(_, barrier)| &barrier.hazards).collect()
}

fn graph() -> (Graph, Buffer) {
    let mut g = Graph::new("masks");
    let x = g.import::<u32>("x", 16);
    (g, x)
}

/// The barrier between two passes that use the same buffer.
fn between(first: Described, second: Described) -> Vec<MemoryBarrier> {
    let (mut g, x) = graph();
    let one = run(&mut g, "one", first, x);
    let two = run(&mut g, "two", second, x);
    g.keep(one);
    g.keep(two);
    before(&plan(&g), 1).to_vec()
}

#[test]
fn barriers_between_compute_passes_have_minimal_masks() {
    assert_eq!(between(writer(), reader()), [barrier(C, W, C, R)]);
    assert_eq!(between(writer(), writer()), [barrier(C, W, C, W)]);
    assert_eq!(between(writer(), updater()), [barrier(C, W, C, R | W)]);
    assert_eq!(between(updater(), updater()), [barrier(C, W, C, R | W)]);
    assert_eq!(between(reader(), writer()), [barrier(C, NONE, C, NONE)]);
    assert_eq!(between(reader(), updater()), [barrier(C, NONE, C, NONE)]);
    assert_eq!(between(reader(), reader()), []);
}

#[test]
fn write_after_read_waits_only_for_the_read() {
    let (mut g, x) = graph();
    run(&mut g, "write", writer(), x);
    let read = run(&mut g, "read", reader(), x);
    run(&mut g, "overwrite", writer(), x);
    g.keep(read);
    let plan = plan(&g);
    assert_eq!(before(&plan, 1), [barrier(C, W, C, R)]);
    assert_eq!(before(&plan, 2), [barrier(C, NONE, C, NONE)]);
}

#[test]
fn scratch_binding_waits_for_earlier_writes_without_reading_them() {
    let (mut g, x) = graph();
    run(&mut g, "write", writer(), x);
    g.pass("scratch", updater()).scratch("x", x).once();
    let plan = plan(&g);
    assert_eq!(before(&plan, 1), [barrier(C, W, C, R | W)]);
    assert!(hazards(&plan).iter().all(|hazard| hazard.kind == HazardKind::WriteAfterWrite));
}

#[test]
fn indirect_parameters_use_the_indirect_stage() {
    let (mut g, x) = graph();
    let groups = g.transient::<u32>("groups", 3);
    run(&mut g, "prepare", writer(), groups);
    g.pass("indirect", writer()).bind("x", x).dispatch_indirect(groups);
    let again = run(&mut g, "prepare.again", writer(), groups);
    g.keep(again);
    let plan = plan(&g);
    assert_eq!(before(&plan, 1), [barrier(C, W, I, Access::INDIRECT_COMMAND_READ)]);
    assert_eq!(before(&plan, 2), [barrier(I, NONE, C, NONE)]);
}

#[test]
fn transfers_use_the_transfer_stage() {
    let (mut g, x) = graph();
    let y = g.import::<u32>("y", 16);
    g.fill("fill", x, 0);
    run(&mut g, "update", updater(), x);
    g.copy("copy", x, y);
    g.fill("fill.again", x, 0);
    let plan = plan(&g);
    assert_eq!(before(&plan, 1), [barrier(T, TW, C, R | W)]);
    assert_eq!(before(&plan, 2), [barrier(C, W, T, Access::TRANSFER_READ)]);
    assert_eq!(before(&plan, 3), [barrier(T, NONE, T, NONE)]);
}

#[test]
fn uniform_bindings_use_uniform_read() {
    let (mut g, x) = graph();
    g.update("update", x.range(0, 4), &[0; 4]);
    let read = run(&mut g, "read", kernel("uniform").uniform("x"), x.range(0, 4));
    g.keep(read);
    assert_eq!(before(&plan(&g), 1), [barrier(T, TW, C, Access::UNIFORM_READ)]);
}

#[test]
fn only_overlapping_bytes_conflict() {
    let (mut g, x) = graph();
    run(&mut g, "low", writer(), x.range(0, 32));
    run(&mut g, "high", writer(), x.range(32, 32));
    let plan = plan(&g);
    assert_eq!(plan.levels(), 1);
    assert_eq!(plan.barriers().count(), 0);
}

#[test]
fn hazards_of_a_level_share_one_barrier_call() {
    let (mut g, x) = graph();
    let y = g.import::<u32>("y", 16);
    run(&mut g, "write.x", writer(), x);
    g.fill("fill.y", y, 0);
    let both = kernel("both").read("x").update("y");
    g.pass("both", both).bind("x", x).bind("y", y).once();
    let plan = plan(&g);
    assert_eq!(plan.barriers().count(), 1);
    assert_eq!(before(&plan, 2), [barrier(C, W, C, R), barrier(T, TW, C, R | W)]);
}

#[test]
fn barrier_covers_earlier_writes_to_other_buffers() {
    let (mut g, x) = graph();
    let y = g.import::<u32>("y", 16);
    let z = g.import::<u32>("z", 16);
    run(&mut g, "write.y", writer(), y);
    run(&mut g, "write.x", writer(), x);
    let both = || kernel("step").read("x").write("y");
    g.pass("x.to.z", both()).bind("x", x).bind("y", z).once();
    // `y` was written in level 0. The barrier before level 1 already made it visible.
    let late = kernel("late").read("x").read("y");
    let late = g.pass("late", late).bind("x", z).bind("y", y).once();
    g.keep(late);
    let plan = plan(&g);
    let reasons: Vec<_> =
        plan.steps()[3].barrier.iter().flat_map(|barrier| &barrier.hazards).collect();
    assert_eq!(reasons.len(), 1);
    assert_eq!(reasons[0].to.buffer, Some(z.index()));
}

#[test]
fn chained_barriers_cover_a_transfer_write() {
    let (mut g, x) = graph();
    let y = g.import::<u32>("y", 16);
    g.fill("fill", x, 0);
    run(&mut g, "overwrite", writer(), x.range(0, 32));
    // The barrier before `overwrite` makes the fill of both halves available.
    run(&mut g, "write.y", writer(), y);
    let both = kernel("both").read("x").read("y");
    let both = g.pass("both", both).bind("x", x).bind("y", y).once();
    g.keep(both);
    let plan = plan(&g);
    assert_eq!(before(&plan, 2), [barrier(T, TW, C, W)]);
    assert_eq!(before(&plan, 3), [barrier(C, W, C, R)]);
}

#[test]
fn explicit_order_adds_only_an_execution_dependency() {
    let (mut g, x) = graph();
    let y = g.import::<u32>("y", 16);
    let one = run(&mut g, "one", writer(), x);
    let two = g.fill("two", y, 0);
    g.order(two, one);
    let plan = plan(&g);
    let labels: Vec<_> = plan.steps().iter().map(|step| step.pass.label.as_str()).collect();
    assert_eq!(labels, ["two", "one"]);
    assert_eq!(before(&plan, 1), [barrier(T, NONE, C, NONE)]);
    assert_eq!(hazards(&plan)[0].kind, HazardKind::Order);
}

#[test]
fn buffers_that_share_memory_are_synchronised() {
    let (mut g, x) = graph();
    let (a, b) = (g.transient::<u32>("a", 64), g.transient::<u32>("b", 64));
    let step = || kernel("step").read("x").write("y");
    run(&mut g, "write.a", writer(), a);
    g.pass("use.a", step()).bind("x", a).bind("y", x).once();
    let write_b = run(&mut g, "write.b", writer(), b);
    g.pass("use.b", step()).bind("x", b).bind("y", x).once();
    // Without this order, `a` and `b` would be written at the same level and could not share
    // memory.
    let use_a = g.pass("wait", kernel("wait").read("x")).bind("x", a).once();
    g.order(use_a, write_b);
    g.keep(use_a);
    let plan = plan(&g);
    assert_eq!(plan.workspace().size, 256);
    assert_eq!(plan.workspace().unaliased_size, 512);
    let alias =
        hazards(&plan).into_iter().find(|hazard| hazard.aliased).expect("an aliasing hazard");
    assert_eq!(alias.kind, HazardKind::WriteAfterRead);
    assert_eq!((alias.from.buffer, alias.to.buffer), (Some(a.index()), Some(b.index())));
    assert_eq!(alias.masks, barrier(C, NONE, C, NONE));
}

#[test]
fn entry_and_exit_scopes_add_barriers() {
    let (mut g, x) = graph();
    g.entry(x, Scope::TRANSFER_WRITE);
    g.exit(x, Scope::HOST_READ);
    run(&mut g, "update", updater(), x);
    let plan = plan(&g);
    assert_eq!(before(&plan, 0), [barrier(T, TW, C, R | W)]);
    assert_eq!(memory(plan.exit()), [barrier(C, W, Stages::HOST, Access::HOST_READ)]);
    let kinds: Vec<_> = hazards(&plan).iter().map(|hazard| hazard.kind).collect();
    assert_eq!(kinds, [HazardKind::Entry, HazardKind::Exit]);
}

#[test]
fn only_writes_wait_for_entry_reads() {
    let (mut g, x) = graph();
    g.entry(x, Scope::TRANSFER_READ);
    let read = run(&mut g, "read", reader(), x);
    run(&mut g, "write", writer(), x);
    g.keep(read);
    let plan = plan(&g);
    assert_eq!(before(&plan, 0), []);
    assert_eq!(before(&plan, 1), [barrier(C | T, NONE, C, NONE)]);
}

#[test]
fn exit_barrier_covers_entry_writes_of_read_only_imports() {
    let (mut g, x) = graph();
    g.entry(x, Scope::TRANSFER_WRITE);
    g.exit(x, Scope::VERTEX_READ);
    let read = run(&mut g, "read", reader(), x);
    g.keep(read);
    let plan = plan(&g);
    assert_eq!(before(&plan, 0), [barrier(T, TW, C, R)]);
    let vertex = barrier(T, TW, Stages::VERTEX_INPUT, Access::VERTEX_ATTRIBUTE_READ);
    assert_eq!(memory(plan.exit()), [vertex]);
}

#[test]
fn broad_entry_scope_covers_narrow_entry_scopes() {
    let (mut g, x) = graph();
    let y = g.import::<u32>("y", 16);
    g.entry(x, Scope::ANYTHING);
    g.entry(y, Scope::COMPUTE_WRITE);
    for (label, buffer) in [("x", x), ("y", y)] {
        let read = run(&mut g, label, reader(), buffer);
        g.keep(read);
    }
    let all = barrier(Stages::ALL_COMMANDS, Access::MEMORY_WRITE, C, R);
    assert_eq!(before(&plan(&g), 0), [all]);
}

#[test]
fn contracts_name_the_first_and_last_accesses() {
    let (mut g, x) = graph();
    let y = g.import::<u32>("y", 16);
    let unused = g.import::<u32>("unused", 16);
    g.copy("copy", x, y);
    run(&mut g, "update", updater(), x);
    let plan = plan(&g);
    let x = plan.import("x").expect("the plan has import `x`");
    // Both the copy and the update read `x`, so the caller's writes must be visible to both.
    assert_eq!(x.first_use, Some(Scope::TRANSFER_READ.union(Scope::COMPUTE_READ)));
    assert_eq!(x.last_use, Some(Scope::COMPUTE_READ_WRITE));
    let y = plan.import("y").expect("the plan has import `y`");
    assert_eq!(
        (y.first_use, y.last_use),
        (Some(Scope::TRANSFER_WRITE), Some(Scope::TRANSFER_WRITE))
    );
    let unused = plan.buffers()[unused.index()].contract().expect("an import");
    assert_eq!((unused.first_use, unused.last_use), (None, None));
}

#[test]
fn replay_waits_for_the_previous_run() {
    let (mut g, x) = graph();
    run(&mut g, "update", updater(), x);
    assert_eq!(plan(&g).barriers().count(), 0);
    g.replayable();
    let plan = plan(&g);
    assert_eq!(before(&plan, 0), [barrier(C, W, C, R | W)]);
    assert!(hazards(&plan).iter().all(|hazard| hazard.replay));
}

#[test]
fn replay_waits_before_overwriting_a_transient() {
    let (mut g, x) = graph();
    let a = g.transient::<u32>("a", 16);
    run(&mut g, "write.a", writer(), a);
    g.pass("use.a", kernel("use").read("x").write("y")).bind("x", a).bind("y", x).once();
    g.replayable();
    let plan = plan(&g);
    // The first barrier orders the write of `a` after the read in the previous run. The second
    // makes the write of `a` in this run, and of `x` in the previous run, available.
    assert_eq!(before(&plan, 0), [barrier(C, NONE, C, NONE)]);
    assert_eq!(before(&plan, 1), [barrier(C, W, C, R | W)]);
}

#[test]
fn replay_of_a_read_only_pass_needs_no_barrier() {
    let (mut g, x) = graph();
    let read = run(&mut g, "read", reader(), x);
    g.keep(read);
    g.replayable();
    assert_eq!(plan(&g).barriers().count(), 0);
}
