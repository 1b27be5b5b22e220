//! The radix sort of the paper: each round is a multisplit by the next digit.

use super::description::SortValues;
use super::onesweep::{copy_back, needs_copy_back};
use super::parameters::SortPasses;
use crate::error::Result;
use crate::operations::shared::number_elements;
use crate::operations::split::{self, Bucket, Split, SplitBuffers, SplitOutput};

/// Adds the rounds of a sort with digits of `radix_bits` bits.
pub(super) fn add(passes: &mut SortPasses<'_>, radix_bits: u32) -> Result<()> {
    let (policy, sort, buffers) = (passes.policy, passes.sort, passes.buffers);
    let offsets = passes.graph.transient::<u32>("sort.offsets", (1 << radix_bits) + 1);
    let halves = passes.halves();
    if let SortValues::Indices(indices) = buffers.values {
        number_elements(passes.graph, policy, (buffers.n, buffers.keys), indices)?;
    }
    let mut rounds = 0;
    for (shift, bits) in sort.digits(radix_bits) {
        let (from, to) = (rounds as usize % 2, (rounds as usize + 1) % 2);
        let bucket = Bucket::OrderedDigit { shift, bits, descending: sort.descending };
        let split = Split::new(sort.key, 1 << bits, bucket).by(policy.sort.rounds);
        let (keys_in, keys) = (halves.keys[from], halves.keys[to]);
        let output = match (halves.values, buffers.values.bytes()) {
            (Some(both), Some(value_bytes)) => {
                SplitOutput::Pairs { keys, values_in: both[from], values: both[to], value_bytes }
            }
            _ => SplitOutput::Keys(keys),
        };
        let round =
            SplitBuffers { n: buffers.n, keys: keys_in, output, offsets, out_of_range: None };
        split::add(passes.graph, policy, &split, &round)?;
        rounds += 1;
    }
    if needs_copy_back(buffers, rounds) { copy_back(passes, &halves) } else { Ok(()) }
}
