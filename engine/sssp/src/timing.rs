//! GPU times of searches. Memory does not depend on the number of rounds: a part of the rounds is
//! recorded once, and submitted again until the search ends.

use std::sync::Arc;

use multisplit::PassTime;

use crate::error::Result;
use crate::passes::instantiate;
use crate::solver::{self, Solver};
use crate::statistics::Status;

/// Batches of rounds in a recording that is timed. With more of them, boundaries between recordings
/// cost less, and planning takes longer: its time and memory are quadratic in the number of passes.
const TIMED_BATCHES: u32 = 8;

impl Solver {
    /// GPU nanoseconds of each of `runs` whole searches from `source`, the clearing of distances
    /// included, in a row and without the host between.
    pub fn time_runs(&mut self, source: u32, runs: u32) -> Result<Vec<f64>> {
        let rounds = match self.last {
            Some((last, rounds)) if last == source => rounds,
            _ => {
                self.run(source)?;
                self.last.map_or(0, |(_, rounds)| rounds)
            }
        };
        self.context.write(&self.buffers.request, 0, &[source])?;
        // Two runs differ by a few rounds, depending on which paths are found first.
        let mut rounds = rounds.saturating_add(rounds / 16 + 4);
        loop {
            let times = self.time_rounds(rounds, runs)?;
            let words = self.buffers.status.read();
            if self.has_ended(Status(&words), rounds.into())? {
                return Ok(times);
            }
            rounds = rounds.saturating_mul(2);
        }
    }

    /// The times of `runs` searches of at least `rounds` rounds each.
    fn time_rounds(&mut self, rounds: u32, runs: u32) -> Result<Vec<f64>> {
        let resident = if self.is_resident() { self.residents.take() } else { None };
        if let Some(mut part) = resident {
            let count = self.search.tuning.resident_rounds.max(1);
            let times = rounds.div_ceil(count);
            let times = self.context.time_replays(&mut self.begin, &mut part, times, runs);
            self.residents = Some(part);
            return Ok(times?);
        }
        let search = &self.search;
        let count = search.whole_rounds(rounds.min(TIMED_BATCHES * search.batch()));
        let (plan, imports) = solver::rounds(&self.context, search, count)?;
        let executable = Arc::new(instantiate(&self.context, plan)?);
        let mut part = self.context.replay(executable, &self.buffers.bind(&imports))?;
        let times = rounds.div_ceil(count);
        Ok(self.context.time_replays(&mut self.begin, &mut part, times, runs)?)
    }

    /// GPU time of a whole search from `source`, summed over the passes of each label. Every round is
    /// a dispatch.
    pub fn profile(&mut self, source: u32) -> Result<Vec<PassTime>> {
        // Checks the source and writes the request.
        self.run(source)?;
        let search = self.search;
        let mut sums: Vec<PassTime> = Vec::new();
        let mut add = |times: Vec<PassTime>| {
            for time in times {
                match sums.iter_mut().find(|sum| sum.label == time.label) {
                    Some(sum) => sum.nanoseconds += time.nanoseconds,
                    None => sums.push(time),
                }
            }
        };
        let (plan, imports) = solver::begin(&self.context, &search)?;
        let begin = instantiate(&self.context, plan)?;
        add(self.context.profile(&begin, &self.buffers.bind(&imports))?);
        let (plan, imports) = solver::rounds(&self.context, &search, search.batch())?;
        let batch = instantiate(&self.context, plan)?;
        let mut submitted = 0;
        loop {
            add(self.context.profile(&batch, &self.buffers.bind(&imports))?);
            submitted += 1;
            let words = self.buffers.status.read();
            if self.has_ended(Status(&words), submitted)? {
                return Ok(sums);
            }
        }
    }
}
