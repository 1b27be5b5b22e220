//! Options of `multisplit split` and the bucket function they select.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{ArgGroup, Args, ValueEnum};
use multisplit_bench::key_order::rank;
use multisplit_bench::size;
use multisplit_bench::split::Method;

use crate::device::Devices;
use crate::edges::Edge;
use crate::formats::{Array, Element, Place, with_type};
use crate::glsl_file::GlslOptions;
use crate::inputs::{InputOptions, read_splitters};
use crate::keyed::{OutputOptions, ValueOptions};
use crate::number::{Number, edges_of};
use crate::report;
use crate::split::{KeyFunction, KeyRule};
use crate::wide_keys::keys_of;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("function").required(true), group = ArgGroup::new("count"))]
pub struct Options {
    #[command(flatten)]
    pub input: InputOptions,
    #[command(flatten)]
    pub output: OutputOptions,
    /// Number of buckets; optional with --splitters
    #[arg(long, value_name = "M", value_parser = size::parse_count, group = "count",
          required_unless_present = "splitters")]
    buckets: Option<u32>,
    /// Built-in bucket function
    #[arg(long, value_enum, group = "function")]
    by: Option<By>,
    /// With --by delta, divide LO to HI into M buckets of equal width; keys below LO are in the first bucket,
    /// keys above HI in the last
    #[arg(long, num_args = 2, value_names = ["LO", "HI"], allow_negative_numbers = true, requires = "by")]
    range: Option<Vec<String>>,
    /// File of M - 1 sorted splitters; the bucket of a key is the number of splitters less than or
    /// equal to it. A .npy file may have another type than the keys
    #[arg(long, value_name = "FILE", group = "function")]
    splitters: Option<PathBuf>,
    #[command(flatten)]
    pub glsl: GlslOptions,
    #[command(flatten)]
    pub values: ValueOptions,
    /// Write the bucket offsets: M + 1 numbers (u32), the last is n
    #[arg(long, value_name = "FILE")]
    pub offsets: Option<PathBuf>,
    /// Write one file per bucket; {} in the name is replaced by the bucket number
    #[arg(long, value_name = "PATTERN")]
    pub each: Option<String>,
    /// Algorithm
    #[arg(long, value_enum, default_value_t)]
    pub method: Method,
}

/// Built-in bucket functions, by their names on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// M buckets of equal width, over --range or over all numbers of the type (integers)
    Delta,
    /// The bucket number is the key itself (integers)
    Identity,
}

const EXAMPLES: &str = "\
Examples:
  multisplit split keys.npy -o split.npy --buckets 8 --by delta
  multisplit split sales.csv --column region --by identity --buckets 8 --each 'part-{}.csv'
  multisplit split keys.bin -o split.bin --type u32 --buckets 2^8 --by delta --offsets begins.npy
  multisplit split keys.npy -o out.npy --splitters edges.npy --values rows.npy --values-out moved.npy
  multisplit split keys.txt -o - --type i32 --buckets 2 --glsl parity.glsl > split.txt
    where parity.glsl is: uint bucket_of(int key) { return uint(key) & 1u; }
  multisplit split huge.zst -o out.zst --type u64 --buckets 16 --by delta --memory-limit 1GiB

Keys keep their order within a bucket. A GLSL function gets the key as uint (u8, u16, u32), int (i8, \
i16, i32), float, uint64_t, int64_t or double. The sizes of the buckets are printed: all of them up \
to 32, otherwise those of the first, the last, the largest and the smallest bucket. They are printed \
to standard error if the keys go to standard output.";

impl Options {
    /// Exits with the usage-error status if options conflict.
    pub fn check(&self) {
        if self.output.output.is_none() && self.each.is_none() {
            report::usage_error("give -o FILE, or --each PATTERN");
        }
        if let Some(pattern) = self.each.as_ref().filter(|pattern| !pattern.contains("{}")) {
            report::usage_error(format_args!(
                "--each {pattern} must contain {{}}, which is replaced by the bucket number"
            ));
        }
        if self.range.is_some() && self.by != Some(By::Delta) {
            report::usage_error("--range needs --by delta");
        }
    }

    /// Whether the bucket depends on the value of a key and not only on the order of keys.
    pub fn is_by_value(&self) -> bool {
        self.by == Some(By::Identity) || self.glsl.is_given()
    }

