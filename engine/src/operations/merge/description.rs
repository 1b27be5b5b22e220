//! Order and arrays of a merge.

use multisplit_graph::Buffer;

use crate::elements::key::{KeyType, value_bytes};
use crate::error::Result;
use crate::operations::shared::{Count, check_element, check_limit, check_size};

/// Order of both inputs and of the output. Floats are ordered like `total_cmp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Merge {
    /// Smallest first.
    #[default]
    Ascending,
    /// Largest first.
    Descending,
}

/// Arrays of a merge in a graph. The output must not overlap an input.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct MergeBuffers {
    pub(super) counts: [Count; 2],
    /// The two inputs, then the output.
    pub(super) keys: [Buffer; 3],
    pub(super) values: Option<[Buffer; 3]>,
}

impl MergeBuffers {
    /// Merges the keys of `first` and `second` into `out`, which must have room for both. If an input is not sorted,
    /// each element of the output is still a key of an input, but some keys may be duplicated and others missing.
    pub fn keys(first: Buffer, second: Buffer, out: Buffer) -> Self {
        let counts = [Count::Host(first.len()), Count::Host(second.len())];
        Self { counts, keys: [first, second, out], values: None }
    }

    /// Moves values along with the keys, from `first` and `second` to `out`.
    pub fn values(self, first: Buffer, second: Buffer, out: Buffer) -> Self {
        Self { values: Some([first, second, out]), ..self }
    }

    /// Merges only the first elements of each array. The counts are host counts or device counts.
    pub fn counts(self, first: impl Into<Count>, second: impl Into<Count>) -> Self {
        Self { counts: [first.into(), second.into()], ..self }
    }

    /// Maximum number of elements of the first input, of the second input, and of the output.
    pub(super) fn max_counts(&self) -> [u64; 3] {
        let [a, b] = self.counts.map(Count::max);
        [a, b, a.saturating_add(b)]
    }

    pub(super) fn check(&self) -> Result<KeyType> {
        let [first, second, out] = self.keys;
        let key = KeyType::wide_of("first", first)?;
        check_element("second", second, key.into())?;
        check_element("out", out, key.into())?;
        let what = "number of elements of a merge";
        check_limit(what, self.max_counts()[2], u32::MAX)?;
        self.check_sizes(["first", "second", "out"], self.keys, key.bytes())?;
        if let Some([first, second, out]) = self.values {
            let bytes = value_bytes(first)?;
            check_element("second_values", second, first.element())?;
            check_element("values_out", out, first.element())?;
            let names = ["first.values", "second.values", "values_out"];
            self.check_sizes(names, [first, second, out], bytes)?;
        }
        Ok(key)
    }

    fn check_sizes(&self, names: [&str; 3], arrays: [Buffer; 3], bytes: u32) -> Result<()> {
        for ((name, array), n) in names.into_iter().zip(arrays).zip(self.max_counts()) {
            check_size(&format!("merge.{name}"), array, n * u64::from(bytes))?;
        }
        Ok(())
    }
}
