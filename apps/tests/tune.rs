//! Tests of `multisplit tune`, and of profiles that are given or found: results, exit statuses, messages.
#![allow(clippy::expect_used, reason = "in a test a panic is the report")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{RunOutput, multisplit, name, run, run_line, temporary};

/// The binary with a configuration folder for this test.
fn with_folder(folder: &Path) -> Command {
    let mut command = multisplit();
    command.env("XDG_CONFIG_HOME", folder);
    command
}

/// Returns the profile `text` with another value of the setting `name`.
fn with(text: &str, name: &str, value: &str) -> String {
    let line = |line: &str| match line.split_once(" = ") {
        Some((found, _)) if found == name => format!("{name} = {value}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Invalid profiles for this device, and the expected message for each.
fn damaged(profile: &str) -> [(String, &'static str); 4] {
    [
        (profile[..profile.len() / 2].to_owned(), "truncated"),
        (with(profile, "device_id", "ffff"), "the device is "),
        (with(profile, "threads", "2^20"), "`threads` is 2^20; allowed: multiples of"),
        (profile.replacen("profile 1", "profile 0", 1), "version 0"),
    ]
}

fn sort(mut command: Command, more: &[&str]) -> RunOutput {
    let input = temporary("numbers.txt");
    fs::write(&input, "3\n1\n2\n").expect("the file can be written");
    command.args(["sort", name(&input), "-o", "-", "--type", "u32"]);
    let ran = run(command, more);
    let _ = fs::remove_file(input);
    ran
}

#[test]
fn profiles_are_written_found_and_validated() {
    let folder = temporary("config");
    let command = || with_folder(&folder);
    // Without a profile, there is no message about it.
    let ran = run(command(), &["devices"]).expect(0).expect_out(&["kernel sizes     built-in"]);
    assert!(ran.err.is_empty(), "expected no messages, found: {}", ran.err);

    let ran = run_line(command(), "tune --budget 5").expect(0).expect_out(&["built-in", "tuned"]);
    let wrote = ran.err.lines().last().and_then(|line| line.strip_prefix("wrote "));
    let path = PathBuf::from(
        wrote.and_then(|rest| rest.split(": ").next()).expect("the message contains the path"),
    );
    assert!(path.starts_with(&folder), "{} is not in the folder", path.display());
    let profile = fs::read_to_string(&path).expect("the file is readable");

    // The profile is found, and its path is shown.
    let used = format!("profile {}", path.display());
    run(command(), &["devices"]).expect(0).expect_out(&[&used]);
    let ran = run_line(command(), "bench copy --n 1000 --reps 1 --warmup 0").expect(0);
    assert!(ran.out.lines().next().is_some_and(|line| line.contains(&used)), "{}", ran.out);
    assert_eq!(sort(command(), &["-q"]).expect(0).out, "1\n2\n3\n");

    // An existing profile is not overwritten.
    let ran = run(command(), &["tune", "--budget", "1"]).expect(1);
    assert!(ran.error_line().ends_with("exists; --force overwrites it"), "{}", ran.err);
    assert_eq!(fs::read_to_string(&path).expect("the file is readable"), profile);

    for (damaged, expected) in damaged(&profile) {
        fs::write(&path, &damaged).expect("the file can be written");
        // A damaged profile that is found: a warning, and the built-in sizes are used.
        let ran = sort(command(), &[]).expect(0);
        assert_eq!(ran.out, "1\n2\n3\n");
        let warned: Vec<_> = ran.err.lines().filter(|line| line.contains("WARN")).collect();
        assert_eq!(warned.len(), 1, "{}", ran.err);
        for part in [used.as_str(), expected, "the built-in sizes are used"] {
            assert!(warned[0].contains(part), "no `{part}` in {}", warned[0]);
        }
        run(command(), &["devices"]).expect(0).expect_out(&["kernel sizes     built-in"]);
        // A damaged profile given by `--profile`: the same message, as an error.
        for arguments in [&["devices"][..], &["bench", "copy", "--n", "1000"]] {
            let named = [arguments, &["--profile", name(&path)]].concat();
            let ran = run(multisplit(), &named).expect(1);
            let error_line = ran.error_line();
            assert!(error_line.starts_with(&format!("multisplit: {used}: ")), "{error_line}");
            assert!(error_line.contains(expected), "no `{expected}` in {error_line}");
        }
        let ran = sort(multisplit(), &["--profile", name(&path)]).expect(1);
        assert!(ran.error_line().contains(expected) && ran.out.is_empty(), "{}", ran.err);
        // With `--profile built-in`, the damaged profile is ignored silently.
        let ran = run(command(), &["devices", "--profile", "built-in"]).expect(0);
        assert!(ran.err.is_empty(), "expected no messages, found: {}", ran.err);
    }

    fs::write(&path, &profile).expect("the file can be written");
    let ran = sort(multisplit(), &["--profile", name(&path), "--validate", "-q"]).expect(0);
    assert_eq!(ran.out, "1\n2\n3\n");
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn invalid_budgets_and_unreadable_profiles_are_rejected() {
    run_line(multisplit(), "tune --budget 0").expect(2);
    run_line(multisplit(), "tune --budget soon").expect(2);
    let missing = temporary("no-such.profile");
    for arguments in [["devices", "--profile", name(&missing)], ["tune", "--from", name(&missing)]]
    {
        run(multisplit(), &arguments).expect(1).expect_error_line("cannot be read");
    }
    // If the profile cannot be written, the command fails and does not change existing files.
    let file = temporary("a-file");
    fs::write(&file, "mine").expect("the file can be written");
    let below = file.join("there.profile");
    let ran = run(multisplit(), &["tune", "--budget", "1", "-o", name(&below)]).expect(1);
    ran.expect_err("cannot be written");
    assert_eq!(fs::read(&file).expect("the file is readable"), b"mine");
    let _ = fs::remove_file(file);
}
