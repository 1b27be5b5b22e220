//! Additions to shared memory that could execute in a different order.
//!
//! The machine executes one instruction at a time for the lanes of a tangle, so an addition of one
//! lane always precedes a later addition of another lane. The specification does not guarantee this
//! order: without a barrier in between, the later addition may execute first, unless its operand
//! depends on the result of the earlier one. Atomics do not race, so only a wrong result reveals a
//! kernel that relies on the order.
//!
//! Therefore a run records pairs of consecutive, unordered additions to a word by two lanes of a
//! subgroup. A second run of the same plan swaps some of the pairs: both additions return the
//! values that they would return if the later one executed first. If the second run still makes the
//! same later additions, these do not depend on the earlier additions, so the swap is legal.

use std::collections::HashMap;

use crate::order::Stamp;

/// Two additions that may be swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swap {
    /// The pass that executes both additions.
    pub pass: u32,
    /// Indices of the additions in the pass.
    pub numbers: [u64; 2],
    /// Index of their workgroup.
    pub group: u64,
    word: usize,
    added: [u32; 2],
}

/// An addition whose result is used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addition {
    pub group: u64,
    pub word: usize,
    pub lane: usize,
    pub stamp: Stamp,
    pub added: u32,
}

/// Records possible swaps, or performs requested ones.
#[derive(Debug, Default)]
pub struct Swaps {
    pass: u32,
    count: u64,
    /// The last addition to each word, with its index, by workgroup and word.
    last: HashMap<(u64, usize), (u64, Addition)>,
    found: Vec<Swap>,
    /// Requested swaps by addition index: the pair, and the position in the pair.
    wanted: HashMap<u64, (Swap, usize)>,
    wanted_pass: u32,
    done: usize,
    differs: bool,
}

impl Swaps {
    pub(crate) fn begin(&mut self, pass: u32) {
        self.pass = pass;
        self.count = 0;
        self.last.clear();
    }

    /// Pairs of additions whose order could be swapped; empty if atomics execute in lane order.
    pub fn found(&self) -> &[Swap] {
        &self.found
    }

    /// Requests that the next run swaps these pairs. The next run must execute the same plan as the
    /// run that found the pairs. All pairs must belong to one pass, and no addition may be in two
    /// pairs.
    pub fn want(&mut self, swaps: &[Swap]) {
        self.wanted_pass = swaps.first().map_or(0, |swap| swap.pass);
        let both = swaps.iter().flat_map(|s| [(s.numbers[0], (*s, 0)), (s.numbers[1], (*s, 1))]);
        self.wanted = both.collect();
    }

    /// Whether all requested pairs were swapped, and their additions were the same as in the
    /// recording run.
    pub fn swapped(&self) -> bool {
        !self.differs && self.done == self.wanted.len()
    }

    /// Processes an addition. `may_come_before` decides whether it may execute before a given
    /// earlier addition. Returns a correction of its result, which is zero unless it is swapped.
    pub(crate) fn add(
        &mut self,
        new: Addition,
        may_come_before: impl Fn(&Addition) -> bool,
    ) -> u32 {
        let number = self.count;
        self.count += 1;
        if self.wanted.is_empty() {
            let last = self.last.insert((new.group, new.word), (number, new));
            if let Some((before, old)) = last.filter(|(_, old)| may_come_before(old)) {
                self.found.push(Swap {
                    pass: self.pass,
                    numbers: [before, number],
                    group: new.group,
                    word: new.word,
                    added: [old.added, new.added],
                });
            }
            return 0;
        }
        let wanted = self.wanted.get(&number).filter(|_| self.pass == self.wanted_pass);
        let Some(&(swap, which)) = wanted else { return 0 };
        self.done += 1;
        self.differs |=
            (swap.group, swap.word, swap.added[which]) != (new.group, new.word, new.added);
        match which {
            0 => swap.added[1],
            _ => swap.added[0].wrapping_neg(),
        }
    }
}
