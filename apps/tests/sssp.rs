//! Tests of `multisplit sssp`, run as a process. Commands that use a device run with validation, so that any
//! message fails them.
#![allow(clippy::expect_used, clippy::panic, reason = "in a test a panic is the report")]

mod common;

use std::io::Write as _;

use common::{multisplit, temporary};
use serde_json::Value;

/// Runs the binary and returns its output.
#[track_caller]
fn run(arguments: &[&str], status: i32) -> (String, String) {
    let ran = common::run(multisplit(), arguments).expect(status);
    (ran.out, ran.err)
}

fn file(name: &str, text: &str) -> String {
    let path = temporary(name);
    std::fs::write(&path, text).expect("a file");
    path.to_str().expect("a name in UTF-8").to_owned()
}

#[test]
fn path_is_shown_and_distances_are_written() {
    let graph = file("small.wel", "0 1 4\n1 2 1\n0 2 9\n3 3 1\n");
    let (distances, plot) = (file("distances.txt", ""), file("plot.svg", ""));
    let rest = ["--path-to", "2", "-o", &distances, "--plot", &plot, "--force", "--verify"];
    let (out, _) = run(&[&["--validate", "sssp", &graph], &rest[..]].concat(), 0);
    assert!(
        out.contains("3 of 4 vertices reached, sum 9, max 5")
            && out.contains("to 2: 5, over 2 edges\n0 1 2"),
        "{out}"
    );
    let read = |path: &str| std::fs::read_to_string(path).expect("a file");
    assert_eq!(read(&distances), "0\n4\n5\n4294967295\n");
    assert!(read(&plot).starts_with("<svg"));
    let (out, _) = run(&["sssp", &graph, "--method", "dijkstra", "--to", "3", "--hops"], 0);
    assert!(out.contains("to 3: no path"), "{out}");
}

/// Sum of SplitMix64's finalizer over vertices and distances.
fn checksum(distances: &[u32]) -> String {
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let reached = (0u64..).zip(distances).filter(|(_, d)| **d != u32::MAX);
    let sum = reached.fold(0u64, |sum, (v, d)| sum.wrapping_add(mix(v << 32 | u64::from(*d))));
    format!("{sum:016x}")
}

#[test]
fn json_has_one_object_per_source() {
    let graph = file("objects.wel", "0 1 4\n1 2 1\n0 2 9\n3 3 1\n");
    let line = ["--validate", "sssp", &graph, "--source", "0", "--source", "1", "--json"];
    let (out, _) = run(&[&line[..], &["--path-to", "2", "--verify"]].concat(), 0);
    let objects: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [first, second] = &objects[..] else { panic!("not two objects: {out}") };
    assert_eq!(
        (&first["reached"], &first["sum"], &first["max"]),
        (&3.into(), &9.into(), &5.into())
    );
    assert_eq!(first["checksum"], checksum(&[0, 4, 5, u32::MAX]));
    assert_eq!(first["path"], serde_json::json!([0, 1, 2]));
    assert_eq!((&second["source"], &second["reached"]), (&1.into(), &2.into()));
    assert!(first["ms"].is_number() && first["mteps"].is_number() && first["rounds"].is_number());
}

#[test]
fn every_method_solves_generated_networks() {
    let mut seen = Vec::new();
    for method in ["dijkstra", "auto", "multisplit", "near-far", "bucketing", "bellman-ford"] {
        let line = ["sssp", "--generate", "rmat:200:600:7", "--method", method, "--json"];
        let (out, _) = run(&[&line[..], &["--delta", "90", "--buckets", "5"]].concat(), 0);
        let object: Value = serde_json::from_str(&out).expect("JSON");
        if method != "auto" {
            assert_eq!(object["method"], method);
        }
        seen.push((method, object["reached"].clone(), object["checksum"].clone()));
    }
    for (method, reached, checksum) in &seen {
        assert_eq!((reached, checksum), (&seen[0].1, &seen[0].2), "{method}");
    }
}

