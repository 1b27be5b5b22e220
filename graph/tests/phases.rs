//! Tests the phases of compilation: levels, culling, memory placement, and resolved passes.

// Tests report failures by panicking.
#![allow(clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;

use common::{Once as _, error, kernel, limits, plan, step};
use multisplit_graph::{
    Buffer, BufferPlacement, Graph, GraphError, Groups, Limits, PassId, PingPong, Place, Plan, Work,
};

fn run(g: &mut Graph, label: &str, src: Buffer, dst: Buffer) -> PassId {
    g.pass(label, step()).bind("src", src).bind("dst", dst).once()
}

/// Adds a pass that uses a buffer.
type UseBuffer = fn(&mut Graph, Buffer) -> PassId;

fn labels(plan: &Plan) -> Vec<(u32, &str)> {
    plan.steps().iter().map(|step| (step.pass.level, step.pass.label.as_str())).collect()
}

#[test]
fn independent_branches_share_levels() {
    // in -> a -> out.a
    //    -> b -> out.b
    let mut g = Graph::new("branches");
    let src = g.import::<u32>("in", 16);
    let (a, b) = (g.transient::<u32>("a", 16), g.transient::<u32>("b", 16));
    let (out_a, out_b) = (g.import::<u32>("out.a", 16), g.import::<u32>("out.b", 16));
    run(&mut g, "a", src, a);
    run(&mut g, "a.out", a, out_a);
    run(&mut g, "b", src, b);
    run(&mut g, "b.out", b, out_b);
    let plan = plan(&g);
    assert_eq!(labels(&plan), [(0, "a"), (0, "b"), (1, "a.out"), (1, "b.out")]);
    assert_eq!(plan.barriers().map(|(step, _)| step).collect::<Vec<_>>(), [2]);
}

#[test]
fn reader_waits_for_all_earlier_writers() {
    let mut g = Graph::new("writers");
    let (x, out) = (g.transient::<u32>("x", 16), g.import::<u32>("out", 16));
    g.fill("low", x.range(0, 32), 0);
    g.fill("high", x.range(32, 32), 0);
    run(&mut g, "use", x, out);
    assert_eq!(labels(&plan(&g)), [(0, "low"), (0, "high"), (1, "use")]);
}

#[test]
fn dead_passes_are_culled() {
    let mut g = Graph::new("dead");
    let (src, out) = (g.import::<u32>("in", 16), g.import::<u32>("out", 16));
    let (dead, deader) = (g.transient::<u32>("dead", 16), g.transient::<u32>("deader", 16));
    run(&mut g, "dead", src, dead);
    run(&mut g, "deader", dead, deader);
    run(&mut g, "live", src, out);
    let plan = plan(&g);
    assert_eq!(labels(&plan), [(0, "live")]);
    assert_eq!(plan.culled(), ["dead", "deader"]);
    assert_eq!(plan.workspace().size, 0);
    assert_eq!(plan.buffers()[dead.index()].placement, BufferPlacement::Transient { offset: None });
    assert_eq!(plan.buffers()[dead.index()].first_level, None);
}

#[test]
fn kept_passes_and_their_producers_are_live() {
    let mut g = Graph::new("kept");
    let src = g.import::<u32>("in", 16);
    let (a, b) = (g.transient::<u32>("a", 16), g.transient::<u32>("b", 16));
    run(&mut g, "feeds", src, a);
    let kept = run(&mut g, "kept", a, b);
    g.keep(kept);
    assert_eq!(labels(&plan(&g)), [(0, "feeds"), (1, "kept")]);
}

#[test]
fn passes_that_write_persistent_buffers_are_live() {
    let mut g = Graph::new("persistent");
    let (src, state) = (g.import::<u32>("in", 16), g.persistent::<u32>("state", 16));
    run(&mut g, "remember", src, state);
    let plan = plan(&g);
    assert_eq!(labels(&plan), [(0, "remember")]);
    assert_eq!(
        plan.buffers()[state.index()].placement,
        BufferPlacement::Persistent { offset: Some(0) }
    );
}

#[test]
fn order_through_a_culled_pass_is_preserved() {
    let mut g = Graph::new("order");
    let (src, out) = (g.import::<u32>("in", 16), g.import::<u32>("out", 16));
    let (other, dead) = (g.import::<u32>("other", 16), g.transient::<u32>("dead", 16));
    let first = run(&mut g, "first", src, out);
    let middle = run(&mut g, "middle", src, dead);
    let last = run(&mut g, "last", src, other);
    g.order(first, middle);
    g.order(middle, last);
    let plan = plan(&g);
    assert_eq!(labels(&plan), [(0, "first"), (1, "last")]);
    assert_eq!(plan.culled(), ["middle"]);
}

