//! How a command ends: one line that says what went wrong and what to do, and the exit status.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use multisplit::{Error, Message};

use crate::phase;

/// Wrong usage, 2, is clap's.
const FAILURE: u8 = 1;
const VALIDATION: u8 = 3;
/// More messages than this are seldom read; the first ones are the ones to mend.
const MAX_MESSAGES: usize = 20;

static QUIET: AtomicBool = AtomicBool::new(false);
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// From here on nothing but errors is told.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// From here on it is told where the time goes.
pub fn be_verbose() {
    VERBOSE.store(true, Ordering::Relaxed);
}

/// Prints what there is to print and gives the exit status.
pub fn finish(outcome: anyhow::Result<()>, messages: &[Message]) -> u8 {
    let mut status = 0;
    if let Err(error) = outcome
        && !reader_is_gone(&error)
    {
        say(format_args!("multisplit: {}", line(&error)));
        status = FAILURE;
    }
    if messages.is_empty() {
        return status;
    }
    for message in messages.iter().take(MAX_MESSAGES) {
        say(format_args!("validation: {}: {}", message.id, one_line(&message.text)));
    }
    let count = messages.len();
    say(format_args!("multisplit: the validation layers have {count} messages (see above)"));
    VALIDATION
}

/// Tells something besides the results.
pub fn note(text: impl Display) {
    summary(format_args!("note: {text}"));
}

/// Tells what was done.
pub fn summary(text: impl Display) {
    if !QUIET.load(Ordering::Relaxed) {
        say(text);
    }
}

/// Tells what was done, how long the whole command took, and with -v each of its phases.
pub fn done(text: impl Display) {
    summary(format_args!("{text}; {} in all", phase::total()));
    if VERBOSE.load(Ordering::Relaxed) {
        summary(format_args!("of which {}", phase::list()));
    }
}

/// Lines on standard error. Where that is closed there is nobody to tell.
pub fn say(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{}", plain(&text.to_string()));
}

/// The text without anything that a terminal would obey: names and contents of files may have it.
pub fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            // What some terminals take for the beginning of an order, and what turns text around.
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.extend(character.escape_unicode());
            }
            control if control.is_control() => shown.extend(control.escape_default()),
            other => shown.push(other),
        }
    }
    shown
}

/// What was run, as a shell would be told it.
pub fn command() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_alphanumeric() || "-_=./,:^+@%".contains(c);
        match !word.is_empty() && word.chars().all(plain) {
            true => word,
            false => format!("'{}'", word.replace('\'', "'\\''")),
        }
    };
    // Not where the binary is.
    let words = std::env::args().skip(1).map(quoted);
    std::iter::once("multisplit".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// `multisplit graph ... | head` is no failure.
fn reader_is_gone(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

fn line(error: &anyhow::Error) -> String {
    let cause = error.chain().find_map(|cause| cause.downcast_ref::<Error>());
    let advice = cause.map(advice).unwrap_or_default();
    one_line(&format!("{error:#}{advice}"))
}

/// What to do, where the error itself does not say it.
fn advice(error: &Error) -> String {
    let text = match error {
        Error::NoDevice => return drivers_named_by_environment(),
        Error::UnknownDevice { .. } => {
            "give --device (or MULTISPLIT_DEVICE) an index or a part of a name"
        }
        Error::MissingRequirements { .. } => {
            "`multisplit devices` lists what there is; choose another with --device"
        }
        Error::NoValidationLayer => "install it, or leave --validate out",
        Error::OutOfMemory { reason, .. } if reason.contains("memory limit") => {
            "give it a larger --memory-limit"
        }
        Error::TooLarge { .. } => return String::new(),
        Error::OutOfMemory { .. } => "give it less, or another --device with more memory",
        Error::NoTimestamps { .. } => "choose another device with --device",
        Error::Vulkan { .. } => "run it again with --validate to see why",
        _ => return String::new(),
    };
    format!("; {text}")
}

/// The loader looks only at the drivers that these variables name, where one is set.
fn drivers_named_by_environment() -> String {
    let set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let names: Vec<_> = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].into_iter().filter(set).collect();
    if names.is_empty() {
        return String::new();
    }
    format!("; or unset {}: only drivers named there are looked for", names.join(" and "))
}

fn one_line(text: &str) -> String {
    text.split('\n').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{line, plain};
    use multisplit::Error;

    #[test]
    fn terminals_get_no_orders_from_files() {
        let text = plain("a\u{1b}[31mred\u{7}\r\u{9b}2J\u{202e}\n\té");
        assert_eq!(text, "a\\u{1b}[31mred\\u{7}\\r\\u{9b}2J\\u{202e}\n\té");
    }

    #[test]
    fn an_error_is_one_line_with_what_to_do() {
        let out_of_memory =
            Error::OutOfMemory { name: "src".into(), size: 4, reason: "two\nlines".into() };
        let text = line(&anyhow::Error::from(out_of_memory).context("while scanning"));
        assert!(!text.contains('\n'), "{text}");
        assert!(text.starts_with("while scanning: no memory for buffer `src`"), "{text}");
        assert!(text.ends_with("more memory"), "{text}");
    }
}
