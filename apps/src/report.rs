//! Ends a command: prints one line with the error and advice, and determines the exit status.

use std::fmt::Display;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use multisplit::{Error, Message};
use multisplit_bench::console;

use crate::phase;

const FAILURE: u8 = 1;
const USAGE: i32 = 2;
const VALIDATION: u8 = 3;
/// Maximum number of validation messages to print. The first ones usually cause the others.
const MAX_MESSAGES: usize = 20;

/// The phase in which results are compared with the CPU's.
pub const VERIFYING: &str = "verifying";

static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Makes [`done`] print the time of each phase.
pub fn be_verbose() {
    VERBOSE.store(true, Ordering::Relaxed);
}

/// Prints validation messages and the error, and returns the exit status. The error is the last line of
/// standard error.
pub fn finish(outcome: anyhow::Result<()>, messages: &[Message]) -> u8 {
    for message in messages.iter().take(MAX_MESSAGES) {
        console::say(format_args!("validation: {}: {}", message.id, one_line(&message.text)));
    }
    let layers = match messages.len() {
        0 => None,
        1 => Some("the validation layers reported 1 message (see above)".to_owned()),
        count => Some(format!(
            "the validation layers reported {count} messages (see above; at most {MAX_MESSAGES} are printed)"
        )),
    };
    let error = outcome.err().filter(|error| !is_broken_pipe(error)).map(|error| line(&error));
    let status = match (&error, &layers) {
        (_, Some(_)) => VALIDATION,
        (Some(_), None) => FAILURE,
        (None, None) => return 0,
    };
    let problems: Vec<String> = error.into_iter().chain(layers).collect();
    console::say(format_args!("multisplit: {}", problems.join("; ")));
    status
}

/// Prints a message about wrong usage and exits with the usage-error status.
pub fn usage_error(text: impl Display) -> ! {
    console::say(format_args!("multisplit: {text}"));
    std::process::exit(USAGE)
}

/// Exits because the arguments could not be parsed, or prints the requested help. The last line is the error;
/// the usage, if any, comes before it.
pub fn not_parsed(error: &clap::Error) -> ! {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand as NoCommand;
    if !error.use_stderr() || error.kind() == NoCommand {
        error.exit();
    }
    let (usage, problem) = parts_of_usage_error(&error.render().to_string());
    if let Some(usage) = usage {
        console::say(usage);
    }
    usage_error(problem)
}

/// Splits clap's error message into the usage and a one-line error.
fn parts_of_usage_error(text: &str) -> (Option<String>, String) {
    let mut usage = None;
    let mut problem = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("Usage: ") {
            usage = Some(line.to_owned());
        } else if !line.starts_with("For more information") {
            let separator = match () {
                () if problem.is_empty() => "",
                () if line.starts_with("tip: ") => "; ",
                () if problem.ends_with(':') || line.starts_with('[') => " ",
                () => ", ",
            };
            problem += separator;
            problem += line.strip_prefix("error: ").unwrap_or(line);
        }
    }
    (usage, plain_message(&problem))
}

