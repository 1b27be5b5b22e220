//! One-call scans of host or device arrays.

use std::ops::Range;

use super::Like;
use super::parts::{Footprint, MIN_PART, in_parts_of};
use crate::device::Context;
use crate::elements::key::Key;
use crate::error::{Error, Result};
use crate::memory::{AnyArray, AnyOutput, Elements, Input, check_lengths};
use crate::operations::scan::{Scan, max_row};
use crate::operations::shared::checks::check_rows;
use crate::operations::shared::count::Count;
use crate::operations::shared::cut::{Cut, NO_OFFSETS, segment_lengths};
use crate::operations::{ScanBuffers, scan};

impl Context {
    /// Returns the exclusive prefix sum of `input`: for each element, the sum of all elements before it.
    ///
    /// Host arrays that exceed the device's memory are scanned in parts. Each part continues from the total of the
    /// previous parts. Integer results are the same; sums of floats may round differently.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.scan(&[3u32, 1, 4, 1, 5])?, [0, 3, 4, 8, 9]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan<A>(&self, input: &A) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.scan_with(input, &Scan::default())
    }

    /// Scans `input` with the operator and options of `how`.
    ///
    /// ```
    /// use multisplit::{Operator, Scan};
    /// # let gpu = multisplit::Context::new()?;
    /// let greatest = gpu.scan_with(&[3.0f32, 1.0, 4.0], &Scan::inclusive(Operator::Max))?;
    /// assert_eq!(greatest, [3.0, 3.0, 4.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan_with<A>(&self, input: &A, how: &Scan) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let call = ScanCall { values: input.input(), heads: Heads::None, how };
        self.one_output::<A::Place, _>(|output| call.run(self, output))
    }

    /// Maximum row length for which [`Scan::rows`] gives float sums the same bits as a scan of the
    /// row alone.
    pub fn max_scan_row(&self) -> u64 {
        max_row(&self.policy())
    }

    /// Scans each row of a matrix independently. `length` is the length of a row and must divide the
    /// number of elements. The same as [`scan_with`](Self::scan_with) and [`Scan::rows`].
    ///
    /// ```
    /// use multisplit::{Operator, Scan};
    /// # let gpu = multisplit::Context::new()?;
    /// let sums = gpu.scan_rows(&[3u32, 1, 4, 1, 5, 9], 3, &Scan::inclusive(Operator::Sum))?;
    /// assert_eq!(sums, [3, 4, 8, 1, 6, 15]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan_rows<A>(&self, input: &A, length: u64, how: &Scan) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.scan_with(input, &how.divided(Cut::Rows(length))?)
    }

    /// Scans each segment of `input` independently. `offsets`, on the host or on the device, contains
    /// the start of each segment, followed by the end of the last one. Host offsets must begin with
    /// 0, not decrease, and end with the number of elements. For device offsets with other values,
    /// see [`ScanBuffers::segments`](crate::operations::ScanBuffers::segments).
    ///
    /// ```
    /// use multisplit::{Operator, Scan};
    /// # let gpu = multisplit::Context::new()?;
    /// let how = Scan::inclusive(Operator::Sum);
    /// let sums = gpu.scan_segments(&[3.0f32, 1.0, 4.0, 1.0], &[0, 3, 3, 4], &how)?;
    /// assert_eq!(sums, [3.0, 4.0, 8.0, 1.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan_segments<A, B>(
        &self,
        input: &A,
        offsets: &B,
        how: &Scan,
    ) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = u32> + ?Sized,
    {
        let offsets = offsets.input();
        if let Some(bytes) = offsets.on_host() {
            let offsets: &[u32] = bytemuck::cast_slice(bytes);
            return self.scan_with(input, &how.divided(Cut::Offsets(offsets.into()))?);
        }
        if offsets.len() == 0 {
            return Err(Error::Segments { problem: NO_OFFSETS });
        }
        let call = ScanCall { values: input.input(), heads: Heads::Offsets(offsets), how };
        self.one_output::<A::Place, _>(|output| call.run(self, output))
    }

    /// Scans each run of `values` with equal consecutive `keys` independently. There must be one
    /// key for each value.
    ///
    /// ```
    /// use multisplit::{Operator, Scan};
    /// # let gpu = multisplit::Context::new()?;
    /// let sums = gpu.scan_by_key(&[7u64, 7, 2, 2], &[3u32, 1, 4, 1], &Scan::inclusive(Operator::Sum))?;
    /// assert_eq!(sums, [3, 4, 4, 5]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan_by_key<A, B>(&self, keys: &A, values: &B, how: &Scan) -> Result<Like<B, B::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        let call = ScanCall { values: values.input(), heads: Heads::Keys(keys.input()), how };
        self.one_output::<B::Place, _>(|output| call.run(self, output))
    }

    /// Scans each segment of `values` independently. A segment begins at the first value, and at each
    /// nonzero word of `heads`. There must be one word for each value.
    ///
    /// ```
    /// use multisplit::{Operator, Scan};
    /// # let gpu = multisplit::Context::new()?;
    /// let sums = gpu.scan_by_heads(&[1, 0, 1, 0], &[3.0f32, 1.0, 4.0, 1.0], &Scan::default())?;
    /// assert_eq!(sums, [0.0, 3.0, 0.0, 4.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan_by_heads<A, B>(&self, heads: &A, values: &B, how: &Scan) -> Result<Like<B, B::Item>>
    where
        A: Elements<Item = u32> + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        let call = ScanCall { values: values.input(), heads: Heads::Words(heads.input()), how };
        self.one_output::<B::Place, _>(|output| call.run(self, output))
    }
}

