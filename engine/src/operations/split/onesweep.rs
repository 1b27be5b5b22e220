//! One-sweep method, an addition to the paper: one histogram of the whole input, then a single pass that ranks
//! each tile, finds its offsets by look-back, and writes its elements.

use multisplit_shaders::builtin::variants::{MULTISPLIT_HISTOGRAM, MULTISPLIT_ONESWEEP};

use super::job::{SplitPasses, bind_out_of_range, bind_output, variant};
use super::passes::WORD;
use crate::error::Result;
use crate::operations::shared::fill::Filling;

/// Words before the status of the tiles: the ticket and its padding.
const STATUS_HEAD: u64 = 4;
/// Maximum offset alignment that Vulkan allows a device to require.
const STATUS_ALIGNMENT: u64 = 256;

pub(super) fn add(job: &mut SplitPasses<'_>) -> Result<()> {
    let tile = u64::from(job.sizes.threads * job.sizes.items);
    let m = u64::from(job.split.buckets);
    // A key takes one loop iteration, and the search for its bucket up to eight more.
    let tiles = job.policy.facts.max_loop_rounds / (9 * job.sizes.items).max(1);
    let parts = u64::from(job.policy.split.histogram_parts.min(tiles).max(1));
    // Counts and status share a buffer, so that one pass clears both.
    let words = m.next_multiple_of(STATUS_ALIGNMENT / WORD);
    let (tiles, blocks, clear) = job.prepare(|job, lengths, n| {
        // At least one tile, even if it is empty: the first tile writes the offsets.
        let tiles = lengths.some_parts(n, tile)?;
        let blocks = lengths.parts(n, tile * parts)?;
        let cleared = lengths.scaled(tiles, m, words + STATUS_HEAD)?;
        Ok((tiles, blocks, Filling::plan(job.policy, lengths, cleared)?))
    })?;
    let prepared = job.prepared;
    let status_words = STATUS_HEAD + tiles.max * m;
    let counts_and_status = job.graph.transient::<u32>("multisplit.status", words + status_words);
    clear.add(job.graph, job.policy, prepared, "multisplit.clear", counts_and_status, 0)?;
    let histogram = counts_and_status.elements::<u32>(0, m);
    let status = counts_and_status.elements::<u32>(words, status_words);

    let (out_of_range, counted) = (job.out_of_range, job.buffers.out_of_range.is_some());
    let pass = job.pass("multisplit.histogram", MULTISPLIT_HISTOGRAM, blocks, parts)?;
    let pass = pass.bind("histogram", histogram);
    prepared.dispatch(bind_out_of_range(pass, out_of_range, counted), blocks);

    let (split, buffers) = (job.split, job.buffers);
    let kernels = variant(&buffers.output, MULTISPLIT_ONESWEEP);
    let pass = job.pass("multisplit.onesweep", kernels, tiles, 1)?;
    let pass = pass.bind("histogram", histogram).bind("status", status);
    prepared.dispatch(bind_output(pass, split, buffers), tiles);
    Ok(())
}
