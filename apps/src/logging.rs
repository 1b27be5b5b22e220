//! How much of what the library traces is shown, and where.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Starts logging to standard error. Each `-v` shows more; without one, `RUST_LOG` decides.
pub fn start(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    // Messages of the validation layers are kept for the end: see `report`.
    let ours = || EnvFilter::new(format!("{level},multisplit::validation=off"));
    let filter = match verbose {
        0 => EnvFilter::try_from_default_env().unwrap_or_else(|_| ours()),
        _ => ours(),
    };
    let spans = if verbose > 1 { FmtSpan::CLOSE } else { FmtSpan::NONE };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(spans)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    // It fails only where another subscriber was set, and nothing sets one before this.
    let _ = subscriber.try_init();
}
