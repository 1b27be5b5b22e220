//! Tests of the measurements and output of `multisplit bench`, run as a process.
//!
//! Some runs enable validation, so that any message of the validation layer fails them.
#![allow(clippy::expect_used, reason = "in a test a panic is the report")]

mod common;

use std::path::Path;

use common::{RunOutput, list, multisplit, name, run_line, temporary};
use serde_json::Value;

/// Runs `multisplit bench`, and measures each case only once, because the tests ignore the times.
#[track_caller]
fn bench(line: &str) -> RunOutput {
    run_line(multisplit(), &format!("bench {line} --reps 1 --warmup 0")).expect(0)
}

/// Runs `multisplit bench`, which must fail with this status.
#[track_caller]
fn fails(line: &str, status: i32) -> RunOutput {
    run_line(multisplit(), &format!("bench {line}")).expect(status)
}

/// Parses JSON lines into the device line and the figures. Skips lines with pipeline statistics, which some
/// drivers provide.
fn figures(text: &str) -> (Value, Vec<Value>) {
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("every output line is JSON"));
    let first = lines.next().expect("the output has at least one line");
    (first, lines.filter(|line| line["pipeline"].is_null()).collect())
}

/// Results of sorts include the value of `--ranking`. Given both values, `bench` measures both, unless they select
/// the same kernels.
#[test]
fn sort_results_include_the_ranking_option() {
    let measure = |more: &str| {
        let ran = bench(&format!("sort --n 1000 --sorts sort_keys_u32 {more}"));
        let rankings: Vec<_> = figures(&ran.out).1.iter().map(|l| l["ranking"].clone()).collect();
        (rankings, ran.err)
    };
    let (promised, _) = measure("--ranking promised");
    assert_eq!(promised, ["promised"]);
    let (both, stderr) = measure("--ranking promised,probed --verbose");
    match both.len() {
        1 => assert!(stderr.contains("gives the same kernels as promised"), "{stderr}"),
        _ => assert_eq!(both, ["promised", "probed"]),
    }
    let (_, lines) = figures(&bench("copy --n 1000").out);
    assert!(
        lines.iter().all(|line| line["ranking"].is_null()),
        "the figure of a copy has a ranking"
    );
}

#[test]
fn invalid_rankings_are_rejected() {
    fails("histogram --n 1000 --bins 4 --ranking sometimes", 2).expect_err("promised");
    // Only `bench` measures two rankings. `devices` does not rank, so it ignores them; `sort` rejects them.
    run_line(multisplit(), "devices --ranking promised,probed").expect(0);
    let file = temporary("ranked.txt");
    std::fs::write(&file, "3\n1\n2\n").expect("the file can be written");
    let sort = format!("sort {} -o - --type u32", name(&file));
    let ran = run_line(multisplit(), &format!("{sort} --ranking promised,probed")).expect(2);
    ran.expect_err("only `multisplit bench` accepts both");
    let with_variable = |value: &str| {
        let mut command = multisplit();
        command.env("MULTISPLIT_RANKING", value);
        run_line(command, &sort)
    };
    with_variable("sometimes").expect(1).expect_error_line("unknown ranking `sometimes`");
    for good in ["promised", "probed", ""] {
        // The output of text input is text.
        assert_eq!(with_variable(good).expect(0).out, "1\n2\n3\n");
    }
    std::fs::remove_file(&file).expect("the file can be removed");
}

