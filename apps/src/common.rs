//! The options of every subcommand.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use multisplit_bench::ranking::Ranking;
use multisplit_bench::size;

/// Options of every subcommand, before or after its name.
#[derive(Clone, Debug, Default, Args)]
pub struct Common {
    /// Device, by index or a part of its name (see `multisplit devices`)
    #[arg(long, global = true, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// Enable the validation layers; exit with status 3 if they report a message
    #[arg(long, global = true)]
    pub validate: bool,
    /// Verify every element of the result against the CPU
    #[arg(long, global = true)]
    pub verify: bool,
    /// Maximum device memory to use (for example 256KiB); larger arrays are processed in parts
    #[arg(long, global = true, value_name = "SIZE", value_parser = size::parse_bytes)]
    pub memory_limit: Option<u64>,
    /// Write a timeline of host and device to this file, for ui.perfetto.dev or chrome://tracing
    #[arg(long, global = true, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Ranking of keys in sorts and splits: `promised` relies only on what Vulkan guarantees,
    /// `probed` also on the order of atomics, if the device passes a probe of it [default:
    /// MULTISPLIT_RANKING, else probed]; `bench` accepts both, separated by a comma
    #[arg(long, global = true, value_name = "RANKING", value_delimiter = ',', value_enum)]
    pub ranking: Vec<Ranking>,
    /// Use the kernel sizes of this profile, written by `multisplit tune -o FILE` for this device;
    /// `built-in` for the built-in sizes [default: the profile in the user's configuration folder, if any]
    #[arg(long, global = true, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long, global = true)]
    pub force: bool,
    /// Print progress and details to standard error; twice for more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Do not print notes, progress or summaries
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
}

/// The name of an option's value on the command line.
pub fn option_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
