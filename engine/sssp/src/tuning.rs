//! Tuning parameters of a shortest-path search, and their defaults for a device.

use multisplit::DeviceProperties;
use multisplit::ash::vk;
use multisplit::graph::Limits;

use crate::error::{Error, Result};

/// PCI vendor id of NVIDIA.
const NVIDIA: u32 = 0x10DE;

/// Workgroups of one dispatch that are known to run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residents {
    /// Number of workgroups; 0 if unknown.
    pub groups: u32,
    /// Workgroup size.
    pub threads: u32,
}

/// Tuning parameters of a shortest-path search. They affect performance, never distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Workgroup size, if each round is a separate dispatch.
    pub threads: u32,
    /// Maximum number of workgroups per round, if each round is a separate dispatch.
    pub max_groups: u32,
    /// Resident workgroups: they execute many rounds in one dispatch and wait for each other. This requires that all
    /// of them run at the same time and make progress. Otherwise, they time out after
    /// [`spin_limit`](Self::spin_limit) failed polls, and each round becomes a separate dispatch.
    pub residents: Residents,
    /// Maximum number of failed polls before a resident workgroup times out.
    pub spin_limit: u32,
    /// Maximum number of rounds per dispatch of resident workgroups.
    pub resident_rounds: u32,
    /// Number of rounds that are recorded once and resubmitted, rounded up to an even number.
    pub batch_rounds: u32,
    /// Like `batch_rounds`, for methods that split a pile in separate passes. Rounded up to a multiple of 8.
    pub batch_piles: u32,
    /// Capacity of a stage, in entries per lane (1 is treated as 2). A subgroup collects entries in a stage (in shared
    /// memory) before it appends them to queues.
    pub stage: u32,
    /// Minimum mean degree for which each workgroup distributes the arcs of its vertices over all its threads. With a
    /// lower mean degree, each subgroup distributes arcs over its lanes, and also expands vertices that it finds
    /// (`local_hops`).
    pub spread_degree: u32,
    /// Like `spread_degree`, for even networks (roads, meshes), in which all degrees are similar. Local hops are
    /// worthwhile there up to a higher mean degree.
    pub spread_degree_even: u32,
    /// If subgroups distribute arcs: minimum degree of vertices whose arcs are relaxed by all subgroups of a
    /// workgroup.
    pub wide_degree: u32,
    /// Buckets are added to a round while it has at most this many entries, including the rest of the near set. The
    /// bucket added to a small near set (`tail_entries`) may exceed this limit. Used by methods with one queue per
    /// bucket.
    pub merge_entries: u32,
    /// Maximum number of entries of a shrinking near set that is merged with the next bucket, whatever the size of the
    /// bucket. Used by methods with one queue per bucket.
    pub tail_entries: u32,
    /// Minimum degree of vertices whose arcs are divided into pieces, which all workgroups relax.
    pub hub_degree: u32,
    /// Number of arcs per piece.
    pub piece: u32,
    /// Maximum number of local hops. In a local hop, a subgroup expands vertices that it has found itself, instead of
    /// appending them to a queue. Above a mean degree of 3, this maximum decreases.
    pub local_hops: u32,
    /// Maximum number of entries of a round with local hops.
    pub local_entries: u32,
    /// Capacity of a queue, in percent of the number of vertices.
    pub queue_percent: u32,
    /// Minimum capacity of a queue, in entries. Even small networks need room for the pieces of vertices with many
    /// arcs.
    pub min_queue_entries: u32,
    /// Scale of the default bucket width, which is `mean weight * delta_scale * (4 / mean degree)^3 * sqrt(10^6
    /// / arcs)`.
    pub delta_scale: u32,
    /// Maximum of the default bucket width, as a multiple of the mean weight.
    pub max_delta: u32,
    /// Scale of an upper bound of the default bucket width of [`Method::Multisplit`](crate::Method::Multisplit),
    /// which merges small buckets. The bound is `mean weight * delta_thin * (4 / mean degree)^3.5`.
    pub delta_thin: u32,
    /// Scale of a lower bound of the default bucket width of that method in even networks. The bound is
    /// `mean weight * delta_even * (4 / mean degree)^3`.
    pub delta_even: u32,
    /// Number of loop iterations, summed over all loops of one invocation, after which the driver ends every loop.
    /// Always taken from the device.
    pub(crate) loop_limit: Option<u32>,
}

/// Maximum shared memory, in bytes, that does not depend on the workgroup size.
const FIXED_SHARED_BYTES: u32 = 4096;

