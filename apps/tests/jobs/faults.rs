//! Tests of inputs that shrink or end while they are read, and of outputs without disk space, for several ways
//! in which jobs read and write. Jobs must report the error and leave no files behind.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::Command;

use crate::arrays::{Keys, npy};
use crate::common::{is_full, multisplit, run_line, start};
use crate::failures::{QUOTA, driver_works_under_quota, limited};
use crate::workdir::Workdir;

/// Runs a job that first opens `in.bin` and then reads the pipe `side`. Truncates `in.bin` before writing
/// `bytes` to the pipe.
fn run_while_input_shrinks(workdir: &Workdir, line: &str, bytes: &[u8]) -> String {
    let side = workdir.path().join("side");
    let made = Command::new("mkfifo").arg(&side).status();
    assert!(made.expect("mkfifo runs").success());
    let child = start(workdir.command(multisplit()), line);
    // Blocks until the job opens the pipe.
    let mut pipe = OpenOptions::new().write(true).open(&side).expect("the pipe can be opened");
    let input = OpenOptions::new()
        .write(true)
        .open(workdir.path().join("in.bin"))
        .expect("the file can be opened");
    let len = input.metadata().expect("the file exists").len();
    input.set_len(len / 2 + 1).expect("the file size can be set");
    pipe.write_all(bytes).expect("the binary reads its input");
    drop(pipe);
    let output = child.wait_with_output().expect("the process ends");
    let err = String::from_utf8(output.stderr).expect("standard error is UTF-8");
    assert_eq!(output.status.code(), Some(1), "{line}: {err}");
    assert_eq!(err.lines().count(), 1, "{line}: {err}");
    workdir.remove("side");
    err
}

#[test]
fn shrinking_file_is_reported() {
    let workdir = Workdir::new();
    let keys = Keys::of("u32", 200_000, 60);
    let values = Keys::of("u32", 200_000, 61).raw;
    let splitters = crate::arrays::words([0, 1 << 20, u32::MAX as usize]);
    let moved = "-o out.bin --values side --values-out moved.bin";
    // A plain run takes the first and the last one.
    let each = if is_full() { 1 } else { 4 };
    for (line, side) in [
        (format!("sort in.bin --type u32 {moved}"), &values),
        (format!("sort in.bin --type u32 {moved} --memory-limit 256KiB"), &values),
        (format!("split in.bin --type u32 --buckets 4 --by delta {moved}"), &values),
        ("histogram in.bin --type u32 --splitters side --csv out.csv".to_owned(), &splitters),
        ("histogram in.bin --type u32 --bins 4 --weights side --csv out.csv".to_owned(), &values),
    ]
    .into_iter()
    .step_by(each)
    {
        workdir.write("in.bin", &keys.raw);
        let err = run_while_input_shrinks(&workdir, &line, side);
        assert!(err.contains("in.bin") && err.contains("was shortened"), "{line}: {err}");
        assert_eq!(workdir.names(), ["in.bin"], "{line}");
    }
}

#[test]
fn truncated_input_from_a_pipe_is_reported() {
    let workdir = Workdir::new();
    let keys = Keys::of("u32", 5_000, 62);
    let whole = npy(1, "<u4", keys.len(), &keys.raw);
    let zst = zstd::encode_all(&whole[..], 0).expect("compression succeeds");
    for (bytes, part) in [
        (&whole[..whole.len() - 3], "ends after"),
        (&whole[..40], "ends within its header"),
        (&zst[..zst.len() / 2], "cannot read -"),
        (&keys.raw[..4_001], "is not a multiple of 4"),
    ] {
        let kind = if part.contains("multiple") { "--type u32" } else { "" };
        let output = workdir.feed(&format!("sort - -o out.bin {kind}"), bytes);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(
            err.contains(part) && err.lines().count() == 1,
            "expected one line, `{part}`: {err}"
        );
        assert!(workdir.names().is_empty(), "files are left: {:?}", workdir.names());
    }
}

#[test]
fn insufficient_disk_space_leaves_no_files() {
    let workdir = Workdir::new();
    workdir.write("in.bin", Keys::of("u32", 40_000, 63).raw);
    let (inputs, works_under_quota) = (workdir.names(), driver_works_under_quota());
    for (line, named) in [
        ("sort in.bin -o out.bin --type u32", "out.bin"),
        ("sort in.bin -o out.npy.gz --type u32", "out.npy.gz"),
        ("sort in.bin -o out.zst --type u32 --format raw", "out.zst"),
        ("sort in.bin -o out.txt --type u32", "out.txt"),
        ("sort in.bin -o /dev/null --argsort order.bin --type u32", "order.bin"),
        ("sort in.bin -o out.bin --type u32 --memory-limit 64KiB", "out.bin"),
        ("sort in.bin -o /dev/full --type u32", "/dev/full"),
        ("histogram in.bin --type u32 --bins 4000 --csv out.csv", "out.csv"),
        ("histogram in.bin --type u32 --bins 4 --svg /dev/full", "/dev/full"),
        ("sssp --generate grid:10000 --method dijkstra -o out.txt", "out.txt"),
    ] {
        let needs_quota = named != "/dev/full";
        if needs_quota && !works_under_quota && !line.contains("dijkstra") {
            continue;
        }
        let shell = limited(&workdir, if needs_quota { QUOTA } else { "true" });
        let ran = run_line(shell, line).expect(1);
        ran.expect_error_line(&format!("cannot write {named}"));
        assert_eq!(workdir.names(), inputs, "{line}");
    }
}
