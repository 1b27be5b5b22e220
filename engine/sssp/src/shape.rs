//! Chooses the method, bucket width and queue capacity of a search.

use multisplit::Error;
use multisplit::graph::Limits;

use crate::device_network::Facts;
use crate::error::Result;
use crate::network::WeightKind;
use crate::tuning::Tuning;

/// Search method. All methods find the same distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// The fastest method. This is [`Multisplit`](Self::Multisplit) for all networks.
    #[default]
    Auto,
    /// Bellman-Ford: every round expands all vertices whose distance has decreased.
    BellmanFord,
    /// Near-far: expands the vertices below a splitting distance (the near set) until none are
    /// left. The other vertices wait in a far pile, which is then split at a greater distance.
    NearFar,
    /// Bucketing: vertices are divided into buckets of equal width, and the nearest bucket is
    /// expanded first. When it is empty, all other entries are sorted by bucket. This is the
    /// original method, which is slow.
    Bucketing,
    /// Like [`Bucketing`](Self::Bucketing), with a multisplit in separate passes instead of the
    /// sort. This is Multisplit-SSSP as described in the paper.
    MultisplitPasses,
    /// Multisplit-SSSP without separate passes. The kernel that finds new entries also splits them
    /// by bucket, with subgroup ballots.
    Multisplit,
}

impl Method {
    /// Whether entries beyond the near set are stored in a pile that separate passes split.
    pub(crate) fn has_pile(self) -> bool {
        matches!(self, Self::Bucketing | Self::MultisplitPasses)
    }
}

/// Default number of buckets, the best in the paper.
pub const DEFAULT_BUCKETS: u32 = 10;
/// Maximum number of buckets.
pub const MAX_BUCKETS: u32 = 128;

/// Options of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Search method.
    pub method: Method,
    /// Width of a bucket or of the near set, as a difference of distances. `None` chooses it from
    /// the method, and from the weights, degrees and size of the network.
    pub delta: Option<f64>,
    /// Number of buckets of the multisplit methods.
    pub buckets: u32,
    /// Whether to build the predecessor tree.
    pub predecessors: bool,
    /// Whether one dispatch of resident workgroups, which wait for each other, executes many
    /// rounds. `None` enables this if the tuning parameters define resident workgroups. Methods
    /// that split a pile in separate passes ignore this option.
    pub resident: Option<bool>,
    /// Tuning parameters to use instead of [`Tuning::for_device`].
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

/// Method and sizes of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub facts: Facts,
    /// Never `Auto`.
    pub method: Method,
    /// Number of buckets that the kernels keep apart, each in its own queue. 1, which is the near
    /// set, unless the method is `Multisplit`.
    pub buckets: u32,
    /// Index of the last bucket that a pile is split into.
    pub last_id: u32,
    /// Bucket width, as bits if distances are floats.
    pub delta: u32,
    /// Capacity of a queue, in entries.
    pub capacity: u32,
    pub resident: bool,
}

/// Number of queues that do not belong to a bucket: two (double-buffered) for the near set, two for
/// the entries beyond the last bucket, and two for the pieces of vertices with many arcs. Each
/// bucket adds one queue; that of the first bucket is unused.
const PAIRED_QUEUES: u32 = 6;
/// Size of a queue entry in bytes.
const ENTRY: u64 = 8;
/// Minimum of the default bucket width, as a multiple of the mean weight. Narrower buckets would be
/// nearly empty.
const MIN_WIDTHS: f64 = 1.0 / 16.0;

impl Shape {
    pub fn new(facts: Facts, options: &Options, tuning: &Tuning, limits: &Limits) -> Result<Self> {
        if options.buckets == 0 {
            let problem = "the number of buckets is 0; it must be at least 1";
            return Err(Error::Method { problem }.into());
        }
        if options.buckets > MAX_BUCKETS {
            let (asked, limit) = (options.buckets.into(), MAX_BUCKETS.into());
            return Err(Error::TooLarge { what: "number of buckets", asked, limit }.into());
        }
        if options.delta.is_some_and(|delta| delta.is_nan() || delta <= 0.0) {
            let problem = "the bucket width (delta) must be greater than 0";
            return Err(Error::Method { problem }.into());
        }
        let method = match options.method {
            // The fastest method on every kind of network that was measured (docs/performance.md).
            Method::Auto => Method::Multisplit,
            method => method,
        };
        let buckets = if method == Method::Multisplit { options.buckets } else { 1 };
        let width = options.delta.unwrap_or_else(|| width(&facts, method, tuning));
        let last_id = match method {
            Method::Bucketing => u32::MAX,
            // At least two buckets: with one, the splitting distance would never increase.
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
        let entries = u64::from(facts.vertices) * u64::from(tuning.queue_percent) / 100;
        let max_capacity = limits.max_storage_range / (ENTRY * u64::from(shape.queues()));
        // Queues may have fewer entries than desired, or even fewer than there are vertices. If a
        // queue overflows, a round over all vertices recovers the lost entries.
        let capacity = entries.max(tuning.min_queue_entries.into()).min(max_capacity).max(1);
        shape.capacity = capacity as u32;
        Ok(shape)
    }

    pub fn queues(&self) -> u32 {
        PAIRED_QUEUES + self.buckets
    }

    /// Capacity of the pile in entries. At least 1, because buffers cannot be empty.
    pub fn pile_entries(&self) -> u64 {
        if self.method.has_pile() { self.capacity.into() } else { 1 }
    }

    /// Total capacity of all queues, in entries.
    pub fn entries(&self) -> u64 {
        u64::from(self.queues()) * u64::from(self.capacity)
    }
}

/// Returns the default bucket width. With wide buckets, there are fewer rounds, but more arcs are
/// relaxed repeatedly. If degrees are low, paths are long and rounds are small, so saving rounds is
/// most important. If the network is large, saving relaxations is most important. The exponents
/// were fitted to good widths for road networks, meshes and R-MAT networks with one to ten million
/// arcs.
///
/// [`Method::Multisplit`] merges small buckets, so narrow buckets cost few additional rounds. In
/// even networks, however, all buckets are small, and only the number of rounds is important.
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

/// Converts a bucket width to the form that the kernels read. Bellman-Ford has one bucket of
/// unlimited width.
fn bits(kind: WeightKind, method: Method, width: f64) -> u32 {
    match (kind, method) {
        (WeightKind::U32, Method::BellmanFord) => u32::MAX,
        (WeightKind::F32, Method::BellmanFord) => f32::INFINITY.to_bits(),
        (WeightKind::U32, _) => (width as u32).max(1),
        (WeightKind::F32, _) => (width as f32).max(f32::MIN_POSITIVE).to_bits(),
    }
}
