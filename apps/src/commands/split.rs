//! `multisplit split`: an array from a file, put into buckets.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::{ArgGroup, Args, ValueEnum, value_parser};

use crate::device::Devices;
use crate::file_key::{FileKey, rank, with_key_type};
use crate::files::{Data, Element, Place, read};
use crate::keyed::{KeyedFiles, KeyedPaths};
use crate::split::{self, KeyFunction, KeyRule, Method, Whole};
use crate::values::ValueOptions;
use crate::{figures, report, size};

/// Arguments of `multisplit split`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("function").required(true))]
pub struct Options {
    /// The keys
    input: PathBuf,
    /// Where the keys go, bucket after bucket
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// How many buckets; may be left out with --splitters
    #[arg(long, value_name = "M", value_parser = value_parser!(u32).range(1..), required_unless_present = "splitters")]
    buckets: Option<u32>,
    /// By a function that multisplit has
    #[arg(long, value_enum, group = "function")]
    by: Option<By>,
    /// By sorted splitters, M - 1 numbers of the type of the keys
    #[arg(long, value_name = "FILE", group = "function")]
    splitters: Option<PathBuf>,
    /// By a function of your own: GLSL with `uint bucket_of(K key)`
    #[arg(long, value_name = "FILE", group = "function")]
    glsl: Option<PathBuf>,
    /// What the keys are, where the file does not say it
    #[arg(long = "type", value_name = "TYPE", value_parser = Element::key_parser())]
    element: Option<Element>,
    #[command(flatten)]
    values: ValueOptions,
    /// Where the beginnings of the buckets go: M + 1 numbers (u32), the last of which is n
    #[arg(long, value_name = "FILE")]
    offsets: Option<PathBuf>,
    /// How it goes about it
    #[arg(long, value_enum, default_value_t)]
    method: Method,
}

/// A function that multisplit has.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    /// M buckets of equal width over all numbers of the type (integers)
    Delta,
    /// The key is the number of its bucket (integers)
    Identity,
}

const EXAMPLES: &str = "\
Examples:
  multisplit split keys.npy -o split.npy --buckets 8 --by delta
  multisplit split keys.bin -o split.bin --type u32 --buckets 256 --by delta --offsets begins.npy
  multisplit split keys.npy -o split.npy --splitters splitters.npy --values rows.npy --values-out out.npy
  multisplit split keys.csv -o - --type i32 --buckets 2 --glsl parity.glsl > split.bin
    where parity.glsl is: uint bucket_of(int key) { return uint(key) & 1u; }
  multisplit split huge.bin.zst -o split.bin.zst --type u64 --buckets 16 --by delta --memory-limit 64MiB

Keys stay in their order within a bucket. In GLSL a key is uint, int, float, uint64_t,
int64_t or double. The sizes of the buckets are printed: all of up to 32, else the first, the last,
the largest and the smallest; on standard error where the keys go to standard output.";

/// More buckets than these are not all printed.
const MAX_SHOWN: usize = 32;

/// Reads, splits, writes.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let paths = KeyedPaths {
        input: &options.input,
        output: &options.output,
        element: options.element,
        values: &options.values,
        words: options.offsets.as_deref(),
    };
    let files = KeyedFiles::open(&paths, devices)?;
    let split = FileSplit { options, devices, files: &files };
    let (keys, values, offsets) = with_key_type!(files.keys.element(), split.run())?;
    let offsets = offsets.map(|offsets| {
        let narrow: Result<Vec<u32>, _> = offsets.into_iter().map(TryInto::try_into).collect();
        narrow.context("an offset does not fit 32 bits")
    });
    files.write(keys, values, offsets.transpose()?)
}

