//! Sorts of what fits one tile, by one workgroup each.

use multisplit_graph::{Graph, Groups, View};
use multisplit_shaders::builtin::variants::{SORT_SEGMENTS, SORT_SMALL};

use super::pass::{SortPasses, Work, variant};
use super::{AddedSort, KeyedSort, SortBuffers, SortValues};
use crate::error::Result;
use crate::primitives::Policy;
use crate::primitives::count::{Length, Prepared};

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
        Some((_, count)) => (SORT_SEGMENTS, count),
        None => (SORT_SMALL, 1),
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
