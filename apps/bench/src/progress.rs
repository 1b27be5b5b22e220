//! Progress bars: on a terminal only, and gone when the work is done.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// Whether there are any.
#[derive(Clone, Copy, Debug)]
pub struct Bars {
    shown: bool,
}

impl Bars {
    /// Where a person looks, unless told to be quiet.
    pub fn new(quiet: bool) -> Self {
        Self { shown: !quiet && std::io::stderr().is_terminal() }
    }

    /// None at all.
    pub fn none() -> Self {
        Self { shown: false }
    }

    /// A bar over so many bytes; without their number, a count of them.
    pub fn bytes(self, what: &str, total: Option<u64>) -> ProgressBar {
        let template = match total {
            Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes} {eta}",
            None => "{msg} {spinner} {bytes}",
        };
        self.bar(what, total, template)
    }

    /// A bar over so many elements.
    pub fn elements(self, what: &str, total: u64) -> ProgressBar {
        self.bar(what, Some(total), "{msg} {wide_bar} {human_pos}/{human_len} {eta}")
    }

    /// A bar over so many seconds.
    pub fn seconds(self, what: &str, total: u64) -> ProgressBar {
        self.bar(what, Some(total), "{wide_bar} {pos}/{len} s  {msg:40}")
    }

    fn bar(self, what: &str, total: Option<u64>, template: &str) -> ProgressBar {
        if !self.shown {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        // A template that is wrong is our mistake, and no reason to fail.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // Also if the work fails: the error has a line of its own.
        bar.with_message(what.to_owned()).with_finish(ProgressFinish::AndClear)
    }
}

#[cfg(test)]
mod tests {
    use super::Bars;

    #[test]
    fn bars_say_what_they_count() {
        let shown = Bars { shown: true };
        for bar in [shown.bytes("reading x", Some(8)), shown.bytes("reading x", None)] {
            assert_eq!(bar.message(), "reading x");
        }
        let bar = shown.elements("sorting", 8);
        assert_eq!((bar.message().as_str(), bar.length()), ("sorting", Some(8)));
        let bar = shown.seconds("tuning", 60);
        assert_eq!((bar.message().as_str(), bar.length()), ("tuning", Some(60)));
    }

    #[test]
    fn there_are_none_where_nobody_looks() {
        for none in [Bars::none(), Bars::new(true)] {
            assert!(none.elements("sorting", 8).is_hidden());
            assert!(none.bytes("reading x", None).message().is_empty());
        }
    }
}
