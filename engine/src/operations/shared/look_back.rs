//! Look-back settings that respect the device's loop limit.
//!
//! Some software drivers end every loop, without an error, once the loops of an invocation have taken a total number
//! of iterations (llvmpipe: 65,535). A look-back whose loop ends early misses predecessor tiles, and its result is
//! wrong. Its worst case must therefore stay within the limit, whatever the policy: every poll fails until the spin
//! limit is reached, and every predecessor that may be unfinished is recomputed.

use multisplit_graph::{Buffer, Graph};

use crate::error::Result;
use crate::operations::shared::{Filling, Length, Lengths, Prepared};
use crate::operations::split::TileShape;
use crate::policy::Policy;

/// Settings of a kernel that looks back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookBack {
    /// Maximum number of failed polls before a missing tile is recomputed.
    pub spins: u32,
    /// Whether each workgroup takes the next tile from a ticket counter, so that tiles are processed in the order in
    /// which workgroups start.
    pub tickets: bool,
}

impl LookBack {
    pub fn constants(self) -> [(&'static str, u32); 2] {
        [("SPIN_LIMIT", self.spins), ("TICKETS", self.tickets.into())]
    }
}

/// Status of the tiles of a look-back over terms (`tile_status.glsl`): the number of workgroups that have started, and
/// the published totals.
#[derive(Clone, Copy, Debug)]
pub struct TileStatus {
    tiles: u64,
    /// Words per tile: 2 or 4.
    words: u64,
    /// The pass that clears the status. `None` if the kernel keeps it from run to run.
    clear: Option<Filling>,
}

impl TileStatus {
    /// Plans the status of `tiles` tiles with `words` words each. A kernel can keep the status from run to run if one
    /// dispatch processes all tiles (`is_one_dispatch`), and all runs have the same number of tiles.
    pub fn plan(
        policy: &Policy,
        lengths: &mut Lengths,
        tiles: Length,
        words: u64,
        is_one_dispatch: bool,
    ) -> Result<Self> {
        let clear = match tiles.is_known() && is_one_dispatch {
            true => None,
            false => {
                let states = lengths.scaled(tiles, words, words)?;
                Some(Filling::plan(policy, lengths, states)?)
            }
        };
        Ok(Self { tiles: tiles.max, words, clear })
    }

    /// Declares the buffer, and adds the pass that clears it, if there is one.
    pub fn add(
        self,
        graph: &mut Graph,
        policy: &Policy,
        prepared: Prepared,
        operation: &str,
    ) -> Result<Buffer> {
        let name = format!("{operation}.status");
        // The number of started workgroups is padded to the size of a tile's total.
        let len = 1 + self.tiles;
        let status = match (self.clear, self.words) {
            (None, 2) => graph.state::<[u32; 2]>(name, len),
            (None, _) => graph.state::<[u32; 4]>(name, len),
            (Some(_), 2) => graph.transient::<[u32; 2]>(name, len),
            (Some(_), _) => graph.transient::<[u32; 4]>(name, len),
        };
        if let Some(clear) = self.clear {
            clear.add(graph, policy, prepared, &format!("{operation}.clear"), status, 0)?;
        }
        Ok(status)
    }

    pub fn constant(self) -> (&'static str, u32) {
        ("KEEPS_STATUS", self.clear.is_none().into())
    }
}

/// Number of loop iterations that one invocation of a kernel takes for its look-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookBackCost {
    /// Iterations that are independent of the number of missing tiles.
    pub fixed: u64,
    /// Iterations per round of polls.
    pub poll: u64,
    /// Iterations to recompute one tile.
    pub recompute: u64,
}

/// Maximum number of unfinished tiles if tiles are taken by tickets. Drivers with a loop limit run each workgroup to
/// completion on one worker thread. llvmpipe has at most 32 worker threads.
const MAX_TILES_IN_FLIGHT: u64 = 32;
/// Number of polls per missing tile in addition to the spin limit: the poll that exceeds the limit, one that adds the
/// published tiles between this missing tile and the previous one, and one as a reserve.
const OTHER_POLLS: u64 = 3;

impl LookBackCost {
    /// Cost of a look-back over one count per bucket (`tile_lookback.glsl`). Recomputing a tile takes `item_rounds`
    /// iterations per key of a thread. Computing the total of a bucket takes `total_rounds`.
    pub fn of_buckets(buckets: u32, shape: TileShape, item_rounds: u64, total_rounds: u64) -> Self {
        let (buckets, threads) = (u64::from(buckets), u64::from(shape.threads));
        let own_buckets = buckets.div_ceil(threads);
        // The workgroup that recomputes the first tile adds up, for each bucket of its threads, the totals of all
        // preceding buckets.
        let fixed = own_buckets * (own_buckets + 1) / 2 * threads * total_rounds;
        let recompute = own_buckets + (u64::from(shape.items) + 2) * item_rounds;
        Self { fixed, poll: own_buckets, recompute }
    }
}

