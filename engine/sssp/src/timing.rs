//! Measures the GPU time of searches. Batches of rounds are recorded once and resubmitted, so
//! memory use does not depend on the number of rounds.

use multisplit::PassTime;

use crate::error::Result;
use crate::passes::instantiate;
use crate::solver::{self, Solver};

/// Maximum number of batches of rounds per timed recording. With more batches, there are fewer
/// boundaries between recordings, but planning takes longer: its time and memory are quadratic in
/// the number of passes.
const TIMED_BATCHES: u32 = 8;

impl Solver {
    /// Returns the GPU time of each of `runs` complete searches from `source`, in nanoseconds. This
    /// includes clearing the distances. The searches run one after another without host
    /// intervention.
    pub fn time_runs(&mut self, source: u32, runs: u32) -> Result<Vec<f64>> {
        let rounds = match self.last {
            Some((last, rounds)) if last == source => rounds,
            _ => {
                self.run(source)?;
                self.last.map_or(0, |(_, rounds)| rounds)
            }
        };
        self.context.write(&self.buffers.request, 0, &[source])?;
        // The number of rounds varies slightly between runs, depending on the order in which paths
        // are found.
        let mut rounds = rounds.saturating_add(rounds / 16 + 4);
        loop {
            let times = self.time_rounds(rounds, runs)?;
            if self.has_ended(rounds.into())? {
                return Ok(times);
            }
            rounds = rounds.saturating_mul(2);
        }
    }

    /// Measures `runs` searches of at least `rounds` rounds each.
    fn time_rounds(&mut self, rounds: u32, runs: u32) -> Result<Vec<f64>> {
        let search = &self.search;
        if self.is_resident()
            && let Some(part) = &mut self.residents
        {
            let times = rounds.div_ceil(search.tuning.resident_rounds.max(1));
            return Ok(self.context.time_replays(&mut self.begin, part, times, runs)?);
        }
        let count = search.whole_rounds(rounds.min(TIMED_BATCHES * search.batch()));
        let planned = solver::rounds(&self.context, search, count)?;
        let mut part = solver::replay(&self.context, &self.buffers, planned)?;
        let times = rounds.div_ceil(count);
        Ok(self.context.time_replays(&mut self.begin, &mut part, times, runs)?)
    }

    /// Returns the GPU time of a complete search from `source`, summed over the passes with each
    /// label. Every round is one dispatch.
    pub fn time_passes(&mut self, source: u32) -> Result<Vec<PassTime>> {
        // This checks the source and writes the request to the device.
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
        add(self.context.time_passes(&begin, &self.buffers.bind(&imports))?);
        let (plan, imports) = solver::rounds(&self.context, &search, search.batch())?;
        let batch = instantiate(&self.context, plan)?;
        let mut submitted = 0;
        loop {
            add(self.context.time_passes(&batch, &self.buffers.bind(&imports))?);
            submitted += 1;
            if self.has_ended(submitted)? {
                return Ok(sums);
            }
        }
    }
}
