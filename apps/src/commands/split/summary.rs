//! Output of a split: bucket sizes and a summary.

use std::io::Write as _;

use anyhow::Result;
use multisplit_bench::choice::name;
use multisplit_bench::{console, size};

use super::options::Options;
use crate::formats::Place;
use crate::job::Job;
use crate::number::Number;
use crate::report;
use crate::split::{KeyRule, Split};

/// With at most this many buckets, all are printed; otherwise only four.
const MAX_SHOWN: usize = 32;

pub fn print(options: &Options, offsets: &[u64], summary: &str) -> Result<()> {
    let table = bucket_table(offsets);
    let output = options.output.output.as_deref();
    if output.is_some_and(|path| Place::new(path).is_stream()) {
        console::say(table.trim_end());
    } else {
        write!(std::io::stdout().lock(), "{table}")?;
    }
    report::done(summary);
    Ok(())
}

/// One-line summary of a split of `keys`.
pub fn text<K: Number>(job: &Job<'_>, keys: &str, rule: &KeyRule<K>, split: &Split) -> String {
    let (buckets, method) = (rule.buckets, name(split.method));
    let parts = if split.parts > 1 { format!(", {} parts", split.parts) } else { String::new() };
    let checked = match (job.devices.common.verify, rule.glsl()) {
        (false, _) => "",
        (true, None) => ", verified against the CPU",
        (true, Some(_)) => {
            "; verified that the split is stable and equal keys share a bucket (only the device can run the GLSL function)"
        }
    };
    let plural = if buckets == 1 { "" } else { "s" };
    let what = format!("split {keys} into {buckets} bucket{plural} ({method}{parts})");
    job.summary_with(what, "splitting", checked)
}

/// Formats one line per printed bucket.
fn bucket_table(offsets: &[u64]) -> String {
    let sizes: Vec<u64> = offsets.windows(2).map(|ends| ends[1] - ends[0]).collect();
    let n = offsets.last().copied().unwrap_or(0);
    let mut text =
        format!("{:>8}  {:>13}  {:>13}  {:>6}\n", "bucket", "begins at", "size", "share");
    let mut line = |bucket: usize, what: &str| {
        let share = if n > 0 { 100.0 * sizes[bucket] as f64 / n as f64 } else { 0.0 };
        let (begin, size) = (size::grouped(offsets[bucket]), size::grouped(sizes[bucket]));
        text += &format!("{bucket:>8}  {begin:>13}  {size:>13}  {share:>5.1}%{what}\n");
    };
    if sizes.len() <= MAX_SHOWN {
        (0..sizes.len()).for_each(|bucket| line(bucket, ""));
        return text;
    }
    // If several buckets have the same size, take the first of them.
    let largest = (0..sizes.len()).rev().max_by_key(|&bucket| sizes[bucket]).unwrap_or(0);
    let smallest = (0..sizes.len()).min_by_key(|&bucket| sizes[bucket]).unwrap_or(0);
    line(0, "  first");
    line(sizes.len() - 1, "  last");
    line(largest, "  largest");
    line(smallest, "  smallest");
    text
}

#[cfg(test)]
mod tests {
    use super::bucket_table;

    #[test]
    fn few_buckets_are_all_shown() {
        let text = bucket_table(&[0, 1500, 1500, 2000]);
        let lines: Vec<_> =
            text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
        assert_eq!(lines[0], ["0", "0", "1,500", "75.0%"]);
        assert_eq!(lines[1], ["1", "1,500", "0", "0.0%"]);
        assert_eq!(lines[2], ["2", "1,500", "500", "25.0%"]);
    }

    #[test]
    fn only_four_of_many_buckets_are_shown() {
        let offsets: Vec<u64> = (0..=40).map(|b| if b > 7 { 10 * b + 5 } else { 10 * b }).collect();
        let text = bucket_table(&offsets);
        let named = |name: &str| {
            let line = text.lines().find(|line| line.ends_with(name)).expect(name);
            line.split_whitespace().next().expect("the line begins with a bucket number").to_owned()
        };
        assert_eq!(text.lines().count(), 5);
        assert_eq!(named("first"), "0");
        assert_eq!(named("last"), "39");
        assert_eq!(named("largest"), "7");
        assert_eq!(named("smallest"), "0");
    }
}
