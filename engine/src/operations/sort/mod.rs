//! Radix sort of keys or key-value pairs, or of indices (argsort). Sorts are stable, in ascending or descending
//! order, by all bits of a key or by a range of bits.
//!
//! [`sort`] adds the passes to a graph: [`Sort`] specifies the order, [`SortBuffers`] the arrays.
//! [`Context::sort`](crate::Context::sort) and related functions run a sort in one call. Each round of a sort
//! is a multisplit by one digit.

mod buffers;
mod counting;
mod large_segments;
mod narrow_keys;
mod onesweep;
mod pass;
mod rounds;
mod segment_rows;
mod segments;
mod shapes;
pub(crate) mod sizes;
mod small;

pub use crate::policy::method::SortMethod;
pub use buffers::SortBuffers;
use buffers::check_types;
pub(in crate::operations) use buffers::{SortPlace, SortValues};
use pass::Packed;
pub(crate) use segments::Cut;
pub use sizes::SortTuning;

use std::ops::Range;

use multisplit_graph::{Buffer, Graph};

use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::fill;
use crate::operations::shared::checks::check_size;
use crate::operations::shared::count::Count;
use crate::operations::split::{TileShape, number_elements};
use crate::policy::MAX_ELEMENTS;
use crate::policy::Policy;

/// Bits per digit of the one-sweep method: the maximum size of a bucket id in one split.
pub(crate) const DIGIT_BITS: u32 = 8;
/// Allowed bits per digit of [`SortMethod::Multisplit`].
const RADIX_BITS: Range<u32> = 4..9;

/// Options of a sort: direction, range of bits, method. The array determines the key type.
///
/// ```
/// use multisplit::Sort;
///
/// let by_distance = Sort::descending();
/// let by_some_bits = Sort::ascending().bits(8..24);
/// # let _ = (by_distance, by_some_bits);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    pub(crate) descending: bool,
    pub(crate) bits: Option<Range<u32>>,
    pub(crate) method: SortMethod,
    pub(crate) cut: Cut,
}

impl Sort {
    /// Smallest first.
    pub fn ascending() -> Self {
        Self::default()
    }

    /// Largest first. Equal keys keep their input order.
    pub fn descending() -> Self {
        Self { descending: true, ..Self::default() }
    }

    /// Sorts by a range of bits of the key. Signed and float keys are mapped to unsigned integers with the same
    /// order before bits are selected. Fewer bits need fewer rounds.
    #[must_use]
    pub fn bits(self, bits: Range<u32>) -> Self {
        Self { bits: Some(bits), ..self }
    }

    /// Selects a method. The default is [`SortMethod::Auto`].
    #[must_use]
    pub fn method(self, method: SortMethod) -> Self {
        Self { method, ..self }
    }

    /// Sorts each segment of the array independently. `offsets` contains the start of each segment, beginning
    /// with 0, and the end of the last one. Segments may be empty. Indices of an argsort are relative to the
    /// start of their segment.
    #[must_use]
    pub fn segments(self, offsets: &[u32]) -> Self {
        Self { cut: Cut::Offsets(offsets.into()), ..self }
    }

    /// Sorts each row of a matrix independently. `length` is the row length and must divide the number of
    /// elements.
    #[must_use]
    pub fn rows(self, length: u64) -> Self {
        Self { cut: Cut::Rows(length), ..self }
    }

    /// Whether the array is sorted as a whole, not by segments or rows.
    pub(crate) fn is_whole(&self) -> bool {
        self.cut == Cut::Whole
    }

    /// Whether the array is sorted as a whole, and by all `bits` bits of its keys.
    pub(crate) fn is_by_whole_keys(&self, bits: u32) -> bool {
        self.is_whole() && self.bits.as_ref().is_none_or(|some| *some == (0..bits))
    }

    /// Combines the options with a key type.
    pub(crate) fn keyed(&self, key: KeyType) -> KeyedSort {
        let Self { descending, bits, method, .. } = self.clone();
        KeyedSort { key, descending, bits, method }
    }
}

/// A sort with a known key type.
#[derive(Clone, Debug)]
pub(crate) struct KeyedSort {
    pub key: KeyType,
    pub descending: bool,
    pub bits: Option<Range<u32>>,
    pub method: SortMethod,
}

impl KeyedSort {
    pub fn new(key: KeyType) -> Self {
        Sort::ascending().keyed(key)
    }

    pub fn bits(&self) -> Range<u32> {
        self.bits.clone().unwrap_or(0..self.key.bits())
    }

    fn by_all_bits(&self) -> bool {
        self.bits() == (0..self.key.bits())
    }

    /// Mask of the bits to sort by.
    fn mask(&self) -> u64 {
        let Range { start, end } = self.bits();
        match end - start {
            0 => 0,
            count => u64::MAX >> (64 - count) << start,
        }
    }

    /// Start and width of each digit of at most `radix` bits, from the lowest bits up.
    fn digits(&self, radix: u32) -> impl Iterator<Item = (u32, u32)> {
        let Range { start, end } = self.bits();
        (start..end).step_by(radix as usize).map(move |shift| (shift, radix.min(end - shift)))
    }
}

/// Choices made by [`sort`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedSort {
    /// The method; never `Auto`.
    pub method: SortMethod,
    /// Number of rounds. The one-sweep method skips rounds that would not change the order.
    pub rounds: u32,
    /// Shape of the tiles.
    pub shape: TileShape,
}

