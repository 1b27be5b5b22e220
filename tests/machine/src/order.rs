//! The happens-before relation within a dispatch.
//!
//! Shared memory and buffers are tracked separately, because barriers order them separately. Each
//! lane counts the barriers that release its accesses (`fence`), and each access is stamped with
//! this count. If another lane knows a higher count of that lane, the access happens before
//! everything that the other lane does. A lane learns the counts of other lanes in three ways:
//!
//! - A control barrier of the workgroup publishes the counts of all lanes to all lanes.
//! - A control barrier of the subgroup does the same for the lanes that execute it (with a separate
//!   count, `sub`).
//! - A lane reads, with an atomic or volatile access to a buffer, a value that another lane wrote
//!   after a memory barrier of device scope, and then executes such a barrier itself. It then knows
//!   every count for buffers that the other lane knew when it wrote the value.
//!
//! `memoryBarrierBuffer(); barrier();` orders buffer accesses across a workgroup, as in GLSL: the
//! control barrier releases what each lane's memory barrier made available, and makes it visible to
//! all later accesses of the workgroup.

use std::collections::BTreeMap;
use std::rc::Rc;

/// The kinds of memory that barriers order separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Shared = 0,
    Buffer = 1,
}

/// Known counts of the lanes of a workgroup.
#[derive(Clone, Debug)]
struct Known {
    /// Number of workgroup barriers that the workgroup had executed when its counts were learned.
    version: u32,
    published: Rc<[u32]>,
    /// Known counts of single lanes, which may exceed the published counts.
    lanes: BTreeMap<u32, u32>,
}

/// The known counts of workgroups, by workgroup index.
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

/// The counts that a lane has released, has read but not yet acquired (`pending`), and knows.
/// Exists only for lanes that have executed a memory barrier of device scope on buffers, or have
/// read a released value.
#[derive(Clone, Debug, Default)]
struct Exchange {
    released: Option<Rc<Others>>,
    pending: Option<Rc<Others>>,
    known: Option<Rc<Others>>,
}

impl Exchange {
    /// Releases the counts that the lane and its workgroup know, and the lane's own count.
    fn release(&mut self, known: Option<&Rc<Others>>, group: u64, own: Known) {
        let mut released = Others(BTreeMap::from([(group, own)]));
        for known in [known, self.known.as_ref()].into_iter().flatten() {
            released.join(known);
        }
        self.released = Some(Rc::new(released));
    }
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

/// The barrier counts of a lane at the time of an access.
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
    /// Barrier counts of each lane (by local index), for shared memory and for buffers.
    fences: [Vec<u32>; 2],
    published: [Vec<u32>; 2],
    version: u32,
    /// A copy of the published counts for buffers, shared with other workgroups.
    shown: Option<Rc<[u32]>>,
    subs: Vec<u32>,
    /// For each lane, one row with the `sub` counts that it knows of the lanes of its subgroup.
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

    /// Whether an earlier access, by lane `from` of this workgroup and with this stamp, happens
    /// before the current access of lane `to`.
    pub fn ordered(&self, domain: Domain, from: usize, stamp: Stamp, to: usize) -> bool {
        if stamp.fence < self.published[domain as usize][from] {
            return true;
        }
        let same_subgroup = from / self.width == to / self.width;
        let row = self.rows.get(to * self.width + from % self.width);
        same_subgroup && row.is_some_and(|&k| stamp.sub < k)
            || domain == Domain::Buffer && self.ordered_across(self.group, from as u32, stamp, to)
    }

    /// Whether an atomic or volatile word has ordered an earlier buffer access, by a lane of any
    /// workgroup, before the current access of lane `to`.
    pub fn ordered_across(&self, group: u64, from: u32, stamp: Stamp, to: usize) -> bool {
        let covers = |known: &Option<Rc<Others>>| {
            known.as_ref().is_some_and(|k| k.covers(group, from, stamp.fence))
        };
        covers(&self.known)
            || self.exchanges.get(&(to as u32)).is_some_and(|exchange| covers(&exchange.known))
    }

    /// Records a memory barrier of one lane, with workgroup scope or larger.
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
        let lanes = BTreeMap::from([(local as u32, self.fences[1][local])]);
        let own = Known { version: self.version, published: shown, lanes };
        exchange.release(self.known.as_ref(), self.group, own);
    }

    /// The counts that an atomic write of a lane releases.
    pub fn released(&self, local: usize) -> Option<Rc<Others>> {
        self.exchanges.get(&(local as u32))?.released.clone()
    }

    /// Records that a lane has read a released value.
    pub fn read_released(&mut self, local: usize, what: &Rc<Others>) {
        let exchange = self.exchanges.entry(local as u32).or_default();
        exchange.pending = Some(joined(exchange.pending.as_ref(), what));
    }

    /// Records a control barrier of the whole workgroup.
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

    /// Called at a control barrier of the workgroup. If a lane executed a memory barrier earlier,
    /// its next atomic write also releases the accesses that the other lanes released before the
    /// control barrier.
    fn extend_releases(&mut self) {
        if self.exchanges.values().all(|exchange| exchange.released.is_none()) {
            return;
        }
        let shown: Rc<[u32]> = self.published[1].as_slice().into();
        self.shown = Some(shown.clone());
        for (lane, exchange) in &mut self.exchanges {
            if exchange.released.is_some() {
                let lanes = BTreeMap::from([(*lane, self.fences[1][*lane as usize])]);
                let own = Known { version: self.version, published: shown.clone(), lanes };
                exchange.release(self.known.as_ref(), self.group, own);
            }
        }
    }

    /// Records a control barrier that these lanes of a subgroup execute. `first` is the local index
    /// of the first lane of the subgroup.
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

/// Joins the counts that earlier writes of a word released with the counts that the current write
/// releases.
pub(crate) fn release_sequence(
    held: Option<&Rc<Others>>,
    new: Option<Rc<Others>>,
) -> Option<Rc<Others>> {
    match (held, new) {
        (Some(held), Some(new)) => Some(joined(Some(held), &new)),
        (held, new) => new.or_else(|| held.cloned()),
    }
}
