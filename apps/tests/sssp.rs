//! Tests of `multisplit sssp`, run as a process. Some commands run with `--validate`, so that any
//! message of the validation layer fails them.
#![allow(clippy::expect_used, clippy::panic, reason = "in a test a panic is the report")]

mod common;

use common::{RunOutput, feed, gzip, multisplit, name, temporary};

/// Runs the binary, which must end with this status.
#[track_caller]
fn run(line: &str, status: i32) -> RunOutput {
    common::run_line(multisplit(), line).expect(status)
}

fn file(file_name: &str, text: &str) -> String {
    let path = temporary(file_name);
    std::fs::write(&path, text).expect("the file can be written");
    name(&path).to_owned()
}

#[test]
fn path_is_shown_and_distances_are_written() {
    let graph = file("small.wel", "0 1 4\n1 2 1\n0 2 9\n3 3 1\n");
    let (distances, plot) = (file("distances.txt", ""), file("plot.svg", ""));
    let files = format!("-o {distances} --plot {plot} --force");
    let ran = run(&format!("--validate sssp {graph} --path-to 2 {files} --verify"), 0);
    ran.expect_out(&["3 of 4 vertices reached, sum 9, max 5", "to 2: 5, over 2 edges\n0 1 2"]);
    let read = |path: &str| std::fs::read_to_string(path).expect("the file is readable");
    assert_eq!(read(&distances), "0\n4\n5\n4294967295\n");
    assert!(read(&plot).starts_with("<svg"));
    let ran = run(&format!("sssp {graph} --method dijkstra --to 3 --hops"), 0);
    ran.expect_out(&["to 3: no path"]);
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
    let options = "--source 0 --source 1 --json --path-to 2 --verify";
    let ran = run(&format!("--validate sssp {graph} {options}"), 0);
    let objects = ran.json_lines();
    let [first, second] = &objects[..] else { panic!("not two objects: {}", ran.out) };
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
fn methods_find_the_same_distances() {
    let mut seen = Vec::new();
    for method in ["dijkstra", "auto", "multisplit", "near-far", "bucketing", "bellman-ford"] {
        let options = format!("--method {method} --json --delta 90 --buckets 5");
        let object = run(&format!("sssp --generate rmat:200:600:7 {options}"), 0).json();
        if method != "auto" {
            assert_eq!(object["method"], method);
        }
        seen.push((method, object["reached"].clone(), object["checksum"].clone()));
    }
    for (method, reached, checksum) in &seen {
        assert_eq!((reached, checksum), (&seen[0].1, &seen[0].2), "{method}");
    }
}

/// Reads the same three edges from files of every format with weights, uncompressed and compressed.
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
        std::fs::write(&packed, gzip(text.as_bytes())).expect("the file can be written");
        for graph in [&plain, &packed] {
            let object = run(&format!("sssp {graph} --method dijkstra --json"), 0).json();
            assert_eq!((&object["reached"], &object["sum"]), (&3.into(), &9.into()), "{graph}");
            checksums.push(object["checksum"].clone());
        }
    }
    assert!(
        checksums.iter().all(|sum| *sum == checksums[0]),
        "the checksums differ: {checksums:?}"
    );
    let unweighted = file("forms.el", "0 1\n1 2\n");
    let ran = run(&format!("sssp {unweighted} --method dijkstra --hops"), 0);
    ran.expect_out(&["3 of 3 vertices reached, sum 3, max 2"]);
}

/// Unweighted edges have weight 1, or a hashed weight if requested. The output states which.
#[test]
fn generated_weights_are_optional_and_reported() {
    let graph = file("unweighted.el", "0 1\n1 2\n0 2\n");
    let json =
        |options: &str| run(&format!("sssp {graph} --method dijkstra --json {options}"), 0).json();
    let ones = json("");
    assert_eq!((&ones["sum"], &ones["max"], &ones["weights"]), (&2.into(), &1.into(), &"1".into()));
    assert_eq!(json("--weights ones")["sum"], 2);
    let hashed = json("--weights hash");
    assert_eq!(hashed["weights"], "hash, 0 to 1000");
    assert_ne!(hashed["sum"], 2);
    let ran = run(&format!("sssp {graph} --method dijkstra"), 0);
    ran.expect_out(&["weights all 1;"]);
    let ran = run("sssp rmat:50:100 --method dijkstra", 0);
    ran.expect_out(&["weights by hash, 0 to 1000;"]);
}

/// Oversized networks are rejected before memory is allocated.
#[test]
fn networks_exceeding_memory_are_rejected() {
    let head = file("vast.gr", "p sp 9000000000000 1\na 1 2 1\n");
    for graph in ["grid:1000000000", "rmat:4000000000:4000000000", &head] {
        run(&format!("sssp {graph} --method dijkstra"), 1).error_line();
    }
    run("sssp grid:0", 2);
}