/// Adds the passes of a sort to the graph.
pub fn sort(
    graph: &mut Graph,
    policy: &Policy,
    sort: &Sort,
    buffers: &SortBuffers,
) -> Result<AddedSort> {
    let keyed = sort.keyed(KeyType::of("keys", buffers.keys)?);
    check_types(buffers)?;
    match (&sort.cut, buffers.segments) {
        (Cut::Whole, None) => add(graph, policy, &keyed, buffers),
        (cut, _) if keyed.key.is_narrow() => {
            check(&keyed, buffers)?;
            narrow_keys::add(graph, policy, &keyed, buffers, Some(cut))
        }
        (cut, _) => segments::add(graph, policy, &keyed, buffers, cut),
    }
}

/// Checks the sizes of sorts, and those of splits, because each round is a split.
pub(crate) fn check_policy(policy: &Policy) -> Result<()> {
    policy.check()?;
    policy.split.check_on(&policy.facts)?;
    policy.sort.check_on(&policy.facts)
}

/// Adds the passes of a sort with a known key type.
pub(in crate::operations) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
) -> Result<AddedSort> {
    check_policy(policy)?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    check(sort, buffers)?;
    if counting::is_chosen(policy, sort, buffers)? {
        return counting::add(graph, policy, sort, buffers);
    }
    if sort.key.is_narrow() {
        return narrow_keys::add(graph, policy, sort, buffers, None);
    }
    add_sort(graph, policy, sort, buffers, None)
}

/// Adds the passes of a sort of 32-bit or 64-bit keys. If `packed` is given and the method is one-sweep, the
/// first round reads the packed keys instead of those of the buffer.
fn add_sort(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    packed: Option<Packed>,
) -> Result<AddedSort> {
    let method = choose(policy, sort, buffers)?;
    let radix = match method {
        SortMethod::Multisplit { radix_bits } => radix_bits,
        _ => DIGIT_BITS,
    };
    let rounds = sort.digits(radix).count() as u32;
    let pairs = !matches!(buffers.values, SortValues::None);
    let shape = match method {
        SortMethod::Small => policy.small_sort_tile(sort.key),
        _ => policy.sort_tile(sort.key, pairs, buffers.n.max()),
    };
    let added = AddedSort { method, rounds, shape };
    tracing::debug!(?added, n = ?buffers.n, "sort");
    let is_empty = buffers.n.max() == 0;
    if let SortPlace::DoubleBuffer { half, .. } = buffers.place {
        let odd_rounds = if is_empty || method == SortMethod::Small { 0 } else { rounds % 2 };
        fill(graph, policy, "sort.half", half.elements::<u32>(0, 1), odd_rounds)?;
    }
    if is_empty {
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
        SortMethod::OneSweep | SortMethod::Auto | SortMethod::Counting => {
            onesweep::add(graph, policy, sort, buffers, added, packed)?;
        }
    }
    Ok(added)
}

fn choose(policy: &Policy, sort: &KeyedSort, buffers: &SortBuffers) -> Result<SortMethod> {
    let tile = u64::from(policy.small_sort_tile(sort.key).tile());
    let (n, host) = (buffers.n.max(), matches!(buffers.n, Count::Host(_)));
    match sort.method {
        SortMethod::Auto if n <= tile && host => Ok(SortMethod::Small),
        SortMethod::Auto => Ok(policy.sort.auto),
        SortMethod::Small if !host => Err(Error::Method {
            problem: "SortMethod::Small needs a host count; with a device count use Auto or OneSweep",
        }),
        SortMethod::Small if n > tile => Err(Error::TooLarge {
            what: "number of elements for SortMethod::Small",
            asked: n,
            limit: tile,
        }),
        SortMethod::Multisplit { radix_bits } if !RADIX_BITS.contains(&radix_bits) => {
            Err(Error::Method { problem: "SortMethod::Multisplit needs a radix_bits of 4 to 8" })
        }
        method => Ok(method),
    }
}

pub(crate) fn check_bits(sort: &KeyedSort) -> Result<()> {
    let (bits, key_bits) = (sort.bits(), sort.key.bits());
    if bits.start <= bits.end && bits.end <= key_bits {
        return Ok(());
    }
    let key = sort.key.to_string();
    Err(Error::SortBits { key, key_bits, start: bits.start, end: bits.end })
}

fn check(sort: &KeyedSort, buffers: &SortBuffers) -> Result<()> {
    let n = buffers.n.max();
    if n > MAX_ELEMENTS {
        let (asked, limit) = (n, MAX_ELEMENTS);
        return Err(Error::TooLarge { what: "number of elements", asked, limit });
    }
    check_bits(sort)?;
    let large_enough = |name: &str, buffer: Buffer, bytes: u32| {
        check_size(&format!("sort.{name}"), buffer, n.saturating_mul(u64::from(bytes)))
    };
    let key_bytes = sort.key.array_bytes(n);
    check_size("sort.keys", buffers.keys, key_bytes)?;
    let value_bytes = buffers.values.bytes();
    if let Some((values, bytes)) = buffers.values.buffer() {
        large_enough("values", values, bytes)?;
    }
    if let SortPlace::DoubleBuffer { keys, values, half } = buffers.place {
        check_size("sort.keys.other", keys, key_bytes)?;
        match (values, value_bytes) {
            (Some(values), Some(bytes)) => large_enough("values.other", values, bytes)?,
            (None, Some(bytes)) => {
                let (name, needed) = ("sort.values.other".to_owned(), n * u64::from(bytes));
                return Err(Error::BufferTooSmall { name, size: 0, needed });
            }
            _ => {}
        }
        check_size("sort.half", half, 4)?;
    }
    Ok(())
}
