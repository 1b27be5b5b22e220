//! The `multisplit` command line: what a person with a GPU, or none, can do with the engine. And
//! what such a program needs that an embedder does not: file formats, generators, drawings, reports.
//!
//! Each subcommand is one module of `commands`; everything around it (arguments, the device, sizes,
//! data, the exit status) is shared. [`network`] is for other programs too.
#![forbid(unsafe_code)]

mod arguments;
mod check;
mod commands;
mod data;
mod device;
mod figures;
mod file_key;
mod formats;
#[cfg(test)]
mod fuzz;
mod glsl_file;
mod histogram;
mod host_memory;
mod html;
mod inputs;
mod keyed;
mod leaving;
mod logging;
pub mod network;
mod on_device;
mod opening;
mod outputs;
mod parts;
mod passes;
mod phase;
mod plan_svg;
mod plans;
mod plot;
mod progress;
mod ranking;
mod report;
mod runs;
mod size;
mod sort;
mod sorted;
mod split;
mod sssp;
mod tables;
mod terms;
mod trace;
mod value_type;
mod values;
mod wide_keys;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;
use crate::device::Devices;
use crate::trace::Trace;

/// Does what the arguments of this process ask for, and gives its exit status.
pub fn run() -> ExitCode {
    phase::begin();
    let arguments = Arguments::try_parse().unwrap_or_else(|error| report::not_parsed(&error));
    let common = &arguments.common;
    let trace = common.trace.is_some().then(Trace::new);
    logging::start(common.verbose, common.quiet, trace.as_ref());
    if common.quiet {
        report::be_quiet();
    }
    if common.verbose > 0 {
        report::be_verbose();
    }
    let devices = Devices::new(arguments.common, trace);
    let outcome =
        commands::run(arguments.command, &devices).and_then(|()| Ok(io::stdout().flush()?));
    // With validation every context is gone by now, so what the layers say of teardown is among the
    // messages.
    let messages = devices.messages();
    drop(devices);
    leaving::save_pipelines();
    // The error is the last line.
    logging::stop();
    leaving::leave(report::finish(outcome, &messages))
}
