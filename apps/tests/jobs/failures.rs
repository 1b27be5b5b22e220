//! Tests of failing jobs: the message, the exit status, and that no files are left behind.

use std::process::Command;

use crate::arrays::{Keys, npy, npy_with, words};
use crate::common::{gzip, multisplit, run_line, with_binary_environment, without_driver};
use crate::workdir::Workdir;

fn cut(mut file: Vec<u8>) -> Vec<u8> {
    file.truncate(file.len() - 5);
    file
}

#[test]
fn malformed_and_unsupported_files_are_rejected() {
    let workdir = Workdir::new();
    let raw = words([3, 1, 2]);
    let whole = npy(1, "<u4", 3, &raw);
    let dictionary = |descr: &str, shape: &str| {
        format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")
    };
    let structured = dictionary("[('a', '<u4'), ('b', '<f4')]", "(3,)");
    for (name, bytes, part) in [
        (
            "odd.bin",
            raw[..11].to_vec(),
            "has 11 bytes, which is not a multiple of 4, the size of u32",
        ),
        ("short.npy", whole[..whole.len() - 1].to_vec(), "ends after 11 of the 12 bytes"),
        ("long.npy", [&whole[..], &[0]].concat(), "has more than the 12 bytes"),
        (
            "liar.npy",
            npy(1, "<u4", 1 << 60, &raw),
            "ends after 12 of the 4611686018427387904 bytes",
        ),
        ("header.npy", whole[..30].to_vec(), "ends within its header"),
        ("text.npy", b"1\n2\n3\n4\n".to_vec(), "magic bytes"),
        ("v9.npy", npy(9, "<u4", 3, &raw), "version 9"),
        ("complex.npy", npy(1, "<c16", 0, &[]), "NumPy type <c16"),
        ("rows.npy", npy_with(1, &structured, &raw), "[('a', '<u4'), ('b', '<f4')]"),
        (
            "flat.npy",
            npy_with(2, &dictionary("'<u4'", "(3, 1)"), &raw),
            "array with 2 dimensions; it must have one",
        ),
        ("f.npy", npy(1, "<f4", 3, &raw), "has type f32, but type u32 is required"),
        (
            "word.csv",
            b"1\n2\nthree\n".to_vec(),
            "word.csv, line 3: `three` is not a number of type u32",
        ),
        ("minus.txt", b"1\n-2\n".to_vec(), "line 2: `-2` is not a number of type u32"),
        ("not.gz", b"no gzip at all".to_vec(), "cannot read not.gz"),
        ("cut.bin.gz", cut(gzip(&raw)), "cannot read cut.bin.gz"),
        (
            "cut.bin.zst",
            cut(zstd::encode_all(&raw[..], 0).expect("compression succeeds")),
            "cut.bin.zst",
        ),
        ("not.bin.zst", b"no zstandard".to_vec(), "cannot read not.bin.zst"),
    ] {
        workdir.write(name, bytes);
        workdir.fails(&format!("sort {name} -o out.bin --type u32"), part).expect_err(name);
        workdir.remove(name);
    }
}

#[test]
fn missing_type_error_suggests_type_option() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([1]));
    workdir.fails("sort in.bin -o out.bin", "give --type");
}

#[test]
fn unusable_paths_are_named_in_errors() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([2, 1]));
    for (line, part) in [
        ("sort none.bin -o out.bin --type u32", "cannot read none.bin"),
        ("sort . -o out.bin --type u32", "cannot read ."),
        ("sort in.bin -o none/out.bin --type u32", "cannot write none/out.bin"),
        ("sort in.bin -o . --type u32", "cannot write ."),
        (
            "sort in.bin -o out.bin --argsort out.bin --type u32",
            "out.bin and out.bin are the same file",
        ),
    ] {
        workdir.fails(line, part);
    }
}

#[test]
fn existing_files_are_kept_unless_forced() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([2, 1]));
    workdir.write("out.bin", "old");
    workdir.fails("sort in.bin -o out.bin --type u32", "out.bin exists; --force overwrites it");
    assert_eq!(workdir.read("out.bin"), b"old");
    workdir.job("sort in.bin -o out.bin --type u32 --force");
    assert_eq!(workdir.read("out.bin"), words([1, 2]));
    // An output may replace the input, which has been read completely before the output is renamed.
    workdir.job("sort in.bin -o in.bin --type u32 --force");
    assert_eq!(workdir.read("in.bin"), words([1, 2]));
    assert_eq!(workdir.names(), ["in.bin", "out.bin"]);
}