#[test]
fn pass_is_culled_if_later_passes_use_its_output_only_as_scratch() {
    // The second pass uses `work` only as scratch, so no pass reads the data that the first one
    // writes.
    let mut g = Graph::new("scratch");
    let (src, out) = (g.import::<u32>("in", 16), g.import::<u32>("out", 16));
    let work = g.transient::<u32>("work", 16);
    run(&mut g, "useless", src, work);
    g.pass("useful", kernel("useful").read("src").update("work").write("dst"))
        .bind("src", src)
        .scratch("work", work)
        .bind("dst", out)
        .once();
    let plan = plan(&g);
    assert_eq!(labels(&plan), [(0, "useful")]);
    assert!(plan.steps()[0].pass.bindings[1].scratch);
}

#[test]
fn chain_of_transients_needs_memory_for_only_two() {
    let mut g = Graph::new("chain");
    let (src, out) = (g.import::<u32>("in", 64), g.import::<u32>("out", 64));
    let mut last = src;
    for index in 0..10 {
        let next = g.transient::<u32>(format!("t{index}"), 64);
        run(&mut g, &format!("p{index}"), last, next);
        last = next;
    }
    run(&mut g, "out", last, out);
    let plan = plan(&g);
    assert_eq!(plan.workspace().size, 2 * 256);
    assert_eq!(plan.workspace().unaliased_size, 10 * 256);
}

#[test]
fn workspace_buffers_are_aligned_for_the_device() {
    let mut g = Graph::new("alignment");
    let (src, out) = (g.import::<u32>("in", 1), g.import::<u32>("out", 1));
    let (a, b) = (g.transient::<u32>("a", 1), g.transient::<u32>("b", 1));
    run(&mut g, "a", src, a);
    run(&mut g, "b", src, b);
    run(&mut g, "use.a", a, out);
    run(&mut g, "use.b", b, out);
    let offsets = |limits: &Limits| {
        let plan = g.compile(limits).expect("valid graph");
        [a, b].map(|buffer| plan.buffers()[buffer.index()].workspace_offset())
    };
    assert_eq!(offsets(&limits()), [Some(0), Some(16)]);
    assert_eq!(offsets(&Limits::default()), [Some(0), Some(256)]);
}

#[test]
fn bindings_constants_and_workgroups_are_resolved() {
    let mut g = Graph::new("resolved");
    let (src, out) = (g.import::<u32>("in", 64), g.import::<u32>("out", 64));
    let work = g.transient::<u32>("work", 64);
    let described = step().push(8).constant("B", 7, 0).constant("A", 3, 0);
    g.pass("one", described)
        .bind("dst", work.elements::<u32>(32, 16))
        .bind("src", src)
        .push_bytes(&[1, 0, 0, 0, 2, 0, 0, 0])
        .specialize("B", 1)
        .specialize("A", 5)
        .specialize("B", 2)
        .dispatch(Groups::linear(100_000));
    g.copy("two", work.elements::<u32>(32, 16), out.range(0, 64));
    let plan = plan(&g);
    let one = &plan.steps()[0].pass;
    assert_eq!(one.work, Work::Dispatch([50_000, 2, 1]));
    assert_eq!(one.specialization, [(3, 5), (7, 2)]);
    assert_eq!(one.push, [1, 0, 0, 0, 2, 0, 0, 0]);
    let names: Vec<_> = one.bindings.iter().map(|b| (b.name.as_str(), b.offset, b.size)).collect();
    assert_eq!(names, [("src", 0, 256), ("dst", 128, 64)]);
    assert_eq!(plan.place(work.index(), 128), Some(Place::Workspace { offset: 128 }));
    assert_eq!(plan.place(out.index(), 8), Some(Place::Import { buffer: out.index(), offset: 8 }));
    assert_eq!(plan.place(99, 0), None);
    assert!(matches!(plan.steps()[1].pass.work, Work::Copy { .. }));
}

