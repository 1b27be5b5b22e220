//! The subcommands, one module each.

mod bench;
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

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List every Vulkan device, and say which one would be used and why
    Devices(devices::Options),
    /// Sort an array, alone or with values
    Sort(sort::Options),
    /// Split an array into buckets, alone or with values; stable
    Split(split::Options),
    /// Find the k largest or smallest elements of an array, of its rows, or rows of a table
    Topk(topk::Options),
    /// Count how many numbers of an array fall into each of many bins
    Histogram(histogram::Options),
    /// Of each number of an array, what it and those before it combine to
    Scan(scan::Options),
    /// What all numbers of an array combine to, or where the least or the greatest is
    Reduce(reduce::Options),
    /// Each number of a sorted array once, and how often it is there
    Unique(unique::Options),
    /// Where in a sorted array each number of another could be put
    Search(search::Options),
    /// Put two sorted arrays together into one
    Merge(merge::Options),
    /// Shortest paths from one vertex of a network, from a file or generated
    Sssp(sssp::Options),
    /// Sort, split, count and search generated data: verified, measured, and a report written
    Demo(demo::Options),
    /// Measure the primitives; prints JSON lines
    Bench(Box<bench::Options>),
    /// Measure which sizes of kernels are the fastest on this device, and keep them
    Tune(tune::Options),
    /// Show a planned compute graph: passes, barriers with their reasons, memory
    Graph(graph::Options),
    /// Print completions for a shell
    Completions(shell::CompletionOptions),
    /// Print the manual page
    Man(shell::ManOptions),
}

/// Does it, and writes down what happened when, where that is asked for.
pub fn run(command: Command, devices: &Devices) -> Result<()> {
    devices.begin_trace()?;
    run_command(command, devices)?;
    devices.end_trace()
}

fn run_command(command: Command, devices: &Devices) -> Result<()> {
    match command {
        Command::Devices(options) => devices::run(&options, devices),
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
        Command::Completions(options) => shell::completions(&options),
        Command::Man(options) => shell::man(&options),
    }
}