impl Tuning {
    /// The default tuning parameters for a device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let tuned = match (properties.device_type, properties.vendor_id) {
            (vk::PhysicalDeviceType::CPU, _) => Self::software(),
            (vk::PhysicalDeviceType::DISCRETE_GPU, NVIDIA) => Self {
                // On NVIDIA GPUs, all workgroups of a dispatch that fits on the GPU run at the same time and make
                // progress.
                residents: Residents { groups: properties.shader_cores, threads: 1024 },
                ..Self::gpu()
            },
            _ => Self::gpu(),
        };
        let tuned = Self { loop_limit: properties.loop_limit(), ..tuned };
        tuned.within(&properties.graph_limits())
    }

    /// Tuning parameters for an unknown GPU with these limits.
    pub fn for_limits(limits: &Limits) -> Self {
        Self::gpu().within(limits)
    }

    fn gpu() -> Self {
        Self {
            threads: 256,
            max_groups: 1024,
            residents: Residents { groups: 0, threads: 256 },
            spin_limit: 1 << 20,
            resident_rounds: 1 << 14,
            batch_rounds: 32,
            batch_piles: 8,
            stage: 2,
            spread_degree: 4,
            spread_degree_even: 16,
            wide_degree: 64,
            merge_entries: 1 << 12,
            tail_entries: 1 << 12,
            hub_degree: 4096,
            piece: 256,
            local_hops: 8,
            local_entries: 1 << 16,
            queue_percent: 150,
            min_queue_entries: 1024,
            delta_scale: 34,
            max_delta: 64,
            delta_thin: 15,
            delta_even: 64,
            loop_limit: None,
        }
    }

    /// Tuning parameters for software drivers. llvmpipe ends all loops of an invocation after 65,535 iterations in
    /// total, so there are many workgroups with little work each.
    fn software() -> Self {
        Self {
            threads: 64,
            max_groups: 1 << 14,
            spin_limit: 32,
            resident_rounds: 16,
            batch_rounds: 16,
            batch_piles: 2,
            hub_degree: 512,
            local_hops: 4,
            local_entries: 1 << 10,
            // On these drivers, rounds are cheap and relaxing arcs is expensive.
            spread_degree_even: 4,
            delta_even: 0,
            ..Self::gpu()
        }
    }

    /// Rounds workgroup sizes down to whole subgroups (at least one), and reduces them to the device limits for threads
    /// and shared memory.
    pub(crate) fn within(mut self, limits: &Limits) -> Self {
        let size = limits.subgroup_size.max(1);
        let max_threads = limits.max_workgroup_invocations;
        // Each thread has two areas of `stage` entries with eight bytes each, and three words for a vertex.
        // FIXED_SHARED_BYTES covers the words per bucket.
        let available = limits.max_shared_bytes.saturating_sub(FIXED_SHARED_BYTES);
        let fitting = available / (16 * self.stage.max(1) + 12);
        for threads in [&mut self.threads, &mut self.residents.threads] {
            *threads = ((*threads).min(max_threads).min(fitting) / size).max(1) * size;
        }
        self
    }

    /// Rejects values that the kernels do not support.
    pub(crate) fn check(&self, limits: &Limits) -> Result<()> {
        let size = limits.subgroup_size.max(1);
        let max_threads = limits.max_workgroup_invocations.max(size);
        let is_whole =
            |threads: u32| (1..=max_threads).contains(&threads) && threads.is_multiple_of(size);
        let whole = is_whole(self.threads)
            && (self.residents.groups == 0 || is_whole(self.residents.threads));
        require(
            whole,
            "`threads` and `residents.threads` must be multiples of the subgroup size, and at most the device's maximum workgroup size",
        )?;
        let [max_groups, ..] = limits.max_workgroup_count;
        let groups =
            (1..=max_groups).contains(&self.max_groups) && self.residents.groups <= max_groups;
        require(
            groups,
            "`max_groups` must be at least 1, and neither `max_groups` nor `residents.groups` may exceed the device's maximum workgroup count",
        )?;
        require((1..=MAX_STAGE).contains(&self.stage), "`stage` must be from 1 to 16")?;
        let threads = self.threads.max(self.residents.threads).saturating_mul(16 * self.stage + 12);
        let available = limits.max_shared_bytes.saturating_sub(FIXED_SHARED_BYTES);
        require(
            threads <= available,
            "the workgroups need more shared memory than the device has; use fewer threads or a smaller `stage`",
        )?;
        let pieces = self.piece > 0 && self.hub_degree >= self.piece && self.wide_degree > 0;
        require(
            pieces,
            "`piece` and `wide_degree` must be at least 1, and `hub_degree` at least `piece`",
        )?;
        let rounds = (1..=MAX_ROUNDS).contains(&self.resident_rounds)
            && self.batch_rounds <= MAX_BATCH
            && self.batch_piles <= MAX_BATCH;
        require(
            rounds,
            "`resident_rounds` must be from 1 to 2^16, and `batch_rounds` and `batch_piles` must be at most 256",
        )?;
        require(self.local_hops <= MAX_HOPS, "`local_hops` must be at most 64")?;
        require(self.queue_percent <= MAX_PERCENT, "`queue_percent` must be at most 10,000")?;
        let entries = self.min_queue_entries <= MAX_MIN_ENTRIES;
        require(entries, "`min_queue_entries` must be at most 2^20")?;
        require(
            self.delta_scale > 0 && self.max_delta > 0,
            "`delta_scale` and `max_delta` must be greater than 0",
        )
    }
}

const MAX_STAGE: u32 = 16;
const MAX_ROUNDS: u32 = 1 << 16;
const MAX_BATCH: u32 = 256;
const MAX_HOPS: u32 = 64;
const MAX_PERCENT: u32 = 10_000;
const MAX_MIN_ENTRIES: u32 = 1 << 20;

/// Returns an error with this problem unless `holds` is true.
fn require(holds: bool, problem: &'static str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Tuning { problem }) }
}
