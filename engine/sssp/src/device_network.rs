//! A network in device memory.

use multisplit::{Array, Context};

use crate::error::Result;
use crate::network::{Arc, Network, NetworkError, WeightKind};

/// A network in device memory. Clones share the memory.
#[derive(Clone)]
pub struct DeviceNetwork {
    pub(crate) rows: Array<u32>,
    pub(crate) arcs: Array<Arc>,
    pub(crate) facts: Facts,
}

/// Maximum ratio of the maximum degree to the mean degree in an even network. The ratio is two to
/// four in meshes, and in the hundreds in social networks and web graphs.
const MAX_EVEN_RATIO: f64 = 8.0;

/// Properties of a network.
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

    /// Whether all vertices have a similar number of arcs, as in roads, grids and meshes. Paths in
    /// such networks are long, so the number of rounds determines the time of a search.
    pub fn is_even(&self) -> bool {
        f64::from(self.max_degree) <= MAX_EVEN_RATIO * self.mean_degree
    }

    /// Returns an error if the array of rows or of arcs would exceed `max` bytes, the largest binding
    /// of the device.
    fn check_size(&self, max: u64) -> Result<()> {
        let check = |what, asked: u64, limit: u64| match asked > limit {
            true => Err(NetworkError::TooLarge { what, asked, limit }),
            false => Ok(()),
        };
        let max_rows = max / size_of::<u32>() as u64;
        check("vertices", self.vertices.into(), max_rows.saturating_sub(1))?;
        Ok(check("arcs", self.arcs, max / size_of::<Arc>() as u64)?)
    }

    /// Length of the arc buffer. At least 1, because buffers cannot be empty.
    pub fn arcs_held(&self) -> u64 {
        self.arcs.max(1)
    }
}

impl DeviceNetwork {
    /// Copies a network to the device. Returns [`NetworkError::TooLarge`] if one of its arrays would
    /// exceed the device's largest binding.
    pub fn upload(context: &Context, network: &Network) -> Result<Self> {
        let facts = Facts::of(network);
        facts.check_size(context.policy().facts().max_storage_range)?;
        let rows = Array::uninit(context, "sssp.rows", network.rows().len() as u64)?;
        context.write(&rows, 0, network.rows())?;
        let arcs = Array::uninit(context, "sssp.arcs", facts.arcs_held())?;
        context.write(&arcs, 0, network.arcs())?;
        Ok(Self { rows, arcs, facts })
    }

    /// Number of vertices.
    pub fn vertices(&self) -> u32 {
        self.facts.vertices
    }

    /// Number of arcs.
    pub fn arcs(&self) -> u64 {
        self.facts.arcs
    }

    /// Number of edges in the list that the network was built from. An undirected edge counts once.
    pub fn edges(&self) -> u64 {
        self.facts.edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_a_network_fit_in_the_largest_binding() {
        let facts = |vertices, arcs| Facts {
            vertices,
            arcs,
            edges: arcs,
            kind: WeightKind::U32,
            mean_weight: 1.0,
            mean_degree: 1.0,
            max_degree: 1,
        };
        for (vertices, arcs, too_many) in
            [(31, 16, None), (32, 0, Some("vertices")), (1, 17, Some("arcs"))]
        {
            let found = facts(vertices, arcs).check_size(128);
            match too_many {
                None => assert!(found.is_ok(), "{vertices} vertices and {arcs} arcs are refused"),
                Some(what) => assert!(
                    found.is_err_and(|error| error.to_string().contains(what)),
                    "{vertices} vertices and {arcs} arcs are not refused"
                ),
            }
        }
    }
}
