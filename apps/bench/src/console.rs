//! Notes and summaries on standard error, which `--quiet` silences.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Silences notes and summaries from here on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn terminals_get_no_orders_from_files() {
        let text = plain("a\u{1b}[31mred\u{7}\r\u{9b}2J\u{202e}\n\té");
        assert_eq!(text, "a\\u{1b}[31mred\\u{7}\\r\\u{9b}2J\\u{202e}\n\té");
    }
}
