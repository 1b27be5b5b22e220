//! Notes and summaries on standard error, which `--quiet` silences.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Disables notes and summaries.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Prints a line that starts with `note:`, unless [`be_quiet`] was called.
pub fn note(text: impl Display) {
    summary(format_args!("note: {text}"));
}

/// Prints lines, unless [`be_quiet`] was called.
pub fn summary(text: impl Display) {
    if !QUIET.load(Ordering::Relaxed) {
        say(text);
    }
}

/// Always prints lines to standard error. Ignores write errors, because there is no other place to report them.
pub fn say(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{}", plain(&text.to_string()));
}

/// Escapes control characters, which file names and contents may contain and a terminal would interpret.
pub fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            // C1 control characters and bidirectional text overrides.
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.extend(character.escape_unicode());
            }
            control if control.is_control() => shown.extend(control.escape_default()),
            other => shown.push(other),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn control_characters_are_escaped() {
        let text = plain("a\u{1b}[31mred\u{7}\r\u{9b}2J\u{202e}\n\té");
        assert_eq!(text, "a\\u{1b}[31mred\\u{7}\\r\\u{9b}2J\\u{202e}\n\té");
    }
}