/// Parameters of a scan whose element types are known only at run time.
#[derive(Clone, Copy)]
struct ScanCall<'a> {
    values: Input<'a>,
    heads: Heads<'a>,
    how: &'a Scan,
}

/// Specifies the segments of a scan.
#[derive(Clone, Copy)]
enum Heads<'a> {
    /// The [`Scan`] itself specifies the segments, if any.
    None,
    /// Each run of equal keys is a segment.
    Keys(Input<'a>),
    /// A segment begins at the first value and at each nonzero word.
    Words(Input<'a>),
    /// Start of each segment, and the end of the last one. The offsets are on the device.
    Offsets(Input<'a>),
}

impl<'a> Heads<'a> {
    fn input(self) -> Option<Input<'a>> {
        match self {
            Self::None => None,
            Self::Keys(input) | Self::Words(input) | Self::Offsets(input) => Some(input),
        }
    }
}

impl<'a> ScanCall<'a> {
    fn run(self, context: &Context, output: &mut dyn AnyOutput) -> Result<()> {
        let (values, by, n) = (self.values, self.heads.input(), self.values.len());
        let bytes = values.element_bytes();
        let mut footprint = Footprint::new(values, &[bytes, bytes]);
        match (self.heads, &self.how.cut) {
            (Heads::Keys(by) | Heads::Words(by), _) => {
                let name = if matches!(self.heads, Heads::Words(_)) { "heads" } else { "keys" };
                check_lengths(name, by.len(), "values", n)?;
                footprint = Footprint::new(values, &[by.element_bytes(), bytes, bytes]);
            }
            (Heads::None, Cut::Whole) => footprint.max_element_bytes = None,
            _ => {}
        }
        self.check_cut()?;
        let name = if by.is_some() { "values" } else { "input" };
        if values.is_borrowed() || by.is_some_and(Input::is_borrowed) {
            let by = by.map(|by| by.on_device(context, "keys")).transpose()?;
            output.set(self.scan(context, by.as_ref(), &values.on_device(context, name)?)?);
            return Ok(());
        }
        let max = footprint.max_part(context);
        let undivided = self.how.undivided_rows(values.element(), &context.policy());
        let (unit, limits) = match (undivided, &self.how.cut) {
            (Some(length), _) if (1..=max).contains(&length) => (length, (1, max / length)),
            _ if n <= max => (1, (MIN_PART, max)),
            (_, &Cut::Rows(length)) if length <= max => (1, (MIN_PART, max / length * length)),
            // Reserve space for two more elements: the carry-in, and the element that follows the part.
            _ => (1, (MIN_PART, max - 2)),
        };
        let mut carry: Option<Vec<u8>> = None;
        in_parts_of(n / unit, limits, &mut |part| {
            let part = part.start * unit..part.end * unit;
            let continued = part.end < n && self.continues(part.end);
            // In an exclusive scan, the carry-in of the next part is the result for that part's first element.
            // This part therefore includes that element.
            let ahead = continued && !self.how.inclusive;
            let range = part.start..part.end + u64::from(ahead);
            let by = by.map(|by| {
                // The carry-in belongs to the segment of the first element, so it gets the same key.
                let first = carry.as_ref().and_then(|_| by.slice(part.start..part.start + 1));
                upload(context, "keys", (first.and_then(Input::on_host), by), range.clone())
            });
            let how = &self.how_of(&range, carry.is_some());
            let values = upload(context, name, (carry.as_deref(), values), range)?;
            let scanned =
                ScanCall { how, ..self }.scan(context, by.transpose()?.as_ref(), &values)?;
            let begin = output.len();
            context.append(&scanned, output)?;
            let last = output.len().checked_sub(1).filter(|last| *last >= begin);
            let next = last.map(|last| match ahead {
                true => output.remove(last),
                false => output.element(last).to_vec(),
            });
            if carry.is_some() {
                output.remove(begin);
            }
            carry = next.filter(|_| continued);
            Ok(())
        })
    }

    /// Checks the rows or host offsets of the description.
    fn check_cut(self) -> Result<()> {
        let n = self.values.len();
        match &self.how.cut {
            Cut::Whole => Ok(()),
            Cut::Rows(length) => check_rows(n, *length),
            Cut::Offsets(offsets) => segment_lengths(offsets, Count::Host(n)).map(drop),
        }
    }

    /// Whether element `index` is in the same segment as the preceding element. `index` must not be 0, and the segments
    /// must be on the host.
    fn continues(self, index: u64) -> bool {
        let at = |input: Input<'a>, index| input.slice(index..index + 1)?.on_host();
        match (self.heads, &self.how.cut) {
            (Heads::Keys(keys), _) => at(keys, index - 1) == at(keys, index),
            (Heads::Words(words), _) => at(words, index) == Some(&[0; 4][..]),
            (_, Cut::Rows(length)) => !index.is_multiple_of(*length),
            (_, Cut::Offsets(offsets)) => {
                offsets.binary_search_by_key(&index, |&offset| offset.into()).is_err()
            }
            (_, Cut::Whole) => true,
        }
    }

    /// Returns the description of the scan of a part. With a carry-in, the part has one more element, which precedes
    /// the range.
    fn how_of(self, range: &Range<u64>, has_carry: bool) -> Scan {
        let base = range.start - u64::from(has_carry);
        let mut offsets = vec![0];
        let mut add = |at: u64| offsets.push((at - base) as u32);
        match &self.how.cut {
            Cut::Whole => return self.how.clone(),
            Cut::Rows(length) => {
                let length = (*length).max(1);
                let is_end = |at: u64| at.is_multiple_of(length);
                if !has_carry && is_end(range.start) && is_end(range.end) {
                    return self.how.clone();
                }
                let rows = range.start / length + 1..range.end.div_ceil(length);
                rows.for_each(|row| add(row * length));
            }
            Cut::Offsets(all) => {
                let within =
                    |&&offset: &&u32| (range.start + 1..range.end).contains(&offset.into());
                let first = all.partition_point(|&offset| u64::from(offset) <= range.start);
                all[first..].iter().take_while(within).for_each(|&offset| add(offset.into()));
            }
        }
        add(range.end);
        self.how.clone().segments(&offsets)
    }

    /// Scans an array on the device, with one plan. `by` contains the keys, heads or offsets, if there are any.
    fn scan(self, context: &Context, by: Option<&AnyArray>, values: &AnyArray) -> Result<AnyArray> {
        let name = match self.heads {
            Heads::None | Heads::Offsets(_) => "scan",
            Heads::Keys(_) | Heads::Words(_) => "scan by key",
        };
        context.call_into(name, (values.element(), values.len()), |work, output| {
            let (src, dst) = (work.array(values), work.array(output));
            let mut buffers = ScanBuffers::new(src, dst).count(values.len());
            if let Some(by) = by {
                let array = work.array(by);
                buffers = match self.heads {
                    Heads::Words(_) => buffers.heads(array),
                    Heads::Offsets(_) => buffers.segments(array, by.len() - 1),
                    _ => buffers.keys(array),
                };
            }
            let (graph, policy) = work.parts();
            scan(graph, policy, self.how, &buffers)
        })
    }
}

/// Uploads a range of elements on the host, preceded by `first` if it is given.
fn upload(
    context: &Context,
    name: &str,
    (first, elements): (Option<&[u8]>, Input<'_>),
    range: Range<u64>,
) -> Result<AnyArray> {
    let part = elements.slice(range.clone()).and_then(Input::on_host);
    let (Some(first), Some(part)) = (first, part) else {
        return elements.part(context, name, range);
    };
    let (element, len) = (elements.element(), range.end - range.start + 1);
    Input::Host { element, len, bytes: &[first, part].concat() }.on_device(context, name)
}
