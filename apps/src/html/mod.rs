//! The report of a measurement: one HTML file that needs nothing else, no network and no script.

mod plots;
mod points;

pub use points::{Point, Points};

use std::fmt::Write as _;

use self::plots::Plot;
use crate::plot::{escape, short};
use crate::{figures, size};

/// What every report has, and nothing else is likely to.
pub const MARK: &str = "<meta name=\"generator\" content=\"multisplit\">";

/// The page of these figures, with those of others beside them, and with `tables` before the plots.
pub fn page(ours: &Points, others: &Points, tables: &str) -> String {
    let style = include_str!("style.css");
    let device = escape(ours.device.as_deref().unwrap_or("a device that is not named"));
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         {MARK}\n<title>multisplit on {device}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <h1>multisplit {}</h1>\n<p>{device}</p>\n",
        env!("CARGO_PKG_VERSION")
    );
    if !others.all.is_empty() {
        let names = others.distinct(|point| point.anchor.clone()).join(", ");
        let device = others.device.as_deref().map(|d| format!(" on {d}")).unwrap_or_default();
        // Writing to a string cannot fail, here and below.
        let _ =
            writeln!(text, "<p>Dashed, for comparison: {}{}</p>", escape(&names), escape(&device));
    }
    text += tables;
    text += "<h2>Plots</h2>\n<div class=\"plots\">\n";
    for Plot { heading, note, html } in plots::plots(ours, others) {
        let (heading, note) = (escape(&heading), escape(&note));
        let _ = writeln!(text, "<figure><h3>{heading}</h3><p>{note}</p>{html}</figure>");
    }
    text += "</div>\n<h2>Figures</h2>\n";
    text += "<p>GPU time is the median of runs in a row; every configuration was verified against the CPU.</p>\n";
    text += &table(ours, others);
    text + "</body>\n</html>\n"
}

fn table(ours: &Points, others: &Points) -> String {
    let compared = if others.all.is_empty() { "" } else { "<th>theirs</th><th>times as fast</th>" };
    let mut text = format!(
        "<div class=\"table\"><table>\n<tr><th>operation</th><th>method</th><th>n</th><th>m</th>\
         <th>GPU time</th><th>rate</th>{compared}</tr>\n"
    );
    for point in &ours.all {
        let what = match &point.graph {
            Some(graph) => format!("{} {graph}", point.op),
            None => point.op.clone(),
        };
        let n = if point.n > 0.0 { size::show(point.n as u64) } else { String::new() };
        let m = if point.m > 0.0 { short(point.m) } else { String::new() };
        let rate = if point.gps > 0.0 { figures::rate(point.gps) } else { String::new() };
        let _ = write!(
            text,
            "<tr><td>{}</td><td>{}</td><td>{n}</td><td>{m}</td><td>{}</td><td>{rate}</td>",
            escape(&what),
            escape(&point.how()),
            figures::time(point.ms * 1e6)
        );
        if !others.all.is_empty() {
            text += &comparison(point, others);
        }
        text += "</tr>\n";
    }
    text + "</table></div>\n"
}

/// Their best figure of the same operation and sizes, and how many times as fast ours is.
fn comparison(point: &Point, others: &Points) -> String {
    let same = |other: &&Point| {
        plots::counterpart(&point.op, &other.op)
            && (other.n, other.m, &other.graph) == (point.n, point.m, &point.graph)
    };
    let fastest = others.all.iter().filter(same).min_by(|a, b| a.ms.total_cmp(&b.ms));
    match fastest.filter(|_| point.ms > 0.0) {
        Some(other) => {
            let (time, ratio) = (figures::time(other.ms * 1e6), short(other.ms / point.ms));
            format!("<td>{time}</td><td>{ratio}</td>")
        }
        None => "<td></td><td></td>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Points, page};

    const OURS: &str = r#"{"anchor":"multisplit","device":"a <device>","driver":"d","version":"0"}
{"anchor":"multisplit","op":"copy_kernel_u32","n":1024,"m":0,"ms":1,"gps":8,"method":"kernel"}
{"anchor":"multisplit","op":"copy_kernel_u32","n":2048,"m":0,"ms":1,"gps":9,"method":"kernel"}
{"anchor":"multisplit","op":"split_delta_keys","n":1024,"m":2,"ms":1,"gps":3,"method":"warp","prescan_ms":0.5,"scan_ms":0.5}
{"anchor":"multisplit","op":"split_delta_keys","n":1024,"m":8,"ms":1,"gps":2,"method":"warp","prescan_ms":0.4,"scan_ms":0.6}
{"anchor":"multisplit","op":"split_delta_keys","n":2048,"m":8,"ms":1,"gps":2.5,"method":"warp","prescan_ms":0.4,"scan_ms":0.6}
{"anchor":"multisplit","op":"sssp","graph":"rmat","method":"near-far","ms":2,"mteps":9,"rounds":12}"#;
    const OTHERS: &str = r#"{"anchor":"cub","op":"sort_bits_keys","n":1024,"m":2,"ms":2,"gps":1.5}
{"anchor":"cub","op":"copy_kernel_u32","n":1024,"m":0,"ms":2,"gps":4}"#;

    fn count(page: &str, part: &str) -> usize {
        page.matches(part).count()
    }

    #[test]
    fn every_plot_is_there() {
        let (ours, others) = (Points::parse(OURS), Points::parse(OTHERS));
        let page = page(&ours.expect("ours"), &others.expect("theirs"), "");
        for heading in [
            "copy_kernel_u32: rate against n",
            "split_delta_keys: rate against n, m = 8",
            "split_delta_keys: rate against m, n = 2^10",
            "split_delta_keys: shares of the stages, n = 2^11",
            "shortest paths on rmat: rounds",
            "shortest paths on rmat: time",
        ] {
            assert_eq!(count(&page, &format!("<h3>{heading}</h3>")), 1, "{heading}");
        }
        assert_eq!(count(&page, "<figure>"), 6);
        assert_eq!(count(&page, "<figure>"), count(&page, "role=\"img\""));
        assert!(page.contains("cub sort_bits_keys, 2: 1.5 G elements/s"), "an overlay");
        // 12 bytes for each element where a copy moves 8.
        assert!(page.contains("as fast as the copy kernel, 2: 5.33 G elements/s"), "a ceiling");
        assert!(page.contains("<td>2.00 ms</td><td>2</td>"), "twice as fast as theirs");
        assert!(page.contains("a &lt;device&gt;") && !page.contains("<device>"));
        for part in ["http:", "https:", "<script", "NaN"] {
            let own = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!own.contains(part), "{part}");
        }
    }

    #[test]
    fn nothing_is_no_trouble() {
        let page = page(&Points::default(), &Points::default(), "");
        assert!(page.ends_with("</html>\n"));
    }
}
