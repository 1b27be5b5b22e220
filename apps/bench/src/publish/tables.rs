//! Formats the results of `multisplit bench publish` as Markdown tables, and inserts them into pages.

use anyhow::{Context as _, Result, bail, ensure};

use super::results::{Cell, Results};
use crate::figures::{self, elements_per_nanosecond};
use crate::html::{Points, counterpart};
use crate::size;

/// Start of a generated part of a page: `<!-- results: OURS.jsonl [against=OTHERS.jsonl] [only=OPERATION,...]
/// [ranking=RANKING] [n=N,...] [TABLE...] -->`.
const BEGIN: &str = "<!-- results: ";
const END: &str = "<!-- end of results -->";

/// Name of the table that has a column for each n. All other tables have a column for each m.
const TIMES: &str = "times";

/// Prefix of the top-k operations. They have only a few values of m (k), so m is part of the row label.
const TOP_K: &str = "topk";

/// The name of the table that contains this cell.
fn table_of(cell: &Cell) -> &str {
    let kind = cell.op.split('_').next().unwrap_or_default();
    if cell.m == 0 || kind == TOP_K { TIMES } else { kind }
}

/// Formats the tables with these names, or all tables if `names` is empty. If another program measured the same cell,
/// adds the ratio of the rate to that program's best rate.
pub fn tables(results: &Results, others: &Points, names: &[&str]) -> Result<String> {
    let mut known: Vec<&str> = results.cells.iter().map(table_of).collect();
    known.sort_unstable();
    known.dedup();
    for name in names {
        ensure!(
            known.contains(name),
            "there is no table `{name}`; the tables are {}",
            known.join(", ")
        );
    }
    let mut text = format!("{}.\n", results.description());
    let anchors = others.distinct(|point| point.anchor.clone()).join(", ");
    if !anchors.is_empty() {
        text += &format!("In brackets: the rate divided by the best one of {anchors}.\n");
    }
    if results.cells.iter().any(|cell| !cell.settled) {
        text += "\\*: the times did not become stable.\n";
    }
    for name in known {
        if names.is_empty() || names.contains(&name) {
            text.push('\n');
            text += &table(results, others, name);
        }
    }
    Ok(text)
}

fn table(results: &Results, others: &Points, name: &str) -> String {
    let mut cells: Vec<&Cell> =
        results.cells.iter().filter(|cell| table_of(cell) == name).collect();
    let of_times = name == TIMES;
    cells.sort_by_key(|cell| (&cell.op, &cell.ranking, if of_times { cell.m } else { cell.n }));
    let row = |cell: &Cell| match of_times {
        true if cell.m > 0 => format!("{}, k = {}", cell.operation(), size::show(cell.m)),
        true => cell.operation(),
        false => format!("{}, n = {}", cell.operation(), size::show(cell.n)),
    };
    let column = |cell: &Cell| if of_times { cell.n } else { cell.m };
    let mut columns: Vec<u64> = cells.iter().map(|cell| column(cell)).collect();
    columns.sort_unstable();
    columns.dedup();
    let mut rows: Vec<String> = cells.iter().map(|cell| row(cell)).collect();
    rows.dedup();
    let title = if of_times { "times by n".to_owned() } else { format!("{name}: rates by m") };
    let mut text = format!("| {title} |");
    let heads: String = columns.iter().map(|&size| format!(" {} |", size::show(size))).collect();
    text += &format!("{heads}\n|{}\n", "---|".repeat(columns.len() + 1));
    for name in &rows {
        text += &format!("| {name} |");
        for &at in &columns {
            let cell = cells.iter().find(|cell| column(cell) == at && row(cell) == *name);
            let shown = cell.map(|cell| show(cell, of_times, others)).unwrap_or_default();
            text += &format!(" {shown} |");
        }
        text.push('\n');
    }
    text
}

/// Formats the time or the rate of a cell, and the speedup over the best figure of another program.
fn show(cell: &Cell, time: bool, others: &Points) -> String {
    let mut text = match time {
        true => figures::time(cell.ms * 1e6),
        false => figures::rate(elements_per_nanosecond(cell.n, cell.ms * 1e6)),
    };
    let same = others.all.iter().filter(|other| {
        (other.n, other.m) == (cell.n as f64, cell.m as f64) && counterpart(&cell.op, &other.op)
    });
    if let Some(best) = same.map(|other| other.ms).min_by(f64::total_cmp) {
        text += &format!(" ({:.2})", best / cell.ms);
    }
    if !cell.settled {
        text += " \\*";
    }
    text
}

