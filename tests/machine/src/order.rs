//! What happens before what, within a dispatch.
//!
//! Two kinds of memory are ordered apart, as barriers are: shared memory and buffers. Each lane
//! counts the barriers that release its accesses (`fence`); an access is stamped with the count.
//! Whoever knows of a higher count comes after the access. There are three ways to know:
//!
//! - a control barrier of the workgroup publishes the counts of all lanes to all;
//! - one of the subgroup does so for the lanes that execute it (a count of its own, `sub`);
//! - a lane that reads, by an atomic or volatile access, what another lane wrote after a memory
//!   barrier, and then executes a memory barrier itself, knows what that lane knew.
//!
//! `memoryBarrierBuffer(); barrier();` orders buffers across a workgroup, as GLSL has it: the
//! control barrier publishes what was released before it, and acquires for all that is after it.

use std::collections::BTreeMap;
use std::rc::Rc;

/// The kinds of memory that barriers order apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Shared = 0,
    Buffer = 1,
}

/// What is known of the lanes of another workgroup.
#[derive(Clone, Debug)]
struct Known {
    /// How many times the workgroup had published when this was taken.
    version: u32,
    published: Rc<[u32]>,
    /// Lanes of which more is known than was published.
    lanes: BTreeMap<u32, u32>,
}

/// What is known of other workgroups, by their number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Others(BTreeMap<u64, Known>);

impl Others {
    fn join(&mut self, other: &Self) {
        for (group, theirs) in &other.0 {
            let Some(own) = self.0.get_mut(group) else {
                self.0.insert(*group, theirs.clone());
                continue;
            };
            if theirs.version > own.version {
                own.version = theirs.version;
                own.published = theirs.published.clone();
            }
            for (lane, count) in &theirs.lanes {
                let held = own.lanes.entry(*lane).or_default();
                *held = (*held).max(*count);
            }
        }
    }

    fn covers(&self, group: u64, local: u32, fence: u32) -> bool {
        self.0.get(&group).is_some_and(|known| {
            known.published.get(local as usize).is_some_and(|&count| fence < count)
                || known.lanes.get(&local).is_some_and(|&count| fence < count)
        })
    }
}

/// Of a lane that has executed a memory barrier on buffers, or read what another one released.
#[derive(Clone, Debug, Default)]
struct Exchange {
    released: Option<Rc<Others>>,
    pending: Option<Rc<Others>>,
    known: Option<Rc<Others>>,
}

fn joined(one: Option<&Rc<Others>>, other: &Rc<Others>) -> Rc<Others> {
    match one {
        None => other.clone(),
        Some(one) if Rc::ptr_eq(one, other) => one.clone(),
        Some(one) => {
            let mut both = Others::clone(one);
            both.join(other);
            Rc::new(both)
        }
    }
}

/// The stamp of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub fence: u32,
    pub sub: u32,
}

/// The clocks of a workgroup.
#[derive(Debug)]
pub(crate) struct Clocks {
    group: u64,
    width: usize,
    /// Of each lane, by its local index: for shared memory and for buffers.
    fences: [Vec<u32>; 2],
    published: [Vec<u32>; 2],
    version: u32,
    /// `published` of buffers, as others hold it.
    shown: Option<Rc<[u32]>>,
    subs: Vec<u32>,
    /// What each lane knows of the lanes of its subgroup, a row a lane.
    rows: Vec<u32>,
    exchanges: BTreeMap<u32, Exchange>,
    known: Option<Rc<Others>>,
}

impl Clocks {
    pub fn new(group: u64, lanes: usize, width: usize) -> Self {
        Self {
            group,
            width,
            fences: [vec![1; lanes], vec![1; lanes]],
            published: [vec![0; lanes], vec![0; lanes]],
            version: 0,
            shown: None,
            subs: vec![1; lanes],
            rows: Vec::new(),
            exchanges: BTreeMap::new(),
            known: None,
        }
    }

    pub fn stamp(&self, domain: Domain, local: usize) -> Stamp {
        Stamp { fence: self.fences[domain as usize][local], sub: self.subs[local] }
    }

    /// Whether what lane `from` of this workgroup did with this stamp comes before what lane `to`
    /// does now.
    pub fn ordered(&self, domain: Domain, from: usize, stamp: Stamp, to: usize) -> bool {
        if stamp.fence < self.published[domain as usize][from] {
            return true;
        }
        let same_subgroup = from / self.width == to / self.width;
        same_subgroup
            && self.rows.get(to * self.width + from % self.width).is_some_and(|&k| stamp.sub < k)
    }

