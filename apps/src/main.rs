//! The `multisplit` command line: what a person with a GPU, or none, can do with the library.
//!
//! Each subcommand is one module of [`commands`]; everything around it (arguments, the device,
//! sizes, data, the exit status) is shared.
#![forbid(unsafe_code)]

mod arguments;
mod check;
mod commands;
mod data;
mod device;
mod figures;
mod jobs;
mod logging;
mod passes;
mod report;
mod size;
mod split;
mod sssp;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;
use crate::device::Devices;

fn main() -> ExitCode {
    // Prints help, or what is wrong with the arguments, and ends with status 2 by itself.
    let arguments = Arguments::parse();
    logging::start(arguments.common.verbose);
    let devices = Devices::new(arguments.common);
    let outcome = commands::run(arguments.command, &devices);
    // Every context is gone by now, so what the layers say of teardown is among the messages.
    report::finish(outcome, &devices.messages())
}
