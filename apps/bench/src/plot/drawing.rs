//! SVG elements: lines, text, bars and dots. A drawing is either part of a page, whose style sheet defines
//! the colours, or a standalone file.

/// Font size of labels, in units of the drawing.
pub const FONT: f64 = 12.0;
/// Approximate width of a character in a label.
pub const CHARACTER: f64 = 6.6;

/// Style sheet of standalone files.
const STYLE: &str = "\
.paper{fill:#ffffff}text{fill:#4a5361}.title{fill:#1a1f27;font-weight:600;font-size:17px}\
.grid{stroke:#e4e7ec}.axis{stroke:#8a94a3}\
.bar{fill:#3569b5;rx:2px}.bar.other{fill:#e08a2e}.bar:hover{fill:#1f4a8a}.peak{fill:#3569b5;opacity:.28}\
@media (prefers-color-scheme:dark){.paper{fill:#14181f}text{fill:#a9b2c0}.title{fill:#eef1f5}\
.grid{stroke:#2a303a}.axis{stroke:#6b7686}.bar,.peak{fill:#7fb0f5}.bar.other{fill:#f0ad66}\
.bar:hover{fill:#b5d2fb}}";

/// Escapes markup, and replaces control characters by spaces, because XML does not allow most of them.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The legend of a drawing: the mark of each entry, as SVG of 26 by 10 units, and its name.
pub fn legend<'n>(entries: impl Iterator<Item = (String, &'n str)>) -> String {
    let entry = |(mark, name): (String, &str)| {
        let name = escape(name);
        format!("<li><svg viewBox=\"0 0 26 10\" aria-hidden=\"true\">{mark}</svg>{name}</li>")
    };
    format!("<ul class=\"legend\">{}</ul>", entries.map(entry).collect::<String>())
}

/// A drawing in progress.
pub struct Drawing(String);

impl Drawing {
    /// A drawing to be embedded in a page.
    pub fn in_page((width, height): (f64, f64), title: &str) -> Self {
        let title = escape(title);
        Self(format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\" \
             font-size=\"{FONT}\" xmlns=\"http://www.w3.org/2000/svg\">"
        ))
    }

    /// A standalone file, with its title at `title_at`.
    pub fn file((width, height): (f64, f64), title: &str, title_at: (f64, f64)) -> Self {
        let label = escape(title);
        let mut drawing = Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" \
             font-size=\"{FONT}\" role=\"img\" aria-label=\"{label}\">\n<style>{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n"
        ));
        let (x, y) = title_at;
        drawing.0 += &format!("<text class=\"title\" x=\"{x:.1}\" y=\"{y:.1}\">{label}</text>");
        drawing
    }

    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.0 += &format!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    pub fn text(&mut self, anchor: &str, (x, y): (f64, f64), text: &str) {
        let text = escape(text);
        self.0 += &format!(r#"<text text-anchor="{anchor}" x="{x:.1}" y="{y:.1}">{text}</text>"#);
    }

    /// Centred text that reads upwards.
    pub fn text_upwards(&mut self, (x, y): (f64, f64), text: &str) {
        let text = escape(text);
        self.0 += &format!(
            "<text text-anchor=\"middle\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{text}</text>"
        );
    }

    pub fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let corners: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.0 += &format!("<polyline class=\"{class}\" points=\"{}\"/>", corners.join(" "));
    }

    /// Draws adjacent bars as one shape. The first bar begins at `left`. `bars` contains the right edge and the top of
    /// each bar; all bars reach down to `bottom`.
    pub fn skyline(
        &mut self,
        class: &str,
        (left, bottom): (f64, f64),
        bars: impl Iterator<Item = (f64, f64)>,
    ) {
        self.0 += &format!("<path class=\"{class}\" d=\"M{left:.2} {bottom:.2}");
        for (x, y) in bars {
            self.0 += &format!("V{y:.2}H{x:.2}");
        }
        self.0 += &format!("V{bottom:.2}Z\"/>");
    }

    pub fn dot(&mut self, class: &str, (x, y): (f64, f64), title: &str) {
        let title = escape(title);
        self.0 += &format!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"><title>{title}</title></circle>"
        );
    }

    pub fn rectangle(&mut self, class: &str, (x, y): (f64, f64), (w, h): (f64, f64), title: &str) {
        let title = escape(title);
        self.0 += &format!(
            "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\">\
             <title>{title}</title></rect>"
        );
    }

    pub fn finish(mut self) -> String {
        self.0 += "</svg>";
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a<b>\"&\u{1b}"), "a&lt;b&gt;&quot;&amp; ");
    }
}
