//! `multisplit tune`: measures which kernel sizes are fastest on this device, and saves them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Args, value_parser};
use multisplit::tune::{Comparison, TuneOptions, TuneProgress, Tuned};
use multisplit::{Config, Context, PipelineCache, Profile, ProfileChoice};
use multisplit_bench::ranking::Ranking;
use multisplit_bench::{console, figures, size};

use crate::device::Devices;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Approximate time limit in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = value_parser!(u64).range(1..=86_400))]
    budget: u64,
    /// Write the profile to this file [default: in the user's configuration folder, where every command
    /// finds it]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Start from the sizes of this profile
    #[arg(long, value_name = "FILE", hide = true)]
    from: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  multisplit tune                         about a minute; every command then uses the profile
  multisplit tune --budget 300 --force    tune again, for longer
  multisplit tune -o fast.profile
  multisplit sort keys.npy -o sorted.npy --profile fast.profile

Candidates are combinations of tile sizes, workgroup sizes and methods. The result of each is \
verified against the CPU; then its GPU time on generated data is compared with that of the best \
candidate so far, in turns. The profile is a text file for this device and driver; results do \
not depend on it, except for the rounding of sums of floats. No other program should use the device during tuning.";

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    // Do not cache the pipelines of candidates.
    let config = Config { pipeline_cache: PipelineCache::Off, ..Config::default() };
    let context = devices.open_with(config)?;
    let path = options.place(&context)?;
    // Fail before tuning if the profile exists and must not be overwritten.
    refuse_existing(&path, devices)?;
    let start = match options.from.clone().map(ProfileChoice::File) {
        Some(file) => Profile::chosen(&file, context.properties())?,
        None => None,
    };
    let tune = TuneOptions { budget: Duration::from_secs(options.budget), start };
    let bar = devices.bars().seconds("tuning", options.budget);
    let tuned = context.tune(&tune, |progress: &TuneProgress| {
        bar.set_position(progress.elapsed.as_secs().min(options.budget));
        bar.set_message(progress.benchmark.clone());
    });
    bar.finish_and_clear();
    let tuned = tuned?;
    std::io::stdout().lock().write_all(table(&tuned).as_bytes())?;
    if tuned.comparisons.iter().all(|(_, rows)| rows.is_empty()) {
        console::note("--budget is too small to compare any sizes; give a larger one");
    }
    refuse_existing(&path, devices)?;
    tuned.profile.save(&path)?;
    let Tuned { candidates, rejected, wrong, .. } = tuned;
    let wrong = match wrong {
        0 => String::new(),
        count => format!(", {count} discarded because of wrong results"),
    };
    console::summary(format_args!(
        "wrote {}: {candidates} candidates{wrong}, {rejected} rejected by the device or a kernel",
        path.display()
    ));
    Ok(())
}

impl Options {
    /// Path of the profile.
    fn place(&self, context: &Context) -> Result<PathBuf> {
        let own = || ProfileChoice::UserFolder.path(context.properties());
        self.output.clone().or_else(own).context(
            "the environment defines no configuration folder (XDG_CONFIG_HOME or HOME, on Windows APPDATA); give -o FILE",
        )
    }
}

fn refuse_existing(path: &Path, devices: &Devices) -> Result<()> {
    if path.exists() && !devices.common.force {
        bail!("{} exists; --force overwrites it", path.display());
    }
    Ok(())
}

/// Formats a table of the speedups for each ranking.
fn table(tuned: &Tuned) -> String {
    let mut text = String::new();
    for (ranking, rows) in &tuned.comparisons {
        let ranking = format!("ranking {}", Ranking::from(*ranking).name());
        let [n, built_in, tuned, ratio] = ["n", "built-in", "tuned", "speed"];
        text += &format!("{ranking:32} {n:>8} {built_in:>11} {tuned:>11} {ratio:>7}\n");
        for Comparison { benchmark, n, built_in, tuned } in rows {
            let (n, ratio) = (size::show(*n), built_in / tuned);
            let [built_in, tuned] = [*built_in, *tuned].map(figures::time);
            text += &format!("  {benchmark:30} {n:>8} {built_in:>11} {tuned:>11} {ratio:>6.2}x\n");
        }
    }
    text
}
