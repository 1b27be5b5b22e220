//! How the tests of the command line run the built binary.
#![allow(dead_code, reason = "each test binary uses some of it")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run left behind.
pub struct Ran {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    #[track_caller]
    pub fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// What standard error says, which is to be one line.
    #[track_caller]
    pub fn complaint(&self) -> &str {
        assert_eq!(self.err.lines().count(), 1, "not one line:\n{}", self.err);
        self.err.trim_end()
    }
}

/// The binary, which `MULTISPLIT_BINARY` names where the tests run on another machine than the
/// one that built them.
pub fn multisplit() -> Command {
    let elsewhere = std::env::var_os("MULTISPLIT_BINARY").map(PathBuf::from);
    let mut command =
        Command::new(elsewhere.unwrap_or_else(|| env!("CARGO_BIN_EXE_multisplit").into()));
    // Neither the user's logging nor the user's caches and profiles have a part in this. Mesa's cache of compiled
    // kernels mixes up the code for different subgroup sizes: each has a folder.
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

/// Another program with the binary's environment, for one that runs the binary.
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

/// The binary with signals as a terminal's programs have them: whoever runs tests in the background
/// has some of them ignored, and what is ignored stays so.
pub fn heeding_signals() -> Command {
    let mut command = in_its_environment("env");
    command.arg("--default-signal=INT,QUIT,HUP,TERM").arg(multisplit().get_program());
    command
}

/// Where files may be left: the build's own folder, or on another machine the system's.
pub fn folder() -> PathBuf {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR"));
    if built.is_dir() { built.to_owned() } else { std::env::temp_dir() }
}

/// Where Mesa keeps compiled kernels: the build's folder for all tests, or on another machine one of our own.
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

pub fn run(mut command: Command, arguments: &[&str]) -> Ran {
    let output = command.args(arguments).output().expect("the binary starts");
    Ran {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).expect("output is text"),
        err: String::from_utf8(output.stderr).expect("errors are text"),
    }
}

/// The binary where no driver can be found.
pub fn without_driver() -> Command {
    let mut command = multisplit();
    for name in ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"] {
        command.env(name, "/nonexistent/driver.json");
    }
    command.env_remove("VK_ADD_DRIVER_FILES").env_remove("MULTISPLIT_DEVICE");
    command
}
