//! Log level and destination of the library's tracing events.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::writer::MakeWriterExt as _;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, registry};

use crate::trace::Trace;

static STOPPED: AtomicBool = AtomicBool::new(false);

pub fn stop() {
    STOPPED.store(true, Ordering::Relaxed);
}

/// Starts logging to standard error, and to `trace` if given. Each `-v` shows more; without any, `RUST_LOG`
/// sets the level. `quiet` disables logging.
pub fn start(verbose: u8, quiet: bool, trace: Option<&Trace>) {
    let level = match verbose {
        // Errors are reported separately.
        0 if quiet => "off",
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    // Messages of the validation layers are reported at the end; see `report`.
    let ours = || EnvFilter::new(format!("{level},multisplit::validation=off"));
    let filter = match verbose {
        0 if !quiet => EnvFilter::try_from_default_env().unwrap_or_else(|_| ours()),
        _ => ours(),
    };
    let spans = if verbose > 1 { FmtSpan::CLOSE } else { FmtSpan::NONE };
    let shown = tracing_subscriber::fmt::layer()
        .with_span_events(spans)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr.with_filter(|_| !STOPPED.load(Ordering::Relaxed)))
        .with_filter(filter);
    // A trace includes the spans of this project, regardless of the log level.
    let kept = Targets::new().with_target("multisplit", tracing::Level::DEBUG);
    let traced = trace.map(|trace| trace.layer().with_filter(kept));
    // Fails only if a subscriber is already set, which never happens.
    let _ = registry().with(shown).with(traced).try_init();
}
