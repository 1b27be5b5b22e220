//! Tests of commands with several outputs: all of them appear together, each in a separate file, or none does.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Child;
use std::time::{Duration, Instant};

use crate::arrays::{npy, words};
use crate::common::{send, start, with_default_signals};
use crate::workdir::Workdir;

/// Two outputs may not be the same file, however their names are spelled and whichever options
/// contain them.
#[test]
fn outputs_to_the_same_file_are_rejected() {
    let workdir = Workdir::new();
    workdir.write("in.txt", "2\n1\n");
    std::fs::create_dir(workdir.path().join("o")).expect("the folder can be created");
    symlink("o", workdir.path().join("link")).expect("the link can be created");
    for (one, other) in [
        ("-o o/a", "--argsort ./o/a"),
        ("-o o/a", "--argsort link/a"),
        ("-o o/../x.npy", "--trace x.npy"),
        ("-o -", "--argsort /dev/stdout"),
    ] {
        workdir.fails(&format!("sort in.txt --type u32 {one} {other}"), "are the same file");
    }
    symlink("nowhere", workdir.path().join("dangling")).expect("the link can be created");
    let part = "is a link to nowhere, which does not exist";
    workdir.fails("sort in.txt --type u32 -o dangling --force", part);
}

/// A failure after the sort discards all outputs, including the trace, and keeps existing files.
#[test]
fn outputs_are_written_all_or_none() {
    let workdir = Workdir::new();
    workdir.write("in.npy", npy(1, "<u4", 2, &words([2, 1])));
    workdir.write("values.npy", npy(1, "|V3", 2, &[1, 2, 3, 4, 5, 6]));
    workdir.write("out.npy", "earlier");
    // Values of three bytes cannot be written as text, which is detected on writing.
    let values = "--values values.npy --values-out values.txt";
    let line =
        format!("sort in.npy -o out.npy {values} --argsort order.npy --trace t.json --force");
    workdir.fails(&line, "cannot be written as text");
    assert_eq!(workdir.read("out.npy"), b"earlier");
    // A full device is detected on writing.
    let line = "sort in.npy -o out.bin --argsort /dev/full --trace t.json";
    workdir.fails(line, "cannot write /dev/full");
    // On success, all outputs appear, and a replaced file keeps its mode.
    let mode = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(workdir.path().join("out.npy"), mode).expect("the mode can be set");
    symlink("out.npy", workdir.path().join("link.npy")).expect("the link can be created");
    workdir.job("sort in.npy -o link.npy --argsort order.npy --trace t.json --force");
    assert_eq!(
        workdir.names(),
        ["in.npy", "link.npy", "order.npy", "out.npy", "t.json", "values.npy"]
    );
    let found = std::fs::metadata(workdir.path().join("out.npy")).expect("the file exists");
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    assert!(workdir.path().join("link.npy").is_symlink());
}

/// Number of unfinished files of the output `name`.
fn unfinished(workdir: &Workdir, name: &str) -> usize {
    let prefix = format!(".{name}.");
    workdir.names().iter().filter(|found| found.starts_with(&prefix)).count()
}

/// Starts a sort that waits for its input, and waits until it has created its output.
fn waiting(workdir: &Workdir, output: &str) -> Child {
    let line = format!("sort - -o {output} --type u32");
    let child = start(workdir.command(with_default_signals()), &line);
    let deadline = Instant::now() + Duration::from_secs(20);
    while unfinished(workdir, output) == 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn signals_and_later_runs_remove_unfinished_files() {
    let workdir = Workdir::new();
    for signal in ["HUP", "QUIT", "TERM"] {
        let mut child = waiting(&workdir, "out.bin");
        send(signal, &child);
        let status = child.wait().expect("the process ends");
        assert!(status.code().is_none(), "{signal} must end the process, but: {status}");
        assert!(workdir.names().is_empty(), "{signal}: files are left: {:?}", workdir.names());
    }
    let mut killed = waiting(&workdir, "out.bin");
    send("KILL", &killed);
    killed.wait().expect("the process ends");
    assert_eq!(workdir.names().len(), 1, "expected one file of the killed program");
    // The file of a running program is not a leftover.
    let mut other = waiting(&workdir, "other.bin");
    assert_eq!(workdir.names().len(), 1, "the leftover is not removed: {:?}", workdir.names());
    let ran = workdir.run("sort none.bin -o third.bin --type u32").expect(1);
    ran.expect_err("cannot read none.bin");
    assert_eq!(unfinished(&workdir, "other.bin"), 1, "the file of a running program was removed");
    send("TERM", &other);
    other.wait().expect("the process ends");
    assert!(workdir.names().is_empty(), "files are left: {:?}", workdir.names());
}
