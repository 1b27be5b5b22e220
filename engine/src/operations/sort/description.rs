//! Options of sorts, their arrays, and the choices made for them.

use std::ops::Range;

use multisplit_graph::{Buffer, ElementType, PassBuilder};

use crate::elements::key::{KeyType, value_bytes};
use crate::error::{Error, Result};
use crate::operations::shared::{Count, Cut, check_element, check_limit, check_size, single};
use crate::policy::method::SortMethod;
use crate::policy::tile::TileShape;
use crate::policy::{MAX_ELEMENTS, Policy};

/// Number of bits per digit of the one-sweep method. One round of a split supports bucket ids of at most this many
/// bits.
pub(crate) const DIGIT_BITS: u32 = 8;

/// Options of a sort: direction, range of bits, method, and rows or segments. The array determines the key type.
///
/// ```
/// use multisplit::Sort;
///
/// let by_distance = Sort::descending();
/// let by_some_bits = Sort::ascending().bits(8..24);
/// # let _ = (by_distance, by_some_bits);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
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

    /// Sorts by a range of bits of the key. Signed and float keys are first mapped to unsigned integers with the same
    /// order. Fewer bits may need fewer rounds.
    pub fn bits(self, bits: Range<u32>) -> Self {
        Self { bits: Some(bits), ..self }
    }

    /// Selects a method. The default is [`SortMethod::Auto`].
    pub fn method(self, method: SortMethod) -> Self {
        Self { method, ..self }
    }

    /// Sorts each segment of the array independently. `offsets` contains the start of each segment, beginning
    /// with 0, and the end of the last one. Segments may be empty. Indices of an argsort are relative to the
    /// start of their segment.
    pub fn segments(self, offsets: &[u32]) -> Self {
        Self { cut: Cut::Offsets(offsets.into()), ..self }
    }

    /// Sorts each row of a matrix independently. `length` is the row length and must divide the number of elements.
    pub fn rows(self, length: u64) -> Self {
        Self { cut: Cut::Rows(length), ..self }
    }

    /// Whether the array is sorted as a whole, not by segments or rows.
    pub(crate) fn is_whole(&self) -> bool {
        self.cut == Cut::Whole
    }

    /// Whether the array is sorted as a whole, by all `bits` bits of its keys.
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

    pub(super) fn by_all_bits(&self) -> bool {
        self.bits() == (0..self.key.bits())
    }

    /// Mask of the bits to sort by.
    pub(super) fn mask(&self) -> u64 {
        let Range { start, end } = self.bits();
        match end - start {
            0 => 0,
            count => u64::MAX >> (64 - count) << start,
        }
    }

    /// Start and width of each digit of at most `radix` bits, lowest digit first.
    pub(super) fn digits(&self, radix: u32) -> impl Iterator<Item = (u32, u32)> {
        let Range { start, end } = self.bits();
        (start..end).step_by(radix as usize).map(move |shift| (shift, radix.min(end - shift)))
    }
}

/// Checks the policy and its tuning parameters for sorts and splits. A round of a sort may be a split.
pub(crate) fn check_policy(policy: &Policy) -> Result<()> {
    policy.check()?;
    policy.split.check_on(&policy.facts)?;
    policy.sort.check_on(&policy.facts)
}

/// Rejects a range of bits that exceeds the key.
pub(crate) fn check_bits(sort: &KeyedSort) -> Result<()> {
    let (bits, key_bits) = (sort.bits(), sort.key.bits());
    if bits.start <= bits.end && bits.end <= key_bits {
        return Ok(());
    }
    let key = sort.key.to_string();
    Err(Error::SortBits { key, key_bits, start: bits.start, end: bits.end })
}

/// The method and sizes of an added sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedSort {
    /// The method; never `Auto`.
    pub method: SortMethod,
    /// Number of rounds of a radix sort: one per digit. 0 for a counting sort. The one-sweep method skips rounds that
    /// would not change the order, or only copies elements.
    pub rounds: u32,
    /// Shape of the tiles.
    pub shape: TileShape,
}

/// Arrays of a sort in a graph. The sort is in place, unless [`between`](Self::between) is used.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SortBuffers {
    pub(in crate::operations) n: Count,
    pub(in crate::operations) keys: Buffer,
    pub(in crate::operations) values: SortValues,
    /// Buffers that may receive the result instead of the input buffers.
    pub(in crate::operations) other: Option<OtherBuffers>,
    /// Offsets and number of the segments.
    pub(in crate::operations) segments: Option<(Buffer, Count)>,
}

impl SortBuffers {
    /// Sorts all keys of the buffer, without values.
    pub fn keys(keys: Buffer) -> Self {
        let n = Count::Host(keys.len());
        Self { n, keys, values: SortValues::None, other: None, segments: None }
    }

