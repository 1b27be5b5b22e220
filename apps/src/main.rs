//! The `multisplit` program. Its implementation is in the library of this package.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    multisplit_cli::run()
}
