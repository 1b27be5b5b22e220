//! Radix sort: keys, key-value pairs, or the order that would sort them; stable, in either
//! direction, by all bits of a key or by some.
//!
//! [`add`] declares the passes of one sort in a graph. [`Sort`] says what is sorted how;
//! [`SortBuffers`] where it is. [`add_segmented`] sorts many segments of an array at once. A round of a sort is a multisplit by one digit.
//!
//! ```
//! # fn main() -> Result<(), multisplit::Error> {
//! use multisplit::graph::Graph;
//! use multisplit::primitives::multisplit::KeyType;
//! use multisplit::primitives::sort::{self, Sort, SortBuffers, SortPlace, SortValues};
//! use multisplit::{Config, Context};
//!
//! let context = Context::open(&Config::default())?;
//! // In one call:
//! let by_distance = Sort::new(KeyType::F32).descending();
//! assert_eq!(context.argsort(&by_distance, &[0.5f32, 2.0, 1.0])?, [1, 2, 0]);
//!
//! // As part of a graph, on buffers that are on the device:
//! let mut graph = Graph::new("frame");
//! let keys = graph.import::<f32>("distances", 3);
//! let order = graph.import::<u32>("order", 3);
//! let (values, place) = (SortValues::Indices(order), SortPlace::InPlace);
//! let buffers = SortBuffers { n: 3.into(), keys, values, place };
//! sort::add(&mut graph, &context.policy(), &by_distance, &buffers)?;
//! let plan = graph.compile(&context.limits())?;
//! println!("{} bytes of scratch", plan.workspace().size);
//! let executable = context.instantiate(plan)?;
//! let distances = context.upload("distances", &[0.5f32, 2.0, 1.0])?;
//! let result = context.buffer::<u32>("order", 3)?;
//! context.run(&executable, &[(keys, &distances), (order, &result)])?;
//! assert_eq!(context.download::<u32>(&result)?, [1, 2, 0]);
//! # Ok(())
//! # }
//! ```

mod host;
mod onesweep;
mod pass;
mod rounds;
mod segments;
mod small;
mod tuning;

pub use segments::{SegmentedBuffers, add_segmented};
pub use tuning::SortTuning;

use std::ops::Range;

use multisplit_graph::{Buffer, Graph};

use super::count::Count;
use super::multisplit::{KeyType, TileShape, number_elements};
use super::{Policy, fill};
use crate::error::{Error, Result};

/// Bits of a digit of the one-sweep method: as many as a split has ids for at most.
const DIGIT_BITS: u32 = 8;
/// Digits of the paper's method.
const RADIX_BITS: Range<u32> = 4..9;
/// Look-back keeps its state in the two top bits of a count.
const MAX_ELEMENTS: u64 = (1 << 30) - 1;

/// What is sorted, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// What a key is.
    pub key: KeyType,
    /// From large to small. Equal keys keep their order in this direction too.
    pub descending: bool,
    /// The bits that are sorted by, of the number that compares like the key; all where this is
    /// `None`. Fewer bits take fewer rounds.
    pub bits: Option<Range<u32>>,
    /// Which algorithm; `Auto` lets the policy choose.
    pub method: SortMethod,
}

impl Sort {
    /// A sort of `key`s from small to large, by the method that suits.
    pub fn new(key: KeyType) -> Self {
        Self { key, descending: false, bits: None, method: SortMethod::Auto }
    }

    /// The same from large to small.
    #[must_use]
    pub fn descending(self) -> Self {
        Self { descending: true, ..self }
    }

    /// The same by some bits only.
    #[must_use]
    pub fn by_bits(self, bits: Range<u32>) -> Self {
        Self { bits: Some(bits), ..self }
    }

    /// The same by another method.
    #[must_use]
    pub fn by(self, method: SortMethod) -> Self {
        Self { method, ..self }
    }

    fn bits(&self) -> Range<u32> {
        self.bits.clone().unwrap_or(0..self.key.bits())
    }

