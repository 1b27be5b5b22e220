//! Elements, arrays and results of a top-k.

use bytemuck::Pod;
use multisplit_graph::Buffer;

use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::memory::Place;
use crate::operations::shared::{Count, WORD, check_limit, check_rows, check_size};
use crate::policy::MAX_ELEMENTS;

/// The elements to find, and the order of the result.
///
/// ```
/// use multisplit::TopK;
///
/// let best = TopK::largest(10);
/// let nearest_of_each_row = TopK::smallest(3).rows(1000);
/// # let _ = (best, nearest_of_each_row);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct TopK {
    pub(crate) k: u64,
    pub(crate) smallest: bool,
    pub(crate) sorted: bool,
    pub(crate) row_length: Option<u64>,
    pub(crate) method: TopKMethod,
}

impl TopK {
    /// The `k` largest elements, largest first. Floats are ordered like `total_cmp`, as in a sort: NaNs whose sign
    /// bit is clear are greater than all other values, and NaNs whose sign bit is set are less.
    pub fn largest(k: u64) -> Self {
        Self { k, smallest: false, sorted: true, row_length: None, method: TopKMethod::Auto }
    }

    /// The `k` smallest elements, smallest first.
    pub fn smallest(k: u64) -> Self {
        Self { smallest: true, ..Self::largest(k) }
    }

    /// Finds `k` elements of each row of a matrix. Rows have `length` elements, and indices are relative to the
    /// start of their row. The results of all rows are concatenated.
    pub fn rows(self, length: u64) -> Self {
        Self { row_length: Some(length), ..self }
    }

    /// Returns the same elements in arbitrary order, in less time. The order may vary between runs.
    pub fn unsorted(self) -> Self {
        Self { sorted: false, ..self }
    }

    /// Selects a method. The default is [`TopKMethod::Auto`].
    pub fn method(self, method: TopKMethod) -> Self {
        Self { method, ..self }
    }

    /// Number of elements to find in each row.
    pub fn k(&self) -> u64 {
        self.k
    }

    /// Number of elements to find in `n` elements: k for each row.
    pub fn output_len(&self, n: u64) -> Result<u64> {
        Ok(self.cut(n)?.0.saturating_mul(self.k))
    }

    /// Returns the number and the length of the rows of an array with `n` elements.
    pub(crate) fn cut(&self, n: u64) -> Result<(u64, u64)> {
        let Some(length) = self.row_length else { return Ok((1, n)) };
        check_rows(n, length)?;
        Ok((n / length.max(1), length))
    }
}

/// Method of a top-k.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TopKMethod {
    /// Chosen by the policy, from k, the number of elements and the number of rows.
    #[default]
    Auto,
    /// One workgroup per row, which reads a long row several times. Suits short rows, or many rows. Longer rows are
    /// divided into parts with one workgroup each, and another workgroup selects from the results of the parts. k
    /// elements must fit in the shared memory of a workgroup.
    Rows,
    /// Estimates a threshold from a sample, reads the array once to collect the elements that reach it, and
    /// selects from these with one workgroup per row. If the estimate was wrong for a row, `Select` processes this
    /// row. k elements must fit in the shared memory of a workgroup.
    Filter,
    /// Finds the k-th largest element digit by digit, with one pass over the array per digit. Then collects the
    /// result, and sorts it unless it is [`unsorted`](TopK::unsorted). Supports any k.
    Select,
}

/// Arrays of a top-k in a graph.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct TopKBuffers {
    pub(super) n: Count,
    pub(super) keys: Buffer,
    pub(super) keys_out: Buffer,
    pub(super) indices_out: Buffer,
}

impl TopKBuffers {
    /// Finds elements of `keys`. Writes the k elements of each row to `keys_out`, and their indices, as `u32`,
    /// to `indices_out`. The outputs must not overlap `keys`, which is not modified.
    pub fn new(keys: Buffer, keys_out: Buffer, indices_out: Buffer) -> Self {
        Self { n: Count::Host(keys.len()), keys, keys_out, indices_out }
    }

    /// Uses only the first `n` elements. `n` is a host count or a device count. Device counts do not support
    /// rows. If a device count is less than k, only that many results are written.
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Checks k, the count, and the sizes of the arrays, for `rows` rows of `length` elements.
    pub(super) fn check(&self, topk: &TopK, key: KeyType, rows: u64, length: u64) -> Result<()> {
        if topk.row_length.is_some() && matches!(self.n, Count::Device { .. }) {
            return Err(Error::RowsOfDeviceCount);
        }
        let n = self.n.max();
        check_limit("number of elements of a top-k", n, MAX_ELEMENTS)?;
        check_k(topk.k, length)?;
        let results = rows.saturating_mul(topk.k);
        check_size("topk.keys", self.keys, key.array_bytes(n))?;
        check_size("topk.keys_out", self.keys_out, key.array_bytes(results))?;
        check_size("topk.indices_out", self.indices_out, results.saturating_mul(WORD))
    }
}

/// Rejects a k that exceeds the length of a row.
pub(crate) fn check_k(k: u64, length: u64) -> Result<()> {
    check_limit("k of a top-k (at most the number of elements or the row length)", k, length)
}

/// Result of a top-k: `Vec`s on the host, or arrays on the device.
#[derive(Debug)]
pub struct TopElements<P: Place, K: Pod> {
    /// The k elements of each row, row by row.
    pub keys: P::Array<K>,
    /// Index of each element in its row.
    pub indices: P::Array<u32>,
    /// Method that was used.
    pub method: TopKMethod,
}

/// The method and number of rows of an added top-k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedTopK {
    /// The method; never `Auto`.
    pub method: TopKMethod,
    /// Number of rows.
    pub rows: u64,
}
