//! Golden dumps of three realistic graphs. After a change to the planner, `cargo insta review`
//! shows the differences.

// Tests report failures by panicking.
#![allow(clippy::expect_used, clippy::panic)]

mod common;

use common::{Once as _, kernel, plan};
use multisplit_graph::{Graph, Groups, PingPong, Plan, Scope};

/// A three-pass scan: reduce, scan of the sums, downsweep.
fn scan() -> Plan {
    let mut g = Graph::new("scan");
    let src = g.import::<u32>("src", 1 << 20);
    let dst = g.import::<u32>("dst", 1 << 20);
    let sums = g.transient::<u32>("scan.sums", 256);
    g.entry(src, Scope::TRANSFER_WRITE);
    g.exit(dst, Scope::HOST_READ);
    g.pass("scan.reduce", kernel("scan.reduce").read("src").write("sums").push(4))
        .bind("src", src)
        .bind("sums", sums)
        .push_bytes(&(1u32 << 20).to_ne_bytes())
        .dispatch(Groups::linear(256));
    g.pass("scan.spine", kernel("scan.spine").update("sums").constant("WIDTH", 0, 128))
        .bind("sums", sums)
        .specialize("WIDTH", 256)
        .once();
    g.pass(
        "scan.downsweep",
        kernel("scan.downsweep").read("src").read("sums").write("dst").push(4),
    )
    .bind("src", src)
    .bind("sums", sums)
    .bind("dst", dst)
    .push_bytes(&(1u32 << 20).to_ne_bytes())
    .dispatch(Groups::linear(256));
    plan(&g)
}

/// Three ping-pong rounds of prescan, scan and postscan. Each round has a separate histogram and
/// offset buffer. These buffers share memory between rounds.
fn rounds() -> Plan {
    let mut g = Graph::new("radix");
    let keys = g.import::<u32>("keys", 1 << 16);
    let alt = g.import::<u32>("keys.alt", 1 << 16);
    let mut pair = PingPong::new(keys, alt);
    let bins = 256 * 64;
    for round in 0..3u32 {
        let name = |part: &str| format!("radix.{round}.{part}");
        let histogram = g.transient::<u32>(name("histogram"), bins);
        let offsets = g.transient::<u32>(name("offsets"), bins);
        let prescan = kernel("multisplit.prescan").read("keys").write("h").push(4);
        g.pass(name("prescan"), prescan)
            .bind("keys", pair.front())
            .bind("h", histogram)
            .push_bytes(&(8 * round).to_ne_bytes())
            .dispatch(Groups::linear(64));
        g.pass(name("scan"), kernel("scan.onepass").read("src").write("dst"))
            .bind("src", histogram)
            .bind("dst", offsets)
            .dispatch(Groups::linear(8));
        let postscan = kernel("multisplit.postscan").read("keys").read("h").write("out").push(4);
        g.pass(name("postscan"), postscan)
            .bind("keys", pair.front())
            .bind("h", offsets)
            .bind("out", pair.back())
            .push_bytes(&(8 * round).to_ne_bytes())
            .dispatch(Groups::linear(64));
        pair.swap();
    }
    plan(&g)
}

/// Two rounds of a frontier loop with indirect dispatches. A program would submit this recording
/// repeatedly, until the host reads a frontier length of zero.
fn replayed() -> Plan {
    let mut g = Graph::new("sssp");
    let graph = g.import::<u32>("csr", 1 << 12);
    let distance = g.import::<u32>("distance", 1 << 10);
    let status = g.import::<u32>("status", 4);
    g.exit(status, Scope::HOST_READ);
    let mut frontier = PingPong::new(
        g.persistent::<u32>("frontier.a", 1 << 10),
        g.persistent::<u32>("frontier.b", 1 << 10),
    );
    let length = g.persistent::<u32>("frontier.length", 4);
    for round in 0..2 {
        let name = |part: &str| format!("sssp.{round}.{part}");
        let groups = g.transient::<u32>(name("groups"), 3);
        let candidates = g.transient::<u32>(name("candidates"), 1 << 11);
        g.pass(name("prepare"), kernel("sssp.prepare").update("length").write("groups"))
            .bind("length", length)
            .bind("groups", groups)
            .dispatch(Groups::xyz([1, 1, 1]));
        let relax = kernel("sssp.relax")
            .read("csr")
            .read("frontier")
            .update("distance")
            .write("candidates");
        g.pass(name("relax"), relax)
            .bind("csr", graph)
            .bind("frontier", frontier.front())
            .bind("distance", distance)
            .bind("candidates", candidates)
            .dispatch_indirect(groups);
        let compact = kernel("sssp.compact").read("candidates").update("length").write("frontier");
        g.pass(name("compact"), compact)
            .bind("candidates", candidates)
            .bind("length", length)
            .bind("frontier", frontier.back())
            .dispatch_indirect(groups);
        frontier.swap();
    }
    g.copy("sssp.report", length, status);
    let log = g.transient::<u32>("sssp.log", 64);
    g.pass("sssp.debug", kernel("sssp.debug").read("distance").write("log"))
        .bind("distance", distance)
        .bind("log", log)
        .once();
    g.replayable();
    g.carry(&frontier);
    plan(&g)
}

/// Formats JSON as sorted lines of path and value. Snapshots are shorter this way, and do not
/// depend on the member order of the JSON library.
fn paths(json: &str) -> String {
    fn walk(lines: &mut Vec<String>, path: &str, value: &serde_json::Value) {
        match value {
            serde_json::Value::Object(members) if !members.is_empty() => {
                members
                    .iter()
                    .for_each(|(key, value)| walk(lines, &format!("{path}.{key}"), value));
            }
            serde_json::Value::Array(items) if items.iter().any(serde_json::Value::is_object) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(i, value)| walk(lines, &format!("{path}[{i}]"), value));
            }
            leaf => lines.push(format!("{path} = {leaf}")),
        }
    }
    let mut lines = Vec::new();
    walk(&mut lines, "", &serde_json::from_str(json).expect("the dump is valid JSON"));
    lines.sort();
    lines.join("\n")
}

#[test]
fn scan_dumps_match_snapshots() {
    insta::assert_snapshot!("scan.txt", scan().to_text());
    insta::assert_snapshot!("scan.dot", scan().to_dot());
    insta::assert_snapshot!("scan.json", paths(&scan().to_json()));
}

#[test]
fn ping_pong_dumps_match_snapshots() {
    insta::assert_snapshot!("rounds.txt", rounds().to_text());
    insta::assert_snapshot!("rounds.dot", rounds().to_dot());
}

#[test]
fn replayed_loop_dumps_match_snapshots() {
    insta::assert_snapshot!("replayed.txt", replayed().to_text());
    insta::assert_snapshot!("replayed.dot", replayed().to_dot());
}

#[test]
fn every_barrier_lists_a_hazard() {
    for plan in [scan(), rounds(), replayed()] {
        for (step, barrier) in plan.barriers() {
            let name = plan.name();
            let has_hazards = !barrier.hazards.is_empty();
            assert!(has_hazards, "{name}: the barrier before step {step} has no hazards");
        }
    }
}
