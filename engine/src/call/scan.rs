//! One-call scans of host or device arrays.

use std::ops::Range;

use super::Like;
use super::parts::{Footprint, in_parts, in_parts_of};
use crate::device::context::Context;
use crate::elements::key::Key;
use crate::error::Result;
use crate::memory::{AnyArray, AnyOutput, Elements, Input, check_lengths};
use crate::operations::scan::{Scan, max_row};
use crate::operations::shared::checks::check_rows;
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

    /// Maximum row length for [`Scan::rows`].
    pub fn max_scan_row(&self) -> u64 {
        max_row(&self.policy())
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

    /// Scans each segment of `values` independently. A segment begins at each nonzero word of
    /// `heads`. There must be one word for each value.
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
    /// The array is one segment.
    None,
    /// Each run of equal keys is a segment.
    Keys(Input<'a>),
    /// A segment begins at each nonzero element.
    Words(Input<'a>),
}

impl<'a> Heads<'a> {
    fn input(self) -> Option<Input<'a>> {
        match self {
            Self::None => None,
            Self::Keys(input) | Self::Words(input) => Some(input),
        }
    }

    /// Whether element `index` is in the same segment as the preceding element. `index` must not be 0, and the heads
    /// must be on the host.
    fn continues(self, index: u64) -> bool {
        let at = |input: Input<'a>, index| input.slice(index..index + 1)?.on_host();
        match self {
            Self::None => true,
            Self::Keys(keys) => at(keys, index - 1) == at(keys, index),
            Self::Words(words) => at(words, index) == Some(&[0; 4][..]),
        }
    }
}

impl ScanCall<'_> {
    fn run(self, context: &Context, output: &mut dyn AnyOutput) -> Result<()> {
        let (values, by) = (self.values, self.heads.input());
        let bytes = values.element_bytes();
        let mut footprint =
            Footprint { max_element_bytes: None, ..Footprint::new(values, &[bytes, bytes]) };
        if let Some(by) = by {
            check_lengths("keys", by.len(), "values", values.len())?;
            footprint = Footprint::new(values, &[by.element_bytes(), bytes, bytes]);
        }
        let name = if by.is_some() { "values" } else { "input" };
        if let (Some(length), None) = (self.how.rows, by) {
            let footprint = Footprint::new(values, &[bytes, bytes]);
            return self.rows(context, output, length, footprint);
        }
        if values.is_borrowed() || by.is_some_and(Input::is_borrowed) {
            let by = by.map(|by| by.on_device(context, "keys")).transpose()?;
            output.set(self.scan(context, by.as_ref(), &values.on_device(context, name)?)?);
            return Ok(());
        }
        let (n, max) = (values.len(), footprint.max_part(context));
        // If there are several parts, reserve space for two more elements: the carry-in, and the element that follows
        // the part.
        let max = if n <= max { max } else { max - 2 };
        let mut carry: Option<Vec<u8>> = None;
        in_parts(n, max, &mut |part| {
            let continued = part.end < n && self.heads.continues(part.end);
            // An exclusive scan computes the carry-in of the next part at the position of that part's first element.
            let ahead = continued && !self.how.inclusive;
            let range = part.start..part.end + u64::from(ahead);
            let by = by.map(|by| {
                // The carry-in is in the same segment as the first element, so it has the same key.
                let first = carry.as_ref().and_then(|_| by.slice(part.start..part.start + 1));
                upload(context, "keys", (first.and_then(Input::on_host), by), range.clone())
            });
            let values = upload(context, name, (carry.as_deref(), values), range)?;
            let scanned = self.scan(context, by.transpose()?.as_ref(), &values)?;
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

    /// Scans rows, which are independent, in as many parts as necessary.
    fn rows(
        self,
        context: &Context,
        output: &mut dyn AnyOutput,
        length: u64,
        footprint: Footprint,
    ) -> Result<()> {
        let values = self.values;
        check_rows(values.len(), length)?;
        if values.is_borrowed() {
            output.set(self.scan(context, None, &values.on_device(context, "input")?)?);
            return Ok(());
        }
        let length = length.max(1);
        let max = (footprint.max_part(context) / length).max(1);
        in_parts_of(values.len() / length, (1, max), &mut |rows| {
            let range = rows.start * length..rows.end * length;
            let scanned = self.scan(context, None, &values.part(context, "input", range)?)?;
            context.append(&scanned, output)
        })
    }

    /// Scans an array on the device, with one plan. `by` contains the keys or heads, if there are any.
    fn scan(self, context: &Context, by: Option<&AnyArray>, values: &AnyArray) -> Result<AnyArray> {
        let name = if by.is_some() { "scan by key" } else { "scan" };
        context.call_into(name, (values.element(), values.len()), |work, output| {
            let (src, dst) = (work.array(values), work.array(output));
            let mut buffers = ScanBuffers::new(src, dst).count(values.len());
            if let Some(by) = by {
                let by = work.array(by);
                buffers = match self.heads {
                    Heads::Words(_) => buffers.heads(by),
                    _ => buffers.keys(by),
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
