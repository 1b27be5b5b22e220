//! Selections in one call, of arrays on the host or on the device.

use std::ops::Range;

use multisplit_graph::{Buffer, Graph};

use super::{By, Select, SelectBuffers, select};
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::execute::import::Bound;
use crate::memory::{Array, Device, Elements, Host, Place};
use crate::primitives::key::Key;
use crate::primitives::large::check_numbers;
use crate::primitives::parts::{Footprint, append, in_parts};

/// An array of results where those of `A` are.
type Results<A, T> = <<A as Elements>::Place as Place>::Array<T>;

/// Results beside the selected elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    Rejected,
    RunLengths,
}

/// The selected elements, and the results beside them; an array that was not asked for is `None`.
struct Selected<P: Place, K: Key> {
    keys: P::Array<K>,
    rejected: Option<P::Array<K>>,
    lengths: Option<P::Array<u32>>,
}

/// Flags of a selection without any.
const NO_FLAGS: Option<&[u32]> = None;

impl Context {
    /// The elements of `input` that `which` selects, in their order.
    ///
    /// Arrays that exceed a storage binding, or on the host the device's memory, are processed in parts,
    /// by all selections. The result is the same.
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
        Ok(self.select_any(input, NO_FLAGS, which, Beside::Nothing)?.keys)
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
        Ok(self.select_any(input, Some(flags), &Select::flagged(), Beside::Nothing)?.keys)
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
        let found = self.select_any(input, NO_FLAGS, which, Beside::Rejected)?;
        Ok((found.keys, given(found.rejected)?))
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
        let which = Select::first_of_runs();
        let found = self.select_any(input, NO_FLAGS, &which, Beside::RunLengths)?;
        Ok((found.keys, given(found.lengths)?))
    }

    fn select_any<A, F>(
        &self,
        input: &A,
        flags: Option<&F>,
        which: &Select<A::Item>,
        beside: Beside,
    ) -> Result<Selected<A::Place, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        F: Elements<Item = u32> + ?Sized,
    {
        let n = input.count();
        check_numbers("number of elements of a selection (its count has 32 bits)", n)?;
        let bytes = size_of::<A::Item>() as u64;
        let words = flags.is_some() || beside == Beside::RunLengths;
        let extra = if words { 4 } else { 0 };
        let extra_keys = if beside == Beside::Rejected { bytes } else { 0 };
        let total = 2 * bytes + extra + extra_keys;
        let footprint = Footprint { total, widest: Some(bytes.max(extra)) };
        let part = |part: Range<u64>| {
            let flags = match flags {
                Some(flags) => Some(flags.part(self, "flags", part.clone())?),
                None => None,
            };
            let input = input.part(self, "input", part)?;
            self.select_part(&input, flags.as_ref(), which, beside)
        };
        if footprint.is_one_plan::<A::Place>(self, n) {
            let found = part(0..n)?;
            let take = |array| A::Place::take(self, array);
            return Ok(Selected {
                keys: take(found.keys)?,
                rejected: found.rejected.map(take).transpose()?,
                lengths: found.lengths.map(|array| A::Place::take(self, array)).transpose()?,
            });
        }
        let mut all = Selected::<Host, A::Item> { keys: vec![], rejected: None, lengths: None };
        in_parts(n, footprint.max_part(self), |range| {
            let found = part(range)?.download(self)?;
            all.append(found, matches!(which.by, By::Heads));
            Ok(())
        })?;
        let put = |keys| A::Place::put(self, keys);
        Ok(Selected {
            keys: put(all.keys)?,
            rejected: all.rejected.map(put).transpose()?,
            lengths: all.lengths.map(|lengths| A::Place::put(self, lengths)).transpose()?,
        })
    }

    /// Selects from an array that one plan can hold.
    fn select_part<K: Key>(
        &self,
        input: &Array<K>,
        given_flags: Option<&Array<u32>>,
        which: &Select<K>,
        beside: Beside,
    ) -> Result<Selected<Device, K>> {
        let n = input.len();
        let output = Array::uninit(self, "output", n)?;
        let wants = |one| beside == one;
        let rejected = wants(Beside::Rejected).then(|| Array::uninit(self, "rejected", n));
        let lengths = wants(Beside::RunLengths).then(|| Array::uninit(self, "run_lengths", n));
        let (rejected, lengths) = (rejected.transpose()?, lengths.transpose()?);
        if n == 0 {
            return Ok(Selected { keys: output, rejected, lengths });
        }
        let selected = Array::<u32>::uninit(self, "selected", 1)?;
        let mut graph = Graph::new("select");
        let [src, dst] = ["src", "dst"].map(|name| graph.import::<K>(name, n));
        let count = graph.import::<u32>("selected", 1);
        let mut bound: Vec<Bound<'_>> =
            vec![(src, input).into(), (dst, &output).into(), (count, &selected).into()];
        let words = |graph: &mut Graph, name| -> Buffer { graph.import::<u32>(name, n) };
        let mut buffers = SelectBuffers::new(src, dst, count);
        if let Some(array) = given_flags {
            let flags = words(&mut graph, "flags");
            bound.push((flags, array).into());
            buffers = buffers.flags(flags);
        }
        if let Some(array) = &rejected {
            let import = graph.import::<K>("rejected", n);
            bound.push((import, array).into());
            buffers = buffers.rejected(import);
        }
        if let Some(array) = &lengths {
            let import = words(&mut graph, "run_lengths");
            bound.push((import, array).into());
            buffers = buffers.run_lengths(import);
        }
        select(&mut graph, &self.policy(), which, &buffers)?;
        let executable = self.instantiate(graph.compile(&self.limits())?)?;
        self.run(&executable, &bound)?;
        let found = u64::from(self.download(&selected)?.first().copied().unwrap_or(0));
        drop(bound);
        Ok(Selected {
            keys: output.truncated(found),
            rejected: rejected.map(|array| array.truncated(n.saturating_sub(found))),
            lengths: lengths.map(|array| array.truncated(found)),
        })
    }
}

