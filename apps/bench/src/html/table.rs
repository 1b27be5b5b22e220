//! Tables of figures.

use super::plots;
use super::points::{Point, Points};
use crate::plot::{escape, short};
use crate::{figures, size};

/// Formats one row per figure, with another program's figure beside it if there is one.
pub fn table(points: &[&Point], others: &Points) -> String {
    let compared =
        if others.all.is_empty() { "" } else { "<th>other program</th><th>speedup</th>" };
    let mut text = format!(
        "<div class=\"table\"><table>\n<tr><th>operation</th><th>method</th><th>n</th><th>m</th>\
         <th>GPU time</th><th>rate</th>{compared}</tr>\n"
    );
    for point in points {
        let n = if point.n > 0.0 { size::show(point.n as u64) } else { String::new() };
        let m = if point.m > 0.0 { short(point.m) } else { String::new() };
        text += &format!(
            "<tr><td>{}</td><td>{}</td><td>{n}</td><td>{m}</td><td>{}</td><td>{}</td>",
            escape(&point.subject()),
            escape(&point.description()),
            figures::time(point.ms * 1e6),
            rate(point)
        );
        if !others.all.is_empty() {
            text += &match counterpart(point, others).filter(|_| point.ms > 0.0) {
                Some(other) => {
                    let (time, ratio) = (figures::time(other.ms * 1e6), short(other.ms / point.ms));
                    format!("<td>{time}</td><td>{ratio}</td>")
                }
                None => "<td></td><td></td>".to_owned(),
            };
        }
        text += "</tr>\n";
    }
    text + "</table></div>\n"
}

/// Formats the rate of a figure in its unit.
pub fn rate(point: &Point) -> String {
    match point {
        point if point.gps > 0.0 => figures::rate(point.gps),
        point if point.mteps > 0.0 => format!("{} MTEPS", short(point.mteps)),
        _ => String::new(),
    }
}

/// The best figure of another program for the same operation and size.
pub fn counterpart<'o>(point: &Point, others: &'o Points) -> Option<&'o Point> {
    let same = |other: &&Point| {
        plots::counterpart(&point.op, &other.op)
            && (other.n, other.m, &other.graph) == (point.n, point.m, &point.graph)
    };
    others.all.iter().filter(same).min_by(|a, b| a.ms.total_cmp(&b.ms))
}
