//! Edges of splits and histograms that each recording can set.

use multisplit_graph::{Buffer, Graph};

use crate::error::Result;
use crate::execute::recorder::PassValue;
use crate::operations::shared::check_limit;

/// Maximum size in bytes of a table that a recording writes: the limit of `vkCmdUpdateBuffer`.
const MAX_TABLE_BYTES: u64 = 65_536;

/// The values that the passes of a settable split or histogram need for other edges
/// ([`Buckets::edge_values`](crate::Buckets::edge_values), [`Bins::edge_values`](crate::Bins::edge_values)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeValues {
    pub(in crate::operations) kind: u32,
    pub(in crate::operations) push: Option<(&'static str, Vec<u32>)>,
    pub(in crate::operations) table: Option<(&'static str, Vec<u32>)>,
}

impl EdgeValues {
    /// The name of a push constant, and the values of this and the following push constants, for each pass whose
    /// kernel has it. Such passes take values if the graph declares them settable
    /// ([`Graph::settable_with`](crate::graph::Graph::settable_with)). `None` if the push constants do not depend on
    /// the edges.
    pub fn push(&self) -> Option<(&'static str, &[u32])> {
        self.push.as_ref().map(|(member, words)| (*member, words.as_slice()))
    }

    /// The value of the pass that writes the table of edges. `None` if there is no such pass.
    pub fn table(&self) -> Option<PassValue<'_>> {
        let (pass, words) = self.table.as_ref()?;
        Some(PassValue { pass, bytes: bytemuck::cast_slice(words) })
    }

    /// Whether a plan for the edges of `planned` can be recorded with these values. If not, these edges need
    /// another plan.
    pub fn fit(&self, planned: &Self) -> bool {
        let len = |part: &Option<(&str, Vec<u32>)>| part.as_ref().map(|(_, words)| words.len());
        self.kind == planned.kind
            && len(&self.push) == len(&planned.push)
            && len(&self.table) == len(&planned.table)
    }
}

/// Declares a table. A settable table is written by a pass with this label in each run; otherwise the table is a
/// constant.
pub fn edge_table(
    graph: &mut Graph,
    label: &'static str,
    words: &[u32],
    settable: bool,
) -> Result<Buffer> {
    if !settable {
        return Ok(graph.constant(label, words));
    }
    let bytes: &[u8] = bytemuck::cast_slice(words);
    check_limit("number of bytes of settable edges", bytes.len() as u64, MAX_TABLE_BYTES)?;
    let table = graph.transient::<u32>(label, words.len() as u64);
    let update = graph.update(label, table, bytes);
    graph.settable(update);
    Ok(table)
}
