//! How much of what the library traces is shown, and where.

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

/// Shows nothing from here on.
pub fn stop() {
    STOPPED.store(true, Ordering::Relaxed);
}

/// Starts logging to standard error, and to `trace` where there is one. Each `-v` shows more;
/// without one, `RUST_LOG` decides. `quiet` shows nothing.
pub fn start(verbose: u8, quiet: bool, trace: Option<&Trace>) {
    let level = match verbose {
        // Errors have a line of their own.
        0 if quiet => "off",
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    // Messages of the validation layers are kept for the end: see `report`.
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
    // A trace has the spans that matter whatever is shown.
    let kept = Targets::new().with_target("multisplit", tracing::Level::DEBUG);
    let traced = trace.map(|trace| trace.layer().with_filter(kept));
    // It fails only where another subscriber was set, and nothing sets one before this.
    let _ = registry().with(shown).with(traced).try_init();
}
