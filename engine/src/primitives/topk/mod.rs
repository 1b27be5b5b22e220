//! Top-k: the k largest or smallest elements of an array, or of every row of a matrix, with their
//! indices.
//!
//! [`topk`] declares the passes in a graph: [`TopK`] says how, [`TopKBuffers`] where.
//! [`Context::topk`](crate::Context::topk) does everything in one call. Of equal elements those with
//! lower indices come first, so that results are the same on every device.

mod narrow;
mod passes;
mod plan;
pub(crate) mod sizes;

pub use sizes::TopKTuning;

use bytemuck::Pod;
use multisplit_graph::{Buffer, ElementType, Graph};

use super::Policy;
use super::arrays::{check_element, check_room, check_rows};
use super::count::Count;
use super::key::KeyType;
use crate::error::{Error, Result};
use crate::memory::Place;
use crate::policy::MAX_ELEMENTS;

/// Which elements are wanted, and in which order.
///
/// ```
/// use multisplit::TopK;
///
/// let best = TopK::largest(10);
/// let nearest_of_each_row = TopK::smallest(3).rows(1000);
/// # let _ = (best, nearest_of_each_row);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopK {
    pub(crate) k: u64,
    pub(crate) smallest: bool,
    pub(crate) sorted: bool,
    pub(crate) row_length: Option<u64>,
    pub(crate) method: TopKMethod,
}

impl TopK {
    /// The `k` largest, from large to small. Floats are in the order of `total_cmp`, as they are sorted:
    /// NaN is larger than all others.
    pub fn largest(k: u64) -> Self {
        Self { k, smallest: false, sorted: true, row_length: None, method: TopKMethod::Auto }
    }

    /// The `k` smallest, from small to large.
    pub fn smallest(k: u64) -> Self {
        Self { smallest: true, ..Self::largest(k) }
    }

    /// Of each row of a matrix: the array is cut into rows of `length` elements, and indices count from
    /// where their row begins. Results are one row of k after another.
    #[must_use]
    pub fn rows(self, length: u64) -> Self {
        Self { row_length: Some(length), ..self }
    }

    /// In any order, which may change from run to run: the same elements, in less time.
    #[must_use]
    pub fn unsorted(self) -> Self {
        Self { sorted: false, ..self }
    }

    /// By this method instead of the one that suits.
    #[must_use]
    pub fn method(self, method: TopKMethod) -> Self {
        Self { method, ..self }
    }

    /// k, the elements wanted of each row.
    pub fn k(&self) -> u64 {
        self.k
    }

    /// Cuts `n` elements into rows: how many, and their length.
    pub(crate) fn cut(&self, n: u64) -> Result<(u64, u64)> {
        let Some(length) = self.row_length else { return Ok((1, n)) };
        check_rows(n, length)?;
        Ok((n / length.max(1), length))
    }
}

/// How a top-k is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TopKMethod {
    /// What suits the device, k and the number of elements.
    #[default]
    Auto,
    /// One workgroup for each row, which reads it several times: for short rows, or many. Longer rows are
    /// cut into parts, a workgroup each, and one more selects from what they found. k is at most what
    /// fits the memory of a workgroup.
    Rows,
    /// A bound is guessed from a sample; then one read of everything keeps what passes it, and one
    /// workgroup for each row finishes. Rows for which the guess was wrong are selected exactly. k is at
    /// most what fits the memory of a workgroup.
    Filter,
    /// The k-th largest is found digit by digit, a read of everything for each; then one more read
    /// gathers, and what was gathered is sorted. For any k.
    Select,
}

/// Where the arrays of a top-k are in a graph.
#[derive(Clone, Copy, Debug)]
pub struct TopKBuffers {
    n: Count,
    keys: Buffer,
    keys_out: Buffer,
    indices_out: Buffer,
}

impl TopKBuffers {
    /// Of all that `keys` has, k elements of each row go to `keys_out` and their indices, of `u32`, to
    /// `indices_out`. Neither overlaps `keys`, which stays as it is.
    pub fn new(keys: Buffer, keys_out: Buffer, indices_out: Buffer) -> Self {
        Self { n: Count::Host(keys.len()), keys, keys_out, indices_out }
    }

    /// Of the first `n` elements, by a host count or a device count. A device count is one row; where it
    /// is below k, only as many results are written.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }
}

/// What a top-k gives: `Vec`s of elements on the host, arrays of elements on the device.
#[derive(Debug)]
pub struct TopElements<P: Place, K: Pod> {
    /// The k elements of each row, row after row.
    pub keys: P::Array<K>,
    /// Which elements of their row they are.
    pub indices: P::Array<u32>,
    /// How it was done.
    pub method: TopKMethod,
}

/// What [`topk`] chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedTopK {
    /// The method; never `Auto`.
    pub method: TopKMethod,
    /// Rows.
    pub rows: u64,
}

/// Adds the passes of a top-k to the graph. k is at most the length of a row, or the most that a device
/// count can be; none is wanted of an empty array.
pub fn topk(
    graph: &mut Graph,
    policy: &Policy,
    topk: &TopK,
    buffers: &TopKBuffers,
) -> Result<AddedTopK> {
    let key = KeyType::of("keys", buffers.keys)?;
    check_element("keys_out", buffers.keys_out, buffers.keys.element())?;
    check_element("indices_out", buffers.indices_out, ElementType::U32)?;
    policy.check()?;
    policy.topk.check_on(&policy.facts)?;
    let (rows, length) = topk.cut(buffers.n.max())?;
    check(topk, buffers, key, (rows, length))?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    // Narrow keys are words that compare like them.
    let words = if key.is_narrow() { KeyType::U32 } else { key };
    let shape = plan::Shape { key: words, rows, length, k: topk.k };
    let method = plan::choose(policy, topk, &shape)?;
    let added = AddedTopK { method, rows };
    tracing::debug!(?added, n = ?buffers.n, k = topk.k, "topk");
    if rows > 0 && length > 0 && topk.k > 0 {
        if key.is_narrow() {
            narrow::add(graph, policy, topk, (key, buffers), &shape, method)?;
        } else {
            passes::add(graph, policy, topk, buffers, &shape, method)?;
        }
    }
    Ok(added)
}

fn check(
    topk: &TopK,
    buffers: &TopKBuffers,
    key: KeyType,
    (rows, length): (u64, u64),
) -> Result<()> {
    let n = buffers.n.max();
    if topk.row_length.is_some() && matches!(buffers.n, Count::Device { .. }) {
        return Err(Error::RowsOfDeviceCount);
    }
    if n > MAX_ELEMENTS {
        return Err(Error::TooLarge { what: "number of elements", asked: n, limit: MAX_ELEMENTS });
    }
    check_k(topk.k, length)?;
    let wanted = rows.saturating_mul(topk.k);
    for (name, buffer, needed) in [
        ("topk.keys", buffers.keys, key.array_bytes(n)),
        ("topk.keys_out", buffers.keys_out, key.array_bytes(wanted)),
        ("topk.indices_out", buffers.indices_out, wanted.saturating_mul(4)),
    ] {
        check_room(name, buffer, needed)?;
    }
    Ok(())
}

/// Rejects a k that exceeds the length of a row.
pub(crate) fn check_k(k: u64, length: u64) -> Result<()> {
    if k <= length {
        return Ok(());
    }
    Err(Error::TooLarge { what: "k of a row of elements", asked: k, limit: length })
}
