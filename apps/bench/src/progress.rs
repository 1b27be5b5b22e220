//! Progress bars: only on a terminal, and removed when the work is done.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// Creates progress bars, unless disabled.
#[derive(Clone, Copy, Debug)]
pub struct Bars {
    shown: bool,
}

impl Bars {
    /// Shows bars if standard error is a terminal, unless `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { shown: !quiet && std::io::stderr().is_terminal() }
    }

    /// Shows no bars.
    pub fn none() -> Self {
        Self { shown: false }
    }

    /// A bar for `total` bytes, or a counter if the total is unknown.
    pub fn bytes(self, what: &str, total: Option<u64>) -> ProgressBar {
        let template = match total {
            Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes} {eta}",
            None => "{msg} {spinner} {bytes}",
        };
        self.bar(what, total, template)
    }

    /// A bar for `total` elements.
    pub fn elements(self, what: &str, total: u64) -> ProgressBar {
        self.bar(what, Some(total), "{msg} {wide_bar} {human_pos}/{human_len} {eta}")
    }

    /// A bar for `total` seconds.
    pub fn seconds(self, what: &str, total: u64) -> ProgressBar {
        self.bar(what, Some(total), "{wide_bar} {pos}/{len} s  {msg:40}")
    }

    fn bar(self, what: &str, total: Option<u64>, template: &str) -> ProgressBar {
        if !self.shown {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        // A malformed template only affects the appearance, so ignore the error.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // The bar is cleared even if the work fails; the error is printed separately.
        bar.with_message(what.to_owned()).with_finish(ProgressFinish::AndClear)
    }
}

#[cfg(test)]
mod tests {
    use super::Bars;

    #[test]
    fn bars_show_their_message() {
        let visible = Bars { shown: true };
        for bar in [visible.bytes("reading x", Some(8)), visible.bytes("reading x", None)] {
            assert_eq!(bar.message(), "reading x");
        }
        let bar = visible.elements("sorting", 8);
        assert_eq!((bar.message().as_str(), bar.length()), ("sorting", Some(8)));
        let bar = visible.seconds("tuning", 60);
        assert_eq!((bar.message().as_str(), bar.length()), ("tuning", Some(60)));
    }

    #[test]
    fn disabled_bars_are_hidden() {
        for none in [Bars::none(), Bars::new(true)] {
            assert!(none.elements("sorting", 8).is_hidden());
            assert!(none.bytes("reading x", None).message().is_empty());
        }
    }
}
