//! Which device a command runs on, and what the validation layers said while it did.

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
use crate::opening::Opening;
use crate::outputs::Outputs;
use crate::parts::Room;
use crate::trace::Trace;
use crate::{leaving, phase, report};

/// Adds the times of runs to the phases of the command.
fn kernel_times() -> Observer {
    Observer::of_runs(|run| phase::add_device_time(run.nanoseconds))
}

/// What `--profile` says for the sizes that come with the library.
const BUILT_IN: &str = "built-in";

/// Opens devices as the command line says, and keeps what the validation layers say of them.
pub struct Devices {
    common: Common,
    messages: Messages,
    trace: Option<Trace>,
    /// Outputs among which the trace has been begun, for a command to add its own to.
    begun: RefCell<Option<Outputs>>,
}

impl Devices {
    /// Devices by these arguments, whose runs are told to `trace`.
    pub fn new(common: Common, trace: Option<Trace>) -> Self {
        Self { common, messages: Messages::default(), trace, begun: RefCell::default() }
    }

    /// Opens the device that the command line chooses.
    pub fn open(&self) -> Result<Context> {
        let context =
            self.open_with(Config { observer: Some(kernel_times()), ..Config::default() })?;
        if !self.common.validate {
            leaving::keep_open(&context);
        }
        Ok(context)
    }

    /// Begins to open it, for a command that has something else to do meanwhile.
    pub fn begin_opening(&self) -> Opening {
        let ranking = self.one_ranking();
        let config = Config { ranking, observer: Some(kernel_times()), ..Config::default() };
        Opening::begin(self.config(config), !self.common.validate)
    }

    /// Each ranking that the command line asks for, once; nothing where it does not say.
    pub fn rankings(&self) -> Vec<Ranking> {
        let mut rankings = Vec::new();
        for &ranking in &self.common.ranking {
            if !rankings.contains(&ranking) {
                rankings.push(ranking);
            }
        }
        rankings
    }

    /// The ranking of a command that takes one. Several end the program, with the status of wrong usage.
    pub fn one_ranking(&self) -> RankingChoice {
        match self.rankings()[..] {
            [] => RankingChoice::Auto,
            [one] => one.into(),
            _ => report::wrong_usage(
                "--ranking takes one of promised and probed here; both are for `multisplit bench`",
            ),
        }
    }

    /// Like [`open`](Self::open); what the command line does not say is taken from `config`.
    pub fn open_with(&self, config: Config) -> Result<Context> {
        self.open_ranking(Config { ranking: self.one_ranking(), ..config })
    }

    /// The same with the ranking of `config`, for a command that takes several.
    pub fn open_ranking(&self, config: Config) -> Result<Context> {
        Ok(Context::open(&self.config(config))?)
    }

    /// Every device there is.
    pub fn list(&self) -> Result<Vec<DeviceEntry>> {
        Ok(Context::devices_for(&self.config(Config::default()))?)
    }

    /// The one of `all` that [`open`](Self::open) opens.
    pub fn pick<'a>(&self, all: &'a [DeviceEntry]) -> Result<&'a DeviceEntry> {
        Ok(self.choice().pick(all)?)
    }

    /// What the layers have said so far, of devices that could not be opened too.
    pub fn messages(&self) -> Vec<Message> {
        self.messages.take()
    }

    /// The name or index on the command line.
    pub fn asked_for(&self) -> Option<&str> {
        self.common.device.as_deref()
    }

    /// The name or index on the command line or in the environment, and which of the two.
    pub fn wanted(&self) -> Option<(&'static str, String)> {
        let argument = self.asked_for().map(|name| ("--device", name.to_owned()));
        let variable = || std::env::var(DEVICE_VARIABLE).ok().filter(|name| !name.is_empty());
        argument.or_else(|| variable().map(|name| (DEVICE_VARIABLE, name)))
    }

    /// Whether results are to be verified against the CPU.
    pub fn verify(&self) -> bool {
        self.common.verify
    }

    /// Runs `check`, which compares a result with the CPU's, if results are to be verified.
    pub fn verify_by(&self, check: impl FnOnce() -> Result<()>) -> Result<()> {
        if !self.verify() {
            return Ok(());
        }
        let _span = tracing::info_span!("verify").entered();
        phase::timed(report::VERIFYING, check)
    }

    /// What summaries end with where results were verified.
    pub fn verified(&self) -> &'static str {
        if self.verify() { ", verified against the CPU" } else { "" }
    }

    /// Whether more than usual is to be said.
    pub fn verbose(&self) -> bool {
        self.common.verbose > 0
    }

    /// Whether nothing but results and errors is to be printed.
    pub fn quiet(&self) -> bool {
        self.common.quiet
    }

    /// Whether files that exist may be overwritten.
    pub fn force(&self) -> bool {
        self.common.force
    }

    /// Where the sizes of kernels come from.
    pub fn profile(&self) -> ProfileChoice {
        match &self.common.profile {
            Some(name) if name.as_os_str() == BUILT_IN => ProfileChoice::BuiltIn,
            Some(file) => ProfileChoice::File(file.clone()),
            None => ProfileChoice::UserFolder,
        }
    }

    /// The memory that a command may use on the device of `context`.
    pub fn room<'c>(&self, context: &'c Context) -> Room<'c> {
        // Without a limit a tenth is left for others.
        let max = context.properties().device_memory / 10 * 9;
        let memory = self.common.memory_limit.map_or(max, |limit| limit.min(max));
        Room { context, memory, bars: self.bars() }
    }

    /// Outputs that overwrite what the command line allows them to; the trace is among them.
    pub fn outputs(&self) -> Outputs {
        self.begun.take().unwrap_or_else(|| Outputs::new(self.common.force))
    }

    /// Begins the trace where there is to be one, among the outputs of the command that follows.
    pub fn begin_trace(&self) -> Result<()> {
        if let Some((trace, file)) = self.trace.clone().zip(self.common.trace.as_ref()) {
            let mut outputs = self.outputs();
            let id = outputs.begin(&Place::new(file))?;
            outputs.write_last(id, move || trace.text());
            self.begun.replace(Some(outputs));
        }
        Ok(())
    }

    /// Writes the trace of a command that had no outputs of its own.
    pub fn end_trace(&self) -> Result<()> {
        self.begun.take().map_or(Ok(()), |outputs| Ok(outputs.finish()?))
    }

    /// Progress bars, where there may be any.
    pub fn bars(&self) -> Bars {
        Bars::new(self.common.quiet)
    }

    fn choice(&self) -> DeviceChoice {
        match self.asked_for() {
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