impl Policy {
    /// The look-back settings for `tiles` tiles. These are the settings of the policy, but with fewer spins or with
    /// tickets if the worst case would exceed the device's loop limit. `None` if no settings stay within the limit.
    pub(in crate::operations) fn look_back(
        &self,
        tiles: u64,
        cost: LookBackCost,
    ) -> Option<LookBack> {
        let fitting = |tickets: bool| {
            let in_flight = if tickets { tiles.min(MAX_TILES_IN_FLIGHT) } else { tiles };
            let spins = self.fitting_spins(in_flight, cost)?.min(self.spin_limit);
            Some(LookBack { spins, tickets })
        };
        fitting(self.tickets).or_else(|| fitting(true))
    }

    /// The spin limit for kernels whose workgroups always take tiles by tickets. Stays within the loop limit for
    /// every tile shape.
    pub(in crate::operations) fn ticket_spins(&self, cost: LookBackCost) -> u32 {
        self.fitting_spins(MAX_TILES_IN_FLIGHT, cost).map_or(0, |spins| spins.min(self.spin_limit))
    }

    /// The largest spin limit that leaves enough iterations to recompute `missing` tiles. `None` if there is none.
    fn fitting_spins(&self, missing: u64, cost: LookBackCost) -> Option<u32> {
        let Some(limit) = self.facts.loop_limit else { return Some(u32::MAX) };
        // One eighth of the iterations is reserved for the other loops of the kernel.
        let available = u64::from(limit / 8 * 7).checked_sub(cost.fixed)?;
        let per_tile = available / (missing + 1);
        let polls = per_tile.checked_sub(cost.recompute)? / cost.poll.max(1);
        polls.checked_sub(OTHER_POLLS).map(|spins| spins.try_into().unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{limited_policy, test_policy};

    const COST: LookBackCost = LookBackCost { fixed: 100, poll: 2, recompute: 300 };

    #[test]
    fn devices_without_a_loop_limit_follow_the_policy() {
        for tickets in [false, true] {
            let policy = Policy { tickets, spin_limit: 1 << 22, ..test_policy(32, 256) };
            let expected = LookBack { spins: 1 << 22, tickets };
            assert_eq!(policy.look_back(1 << 30, COST), Some(expected));
        }
    }

    #[test]
    fn worst_case_of_look_back_stays_within_the_loop_limit() {
        let mut off = 0;
        for tickets in [false, true] {
            for spin_limit in [0, 32, 256, 1 << 22] {
                for tiles in [1, 2, 31, 32, 33, 180, 190, 1000, 1 << 30] {
                    let policy = Policy { tickets, spin_limit, ..limited_policy(4) };
                    let chosen =
                        policy.look_back(tiles, COST).expect("tickets stay within the limit");
                    assert!(chosen.spins <= spin_limit && chosen.tickets >= tickets);
                    let missing = if chosen.tickets { tiles.min(32) } else { tiles };
                    let polls = u64::from(chosen.spins) + OTHER_POLLS;
                    let worst = COST.fixed + missing * (COST.poll * polls + COST.recompute);
                    assert!(
                        worst <= 65_535 * 7 / 8,
                        "{tiles} tiles, {chosen:?}: {worst} iterations, more than 7/8 of 65,535"
                    );
                    off += u32::from(!chosen.tickets);
                }
            }
        }
        assert!(off > 0, "no case without tickets was tested");
    }

    #[test]
    fn bucket_look_back_with_tickets_stays_within_the_loop_limit() {
        let policy = Policy { tickets: false, spin_limit: 1 << 22, ..limited_policy(4) };
        for (threads, items) in [(4, 32), (8, 1), (64, 32), (256, 8), (1024, 32)] {
            let cost = LookBackCost::of_buckets(256, TileShape::new(threads, items), 10, 1);
            let spins = policy.fitting_spins(MAX_TILES_IN_FLIGHT, cost);
            assert!(spins.is_some(), "no spin limit for {threads} threads with {items} items each");
            assert!(policy.look_back(1 << 20, cost).is_some_and(|chosen| chosen.tickets));
        }
    }

    #[test]
    fn look_back_is_rejected_if_tiles_are_too_costly() {
        let policy = limited_policy(4);
        let cost = LookBackCost { recompute: 2000, ..COST };
        assert_eq!(policy.look_back(1 << 20, cost), None);
        assert!(policy.look_back(8, cost).is_some());
        assert_eq!(policy.look_back(1, LookBackCost { fixed: 1 << 16, ..COST }), None);
    }
}