/// Rephrases messages of Rust's parsers for users.
fn plain_message(problem: &str) -> String {
    let words = [
        ("invalid digit found in string", "not a whole number"),
        ("cannot parse integer from empty string", "not a whole number"),
        ("number too large to fit in target type", "too large"),
        ("invalid float literal", "not a number"),
        ("..=", " to "),
        (" is not in ", " is not in the range "),
    ];
    words.iter().fold(problem.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Prints the summary, the time of the whole command and its verification, and with -v the time of each
/// phase.
pub fn done(text: impl Display) {
    let verifying = phase::time_of(VERIFYING);
    let verifying = match verifying.is_zero() {
        true => String::new(),
        false => format!(", including {} of verification", phase::format_time(verifying)),
    };
    console::summary(format_args!("{text}; {} in total{verifying}", phase::total()));
    if VERBOSE.load(Ordering::Relaxed) {
        console::summary(format_args!("of which {}", phase::list()));
    }
}

/// The command line of this process, quoted for a shell.
pub fn command() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_alphanumeric() || "-_=./,:^+@%".contains(c);
        match !word.is_empty() && word.chars().all(plain) {
            true => word,
            false => format!("'{}'", word.replace('\'', "'\\''")),
        }
    };
    // Omit the path of the binary.
    let words = std::env::args().skip(1).map(quoted);
    std::iter::once("multisplit".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Whether the reader of standard output has closed it, as in `multisplit graph ... | head`. This is not a failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// Formats an error and advice as one line.
fn line(error: &anyhow::Error) -> String {
    let cause = error.chain().find_map(|cause| cause.downcast_ref::<Error>());
    let advice = cause.map(advice).unwrap_or_default();
    one_line(&format!("{error:#}{advice}"))
}

/// Advice for errors that do not contain it.
fn advice(error: &Error) -> String {
    let text = match error {
        Error::NoDevice => return drivers_named_by_environment(),
        Error::UnknownDevice { .. } => {
            "set --device (or MULTISPLIT_DEVICE) to an index or a part of a name"
        }
        Error::MissingRequirements { .. } | Error::FaultyDevice { .. } => {
            "`multisplit devices` lists all devices; choose another with --device"
        }
        Error::NoValidationLayer => "install it, or run without --validate",
        Error::OutOfMemory { reason, .. } if reason.contains("memory limit") => {
            "use a larger --memory-limit"
        }
        Error::OutOfMemory { .. } => "use a smaller input, or another --device with more memory",
        Error::NoTimestamps { .. } => "choose another device with --device",
        Error::Vulkan { .. } => "run the command again with --validate to find the cause",
        _ => return String::new(),
    };
    format!("; {text}")
}

/// Advice about the environment variables that restrict the Vulkan loader to certain drivers, if they are set.
fn drivers_named_by_environment() -> String {
    let set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let names: Vec<_> = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].into_iter().filter(set).collect();
    if names.is_empty() {
        return String::new();
    }
    let names = names.join(" and ");
    format!("; or unset {names}, which restricts the search to the drivers named there")
}

fn one_line(text: &str) -> String {
    text.split('\n').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_error_messages_have_one_line() {
        let text = "error: the following required arguments were not provided:\n  --output <FILE>\n  <INPUT>\n\n\
                    Usage: multisplit sort --output <FILE> <INPUT>\n\nFor more information, try '--help'.\n";
        let (usage, problem) = parts_of_usage_error(text);
        assert_eq!(usage.as_deref(), Some("Usage: multisplit sort --output <FILE> <INPUT>"));
        assert_eq!(
            problem,
            "the following required arguments were not provided: --output <FILE>, <INPUT>"
        );
        let text = "error: invalid value 'u33' for '--type <TYPE>'\n  [possible values: u8, u32]\n\n  \
                    tip: a similar value exists: 'u32'\n\nFor more information, try '--help'.\n";
        let (usage, problem) = parts_of_usage_error(text);
        assert_eq!(usage, None);
        let expected = "invalid value 'u33' for '--type <TYPE>' [possible values: u8, u32]; \
                        tip: a similar value exists: 'u32'";
        assert_eq!(problem, expected);
        let text = "error: invalid value '9' for '--radix-bits <BITS>': 9 is not in 4..=8\n";
        let (_, problem) = parts_of_usage_error(text);
        assert!(problem.ends_with(": 9 is not in the range 4 to 8"), "{problem}");
    }

    #[test]
    fn error_messages_have_one_line_with_advice() {
        let out_of_memory =
            Error::OutOfMemory { name: "src".into(), size: 4, reason: "two\nlines".into() };
        let text = line(&anyhow::Error::from(out_of_memory).context("while scanning"));
        assert!(!text.contains('\n'), "{text}");
        assert!(
            text.starts_with("while scanning: cannot allocate 4 bytes for array `src`"),
            "{text}"
        );
        assert!(text.ends_with("more memory"), "{text}");
    }
}
