//! Additions to shared memory that could as well be performed in another order.
//!
//! Lanes of a subgroup that go together execute one instruction at a time, so that an addition of one lane
//! always comes before a later one of another lane. Nothing promises that: without a barrier between
//! them, the later one may be performed first, unless what it adds depends on what the earlier one found.
//! Atomics do not race, so that only the result can show it. A run therefore notes pairs of additions to a
//! word, one right after the other, by two lanes of a subgroup, that nothing orders. A second run of the
//! same plan swaps some of them: the earlier one is told what it finds after the later one. That the
//! later one is still the same addition shows that nothing it needs depends on it.

use std::collections::HashMap;

use crate::order::Stamp;

/// Two additions that may change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swap {
    /// The pass that has both.
    pub pass: u32,
    /// Their numbers among the additions of the pass.
    pub numbers: [u64; 2],
    /// Their workgroup.
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

/// What a run notes, or swaps.
#[derive(Debug, Default)]
pub(crate) struct Swaps {
    pass: u32,
    count: u64,
    /// The last addition to each word of a workgroup, with its number.
    last: HashMap<(u64, usize), (u64, Addition)>,
    found: Vec<Swap>,
    /// By the number of an addition: the pair, and which of it.
    wanted: HashMap<u64, (Swap, usize)>,
    wanted_pass: u32,
    done: usize,
    differs: bool,
}

impl Swaps {
    pub fn begin(&mut self, pass: u32) {
        self.pass = pass;
        self.count = 0;
        self.last.clear();
    }

    pub fn found(&self) -> &[Swap] {
        &self.found
    }

    /// Swaps these pairs, all of one pass and each addition at most once.
    pub fn want(&mut self, swaps: &[Swap]) {
        self.wanted_pass = swaps.first().map_or(0, |swap| swap.pass);
        let both = swaps.iter().flat_map(|s| [(s.numbers[0], (*s, 0)), (s.numbers[1], (*s, 1))]);
        self.wanted = both.collect();
    }

    /// Whether all that was wanted was swapped, and the additions were those that had been noted.
    pub fn swapped(&self) -> bool {
        !self.differs && self.done == self.wanted.len()
    }

    /// An addition. `may_come_before` says whether it may be performed before an earlier one. Gives what
    /// is to be added to what it finds.
    pub fn add(&mut self, new: Addition, may_come_before: impl Fn(&Addition) -> bool) -> u32 {
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