/// The same three edges in every file format, also compressed.
#[test]
fn networks_of_every_format_are_read() {
    let header = "%%MatrixMarket matrix coordinate";
    let mut checksums = Vec::new();
    for (name, text) in [
        ("forms.wel", "0 1 4\n1 2 1\n0 2 9\n".to_owned()),
        ("forms.gr", "p sp 3 3\na 1 2 4\na 2 3 1\na 1 3 9\n".to_owned()),
        ("forms.mtx", format!("{header} integer general\n3 3 3\n1 2 4\n2 3 1\n1 3 9\n")),
    ] {
        let plain = file(name, &text);
        let packed = format!("{plain}.gz");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        encoder.write_all(text.as_bytes()).expect("packed");
        std::fs::write(&packed, encoder.finish().expect("packed")).expect("a file");
        for graph in [&plain, &packed] {
            let (out, _) = run(&["sssp", graph, "--method", "dijkstra", "--json"], 0);
            let object: Value = serde_json::from_str(&out).expect("JSON");
            assert_eq!((&object["reached"], &object["sum"]), (&3.into(), &9.into()), "{graph}");
            checksums.push(object["checksum"].clone());
        }
    }
    assert!(checksums.iter().all(|sum| *sum == checksums[0]), "{checksums:?}");
    let unweighted = file("forms.el", "0 1\n1 2\n");
    let (out, _) = run(&["sssp", &unweighted, "--method", "dijkstra", "--hops"], 0);
    assert!(out.contains("3 of 3 vertices reached, sum 3, max 2"), "{out}");
}

/// Unweighted edges have weight 1, or a hashed weight if requested. The output states which.
#[test]
fn generated_weights_are_optional_and_reported() {
    let graph = file("unweighted.el", "0 1\n1 2\n0 2\n");
    let json = |arguments: &[&str]| -> Value {
        let line = [&["sssp", &graph, "--method", "dijkstra", "--json"], arguments].concat();
        serde_json::from_str(&run(&line, 0).0).expect("JSON")
    };
    let ones = json(&[]);
    assert_eq!((&ones["sum"], &ones["max"], &ones["weights"]), (&2.into(), &1.into(), &"1".into()));
    assert_eq!(json(&["--weights", "ones"])["sum"], 2);
    let hashed = json(&["--weights", "hash"]);
    assert_eq!(hashed["weights"], "hash, 0 to 1000");
    assert_ne!(hashed["sum"], 2);
    let (out, _) = run(&["sssp", &graph, "--method", "dijkstra"], 0);
    assert!(out.contains("weights every edge 1;"), "{out}");
    let (out, _) = run(&["sssp", "rmat:50:100", "--method", "dijkstra"], 0);
    assert!(out.contains("weights by hash, 0 to 1000;"), "{out}");
}

/// Oversized networks are rejected before memory is allocated.
#[test]
fn networks_exceeding_memory_are_rejected() {
    let head = file("vast.gr", "p sp 9000000000000 1\na 1 2 1\n");
    for graph in ["grid:1000000000", "rmat:4000000000:4000000000", &head] {
        let (_, err) = run(&["sssp", graph, "--method", "dijkstra"], 1);
        assert_eq!(err.lines().count(), 1, "{err}");
    }
    run(&["sssp", "grid:0"], 2);
}