#[test]
fn bench_prints_json_lines() {
    let (first, lines) = figures(&bench("copy fill scan --n 1000,2^16 --validate").out);
    assert_eq!(first["anchor"], "multisplit");
    assert!(first["device"].is_string());

    let mut seen = Vec::new();
    for line in &lines {
        let keys: Vec<_> =
            line.as_object().expect("the line is an object").keys().map(String::as_str).collect();
        assert_eq!(keys, ["anchor", "gps", "m", "method", "ms", "n", "op"], "{line}");
        assert_eq!((&line["anchor"], &line["m"]), (&"multisplit".into(), &0.into()));
        let number = |key: &str| line[key].as_f64().expect("the value is a number");
        let [n, ms, gps] = ["n", "ms", "gps"].map(number);
        assert!((gps * ms * 1e6 / n - 1.0).abs() < 1e-4, "{line}");
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        seen.push((n as u64, text("op"), text("method")));
    }
    let expected = [
        (1000, "copy_kernel_u32", "kernel"),
        (65536, "copy_kernel_u32", "kernel"),
        (1000, "fill_u32", "kernel"),
        (65536, "fill_u32", "kernel"),
        (1000, "scan_exclusive_u32", "one-workgroup"),
        (65536, "scan_exclusive_u32", "lookback"),
        (65536, "scan_exclusive_u32", "reduce-then-scan"),
    ];
    assert_eq!(seen, expected.map(|(n, op, method)| (n, op.to_owned(), method.to_owned())));
}

#[test]
fn bench_prints_the_stages_of_splits() {
    // A software driver compiles for seconds, so use few cases: each bucket function once, keys and pairs,
    // and two bucket counts for one of them.
    let mut lines = Vec::new();
    for (ops, m) in [("split_delta_keys", "2,10"), ("split_identity_pairs,split_range_keys", "10")]
    {
        let cases = format!("--n 5000 --m {m} --op {ops} --distribution binomial");
        lines.extend(figures(&bench(&format!("split {cases} --validate")).out).1);
    }
    // Four cases by four methods, each checked.
    assert_eq!(lines.len(), 2 * 2 * 4, "{lines:?}");
    for line in &lines {
        assert_eq!(line["distribution"], "binomial", "{line}");
        let stages = match line["method"].as_str() {
            Some("onesweep") => &["histogram_ms", "sweep_ms", "clear_ms"][..],
            Some("direct" | "warp" | "block") => {
                &["prescan_ms", "scan_ms", "postscan_ms", "clear_ms"]
            }
            _ => &["a method"],
        };
        for key in [&["ms", "gps", "n", "m"], stages].concat() {
            assert!(line[key].is_number(), "no {key} in {line}");
        }
        let times =
            line.as_object().expect("the line is an object").keys().filter(|k| k.ends_with("_ms"));
        assert_eq!(times.count(), stages.len(), "{line}");
    }
    let points: Vec<_> = lines.iter().map(|l| (&l["op"], &l["m"], &l["method"])).collect();
    for (index, point) in points.iter().enumerate() {
        assert!(!points[..index].contains(point), "twice: {point:?}");
    }
}

#[test]
fn bench_histogram_measures_requested_bins() {
    let tune = "--tune cells=64,registers=4";
    let ran = bench(&format!("histogram --n 5001 --bins 2,100 --validate {tune}"));
    let (_, lines) = figures(&ran.out);
    let seen: Vec<_> = lines.iter().map(|l| (l["op"].as_str(), l["m"].as_u64())).collect();
    let (even, range) = (Some("histogram_even"), Some("histogram_range"));
    let (bytes, pixels) = (Some("histogram_u8"), Some("histogram_rgba8"));
    let (two, many, all) = (Some(2), Some(100), Some(256));
    let expected =
        [(even, two), (even, many), (range, two), (range, many), (bytes, all), (pixels, all)];
    assert_eq!(seen, expected);
    fails("histogram --tune speed=9", 2).expect_err("unknown size `speed`");
    fails("scan --bins 9", 2).expect_err("bench histogram");
}

