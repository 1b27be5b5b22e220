//! A network in the device's memory.

use multisplit::{Array, Context};

use crate::error::Result;
use crate::network::{Arc, Network, WeightKind};

/// A network in the device's memory. Clones share it.
#[derive(Clone)]
pub struct DeviceNetwork {
    pub(crate) rows: Array<u32>,
    pub(crate) arcs: Array<Arc>,
    pub(crate) facts: Facts,
}

/// Mean degrees that a vertex of an even network has at most. Meshes have two to four; networks of people, and of
/// pages that refer to each other, hundreds.
const EVEN: f64 = 8.0;

/// What is to be known of a network for planning a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facts {
    pub vertices: u32,
    pub arcs: u64,
    pub edges: u64,
    pub kind: WeightKind,
    pub mean_weight: f64,
    pub mean_degree: f64,
    pub max_degree: u32,
}

impl Facts {
    pub fn of(network: &Network) -> Self {
        Self {
            vertices: network.vertices(),
            arcs: network.arcs().len() as u64,
            edges: network.edges(),
            kind: network.kind(),
            mean_weight: network.mean_weight(),
            mean_degree: network.mean_degree(),
            max_degree: network.max_degree(),
        }
    }

    /// Whether no vertex has many more arcs than the others: roads, grids and meshes. Ways are long there, and
    /// what a search takes is the number of its rounds.
    pub fn is_even(&self) -> bool {
        f64::from(self.max_degree) <= EVEN * self.mean_degree
    }

    /// Elements of the buffer of arcs: there are no empty buffers.
    pub fn arcs_held(&self) -> u64 {
        self.arcs.max(1)
    }
}

impl DeviceNetwork {
    /// Copies a network to the device.
    pub fn upload(context: &Context, network: &Network) -> Result<Self> {
        let facts = Facts::of(network);
        let rows = Array::uninit(context, "sssp.rows", network.rows().len() as u64)?;
        context.write(&rows, 0, network.rows())?;
        let arcs = Array::uninit(context, "sssp.arcs", facts.arcs_held())?;
        context.write(&arcs, 0, network.arcs())?;
        Ok(Self { rows, arcs, facts })
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> u32 {
        self.facts.vertices
    }

    /// How many arcs there are.
    pub fn arcs(&self) -> u64 {
        self.facts.arcs
    }

    /// How many edges the network was made from: an undirected edge counts once.
    pub fn edges(&self) -> u64 {
        self.facts.edges
    }
}
