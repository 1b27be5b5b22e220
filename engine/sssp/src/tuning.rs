//! Sizes of a search for shortest paths, and which suit a device.

use multisplit::DeviceProperties;
use multisplit::ash::vk;
use multisplit::graph::Limits;

use crate::error::{Error, Result};

/// PCI vendor id.
const NVIDIA: u32 = 0x10DE;

/// Workgroups that are known to run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residents {
    /// How many; 0 where nothing is known.
    pub groups: u32,
    /// Threads of each.
    pub threads: u32,
}

/// Sizes of a search for shortest paths. Every field may be set; distances never depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Threads of a workgroup where a round is a dispatch.
    pub threads: u32,
    /// Most workgroups of such a round.
    pub max_groups: u32,
    /// Workgroups that may wait for each other: many rounds are then one dispatch. Only where they
    /// are all running at the same time, and each of them gets on, is this of any use; elsewhere
    /// it is given up after [`spin_limit`](Self::spin_limit) looks.
    pub residents: Residents,
    /// How often a resident workgroup looks in vain for the others before it gives up.
    pub spin_limit: u32,
    /// Rounds of one dispatch of resident workgroups, at most.
    pub resident_rounds: u32,
    /// Rounds that are recorded once and submitted again and again; an even number.
    pub batch_rounds: u32,
    /// The same where passes of their own split a pile after some rounds.
    pub batch_piles: u32,
    /// Entries a lane that are collected before they are handed on.
    pub stage: u32,
    /// Where vertices have at least so many arcs on average, workgroups deal out arcs to all their
    /// threads; elsewhere subgroups do, and go on with what they find (`local_hops`).
    pub spread_degree: u32,
    /// The same where no vertex has many more arcs than others (roads, meshes): there going on pays for
    /// longer.
    pub spread_degree_even: u32,
    /// A vertex with at least so many arcs is relaxed by all subgroups of a workgroup, where
    /// subgroups deal out arcs.
    pub wide_degree: u32,
    /// Buckets of the methods that have queues for them are taken together, and with what is left
    /// of the near set, while that makes no more than so many entries.
    pub merge_entries: u32,
    /// A near set that shrinks and has no more entries than this is taken together with the next
    /// bucket, by the same methods.
    pub tail_entries: u32,
    /// A vertex with at least so many arcs is relaxed in pieces, by all workgroups.
    pub hub_degree: u32,
    /// Arcs of a piece.
    pub piece: u32,
    /// How often a subgroup goes on with what it found itself before it hands it on; less often where
    /// vertices have more than 3 arcs on average.
    pub local_hops: u32,
    /// In rounds of no more entries than this.
    pub local_entries: u32,
    /// Room of a queue, in hundredths of the number of vertices.
    pub queue_percent: u32,
    /// But at least this many entries: networks of a few vertices still put pieces of arcs into queues.
    pub min_queue_entries: u32,
    /// The width of a bucket where none is given is the mean weight times this, times
    /// (4 / mean degree)^3, times the root of a million / arcs.
    pub delta_scale: u32,
    /// But at most this times the mean weight.
    pub max_delta: u32,
    /// Of the method whose thin buckets are taken together, at most the mean weight times this,
    /// times (4 / mean degree)^3.5.
    pub delta_thin: u32,
    /// Of the same method where no vertex has many more arcs than others: at least the mean weight times this, times
    /// (4 / mean degree)^3.
    pub delta_even: u32,
    /// Iterations of all loops of an invocation together after which the driver ends every loop. It
    /// comes from the device alone.
    pub(crate) loop_limit: Option<u32>,
}

/// Bytes of shared memory that do not depend on the number of threads, at most.
const SHARED_WORDS: u32 = 4096;

