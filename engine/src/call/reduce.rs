//! One-call reductions of host or device arrays.

use super::check_numbers;
use super::parts::{Footprint, in_parts};
use crate::device::context::Context;
use crate::elements::key::Key;
use crate::error::Result;
use crate::memory::{Array, Elements, Place, check_lengths};
use crate::operations::shared::operator::{AnyOperator, Operator};

/// Arrays of keys and values, in the same memory as `A`.
type Pairs<A, K, V> =
    (<<A as Elements>::Place as Place>::Array<K>, <<A as Elements>::Place as Place>::Array<V>);

impl Context {
    /// Reduces `input` with `operator`. The result of an empty input is the identity of the
    /// operator: 0 for a sum, the last value in sort order for a minimum, the first for a maximum.
    ///
    /// Host arrays that exceed the device's memory are reduced in parts. This does not change the
    /// result, except that sums of floats may round differently.
    ///
    /// ```
    /// use multisplit::Operator;
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.reduce(&[3.0f32, 1.0, 4.0], Operator::Sum)?, 8.0);
    /// assert_eq!(gpu.reduce(&[3i64, -1, 4], Operator::Min)?, -1);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn reduce<A>(&self, input: &A, operator: impl Into<AnyOperator>) -> Result<A::Item>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let operator = operator.into();
        let n = input.count();
        let mut totals = Vec::new();
        in_parts(n, self.part_of_reduction::<A>(n), |part| {
            let input = input.part(self, "input", part)?;
            let total = self.call_into("reduce", 1, |work, output| {
                work.reduce(&input, output, operator.clone())
            })?;
            totals.push(self.first(&total)?);
            Ok(())
        })?;
        match totals[..] {
            [total] => Ok(total),
            _ => self.reduce(&totals, operator),
        }
    }

    /// Index and value of the least element, or `None` if `input` is empty. Among equal elements,
    /// returns the lowest index. Floats are ordered like `total_cmp`. There can be at most 2^32 - 1
    /// elements.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.argmin(&[3u32, 1, 4, 1])?, Some((1, 1)));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn argmin<A>(&self, input: &A) -> Result<Option<(u32, A::Item)>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.find(input, Operator::Min)
    }

    /// Index and value of the greatest element, or `None` if `input` is empty. Among equal
    /// elements, returns the lowest index, like [`argmin`](Self::argmin).
    pub fn argmax<A>(&self, input: &A) -> Result<Option<(u32, A::Item)>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.find(input, Operator::Max)
    }

    fn find<A>(&self, input: &A, operator: Operator) -> Result<Option<(u32, A::Item)>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let n = input.count();
        check_numbers("number of elements of a reduction with an index (indices have 32 bits)", n)?;
        let rank = |key: A::Item| A::Item::TYPE.ordered(key.key_bits());
        let mut best: Option<(u32, A::Item)> = None;
        in_parts(n, self.part_of_reduction::<A>(n), |part| {
            let begin = part.start as u32;
            let input = input.part(self, "input", part)?;
            let output = Array::uninit(self, "output", 1)?;
            let index = self
                .call_count("reduce", |work, index| work.find(&input, &output, index, operator))?;
            let found = self.first(&output)?;
            let better = best.is_none_or(|(_, best)| match operator {
                Operator::Max => rank(found) > rank(best),
                _ => rank(found) < rank(best),
            });
            if better && !input.is_empty() {
                best = Some((begin + index as u32, found));
            }
            Ok(())
        })?;
        Ok(best)
    }

    /// Reduces the `values` of each run of equal consecutive `keys`. Returns the key and the result
    /// of each run.
    ///
    /// Arrays that exceed a storage binding, and host arrays that exceed the device's memory, are
    /// reduced in parts. This does not change the result, except that sums of floats may round
    /// differently.
    ///
    /// ```
    /// use multisplit::Operator;
    /// # let gpu = multisplit::Context::new()?;
    /// let (keys, sums) = gpu.reduce_by_key(&[7u32, 7, 2], &[1.5f32, 1.0, 4.0], Operator::Sum)?;
    /// assert_eq!((keys, sums), (vec![7, 2], vec![2.5, 4.0]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn reduce_by_key<A, B>(
        &self,
        keys: &A,
        values: &B,
        operator: impl Into<AnyOperator>,
    ) -> Result<Pairs<B, A::Item, B::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        let n = values.count();
        check_lengths("keys", keys.count(), "values", n)?;
        check_numbers("number of elements of a reduction by key (its count has 32 bits)", n)?;
        let operator = operator.into();
        let bytes = [size_of::<A::Item>() as u64, size_of::<B::Item>() as u64];
        let widest = Some(bytes[0].max(bytes[1]));
        let footprint = Footprint { total: 2 * (bytes[0] + bytes[1]), widest };
        self.in_parts::<B::Place, (Array<A::Item>, Array<B::Item>)>(
            n,
            footprint,
            |part| {
                let keys = keys.part(self, "keys", part.clone())?;
                let values = values.part(self, "values", part)?;
                let keys_out = Array::uninit(self, "keys_out", keys.len())?;
                let values_out = Array::uninit(self, "values_out", keys.len())?;
                let runs = self.call_count("reduce by key", |work, runs| {
                    let (from, to) = ((&keys, &values), (&keys_out, &values_out));
                    work.reduce_by_key(from, to, runs, operator.clone())
                })?;
                Ok((keys_out.truncated(runs), values_out.truncated(runs)))
            },
            |(all_keys, all_values), (keys, values)| {
                // The first run of a part may continue the last run of the previous part.
                if let (Some(last), Some(first)) = (all_keys.last(), keys.first())
                    && let (Some(before), Some(&more)) = (all_values.last_mut(), values.first())
                    && last.key_bits() == first.key_bits()
                {
                    *before = self.reduce(&[*before, more], operator.clone())?;
                    keys.remove(0);
                    values.remove(0);
                }
                Ok(())
            },
        )
    }

    /// Maximum elements of a part. Arrays that are already on the device are reduced in one part.
    fn part_of_reduction<A: Elements + ?Sized>(&self, n: u64) -> u64 {
        let footprint = Footprint { total: size_of::<A::Item>() as u64, widest: None };
        if A::Place::BORROWED { n } else { footprint.max_part(self) }
    }
}
