//! One-call scans of host or device arrays.

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::Pod;

use super::parts::{Footprint, append, in_parts};
use crate::device::context::Context;
use crate::elements::key::Key;
use crate::error::Result;
use crate::memory::{Array, Elements, Place, check_lengths};
use crate::operations::scan::Scan;
use crate::work::Work;

impl Context {
    /// Exclusive prefix sum: the sum of all elements before each element of `input`.
    ///
    /// Host arrays that exceed the device's memory are scanned in parts, each starting from the
    /// total of the previous parts. Integer results do not change; sums of floats may round
    /// differently.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.scan(&[3u32, 1, 4, 1, 5])?, [0, 3, 4, 8, 9]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan<A>(&self, input: &A) -> Result<<A::Place as Place>::Array<A::Item>>
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
    pub fn scan_with<A>(&self, input: &A, how: &Scan) -> Result<<A::Place as Place>::Array<A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let scan = |input: Array<A::Item>| {
            self.call_into("scan", input.len(), |work, output| work.scan(&input, output, how))
        };
        let Some(elements) = input.on_host() else {
            return A::Place::take(self, scan(input.on_device(self, "input")?)?);
        };
        let bytes = size_of::<A::Item>() as u64;
        let max = Footprint { total: 2 * bytes, widest: None }.max_part(self);
        let scanned = scan_parts(
            (elements.len(), max),
            how,
            |_| true,
            |carry, part| {
                let part = with_carry(carry, &elements[part]);
                self.download(&scan(part.on_device(self, "input")?)?)
            },
        )?;
        A::Place::put(self, scanned)
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
    pub fn scan_by_key<A, B>(
        &self,
        keys: &A,
        values: &B,
        how: &Scan,
    ) -> Result<<B::Place as Place>::Array<B::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        let bits = |key: &A::Item| key.key_bits();
        let continues = |keys: &[A::Item], at: usize| bits(&keys[at - 1]) == bits(&keys[at]);
        self.scan_segments((keys, continues), values, how, |work, by, src, dst| {
            work.scan_by_key(by, src, dst, how)
        })
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
    pub fn scan_by_heads<A, B>(
        &self,
        heads: &A,
        values: &B,
        how: &Scan,
    ) -> Result<<B::Place as Place>::Array<B::Item>>
    where
        A: Elements<Item = u32> + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        let continues = |heads: &[u32], at: usize| heads[at] == 0;
        self.scan_segments((heads, continues), values, how, |work, by, src, dst| {
            work.scan_by_heads(by, src, dst, how)
        })
    }

    /// `continues(segments, i)` returns whether element i, which is not the first, is in the same
    /// segment as element i - 1.
    fn scan_segments<A, B>(
        &self,
        (segments, continues): (&A, impl Fn(&[A::Item], usize) -> bool),
        values: &B,
        how: &Scan,
        declare: impl Fn(&mut Work, &Array<A::Item>, &Array<B::Item>, &Array<B::Item>) -> Result<()>,
    ) -> Result<<B::Place as Place>::Array<B::Item>>
    where
        A: Elements + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        let n = values.count();
        check_lengths("keys", segments.count(), "values", n)?;
        let scan = |by: Array<A::Item>, input: Array<B::Item>| {
            let n = input.len();
            self.call_into("scan by key", n, |work, output| declare(work, &by, &input, output))
        };
        let (Some(by), Some(elements)) = (segments.on_host(), values.on_host()) else {
            let by = segments.on_device(self, "keys")?;
            return B::Place::take(self, scan(by, values.on_device(self, "values")?)?);
        };
        let bytes = [size_of::<A::Item>() as u64, size_of::<B::Item>() as u64];
        let widest = Some(bytes[0].max(bytes[1]));
        let max = Footprint { total: bytes[0] + 2 * bytes[1], widest }.max_part(self);
        let continues = |at| continues(by, at);
        let scanned = scan_parts((elements.len(), max), how, continues, |carry, part| {
            // The carry-in belongs to the segment of the first element.
            let by = with_carry(carry.map(|_| by[part.start]), &by[part.clone()]);
            let input = with_carry(carry, &elements[part]);
            let (by, input) = (by.on_device(self, "keys")?, input.on_device(self, "values")?);
            self.download(&scan(by, input)?)
        })?;
        B::Place::put(self, scanned)
    }
}

/// Scans `n` elements in parts of at most `max`. If a part continues the segment before it, `scan`
/// is called with a carry-in, which it prepends to the part.
fn scan_parts<T: Key>(
    (n, max): (usize, u64),
    how: &Scan,
    continues: impl Fn(usize) -> bool,
    scan: impl Fn(Option<T>, Range<usize>) -> Result<Vec<T>>,
) -> Result<Vec<T>> {
    let (mut all, mut carry) = (Vec::new(), None);
    // Unless one part contains everything, reserve room for the carry-in and for the element after
    // the part.
    let max = if n as u64 <= max { max } else { max - 2 };
    in_parts(n as u64, max, |part| {
        let (begin, end) = (part.start as usize, part.end as usize);
        let continued = end < n && continues(end);
        // An exclusive scan computes the next carry-in at the position of the next element.
        let ahead = usize::from(continued && !how.inclusive);
        let mut scanned = scan(carry, begin..end + ahead)?;
        let next = if ahead == 1 { scanned.pop() } else { scanned.last().copied() };
        if carry.is_some() {
            scanned.remove(0);
        }
        carry = next.filter(|_| continued);
        append(&mut all, scanned);
        Ok(())
    })?;
    Ok(all)
}

/// Elements of a part, preceded by the carry-in if there is one.
fn with_carry<T: Pod>(carry: Option<T>, part: &[T]) -> Cow<'_, [T]> {
    match carry {
        None => Cow::Borrowed(part),
        Some(carry) => Cow::Owned([&[carry], part].concat()),
    }
}
