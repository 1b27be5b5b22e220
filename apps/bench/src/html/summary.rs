//! Summary of a report: device, date, command, and the best figures.

use std::time::{SystemTime, UNIX_EPOCH};

use super::points::{Point, Points};
use super::table;
use crate::figures::distinct;
use crate::plot::{escape, short};
use crate::size;

/// Formats the device, date and command, followed by one row per operation with its best figure.
pub fn summary(ours: &Points, others: &Points, command: &str) -> String {
    let device = ours.device.as_deref().unwrap_or("an unnamed device");
    let mut text = "<dl>\n".to_owned();
    let mut entry = |name: &str, value: &str| {
        text += &format!("<dt>{name}</dt><dd>{}</dd>\n", escape(value));
    };
    entry("device", device);
    entry("date", &now());
    if !command.is_empty() {
        entry("command", command);
    }
    if !others.all.is_empty() {
        let names = others.distinct(|point| point.anchor.clone()).join(", ");
        let device = others.device.as_deref().map(|d| format!(" on {d}")).unwrap_or_default();
        entry("dashed lines", &format!("{names}{device}"));
    }
    text += "</dl>\n";
    text + &best(ours, others)
}

/// Formats one row per operation: its figure with the highest rate, and the median speedup over the other program.
fn best(ours: &Points, others: &Points) -> String {
    let ops = ours.distinct(|point| (point.op.clone(), point.graph.clone()));
    let mut rows = String::new();
    for (op, graph) in ops {
        let same = |point: &&Point| point.op == op && point.graph == graph;
        let rate = |point: &Point| if point.gps > 0.0 { point.gps } else { point.mteps };
        let fastest = ours.all.iter().filter(same);
        let Some(point) = fastest.max_by(|a, b| rate(a).total_cmp(&rate(b))) else { continue };
        let mut description = point.description();
        if point.n > 0.0 && graph.is_none() {
            description += &format!(", n = {}", size::show(point.n as u64));
        }
        if point.m > 0.0 && graph.is_none() {
            description += &format!(", m = {}", short(point.m));
        }
        let compared = ratio(ours, others, &same);
        rows += &format!(
            "<tr><th>{}</th><td>{}</td><td>{}</td><td>{compared}</td></tr>\n",
            escape(&point.subject()),
            table::rate(point),
            escape(description.trim_start_matches(", "))
        );
    }
    if rows.is_empty() {
        return rows;
    }
    format!("<div class=\"table\"><table class=\"best\">\n{rows}</table></div>\n")
}

/// Median speedup of the best method compared with the other program, over the sizes that both measured.
fn ratio(ours: &Points, others: &Points, same: &dyn Fn(&&Point) -> bool) -> String {
    let best = |size: (f64, f64)| {
        let of_size = ours.all.iter().filter(same).filter(|point| (point.n, point.m) == size);
        let mine = of_size.min_by(|a, b| a.ms.total_cmp(&b.ms)).filter(|point| point.ms > 0.0)?;
        table::counterpart(mine, others).map(|other| (other.ms / mine.ms, &other.anchor))
    };
    let sizes = distinct(ours.all.iter().filter(same).map(|point| (point.n, point.m)));
    let mut ratios: Vec<_> = sizes.into_iter().filter_map(best).collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    match ratios.get(ratios.len() / 2) {
        Some((ratio, anchor)) => format!("{ratio:.2} times {}", escape(anchor)),
        None => String::new(),
    }
}

/// The date and time in UTC.
pub fn now() -> String {
    date(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// Formats seconds since 1970 as date and time in UTC (Hinnant's `civil_from_days`).
fn date(seconds: u64) -> String {
    let (days, rest) = ((seconds / 86_400) as i64, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (rest / 3600, rest % 3600 / 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_computed_from_unix_time() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_798_761_599), "2026-12-31 23:59 UTC");
    }
}
