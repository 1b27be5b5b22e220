//! Runs the binary for the tests of the command line.
#![allow(dead_code, reason = "each test binary uses some of it")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Result of a run.
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
}

/// A command for the binary. `MULTISPLIT_BINARY` overrides its path if the tests run on another machine than
/// the build.
pub fn multisplit() -> Command {
    let elsewhere = std::env::var_os("MULTISPLIT_BINARY").map(PathBuf::from);
    let mut command =
        Command::new(elsewhere.unwrap_or_else(|| env!("CARGO_BIN_EXE_multisplit").into()));
    // Ignore the user's logging, caches and profiles. Mesa's shader cache confuses code for different
    // subgroup sizes, so each size gets its own folder.
    let width = std::env::var("LP_NATIVE_VECTOR_WIDTH").unwrap_or_else(|_| "any".to_owned());
    let shaders = shader_folder().join(width);
    std::fs::create_dir_all(&shaders).expect("a folder for kernels");
    command
        .env_remove("RUST_LOG")
        .env("XDG_CACHE_HOME", folder().join("cache"))
        .env("XDG_CONFIG_HOME", folder().join("config"))
        .env("MESA_SHADER_CACHE_DIR", shaders)
        .env("MESA_SHADER_CACHE_DISABLE", "false");
    command
}

/// A command for another program with the binary's environment, for programs that run the binary.
pub fn in_its_environment(program: &str) -> Command {
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
pub fn heeding_signals() -> Command {
    let mut command = in_its_environment("env");
    command.arg("--default-signal=INT,QUIT,HUP,TERM").arg(multisplit().get_program());
    command
}

/// Folder for temporary files: the build's, or the system's on another machine.
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

pub fn temporary(name: &str) -> PathBuf {
    folder().join(format!("multisplit-cli-{}-{name}", std::process::id()))
}

pub fn run(mut command: Command, arguments: &[&str]) -> RunOutput {
    let output = command.args(arguments).output().expect("the binary starts");
    RunOutput {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).expect("output is text"),
        err: String::from_utf8(output.stderr).expect("errors are text"),
    }
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
