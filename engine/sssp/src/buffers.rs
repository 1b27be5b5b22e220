//! Buffers of a search: imports of a graph, and arrays on the device.

use multisplit::graph::{Buffer, Graph};
use multisplit::{Array, Bound, Context, Readback};

use crate::device_network::DeviceNetwork;
use crate::error::Result;
use crate::network::Arc;
use crate::shape::Shape;
use crate::statistics::{CONTROL_WORDS, COUNT_STRIDE, WORDS_BEFORE_COUNTS};

/// Maximum number of rounds whose sizes are recorded for [`RoundSize`](crate::RoundSize).
pub(crate) const HISTORY: u64 = 1 << 14;
/// Words of two `VkDispatchIndirectCommand`s: one for the round, and one for the pass that filters
/// the pile.
const ARGUMENT_WORDS: u64 = 6;

/// Graph imports of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Imports {
    pub rows: Buffer,
    pub arcs: Buffer,
    pub distances: Buffer,
    /// Control block of the kernels: the state of the search, its statistics, and the queue counts.
    pub control: Buffer,
    /// Indirect dispatch arguments of even and odd rounds. Each round writes those of the next
    /// round.
    pub groups: [Buffer; 2],
    /// Size and threshold of each round.
    pub history: Buffer,
    pub queues: Buffer,
    /// Entries beyond the near set (the pile). Used only by methods that split the pile in separate
    /// passes.
    pub pile: Buffer,
    /// Source vertex of the search: one word.
    pub request: Buffer,
    /// Receives the first words of the control block, for the host.
    pub status: Buffer,
}

impl Imports {
    pub fn new(graph: &mut Graph, shape: &Shape) -> Self {
        let vertices = u64::from(shape.facts.vertices);
        Self {
            rows: graph.import::<u32>("sssp.rows", vertices + 1),
            arcs: graph.import::<Arc>("sssp.arcs", shape.facts.arcs_held()),
            distances: graph.import::<u32>("sssp.distances", vertices),
            control: graph.import::<u32>("sssp.control", control_words(shape)),
            groups: [
                graph.import::<u32>("sssp.groups.even", ARGUMENT_WORDS),
                graph.import::<u32>("sssp.groups.odd", ARGUMENT_WORDS),
            ],
            history: graph.import::<[u32; 2]>("sssp.history", HISTORY),
            queues: graph.import::<[u32; 2]>("sssp.queues", shape.entries()),
            pile: graph.import::<[u32; 2]>("sssp.pile", shape.pile_entries()),
            request: graph.import::<u32>("sssp.request", 1),
            status: graph.import::<u32>("sssp.status", CONTROL_WORDS),
        }
    }
}

fn control_words(shape: &Shape) -> u64 {
    WORDS_BEFORE_COUNTS + COUNT_STRIDE * u64::from(shape.queues())
}

/// Device arrays of a search.
pub(crate) struct Buffers {
    network: DeviceNetwork,
    pub distances: Array<u32>,
    control: Array<u32>,
    groups: [Array<u32>; 2],
    pub history: Array<[u32; 2]>,
    queues: Array<u32>,
    pile: Array<u32>,
    pub request: Array<u32>,
    /// The first words of the control block, copied for the host.
    pub status: Readback<u32>,
}

impl Buffers {
    pub fn new(context: &Context, network: &DeviceNetwork, shape: &Shape) -> Result<Self> {
        let words = |name: &str, count: u64| Array::<u32>::uninit(context, name, count);
        Ok(Self {
            network: network.clone(),
            distances: words("sssp.distances", shape.facts.vertices.into())?,
            control: words("sssp.control", control_words(shape))?,
            groups: [
                words("sssp.groups.even", ARGUMENT_WORDS)?,
                words("sssp.groups.odd", ARGUMENT_WORDS)?,
            ],
            history: Array::uninit(context, "sssp.history", HISTORY)?,
            queues: words("sssp.queues", 2 * shape.entries())?,
            pile: words("sssp.pile", 2 * shape.pile_entries())?,
            request: words("sssp.request", 1)?,
            status: Readback::new(context, "sssp.status", CONTROL_WORDS)?,
        })
    }

    /// Binds every import, including those that the passes of a plan do not use.
    pub fn bind(&self, imports: &Imports) -> Vec<Bound<'_>> {
        vec![
            (imports.rows, &self.network.rows).into(),
            (imports.arcs, &self.network.arcs).into(),
            (imports.distances, &self.distances).into(),
            (imports.control, &self.control).into(),
            (imports.groups[0], &self.groups[0]).into(),
            (imports.groups[1], &self.groups[1]).into(),
            (imports.history, &self.history).into(),
            (imports.queues, &self.queues).into(),
            (imports.pile, &self.pile).into(),
            (imports.request, &self.request).into(),
            (imports.status, &self.status).into(),
        ]
    }
}