impl Tuning {
    /// Sizes for a device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let tuned = match (properties.device_type, properties.vendor_id) {
            (vk::PhysicalDeviceType::CPU, _) => Self::software(),
            (vk::PhysicalDeviceType::DISCRETE_GPU, NVIDIA) => Self {
                // Workgroups of a dispatch that fits the GPU all run there, and each gets on.
                residents: Residents { groups: properties.shader_cores, threads: 1024 },
                ..Self::gpu()
            },
            _ => Self::gpu(),
        };
        let tuned = Self { loop_limit: properties.loop_limit(), ..tuned };
        tuned.within(&properties.graph_limits())
    }

    /// Sizes for an unknown GPU with these limits.
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

    /// Software drivers end every loop after 65,535 rounds in all: many workgroups, each with
    /// little to do.
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
            // Rounds cost little, and arcs much.
            spread_degree_even: 4,
            delta_even: 0,
            ..Self::gpu()
        }
    }

    /// Whole subgroups, no more threads than the device allows, and no more shared memory.
    fn within(mut self, limits: &Limits) -> Self {
        let size = limits.subgroup_size.max(1);
        let most = limits.max_workgroup_invocations;
        // Two entries of eight bytes for each one of `stage`, three words of a vertex, and some words
        // a bucket.
        let room = limits.max_shared_bytes.saturating_sub(SHARED_WORDS);
        let fitting = room / (16 * self.stage.max(1) + 12);
        for threads in [&mut self.threads, &mut self.residents.threads] {
            *threads = ((*threads).min(most).min(fitting) / size).max(1) * size;
        }
        self
    }

    /// Refuses sizes that no kernel can follow.
    pub(crate) fn check(&self, limits: &Limits) -> Result<()> {
        let size = limits.subgroup_size.max(1);
        let max_threads = limits.max_workgroup_invocations.max(size);
        let is_whole =
            |threads: u32| (1..=max_threads).contains(&threads) && threads.is_multiple_of(size);
        let whole = is_whole(self.threads)
            && (self.residents.groups == 0 || is_whole(self.residents.threads));
        require(whole, "workgroups are not whole subgroups")?;
        let [max_groups, ..] = limits.max_workgroup_count;
        let groups =
            (1..=max_groups).contains(&self.max_groups) && self.residents.groups <= max_groups;
        require(groups, "`max_groups` is not from 1 to the device's maximum")?;
        require((1..=MAX_STAGE).contains(&self.stage), "`stage` is not from 1 to 16")?;
        let threads = self.threads.max(self.residents.threads).saturating_mul(16 * self.stage + 12);
        let room = limits.max_shared_bytes.saturating_sub(SHARED_WORDS);
        require(threads <= room, "workgroups do not fit shared memory")?;
        let pieces = self.piece > 0 && self.hub_degree >= self.piece && self.wide_degree > 0;
        require(pieces, "`hub_degree` is below `piece`, or one of them is 0")?;
        let rounds = (1..=MAX_ROUNDS).contains(&self.resident_rounds)
            && self.batch_rounds <= MAX_BATCH
            && self.batch_piles <= MAX_BATCH;
        require(rounds, "too many rounds at a time, or none")?;
        require(self.local_hops <= MAX_HOPS, "`local_hops` is past 64")?;
        require(self.queue_percent <= MAX_PERCENT, "`queue_percent` is past 10,000")?;
        let entries = self.min_queue_entries <= MAX_MIN_ENTRIES;
        require(entries, "`min_queue_entries` is past 2^20")?;
        require(self.delta_scale > 0 && self.max_delta > 0, "buckets without a width")
    }
}

const MAX_STAGE: u32 = 16;
const MAX_ROUNDS: u32 = 1 << 16;
const MAX_BATCH: u32 = 256;
const MAX_HOPS: u32 = 64;
const MAX_PERCENT: u32 = 10_000;
const MAX_MIN_ENTRIES: u32 = 1 << 20;

/// An error that says what is wrong, unless `holds`.
fn require(holds: bool, problem: &'static str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Tuning { problem }) }
}
