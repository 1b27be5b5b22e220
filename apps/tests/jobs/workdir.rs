//! A temporary folder for each test, which is the working directory of the binary.

use std::fmt::Display;
use std::path::Path;
use std::process::{Command, Output};

use crate::arrays::npy_parts;
use crate::common::{RunOutput, feed, folder, multisplit, run_line};

/// A folder that is removed at the end of the test.
pub struct Workdir(tempfile::TempDir);

impl Workdir {
    pub fn new() -> Self {
        Self(tempfile::tempdir_in(folder()).expect("a temporary folder can be created"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(name), bytes).expect("the file can be written");
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).expect("the file is readable")
    }

    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("the text is UTF-8")
    }

    #[track_caller]
    pub fn lines(&self, name: &str) -> Vec<String> {
        self.text(name).lines().map(str::to_owned).collect()
    }

    /// Type, length and elements of a `.npy` file.
    #[track_caller]
    pub fn npy(&self, name: &str) -> (String, usize, Vec<u8>) {
        let file = self.read(name);
        let (descr, len, raw) = npy_parts(&file);
        (descr, len, raw.to_vec())
    }

    /// Checks the content of a file. A failure message begins with `case`.
    #[track_caller]
    pub fn expect_bytes(&self, name: &str, expected: &[u8], case: impl Display) {
        assert!(self.read(name) == expected, "{case}: {name} differs");
    }

    /// Checks type, length and elements of a `.npy` file. A failure message begins with `case`.
    #[track_caller]
    pub fn expect_npy(
        &self,
        name: &str,
        (descr, len): (&str, usize),
        raw: &[u8],
        case: impl Display,
    ) {
        let (found, found_len, found_raw) = self.npy(name);
        assert_eq!((found.as_str(), found_len), (descr, len), "{case}: {name}");
        assert!(found_raw == raw, "{case}: the elements of {name} differ");
    }

    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.path().join(name)).expect("the file can be removed");
    }

    /// Names of all files in the folder, including hidden ones.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).expect("the folder is readable");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("the folder entry is readable").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<_> = entries.map(name).collect();
        names.sort();
        names
    }

    /// A command that runs in the folder.
    pub fn command(&self, mut command: Command) -> Command {
        command.current_dir(self.path());
        command
    }

    pub fn run(&self, line: &str) -> RunOutput {
        run_line(self.command(multisplit()), line)
    }

    /// Like [`run`](Self::run), with validation; the command must succeed.
    #[track_caller]
    pub fn job(&self, line: &str) -> RunOutput {
        self.run(&format!("{line} --validate")).expect(0)
    }

    /// Runs the binary, which must fail with one line that contains `part`, and leave no new files.
    #[track_caller]
    pub fn fails(&self, line: &str, part: &str) -> RunOutput {
        let before = self.names();
        let ran = self.run(line).expect(1).expect_error_line(part);
        assert_eq!(self.names(), before, "{line}");
        ran
    }

    /// Runs the binary with `input` on standard input.
    pub fn feed(&self, line: &str, input: &[u8]) -> Output {
        feed(self.command(multisplit()), line, input)
    }

    /// Like [`feed`](Self::feed); the command must succeed. Returns its standard output.
    #[track_caller]
    pub fn pipe(&self, line: &str, input: &[u8]) -> Vec<u8> {
        let output = self.feed(line, input);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {err}");
        output.stdout
    }
}
