//! Selections in one call, of arrays on the host or on the device.

use multisplit_graph::{Buffer, Graph};

use super::{Select, SelectBuffers, select};
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place};
use crate::primitives::key::Key;

/// An array of results where those of `A` are.
type Results<A, T> = <<A as Elements>::Place as Place>::Array<T>;

/// What else a selection reads or writes.
enum Beside<'a, K> {
    Nothing,
    Flags(&'a Array<u32>),
    Rejected(&'a Array<K>),
    RunLengths(&'a Array<u32>),
}

impl Context {
    /// The elements of `input` that `which` selects, in their order.
    ///
    /// ```
    /// use multisplit::Select;
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.select(&[3u32, 1, 4, 1, 5], &Select::greater_than(2))?, [3, 4, 5]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn select<A>(&self, input: &A, which: &Select<A::Item>) -> Result<Results<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let input = input.on_device(self, "src")?;
        let found = self.select_any(&input, which, &Beside::Nothing)?;
        A::Place::take(self, found)
    }

    /// The elements of `input` whose flag is not zero, in their order; there is a flag for each.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.select_flagged(&[3u32, 1, 4], &[1u32, 0, 7])?, [3, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn select_flagged<A, F>(&self, input: &A, flags: &F) -> Result<Results<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        F: Elements<Item = u32> + ?Sized,
    {
        let (keys, values) = (input.count(), flags.count());
        if keys != values {
            return Err(Error::Selection {
                problem: "it is by flags: use select_flagged, which takes one flag for each element",
            });
        }
        let input = input.on_device(self, "src")?;
        let flags = flags.on_device(self, "flags")?;
        let found = self.select_any(&input, &Select::flagged(), &Beside::Flags(&flags))?;
        A::Place::take(self, found)
    }

    /// The elements of `input` that `which` selects, and the others, both in their order.
    ///
    /// ```
    /// use multisplit::Select;
    /// # let gpu = multisplit::Context::new()?;
    /// let (low, high) = gpu.partition(&[3u32, 1, 4, 1, 5], &Select::less_than(3))?;
    /// assert_eq!((low, high), (vec![1, 1], vec![3, 4, 5]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "two arrays where those of the input are")]
    pub fn partition<A>(
        &self,
        input: &A,
        which: &Select<A::Item>,
    ) -> Result<(Results<A, A::Item>, Results<A, A::Item>)>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let n = input.count();
        let input = input.on_device(self, "src")?;
        let others = Array::uninit(self, "rejected", n)?;
        let found = self.select_any(&input, which, &Beside::Rejected(&others))?;
        let others = others.truncated(n - found.len());
        Ok((A::Place::take(self, found)?, A::Place::take(self, others)?))
    }

    /// The first of each run of equal neighbours: of a sorted array, each element once.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.unique(&[1u32, 1, 2, 7, 7, 7])?, [1, 2, 7]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn unique<A>(&self, input: &A) -> Result<Results<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.select(input, &Select::first_of_runs())
    }

    /// The first of each run of equal neighbours, and how many they are: a run-length code.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// let (keys, counts) = gpu.run_lengths(&[1u32, 1, 2, 7, 7, 7])?;
    /// assert_eq!((keys, counts), (vec![1, 2, 7], vec![2, 1, 3]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "two arrays where those of the input are")]
    pub fn run_lengths<A>(&self, input: &A) -> Result<(Results<A, A::Item>, Results<A, u32>)>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let n = input.count();
        let input = input.on_device(self, "src")?;
        let lengths = Array::uninit(self, "run_lengths", n)?;
        let beside = Beside::RunLengths(&lengths);
        let found = self.select_any(&input, &Select::first_of_runs(), &beside)?;
        let lengths = lengths.truncated(found.len());
        Ok((A::Place::take(self, found)?, A::Place::take(self, lengths)?))
    }

    fn select_any<K: Key>(
        &self,
        input: &Array<K>,
        which: &Select<K>,
        beside: &Beside<'_, K>,
    ) -> Result<Array<K>> {
        let n = input.len();
        let output = Array::uninit(self, "dst", n)?;
        if n == 0 {
            return Ok(output);
        }
        let selected = Array::<u32>::uninit(self, "selected", 1)?;
        let mut graph = Graph::new("select");
        let [src, dst] = ["src", "dst"].map(|name| graph.import::<K>(name, n));
        let count = graph.import::<u32>("selected", 1);
        let mut bound: Vec<Bound<'_>> =
            vec![(src, input).into(), (dst, &output).into(), (count, &selected).into()];
        let words = |graph: &mut Graph, name| -> Buffer { graph.import::<u32>(name, n) };
        let buffers = SelectBuffers::new(src, dst, count);
        let buffers = match *beside {
            Beside::Nothing => buffers,
            Beside::Flags(array) => {
                let flags = words(&mut graph, "flags");
                bound.push((flags, array).into());
                buffers.flags(flags)
            }
            Beside::Rejected(array) => {
                let rejected = graph.import::<K>("rejected", n);
                bound.push((rejected, array).into());
                buffers.rejected(rejected)
            }
            Beside::RunLengths(array) => {
                let lengths = words(&mut graph, "run_lengths");
                bound.push((lengths, array).into());
                buffers.run_lengths(lengths)
            }
        };
        select(&mut graph, &self.policy(), which, &buffers)?;
        let executable = self.instantiate(graph.compile(&self.limits())?)?;
        self.run(&executable, &bound)?;
        let found = self.download(&selected)?.first().copied().unwrap_or(0);
        Ok(output.truncated(found.into()))
    }
}
