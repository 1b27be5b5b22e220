//! Memory with shadow state: for each word, whether it was written, and its last accesses.

use std::collections::HashMap;
use std::rc::Rc;

use crate::finding_kind::FindingKind;
use crate::order::{Others, Stamp};

/// The properties of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mode {
    pub write: bool,
    /// Atomic or volatile. A volatile access of one word is treated as a relaxed atomic.
    pub atomic: bool,
    pub coherent: bool,
    /// An access by a transfer command or an indirect dispatch, instead of by a lane of a kernel.
    pub fixed: bool,
}

/// The lane, time and instruction of an access.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// Index of the pass; 0 if there was no access.
    pub pass: u32,
    pub group: u32,
    pub lane: u32,
    pub stamp: Stamp,
    pub pc: u32,
    pub mode: Mode,
}

impl Record {
    fn same_lane(&self, other: &Self) -> bool {
        (self.pass, self.group, self.lane) == (other.pass, other.group, other.lane)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Shadow {
    written: bool,
    write: Record,
    atomic_write: Record,
    atomic_read: Record,
    /// The last plain reads, at most one by each of two different lanes.
    reads: [Record; 2],
    /// The value before the last write.
    previous: u32,
    /// Number of reads that may still return `previous`.
    stale: u8,
}

/// Words with their shadow state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub words: Vec<u32>,
    shadow: Vec<Shadow>,
}

/// Maximum number of reads that return the old value of a word after a write. Later reads return
/// the new value, so that polling loops end.
const MAX_STALE: u8 = 3;

/// The value of unwritten memory.
pub(crate) const GARBAGE: u32 = 0xCDCD_CDCD;

impl Cells {
    pub fn new(words: usize) -> Self {
        Self { words: vec![GARBAGE; words], shadow: vec![Shadow::default(); words] }
    }

    /// The same cells, reset to the unwritten state.
    pub fn cleared(mut self) -> Self {
        self.words.fill(GARBAGE);
        self.shadow.fill(Shadow::default());
        self
    }

    pub fn is_written(&self, at: usize) -> bool {
        self.shadow.get(at).is_some_and(|s| s.written)
    }

    /// Writes a word. After an atomic or volatile write, such loads by other lanes may return the
    /// old value for a while.
    pub fn put(&mut self, at: usize, value: u32, was_written: bool, atomic: bool) {
        if let (Some(shadow), Some(word)) = (self.shadow.get_mut(at), self.words.get_mut(at)) {
            shadow.previous = *word;
            shadow.stale = if was_written && atomic { MAX_STALE } else { 0 };
            *word = value;
        }
    }

    /// Returns the old value if an atomic or volatile load may still observe it and `wants_old`
    /// returns true. It may if the last write is an atomic or volatile one by another lane of the
    /// same pass that is not ordered before the load, the word was written before, no load has
    /// returned the new value yet, and fewer than `MAX_STALE` have returned the old one.
    pub fn stale_value(
        &mut self,
        at: usize,
        reader: &Record,
        ordered: impl Fn(&Record) -> bool,
        wants_old: impl FnOnce() -> bool,
    ) -> Option<u32> {
        let shadow = self.shadow.get_mut(at).filter(|s| s.stale > 0)?;
        let writer = shadow.atomic_write;
        let hidden = writer.pass == reader.pass && !writer.same_lane(reader) && !ordered(&writer);
        if hidden && wants_old() {
            shadow.stale -= 1;
            return Some(shadow.previous);
        }
        shadow.stale = 0;
        None
    }

    /// Marks words as written or unwritten, without an access. Unwritten words become `GARBAGE`.
    pub fn set_written(&mut self, range: std::ops::Range<usize>, written: bool) {
        if !written && let Some(words) = self.words.get_mut(range.clone()) {
            words.fill(GARBAGE);
        }
        for shadow in self.shadow.get_mut(range).unwrap_or_default() {
            shadow.written = written;
        }
    }

    /// Records an access. Returns a conflicting earlier access, if any. `ordered` decides whether
    /// an earlier access is ordered before this one.
    pub fn touch(
        &mut self,
        at: usize,
        new: Record,
        ordered: impl Fn(&Record) -> bool,
    ) -> Option<(FindingKind, Record)> {
        let shadow = self.shadow.get_mut(at)?;
        let conflict = |old: &Record| -> Option<(FindingKind, Record)> {
            if old.pass == 0 || old.same_lane(&new) {
                return None;
            }
            let same_pass = old.pass == new.pass;
            let both_atomic = same_pass && old.mode.atomic && new.mode.atomic;
            if !both_atomic && !ordered(old) {
                return Some((FindingKind::Race, *old));
            }
            let seen = old.mode.coherent && new.mode.coherent;
            (same_pass && old.mode.write && !seen).then_some((FindingKind::NotCoherent, *old))
        };
        let mut found = conflict(&shadow.write).or_else(|| conflict(&shadow.atomic_write));
        if new.mode.write {
            found = found
                .or_else(|| conflict(&shadow.reads[0]))
                .or_else(|| conflict(&shadow.reads[1]))
                .or_else(|| conflict(&shadow.atomic_read));
        }
        match (new.mode.write, new.mode.atomic) {
            (true, true) => shadow.atomic_write = new,
            (true, false) => shadow.write = new,
            (false, true) => shadow.atomic_read = new,
            (false, false) => {
                if !shadow.reads[0].same_lane(&new) {
                    shadow.reads[1] = shadow.reads[0];
                }
                shadow.reads[0] = new;
            }
        }
        shadow.written |= new.mode.write;
        found
    }
}

/// A region of device memory, such as an import of a plan or its workspace.
#[derive(Debug)]
pub(crate) struct Region {
    pub name: String,
    pub cells: Cells,
    /// The region's device address.
    pub address: u64,
}

/// A range of a region that is bound to a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub name: String,
    pub region: usize,
    pub offset: u64,
    pub size: u64,
}

/// All device memory.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub regions: Vec<Region>,
    /// The barrier counts that atomic and volatile writes released, by region and word.
    pub released: HashMap<(usize, usize), Released>,
}

/// The barrier counts (see `order.rs`) that a reader of a word learns: from its last value, and from
/// the value before the last write.
#[derive(Debug)]
pub(crate) struct Released {
    pub last: Option<Rc<Others>>,
    pub previous: Option<Rc<Others>>,
}

/// Distance between the device addresses of regions.
const ADDRESS_STEP: u64 = 1 << 36;

impl Memory {
    pub fn add(&mut self, name: &str, bytes: u64) -> usize {
        let index = self.regions.len();
        let address = (index as u64 + 1) * ADDRESS_STEP;
        let cells = Cells::new(bytes.div_ceil(4) as usize);
        self.regions.push(Region { name: name.to_owned(), cells, address });
        index
    }
}
