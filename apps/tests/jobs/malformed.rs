//! Runs the program on malformed files. It must exit by itself with a valid status, and on failure
//! print one line and leave no files. Networks are searched on the CPU. Arrays are processed on the
//! device, which takes longer, so fewer arrays than networks are tested. `apps/src/fuzz.rs` tests
//! many more files.

use crate::arrays::{npy, words};
use crate::common::is_full;
use crate::workdir::Workdir;

const SEEDS: [(&str, &str); 4] = [
    ("g.mtx", "%%MatrixMarket matrix coordinate integer general\n4 4 3\n1 2 5\n2 3 7\n4 1 1\n"),
    ("g.gr", "c roads\np sp 4 3\na 1 2 7\na 2 3 1\na 4 1 9\n"),
    ("g.wel", "0 1 4\n1 2 0.5\n3 0 1\n"),
    ("g.el", "0 1\n1 2\n3 0\n"),
];

/// Applies a few changes to a valid file; the result is never empty.
fn mutated(bytes: &[u8], next: &mut impl FnMut() -> u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + next() % 3 {
        let at = next() as usize % bytes.len();
        match next() % 4 {
            0 => bytes[at] = next() as u8,
            1 => bytes.truncate(at.max(1)),
            // A larger number, but small enough that the output of a valid file is not huge.
            2 => drop(bytes.splice(at..at, *b"99999")),
            _ => drop(bytes.remove(at)),
        }
        if bytes.is_empty() {
            bytes.push(b'\n');
        }
    }
    bytes
}

/// Writes a file, runs the binary with it, and checks the files that it left.
fn try_file(workdir: &Workdir, name: &str, bytes: &[u8], line: &str, out: &str) {
    workdir.write(name, bytes);
    let ran = workdir.run(line);
    let why = format!("{line}: {:?}: {}", String::from_utf8_lossy(bytes), ran.err);
    assert!(matches!(ran.status, Some(0 | 1)), "{why}");
    assert_eq!(ran.err.lines().count(), usize::from(ran.status == Some(1)), "{why}");
    let left = if ran.status == Some(0) { vec![name, out] } else { vec![name] };
    let mut names = workdir.names();
    names.sort_by_key(|found| found != name);
    assert_eq!(names, left, "{why}");
    let _ = std::fs::remove_file(workdir.path().join(out));
    workdir.remove(name);
}

#[test]
fn mutated_networks_are_read_or_rejected() {
    let workdir = Workdir::new();
    let mut next = crate::arrays::random(77);
    for _ in 0..if is_full() { 500 } else { 10 } {
        for (name, text) in SEEDS {
            let bytes = mutated(text.as_bytes(), &mut next);
            let line = format!("sssp {name} --method dijkstra -o out.txt -q");
            try_file(&workdir, name, &bytes, &line, "out.txt");
        }
    }
}

#[test]
fn mutated_arrays_are_read_or_rejected() {
    let workdir = Workdir::new();
    let mut next = crate::arrays::random(78);
    let raw: Vec<u8> = words((0..60).map(|i| i * 77 % 1000));
    let table = b"name,price\r\n\"a, b\",3\r\nc,1\r\n\"d\",2\r\n";
    let packed = zstd::encode_all(&raw[..], 0).expect("compression succeeds");
    let seeds: [(&str, Vec<u8>, &str); 5] = [
        ("a.npy", npy(1, "<u4", 60, &raw), "sort a.npy -o out.bin"),
        ("a.bin", raw.clone(), "split a.bin --type u32 --buckets 3 --by delta -o out.bin"),
        ("a.bin.zst", packed, "sort a.bin.zst --type u32 -o out.bin"),
        ("t.csv", table.to_vec(), "sort t.csv --column price -o out.bin"),
        ("h.npy", npy(1, "<u4", 60, &raw), "histogram h.npy --bins 5 --csv out.bin"),
    ];
    for _ in 0..if is_full() { 40 } else { 1 } {
        for (name, bytes, line) in &seeds {
            let bytes = mutated(bytes, &mut next);
            try_file(&workdir, name, &bytes, &format!("{line} -q"), "out.bin");
        }
    }
}