    /// The digits of up to `radix` bits, from the lowest: where each begins, and its bits.
    fn digits(&self, radix: u32) -> impl Iterator<Item = (u32, u32)> {
        let Range { start, end } = self.bits();
        (start..end).step_by(radix as usize).map(move |shift| (shift, radix.min(end - shift)))
    }
}

/// How a sort is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortMethod {
    /// What suits the device and the number of elements.
    Auto,
    /// The paper's: each round is a multisplit in three stages, block-level on GPUs and direct on
    /// software drivers ([`SortTuning::rounds`]).
    Multisplit {
        /// Bits of a digit: 4 to 8.
        radix_bits: u32,
    },
    /// The histograms of all digits in one read, then one pass a digit; passes that would change
    /// nothing are left out.
    OneSweep,
    /// All in one workgroup, for what fits a tile.
    Small,
}

/// The buffers of a sort.
#[derive(Clone, Copy, Debug)]
pub struct SortBuffers {
    /// n, the number of elements.
    pub n: Count,
    /// The keys.
    pub keys: Buffer,
    /// What the keys take along.
    pub values: SortValues,
    /// Where the result goes.
    pub place: SortPlace,
}

/// What keys take along.
#[derive(Clone, Copy, Debug)]
pub enum SortValues {
    /// Nothing.
    None,
    /// One value for each key.
    Values {
        /// The values.
        buffer: Buffer,
        /// Size of a value: 4, 8 or 16.
        bytes: u32,
    },
    /// Their number: gets, for each place, which element of the input comes there. Not read.
    Indices(Buffer),
}

/// Where the result of a sort goes.
#[derive(Clone, Copy, Debug)]
pub enum SortPlace {
    /// Where the input was. What the rounds need besides is part of the plan's workspace.
    InPlace,
    /// Into the buffers of the input, or into others of the same sizes, whichever is nearer. Both
    /// are written.
    DoubleBuffer {
        /// The other keys.
        keys: Buffer,
        /// The other values, where there are values.
        values: Option<Buffer>,
        /// One word: 0 when the result is where the input was, 1 when it is in the other buffers.
        half: Buffer,
    },
}

/// What [`add`] chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedSort {
    /// The method; never `Auto`.
    pub method: SortMethod,
    /// Rounds, of which the one-sweep method leaves out those that would change nothing.
    pub rounds: u32,
    /// The shape of its tiles.
    pub shape: TileShape,
}

/// Adds the passes of `sort` to the graph.
pub fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &Sort,
    buffers: &SortBuffers,
) -> Result<AddedSort> {
    policy.check()?;
    policy.sort.check()?;
    check(sort, buffers)?;
    let method = choose(policy, sort, buffers)?;
    let radix = match method {
        SortMethod::Multisplit { radix_bits } => radix_bits,
        _ => DIGIT_BITS,
    };
    let rounds = sort.digits(radix).count() as u32;
    let pairs = !matches!(buffers.values, SortValues::None);
    let shape = match method {
        SortMethod::Small => policy.sort.small(policy, sort.key),
        _ => policy.sort.shape(policy, sort.key, pairs, buffers.n.most()),
    };
    let added = AddedSort { method, rounds, shape };
    tracing::debug!(?added, n = ?buffers.n, "sort");
    let nothing = buffers.n.most() == 0;
    if let SortPlace::DoubleBuffer { half, .. } = buffers.place {
        let odd = if nothing || method == SortMethod::Small { 0 } else { rounds % 2 };
        fill(graph, policy, "sort.half", half.elements::<u32>(0, 1), odd)?;
    }
    if nothing {
        return Ok(added);
    }
    if rounds == 0 {
        if let SortValues::Indices(indices) = buffers.values {
            number_elements(graph, policy, (buffers.n, buffers.keys), indices)?;
        }
        return Ok(added);
    }
    match method {
        SortMethod::Small => small::add(graph, policy, sort, buffers, added)?,
        SortMethod::Multisplit { radix_bits } => {
            rounds::add(graph, policy, sort, buffers, radix_bits)?;
        }
        SortMethod::OneSweep | SortMethod::Auto => {
            onesweep::add(graph, policy, sort, buffers, added)?;
        }
    }
    Ok(added)
}

