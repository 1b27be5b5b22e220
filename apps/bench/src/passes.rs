//! Times of the passes of a plan.

use anyhow::Result;
use multisplit::{Bound, Context, Executable, PassTime};

use crate::figures::{self, median};

/// The median time of each pass over `runs` runs, in the order of the plan.
pub fn times(
    context: &Context,
    executable: &Executable,
    arrays: &[Bound<'_>],
    runs: u32,
) -> Result<Vec<PassTime>> {
    let all: Vec<_> = (0..runs)
        .map(|_| context.time_passes(executable, arrays))
        .collect::<multisplit::Result<_>>()?;
    let labels = executable.plan().steps().iter().map(|step| step.pass.label.clone());
    let of_pass = |pass: usize| {
        let times = all.iter().filter_map(|run| run.get(pass)).map(|time| time.nanoseconds);
        median(times.collect())
    };
    let time = |(pass, label)| PassTime { label, nanoseconds: of_pass(pass) };
    Ok(labels.enumerate().map(time).collect())
}

/// Formats a table with one line per pass.
pub fn table(passes: &[PassTime]) -> String {
    let total: f64 = passes.iter().map(|pass| pass.nanoseconds).sum();
    let width = passes.iter().map(|pass| pass.label.len()).max().unwrap_or(0).max("pass".len());
    let mut text = format!("  {:width$}  {:>10}  {:>6}\n", "pass", "GPU time", "share");
    for PassTime { label, nanoseconds } in passes {
        let share = if total > 0.0 { 100.0 * nanoseconds / total } else { 0.0 };
        let time = figures::time(*nanoseconds);
        text += &format!("  {label:width$}  {time:>10}  {share:>5.1}%\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::table;
    use multisplit::PassTime;

    #[test]
    fn pass_shares_add_up_to_100_percent() {
        let time = |label: &str, nanoseconds| PassTime { label: label.to_owned(), nanoseconds };
        let text = table(&[time("scan.reduce", 1e6), time("scan.downsweep", 3e6)]);
        assert_eq!(
            text,
            "  pass              GPU time   share\n\
             \x20 scan.reduce        1.00 ms   25.0%\n\
             \x20 scan.downsweep     3.00 ms   75.0%\n"
        );
        assert!(table(&[time("scan.spine", 0.0)]).contains("0.0%"));
    }
}
