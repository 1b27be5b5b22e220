//! HTML reports of benchmarks: one self-contained file without scripts or external resources.

mod plots;
mod points;
mod summary;
mod table;

pub use plots::counterpart;
pub use points::{Point, Points};
pub use summary::now;

use self::plots::Plot;
use crate::plot::escape;

/// Tag that identifies reports of this program.
pub const MARK: &str = "<meta name=\"generator\" content=\"multisplit\">";

/// Subjects in page order: prefix of their operations, and heading.
const SUBJECTS: [(&str, &str); 8] = [
    ("sort_", "Sort"),
    ("split_", "Split"),
    ("histogram_", "Histogram"),
    ("sssp", "Shortest paths"),
    ("scan_", "Scan"),
    ("copy_", "Copy"),
    ("fill_", "Fill"),
    ("", "Others"),
];

/// Index of an operation's subject in [`SUBJECTS`].
fn subject(op: &str) -> usize {
    SUBJECTS.iter().position(|(start, _)| op.starts_with(start)).unwrap_or(SUBJECTS.len() - 1)
}

/// Formats the report: `tables`, then plots of `ours` compared with `others`. `command` is the command line
/// that was run.
pub fn page(ours: &Points, others: &Points, tables: &str, command: &str) -> String {
    let style = include_str!("style.css");
    let device = escape(ours.device.as_deref().unwrap_or("an unnamed device"));
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         {MARK}\n<title>multisplit on {device}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <h1>multisplit {}</h1>\n",
        env!("CARGO_PKG_VERSION")
    );
    text += &summary::summary(ours, others, command);
    let mut sections = String::new();
    let mut contents = Vec::new();
    if !tables.is_empty() {
        contents.push(("tables", "Tables"));
        sections += &format!("<section id=\"tables\">\n{tables}</section>\n");
    }
    let plots = plots::plots(ours, others);
    // Without plots, the table "All figures" is enough.
    let subjects = if plots.is_empty() { &[][..] } else { &SUBJECTS[..] };
    for (index, (_, name)) in subjects.iter().enumerate() {
        let id = name.split(' ').next().unwrap_or_default();
        let section = section(index, ours, others, &plots);
        if !section.is_empty() {
            contents.push((id, name));
            sections += &format!("<section id=\"{id}\">\n<h2>{name}</h2>\n{section}</section>\n");
        }
    }
    contents.push(("figures", "All figures"));
    let entry = |(id, name): &(&str, &str)| format!("<a href=\"#{id}\">{name}</a>");
    let entries: Vec<String> = contents.iter().map(entry).collect();
    text += &format!("<nav>{}</nav>\n", entries.join(" \u{b7} "));
    text += &sections;
    text += "<section id=\"figures\">\n<h2>All figures</h2>\n<p>GPU time is the median of consecutive runs; \
             every configuration was verified against the CPU.</p>\n";
    let all: Vec<&Point> = ours.all.iter().collect();
    text += &table::table(&all, others);
    text + "</section>\n</body>\n</html>\n"
}

/// A subject's table of the operations that were measured at a single size, followed by the plots of the others.
fn section(index: usize, ours: &Points, others: &Points, plots: &[Plot]) -> String {
    let mut text = String::new();
    let drawn: Vec<&Plot> = plots.iter().filter(|plot| subject(&plot.op) == index).collect();
    let shown = |point: &&Point| {
        subject(&point.op) == index && !drawn.iter().any(|plot| plot.op == point.op && plot.rates)
    };
    let rest: Vec<&Point> = ours.all.iter().filter(shown).collect();
    if !rest.is_empty() {
        text += &table::table(&rest, others);
    }
    if !drawn.is_empty() {
        text += "<div class=\"plots\">\n";
        for Plot { heading, note, html, .. } in drawn {
            let (heading, note) = (escape(heading), escape(note));
            text += &format!("<figure><h3>{heading}</h3><p>{note}</p>{html}</figure>\n");
        }
        text += "</div>\n";
    }
    text
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
{"anchor":"multisplit","op":"sort_keys_u32","n":1024,"m":0,"ms":1,"gps":1,"method":"onesweep"}
{"anchor":"multisplit","op":"sssp","graph":"rmat","method":"near-far","ms":2,"mteps":9,"rounds":12}"#;
    const OTHERS: &str = r#"{"anchor":"cub","op":"sort_bits_keys","n":1024,"m":2,"ms":2,"gps":1.5}
{"anchor":"cub","op":"copy_kernel_u32","n":1024,"m":0,"ms":2,"gps":4}"#;

    fn count(page: &str, part: &str) -> usize {
        page.matches(part).count()
    }

    #[test]
    fn page_contains_every_plot() {
        let [ours, others] =
            [OURS, OTHERS].map(|text| Points::parse(text).expect("the lines are valid"));
        let page = page(&ours, &others, "", "multisplit bench <all>");
        for heading in [
            "copy_kernel_u32: rate against n",
            "split_delta_keys: rate against n, m = 8",
            "split_delta_keys: rate against m, n = 2^10",
            "split_delta_keys: shares of the stages, n = 2^11",
            "shortest paths on rmat: rounds",
            "shortest paths on rmat: time",
        ] {
            assert_eq!(count(&page, &format!("<h3>{heading}</h3>")), 1, "plots named {heading}");
        }
        assert_eq!(count(&page, "<figure>"), 6, "operations with one size have no plot");
        assert_eq!(count(&page, "<figure>"), count(&page, "role=\"img\""));
        assert!(page.contains("a &lt;device&gt;") && !page.contains("<device>"));
        for part in [
            // The figure of the other program.
            "cub sort_bits_keys, 2: 1.5 G elements/s",
            // A split moves 12 bytes per element and a copy moves 8, so the ceiling is 2/3 of the copy rate.
            "at the rate of the copy kernel, 2: 5.33 G elements/s",
            // The speedup.
            "<td>2.00 ms</td><td>2</td>",
            "multisplit bench &lt;all&gt;",
            "<a href=\"#Sort\">Sort</a>",
            "<section id=\"Shortest\">",
            "<th>split_delta_keys</th><td>3.00 G/s</td>",
            "2.00 times cub",
        ] {
            assert!(page.contains(part), "no {part} in {page}");
        }
        for part in ["http:", "https:", "<script", "NaN"] {
            let own = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!own.contains(part), "the page contains {part}");
        }
    }

    #[test]
    fn page_without_measurements_is_complete() {
        let page = page(&Points::default(), &Points::default(), "", "");
        assert!(page.ends_with("</html>\n"));
    }

    #[test]
    fn report_of_a_single_size_has_one_table() {
        let line = r#"{"anchor":"multisplit","op":"sort_keys_u32","n":1024,"m":0,"ms":1,"gps":1}"#;
        let page =
            page(&Points::parse(line).expect("the lines are valid"), &Points::default(), "", "");
        assert_eq!((count(&page, "<figure>"), count(&page, "<td>sort_keys_u32</td>")), (0, 1));
    }
}
