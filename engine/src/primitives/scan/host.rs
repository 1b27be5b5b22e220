//! Scans in one call, of arrays on the host or on the device.

use multisplit_graph::Graph;

use super::{Scan, ScanBuffers, scan};
use crate::device::context::Context;
use crate::error::Result;
use crate::memory::{Array, Elements, Place};
use crate::primitives::key::Key;

impl Context {
    /// The sums of the elements before each element of `input`: an exclusive scan.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.scan(&[3u32, 1, 4, 1, 5])?, [0, 3, 4, 8, 9]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan<A>(&self, input: &A) -> Result<<A::Place as Place>::Array<A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.scan_with(input, &Scan::default())
    }

    /// Scans `input` as `how` says.
    ///
    /// ```
    /// use multisplit::{Operator, Scan};
    /// # let gpu = multisplit::Context::new()?;
    /// let greatest = gpu.scan_with(&[3.0f32, 1.0, 4.0], &Scan::inclusive(Operator::Max))?;
    /// assert_eq!(greatest, [3.0, 3.0, 4.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan_with<A>(&self, input: &A, how: &Scan) -> Result<<A::Place as Place>::Array<A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let n = input.count();
        let (input, output) = (input.on_device(self, "src")?, Array::uninit(self, "dst", n)?);
        if n > 0 {
            let mut graph = Graph::new("scan");
            let [src, dst] = ["src", "dst"].map(|name| graph.import::<A::Item>(name, n));
            scan(&mut graph, &self.policy(), how, &ScanBuffers::new(src, dst))?;
            let executable = self.instantiate(graph.compile(&self.limits())?)?;
            self.run(&executable, &[(src, &input), (dst, &output)])?;
        }
        A::Place::take(self, output)
    }
}
