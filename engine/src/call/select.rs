//! One-call selections from host or device arrays.

use super::check_numbers;
use super::parts::Footprint;
use crate::device::context::Context;
use crate::elements::key::Key;
use crate::error::{Error, Result};
use crate::memory::{Array, Elements, Place};
use crate::operations::select::Select;

/// Array of `T`, in the same memory as `A`.
type Results<A, T> = <<A as Elements>::Place as Place>::Array<T>;

impl Context {
    /// Returns the elements of `input` that `which` selects, in their original order.
    ///
    /// Arrays that exceed a storage binding, and host arrays that exceed the device's memory, are
    /// processed in parts. This does not change the result. It applies to all selection functions.
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
        let footprint = footprint::<A>(input.count(), 0)?;
        self.in_parts::<A::Place, Array<A::Item>>(
            input.count(),
            footprint,
            |part| {
                let input = input.part(self, "input", part)?;
                let output = Array::uninit(self, "output", input.len())?;
                let found = self.call_count("select", |work, found| {
                    work.select(&input, &output, found, which)
                })?;
                Ok(output.truncated(found))
            },
            |all, keys| {
                if which.is_by_runs() && continues(all, keys) {
                    keys.remove(0);
                }
                Ok(())
            },
        )
    }

    /// Returns the elements of `input` whose flag is not zero, in their original order. There must
    /// be one flag for each element.
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
        if input.count() != flags.count() {
            return Err(Error::Selection {
                problem: "input and flags have different lengths; give one flag per element",
            });
        }
        let footprint = footprint::<A>(input.count(), size_of::<u32>())?;
        self.in_parts::<A::Place, Array<A::Item>>(
            input.count(),
            footprint,
            |part| {
                let flags = flags.part(self, "flags", part.clone())?;
                let input = input.part(self, "input", part)?;
                let output = Array::uninit(self, "output", input.len())?;
                let found = self.call_count("select", |work, found| {
                    work.select_flagged(&input, &flags, &output, found)
                })?;
                Ok(output.truncated(found))
            },
            |_, _| Ok(()),
        )
    }

    /// Returns the elements of `input` that `which` selects, and the remaining ones. Both keep
    /// their original order.
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
        let footprint = footprint::<A>(input.count(), size_of::<A::Item>())?;
        self.in_parts::<A::Place, (Array<A::Item>, Array<A::Item>)>(
            input.count(),
            footprint,
            |part| {
                let input = input.part(self, "input", part)?;
                let output = Array::uninit(self, "output", input.len())?;
                let rejected = Array::uninit(self, "rejected", input.len())?;
                let found = self.call_count("select", |work, found| {
                    work.partition(&input, (&output, &rejected), found, which)
                })?;
                let rejected_count = input.len().saturating_sub(found);
                Ok((output.truncated(found), rejected.truncated(rejected_count)))
            },
            |(all, _), (keys, rejected)| {
                if which.is_by_runs() && continues(all, keys) {
                    rejected.insert(0, keys.remove(0));
                }
                Ok(())
            },
        )
    }

    /// Returns the first element of each run of equal neighbours. If the input is sorted, these are
    /// its distinct elements.
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

    /// Returns the first element and the length of each run of equal neighbours: a run-length
    /// encoding.
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
        let footprint = footprint::<A>(input.count(), size_of::<u32>())?;
        self.in_parts::<A::Place, (Array<A::Item>, Array<u32>)>(
            input.count(),
            footprint,
            |part| {
                let input = input.part(self, "input", part)?;
                let output = Array::uninit(self, "output", input.len())?;
                let lengths = Array::uninit(self, "run_lengths", input.len())?;
                let found = self.call_count("select", |work, found| {
                    work.run_lengths(&input, &output, &lengths, found)
                })?;
                Ok((output.truncated(found), lengths.truncated(found)))
            },
            |(all, all_lengths), (keys, lengths)| {
                if continues(all, keys)
                    && let Some(last) = all_lengths.last_mut()
                {
                    keys.remove(0);
                    *last += lengths.remove(0);
                }
                Ok(())
            },
        )
    }
}

/// Device memory of a selection from `n` elements. `beside` is the number of bytes per element in
/// addition to the input and the output.
fn footprint<A: Elements + ?Sized>(n: u64, extra: usize) -> Result<Footprint> {
    check_numbers("number of elements of a selection (its count has 32 bits)", n)?;
    let (bytes, extra) = (size_of::<A::Item>() as u64, extra as u64);
    Ok(Footprint { total: 2 * bytes + extra, widest: Some(bytes.max(extra)) })
}

/// Whether the first run of the next part continues the last run of the previous parts.
fn continues<K: Key>(all: &[K], next: &[K]) -> bool {
    let bits = |key: Option<&K>| key.map(|key| key.key_bits());
    !all.is_empty() && bits(all.last()) == bits(next.first())
}
