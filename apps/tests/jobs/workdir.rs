//! A temporary folder for each test, in which the binary runs.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use crate::common::{RunOutput, folder, multisplit};

/// A folder that is removed at the end of the test.
pub struct Workdir(tempfile::TempDir);

impl Workdir {
    pub fn new() -> Self {
        Self(tempfile::tempdir_in(folder()).expect("a folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(name), bytes).expect("a file is written");
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).expect("a file is there")
    }

    /// Names of all files in the folder, including hidden ones.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<_> = entries.map(name).collect();
        names.sort();
        names
    }

    /// Runs the binary in the folder.
    pub fn run(&self, line: &str) -> RunOutput {
        let mut command = multisplit();
        command.current_dir(self.path());
        crate::common::run(command, &line.split_whitespace().collect::<Vec<_>>())
    }

    /// Like [`run`](Self::run), with validation; the command must succeed.
    #[track_caller]
    pub fn job(&self, line: &str) -> RunOutput {
        self.run(&format!("{line} --validate")).expect(0)
    }

    /// Runs the binary with `input` on standard input, and returns its standard output.
    #[track_caller]
    pub fn pipe(&self, line: &str, input: &[u8]) -> Vec<u8> {
        let mut child = multisplit()
            .current_dir(self.path())
            .args(line.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input).expect("the binary reads");
        drop(stdin);
        let output = child.wait_with_output().expect("the binary ends");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {err}");
        output.stdout
    }
}
