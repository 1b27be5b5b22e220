//! Accesses of lanes to shared memory and buffers: bounds checks, race detection, values.

use rspirv::spirv::Op;

use crate::code::{Address, BAD_ADDRESS, OFFSET_BITS, Space};
use crate::eval::eval_atomic;
use crate::finding_kind::FindingKind;
use crate::memory::{Cells, GARBAGE, Memory, Mode, Record, Released};
use crate::options::AtomicOrder;
use crate::order::{Domain, release_sequence};
use crate::run::{Core, Run, Subgroup};
use crate::swaps::Addition;
use crate::timeline::Stage;

/// A word of memory.
#[derive(Clone, Copy, Debug)]
enum Word {
    Shared(usize),
    Buffer { region: usize, at: usize },
}

impl Word {
    /// The memory that contains the word, and the index of the word.
    fn cells<'c>(self, shared: &'c mut Cells, memory: &'c mut Memory) -> (&'c mut Cells, usize) {
        match self {
            Self::Shared(at) => (shared, at),
            Self::Buffer { region, at } => (&mut memory.regions[region].cells, at),
        }
    }
}

/// The lane, instruction and kind of an access.
#[derive(Clone, Copy)]
pub(crate) struct Accessor {
    pub local: usize,
    pub pc: u32,
    pub space: Space,
    pub mode: Mode,
}

/// The address that one lane accesses. Contains `BAD_ADDRESS` if an index is out of bounds.
pub(crate) fn address(subgroup: &Subgroup, at: Address, lane: usize) -> u64 {
    let dynamic = at.reg.map_or(0, |reg| subgroup.get(reg, lane));
    // Adding an offset must not clear the mark of a bad address.
    (dynamic.wrapping_add(at.base)) | (dynamic & BAD_ADDRESS)
}

