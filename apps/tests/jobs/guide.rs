//! Runs the examples of `docs/cli.md` and compares their output with the guide. Also runs some shell commands of
//! the help, with other input files.

use std::process::Command;

use crate::arrays::{npy, words};
use crate::common::{list, multisplit, run, with_binary_environment};
use crate::workdir::Workdir;

const GUIDE: &str = include_str!("../../../docs/cli.md");

const SALES: &str = "name,price,region\n\"Tea, green\",2.50,2\nSalt,0.8,1\nMilk,,2\nBread,2.5,1\n";

/// Creates the input files of the examples.
fn workdir() -> Workdir {
    let workdir = Workdir::new();
    // Keys are evenly distributed and unordered, and half of them are odd.
    let keys = (0..10_000).map(|index| index * 7919 % 10_000 * 429_497);
    workdir.write("keys.npy", npy(1, "<u4", 10_000, &words(keys)));
    workdir.write("sales.csv", SALES);
    workdir.write("parity.glsl", "uint bucket_of(uint key) { return key & 1u; }\n");
    workdir.write("roads.wel", "0 1 4\n1 2 1\n0 2 9\n3 3 1\n");
    workdir
}

/// A shell that runs `line`. In it, `multisplit` is the tested binary.
fn shell(workdir: &Workdir, line: &str) -> Command {
    let mut shell = workdir.command(with_binary_environment("bash"));
    let script = format!("multisplit() {{ \"$BINARY\" \"$@\"; }}; {{ {line}\n}} 2>&1");
    shell.env("BINARY", multisplit().get_program()).args(["-c", &script]);
    shell
}

/// Name of the device that commands use here.
fn device() -> String {
    let devices = run(multisplit(), &["devices", "--json"]).json();
    let chosen = list(&devices).iter().find(|d| d["chosen"] == true);
    chosen.expect("a device is chosen")["name"].as_str().expect("the name is a string").to_owned()
}

const GUIDES_DEVICE: &str = "llvmpipe (LLVM 15.0.6, 256 bits)";

/// Replaces the device name, and removes times and rates (numbers before a unit), which vary.
fn without_times(line: &str, device: &str) -> String {
    let line = line.replace(device, "DEVICE");
    let mut words: Vec<&str> = line.split(' ').collect();
    for at in 1..words.len() {
        let unit = words[at].trim_end_matches([',', ';']);
        let is_number = words[at - 1].parse::<f64>().is_ok();
        if is_number && ["ns", "us", "ms", "s", "MTEPS"].contains(&unit) {
            words[at - 1] = "N";
            // A slower machine may print another unit.
            words[at] = match unit {
                "MTEPS" => words[at],
                _ => &words[at][unit.len()..],
            };
        }
    }
    words.join(" ")
}

#[test]
fn guide_examples_print_the_documented_output() {
    let (workdir, device) = (workdir(), device());
    let blocks = GUIDE.split("```console\n").skip(1);
    let mut count = 0;
    for block in blocks.filter_map(|rest| rest.split("```").next()) {
        let mut parts = block.split("$ ").skip(1);
        for part in &mut parts {
            let (line, expected) =
                part.split_once('\n').expect("the example begins with a command");
            let output = shell(&workdir, line).output().expect("bash runs");
            let found = String::from_utf8_lossy(&output.stdout).into_owned();
            let lines = |text: &str, device: &str| -> Vec<String> {
                text.lines().map(|line| without_times(line, device)).collect()
            };
            let [printed, documented] = [lines(&found, &device), lines(expected, GUIDES_DEVICE)];
            assert_eq!(printed, documented, "$ {line}\n{found}");
            assert_eq!(output.status.success(), !found.starts_with("multisplit:"), "$ {line}");
            count += 1;
        }
    }
    assert!(count > 20, "found only {count} examples, expected more than 20");
}

#[test]
fn shell_commands_like_those_in_the_help_run() {
    let workdir = workdir();
    workdir.write("keys.txt", "-3\n4\n5\n");
    workdir.write("parity.glsl", "uint bucket_of(int key) { return uint(key) & 1u; }");
    for (before, line) in [
        (
            "printf '2\\n1\\n' | gzip > numbers.txt.gz",
            "zcat numbers.txt.gz | multisplit sort - -o sorted.npy --type f64",
        ),
        ("gzip -k roads.wel", "zcat roads.wel.gz | multisplit sssp - --source 3 --method dijkstra"),
        (
            "true",
            "multisplit split keys.txt -o - --type i32 --buckets 2 --glsl parity.glsl > split.txt",
        ),
    ] {
        let output = shell(&workdir, &format!("set -o pipefail; {before} && {line}")).output();
        let output = output.expect("bash runs");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
    }
    assert!(workdir.text("split.txt").ends_with("4\n-3\n5\n"));
}