    /// Moves values along with the keys.
    pub fn values(self, values: Buffer) -> Self {
        let bytes = values.element().bytes().unwrap_or(0);
        Self { values: SortValues::Values { buffer: values, bytes }, ..self }
    }

    /// Writes the index of the input element at each output position to `indices`. The previous contents of `indices`
    /// are not used.
    pub fn indices(self, indices: Buffer) -> Self {
        Self { values: SortValues::Indices(indices), ..self }
    }

    /// Sorts only the first `n` elements. `n` is a host count or a device count.
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Sorts each segment independently. `offsets` is an array of `u32` in device memory: the start of each segment,
    /// and the end of the last one. It is read when the passes run. If an offset exceeds the number of elements, that
    /// number is used instead. If an offset is less than a preceding one, the preceding one is used instead. Elements
    /// before the first segment and after the last one are not modified. Indices are relative to the start of their
    /// segment.
    pub fn segments(self, offsets: Buffer, segments: impl Into<Count>) -> Self {
        Self { segments: Some((offsets, segments.into())), ..self }
    }

    /// Allows the result to be in these other buffers instead of the input buffers, if that saves a copy. The other
    /// buffers must have the sizes of the input buffers. They may also serve as workspace. `half` is one word, which
    /// receives 0 if the result is in the input buffers, and 1 if it is in the other buffers.
    pub fn between(self, keys: Buffer, values: Option<Buffer>, half: Buffer) -> Self {
        Self { other: Some(OtherBuffers { keys, values, half }), ..self }
    }

    /// Checks the types of the values and of the output buffers.
    pub(super) fn check_types(&self) -> Result<()> {
        match self.values {
            SortValues::None => {}
            SortValues::Values { buffer, .. } => {
                value_bytes(buffer)?;
            }
            SortValues::Indices(buffer) => check_element("indices", buffer, ElementType::U32)?,
        }
        if let Some(OtherBuffers { keys, values, half }) = self.other {
            check_element("keys.other", keys, self.keys.element())?;
            if let (Some(other), Some((given, _))) = (values, self.values.buffer()) {
                check_element("values.other", other, given.element())?;
            }
            check_element("half", half, ElementType::U32)?;
        }
        Ok(())
    }

    /// Checks the range of bits, the count, and the sizes of all arrays.
    pub(super) fn check_sizes(&self, sort: &KeyedSort) -> Result<()> {
        let n = self.n.max();
        check_limit("number of elements of a sort", n, MAX_ELEMENTS)?;
        check_bits(sort)?;
        let large_enough = |name: &str, buffer: Buffer, bytes: u32| {
            check_size(&format!("sort.{name}"), buffer, n.saturating_mul(u64::from(bytes)))
        };
        let key_bytes = sort.key.array_bytes(n);
        check_size("sort.keys", self.keys, key_bytes)?;
        if let Some((values, bytes)) = self.values.buffer() {
            large_enough("values", values, bytes)?;
        }
        if let Some(OtherBuffers { keys, values, half }) = self.other {
            check_size("sort.keys.other", keys, key_bytes)?;
            match (values, self.values.bytes()) {
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
}

/// The values of a sort.
#[derive(Clone, Copy, Debug)]
pub(in crate::operations) enum SortValues {
    None,
    Values { buffer: Buffer, bytes: u32 },
    Indices(Buffer),
}

/// Buffers that may receive the result, and the word that receives the location of the result.
#[derive(Clone, Copy, Debug)]
pub(in crate::operations) struct OtherBuffers {
    pub keys: Buffer,
    pub values: Option<Buffer>,
    pub half: Buffer,
}

impl SortValues {
    pub(super) fn buffer(self) -> Option<(Buffer, u32)> {
        match self {
            Self::None => None,
            Self::Values { buffer, bytes } => Some((buffer, bytes)),
            Self::Indices(buffer) => Some((buffer, 4)),
        }
    }

    pub(super) fn bytes(self) -> Option<u32> {
        self.buffer().map(|(_, bytes)| bytes)
    }

    pub(super) fn is_none(self) -> bool {
        matches!(self, Self::None)
    }

    pub(super) fn are_indices(self) -> bool {
        matches!(self, Self::Indices(_))
    }

    /// Binds the values of the first `n` elements to a pass that sorts in place.
    pub(super) fn bind<'g>(
        self,
        pass: PassBuilder<'g>,
        policy: &Policy,
        n: u64,
    ) -> Result<PassBuilder<'g>> {
        let Some((buffer, bytes)) = self.buffer() else { return Ok(pass) };
        let view = single(buffer.range(0, n * u64::from(bytes)), policy)?;
        Ok(match self {
            // The previous contents of indices are not used.
            Self::Indices(_) => pass.scratch("values", view),
            _ => pass.bind("values", view),
        })
    }
}
