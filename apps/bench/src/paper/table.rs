//! Tables of the paper with the figures of this device, for a terminal and for HTML.

use crate::plot::escape;

/// A table of the paper with the figures of this device.
#[derive(Debug, Default)]
pub struct Table {
    pub(super) title: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// A row: label, device, and one cell per column.
#[derive(Debug)]
pub struct Row {
    pub what: String,
    pub device: &'static str,
    pub cells: Vec<String>,
}

impl Table {
    /// Formats the table with spaces. Consecutive rows with the same label show it once.
    pub fn text(&self) -> String {
        let widest = |cells: &mut dyn Iterator<Item = &str>| {
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let what = widest(&mut self.rows.iter().map(|row| row.what.as_str()));
        let device = widest(&mut self.rows.iter().map(|row| row.device));
        let width = |column: usize| {
            let head = self.columns.get(column).map(String::as_str);
            let cells = self.rows.iter().filter_map(|row| row.cells.get(column));
            widest(&mut cells.map(String::as_str).chain(head))
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = format!("{}\n", self.title);
        let mut line = |first: &str, second: &str, cells: &[String]| {
            let mut line = format!("  {first:what$}  {second:device$}");
            for (cell, width) in cells.iter().zip(&widths) {
                line += &format!("  {cell:>width$}");
            }
            text += line.trim_end();
            text.push('\n');
        };
        line("", "", &self.columns);
        let mut before = "";
        for row in &self.rows {
            line(if row.what == before { "" } else { &row.what }, row.device, &row.cells);
            before = &row.what;
        }
        text
    }

    /// Formats the table as HTML.
    pub fn html(&self) -> String {
        let cells = |tag: &str, cells: &mut dyn Iterator<Item = &str>| -> String {
            cells.map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect()
        };
        let head = cells("th", &mut ["", ""].into_iter().chain(strs(&self.columns)));
        let mut text = format!(
            "<h2>{}</h2>\n<div class=\"table\"><table>\n<tr>{head}</tr>\n",
            escape(&self.title)
        );
        for row in &self.rows {
            let all = [row.what.as_str(), row.device].into_iter();
            let line = cells("td", &mut all.chain(strs(&row.cells)));
            text += &format!("<tr>{line}</tr>\n");
        }
        text + "</table></div>\n"
    }
}

fn strs(texts: &[String]) -> impl Iterator<Item = &str> {
    texts.iter().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::{Row, Table};

    fn table() -> Table {
        let row = |device, cell: &str| Row {
            what: "keys, <BMS>".to_owned(),
            device,
            cells: vec![cell.to_owned()],
        };
        let rows = vec![row("GTX 1080", "18.4"), row("here", "300 (2.1x)")];
        Table { title: "Rates".to_owned(), columns: vec!["2".to_owned()], rows }
    }

    #[test]
    fn columns_are_aligned() {
        let lines = [
            "Rates",
            "                                  2",
            "  keys, <BMS>  GTX 1080        18.4",
            "               here      300 (2.1x)",
        ];
        assert_eq!(table().text().lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn html_contains_every_cell() {
        let html = table().html();
        assert!(html.contains("<td>keys, &lt;BMS&gt;</td><td>here</td><td>300 (2.1x)</td>"));
        assert_eq!(html.matches("<tr>").count(), 3);
    }
}