/// Replaces the generated parts of a page by current tables. `read` returns the text of a results file by name.
pub fn filled(page: &str, read: impl Fn(&str) -> Result<String>) -> Result<String> {
    let (mut text, mut rest) = (String::new(), page);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let problem = || format!("`{BEGIN}` must be followed by `-->` and `{END}`");
        let (marker, after) = after.split_once("-->").with_context(problem)?;
        let (_, after) = after.split_once(END).with_context(problem)?;
        let mut words = marker.split_whitespace();
        let file = words.next().context("a file name must follow `<!-- results: `")?;
        let mut ours = Results::parse(&read(file)?).with_context(|| file.to_owned())?;
        let (mut others, mut names) = (String::new(), Vec::new());
        for word in words {
            match word.split_once('=') {
                Some(("against", file)) => others += &read(file)?,
                Some(("only", list)) => {
                    ours.keep(word, |cell| list.split(',').any(|op| op == cell.op))?;
                }
                Some(("ranking", name)) => {
                    ours.keep(word, |cell| cell.ranking.as_deref().is_none_or(|one| one == name))?;
                }
                Some(("n", list)) => {
                    ours.keep(word, |cell| list.split(',').any(|n| n == size::show(cell.n)))?;
                }
                Some(_) => {
                    bail!("`{word}` must be against=, only=, ranking=, n= or the name of a table")
                }
                None => names.push(word),
            }
        }
        let tables = tables(&ours, &Points::parse(&others)?, &names)?;
        text += &format!("{before}{BEGIN}{marker}-->\n{tables}{END}");
        rest = after;
    }
    Ok(text + rest)
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::filled;

    const OURS: &str = r#"{"device":"A","driver":"B","version":"1","commit":"c0ffee","date":"today"}
{"op":"copy_kernel_u32","n":65536,"m":0,"ms":2,"samples_ms":[2,3,1]}
{"op":"copy_kernel_u32","n":1048576,"m":0,"ms":3,"samples_ms":[3],"settled":false}
{"op":"topk_f32","n":65536,"m":32,"ms":1,"samples_ms":[1]}
{"op":"split_delta_keys","n":1048576,"m":8,"ranking":"probed","ms":1,"samples_ms":[1]}
{"cells":4}"#;
    const OTHERS: &str = r#"{"anchor":"cub","op":"copy_kernel_u32","n":65536,"m":0,"ms":3,"gps":1}
{"anchor":"cub","op":"sort_bits_keys","n":1048576,"m":8,"ms":2.5,"gps":1}
"#;
    const FILLED: &str = "# Page
<!-- results: ours.jsonl against=cub.jsonl -->
A, B; multisplit 1, commit c0ffee; today.
In brackets: the rate divided by the best one of cub.
\\*: the times did not become stable.

| split: rates by m | 8 |
|---|---|
| split_delta_keys (probed), n = 2^20 | 1.05 G/s (2.50) |

| times by n | 2^16 | 2^20 |
|---|---|---|
| copy_kernel_u32 | 2.00 ms (1.50) | 3.00 ms \\* |
| topk_f32, k = 32 | 1.00 ms |  |
<!-- end of results -->
The end.
";

    #[test]
    fn generated_parts_of_pages_are_replaced_by_tables() {
        let read = |name: &str| match name {
            "ours.jsonl" => Ok(OURS.to_owned()),
            "cub.jsonl" => Ok(OTHERS.to_owned()),
            _ => bail!("no file {name}"),
        };
        assert_eq!(filled(FILLED, read).expect("the page is valid"), FILLED);
        let stale = FILLED.replace("2.00 ms", "1.00 ms");
        assert_eq!(filled(&stale, read).expect("the page is valid"), FILLED);
        let one = "<!-- results: ours.jsonl split --><!-- end of results -->";
        assert!(!filled(one, read).expect("the page is valid").contains("times by n"));
        let some = "<!-- results: ours.jsonl only=topk_f32,copy_kernel_u32 n=2^20 --><!-- end of results -->";
        let some = filled(some, read).expect("the page is valid");
        let rows: Vec<&str> =
            some.lines().filter(|line| line.contains(" us |") || line.contains(" ms")).collect();
        assert_eq!(rows, ["| copy_kernel_u32 | 3.00 ms \\* |"], "{some}");
        for wrong in [
            one.replace("split", "sort"),
            one.replace("ours", "mine"),
            one.replace("end", "END"),
            one.replace("split", "n=2^30"),
            one.replace("split", "sizes=2^20"),
        ] {
            assert!(filled(&wrong, read).is_err(), "an invalid page was accepted: {wrong}");
        }
    }
}
