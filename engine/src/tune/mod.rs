//! Autotuning: measures which sizes and methods are the fastest on a device, and returns them as a [`Profile`]. The
//! results of a candidate are checked before its time is measured.

mod benchmark;
mod data;
mod evaluator;
mod parameter;
mod reference;
mod search;
#[cfg(test)]
mod tests;

pub use search::{Comparison, TuneProgress};

use std::time::Duration;

use ash::vk;

use crate::device::Context;
use crate::error::{Error, Result};
use crate::policy::Policy;
use crate::policy::method::Ranking;
use crate::policy::profile::{Profile, copy_shared};

use benchmark::{Benchmark, Operation};
use data::{BYTES_PER_ELEMENT, Data};
use evaluator::{Clock, Evaluator};
use search::{Search, ratio};

/// Options of [`Context::tune`].
#[derive(Clone, Debug)]
pub struct TuneOptions {
    /// Approximate time limit. With more time, more candidates are tried.
    pub budget: Duration,
    /// Sizes to start from. By default, these are the sizes that the context uses, and tuned sizes that are slower
    /// than the built-in sizes are reverted. If `start` is set, they are not reverted, and the built-in sizes are
    /// measured only for comparison.
    pub start: Option<Profile>,
}

impl Default for TuneOptions {
    fn default() -> Self {
        Self { budget: Duration::from_secs(60), start: None }
    }
}

/// Result of tuning.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The tuned sizes.
    pub profile: Profile,
    /// Comparison with the built-in sizes, for each ranking method that was tuned.
    pub comparisons: Vec<(Ranking, Vec<Comparison>)>,
    /// Number of candidates tried.
    pub candidates: u32,
    /// Number of candidates that the device or a kernel rejected.
    pub rejected: u32,
    /// Number of times that a candidate, or the best sizes so far, gave a wrong result.
    pub wrong: u32,
}

/// Maximum number of elements to measure. Large enough that the arrays exceed all caches.
const LARGEST: u64 = 1 << 25;
const LARGEST_IN_SOFTWARE: u64 = 1 << 18;
/// Number of elements of a first sort, which estimates the speed of the device.
const FIRST: u64 = 1 << 18;
const FIRST_IN_SOFTWARE: u64 = 1 << 13;
/// Maximum fraction of the time limit that one sort of the largest size may take.
const SHARE: f64 = 1.0 / 6000.0;
const SHARE_IN_SOFTWARE: f64 = 1.0 / 500.0;
/// Fraction of the time limit for tuning with lane order, if the device supports it. The rest is for ballots.
const FIRST_RANKING: f64 = 0.7;

impl Context {
    /// Measures which sizes and methods are the fastest on this device, within about the time that `options` allow.
    /// Does not change the sizes of this context. To use the tuned sizes, open a new context with the [`Profile`].
    ///
    /// Submits work to the context's queue without pause, and uses up to a quarter of the device's memory.
    pub fn tune(
        &self,
        options: &TuneOptions,
        mut progress: impl FnMut(&TuneProgress),
    ) -> Result<Tuned> {
        let _span = tracing::debug_span!("tune").entered();
        if self.properties().timestamp_bits == 0 {
            return Err(Error::NoTimestamps { device: self.properties().name.clone() });
        }
        let clock = Clock::new(options.budget);
        let built_in = Profile::built_in(self.properties());
        let start = match &options.start {
            Some(start) => start.clone(),
            None => self.used_profile().map_or(built_in.clone(), |used| (*used).clone()),
        };
        let largest = self.largest(options.budget, &built_in.policy(false))?;
        let data = Data::new(self, largest)?;
        let mut evaluator = Evaluator::new(&data, clock);
        let revert_slower = options.start.is_none();
        let by_lane_order = self.has_lane_order();
        // Best policy for each ranking method, ballots first.
        let mut policies = [start.policy(false), start.policy(true)];
        let mut comparisons = Vec::new();
        for policy in &mut policies {
            let built_in = built_in.policy(policy.split.ranking.is_by_lane_order());
            with_counts_of(policy, &built_in);
        }

        let order: &[bool] = if by_lane_order { &[true, false] } else { &[false] };
        for (index, &lane_order) in order.iter().enumerate() {
            let share = if index == 0 && order.len() > 1 { FIRST_RANKING } else { 1.0 };
            evaluator.clock.budget = options.budget.mul_f64(share);
            let place = usize::from(lane_order);
            let mut search = Search::new(&mut evaluator, &mut progress, policies[place]);
            search.run(largest, index == 0)?;
            let rows = search.compare_with_built_in(&built_in.policy(lane_order), revert_slower)?;
            policies[place] = search.best;
            comparisons.push((policies[place].split.ranking, rows));
            if index == 0 {
                let best = policies[place];
                copy_shared(&mut policies[1 - place], &best);
            }
        }
        let [ballots, lane_order] = policies;
        let by_ballots = by_lane_order
            && ratio(&mut evaluator, [&ballots, &lane_order], largest)? < FASTER_RANKING;
        let ranking = if by_ballots { Ranking::Ballots } else { Ranking::LaneOrder };
        let evaluator::Counts { tried: candidates, rejected, wrong } = evaluator.counts;
        let profile = Profile::new(self.properties(), ballots, lane_order, ranking);
        Ok(Tuned { profile, comparisons, candidates, rejected, wrong })
    }

    /// Maximum number of elements that the time limit and the device memory allow.
    fn largest(&self, budget: Duration, policy: &Policy) -> Result<u64> {
        let properties = self.properties();
        let software = properties.device_type == vk::PhysicalDeviceType::CPU;
        let (first, max, share) = match software {
            true => (FIRST_IN_SOFTWARE, LARGEST_IN_SOFTWARE, SHARE_IN_SOFTWARE),
            false => (FIRST, LARGEST, SHARE),
        };
        let data = Data::new(self, first)?;
        let mut evaluator = Evaluator::new(&data, Clock::new(budget));
        let benchmark = Benchmark { operation: Operation::SortPairs, n: first };
        let timer = evaluator.timer(benchmark, policy)?;
        // The sort is measured twice, because the first run may include compilation.
        let [taken, again] = evaluator::compare([&timer, &timer], f64::MAX)?;
        let fits = budget.as_nanos() as f64 * share / taken.min(again);
        let memory = properties.device_memory / 4 / BYTES_PER_ELEMENT;
        let bindable = u64::from(properties.limits.max_storage_buffer_range) / 8;
        let elements = (first as f64 * fits) as u64;
        let elements = elements.clamp(first, max).min(memory).min(bindable).max(first);
        // Round down to a power of two.
        Ok(1 << elements.ilog2())
    }
}

/// The profile selects ballots if the time with ballots, divided by the time with lane order, is below this.
const FASTER_RANKING: f64 = 1.0;

/// Replaces the element counts in the tile tables by the built-in ones, because the benchmarks measure these. Each
/// count gets the tile that the table had for it.
fn with_counts_of(policy: &mut Policy, built_in: &Policy) {
    for operation in [Operation::SortKeys, Operation::SortPairs, Operation::SortWideKeys] {
        let Some((_, table)) = operation.sort_table() else { continue };
        let (old, mut built_in) = (table(&mut { *policy }).to_vec(), *built_in);
        for (entry, (max, _)) in table(policy).iter_mut().zip(table(&mut built_in)) {
            let suited = old.iter().find(|(old, _)| *max <= *old).or(old.last());
            *entry = (*max, suited.map_or(entry.1, |(_, shape)| *shape));
        }
    }
}
