//! Sorts of what fits one tile, by one workgroup each.

use multisplit_graph::{Graph, Groups, View};
use multisplit_shaders::builtin as kernels;

use super::pass::{Kernels, SortPasses, Work, variant};
use super::{AddedSort, KeyedSort, SortBuffers, SortValues};
use crate::error::Result;
use crate::primitives::Policy;
use crate::primitives::count::{Length, Prepared};

static SEGMENTS: [Kernels; 2] = [
    [&kernels::SORT_SEGMENTS_KEYS, &kernels::SORT_SEGMENTS_KEYS_KEY64],
    [&kernels::SORT_SEGMENTS_PAIRS, &kernels::SORT_SEGMENTS_PAIRS_KEY64],
];
static SMALL: [Kernels; 2] = [
    [&kernels::SORT_SMALL_KEYS, &kernels::SORT_SMALL_KEYS_KEY64],
    [&kernels::SORT_SMALL_PAIRS, &kernels::SORT_SMALL_PAIRS_KEY64],
];

pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    added: AddedSort,
) -> Result<()> {
    let n = Length::known(buffers.n.max());
    let prepared = Prepared::default();
    let job = SortPasses { graph, policy, sort, buffers, shape: added.shape, n, prepared };
    one_tile_each(job, None, added.rounds)
}

/// Sorts the array; or each of its segments, none of which is larger than a tile, and whose number
/// comes with where they begin.
pub(super) fn one_tile_each(
    mut job: SortPasses<'_>,
    segments: Option<(View, u64)>,
    rounds: u32,
) -> Result<()> {
    let (sort, buffers, n) = (job.sort, job.buffers, job.n.most);
    let (kernels, groups) = match segments {
        Some((_, count)) => (SEGMENTS, count),
        None => (SMALL, 1),
    };
    let by = job.all_digits();
    let work = Work { subproblems: Length::known(groups), parts: 1, round: rounds, by };
    let mut pass = job.pass("sort.small", variant(buffers.values, kernels), &work, &[])?;
    pass = pass.bind("keys", buffers.keys.range(0, n * u64::from(sort.key.bytes())));
    if let Some((values, bytes)) = buffers.values.buffer() {
        let values = values.range(0, n * u64::from(bytes));
        // Numbers are only written.
        pass = match buffers.values {
            SortValues::Indices(_) => pass.scratch("values", values),
            _ => pass.bind("values", values),
        };
    }
    if let Some((begins, _)) = segments {
        pass = pass.bind("begins", begins);
    }
    pass.dispatch(Groups::linear(groups));
    Ok(())
}
