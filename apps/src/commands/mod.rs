//! The subcommands, one module each; `completions` and `man` share `shell`.

mod bench;
mod check;
mod demo;
mod devices;
mod graph;
mod histogram;
mod merge;
mod reduce;
mod scan;
mod search;
mod shell;
mod sort;
mod split;
mod sssp;
mod topk;
mod tune;
mod unique;

use anyhow::Result;
use clap::Subcommand;

use crate::device::Devices;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List every Vulkan device, and show which one would be used and why
    Devices(devices::Options),
    /// Test a device: run every operation and compare with the CPU, or compile every kernel
    Check(check::Options),
    /// Sort an array, alone or with values
    Sort(sort::Options),
    /// Split an array into buckets, alone or with values; stable
    Split(split::Options),
    /// Find the k largest or smallest elements of an array, of its rows, or rows of a table
    Topk(topk::Options),
    /// Count the numbers of an array that fall into each bin
    Histogram(histogram::Options),
    /// Compute prefix sums, minima or maxima of an array
    Scan(scan::Options),
    /// Compute the sum, minimum or maximum of an array, or the index of the minimum or maximum
    Reduce(reduce::Options),
    /// Write each number of a sorted array once, optionally with its count
    Unique(unique::Options),
    /// Binary search: find the position of each number in a sorted array
    Search(search::Options),
    /// Merge two sorted arrays
    Merge(merge::Options),
    /// Find shortest paths from vertices of a network, which is a file or generated
    Sssp(sssp::Options),
    /// Run the main operations on generated data: verify, measure, write a report
    Demo(demo::Options),
    /// Measure the primitives, and print JSON lines
    Bench(Box<multisplit_bench::Options>),
    /// Find the fastest kernel sizes for this device, and save them
    Tune(tune::Options),
    /// Show a planned compute graph: passes, barriers with their reasons, memory
    Graph(graph::Options),
    /// Print completions for a shell
    Completions(shell::CompletionOptions),
    /// Print a manual page
    Man(shell::ManOptions),
}

/// Runs a command and writes the trace, if requested. `parser` defines the command line.
pub fn run(command: Command, devices: &Devices, parser: clap::Command) -> Result<()> {
    devices.begin_trace()?;
    match command {
        Command::Devices(options) => devices::run(&options, devices),
        Command::Check(options) => check::run(&options, devices),
        Command::Sort(options) => sort::run(&options, devices),
        Command::Split(options) => split::run(&options, devices),
        Command::Topk(options) => topk::run(&options, devices),
        Command::Histogram(options) => histogram::run(&options, devices),
        Command::Scan(options) => scan::run(&options, devices),
        Command::Reduce(options) => reduce::run(&options, devices),
        Command::Unique(options) => unique::run(&options, devices),
        Command::Search(options) => search::run(&options, devices),
        Command::Merge(options) => merge::run(&options, devices),
        Command::Sssp(options) => sssp::run(&options, devices),
        Command::Demo(options) => demo::run(&options, devices),
        Command::Bench(options) => bench::run(&options, devices),
        Command::Tune(options) => tune::run(&options, devices),
        Command::Graph(options) => graph::run(&options, devices),
        Command::Completions(options) => shell::completions(&options, parser),
        Command::Man(options) => shell::man(&options, parser),
    }?;
    devices.end_trace()
}
