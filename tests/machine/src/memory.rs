//! Memory with a memory of its own: each word knows whether it was written, and who accessed it
//! last.

use std::collections::HashMap;
use std::rc::Rc;

use crate::finding::FindingKind;
use crate::order::{Others, Stamp};

/// What an access is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mode {
    pub write: bool,
    /// Atomic, or volatile: a volatile access of a word counts as a relaxed atomic one.
    pub atomic: bool,
    pub coherent: bool,
    /// By a transfer or as an indirect argument.
    pub fixed: bool,
}

/// Who accessed a word, and when.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// 0 where nobody did.
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
    /// The last readers, two different lanes.
    reads: [Record; 2],
    /// What it held before the last atomic or volatile write, and how many reads may still see it.
    previous: u32,
    stale: u8,
}

/// Words, and what is known of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub words: Vec<u32>,
    shadow: Vec<Shadow>,
}

/// Reads that may see an old value, so that whoever waits for the new one sees it at last.
const MAX_STALE: u8 = 3;

/// What memory holds that nobody wrote.
pub(crate) const GARBAGE: u32 = 0xCDCD_CDCD;

impl Cells {
    pub fn new(words: usize) -> Self {
        Self { words: vec![GARBAGE; words], shadow: vec![Shadow::default(); words] }
    }

    /// The same cells as if nobody had accessed them.
    pub fn cleared(mut self) -> Self {
        self.words.fill(GARBAGE);
        self.shadow.fill(Shadow::default());
        self
    }

    pub fn is_written(&self, at: usize) -> bool {
        self.shadow.get(at).is_some_and(|s| s.written)
    }

    /// Writes a word. Where that is an atomic or volatile write, others may see the old value for a
    /// while.
    pub fn put(&mut self, at: usize, value: u32, was_written: bool, atomic: bool) {
        if let (Some(shadow), Some(word)) = (self.shadow.get_mut(at), self.words.get_mut(at)) {
            shadow.previous = *word;
            shadow.stale = if was_written && atomic { MAX_STALE } else { 0 };
            *word = value;
        }
    }

    /// What an atomic or volatile load sees that the last write need not come before: the old value
    /// while nobody has seen the new one, and `wants_old` says so.
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

    /// Says that the words are written, or that they are not, without an access.
    pub fn set_written(&mut self, range: std::ops::Range<usize>, written: bool) {
        if !written && let Some(words) = self.words.get_mut(range.clone()) {
            words.fill(GARBAGE);
        }
        for shadow in self.shadow.get_mut(range).unwrap_or_default() {
            shadow.written = written;
        }
    }

    /// Notes an access. Gives what is wrong with it, and the earlier access that it conflicts
    /// with; `ordered` says whether an earlier access comes before it.
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

/// A piece of device memory: an import of a plan, or its workspace.
#[derive(Debug)]
pub(crate) struct Region {
    pub name: String,
    pub cells: Cells,
    /// Its device address.
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
    /// What was released, by atomic and volatile writes, at words: region and word.
    pub released: HashMap<(usize, usize), Rc<Others>>,
}

/// Addresses of regions are this far apart, and of no other meaning.
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