    /// Returns the bucket function for keys of type `element`, which the device represents as `K`.
    pub fn rule<K: Number>(&self, element: Element, devices: &Devices) -> Result<KeyRule<K>> {
        let buckets = self.buckets.unwrap_or(1);
        if u64::from(buckets) > MAX_BUCKETS {
            bail!("--buckets {buckets} is more than {MAX_BUCKETS}, the maximum");
        }
        let function = match (self.by, &self.splitters) {
            (Some(By::Identity), _) => KeyFunction::Identity,
            (Some(By::Delta), _) => self.delta(element, buckets)?,
            (_, Some(path)) => {
                let place = Place::new(path);
                let splitters = read_splitters(&place, element, devices.bars())?;
                let splitters = splitters_of::<K>(&splitters, element)?;
                let (n, found) = (splitters.len(), splitters.len() as u64 + 1);
                if let Some(asked) = self.buckets
                    && u64::from(asked) != found
                {
                    bail!(
                        "{place} has {n} splitters, which make {found} buckets, but --buckets is {asked}"
                    );
                }
                if !splitters.is_sorted_by_key(|&splitter| rank(splitter)) {
                    bail!("the splitters in {place} are not sorted; sort them in ascending order");
                }
                let buckets = u32::try_from(found)?;
                return Ok(KeyRule { buckets, function: KeyFunction::Splitters(splitters) });
            }
            _ => KeyFunction::Glsl(Box::new(
                self.glsl.read()?.context("internal error: there is no bucket function")?,
            )),
        };
        Ok(KeyRule { buckets, function })
    }

    /// Returns the function of buckets of equal width over `--range`, or over the whole type.
    fn delta<K: Number>(&self, element: Element, m: u32) -> Result<KeyFunction<K>> {
        let range = match self.range.as_deref() {
            Some([lo, hi]) => Some((lo.as_str(), hi.as_str())),
            _ => None,
        };
        let whole_type = match element {
            Element::U8 => Some(("0", "256")),
            Element::I8 => Some(("-128", "128")),
            Element::U16 => Some(("0", "65536")),
            Element::I16 => Some(("-32768", "32768")),
            _ => None,
        };
        let Some((lo, hi)) = range.or(whole_type) else { return Ok(KeyFunction::Delta) };
        match element {
            Element::Time(_) => {
                bail!(
                    "--range needs numeric keys, but the keys have type {element}; use --splitters"
                )
            }
            Element::F16 | Element::Bf16 => even_splitters::<f32, K>(lo, hi, m),
            other => with_type!(other, N => even_splitters::<N, K>(lo, hi, m)),
        }
    }
}

/// Converts splitters to the key type. Splitters of another type are rounded up to the next key.
fn splitters_of<K: Number>(splitters: &Array, element: Element) -> Result<Vec<K>> {
    let found = splitters.element();
    if found == element {
        let keys = keys_of(splitters);
        return Ok(K::from_data(&keys)?.to_vec());
    }
    let key = |edge: Edge| {
        K::at_or_above(edge).filter(|_| !edge.value().is_nan()).with_context(|| {
            format!("the splitter {edge} of type {found} is NaN or larger than any key of type {element}")
        })
    };
    edges_of(splitters)?.into_iter().map(key).collect()
}

/// Returns the function of `m` buckets of equal width from `lo` to `hi`, which are numbers of type `N`.
fn even_splitters<N: Number, K: Number>(lo: &str, hi: &str, m: u32) -> Result<KeyFunction<K>> {
    let edge = |text: &str| {
        let edge = N::parse_edge(text).filter(|edge| edge.value().is_finite());
        edge.with_context(|| {
            format!(
                "--range: `{text}` is not a finite number (for integer keys: an integer from -2^64 to 2^64)"
            )
        })
    };
    let (lo, hi) = (edge(lo)?, edge(hi)?);
    if lo >= hi {
        bail!("--range {lo} {hi} is empty; LO must be less than HI");
    }
    let edges = N::even_edges(lo, hi, m);
    let key = |edge: &Edge| {
        let past =
            || format!("--range {lo} {hi} exceeds {}, the largest possible key", N::MAX.edge());
        K::at_or_above(*edge).with_context(past)
    };
    let splitters: Result<Vec<K>> = edges[1..m as usize].iter().map(key).collect();
    Ok(KeyFunction::Splitters(splitters?))
}

/// Maximum bucket count of the engine.
const MAX_BUCKETS: u64 = 1 << 16;