/// Reads a network from a compressed file and from standard input, searches from several sources, and writes
/// distances, predecessors and paths.
#[test]
fn networks_are_piped_in_and_results_written_to_files() {
    let text = "0 1 4\n1 2 1\n0 2 9\n3 3 1\n";
    let packed = temporary("packed.wel.zst");
    std::fs::write(&packed, zstd::encode_all(text.as_bytes(), 0).expect("compression succeeds"))
        .expect("the file can be written");
    let packed = name(&packed);
    let base = temporary("results");
    std::fs::create_dir_all(&base).expect("the folder can be created");
    let place = |file: &str| name(&base.join(file)).to_owned();
    let (distances, tree, path) = (place("d-{}.txt"), place("p-{}.txt"), place("path-{}.txt"));
    let files = format!("-o {distances} --predecessors {tree} --path-to 2 --path {path} --force");
    run(&format!("sssp {packed} --method dijkstra --source 0 --source 1 {files}"), 0);
    let read = |file: &str| std::fs::read_to_string(place(file)).expect("the file is readable");
    assert_eq!(read("d-1.txt"), "4294967295\n0\n1\n4294967295\n");
    assert_eq!(read("p-0.txt"), "4294967295\n0\n1\n4294967295\n");
    assert_eq!((read("path-0.txt"), read("path-1.txt")), ("0\n1\n2\n".into(), "1\n2\n".into()));
    let output = feed(multisplit(), "sssp - --method dijkstra", text.as_bytes());
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("standard input from 0: 3 of 4 vertices reached, sum 9"), "{out}");
}

#[test]
fn float_distances_are_written_as_floats() {
    let graph =
        file("floats.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 0.5\n");
    let out = file("floats.bin", "");
    let tenths = file("tenths.wel", "0 1 0.1\n1 2 0.2\n");
    run(&format!("sssp {tenths} --method dijkstra"), 0).expect_err("rounded");
    run(&format!("sssp {graph} -o {out} --force --verify"), 0);
    let expected: Vec<u8> =
        [0.0f32, 0.5, f32::INFINITY].iter().flat_map(|d| d.to_le_bytes()).collect();
    assert_eq!(std::fs::read(&out).expect("the file is readable"), expected);
}

#[test]
fn error_messages_have_one_line() {
    let unknown = file("unknown.txt", "a network of five vertices\n");
    let graph = file("wrong.gr", "c\np sp 2 1\na 1 3 1\n");
    let heavy = file("heavy.wel", "0 1 1e300\n");
    for (options, expected) in [
        (&graph[..], "wrong.gr:3: vertex 3 does not exist; vertices are numbered from 1 to 2"),
        (&heavy, "heavy.wel:1: the weight is 1e300; weights must be from 0 to 3.4028235e38"),
        ("nothing.txt", "cannot read nothing.txt"),
        (&unknown, "unknown file format"),
        ("rmat:100:200 --source 100", "source 100 does not exist; the network has 100 vertices"),
    ] {
        run(&format!("sssp {options}"), 1).expect_error_line(expected);
    }
    for line in [
        "sssp rmat:1",
        "sssp",
        "sssp rmat:100:200 --source 0 --source 1 -o x",
        "bench sssp --n 5",
        "bench scan --graph rmat",
        "bench sssp --tune-search nothing=5",
    ] {
        run(line, 2);
    }
}

/// Runs the binary and returns its peak resident memory in kilobytes.
fn peak_memory(arguments: &str) -> u64 {
    let mut child = multisplit()
        .args(arguments.split_whitespace())
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
        peak = kilobytes.map_or(peak, |text| text.parse().expect("the text is a number"));
        if let Some(status) = child.try_wait().expect("the process can be polled") {
            assert!(status.success(), "{arguments} failed: {status}");
            return peak;
        }
        if peak > 4 * MAX_PEAK {
            child.kill().expect("the process can be killed");
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Maximum memory of a search on a software driver, in kilobytes.
const MAX_PEAK: u64 = 300_000;

/// On a path, a search takes many rounds.
#[test]
#[cfg(target_os = "linux")]
fn search_memory_is_bounded_on_long_paths() {
    let full = common::is_full();
    let path = |vertices: u32| {
        let edge = |v: u32| format!("{v} {} {}\n", v + 1, v.wrapping_mul(2_654_435_761) % 1000 + 1);
        file(&format!("path{vertices}.wel"), &(0..vertices - 1).map(edge).collect::<String>())
    };
    let (long, short) = (path(3000), path(if full { 3000 } else { 400 }));
    for (method, graph) in [
        ("bellman-ford", &long),
        ("near-far", &long),
        ("multisplit", &long),
        // Fewer vertices, because these methods take many passes per round.
        ("multisplit-passes", &short),
        ("bucketing", &short),
    ] {
        let peak = peak_memory(&format!("sssp {graph} --method {method} --delta 10 --verify"));
        assert!(
            peak > 0 && peak <= MAX_PEAK,
            "{method}: the peak is {peak} kB, expected 1 to {MAX_PEAK} kB"
        );
    }
}

#[test]
fn bench_prints_one_line_per_method_and_delta() {
    let searches = "--graph rmat:300:900 --search near-far,multisplit --delta 100,500";
    let runs = "--tune-search local_hops=2 --reps 1 --warmup 0";
    let ran = run(&format!("--validate bench sssp {searches} {runs}"), 0);
    let lines = &ran.json_lines()[1..];
    assert_eq!(lines.len(), 4, "{}", ran.out);
    for line in lines {
        assert_eq!((&line["op"], &line["graph"]), (&"sssp".into(), &"rmat:300:900".into()));
        for key in ["ms", "mteps", "rounds", "relaxations", "rerelaxations", "delta"] {
            assert!(line[key].is_number(), "no {key} in {line}");
        }
    }
    assert_eq!((&lines[0]["method"], &lines[3]["delta"]), (&"near-far".into(), &500.into()));
}

#[test]
fn graph_shows_the_passes_of_a_round() {
    let ran = run("graph sssp --method near-far", 0);
    ran.expect_out(&["sssp.begin", "sssp.round"]);
    let ran = run("graph sssp --method bucketing --format json", 0);
    ran.expect_out(&["sssp.filter", "sssp.take"]);
}