#[test]
fn bench_split_measures_requested_methods() {
    let methods = "--op split_identity_pairs --method auto,direct,onesweep,block";
    let ran = bench(&format!("split --n 3000,2^50 --m 256 {methods}"));
    assert!(ran.error_line().starts_with("note: n = 2^50 skipped"), "{}", ran.err);
    let (_, lines) = figures(&ran.out);
    assert_eq!(
        lines.len(),
        3,
        "expected 3 figures, because auto is one of the other methods: {}",
        ran.out
    );
    assert!(lines.iter().all(|line| line["op"] == "split_identity_pairs" && line["m"] == 256));
    assert!(lines.iter().all(|line| line["distribution"] == "uniform"));
}

#[test]
fn bench_splits_into_many_buckets() {
    let methods = "--op split_delta_pairs --method auto,scan-split,reduced-bit-sort";
    let ran = bench(&format!("split --n 3000 --m 1000 {methods}"));
    let (_, lines) = figures(&ran.out);
    assert_eq!(lines.len(), 3, "{}", ran.out);
    let stages = |method: &str| lines.iter().find(|line| line["method"] == method);
    let by_flags = stages("scan-split").expect("a scan-based split was measured");
    assert!(by_flags["flags_ms"].is_number() && by_flags["scatter_ms"].is_number());
    let by_labels = stages("reduced-bit-sort").expect("a reduced-bit sort was measured");
    assert!(by_labels["labels_ms"].is_number() && by_labels["unpack_ms"].is_number());
}

#[test]
fn bench_writes_json_file_and_prints_passes() {
    let file = temporary("bench.jsonl");
    let ran = bench(&format!("copy --n 64 --json {} --passes --statistics", name(&file)));
    assert!(ran.out.is_empty(), "expected no output, found: {}", ran.out);
    ran.expect_err("memory.copy");
    let (_, lines) = figures(&std::fs::read_to_string(&file).expect("the file is readable"));
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["op"], "copy_kernel_u32");
    let _ = std::fs::remove_file(file);
}

#[test]
fn bench_skips_sizes_that_do_not_fit() {
    let ran = bench("fill --n 2^50,64");
    assert!(ran.error_line().starts_with("note: n = 2^50 skipped"), "{}", ran.err);
    assert_eq!(figures(&ran.out).1.len(), 1);
    fails("fill --n 2^50", 1).expect_err("nothing was measured");
    let nowhere = "/nonexistent/folder/bench.jsonl";
    fails(&format!("fill --n 64 --json {nowhere}"), 1).expect_error_line(nowhere);
}

/// If a pipeline cannot be created, nothing is measured: figures of simplified plans could not be
/// compared.
#[test]
fn bench_and_demo_do_not_measure_smaller_tiles() {
    for line in
        ["bench fill --n 1000", "bench sort --n 100000 --sorts sort_keys_u32", "demo --n 1000"]
    {
        let mut command = multisplit();
        command.env("MULTISPLIT_FAILING_PIPELINES", ">128");
        let report = temporary("failing.html");
        let ran = run_line(command, &format!("{line} --html {}", name(&report))).expect(1);
        ran.expect_error_line("could not create the pipeline of a kernel of")
            .expect_error_line("update the driver");
        assert!(!report.exists(), "{line} left a report");
    }
}

