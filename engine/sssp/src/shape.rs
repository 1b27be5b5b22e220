//! Which method, how wide its buckets, how long its queues: what a search is, before any pass.

use multisplit::Error;
use multisplit::graph::Limits;

use crate::device_network::Facts;
use crate::error::Result;
use crate::network::WeightKind;
use crate::tuning::Tuning;

/// How shortest paths are searched for. All of them find the same distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// What is the fastest: [`Multisplit`](Self::Multisplit), with buckets as wide as suits the network.
    #[default]
    Auto,
    /// Whatever came nearer is expanded in the next round.
    BellmanFord,
    /// What is nearer than a splitting distance is expanded until nothing of it is left; the
    /// others wait in a pile, which is then split at a greater distance.
    NearFar,
    /// Buckets of equal width, the nearest first: whenever the near set is exhausted, all others
    /// are sorted by the number of their bucket. The costly original.
    Bucketing,
    /// The same with a multisplit instead of the sort, by passes of its own: the paper's
    /// Multisplit-SSSP.
    MultisplitPasses,
    /// Multisplit-SSSP without passes of its own: what comes nearer is split by bucket, by
    /// ballot-based voting, in the kernel that finds it.
    Multisplit,
}

impl Method {
    /// Whether what is not near lies in a pile that passes of their own split.
    pub(crate) fn has_pile(self) -> bool {
        matches!(self, Self::Bucketing | Self::MultisplitPasses)
    }
}

/// Buckets where nothing else is said: the best number in the paper.
pub const DEFAULT_BUCKETS: u32 = 10;
/// Most buckets of a window.
pub const MAX_BUCKETS: u32 = 128;

/// What is searched for, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Which method.
    pub method: Method,
    /// How far the distances of one bucket, or of the near set, may be apart; from the weights
    /// and degrees where nothing is said.
    pub delta: Option<f64>,
    /// Buckets of the methods with multisplit.
    pub buckets: u32,
    /// Whether the tree of predecessors is wanted too.
    pub predecessors: bool,
    /// Whether many rounds are one dispatch, of workgroups that wait for each other: where nothing
    /// is said, if the tuning has resident workgroups. Methods with passes of their own have none.
    pub resident: Option<bool>,
    /// Sizes to use instead of those for the device ([`Tuning::for_device`]).
    pub tuning: Option<Tuning>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            delta: None,
            buckets: DEFAULT_BUCKETS,
            predecessors: false,
            resident: None,
            tuning: None,
        }
    }
}

/// A search, sized.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub facts: Facts,
    /// Never `Auto`.
    pub method: Method,
    /// Buckets of a window in the kernels; 1 where there is a near set only.
    pub buckets: u32,
    /// The last number of a bucket that a pile is split into.
    pub last_id: u32,
    /// The width of a bucket; of floats, the bits.
    pub delta: u32,
    /// Entries of a queue.
    pub capacity: u32,
    pub resident: bool,
}

/// Near, rest and pieces come in pairs; the first bucket has no queue, but a number.
const PAIRED_QUEUES: u32 = 6;
/// Bytes of an entry.
const ENTRY: u64 = 8;
/// A bucket narrower than this, in mean weights, has hardly anything in it.
const MIN_WIDTHS: f64 = 1.0 / 16.0;

impl Shape {
    pub fn new(facts: Facts, options: &Options, tuning: &Tuning, limits: &Limits) -> Result<Self> {
        if options.buckets == 0 {
            let problem = "shortest paths need at least one bucket";
            return Err(Error::Method { problem }.into());
        }
        if options.buckets > MAX_BUCKETS {
            let (asked, limit) = (options.buckets.into(), MAX_BUCKETS.into());
            return Err(Error::TooLarge { what: "number of buckets", asked, limit }.into());
        }
        if options.delta.is_some_and(|delta| delta.is_nan() || delta <= 0.0) {
            let problem = "the width of a bucket (delta) has to be more than 0";
            return Err(Error::Method { problem }.into());
        }
        let method = match options.method {
            // Ahead of all others on every kind of network that was measured (docs/performance.md).
            Method::Auto => Method::Multisplit,
            method => method,
        };
        let buckets = if method == Method::Multisplit { options.buckets } else { 1 };
        let width = options.delta.unwrap_or_else(|| width(&facts, method, tuning));
        let last_id = match method {
            Method::Bucketing => u32::MAX,
            // With one bucket the splitting distance would never grow.
            _ => options.buckets.max(2) - 1,
        };
        let mut shape = Self {
            facts,
            method,
            buckets,
            last_id,
            delta: bits(facts.kind, method, width),
            capacity: 0,
            resident: !method.has_pile() && options.resident.unwrap_or(tuning.residents.groups > 0),
        };
        let wanted = u64::from(facts.vertices) * u64::from(tuning.queue_percent) / 100;
        let most = limits.max_storage_range / (ENTRY * u64::from(shape.queues()));
        // Queues may be shorter than is good, even shorter than there are vertices: what they cannot
        // hold is looked for again.
        let capacity = wanted.max(tuning.min_queue_entries.into()).min(most).max(1);
        shape.capacity = capacity as u32;
        Ok(shape)
    }

    pub fn queues(&self) -> u32 {
        PAIRED_QUEUES + self.buckets
    }

    /// There are no empty buffers.
    pub fn pile_entries(&self) -> u64 {
        if self.method.has_pile() { self.capacity.into() } else { 1 }
    }

    pub fn entries(&self) -> u64 {
        u64::from(self.queues()) * u64::from(self.capacity)
    }
}

/// Wide buckets make few rounds, and relax arcs again. Where vertices have few arcs, ways are long
/// and rounds have little to do, so that few rounds are worth much; where a network is large, what
/// rounds have to do is. The powers were fitted to the widths that are good for road networks, meshes
/// and R-MAT networks of one to ten million arcs.
///
/// Where thin buckets are taken together, narrow ones cost few rounds more, but for even networks: these have
/// little in any bucket, and rounds are all that counts.
fn width(facts: &Facts, method: Method, tuning: &Tuning) -> f64 {
    let sparse = 4.0 / facts.mean_degree.max(1.0);
    let by_size = (1e6 / facts.arcs_held() as f64).sqrt();
    let mut widths = f64::from(tuning.delta_scale) * sparse.powi(3) * by_size;
    if method == Method::Multisplit {
        widths = widths.min(f64::from(tuning.delta_thin) * sparse.powf(3.5));
        if facts.is_even() {
            widths = widths.max(f64::from(tuning.delta_even) * sparse.powi(3));
        }
    }
    facts.mean_weight * widths.min(tuning.max_delta.into()).max(MIN_WIDTHS)
}

fn bits(kind: WeightKind, method: Method, width: f64) -> u32 {
    match (kind, method) {
        (WeightKind::U32, Method::BellmanFord) => u32::MAX,
        (WeightKind::F32, Method::BellmanFord) => f32::INFINITY.to_bits(),
        (WeightKind::U32, _) => (width as u32).max(1),
        (WeightKind::F32, _) => (width as f32).max(f32::MIN_POSITIVE).to_bits(),
    }
}
