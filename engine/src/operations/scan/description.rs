//! Operator, kind and arrays of a scan.

use multisplit_graph::{Buffer, ElementType};

use super::plan::max_row;
use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::shared::{AnyOperator, Count, Cut, Terms};
use crate::policy::Policy;

/// Operator of a scan, whether the scan is inclusive or exclusive, and its rows or segments.
///
/// ```
/// use multisplit::{Operator, Scan};
///
/// let totals = Scan::inclusive(Operator::Sum).rows(64);
/// let highest = Scan::exclusive(Operator::Max).segments(&[0, 3, 3, 5]);
/// # let _ = (totals, highest);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
#[must_use]
pub struct Scan {
    pub(super) operator: AnyOperator,
    pub(crate) inclusive: bool,
    pub(crate) cut: Cut,
}

impl Scan {
    /// Exclusive: element i of the result combines all elements before element i. The first element
    /// of the result is the identity of the operator. For a sum, this is 0. For a minimum, it is
    /// the last value in sort order, and for a maximum the first; for floats, these are the NaNs
    /// with all payload bits set. A GLSL operator specifies its identity.
    pub fn exclusive(operator: impl Into<AnyOperator>) -> Self {
        Self { operator: operator.into(), inclusive: false, cut: Cut::Whole }
    }

    /// Inclusive: element i of the result combines elements 0 to i.
    pub fn inclusive(operator: impl Into<AnyOperator>) -> Self {
        Self { operator: operator.into(), inclusive: true, cut: Cut::Whole }
    }

    /// Scans each row of a matrix independently. `length` is the row length and must divide the number of elements; for
    /// a device count, it must divide the upper bound. The result of a row has the same bits as a scan of that row
    /// alone, except for the signs of NaNs, and except that sums of floats, and results of GLSL operators that round,
    /// may round differently if the row is longer than [`Context::max_scan_row`](crate::Context::max_scan_row).
    pub fn rows(self, length: u64) -> Self {
        Self { cut: Cut::Rows(length), ..self }
    }

    /// Scans each segment of the array independently. `offsets` contains the start of each segment, beginning with 0,
    /// and the end of the last one. Segments may be empty. For offsets on the device, use [`ScanBuffers::segments`].
    pub fn segments(self, offsets: &[u32]) -> Self {
        Self { cut: Cut::Offsets(offsets.into()), ..self }
    }

    /// Row length, if the result of a row must have the same bits as a scan of that row alone, but may round
    /// differently if the row is scanned in parts.
    pub(crate) fn undivided_rows(&self, element: ElementType, policy: &Policy) -> Option<u64> {
        let Cut::Rows(length) = self.cut else { return None };
        let key = KeyType::WIDE.into_iter().find(|&key| ElementType::from(key) == element)?;
        let rounds = Terms::new(key, &self.operator).is_ok_and(Terms::depend_on_order);
        (rounds && length <= max_row(policy)).then_some(length)
    }

    /// Combines this description with rows or segments that are given as an argument.
    pub(crate) fn divided(&self, cut: Cut) -> Result<Self> {
        if self.cut != Cut::Whole {
            return Err(GIVEN_TWICE);
        }
        Ok(Self { cut, ..self.clone() })
    }
}

/// Error for rows or segments that are given both in [`Scan`] and elsewhere.
pub(super) const GIVEN_TWICE: Error = Error::Segments {
    problem: "rows or segments are given both in Scan and elsewhere; remove one of them",
};

/// Arrays of a scan in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct ScanBuffers {
    pub(super) n: Count,
    pub(super) src: Buffer,
    pub(super) dst: Buffer,
    pub(super) segments: Option<Segments>,
}

/// Definition of the segments.
#[derive(Clone, Copy, Debug)]
pub(super) enum Segments {
    Keys(Buffer),
    Heads(Buffer),
    Offsets(Buffer, Count),
}

impl ScanBuffers {
    /// Writes the scan of `src` to `dst`. Both are arrays of `u32`, `i32`, `f32`, `u64`, `i64` or `f64`.
    pub fn new(src: Buffer, dst: Buffer) -> Self {
        Self { n: Count::Host(src.len()), src, dst, segments: None }
    }

    /// Scans only the first `n` elements. `n` is a host count or a device count.
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Scans each run of elements with equal keys independently. `keys` has one key for each element, of any type that
    /// `src` can have. Keys are equal if their bits are equal. Each array must fit one storage binding.
    pub fn keys(self, keys: Buffer) -> Self {
        Self { segments: Some(Segments::Keys(keys)), ..self }
    }

    /// Scans segments independently. `heads` has one `u32` for each element of `src`. A segment begins at the first
    /// element, and at each element whose entry in `heads` is not zero. Each array must fit one storage binding.
    pub fn heads(self, heads: Buffer) -> Self {
        Self { segments: Some(Segments::Heads(heads)), ..self }
    }

    /// Scans each segment independently. `offsets` is an array of `u32` with one more element than
    /// there are segments: the start of each segment, and the end of the last one. It is read when
    /// the passes run. `segments` is a host count or a device count.
    ///
    /// Offsets may have any value: a segment begins at each offset, in whatever order they are, and offsets past the
    /// last element have no effect. Elements before the first segment, and elements after the last one, are scanned as
    /// segments of their own. Each array must fit one storage binding.
    pub fn segments(self, offsets: Buffer, segments: impl Into<Count>) -> Self {
        Self { segments: Some(Segments::Offsets(offsets, segments.into())), ..self }
    }
}