#[test]
fn bench_all_measures_every_subject() {
    let (lines, page) = (temporary("all.jsonl"), temporary("all.html"));
    // Each subject once, because a software driver compiles for seconds.
    let one_each = "--n 5000 --m 4 --op split_delta_keys --method direct --sorts sort_keys_u32 \
                    --k 32 --histograms histogram_even --graph rmat:300:900 --search near-far";
    let files = format!("--json {} --html {}", name(&lines), name(&page));
    let ran = bench(&format!("all {one_each} --validate {files}"));
    assert!(ran.out.is_empty(), "expected no output, found: {}", ran.out);
    let (_, figures) = figures(&std::fs::read_to_string(&lines).expect("the file is readable"));
    let ops: Vec<_> = figures.iter().filter_map(|line| line["op"].as_str()).collect();
    let expected = "copy_kernel_u32 fill_u32 scan_exclusive_u32 scan_exclusive_u32 sort_keys_u32 topk_f32 \
                    split_delta_keys histogram_even reduce_sum_u32 scan_inclusive_u32 select_if_u32 \
                    reduce_max_f32 scan_inclusive_f32 scan_inclusive_u64 unique_u32 \
                    run_length_encode_u32 reduce_by_key_u32 scan_inclusive_by_key_u32 \
                    host_upload_u32 host_download_u32 host_sort_u32 sssp";
    assert_eq!(ops, expected.split(' ').collect::<Vec<_>>());
    let report = std::fs::read_to_string(&page).expect("the file is readable");
    // A single size gets tables, but no plots with one point.
    assert!(!report.contains("rate against n"), "the report contains a plot of a single point");
    for part in ["<td>sort_keys_u32</td>", "<td>histogram_even</td>", "rmat:300:900: rounds"] {
        assert!(report.contains(part), "no `{part}` in the report");
    }
    // An existing file is kept, and the command fails before measuring.
    fails(&format!("copy --json {}", name(&lines)), 1).expect_error_line("--force");
    let _ = std::fs::remove_file(lines);
    let _ = std::fs::remove_file(page);
}

#[test]
fn bench_paper_prints_its_tables() {
    let page = temporary("paper.html");
    let tables = "--table reference,stages,delta,sssp,histogram --m 8 --graph rmat:300:900";
    let ran = bench(&format!("paper {tables} --n 5000 --validate --html {}", name(&page)));
    assert!(ran.out.starts_with("here: "), "{}", ran.out);
    let report = std::fs::read_to_string(&page).expect("the file is readable");
    for title in [
        "Radix sort, and a split into two buckets by a scan",
        "Stages of a split by delta buckets",
        "Multisplit by delta buckets",
        "Shortest paths",
        "Histograms of floats",
    ] {
        assert!(ran.out.contains(title), "no `{title}` in\n{}", ran.out);
        assert!(report.contains(&format!("<h2>{title}")), "no `{title}` in the report");
    }
    // The table contains the paper's figure, and one figure of this device for each requested case.
    assert!(ran.out.contains("17.8 (5.23x)"), "no `17.8 (5.23x)` in\n{}", ran.out);
    let here: Vec<_> = ran.out.lines().filter(|line| line.contains(" here ")).collect();
    assert!(here.len() > 40, "{} figures, expected more than 40:\n{}", here.len(), ran.out);
    let missing = here.iter().filter(|line| line.ends_with(" -")).count();
    assert_eq!(missing, 1, "expected a figure for all but the unpack stage of keys:\n{}", ran.out);
    assert!(report.contains("split_delta_keys: shares of the stages"), "no plots");
    let _ = std::fs::remove_file(page);

    for wrong in ["paper sort", "paper --n 64,128", "sort --table sort"] {
        fails(wrong, 2);
    }
    fails("paper --m 3", 1).expect_error_line("--m must be 2, 4");
}

/// Operations and values of m that `bench publish --n 2^12 --m 8` measures.
const PUBLISHED: [(&str, &[u64]); 7] = [
    ("copy_kernel_u32 fill_u32", &[0]),
    (
        "reduce_sum_u32 reduce_max_f32 scan_inclusive_u32 scan_inclusive_f32 scan_inclusive_u64 \
         select_if_u32 unique_u32 run_length_encode_u32 reduce_by_key_u32",
        &[0],
    ),
    (
        "sort_keys_u32 sort_pairs_u32_u32 sort_keys_u64 sort_keys_f32 sort_keys_u8 sort_keys_u16 \
         sort_pairs_u16_u32",
        &[0],
    ),
    ("topk_f32", &[32, 1024]),
    (
        "segmented_reduce_sum_f32 segmented_reduce_sum_f32_offsets segmented_sort_keys_f32 \
         segmented_argsort_f32",
        &[16, 64, 256, 1024, 4096],
    ),
    (
        "split_delta_keys split_delta_pairs split_range_keys split_identity_keys \
         split_identity_pairs histogram_even histogram_range",
        &[8],
    ),
    ("histogram_u8 histogram_rgba8", &[256]),
];

