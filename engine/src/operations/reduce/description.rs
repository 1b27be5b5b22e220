//! Arrays of reductions.

use multisplit_graph::Buffer;

use crate::operations::shared::Count;

/// Value written to [`ReduceBuffers::index`] if the input is empty.
pub const NO_INDEX: u32 = u32::MAX;

/// Arrays of a reduction in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct ReduceBuffers {
    pub(super) n: Count,
    pub(super) src: Buffer,
    pub(super) dst: Buffer,
    pub(super) index: Option<Buffer>,
}

impl ReduceBuffers {
    /// Writes the reduction of `src` to the first element of `dst`. Both are arrays of `u32`,
    /// `i32`, `f32`, `u64`, `i64` or `f64`. If `src` is empty, the result is the identity of the
    /// operator: 0 for a sum, the last value in sort order for a minimum, the first for a maximum.
    pub fn new(src: Buffer, dst: Buffer) -> Self {
        Self { n: Count::Host(src.len()), src, dst, index: None }
    }

    /// Reduces only the first `n` elements. `n` is a host count or a device count.
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Writes the index of the minimum or maximum to the first element of `index`, or [`NO_INDEX`]
    /// if the input is empty. If several elements are equal to the result, the lowest index is
    /// written. Floats are equal if their bits are equal.
    pub fn index(self, index: Buffer) -> Self {
        Self { index: Some(index), ..self }
    }
}

/// Arrays of a reduction by key in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct ReduceByKeyBuffers {
    pub(super) n: Count,
    pub(super) keys: Buffer,
    pub(super) values: Buffer,
    pub(super) keys_out: Buffer,
    pub(super) values_out: Buffer,
    pub(super) found: Buffer,
}

impl ReduceByKeyBuffers {
    /// Reduces the `values` of each run of equal consecutive `keys`. Writes the key of each run to `keys_out`, its
    /// result to `values_out`, and the number of runs to the first word of `found`. Both outputs must have room for as
    /// many elements as the inputs; elements past the number of runs are not modified. Keys and values are arrays of
    /// `u32`, `i32`, `f32`, `u64`, `i64` or `f64`. Keys are equal if their bits are equal.
    pub fn new(
        (keys, values): (Buffer, Buffer),
        (keys_out, values_out): (Buffer, Buffer),
        found: Buffer,
    ) -> Self {
        Self { n: Count::Host(values.len()), keys, values, keys_out, values_out, found }
    }

    /// Reduces only the first `n` elements. `n` is a host count or a device count.
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }
}

/// Arrays of a segmented reduction in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SegmentedReduceBuffers {
    pub(super) segments: Count,
    pub(super) src: Buffer,
    pub(super) cut: Cut,
    pub(super) dst: Buffer,
    pub(super) elements: Count,
}

/// Definition of the segments.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cut {
    Offsets(Buffer),
    Rows(u64),
}

impl SegmentedReduceBuffers {
    /// Reduces each segment of `src`. Segment s consists of the elements from `offsets[s]` up to, but not including,
    /// `offsets[s + 1]`. Its result is written to `dst[s]`. `offsets` is an array of `u32` with one more element than
    /// there are segments. The result of an empty segment is the identity of the operator: 0 for a sum, the last value
    /// in sort order for a minimum, the first for a maximum. `src` and `dst` are arrays of `u32`, `i32`, `f32`, `u64`,
    /// `i64` or `f64`.
    ///
    /// Offsets are clamped to the number of elements. A segment whose end is not past its beginning is empty. Offsets
    /// should not decrease: if one is less than its predecessor, results of non-empty segments are unspecified and may
    /// vary between runs, but every result is written and no access is out of bounds.
    pub fn new(src: Buffer, offsets: Buffer, dst: Buffer) -> Self {
        let segments = Count::Host(offsets.len().saturating_sub(1));
        Self { segments, src, cut: Cut::Offsets(offsets), dst, elements: Count::Host(src.len()) }
    }

    /// Reduces each row of a matrix and writes the result of row r to `dst[r]`. Each row of `src`
    /// has `length` elements. `length` must divide the number of elements; for a device count, it
    /// must divide the upper bound. The supported types are those of [`new`](Self::new).
    pub fn rows(src: Buffer, length: u64, dst: Buffer) -> Self {
        let rows = Count::Host(src.len() / length.max(1));
        Self { segments: rows, src, cut: Cut::Rows(length), dst, elements: Count::Host(src.len()) }
    }

    /// Reduces only the first `segments` segments. `segments` is a host count or a device count. It
    /// may exceed the number of rows in `src`; the additional rows are empty.
    pub fn count(self, segments: impl Into<Count>) -> Self {
        Self { segments: segments.into(), ..self }
    }

    /// Uses only the first `n` elements of `src`. `n` is a host count or a device count. Offsets past `n` are clamped
    /// to `n`. The row that contains element `n` ends there, and later rows are empty.
    pub fn elements(self, n: impl Into<Count>) -> Self {
        Self { elements: n.into(), ..self }
    }
}
