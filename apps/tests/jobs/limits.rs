//! Tests of `--memory-limit`: outputs are identical if the limit is smaller than the arrays.

use crate::arrays::{Keys, random, words};
use crate::common::is_full;
use crate::workdir::Workdir;

/// Runs `line` with and without a memory limit, and compares these outputs. The summary of sorts and splits
/// mentions the parts.
#[track_caller]
fn same_with_limit(workdir: &Workdir, line: &str, limit: &str, outputs: &[&str]) {
    workdir.job(&format!("{line} --force"));
    let whole: Vec<_> = outputs.iter().map(|name| workdir.read(name)).collect();
    // Without --verify, sorts without --argsort write their results directly to the files; all others keep them in
    // memory. A plain run tests each line either with or without --verify.
    let all = ["--verify", ""];
    let ways = if is_full() { &all[..] } else { &all[line.len() % 2..][..1] };
    for verify in ways {
        let ran = workdir.job(&format!("{line} --force {verify} --memory-limit {limit}"));
        if !line.starts_with("topk") {
            ran.expect_err("part");
        }
        for (name, whole) in outputs.iter().zip(&whole) {
            workdir.expect_bytes(name, whole, format!("{line} {verify} with a memory limit"));
        }
    }
}

#[test]
fn memory_limit_does_not_change_sorts() {
    let workdir = Workdir::new();
    // The arrays have 120,000 and 160,000 bytes.
    let (narrow, wide) = (Keys::of("f32", 30_000, 30), Keys::of("i64", 20_000, 31));
    workdir.write("narrow.npy", narrow.npy());
    workdir.write("wide.npy", wide.npy());
    workdir.write("values.bin", words(0..20_000));
    same_with_limit(&workdir, "sort narrow.npy -o a.npy", "12000", &["a.npy"]);
    let values = "--values values.bin --values-out v.bin --argsort o.bin";
    let line = format!("sort wide.npy -o b.npy --descending {values}");
    same_with_limit(&workdir, &line, "16KB", &["b.npy", "v.bin", "o.bin"]);
    let line = "sort wide.npy -o b.npy --values values.bin --values-out v.npy";
    same_with_limit(&workdir, line, "16KB", &["b.npy", "v.npy"]);
}

#[test]
fn mostly_equal_keys_are_sorted_in_parts() {
    let workdir = Workdir::new();
    let mut next = random(32);
    // Most keys have one of two values, which differ in the lowest of 64 bits.
    let keys: Vec<u8> = (0..20_000)
        .flat_map(|_| {
            match next() % 8 {
                0 => next(),
                draw => (7u64 << 50) + draw % 2,
            }
            .to_le_bytes()
        })
        .collect();
    workdir.write("in.bin", keys);
    let line = "sort in.bin -o out.bin --type u64 --argsort order.bin";
    same_with_limit(&workdir, line, "16KB", &["out.bin", "order.bin"]);
}

/// Almost all keys are equal. The sample is unlikely to contain the few smaller and larger keys.
#[test]
fn rare_keys_are_sorted_in_parts() {
    let workdir = Workdir::new();
    let rare = |number: usize| [3u64, 0, u64::MAX].get(number / 5000).copied().unwrap_or(7);
    let key = |number: usize| if number % 5000 == 4321 { rare(number) } else { 7 };
    workdir.write("in.bin", (0..20_000).flat_map(|n| key(n).to_le_bytes()).collect::<Vec<u8>>());
    let line = "sort in.bin -o out.bin --type u64 --argsort order.bin";
    same_with_limit(&workdir, line, "16KB", &["out.bin", "order.bin"]);
    let line = "sort in.bin -o down.bin --type u64 --descending";
    same_with_limit(&workdir, line, "16KB", &["down.bin"]);
}

#[test]
fn memory_limit_does_not_change_splits() {
    let workdir = Workdir::new();
    let keys = Keys::of("u32", 30_000, 33);
    workdir.write("in.npy", keys.npy());
    workdir.write("values.bin", (0..480_000).map(|byte| (byte / 3) as u8).collect::<Vec<u8>>());
    let line = "split in.npy -o out.npy --buckets 17 --by delta --offsets begins.npy";
    same_with_limit(&workdir, line, "12000", &["out.npy", "begins.npy"]);
    let values = "--values values.bin --values-out moved.bin --value-bytes 16";
    let line = format!("split in.npy -o out.npy --buckets 256 --by delta {values}");
    same_with_limit(&workdir, &line, "60000", &["out.npy", "moved.bin"]);
}

#[test]
fn topk_works_within_a_memory_limit() {
    let workdir = Workdir::new();
    workdir.write("in.npy", Keys::of("f32", 30_000, 34).npy());
    let line = "topk in.npy -k 100 -o best.npy --indices where.npy";
    same_with_limit(&workdir, line, "24KB", &["best.npy", "where.npy"]);
    let line = "topk in.npy -k 20000 --smallest -o best.npy --indices where.npy";
    same_with_limit(&workdir, line, "48KB", &["best.npy", "where.npy"]);
    let line = "topk in.npy -k 7 --rows 10000 -o best.npy --indices where.npy";
    same_with_limit(&workdir, line, "24KB", &["best.npy", "where.npy"]);
    workdir.write("bytes.bin", (0..60_000u32).map(|i| ((i * i) >> 7) as u8).collect::<Vec<u8>>());
    let line = "topk bytes.bin --type u8 -k 300 -o best.bin --indices where.npy";
    same_with_limit(&workdir, line, "48KB", &["best.bin", "where.npy"]);
}

#[test]
fn insufficient_memory_is_reported() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words(0..1000));
    let limit = "-o out.bin --type u32 --memory-limit 100";
    workdir.fails(&format!("topk in.bin -k 5 {limit}"), "memory limit");
    workdir.fails(&format!("sort in.bin {limit}"), "of the memory limit are left");
}
