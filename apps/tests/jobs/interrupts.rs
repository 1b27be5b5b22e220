//! Tests of jobs that are interrupted in various phases: they print a message, end by the signal, and leave no
//! files behind.
//!
//! With -v a job logs the start of each phase. The test then sends the signal; the remaining work is long
//! enough for it to arrive in time.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;

use crate::common::{send, start, with_default_signals};
use crate::workdir::Workdir;

const SIGNALS: [(&str, i32); 4] = [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15)];

/// About a million keys in no particular order.
fn keys() -> Vec<u8> {
    (0..1u32 << 20).flat_map(|i| i.wrapping_mul(0x9E37_79B1).to_le_bytes()).collect()
}

/// Runs a job until it logs `phase`, or without a phase until it has created its output; then sends a signal.
fn interrupt(workdir: &Workdir, line: &str, phase: Option<&str>, (name, number): (&str, i32)) {
    let before = workdir.names();
    let command = workdir.command(with_default_signals());
    let mut child = start(command, &format!("{line} -v"));
    let mut errors = BufReader::new(child.stderr.take().expect("the stream is piped"));
    let mut stderr = String::new();
    match phase {
        Some(phase) => {
            while !stderr.lines().last().is_some_and(|last| last.ends_with(&format!(": {phase}"))) {
                let read = errors.read_line(&mut stderr).expect("standard error is UTF-8");
                assert!(read > 0, "{line}: no `{phase}` in\n{stderr}");
            }
        }
        // The job waits for input that never arrives.
        None => while workdir.names() == before {},
    }
    send(name, &child);
    errors.read_to_string(&mut stderr).expect("standard error is UTF-8");
    let status = child.wait().expect("the process ends");
    assert_eq!(status.signal(), Some(number), "{line}, {phase:?}: {status}\n{stderr}");
    let message = format!("multisplit: stopped by SIG{name}; no output file was written");
    // Other threads may log a phase after the message.
    assert!(
        stderr.lines().any(|printed| printed == message),
        "{line}, {phase:?}: no message in\n{stderr}"
    );
    assert_eq!(workdir.names(), before, "{line}, {phase:?}");
}

#[test]
fn interrupt_while_waiting_for_input_leaves_no_files() {
    let workdir = Workdir::new();
    for signal in SIGNALS {
        interrupt(&workdir, "sort - -o out.bin --type u32", None, signal);
    }
}

/// Interrupts each job in a phase. Each entry has the command line, the phase, and the signal.
fn interrupt_each(jobs: &[(&str, &str, &str)]) {
    let workdir = Workdir::new();
    workdir.write("in.bin", keys());
    for (line, phase, name) in jobs {
        let signal =
            SIGNALS.into_iter().find(|signal| signal.0 == *name).expect("the signal is known");
        interrupt(&workdir, line, Some(phase), signal);
    }
}

#[test]
fn interrupted_sort_leaves_no_files() {
    let sort = "sort in.bin -o out.bin --type u32 --method multisplit";
    interrupt_each(&[
        (&format!("{sort} --argsort order.bin"), "waiting for the device", "INT"),
        (sort, "reading and uploading", "TERM"),
        (sort, "sorting", "INT"),
        // Compressed output takes a while to write.
        ("sort in.bin -o out.bin.gz --type u32", "writing", "TERM"),
    ]);
}

/// A sort that exceeds the memory limit, whose output is written while it runs.
#[test]
fn interrupted_streamed_sort_leaves_no_files() {
    let sort = "sort in.bin -o out.bin --type u32 --memory-limit 2MiB";
    interrupt_each(&[(sort, "reading and splitting", "INT"), (sort, "sorting", "TERM")]);
}

#[test]
fn interrupted_split_or_histogram_leaves_no_files() {
    let split = "split in.bin -o out.bin --offsets begins.bin --type u32 --buckets 64 --by delta";
    let histogram = "histogram in.bin --type u32 --bins 999 --svg out.svg --csv out.csv";
    interrupt_each(&[
        (split, "reading and uploading", "TERM"),
        (split, "splitting", "INT"),
        (histogram, "reading and uploading", "INT"),
        (histogram, "counting", "TERM"),
    ]);
}
