//! Device selection, and messages of the validation layers.

use std::cell::RefCell;

use anyhow::Result;
use multisplit::{
    Config, Context, DEVICE_VARIABLE, DeviceChoice, DeviceEntry, Message, Messages, Observer,
    ProfileChoice, RankingChoice, ValidationConfig,
};
use multisplit_bench::progress::Bars;
use multisplit_bench::ranking::Ranking;

use crate::common::Common;
use crate::formats::Place;
use crate::opening::{self, Opening};
use crate::outputs::Outputs;
use crate::parts::Resources;
use crate::trace::Trace;
use crate::{phase, report};

/// Returns an observer that adds device times to the phases of the command.
fn kernel_times() -> Observer {
    Observer::of_runs(|run| phase::add_device_time(run.nanoseconds))
}

/// Value of `--profile` that selects the built-in sizes.
const BUILT_IN: &str = "built-in";

/// Opens devices as the command line requests, and collects the messages of the validation layers.
pub struct Devices {
    pub common: Common,
    messages: Messages,
    trace: Option<Trace>,
    /// Outputs that contain only the trace file. A command that writes files takes them and adds its own.
    trace_outputs: RefCell<Option<Outputs>>,
}

impl Devices {
    /// Creates `Devices` for these arguments; device runs are recorded in `trace`.
    pub fn new(common: Common, trace: Option<Trace>) -> Self {
        Self { common, messages: Messages::default(), trace, trace_outputs: RefCell::default() }
    }

    /// Opens the device that the command line selects. Without `--validate`, it stays open until the process ends.
    pub fn open(&self) -> Result<Context> {
        let context =
            self.open_with(Config { observer: Some(kernel_times()), ..Config::default() })?;
        if !self.common.validate {
            opening::keep_open(&context);
        }
        Ok(context)
    }

    /// Starts opening the device in the background.
    pub fn begin_opening(&self) -> Opening {
        let ranking = self.one_ranking();
        let config = Config { ranking, observer: Some(kernel_times()), ..Config::default() };
        Opening::begin(self.config(config), !self.common.validate)
    }

    /// Rankings on the command line, without duplicates; empty if `--ranking` is not given.
    pub fn rankings(&self) -> Vec<Ranking> {
        let mut rankings = Vec::new();
        for &ranking in &self.common.ranking {
            if !rankings.contains(&ranking) {
                rankings.push(ranking);
            }
        }
        rankings
    }

    /// The ranking of a command that accepts only one. Exits with the usage-error status if there are
    /// several.
    pub fn one_ranking(&self) -> RankingChoice {
        match self.rankings()[..] {
            [] => RankingChoice::Auto,
            [one] => one.into(),
            _ => report::usage_error(
                "--ranking accepts either promised or probed here; only `multisplit bench` accepts both (but not its subject `paper`)",
            ),
        }
    }

    /// Opens the device. `config` gives the settings that the command line does not specify.
    pub fn open_with(&self, config: Config) -> Result<Context> {
        self.open_ranking(Config { ranking: self.one_ranking(), ..config })
    }

    /// Like [`open_with`](Self::open_with), but uses the ranking of `config`.
    pub fn open_ranking(&self, config: Config) -> Result<Context> {
        Ok(Context::open(&self.config(config))?)
    }

    pub fn list(&self) -> Result<Vec<DeviceEntry>> {
        Ok(Context::devices_for(&self.config(Config::default()))?)
    }

    /// Returns the entry of `all` that [`open`](Self::open) would open.
    pub fn pick<'a>(&self, all: &'a [DeviceEntry]) -> Result<&'a DeviceEntry> {
        Ok(self.choice().pick(all)?)
    }

    /// Takes the messages of the validation layers so far, including those for devices that could not be opened.
    pub fn messages(&self) -> Vec<Message> {
        self.messages.take()
    }

    /// Device name or index on the command line.
    pub fn device_option(&self) -> Option<&str> {
        self.common.device.as_deref()
    }

    /// Device name or index, and whether it comes from the command line or the environment.
    pub fn requested_device(&self) -> Option<(&'static str, String)> {
        let argument = self.device_option().map(|name| ("--device", name.to_owned()));
        let variable = || std::env::var(DEVICE_VARIABLE).ok().filter(|name| !name.is_empty());
        argument.or_else(|| variable().map(|name| (DEVICE_VARIABLE, name)))
    }

    /// The profile of kernel sizes to use: that of `--profile`, by default that in the user's folder.
    pub fn profile(&self) -> ProfileChoice {
        match &self.common.profile {
            Some(name) if name.as_os_str() == BUILT_IN => ProfileChoice::BuiltIn,
            Some(file) => ProfileChoice::File(file.clone()),
            None => ProfileChoice::UserFolder,
        }
    }

    pub fn resources<'c>(&self, context: &'c Context) -> Resources<'c> {
        // Leave a tenth for other programs, even if --memory-limit allows more.
        let max = context.properties().device_memory / 10 * 9;
        let memory = self.common.memory_limit.map_or(max, |limit| limit.min(max));
        Resources { context, memory, bars: self.bars() }
    }

    /// Output files, including the trace. By default, they overwrite existing files only with `--force`.
    pub fn outputs(&self) -> Outputs {
        self.trace_outputs.take().unwrap_or_else(|| Outputs::new(self.common.force))
    }

    /// Opens the trace file, if requested, as one of the outputs of the command.
    pub fn begin_trace(&self) -> Result<()> {
        if let Some((trace, file)) = self.trace.clone().zip(self.common.trace.as_ref()) {
            let mut outputs = self.outputs();
            let id = outputs.begin(&Place::new(file))?;
            outputs.write_last(id, move || trace.text());
            self.trace_outputs.replace(Some(outputs));
        }
        Ok(())
    }

    /// Writes the trace, unless the command has written it with its own outputs.
    pub fn end_trace(&self) -> Result<()> {
        self.trace_outputs.take().map_or(Ok(()), |outputs| Ok(outputs.finish()?))
    }

    pub fn bars(&self) -> Bars {
        Bars::new(self.common.quiet)
    }

    fn choice(&self) -> DeviceChoice {
        match self.device_option() {
            Some(name) => DeviceChoice::Named(name.to_owned()),
            None => DeviceChoice::Auto,
        }
    }

    fn config(&self, config: Config) -> Config {
        Config {
            device: self.choice(),
            validation: self.common.validate.then(ValidationConfig::default),
            messages: self.messages.clone(),
            profile: self.profile(),
            memory_limit: self.common.memory_limit,
            observer: self.trace.as_ref().map(Trace::observer).or(config.observer),
            ..config
        }
    }
}
