//! Sorts of arrays that fit in one tile, by a single workgroup.

use multisplit_graph::{Graph, Groups};
use multisplit_shaders::builtin::variants::SORT_SMALL;

use super::pass::{SortPasses, Work, variant};
use super::{AddedSort, KeyedSort, SortBuffers};
use crate::error::Result;
use crate::operations::shared::count::{Length, Prepared};
use crate::policy::Policy;

pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    added: AddedSort,
) -> Result<()> {
    let n = Length::known(buffers.n.max());
    let prepared = Prepared::default();
    let shape = added.shape;
    let mut job = SortPasses { graph, policy, sort, buffers, shape, n, prepared };
    let by = job.all_digits();
    let work = Work { subproblems: Length::known(1), parts: 1, round: added.rounds, by };
    let pass = job
        .pass("sort.small", variant(buffers.values, SORT_SMALL), &work, &[])?
        .bind("keys", buffers.keys.range(0, n.max * u64::from(sort.key.bytes())));
    buffers.values.bind(pass, policy, n.max)?.dispatch(Groups::linear(1));
    Ok(())
}
