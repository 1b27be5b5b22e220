//! Scans in one call, of arrays on the host or on the device.

use multisplit_graph::{Buffer, Graph};

use super::{Scan, ScanBuffers, scan};
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::execute::import::Bound;
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

    /// Scans each run of elements of `values` with equal `keys` on its own, as `how` says; there is a key
    /// for each element.
    ///
    /// ```
    /// use multisplit::{Operator, Scan};
    /// # let gpu = multisplit::Context::new()?;
    /// let sums = gpu.scan_by_key(&[7u64, 7, 2, 2], &[3u32, 1, 4, 1], &Scan::inclusive(Operator::Sum))?;
    /// assert_eq!(sums, [3, 4, 4, 5]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan_by_key<A, B>(
        &self,
        keys: &A,
        values: &B,
        how: &Scan,
    ) -> Result<<B::Place as Place>::Array<B::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        self.scan_segments(keys, values, how, ScanBuffers::keys)
    }

    /// Scans the segments of `values` that begin where `heads` is not zero; there is a word for each
    /// element.
    ///
    /// ```
    /// use multisplit::{Operator, Scan};
    /// # let gpu = multisplit::Context::new()?;
    /// let sums = gpu.scan_by_heads(&[1, 0, 1, 0], &[3.0f32, 1.0, 4.0, 1.0], &Scan::default())?;
    /// assert_eq!(sums, [0.0, 3.0, 0.0, 4.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn scan_by_heads<A, B>(
        &self,
        heads: &A,
        values: &B,
        how: &Scan,
    ) -> Result<<B::Place as Place>::Array<B::Item>>
    where
        A: Elements<Item = u32> + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        self.scan_segments(heads, values, how, ScanBuffers::heads)
    }

    fn scan_segments<A, B>(
        &self,
        segments: &A,
        values: &B,
        how: &Scan,
        with: fn(ScanBuffers, Buffer) -> ScanBuffers,
    ) -> Result<<B::Place as Place>::Array<B::Item>>
    where
        A: Elements + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        let n = values.count();
        if segments.count() != n {
            let (name, len) = ("keys", segments.count());
            return Err(Error::LengthMismatch { name, len, other: "values", other_len: n });
        }
        let (keys, input) = (segments.on_device(self, "keys")?, values.on_device(self, "src")?);
        let output = Array::uninit(self, "dst", n)?;
        if n > 0 {
            let mut graph = Graph::new("scan by key");
            let by = graph.import::<A::Item>("keys", n);
            let [src, dst] = ["src", "dst"].map(|name| graph.import::<B::Item>(name, n));
            let buffers = with(ScanBuffers::new(src, dst), by);
            scan(&mut graph, &self.policy(), how, &buffers)?;
            let executable = self.instantiate(graph.compile(&self.limits())?)?;
            let bound: [Bound<'_>; 3] =
                [(by, &keys).into(), (src, &input).into(), (dst, &output).into()];
            self.run(&executable, &bound)?;
        }
        B::Place::take(self, output)
    }
}