/// The error is always the last line of standard error, for scripts.
#[test]
fn error_is_the_last_line_of_stderr() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([2, 1]));
    let split = "split in.bin -o out.bin --type u32 --buckets 2";
    for (line, status, part) in [
        ("sort none.bin -o out.bin --type u32", 1, "cannot read none.bin"),
        (
            "sort in.bin -o none/out.bin --type u32",
            1,
            "none/out.bin: the folder none does not exist",
        ),
        ("sort in.bin -o out.bin --type u32 --device none", 1, "`none`"),
        // Failures after the device has run, and while the output is written.
        ("SPLIT --by identity", 1, "1 of the keys are 2 or more, or negative; with --by"),
        ("sort in.bin -o /dev/full --type u32", 1, "cannot write /dev/full"),
        ("sort in.bin -o out.bin --type u33", 2, "invalid value 'u33'"),
        ("sort in.bin -o out.bin --foo", 2, "unexpected argument '--foo' found"),
        ("sort in.bin --type u32", 2, "give -o FILE, --values-out FILE or --argsort FILE"),
        ("SPLIT", 2, "required arguments were not provided: <--by <BY>|"),
        ("SPLIT --each part --by delta", 2, "--each part must contain {}"),
        ("sssp --generate star:3", 2, "--generate star:3: unknown network; use rmat"),
        ("sssp --generate grid:9 --source x", 2, "`x` is not a whole number from 0"),
        ("tune --budget x", 2, "'--budget <SECONDS>': not a whole number"),
    ] {
        let line = line.replace("SPLIT", split);
        for more in ["", " -vvv"] {
            let ran = workdir.run(&format!("{line}{more}")).expect(status);
            let last = ran.err.strip_suffix('\n').and_then(|text| text.lines().last());
            let last = last.unwrap_or_default();
            assert!(last.starts_with("multisplit: ") && last.contains(part), "{line}: {}", ran.err);
        }
        assert_eq!(workdir.names(), ["in.bin"], "{line}");
    }
}

/// The binary, run by a shell with a resource limit.
pub fn limited(workdir: &Workdir, limit: &str) -> Command {
    let mut shell = workdir.command(with_binary_environment("bash"));
    shell.args(["-c", &format!("{limit}; exec \"$@\""), "bash"]);
    shell.arg(multisplit().get_program());
    shell
}

/// A limit of 16 KiB on file sizes, which looks like a full disk to jobs.
pub const QUOTA: &str = "ulimit -f 16";

/// Whether the driver works under [`QUOTA`]. Mesa 25 keeps device memory in anonymous files, and crashes with
/// the limit.
pub fn driver_works_under_quota() -> bool {
    let workdir = Workdir::new();
    workdir.write("in.bin", &Keys::of("u32", 1_000, 40).raw);
    let ran = run_line(limited(&workdir, QUOTA), "sort in.bin -o /dev/null --type u32");
    // Without a status, a signal ended the process. Any other failure is an error of the program.
    let works = ran.status.is_some();
    if works {
        ran.expect(0);
    } else {
        eprintln!(
            "the driver crashes with limited file sizes, so most tests of full disks use only /dev/full"
        );
    }
    works
}

/// A file that exceeds memory is rejected before it is read.
#[test]
fn insufficient_host_memory_is_reported() {
    let workdir = Workdir::new();
    let file =
        std::fs::File::create(workdir.path().join("huge.bin")).expect("the file can be created");
    file.set_len(1 << 40).expect("the file size can be set");
    // Limit the address space, because the system may overcommit memory.
    let shell = limited(&workdir, "ulimit -v 16000000");
    // Write to /dev/null, because for a regular file the disk space would be checked first.
    let ran = run_line(shell, "sort huge.bin -o /dev/null --type u64").expect(1);
    ran.expect_error_line("of host memory, but less is available");
    assert_eq!(workdir.names(), ["huge.bin"]);
}

#[test]
fn full_disk_leaves_no_files() {
    let workdir = Workdir::new();
    let keys = Keys::of("u32", 8_000, 40);
    workdir.write("in.bin", &keys.raw);
    let split = "--type u32 --buckets 2 --by delta";
    let full = format!("split in.bin -o /dev/full {split}");
    workdir.run(&full).expect(1).expect_err("cannot write /dev/full");
    if !driver_works_under_quota() {
        return;
    }
    // The output needs 31 KiB.
    let ran = run_line(limited(&workdir, QUOTA), &format!("split in.bin -o out.bin {split}"));
    ran.expect(1).expect_err("cannot write out.bin");
    assert_eq!(workdir.names(), ["in.bin"]);
}

#[test]
fn missing_driver_error_gives_advice() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([2, 1]));
    for line in
        ["sort in.bin -o o --type u32", "split in.bin -o o --type u32 --buckets 2 --by delta"]
    {
        let mut ran = run_line(workdir.command(without_driver()), line).expect(1);
        for part in ["no Vulkan device was found", "mesa-vulkan-drivers", "VK_DRIVER_FILES"] {
            ran = ran.expect_error_line(part);
        }
        assert_eq!(workdir.names(), ["in.bin"]);
    }
}
