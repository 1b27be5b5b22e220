//! Stacked horizontal bars.

use super::drawing::{CHARACTER, Drawing, FONT, legend};
use super::{COLOURS, RIGHT, WIDTH};

/// Height of a row, in units of the drawing.
const ROW: f64 = 24.0;
/// Height of a bar.
const BAR: f64 = 16.0;
/// Space for the text after the longest bar.
const END: f64 = 76.0;
/// Maximum width of a label.
const MAX_LABEL: f64 = 200.0;

/// A bar that consists of several parts.
#[derive(Clone, Debug)]
pub struct Bar {
    pub label: String,
    /// The amount of each part, in the order of [`Bars::parts`].
    pub amounts: Vec<f64>,
    /// Text after the bar.
    pub total: String,
}

/// A plot of bars that all consist of the same parts.
pub struct Bars {
    pub title: String,
    /// Names of the parts.
    pub parts: Vec<String>,
    pub bars: Vec<Bar>,
    /// Whether all bars have full width, to show shares. Otherwise only the largest bar has full width.
    pub shares: bool,
    /// Formats the amount of a part.
    pub amount_text: fn(f64) -> String,
}

impl Bars {
    /// The drawing, followed by the legend.
    pub fn html(&self) -> String {
        let height = ROW * self.bars.len() as f64 + 6.0;
        let mut drawing = Drawing::in_page((WIDTH, height), &self.title);
        let longest = self.bars.iter().map(|bar| bar.label.chars().count()).max().unwrap_or(0);
        let left = (CHARACTER * longest as f64 + 14.0).min(MAX_LABEL);
        let width = WIDTH - RIGHT - left - END;
        let whole = |bar: &Bar| bar.amounts.iter().sum::<f64>();
        let max = self.bars.iter().map(whole).fold(0.0, f64::max);
        for (row, bar) in self.bars.iter().enumerate() {
            let top = ROW * row as f64 + 4.0;
            let baseline = top + BAR / 2.0 + FONT / 3.0;
            drawing.text("end", (left - 6.0, baseline), &bar.label);
            let full = if self.shares { whole(bar) } else { max };
            let mut x = left;
            for (part, &amount) in bar.amounts.iter().enumerate() {
                let length = if full > 0.0 { amount / full * width } else { 0.0 };
                let title = format!("{}: {}", self.parts[part], (self.amount_text)(amount));
                let class = format!("bar s{}", part % COLOURS);
                drawing.rectangle(&class, (x, top), (length, BAR), &title);
                x += length;
            }
            drawing.text("start", (x + 6.0, baseline), &bar.total);
        }
        // A single part needs no legend.
        if self.parts.len() < 2 {
            return drawing.finish();
        }
        let entries = self.parts.iter().enumerate().map(|(part, name)| {
            let class = format!("bar s{}", part % COLOURS);
            (format!(r#"<rect class="{class}" width="26" height="10"/>"#), name.as_str())
        });
        drawing.finish() + &legend(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, Bars};

    #[test]
    fn bars_show_every_part_even_if_all_amounts_are_zero() {
        let bar = |label: &str, amounts: &[f64]| Bar {
            label: label.into(),
            amounts: amounts.to_vec(),
            total: "4 ms".into(),
        };
        let bars = Bars {
            title: "stages".into(),
            parts: vec!["prescan".into(), "scan".into()],
            bars: vec![bar("direct", &[1.0, 3.0]), bar("warp", &[0.0, 0.0])],
            shares: true,
            amount_text: |ms| format!("{ms} ms"),
        };
        let html = bars.html();
        assert_eq!(html.matches("<title>prescan").count(), 2);
        assert!(html.contains("scan: 3 ms"), "{html}");
        assert!(!html.contains("NaN"), "{html}");
        assert_eq!(html.matches("<li>").count(), 2);
    }
}