/// A result that was asked for.
fn given<T>(result: Option<T>) -> Result<T> {
    result.ok_or(Error::Selection { problem: "a result that was not asked for" })
}

impl<K: Key> Selected<Device, K> {
    fn download(&self, context: &Context) -> Result<Selected<Host, K>> {
        Ok(Selected {
            keys: context.download(&self.keys)?,
            rejected: self.rejected.as_ref().map(|array| context.download(array)).transpose()?,
            lengths: self.lengths.as_ref().map(|array| context.download(array)).transpose()?,
        })
    }
}

impl<K: Key> Selected<Host, K> {
    /// Appends the results of the next part. If `runs` is set, the first run of the part may continue the
    /// last one.
    fn append(&mut self, mut part: Self, runs: bool) {
        let bits = |key: Option<&K>| key.map(|key| key.key_bits());
        if runs && !self.keys.is_empty() && bits(self.keys.last()) == bits(part.keys.first()) {
            let continued = part.keys.remove(0);
            if let Some(rejected) = &mut part.rejected {
                rejected.insert(0, continued);
            }
            if let (Some(all), Some(lengths)) = (&mut self.lengths, &mut part.lengths) {
                let more = lengths.remove(0);
                if let Some(last) = all.last_mut() {
                    *last += more;
                }
            }
        }
        append(&mut self.keys, part.keys);
        append_some(&mut self.rejected, part.rejected);
        append_some(&mut self.lengths, part.lengths);
    }
}

fn append_some<T>(all: &mut Option<Vec<T>>, part: Option<Vec<T>>) {
    match (all, part) {
        (Some(all), Some(part)) => append(all, part),
        (all, part) => {
            if part.is_some() {
                *all = part;
            }
        }
    }
}
