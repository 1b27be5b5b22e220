//! The arrays of a split in a graph.

use multisplit_graph::{Buffer, ElementType};

use crate::elements::key::value_bytes;
use crate::error::Result;
use crate::operations::shared::checks::check_element;
use crate::operations::shared::count::Count;

/// The arrays of a split in a graph. No output may overlap an input.
#[derive(Clone, Copy, Debug)]
pub struct SplitBuffers {
    pub(in crate::operations) n: Count,
    pub(in crate::operations) keys: Buffer,
    pub(in crate::operations) output: SplitOutput,
    pub(in crate::operations) offsets: Buffer,
    pub(in crate::operations) out_of_range: Option<Buffer>,
}

impl SplitBuffers {
    /// `keys_out` receives the keys in bucket order. `offsets` (m + 1 words) receives the offset of each bucket,
    /// then n.
    pub fn keys(keys: Buffer, keys_out: Buffer, offsets: Buffer) -> Self {
        Self::new(keys, SplitOutput::Keys(keys_out), offsets)
    }

    /// Like [`keys`](Self::keys()); `values_out` receives the values in the order of the keys.
    pub fn pairs(
        (keys, values): (Buffer, Buffer),
        (keys_out, values_out): (Buffer, Buffer),
        offsets: Buffer,
    ) -> Self {
        let value_bytes = values.element().bytes().unwrap_or(0);
        let output = SplitOutput::Pairs {
            keys: keys_out,
            values_in: values,
            values: values_out,
            value_bytes,
        };
        Self::new(keys, output, offsets)
    }

    /// Word i of `permutation` receives the destination index of element i. No element is moved.
    pub fn permutation(keys: Buffer, permutation: Buffer, offsets: Buffer) -> Self {
        Self::new(keys, SplitOutput::Permutation(permutation), offsets)
    }

    fn new(keys: Buffer, output: SplitOutput, offsets: Buffer) -> Self {
        Self { n: Count::Host(keys.len()), keys, output, offsets, out_of_range: None }
    }

    /// Limits the split to the first `n` elements, given as a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Sets a buffer of one word that receives the number of keys whose bucket id is m or more. Such keys are put
    /// into the last bucket. If the number is not zero, the output is invalid.
    #[must_use]
    pub fn out_of_range(self, keys: Buffer) -> Self {
        Self { out_of_range: Some(keys), ..self }
    }

    /// Checks the element types of all arrays.
    pub(in crate::operations) fn check_types(&self) -> Result<()> {
        let words = |name, buffer| check_element(name, buffer, ElementType::U32);
        words("offsets", self.offsets)?;
        self.out_of_range.map_or(Ok(()), |buffer| words("out_of_range", buffer))?;
        let key = self.keys.element();
        match self.output {
            SplitOutput::Keys(out) => check_element("keys.out", out, key),
            SplitOutput::Permutation(out) => words("permutation", out),
            SplitOutput::Pairs { keys, values_in, values, .. } => {
                check_element("keys.out", keys, key)?;
                value_bytes(values_in)?;
                check_element("values.out", values, values_in.element())
            }
        }
    }
}

/// Output arrays of a split; for pairs, also the input values.
#[derive(Clone, Copy, Debug)]
pub(in crate::operations) enum SplitOutput {
    Keys(Buffer),
    Pairs { keys: Buffer, values_in: Buffer, values: Buffer, value_bytes: u32 },
    Permutation(Buffer),
}
