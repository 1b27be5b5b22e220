//! The subcommands, one module each.

mod bench;
mod demo;
mod devices;
mod graph;
mod sssp;

use anyhow::Result;
use clap::Subcommand;

use crate::device::Devices;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List every Vulkan device, and say which one would be used and why
    Devices(devices::Options),
    /// Scan numbers on the best device, check them, and show the plan and the time of each pass
    Demo(demo::Options),
    /// Measure the primitives; prints JSON lines
    Bench(bench::Options),
    /// Show a planned compute graph: passes, barriers with their reasons, memory
    Graph(graph::Options),
    /// Shortest paths from one vertex of a network, from a file or generated
    Sssp(sssp::Options),
}

/// Does it.
pub fn run(command: Command, devices: &Devices) -> Result<()> {
    match command {
        Command::Devices(options) => devices::run(&options, devices),
        Command::Demo(options) => demo::run(&options, devices),
        Command::Bench(options) => bench::run(&options, devices),
        Command::Graph(options) => graph::run(&options, devices),
        Command::Sssp(options) => sssp::run(&options, devices),
    }
}