fn choose(policy: &Policy, sort: &Sort, buffers: &SortBuffers) -> Result<SortMethod> {
    let tile = u64::from(policy.sort.small(policy, sort.key).tile());
    let (n, host) = (buffers.n.most(), matches!(buffers.n, Count::Host(_)));
    match sort.method {
        SortMethod::Auto if n <= tile && host => Ok(SortMethod::Small),
        SortMethod::Auto => Ok(policy.sort.auto),
        SortMethod::Small if !host => {
            Err(Error::Policy { problem: "one workgroup sorts numbers of elements the host knows" })
        }
        SortMethod::Small if n > tile => {
            Err(Error::TooLarge { what: "number of elements of one tile", asked: n, limit: tile })
        }
        SortMethod::Multisplit { radix_bits } if !RADIX_BITS.contains(&radix_bits) => {
            let (asked, limit) = (u64::from(radix_bits), u64::from(RADIX_BITS.end - 1));
            Err(Error::TooLarge { what: "bits of a digit (4 to 8)", asked, limit })
        }
        method => Ok(method),
    }
}

fn check(sort: &Sort, buffers: &SortBuffers) -> Result<()> {
    let n = buffers.n.most();
    if n > MAX_ELEMENTS {
        let (asked, limit) = (n, MAX_ELEMENTS);
        return Err(Error::TooLarge { what: "number of elements", asked, limit });
    }
    let bits = sort.bits();
    if bits.start > bits.end || bits.end > sort.key.bits() {
        return Err(Error::Bucket {
            key: format!("{:?}", sort.key),
            problem: format!("it has no bits {}..{}", bits.start, bits.end),
        });
    }
    let large_enough = |name: &str, buffer: Buffer, bytes: u32| {
        let (size, needed) = (buffer.size(), n.saturating_mul(u64::from(bytes)));
        let name = || format!("sort.{name}");
        if size >= needed {
            Ok(())
        } else {
            Err(Error::BufferTooSmall { name: name(), size, needed })
        }
    };
    let key_bytes = sort.key.bytes();
    large_enough("keys", buffers.keys, key_bytes)?;
    let value_bytes = buffers.values.bytes();
    if let Some((values, bytes)) = buffers.values.buffer() {
        if ![4, 8, 16].contains(&bytes) {
            let (asked, limit) = (u64::from(bytes), 16);
            return Err(Error::TooLarge { what: "bytes of a value (4, 8 or 16)", asked, limit });
        }
        large_enough("values", values, bytes)?;
    }
    if let SortPlace::DoubleBuffer { keys, values, half } = buffers.place {
        large_enough("keys.other", keys, key_bytes)?;
        match (values, value_bytes) {
            (Some(values), Some(bytes)) => large_enough("values.other", values, bytes)?,
            (None, Some(bytes)) => {
                let (name, needed) = ("sort.values.other".to_owned(), n * u64::from(bytes));
                return Err(Error::BufferTooSmall { name, size: 0, needed });
            }
            _ => {}
        }
        if half.size() < 4 {
            let (name, size, needed) = ("sort.half".to_owned(), half.size(), 4);
            return Err(Error::BufferTooSmall { name, size, needed });
        }
    }
    Ok(())
}

impl SortValues {
    fn buffer(self) -> Option<(Buffer, u32)> {
        match self {
            Self::None => None,
            Self::Values { buffer, bytes } => Some((buffer, bytes)),
            Self::Indices(buffer) => Some((buffer, 4)),
        }
    }

    fn bytes(self) -> Option<u32> {
        self.buffer().map(|(_, bytes)| bytes)
    }
}
