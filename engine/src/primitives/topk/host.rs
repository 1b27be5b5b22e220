//! Top-k in one call, of arrays on the host or on the device.

use bytemuck::Pod;
use multisplit_graph::Graph;

use super::{TopK, TopKBuffers, TopKMethod, topk};
use crate::device::context::Context;
use crate::error::Result;
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place};
use crate::primitives::key::Key;

/// What a top-k gives: `Vec`s of elements on the host, arrays of elements on the device.
#[derive(Debug)]
pub struct TopElements<P: Place, K: Pod> {
    /// The k elements of each row, row after row.
    pub keys: P::Array<K>,
    /// Which elements of their row they are.
    pub indices: P::Array<u32>,
    /// How it was done.
    pub method: TopKMethod,
}

impl Context {
    /// The k largest or smallest of `keys`, of which there are at most 2^30 - 1, or of each row of them.
    /// Of equal elements those with lower indices come first.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// use multisplit::TopK;
    /// let scores = [0.5f32, 0.125, 0.75, 0.5, 0.25, 0.5];
    /// let best = gpu.topk(&scores, &TopK::largest(3))?;
    /// assert_eq!(best.keys, [0.75, 0.5, 0.5]);
    /// assert_eq!(best.indices, [2, 0, 3]);
    /// let of_rows = gpu.topk(&scores, &TopK::smallest(1).rows(3))?;
    /// assert_eq!(of_rows.keys, [0.125, 0.25]);
    /// assert_eq!(of_rows.indices, [1, 1]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn topk<A>(&self, keys: &A, how: &TopK) -> Result<TopElements<A::Place, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let n = keys.count();
        let (rows, _) = how.cut(n)?;
        let mut graph = Graph::new("topk");
        // Graphs have no empty buffers.
        let found = rows.saturating_mul(how.k);
        let keys_buffer = graph.import::<A::Item>("keys", A::Item::TYPE.array_len(n.max(1)));
        let keys_out = graph.import::<A::Item>("keys_out", A::Item::TYPE.array_len(found.max(1)));
        let indices_out = graph.import::<u32>("indices_out", found.max(1));
        let buffers = TopKBuffers::new(keys_buffer, keys_out, indices_out).count(n);
        // What is wrong with the description is said before anything is allocated or uploaded.
        let added = topk(&mut graph, &self.policy(), how, &buffers)?;
        let out = Array::<A::Item>::uninit(self, "keys_out", found)?;
        let indices = Array::<u32>::uninit(self, "indices_out", found)?;
        if found > 0 {
            let keys = keys.on_device(self, "keys")?;
            let executable = self.instantiate(graph.compile(&self.limits())?)?;
            let bound: [Bound<'_>; 3] = [
                (keys_buffer, &keys).into(),
                (keys_out, &out).into(),
                (indices_out, &indices).into(),
            ];
            self.run(&executable, &bound)?;
        }
        Ok(TopElements {
            keys: A::Place::take(self, out)?,
            indices: A::Place::take(self, indices)?,
            method: added.method,
        })
    }
}
