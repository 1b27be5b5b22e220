//! Searches in one call, of arrays on the host or on the device.

use multisplit_graph::Graph;

use super::{Search, SearchBuffers, search};
use crate::device::context::Context;
use crate::error::Result;
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place};
use crate::primitives::key::Key;

/// Positions, where those of `A` are.
type Positions<A> = <<A as Elements>::Place as Place>::Array<u32>;

impl Context {
    /// For each of `needles`, how many elements of `sorted` are less: before which one it could be put, at the
    /// earliest. `sorted` is in ascending order, as a sort leaves it.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.lower_bound(&[1u32, 3, 3, 7], &[0u32, 3, 4, 9])?, [0, 1, 3, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn lower_bound<A, B>(&self, sorted: &A, needles: &B) -> Result<Positions<B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item> + ?Sized,
    {
        self.search_arrays(Search::LowerBound, sorted, needles)
    }

    /// For each of `needles`, how many elements of `sorted` are less or equal: before which one it could be
    /// put, at the latest.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.upper_bound(&[1u32, 3, 3, 7], &[0u32, 3, 4, 9])?, [0, 3, 3, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn upper_bound<A, B>(&self, sorted: &A, needles: &B) -> Result<Positions<B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item> + ?Sized,
    {
        self.search_arrays(Search::UpperBound, sorted, needles)
    }

    fn search_arrays<A, B>(&self, how: Search, sorted: &A, needles: &B) -> Result<Positions<B>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item = A::Item> + ?Sized,
    {
        let (elements, n) = (sorted.count(), needles.count());
        let mut graph = Graph::new("search");
        // Graphs have no empty buffers.
        let within = graph.import::<A::Item>("sorted", elements.max(1));
        let of = graph.import::<A::Item>("needles", n.max(1));
        let to = graph.import::<u32>("positions", n.max(1));
        let buffers = SearchBuffers::new(within, of, to).count(n).sorted_count(elements);
        // What is too long is said before anything is allocated or uploaded.
        search(&mut graph, &self.policy(), how, &buffers)?;
        let positions = Array::<u32>::uninit(self, "positions", n)?;
        if n > 0 {
            let sorted = sorted.on_device(self, "sorted")?;
            let needles = needles.on_device(self, "needles")?;
            let executable = self.instantiate(graph.compile(&self.limits())?)?;
            let bound: [Bound<'_>; 3] =
                [(within, &sorted).into(), (of, &needles).into(), (to, &positions).into()];
            self.run(&executable, &bound)?;
        }
        B::Place::take(self, positions)
    }
}