/// Standard input, zstd, several sources, predecessors and paths.
#[test]
fn networks_are_piped_in_and_results_written_to_files() {
    let text = "0 1 4\n1 2 1\n0 2 9\n3 3 1\n";
    let packed = temporary("packed.wel.zst");
    std::fs::write(&packed, zstd::encode_all(text.as_bytes(), 0).expect("packed")).expect("a file");
    let packed = packed.to_str().expect("a name in UTF-8");
    let base = temporary("results");
    std::fs::create_dir_all(&base).expect("a folder");
    let name = |name: &str| base.join(name).to_str().expect("a name in UTF-8").to_owned();
    let (distances, tree, path) = (name("d-{}.txt"), name("p-{}.txt"), name("path-{}.txt"));
    let line = [
        "sssp",
        packed,
        "--method",
        "dijkstra",
        "--source",
        "0",
        "--source",
        "1",
        "-o",
        &distances,
        "--predecessors",
        &tree,
        "--path-to",
        "2",
        "--path",
        &path,
        "--force",
    ];
    run(&line, 0);
    let read = |file: &str| std::fs::read_to_string(name(file)).expect("a file");
    assert_eq!(read("d-1.txt"), "4294967295\n0\n1\n4294967295\n");
    assert_eq!(read("p-0.txt"), "4294967295\n0\n1\n4294967295\n");
    assert_eq!((read("path-0.txt"), read("path-1.txt")), ("0\n1\n2\n".into(), "1\n2\n".into()));
    let mut child = multisplit()
        .args(["sssp", "-", "--method", "dijkstra"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("standard input from 0: 3 of 4 vertices reached, sum 9"), "{out}");
}

#[test]
fn float_distances_are_written_as_floats() {
    let graph =
        file("floats.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 0.5\n");
    let out = file("floats.bin", "");
    let tenths = file("tenths.wel", "0 1 0.1\n1 2 0.2\n");
    let (_, err) = run(&["sssp", &tenths, "--method", "dijkstra"], 0);
    assert!(err.contains("rounded"), "{err}");
    run(&["sssp", &graph, "-o", &out, "--force", "--verify"], 0);
    let expected: Vec<u8> =
        [0.0f32, 0.5, f32::INFINITY].iter().flat_map(|d| d.to_le_bytes()).collect();
    assert_eq!(std::fs::read(&out).expect("a file"), expected);
}

#[test]
fn errors_are_one_line() {
    let unknown = file("unknown.txt", "a network of five vertices\n");
    let graph = file("wrong.gr", "c\np sp 2 1\na 1 3 1\n");
    let heavy = file("heavy.wel", "0 1 1e300\n");
    for (arguments, expected) in [
        (
            vec!["sssp", &graph],
            "wrong.gr:3: vertex 3 does not exist; vertices are numbered from 1 to 2",
        ),
        (
            vec!["sssp", &heavy],
            "heavy.wel:1: the weight is 1e300; weights must be from 0 to 3.4028235e38",
        ),
        (vec!["sssp", "nothing.txt"], "cannot read nothing.txt"),
        (vec!["sssp", &unknown], "unknown file format"),
        (
            vec!["sssp", "rmat:100:200", "--source", "100"],
            "source 100 does not exist; the network has 100 vertices",
        ),
    ] {
        let (_, err) = run(&arguments, 1);
        assert!(err.contains(expected) && err.lines().count() == 1, "{err}");
    }
    run(&["sssp", "rmat:1"], 2);
    run(&["sssp"], 2);
    run(&["sssp", "rmat:100:200", "--source", "0", "--source", "1", "-o", "x"], 2);
    run(&["bench", "sssp", "--n", "5"], 2);
    run(&["bench", "scan", "--graph", "rmat"], 2);
    run(&["bench", "sssp", "--tune-search", "nothing=5"], 2);
}

/// Runs the binary and returns its peak resident memory in kilobytes.
fn peak_memory(arguments: &[&str]) -> u64 {
    let mut child = multisplit()
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("the binary starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        // The line is missing once the process has ended.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        peak = kilobytes.map_or(peak, |text| text.parse().expect("a number"));
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success(), "{arguments:?}: {status}");
            return peak;
        }
        if peak > 4 * MAX_PEAK {
            child.kill().expect("a child");
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Maximum memory of a search on a software driver, in kilobytes.
const MAX_PEAK: u64 = 300_000;

/// Each vertex of the path has its own bucket, so there are as many rounds as vertices.
#[test]
#[cfg(target_os = "linux")]
fn search_memory_does_not_grow_with_rounds() {
    let full = std::env::var_os("MULTISPLIT_FULL").is_some();
    let path = |vertices: u32| {
        let edge = |v: u32| format!("{v} {} {}\n", v + 1, v.wrapping_mul(2_654_435_761) % 1000 + 1);
        file(&format!("path{vertices}.wel"), &(0..vertices - 1).map(edge).collect::<String>())
    };
    let (long, short) = (path(3000), path(if full { 3000 } else { 400 }));
    for (method, graph) in [
        ("bellman-ford", &long),
        ("near-far", &long),
        ("multisplit", &long),
        // Few vertices, because each split takes many passes.
        ("multisplit-passes", &short),
        ("bucketing", &short),
    ] {
        let arguments = ["sssp", graph, "--method", method, "--delta", "10", "--verify"];
        let peak = peak_memory(&arguments);
        assert!(peak > 0 && peak <= MAX_PEAK, "{method}: {peak} kB");
    }
}

#[test]
fn bench_prints_one_line_per_method() {
    let arguments = [
        "--validate",
        "bench",
        "sssp",
        "--graph",
        "rmat:300:900",
        "--search",
        "near-far,multisplit",
        "--delta",
        "100,500",
        "--tune-search",
        "local_hops=2",
        "--reps",
        "1",
        "--warmup",
        "0",
    ];
    let (out, _) = run(&arguments, 0);
    let lines: Vec<Value> =
        out.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 4, "{out}");
    for line in &lines {
        assert_eq!((&line["op"], &line["graph"]), (&"sssp".into(), &"rmat:300:900".into()));
        for key in ["ms", "mteps", "rounds", "relaxations", "rerelaxations", "delta"] {
            assert!(line[key].is_number(), "{key}: {line}");
        }
    }
    assert_eq!((&lines[0]["method"], &lines[3]["delta"]), (&"near-far".into(), &500.into()));
}

#[test]
fn graph_shows_the_passes_of_a_round() {
    let (out, _) = run(&["graph", "sssp", "--method", "near-far"], 0);
    assert!(out.contains("sssp.begin") && out.contains("sssp.round"), "{out}");
    let (out, _) = run(&["graph", "sssp", "--method", "bucketing", "--format", "json"], 0);
    assert!(out.contains("sssp.filter") && out.contains("sssp.take"), "{out}");
}
