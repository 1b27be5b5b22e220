//! One-call functions of a context. Each function describes its arrays and declares its passes as
//! [`Work`]. This module runs the work. Most functions divide arrays that exceed one plan or the
//! device's memory into parts. Arrays are returned in the same memory (host or device) as the inputs.

mod arrays;
mod histogram;
mod large;
mod merge;
mod parts;
mod reduce;
mod reduce_segments;
mod scan;
mod search;
mod select;
mod sort;
mod sort_groups;
mod split;
mod topk;

use std::ops::Range;

use bytemuck::Pod;
use multisplit_graph::ElementType;
use parts::{Footprint, in_parts};

use crate::device::Context;
use crate::error::{Error, Result};
use crate::memory::{AnyArray, AnyOutput, Elements, Output, Place};
use crate::policy::Policy;
use crate::work::Work;

/// An array of `T` in the same memory (host or device) as `A`.
type Like<A, T> = <<A as Elements>::Place as Place>::Array<T>;

/// Two arrays, such as keys and values, in the same memory and with the same elements as `A` and `B`.
type Pairs<A, B> = (Like<A, <A as Elements>::Item>, Like<B, <B as Elements>::Item>);

/// Combines the results of a part, which have been appended to the outputs, with those of the
/// previous parts. The second argument contains the length of each output before this part.
type Join<'a> = dyn Fn(&mut [&mut dyn AnyOutput], &[usize]) -> Result<()> + 'a;

/// A context, and the policy that its plans use.
#[derive(Clone, Copy)]
struct Caller<'a> {
    context: &'a Context,
    policy: &'a Policy,
}

impl Caller<'_> {
    /// Runs the passes that `declare` adds, and waits for them. If the driver cannot create a pipeline, retries with
    /// simpler plans ([`PlanForm`](crate::PlanForm)).
    fn call<T>(self, name: &str, declare: impl Fn(&mut Work) -> Result<T>) -> Result<T> {
        let Self { context, policy } = self;
        let (added, run) = context.with_fallback(|| {
            let policy = policy.in_form(context.plan_form());
            let mut work = Work::new(context, name, policy);
            // Not all callers add passes of an operation, which would declare the form.
            policy.facts.form.declare_in(work.parts().0);
            let added = declare(&mut work)?;
            Ok::<_, Error>((added, work.into_run()?))
        })?;
        run.run()?;
        Ok(added)
    }
}

impl Context {
    fn call<T>(&self, name: &str, declare: impl Fn(&mut Work) -> Result<T>) -> Result<T> {
        Caller { context: self, policy: &self.policy() }.call(name, declare)
    }

    /// Runs passes that write a count to the device, and returns the count.
    fn call_count(
        &self,
        name: &str,
        declare: impl Fn(&mut Work, &AnyArray) -> Result<()>,
    ) -> Result<u64> {
        let count = AnyArray::uninit(self, "count", ElementType::U32, 1)?;
        self.call(name, |work| declare(work, &count))?;
        Ok(bits_of(&self.read_range(&count, 0..1)?))
    }

    /// Runs passes that write an array of `len` elements, and returns the array.
    fn call_into(
        &self,
        name: &str,
        (element, len): (ElementType, u64),
        declare: impl Fn(&mut Work, &AnyArray) -> Result<()>,
    ) -> Result<AnyArray> {
        let output = AnyArray::uninit(self, "output", element, len)?;
        self.call(name, |work| declare(work, &output))?;
        Ok(output)
    }

    /// Calls `run` with one output, and returns the array that it contains afterwards.
    fn one_output<P: Place, T: Pod>(
        &self,
        run: impl FnOnce(&mut dyn AnyOutput) -> Result<()>,
    ) -> Result<P::Array<T>> {
        let mut output = Output::default();
        run(&mut output)?;
        P::take(self, output)
    }

    /// Calls `run` with two outputs, and returns the arrays that they contain afterwards.
    fn two_outputs<P: Place, T: Pod, U: Pod>(
        &self,
        run: impl FnOnce(&mut [&mut dyn AnyOutput]) -> Result<()>,
    ) -> Result<(P::Array<T>, P::Array<U>)> {
        let (mut first, mut second) = (Output::default(), Output::default());
        run(&mut [&mut first, &mut second])?;
        Ok((P::take(self, first)?, P::take(self, second)?))
    }

    /// Calls `part` for consecutive ranges of the elements, and concatenates the results. Each
    /// range fits one plan. If the device runs out of memory, smaller ranges are used. `join` is
    /// called after the results of a part have been appended.
    fn in_parts(
        &self,
        footprint: Footprint,
        outputs: &mut [&mut dyn AnyOutput],
        part: &dyn Fn(Range<u64>) -> Result<Vec<AnyArray>>,
        join: &Join<'_>,
    ) -> Result<()> {
        let n = footprint.elements;
        if n == 0 {
            return Ok(());
        }
        if footprint.is_one_plan(self) {
            outputs.iter_mut().zip(part(0..n)?).for_each(|(output, found)| output.set(found));
            return Ok(());
        }
        in_parts(n, footprint.max_part(self), &mut |range| {
            let found = part(range)?;
            let ends: Vec<_> = outputs.iter_mut().map(|output| output.len()).collect();
            let mut arrays = outputs.iter_mut().zip(&found);
            let appended = arrays.try_for_each(|(output, found)| self.append(found, *output));
            appended.and_then(|()| join(outputs, &ends)).inspect_err(|_| {
                for (output, end) in outputs.iter_mut().zip(&ends) {
                    output.truncate(end * output.element_bytes());
                }
            })
        })
    }
}

/// Whether element `index` of the output equals the element before it. False if either does not
/// exist.
fn continues(output: &mut dyn AnyOutput, index: usize) -> bool {
    (1..output.len()).contains(&index) && {
        let before = output.element(index - 1).to_vec();
        before == output.element(index)
    }
}

/// Bits of a key or an index, zero-extended.
fn bits_of(key: &[u8]) -> u64 {
    match *key {
        [byte] => byte.into(),
        [a, b] => u16::from_ne_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
        _ => bytemuck::pod_read_unaligned(key),
    }
}

/// Rejects element counts above 2^32 - 1, because indices and offsets have 32 bits.
fn check_count(what: &'static str, n: u64) -> Result<()> {
    let limit = u64::from(u32::MAX);
    if n <= limit { Ok(()) } else { Err(Error::TooLarge { what, asked: n, limit }) }
}

/// Runs `work`. If a kernel finds that the device does not keep lane order (see
/// [`Ranking::LaneOrder`](crate::policy::method::Ranking::LaneOrder)), runs `work` again, now with
/// ranking by ballots.
fn retry_with_ballots<T>(work: impl Fn() -> Result<T>) -> Result<T> {
    match work() {
        Err(Error::LaneOrder { plan }) => {
            tracing::warn!(
                plan,
                "the device does not execute shared-memory atomics in lane order; running again with ranking by ballots"
            );
            work()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_above_32_bits_are_rejected() {
        assert!(check_count("keys", u64::from(u32::MAX)).is_ok());
        let error = check_count("number of keys", 1 << 32);
        assert!(matches!(error, Err(Error::TooLarge { asked: 4294967296, limit: 4294967295, .. })));
    }
}
