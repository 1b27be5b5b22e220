//! More buckets than one split can have, in two rounds: first by the lower half of the bits of the
//! ids, then by the upper half. Both are stable, so the second leaves the order of the first as it
//! is within its buckets. The bucket function is evaluated anew in each round.

use super::chain::Chain;
use super::{Method, method};
use super::{Split, SplitPasses, one_round};
use crate::error::Result;

pub(super) fn add(job: &mut SplitPasses<'_>, method: Method) -> Result<()> {
    let (policy, split, function) = (job.policy, job.split, job.function);
    // Two halves alike: the time of a split grows faster than the bits of its ids.
    let low_bits = method::bucket_bits(split.buckets) / 2;
    let parts = [(0, 1 << low_bits), (low_bits, split.buckets.div_ceil(1 << low_bits))];
    let chain = Chain::new(job.graph, policy, split, job.buffers, parts.len() as u32)?;
    for (buffers, (shift, buckets)) in chain.rounds.iter().zip(parts) {
        let split = Split { buckets, ..split.clone() };
        let sizes = method::sizes(policy, method, &split, buffers);
        let mut round = SplitPasses::new(job.graph, policy, &split, buffers, function, sizes);
        round.part_shift = Some(shift);
        one_round(&mut round, method)?;
    }
    chain.finish(job)
}
