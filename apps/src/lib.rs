//! The `multisplit` command line, for files in several formats. Most commands need a Vulkan device; a software driver
//! is enough.
//!
//! The subcommands are in `commands`; arguments, the device, files and the exit status are handled by shared modules.
//! Measurements, networks and plots are in [`multisplit_bench`].
#![forbid(unsafe_code)]

mod arguments;
mod check;
mod commands;
mod common;
mod device;
mod device_details;
mod edges;
mod formats;
#[cfg(test)]
mod fuzz;
mod glsl_file;
mod histogram;
mod inputs;
mod job;
mod keyed;
mod logging;
mod number;
mod on_device;
mod opening;
mod outputs;
mod parts;
mod phase;
mod plan_svg;
mod report;
mod segments;
mod sort;
mod sorted;
mod split;
mod tables;
mod terms;
mod trace;
mod wide_keys;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use multisplit_bench::console;

use crate::arguments::Arguments;
use crate::device::Devices;
use crate::trace::Trace;

/// Runs the command given by the arguments of this process, and returns its exit status.
pub fn run() -> ExitCode {
    phase::begin();
    let arguments = Arguments::try_parse().unwrap_or_else(|error| report::not_parsed(&error));
    let common = &arguments.common;
    let trace = common.trace.is_some().then(Trace::new);
    logging::start(common.verbose, common.quiet, trace.as_ref());
    if common.quiet {
        console::be_quiet();
    }
    if common.verbose > 0 {
        report::be_verbose();
    }
    let devices = Devices::new(arguments.common, trace);
    let outcome = commands::run(arguments.command, &devices, Arguments::command())
        .and_then(|()| Ok(io::stdout().flush()?));
    // With validation, all contexts have been destroyed by now, so the messages include those about teardown.
    let messages = devices.messages();
    drop(devices);
    opening::save_pipelines();
    // Stop logging, so that the error is the last line.
    logging::stop();
    opening::exit(report::finish(outcome, &messages))
}