fn scale(cell: &mut Value, factor: f64) {
    let scaled = |value: &Value| -> f64 {
        let text = format!("{:.5e}", factor * value.as_f64().expect("the value is a number"));
        text.parse().expect("the text is a number")
    };
    cell["ms"] = scaled(&cell["ms"]).into();
    let samples = list(&cell["samples_ms"]).iter().map(scaled);
    cell["samples_ms"] = samples.collect();
}

#[test]
fn bench_publish_measures_every_cell_and_finds_slower_ones() {
    let (old, new, half) =
        (temporary("old.jsonl"), temporary("new.jsonl"), temporary("half.jsonl"));
    let mut command = multisplit();
    command.env("MULTISPLIT_COMMIT", "c0ffee");
    let publish = "bench publish --n 2^12 --m 8 --reps 1 --warmup 0";
    let ran = run_line(command, &format!("{publish} --json {}", name(&old))).expect(0);
    ran.expect_out(&["commit c0ffee", "| times by n | 2^12 |\n", "| split: rates by m | 8 |\n"]);
    let text = std::fs::read_to_string(&old).expect("the file is readable");
    let mut lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line of the file is JSON"))
        .collect();
    assert!(lines[0]["device"].is_string() && lines[0]["date"].is_string(), "{}", lines[0]);
    let last = lines.len() - 1;
    assert_eq!(lines[last]["cells"], last - 1);

    let first_ranking =
        lines.iter().find_map(|line| line["ranking"].as_str()).expect("a sort was measured");
    let is_first =
        |line: &&Value| line["ranking"].as_str().is_none_or(|name| name == first_ranking);
    let cell = |line: &Value| Some((line["op"].as_str()?.to_owned(), line["m"].as_u64()?));
    let mut found: Vec<_> = lines.iter().filter(is_first).filter_map(cell).collect();
    let with_m = |(ops, all): (&str, &[u64])| -> Vec<_> {
        ops.split(' ').flat_map(|op| all.iter().map(|&m| (op.to_owned(), m))).collect()
    };
    let mut expected: Vec<_> = PUBLISHED.into_iter().flat_map(with_m).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    for line in &lines[1..last] {
        assert_eq!((&line["n"], &line["samples_ms"][0]), (&4096.into(), &line["ms"]), "{line}");
    }

    let at =
        lines.iter().position(|line| line["op"] == "select_if_u32").expect("the cell was measured");
    scale(&mut lines[at], 1.1);
    let scaled: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&new, scaled).expect("the file can be written");
    let compare = |from: &Path| format!("publish --from {} --compare {}", name(from), name(&old));
    let slower = fails(&compare(&new), 1).expect_error_line("1 cell became slower");
    slower.expect_out(&[
        "slower: select_if_u32, n = 2^12: ",
        "+10.0%\n",
        "1 slower, 0 slower within",
    ]);
    let same = run_line(multisplit(), &format!("bench {}", compare(&old))).expect(0);
    same.expect_out(&[&format!("{} cells in both: 0 slower", last - 1)]);
    std::fs::write(&half, &text[..text.len() / 2]).expect("the file can be written");
    fails(&compare(&half), 1).expect_error_line("it is truncated");
    let foreign = bench("copy --n 64").out;
    std::fs::write(&half, foreign).expect("the file can be written");
    fails(&format!("publish --compare {}", name(&half)), 1)
        .expect_error_line("does not describe a run of `multisplit bench publish`");
    for file in [old, new, half] {
        std::fs::remove_file(file).expect("the file can be removed");
    }
    for wrong in ["publish sort", "copy --compare x", "publish --from x --n 64", "publish --op x"] {
        fails(wrong, 2);
    }
}