    /// The same for a lane of another workgroup, and buffers.
    pub fn ordered_across(&self, group: u64, from: u32, stamp: Stamp, to: usize) -> bool {
        let covers = |known: &Option<Rc<Others>>| {
            known.as_ref().is_some_and(|k| k.covers(group, from, stamp.fence))
        };
        covers(&self.known)
            || self.exchanges.get(&(to as u32)).is_some_and(|exchange| covers(&exchange.known))
    }

    /// A memory barrier of one lane, at least of the workgroup's scope.
    pub fn fence(&mut self, domain: Domain, local: usize, device: bool) {
        self.fences[domain as usize][local] += 1;
        if domain == Domain::Buffer && device {
            self.acquire_and_release(local);
        }
    }

    fn acquire_and_release(&mut self, local: usize) {
        let shown = self.shown.get_or_insert_with(|| self.published[1].as_slice().into()).clone();
        let exchange = self.exchanges.entry(local as u32).or_default();
        if let Some(pending) = exchange.pending.take() {
            exchange.known = Some(joined(exchange.known.as_ref(), &pending));
        }
        let mut released = Others::default();
        for known in [&self.known, &exchange.known].into_iter().flatten() {
            released.join(known);
        }
        let lanes = BTreeMap::from([(local as u32, self.fences[1][local])]);
        let own = Known { version: self.version, published: shown, lanes };
        released.0.insert(self.group, own);
        exchange.released = Some(Rc::new(released));
    }

    /// What an atomic write of a lane takes along.
    pub fn released(&self, local: usize) -> Option<Rc<Others>> {
        self.exchanges.get(&(local as u32))?.released.clone()
    }

    /// A lane has read what somebody released.
    pub fn read_released(&mut self, local: usize, what: &Rc<Others>) {
        let exchange = self.exchanges.entry(local as u32).or_default();
        exchange.pending = Some(joined(exchange.pending.as_ref(), what));
    }

    /// All lanes of the workgroup have met.
    pub fn meet(&mut self) {
        for (published, fences) in self.published.iter_mut().zip(&self.fences) {
            published.copy_from_slice(fences);
        }
        self.version += 1;
        self.shown = None;
        for exchange in self.exchanges.values_mut() {
            if let Some(known) = exchange.known.take() {
                self.known = Some(joined(self.known.as_ref(), &known));
            }
        }
        self.extend_releases();
    }

    /// Whoever has executed a memory barrier before the control barrier releases, with its next
    /// atomic, what all others released before it too: their barriers have made that available.
    fn extend_releases(&mut self) {
        if self.exchanges.values().all(|exchange| exchange.released.is_none()) {
            return;
        }
        let shown: Rc<[u32]> = self.published[1].as_slice().into();
        self.shown = Some(shown.clone());
        for (lane, exchange) in &mut self.exchanges {
            if exchange.released.is_some() {
                let mut all = Others::default();
                if let Some(known) = &self.known {
                    all.join(known);
                }
                let lanes = BTreeMap::from([(*lane, self.fences[1][*lane as usize])]);
                let own = Known { version: self.version, published: shown.clone(), lanes };
                all.0.insert(self.group, own);
                exchange.released = Some(Rc::new(all));
            }
        }
    }

    /// These lanes of a subgroup, whose first lane is `first`, have met.
    pub fn meet_in_subgroup(&mut self, first: usize, lanes: &[usize]) {
        if self.rows.is_empty() {
            self.rows = vec![0; self.subs.len() * self.width];
        }
        let width = self.width;
        let mut row = vec![0; width];
        for &lane in lanes {
            self.subs[first + lane] += 1;
            let own = &self.rows[(first + lane) * width..(first + lane + 1) * width];
            for (all, own) in row.iter_mut().zip(own) {
                *all = (*all).max(*own);
            }
        }
        for &lane in lanes {
            row[lane] = self.subs[first + lane];
        }
        for &lane in lanes {
            let at = (first + lane) * width;
            self.rows[at..at + width].copy_from_slice(&row);
        }
    }
}

/// Joins what was released at a word with what is released there now.
pub(crate) fn release_sequence(
    held: Option<&Rc<Others>>,
    new: Option<Rc<Others>>,
) -> Option<Rc<Others>> {
    match (held, new) {
        (Some(held), Some(new)) => Some(joined(Some(held), &new)),
        (held, new) => new.or_else(|| held.cloned()),
    }
}
