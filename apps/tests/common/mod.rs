//! Runs the binary for the tests of the command line.
#![allow(dead_code, reason = "each test binary uses some of it")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

pub struct RunOutput {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl RunOutput {
    #[track_caller]
    pub fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Standard error, which must be a single line.
    #[track_caller]
    pub fn error_line(&self) -> &str {
        assert_eq!(self.err.lines().count(), 1, "not one line:\n{}", self.err);
        self.err.trim_end()
    }

    /// Checks that standard error is a single line that contains `part`.
    #[track_caller]
    pub fn expect_error_line(self, part: &str) -> Self {
        assert!(self.error_line().contains(part), "no `{part}` in {}", self.err);
        self
    }

    /// Checks that standard error contains `part`.
    #[track_caller]
    pub fn expect_err(self, part: &str) -> Self {
        assert!(self.err.contains(part), "no `{part}` in\n{}", self.err);
        self
    }

    /// Checks that standard output contains each of `parts`.
    #[track_caller]
    pub fn expect_out(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.out.contains(part), "no `{part}` in\n{}", self.out);
        }
        self
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).expect("standard output is JSON")
    }

    #[track_caller]
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).expect("every output line is JSON"))
            .collect()
    }
}

/// Whether to test all cases instead of a sample.
pub fn is_full() -> bool {
    std::env::var("MULTISPLIT_FULL").is_ok_and(|v| !v.is_empty() && v != "0")
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    encoder.write_all(bytes).expect("compression succeeds");
    encoder.finish().expect("compression succeeds")
}

/// A command for the binary. `MULTISPLIT_BINARY` overrides its path, for tests on another machine than that of
/// the build.
pub fn multisplit() -> Command {
    let elsewhere = std::env::var_os("MULTISPLIT_BINARY").map(PathBuf::from);
    let mut command =
        Command::new(elsewhere.unwrap_or_else(|| env!("CARGO_BIN_EXE_multisplit").into()));
    // Ignore the user's logging, caches and profiles. Mesa's shader cache confuses code for different
    // subgroup sizes, so each size gets its own folder.
    let width = std::env::var("LP_NATIVE_VECTOR_WIDTH").unwrap_or_else(|_| "any".to_owned());
    let shaders = shader_folder().join(width);
    std::fs::create_dir_all(&shaders).expect("the folder can be created");
    command
        .env_remove("RUST_LOG")
        .env("XDG_CACHE_HOME", folder().join("cache"))
        .env("XDG_CONFIG_HOME", folder().join("config"))
        .env("MESA_SHADER_CACHE_DIR", shaders)
        .env("MESA_SHADER_CACHE_DISABLE", "false");
    command
}

/// A command for `program`, such as a shell that runs the binary, with the environment of [`multisplit`].
pub fn with_binary_environment(program: &str) -> Command {
    let mut command = Command::new(program);
    for (name, value) in multisplit().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// The binary with default signal handling. Tests that run in the background inherit ignored signals, which
/// the binary would ignore too.
pub fn with_default_signals() -> Command {
    let mut command = with_binary_environment("env");
    command.arg("--default-signal=INT,QUIT,HUP,TERM").arg(multisplit().get_program());
    command
}

/// Folder for temporary files: that of the build, or that of the system if the tests run on another machine.
pub fn folder() -> PathBuf {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR"));
    if built.is_dir() { built.to_owned() } else { std::env::temp_dir() }
}

/// Folder of Mesa's shader cache: shared by all tests of the build, or a temporary one on another machine.
fn shader_folder() -> PathBuf {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR"));
    match built.is_dir() {
        true => built.with_file_name("mesa"),
        false => std::env::temp_dir().join("multisplit-mesa"),
    }
}

/// Path for a temporary file of this process.
pub fn temporary(name: &str) -> PathBuf {
    folder().join(format!("multisplit-cli-{}-{name}", std::process::id()))
}

/// A path as an argument.
pub fn name(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

pub fn run(mut command: Command, arguments: &[&str]) -> RunOutput {
    let output = command.args(arguments).output().expect("the binary starts");
    RunOutput {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
    }
}

/// Runs a command with the words of `line` as arguments.
pub fn run_line(command: Command, line: &str) -> RunOutput {
    run(command, &line.split_whitespace().collect::<Vec<_>>())
}

/// Starts a command with the words of `line` as arguments. All its streams are pipes.
pub fn start(mut command: Command, line: &str) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.args(line.split_whitespace()).spawn().expect("the binary starts")
}

/// Sends a signal, for example `TERM`.
pub fn send(signal: &str, child: &Child) {
    let killed = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
}

/// Runs a command with the words of `line` as arguments and with `input` on standard input.
pub fn feed(command: Command, line: &str, input: &[u8]) -> Output {
    let mut child = start(command, line);
    let mut stdin = child.stdin.take().expect("the stream is piped");
    stdin.write_all(input).expect("the binary reads its input");
    drop(stdin);
    child.wait_with_output().expect("the binary ends")
}

/// The elements of a JSON list.
#[track_caller]
pub fn list(value: &serde_json::Value) -> &[serde_json::Value] {
    value.as_array().expect("the value is a list")
}

/// The binary in an environment without Vulkan drivers.
pub fn without_driver() -> Command {
    let mut command = multisplit();
    for name in ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"] {
        command.env(name, "/nonexistent/driver.json");
    }
    command.env_remove("VK_ADD_DRIVER_FILES").env_remove("MULTISPLIT_DEVICE");
    command
}
