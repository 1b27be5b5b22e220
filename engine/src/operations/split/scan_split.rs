//! The scan-based split, a baseline of the paper, in its recursive form: ceil(log2 m) rounds, each splitting by
//! one bit of the ids. A round flags the elements, scans the flags, and moves each element to the offset that
//! follows from the scan.

use multisplit_shaders::builtin::variants;

use super::chain::{Chain, EACH};
use super::job::bind_elements;
use super::job::{SplitPasses, bind_out_of_range};
use super::{SplitOutput, method};
use crate::error::Result;
use crate::operations::scan::ScanPlan;

pub(super) fn add(job: &mut SplitPasses<'_>) -> Result<()> {
    let (policy, split, function, sizes) = (job.policy, job.split, job.function, job.sizes);
    let rounds = method::bucket_bits(split.buckets);
    let chain = Chain::new(job.graph, policy, split, job.buffers, rounds)?;
    let mut round = SplitPasses::new(job.graph, policy, split, job.buffers, function, sizes);
    let (scan, flag_groups, groups) = round.prepare(|job, lengths, n| {
        let of_group = EACH * u64::from(job.sizes.threads);
        let flags = lengths.scaled(n, 1, 1)?;
        let flag_groups = lengths.parts(flags, of_group)?;
        let scan = ScanPlan::of_words(job.policy, lengths, flags)?;
        Ok((scan, flag_groups, lengths.parts(n, of_group)?))
    })?;
    let (n, prepared) = (round.n, round.prepared);
    let flags = round.graph.transient::<u32>("multisplit.flags", n.max + 1);
    let scanned = round.graph.transient::<u32>("multisplit.scanned", n.max + 1);
    let uncounted = round.graph.transient::<u32>("multisplit.out_of_range", 1);
    for (buffers, bit) in chain.rounds.iter().zip(0..) {
        round.buffers = buffers;
        let pass = round
            .pass("multisplit.flags", variants::MULTISPLIT_FLAGS, n, bit)?
            .bind("flags", flags);
        let (counted, wanted) = match buffers.out_of_range {
            Some(out_of_range) => (out_of_range, true),
            None => (uncounted, false),
        };
        let pass = bind_out_of_range(pass, counted, wanted);
        prepared.dispatch(pass, flag_groups);
        scan.add(round.graph, policy, prepared, flags, scanned)?;
        let [keys, pairs] = variants::MULTISPLIT_FLAG_SCATTER;
        let kernels = match buffers.output {
            SplitOutput::Pairs { .. } => pairs,
            _ => keys,
        };
        let pass = round.pass("multisplit.scatter", kernels, n, 1)?.bind("scanned", scanned);
        prepared.dispatch(bind_elements(pass, split, buffers), groups);
    }
    chain.finish(job)
}