impl Options {
    /// The bucket function for keys of `element`, which is `K`.
    fn rule<K: FileKey>(&self, element: Element, devices: &Devices) -> Result<KeyRule<K>> {
        let function = match (self.by, &self.splitters, &self.glsl) {
            (Some(By::Delta), ..) => KeyFunction::Delta,
            (Some(By::Identity), ..) => KeyFunction::Identity,
            (_, Some(path), _) => {
                let splitters = read(&Place::new(path), Some(element), devices.bars())?;
                let splitters = K::from_data(splitters.data());
                KeyFunction::Splitters(splitters.context("splitters of another size")?.to_vec())
            }
            (_, _, Some(path)) => KeyFunction::Glsl(text(path)?),
            // clap has seen to it that there is one.
            _ => bail!("no bucket function"),
        };
        let buckets = match (&function, self.buckets) {
            (KeyFunction::Splitters(splitters), asked) => {
                let found = splitters.len() as u64 + 1;
                if asked.is_some_and(|asked| u64::from(asked) != found) {
                    bail!("{} splitters make {found} buckets, not --buckets", splitters.len());
                }
                u32::try_from(found)?
            }
            (_, asked) => asked.unwrap_or(1),
        };
        if let KeyFunction::Splitters(splitters) = &function
            && !splitters.is_sorted_by_key(|&splitter| rank(splitter))
        {
            bail!("the splitters are not sorted");
        }
        Ok(KeyRule { buckets, function })
    }
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A split whose keys have been read.
struct FileSplit<'f> {
    options: &'f Options,
    devices: &'f Devices,
    files: &'f KeyedFiles,
}

impl FileSplit<'_> {
    /// Keys, values, and where the buckets begin if that was asked for.
    fn run<K: FileKey>(&self) -> Result<(Data, Option<Data>, Option<Vec<u64>>)> {
        let keys = K::from_data(self.files.keys.data()).context("keys of another size")?;
        let rule = self.options.rule::<K>(self.files.keys.element(), self.devices)?;
        let context = self.devices.open()?;
        let buckets = rule.device_buckets(self.options.method)?;
        let values = self.files.value_data();
        let start = Instant::now();
        let whole = {
            let _span = tracing::info_span!("split", n = keys.len() as u64).entered();
            split::split(&self.devices.room(&context), &buckets, keys, values)?
        };
        let seconds = start.elapsed().as_secs_f64();
        if self.devices.verify() {
            let _span = tracing::info_span!("verify").entered();
            split::verify(&rule, keys, values, &whole)?;
        }
        let name = &context.properties().name;
        self.tell(&whole, rule.buckets, name, seconds)?;
        let offsets = self.files.wants_words().then_some(whole.offsets);
        Ok((K::into_data(whole.keys), whole.values, offsets))
    }

    /// The sizes of the buckets, and what was done.
    fn tell<K>(&self, whole: &Whole<K>, m: u32, device: &str, seconds: f64) -> Result<()> {
        if self.devices.quiet() {
            return Ok(());
        }
        let table = bucket_table(&whole.offsets);
        if Place::new(&self.options.output).is_stream() {
            report::say(table.trim_end());
        } else {
            write!(std::io::stdout().lock(), "{table}")?;
        }
        let n = size::grouped(whole.keys.len() as u64);
        let method = split::name(whole.method);
        let element = self.files.keys.element();
        let parts =
            if whole.parts > 1 { format!(", {} parts", whole.parts) } else { String::new() };
        let checked = if self.devices.verify() { ", verified against the CPU" } else { "" };
        let time = figures::time(seconds * 1e9);
        report::summary(format_args!(
            "split {n} {element} into {m} buckets ({method}{parts}) in {time} on {device}{checked}"
        ));
        Ok(())
    }
}

/// A line for each bucket that is shown.
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
    // The first of several that are equal.
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
    fn of_many_buckets_four_are_shown() {
        let offsets: Vec<u64> = (0..=40).map(|b| if b > 7 { 10 * b + 5 } else { 10 * b }).collect();
        let text = bucket_table(&offsets);
        let named = |name: &str| {
            let line = text.lines().find(|line| line.ends_with(name)).expect(name);
            line.split_whitespace().next().expect("a bucket").to_owned()
        };
        assert_eq!(text.lines().count(), 5);
        assert_eq!(named("first"), "0");
        assert_eq!(named("last"), "39");
        assert_eq!(named("largest"), "7");
        assert_eq!(named("smallest"), "0");
    }
}