#[test]
fn zero_workgroups_are_allowed() {
    let mut g = Graph::new("empty dispatch");
    let (src, out) = (g.import::<u32>("in", 1), g.import::<u32>("out", 1));
    g.pass("none", step()).bind("src", src).bind("dst", out).dispatch(Groups::linear(0));
    assert_eq!(plan(&g).steps()[0].pass.work, Work::Dispatch([0; 3]));
}

#[test]
fn empty_graph_compiles_to_an_empty_plan() {
    let mut g = Graph::new("empty");
    let unused = g.import::<u32>("unused", 1);
    g.replayable();
    let plan = plan(&g);
    assert_eq!((plan.levels(), plan.barriers().count(), plan.workspace().size), (0, 0, 0));
    assert_eq!(plan.index_of(unused), Some(0));
    assert_eq!(plan.index_of(Graph::new("other").import::<u32>("x", 1)), None);
    assert!(plan.to_text().contains("workspace: none"));
}

#[test]
fn ping_pong_swaps_front_and_back() {
    let mut g = Graph::new("ping-pong");
    let (a, b) = (g.import::<u32>("a", 1), g.import::<u32>("b", 1));
    let mut pair = PingPong::new(a, b);
    assert_eq!((pair.front(), pair.back(), pair.parity()), (a, b, false));
    pair.swap();
    assert_eq!((pair.front(), pair.back(), pair.parity()), (b, a, true));
    pair.swap();
    assert_eq!((pair.front(), pair.back(), pair.parity()), (a, b, false));
}

#[test]
fn odd_swaps_fail_only_in_replayable_graphs() {
    let build = |swaps: u32, replayable: bool| {
        let mut g = Graph::new("ping-pong");
        let mut pair = PingPong::new(g.persistent::<u32>("a", 16), g.persistent::<u32>("b", 16));
        for _ in 0..swaps {
            run(&mut g, "round", pair.front(), pair.back());
            pair.swap();
        }
        g.carry(&pair);
        if replayable {
            g.replayable();
        }
        g.compile(&limits()).is_ok()
    };
    assert!(build(2, true) && build(3, false) && build(0, true));
    assert!(!build(3, true));
}

#[test]
fn large_graphs_compile_quickly() {
    let mut g = Graph::new("large");
    let (a, b) = (g.persistent::<u32>("a", 16), g.persistent::<u32>("b", 16));
    let mut pair = PingPong::new(a, b);
    for index in 0..1000 {
        let work = g.transient::<u32>("work", 16);
        run(&mut g, &format!("in{index}"), pair.front(), work);
        run(&mut g, &format!("out{index}"), work, pair.back());
        pair.swap();
    }
    g.replayable();
    let start = std::time::Instant::now();
    assert_eq!(plan(&g).steps().len(), 2000);
    // Compilation takes far less time than this. The bound detects only a change of complexity.
    let elapsed = start.elapsed();
    assert!(elapsed.as_secs() < 10, "compilation took {elapsed:?}, expected less than 10 s");
}

/// Constants are never written, so they cause no hazards within or between runs.
#[test]
fn constants_are_placed_and_cause_no_barriers() {
    let mut g = Graph::new("constants");
    let unused = g.constant("unused", &[1u64]);
    let (table, other) = (g.constant("table", &[1u32, 2, 3]), g.constant("other", &[4u32]));
    let out = g.import::<u32>("out", 16);
    let look = kernel("look").read("table").read("other").write("out");
    let look = g.pass("look", look).bind("table", table).bind("other", other);
    look.bind("out", out).once();
    g.replayable();
    let plan = plan(&g);
    let hazards = plan.barriers().flat_map(|(_, barrier)| &barrier.hazards);
    assert_eq!(hazards.map(|hazard| hazard.to.buffer).collect::<Vec<_>>(), [Some(out.index())]);
    assert_eq!(plan.workspace().size, 0);
    let second = plan.limits().heap_alignment();
    assert_eq!(plan.constants_size(), second + 4);
    let constants: Vec<_> = plan.constants().collect();
    assert_eq!(constants[0], (0, bytemuck::cast_slice(&[1u32, 2, 3])));
    assert_eq!(constants[1..], [(second, bytemuck::bytes_of(&4u32))]);
    assert_eq!(plan.place(other.index(), 0), Some(Place::Constant { offset: second }));
    assert_eq!(plan.place(table.index(), 8), Some(Place::Constant { offset: 8 }));
    assert_eq!(plan.place(unused.index(), 0), None);
    assert!(plan.to_text().contains("constants: "), "no constants in: {}", plan.to_text());
}

