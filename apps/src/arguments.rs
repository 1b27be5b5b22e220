//! What can be said on the command line, besides what only one subcommand knows.

use clap::{Args, Parser};

use crate::commands::Command;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "multisplit",
    version,
    about = "GPU primitives on Vulkan: see the devices, run a demonstration, measure, look at the plans",
    after_help = EXAMPLES,
    arg_required_else_help = true,
    propagate_version = true
)]
pub struct Arguments {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// What every subcommand understands, before or after its name.
#[derive(Clone, Debug, Default, Args)]
pub struct Common {
    /// The device, by its index or a part of its name (see `multisplit devices`)
    #[arg(long, global = true, value_name = "INDEX|NAME", help_heading = "Common options")]
    pub device: Option<String>,
    /// Turn the validation layers on; any message of theirs makes the exit status 3
    #[arg(long, global = true, help_heading = "Common options")]
    pub validate: bool,
    /// Say what is being done, on standard error; twice for more
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Common options")]
    pub verbose: u8,
}

const EXAMPLES: &str = "\
Examples:
  multisplit devices                      which devices there are, and which would be used
  multisplit demo                         scan 2^24 numbers; show the plan and the times
  multisplit --device llvmpipe demo       the same on another device
  multisplit bench scan --n 2^20,2^25     rates as JSON lines
  multisplit bench split --m 8,256        splits into 8 and 256 buckets, by every method
  multisplit sssp rmat:100000:800000      shortest paths in a network that is made up
  multisplit graph scan --format dot | dot -Tsvg > scan.svg

Sizes are plain numbers or powers: 16777216, 16_777_216, 2^24.
Exit status: 0 success, 1 failure, 2 wrong usage, 3 messages of the validation layers.
The environment variable MULTISPLIT_DEVICE chooses a device where --device does not.";
