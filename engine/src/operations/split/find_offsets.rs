//! Finds the bucket offsets by binary search in the split elements, for methods whose rounds do not compute them.

use multisplit_shaders::builtin::variants::MULTISPLIT_OFFSETS;

use super::job::{SplitPasses, bind_out_of_range};
use super::passes::offsets;
use crate::error::Result;
use crate::operations::shared::count::Length;

/// Adds the pass that writes the offsets. The keys of `job` must be in bucket order. They must also be sorted by
/// key if ids out of range are counted.
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
