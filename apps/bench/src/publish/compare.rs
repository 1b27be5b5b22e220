//! Comparison of two runs of `multisplit bench publish`, cell by cell.

use anyhow::{Result, ensure};

use super::results::{Cell, Results};
use crate::figures;

/// Times that differ by at most this fraction count as the same.
const SAME: f64 = 0.03;

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The slower cells, the missing ones, and a summary.
    pub text: String,
    /// Number of cells whose slowdown exceeds the noise of their samples.
    pub slower: usize,
}

impl Results {
    /// Compares a run with an earlier one on the same device.
    pub fn compare(&self, old: &Self) -> Result<Comparison> {
        let (before, now) = (&old.origin.device, &self.origin.device);
        ensure!(
            before == now,
            "the files are from different devices: the old one from {before}, the new one from {now}"
        );
        let mut text = format!("old: {}\nnew: {}\n", old.description(), self.description());
        let (mut slower, mut noisy, mut faster, mut same) = (0, 0, 0, 0);
        let mut added = Vec::new();
        for cell in &self.cells {
            let Some(before) = old.cells.iter().find(|old| old.key() == cell.key()) else {
                added.push(cell);
                continue;
            };
            let change = cell.ms / before.ms - 1.0;
            let (count, what) = match () {
                () if change > SAME && cell.ms - before.ms > noise(cell) + noise(before) => {
                    (&mut slower, Some("slower"))
                }
                () if change > SAME => (&mut noisy, Some("slower, within the noise")),
                () if 1.0 / (1.0 + change) > 1.0 + SAME => (&mut faster, None),
                () => (&mut same, None),
            };
            *count += 1;
            let Some(what) = what else { continue };
            let [before, now] = [before, cell].map(|cell| figures::time(cell.ms * 1e6));
            let percent = 100.0 * change;
            text += &format!(
                "{what}: {}, {}: {before} -> {now}, {percent:+.1}%\n",
                cell.operation(),
                cell.sizes()
            );
        }
        let is_gone = |cell: &&Cell| !self.cells.iter().any(|new| new.key() == cell.key());
        let gone: Vec<&Cell> = old.cells.iter().filter(is_gone).collect();
        text += &names("only in the old file", &gone);
        text += &names("only in the new file", &added);
        let both = slower + noisy + faster + same;
        text += &format!(
            "{both} cells in both: {slower} slower, {noisy} slower within the noise, {faster} faster, \
             {same} the same within 3%; {} only in the old file, {} only in the new one\n",
            gone.len(),
            added.len()
        );
        Ok(Comparison { text, slower })
    }
}

/// Half the width of the 95% interval of the median: the notch of a box plot (McGill, Tukey and Larsen, "Variations
/// of box plots", 1978).
fn noise(cell: &Cell) -> f64 {
    let mut samples = cell.samples_ms.clone();
    samples.sort_by(f64::total_cmp);
    let quartile = |part: usize| samples[(samples.len() - 1) * part / 4];
    1.57 * (quartile(3) - quartile(1)) / (samples.len() as f64).sqrt()
}

/// Lists cells, one line per operation.
fn names(title: &str, cells: &[&Cell]) -> String {
    let mut operations: Vec<(String, Vec<String>)> = Vec::new();
    for cell in cells {
        let (operation, sizes) = (cell.operation(), cell.sizes());
        match operations.iter_mut().find(|(known, _)| *known == operation) {
            Some((_, all)) => all.push(sizes),
            None => operations.push((operation, vec![sizes])),
        }
    }
    let line = |(operation, sizes): &(String, Vec<String>)| {
        format!("{title}: {operation}: {}\n", sizes.join("; "))
    };
    operations.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Results};

    /// A file with two cells. The samples of the second cell vary by the fraction `spread` of its time.
    fn file(ms: [f64; 2], spread: f64) -> String {
        let mut text = r#"{"device":"A","driver":"B","version":"1","date":"today"}"#.to_owned();
        for (op, ms, spread) in [("copy", ms[0], 0.0), ("fill", ms[1], spread)] {
            let samples = [ms, ms * (1.0 - spread), ms * (1.0 + spread), ms, ms * (1.0 + spread)];
            text += &format!(
                "\n{{\"op\":\"{op}\",\"n\":1024,\"m\":0,\"ms\":{ms},\"samples_ms\":{samples:?}}}"
            );
        }
        text + "\n{\"cells\":2}\n"
    }

    fn parse(ms: [f64; 2], spread: f64) -> Results {
        Results::parse(&file(ms, spread)).expect("the file is valid")
    }

    fn compare(new: &Results, old: &Results) -> Comparison {
        new.compare(old).expect("the devices are the same")
    }

    #[test]
    fn slower_cells_are_listed() {
        let compared = compare(&parse([1.1, 2.0], 0.01), &parse([1.0, 2.0], 0.01));
        assert_eq!(compared.slower, 1);
        assert!(compared.text.contains("slower: copy, n = 2^10: 1.00 ms -> 1.10 ms, +10.0%"));
        assert!(compared.text.contains("2 cells in both: 1 slower, 0 slower within the noise"));
    }

    #[test]
    fn equal_or_noisy_times_do_not_count_as_slower() {
        let (old, new) = (parse([1.0, 2.0], 0.2), parse([1.0, 2.2], 0.2));
        let same = compare(&old, &old);
        assert_eq!((same.slower, same.text.lines().count()), (0, 3), "{}", same.text);
        let noisy = compare(&new, &old);
        assert!(noisy.slower == 0 && noisy.text.contains("within the noise: fill"));
        let faster = compare(&old, &new);
        assert!(faster.text.contains("1 faster, 1 the same"), "{}", faster.text);
    }

    #[test]
    fn cells_in_only_one_file_are_listed() {
        let all = parse([1.0, 2.0], 0.0);
        let mut less = all.clone();
        less.cells.remove(1);
        let gone = compare(&less, &all);
        assert!(gone.text.contains("only in the old file: fill: n = 2^10\n"), "{}", gone.text);
        let added = compare(&all, &less);
        assert!(added.text.contains("only in the new file: fill: n = 2^10\n"), "{}", added.text);
    }

    #[test]
    fn invalid_files_are_rejected() {
        let file = file([1.0, 2.0], 0.0);
        let error = |text: &str| {
            format!("{:#}", Results::parse(text).expect_err("an invalid file was accepted"))
        };
        let without_end = file.replace("{\"cells\":2}\n", "");
        for (text, part) in [
            ("", "fewer than two lines"),
            ("hello\nyou\n", "line 1 does not describe a run"),
            (&without_end, "it is truncated"),
            (&file[..file.len() / 2], "it is truncated"),
            (&file.replace("\"cells\":2", "\"cells\":3"), "2 cells, but its last line counts 3"),
            (
                &file.replace("\"ms\":2", "\"ms\":1.5"),
                "line 3: ms is 1.5, but the median of samples_ms is 2",
            ),
            (&file.replace("fill", "copy"), "copy, n = 2^10 is listed twice"),
            (&file.replace("samples_ms", "samples"), "line 2: it is not a cell with its raw"),
        ] {
            assert!(error(text).contains(part), "no `{part}` in {}", error(text));
        }
        let mut other = parse([1.0, 2.0], 0.0);
        other.origin.device = "C".to_owned();
        assert!(other.compare(&parse([1.0, 2.0], 0.0)).is_err(), "two devices were compared");
    }
}