impl Run<'_> {
    /// The word at a byte address. Reports a finding and returns `None` if the address is out of
    /// bounds, not bound, or not a multiple of 4.
    fn word(&mut self, core: &Core, who: Accessor, at: u64) -> Option<Word> {
        let problem = if at & BAD_ADDRESS != 0 {
            format!("index {} of an array", at as u32)
        } else if who.space == Space::Shared {
            let word = (at / 4) as usize;
            if word < core.shared.words.len() && at.is_multiple_of(4) {
                return Some(Word::Shared(word));
            }
            format!("byte {at} of shared memory")
        } else {
            let (range, offset) = ((at >> OFFSET_BITS) as usize, at & ((1 << OFFSET_BITS) - 1));
            match self.bounds.get(range) {
                Some(bound) if offset + 4 <= bound.size && offset.is_multiple_of(4) => {
                    let at = ((bound.offset + offset) / 4) as usize;
                    return Some(Word::Buffer { region: bound.region, at });
                }
                Some(bound) => {
                    format!("byte {offset} of `{}`, which has {}", bound.name, bound.size)
                }
                None => "an address that is not bound".to_owned(),
            }
        };
        self.report(FindingKind::OutOfBounds, core, who.local, who.pc, problem);
        None
    }

    /// Checks and records an access. Returns the value of the word. An atomic or volatile load may
    /// return an old value.
    fn touch(&mut self, core: &mut Core, who: Accessor, word: Word, reads: bool) -> u32 {
        let domain = if who.space == Space::Shared { Domain::Shared } else { Domain::Buffer };
        let record = Record {
            pass: self.pass,
            group: core.number as u32,
            lane: who.local as u32,
            stamp: core.clocks.stamp(domain, who.local),
            pc: who.pc,
            mode: who.mode,
        };
        let clocks = &core.clocks;
        let (timeline, number, write) = (self.timeline, core.number as u32, who.mode.write);
        let ordered = |old: &Record| {
            if old.pass != record.pass {
                timeline.after(old, Stage::Shader, write)
            } else if old.group == number {
                clocks.ordered(domain, old.lane as usize, old.stamp, who.local)
            } else {
                clocks.ordered_across(u64::from(old.group), old.lane, old.stamp, who.local)
            }
        };
        let (cells, at) = word.cells(&mut core.shared, self.memory);
        let written = cells.is_written(at);
        let held = cells.words[at];
        let mut old_value = None;
        if who.mode.atomic && !who.mode.write {
            let (rng, old) = (&mut self.rng, self.options.old_values);
            let wants_old = || old && rng.below(2) == 0;
            old_value = cells.stale_value(at, &record, ordered, wants_old);
        }
        let found = cells.touch(at, record, ordered);
        if let Some((kind, other)) = found {
            self.report_access(kind, record, Some(other), |run| run.describe(word));
        }
        if reads && !written {
            self.report_access(FindingKind::Unwritten, record, None, |run| run.describe(word));
        }
        if let Word::Buffer { region, at } = word
            && who.mode.atomic
            && reads
            && let Some(Released { last, previous }) = self.memory.released.get(&(region, at))
            && let Some(released) = if old_value.is_some() { previous } else { last }
        {
            core.clocks.read_released(who.local, released);
        }
        old_value.unwrap_or(held)
    }

    fn describe(&self, word: Word) -> String {
        match word {
            Word::Shared(at) => {
                let byte = at as u32 * 4;
                let of = self.program.shared.iter().find(|(_, b, n)| (*b..b + n).contains(&byte));
                match of {
                    Some((name, begin, _)) => {
                        format!("shared `{name}` word {}", (byte - begin) / 4)
                    }
                    None => format!("shared memory byte {byte}"),
                }
            }
            Word::Buffer { region, at } => {
                let byte = at as u64 * 4;
                let of = self
                    .bounds
                    .iter()
                    .find(|b| b.region == region && (b.offset..b.offset + b.size).contains(&byte));
                match of {
                    Some(bound) => format!("`{}` word {}", bound.name, (byte - bound.offset) / 4),
                    None => format!("`{}` byte {byte}", self.memory.regions[region].name),
                }
            }
        }
    }

    /// Writes a word. `modify` is set for an atomic that also reads the word. In buffers, such an
    /// atomic continues the release sequence of the word; an atomic or volatile store ends it.
    fn put(
        &mut self,
        core: &mut Core,
        who: Accessor,
        word: Word,
        value: u32,
        (modify, was_written): (bool, bool),
    ) {
        let (cells, at) = word.cells(&mut core.shared, self.memory);
        cells.put(at, value, was_written, who.mode.atomic);
        if let Word::Buffer { region, at } = word
            && who.mode.atomic
        {
            let (key, all) = ((region, at), &mut self.memory.released);
            let previous = all.remove(&key).and_then(|released| released.last);
            let new = core.clocks.released(who.local);
            let last = release_sequence(previous.as_ref().filter(|_| modify), new);
            if last.is_some() || previous.is_some() {
                all.insert(key, Released { last, previous });
            }
        }
    }

    pub fn load(&mut self, core: &mut Core, who: Accessor, at: u64, wide: bool) -> u64 {
        let Some(word) = self.word(core, who, at) else { return u64::from(GARBAGE) };
        let low = u64::from(self.touch(core, who, word, true));
        if !wide {
            return low;
        }
        let Some(word) = self.word(core, who, at + 4) else { return low };
        low | u64::from(self.touch(core, who, word, true)) << 32
    }

    pub fn store(&mut self, core: &mut Core, who: Accessor, at: u64, wide: bool, value: u64) {
        let count = if wide { 2 } else { 1 };
        for k in 0..count {
            let Some(word) = self.word(core, who, at + 4 * k) else { return };
            let (cells, at_word) = word.cells(&mut core.shared, self.memory);
            let was_written = cells.is_written(at_word);
            self.touch(core, who, word, false);
            let value = (value >> (32 * k)) as u32;
            self.put(core, who, word, value, (false, was_written));
        }
    }

    /// Marks the stored words as unwritten, so that a later read of them is a finding.
    pub fn forget(&mut self, core: &mut Core, who: Accessor, at: u64, wide: bool) {
        for k in 0..if wide { 2 } else { 1 } {
            let Some(word) = self.word(core, who, at + 4 * k) else { return };
            let (cells, at) = word.cells(&mut core.shared, self.memory);
            cells.set_written(at..at + 1, false);
        }
    }

    /// Executes an atomic. Returns the previous value.
    pub fn atomic(
        &mut self,
        core: &mut Core,
        mut who: Accessor,
        at: u64,
        op: Op,
        wide: bool,
        operands: [u64; 2],
    ) -> u64 {
        who.mode = Mode { write: op != Op::AtomicLoad, atomic: true, coherent: true, fixed: false };
        let reads = op != Op::AtomicStore;
        let mut words = Vec::with_capacity(2);
        for k in 0..if wide { 2 } else { 1 } {
            let Some(word) = self.word(core, who, at + 4 * k) else { return u64::from(GARBAGE) };
            words.push((k, word, self.touch(core, who, word, reads)));
        }
        let held = words.iter().fold(0, |all, (k, _, held)| all | u64::from(*held) << (32 * k));
        if op != Op::AtomicLoad {
            let new = eval_atomic(op, wide, held, operands).unwrap_or(held);
            for (k, word, _) in words {
                self.put(core, who, word, (new >> (32 * k)) as u32, (reads, true));
            }
        }
        held
    }

    /// Processes an addition to shared memory. If this run swaps it with another addition, returns
    /// the number to add to the value that the addition returns; otherwise 0.
    pub fn swap(&mut self, core: &Core, who: Accessor, at: u64, added: u32) -> u32 {
        if self.options.atomics == AtomicOrder::Lane {
            return 0;
        }
        let (clocks, lane) = (&core.clocks, who.local);
        let stamp = clocks.stamp(Domain::Shared, lane);
        let word = (at / 4) as usize;
        let new = Addition { group: core.number, word, lane, stamp, added };
        let width = self.options.width as usize;
        let may_come_before = |old: &Addition| {
            old.lane != lane
                && old.lane / width == lane / width
                && !clocks.ordered(Domain::Shared, old.lane, old.stamp, lane)
        };
        self.swaps.add(new, may_come_before)
    }
}