#[test]
fn passes_that_write_a_constant_are_rejected() {
    let writes: [UseBuffer; 4] = [
        |g, table| g.fill("wrong", table, 0),
        |g, table| g.update("wrong", table, &[0; 4]),
        |g, table| {
            let from = g.import::<u32>("from", 1);
            g.copy("wrong", from, table)
        },
        |g, table| g.pass("wrong", kernel("wrong").update("table")).bind("table", table).once(),
    ];
    for write in writes {
        let mut g = Graph::new("constants");
        let table = g.constant("table", &[1u32]);
        write(&mut g, table);
        let (pass, buffer) = ("wrong".to_owned(), "table".to_owned());
        assert_eq!(error(&g), GraphError::ConstantWritten { pass, buffer });
    }
    let mut g = Graph::new("constants");
    let (table, out) = (g.constant("table", &[1u32]), g.import::<u32>("out", 1));
    g.copy("copy", table, out);
    assert_eq!(plan(&g).steps().len(), 1);
}

#[test]
fn status_word_causes_no_dependencies() {
    let mut g = Graph::new("status");
    let word = g.status_word("wrong");
    assert_eq!(g.status_word("wrong"), word);
    let (a, b) = (g.import::<u32>("a", 16), g.import::<u32>("b", 16));
    for (label, out) in [("first", a), ("second", b)] {
        let check = kernel(label).write("out").update("status");
        g.pass(label, check).bind("out", out).bind("status", word).once();
    }
    let only = kernel("only").update("status");
    g.pass("only", only).bind("status", word).once();
    g.replayable();
    let plan = plan(&g);
    assert_eq!(labels(&plan), [(0, "first"), (0, "second")]);
    assert_eq!(plan.culled(), ["only"]);
    let planned = &plan.buffers()[word.index()];
    assert_eq!((&planned.placement, planned.first_level), (&BufferPlacement::StatusWord, None));
    assert_eq!(plan.place(word.index(), 0), Some(Place::StatusWord { buffer: word.index() }));
    assert!(plan.sets_status_word("wrong") && !plan.sets_status_word("other"));
    assert_eq!(plan.imports().count(), 2);
    assert!(!plan.to_dot().contains("wrong"));
}

#[test]
fn transfers_of_a_status_word_are_rejected() {
    let transfers: [UseBuffer; 3] = [
        |g, word| g.fill("wrong", word, 0),
        |g, word| g.update("wrong", word, &[0; 4]),
        |g, word| {
            let out = g.import::<u32>("out", 1);
            g.copy("wrong", word, out)
        },
    ];
    for transfer in transfers {
        let mut g = Graph::new("status");
        let word = g.status_word("word");
        transfer(&mut g, word);
        let (pass, buffer) = ("wrong".to_owned(), "word".to_owned());
        assert_eq!(error(&g), GraphError::StatusWord { pass, buffer });
    }
}

/// State is zero before the first run and persists, so passes may read it before any pass writes
/// it. Each run waits for the previous run's writes to state.
#[test]
fn state_is_placed_and_orders_runs() {
    let mut g = Graph::new("state");
    let unused = g.state::<u32>("unused", 4);
    let (ticket, other) = (g.state::<u32>("ticket", 3), g.state::<u32>("other", 1));
    let out = g.import::<u32>("out", 16);
    let count = kernel("count").read("ticket").write("other").write("out");
    g.pass("count", count).bind("ticket", ticket).bind("other", other).bind("out", out).once();
    let only = kernel("only").write("unused");
    g.pass("only", only).bind("unused", unused).once();
    g.replayable();
    let plan = plan(&g);
    assert_eq!(plan.culled(), ["only"]);
    assert_eq!(plan.workspace().size, 0);
    let second = plan.limits().heap_alignment();
    assert_eq!(plan.state_size(), second + 4);
    assert_eq!(plan.place(ticket.index(), 8), Some(Place::State { offset: 8 }));
    assert_eq!(plan.place(other.index(), 0), Some(Place::State { offset: second }));
    assert_eq!(plan.place(unused.index(), 0), None);
    let hazards = plan.barriers().flat_map(|(_, barrier)| &barrier.hazards);
    let buffers: BTreeSet<_> = hazards.map(|hazard| hazard.to.buffer).collect();
    assert_eq!(buffers, [Some(other.index()), Some(out.index())].into());
    assert!(plan.to_text().contains("state: "), "no state in: {}", plan.to_text());
}
