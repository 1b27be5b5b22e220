//! One-call functions of a context. Each function describes its arrays and declares its passes as
//! [`Work`]. This module runs the work, in parts if the arrays exceed one plan or the device's
//! memory, and returns the results in host or device memory, depending on the inputs.

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
use parts::{Footprint, append, in_parts};

use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::memory::{Array, Host, Place};
use crate::policy::Policy;
use crate::work::Work;

/// A context and the policy of its plans.
#[derive(Clone, Copy)]
struct Caller<'a> {
    context: &'a Context,
    policy: &'a Policy,
}

impl Caller<'_> {
    /// Runs the passes that `declare` adds, and waits for them.
    fn call<T>(self, name: &str, declare: impl FnOnce(&mut Work) -> Result<T>) -> Result<T> {
        let mut work = Work::new(self.context, name, *self.policy);
        let added = declare(&mut work)?;
        work.run()?;
        Ok(added)
    }

    /// Runs passes that write a count, and returns the count.
    fn count(
        self,
        name: &str,
        declare: impl FnOnce(&mut Work, &Array<u32>) -> Result<()>,
    ) -> Result<u64> {
        let count = Array::uninit(self.context, "count", 1)?;
        self.call(name, |work| declare(work, &count))?;
        self.context.first(&count).map(u64::from)
    }
}

impl Context {
    fn call<T>(&self, name: &str, declare: impl FnOnce(&mut Work) -> Result<T>) -> Result<T> {
        Caller { context: self, policy: &self.policy() }.call(name, declare)
    }

    fn call_count(
        &self,
        name: &str,
        declare: impl FnOnce(&mut Work, &Array<u32>) -> Result<()>,
    ) -> Result<u64> {
        Caller { context: self, policy: &self.policy() }.count(name, declare)
    }

    /// Runs passes that write an array of `len` elements, which is returned.
    fn call_into<T: Pod>(
        &self,
        name: &str,
        len: u64,
        declare: impl FnOnce(&mut Work, &Array<T>) -> Result<()>,
    ) -> Result<Array<T>> {
        let output = Array::uninit(self, "output", len)?;
        self.call(name, |work| declare(work, &output))?;
        Ok(output)
    }

    /// The first element of an array.
    fn first<T: Pod>(&self, array: &Array<T>) -> Result<T> {
        Ok(self.download_range(array, 0..1)?.first().copied().unwrap_or_else(T::zeroed))
    }

    /// Calls `part` for consecutive ranges of `0..n`, each small enough for one plan and for the
    /// device's memory, and concatenates the results. Before the results of a part are appended,
    /// `join` may modify both them and the results so far.
    fn in_parts<P: Place, R: Results>(
        &self,
        n: u64,
        footprint: Footprint,
        part: impl Fn(Range<u64>) -> Result<R>,
        join: impl Fn(&mut R::At<Host>, &mut R::At<Host>) -> Result<()>,
    ) -> Result<R::At<P>> {
        let mut all = R::none();
        if n == 0 {
            return R::put(self, all);
        }
        if footprint.is_one_plan::<P>(self, n) {
            return part(0..n)?.take(self);
        }
        in_parts(n, footprint.max_part(self), |range| {
            let mut found = part(range)?.take::<Host>(self)?;
            join(&mut all, &mut found)?;
            R::append(&mut all, found);
            Ok(())
        })?;
        R::put(self, all)
    }
}

/// Device arrays returned by a call; `At` is their type in the memory of the inputs.
trait Results: Sized {
    type At<P: Place>;

    fn none() -> Self::At<Host>;
    fn append(all: &mut Self::At<Host>, part: Self::At<Host>);
    fn take<P: Place>(self, context: &Context) -> Result<Self::At<P>>;
    fn put<P: Place>(context: &Context, all: Self::At<Host>) -> Result<Self::At<P>>;
}

impl<T: Pod> Results for Array<T> {
    type At<P: Place> = P::Array<T>;

    fn none() -> Vec<T> {
        Vec::new()
    }

    fn append(all: &mut Vec<T>, part: Vec<T>) {
        append(all, part);
    }

    fn take<P: Place>(self, context: &Context) -> Result<P::Array<T>> {
        P::take(context, self)
    }

    fn put<P: Place>(context: &Context, all: Vec<T>) -> Result<P::Array<T>> {
        P::put(context, all)
    }
}

impl<A: Results, B: Results> Results for (A, B) {
    type At<P: Place> = (A::At<P>, B::At<P>);

    fn none() -> Self::At<Host> {
        (A::none(), B::none())
    }

    fn append(all: &mut Self::At<Host>, part: Self::At<Host>) {
        A::append(&mut all.0, part.0);
        B::append(&mut all.1, part.1);
    }

    fn take<P: Place>(self, context: &Context) -> Result<Self::At<P>> {
        Ok((self.0.take(context)?, self.1.take(context)?))
    }

    fn put<P: Place>(context: &Context, all: Self::At<Host>) -> Result<Self::At<P>> {
        Ok((A::put(context, all.0)?, B::put(context, all.1)?))
    }
}

/// Rejects more elements than 32-bit indices and offsets can count.
fn check_numbers(what: &'static str, n: u64) -> Result<()> {
    let limit = u64::from(u32::MAX);
    if n <= limit { Ok(()) } else { Err(Error::TooLarge { what, asked: n, limit }) }
}

/// Runs `work`, and runs it again if the device fails the lane-order check. The failure makes the
/// context rank by ballots.
fn redo_by_ballots<T>(work: impl Fn() -> Result<T>) -> Result<T> {
    match work() {
        Err(Error::LaneOrder { plan }) => {
            tracing::warn!(plan, "run again with ballot ranking");
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
        assert!(check_numbers("keys", u64::from(u32::MAX)).is_ok());
        let error = check_numbers("number of keys", 1 << 32);
        assert!(matches!(error, Err(Error::TooLarge { asked: 4294967296, limit: 4294967295, .. })));
    }
}
