//! The offsets of the buckets where they do not come out of a split: a histogram of all ids, and
//! its scan.

use multisplit_shaders::builtin::variants::{MULTISPLIT_COUNT, MULTISPLIT_HISTOGRAM};

use super::chain::EACH;
use super::{MAX_BUCKETS_OF_ROUND, SplitPasses, bind_out_of_range};
use crate::error::Result;
use crate::primitives::{fill, scan};

/// Adds passes that write the offsets, and count the keys whose id is out of range.
pub(super) fn add(job: &mut SplitPasses<'_>) -> Result<()> {
    let m = u64::from(job.split.buckets);
    // One more, so that the scan also gives the end of the last bucket.
    let counts = job.graph.transient::<u32>("multisplit.counts", m + 1);
    fill(job.graph, job.policy, "multisplit.clear", counts, 0)?;
    // As many counters as a round has buckets fit into shared memory.
    let few = job.split.buckets <= MAX_BUCKETS_OF_ROUND;
    let (kernels, parts, keys_of_group) = match few {
        true => {
            let parts = u64::from(job.policy.split.histogram_parts);
            (MULTISPLIT_HISTOGRAM, parts, u64::from(job.sizes.threads * job.sizes.items) * parts)
        }
        false => (MULTISPLIT_COUNT, 1, EACH * u64::from(job.sizes.threads)),
    };
    let groups = job.prepare(|_, lengths, n| lengths.parts(n, keys_of_group))?;
    let (out_of_range, counted) = (job.out_of_range, job.buffers.out_of_range.is_some());
    let prepared = job.prepared;
    let pass = job.pass("multisplit.count", kernels, groups, parts)?.bind("histogram", counts);
    prepared.dispatch(bind_out_of_range(pass, out_of_range, counted), groups);
    scan::exclusive(job.graph, job.policy, counts, job.buffers.offsets, m + 1)
}
