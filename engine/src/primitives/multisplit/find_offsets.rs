//! The offsets of the buckets where they do not come out of the rounds: found in the elements when these
//! are in the order of their buckets, by a search for each.

use multisplit_shaders::builtin::variants::MULTISPLIT_OFFSETS;

use super::{SplitPasses, bind_out_of_range, offsets};
use crate::error::Result;
use crate::primitives::count::Length;

/// Adds the pass that writes the offsets. The keys of the job are those in the order of their buckets;
/// where it is asked how many ids are out of range, they have to be in the order of the keys, too.
pub(super) fn add(job: &mut SplitPasses<'_>) -> Result<()> {
    let threads = job.policy.threads;
    let searches = u64::from(job.split.buckets) + 1;
    let groups = Length::known(searches.div_ceil(u64::from(threads)));
    job.prepare(|_, _, _| Ok(()))?;
    let (out_of_range, counted) = (job.out_of_range, job.buffers.out_of_range.is_some());
    let (prepared, found) = (job.prepared, offsets(job.split, job.buffers));
    let pass = job
        .pass_of("multisplit.offsets", MULTISPLIT_OFFSETS, threads, groups, 1)?
        .bind("offsets", found)
        .specialize("SORTED_BY_KEY", u32::from(counted));
    prepared.dispatch(bind_out_of_range(pass, out_of_range, counted), groups);
    Ok(())
}
