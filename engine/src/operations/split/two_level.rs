//! Splits into more buckets than one round supports, in two rounds: by the lower half of the id bits, then by the
//! upper half. Both rounds are stable, so the second one keeps the order of the first within its buckets. Each
//! round evaluates the bucket function again.

use super::Split;
use super::chain::Chain;
use super::job::SplitPasses;
use super::passes::one_round;
use super::{Method, method};
use crate::error::Result;

pub(super) fn add(job: &mut SplitPasses<'_>, method: Method) -> Result<()> {
    let (policy, split, function) = (job.policy, job.split, job.function);
    // Equal halves, because the time of a round grows faster than its number of id bits.
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
