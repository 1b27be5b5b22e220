//! Which sizes and methods suit a device. Kernels know nothing of GPU models; this file does.

use super::histogram::HistogramTuning;
use super::multisplit::{NVIDIA, SplitTuning};
#[cfg(feature = "tuning")]
use super::probe;
use super::sort::SortTuning;
use super::topk::TopKTuning;
use crate::device::context::Context;
use crate::device::properties::DeviceProperties;
use crate::error::{Error, Result};
use crate::primitives::tunable::tunable;
use ash::vk;

/// How a scan is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanMethod {
    /// The sum of each tile, a scan of the sums, a scan of each tile: three passes that need
    /// nothing of the device beyond barriers.
    ReduceThenScan,
    /// One pass with decoupled look-back: each element is read once and written once.
    LookBack,
    /// Look-back for arrays of up to so many elements, reduce-then-scan for longer ones.
    LookBackUpTo(u64),
}

impl ScanMethod {
    /// The method for `n` elements: one of the first two.
    pub(crate) fn for_length(self, n: u64) -> Self {
        match self {
            Self::LookBackUpTo(most) if n <= most => Self::LookBack,
            Self::LookBackUpTo(_) => Self::ReduceThenScan,
            method => method,
        }
    }
}

tunable! {
    /// Sizes and methods for one device. Every field may be set; results never depend on them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Policy {
        /// Threads of a workgroup: a multiple of the subgroup size.
        threads: u32,
        /// Threads of a workgroup that selects elements.
        select_threads: u32,
        /// Threads of a workgroup that reduces by key.
        by_key_threads: u32,
        /// Elements of a segment that the subgroup or workgroup which reduces it does not leave to others: a
        /// multiple of four. Segments that are a 32nd of it on average, or more, have one of their own; where
        /// there are enough of them for subgroups, from a 128th on.
        segment_chunk: u32,
        /// From so many of these on they are subgroups: enough to fill the device. Rows of a matrix, if they are an
        /// eighth as many or more, are not cut into chunks.
        subgroup_takers: u32,
        /// The scan method; scans that fit one workgroup take a single pass in any case.
        scan: ScanMethod,
        /// Threads of the workgroup that scans a short array on its own.
        spine_threads: u32,
        /// Largest array, in tiles, that one workgroup scans on its own.
        spine_tiles: u32,
        /// Up to this many of its tiles, one workgroup is quicker than several that look back.
        single_group_tiles: u32,
        /// Maximum number of failed polls before look-back recomputes a missing tile, at most 2^22. On devices that
        /// limit the iterations of loops, fewer are used if that many do not fit.
        spin_limit: u32,
        /// Whether workgroups of scans, selections and small sorts take tiles by tickets, in the order in which they
        /// start, instead of by their index. If a device starts workgroups out of order, workgroups without tickets
        /// time out and recompute predecessor tiles. On devices that limit the iterations of loops, tickets are used
        /// if recomputing all predecessors does not fit.
        tickets: bool,
        /// Tiles whose words a look-back over buckets reads at a time, from 1 to 32.
        look_back_tiles: u32,
        /// `maxStorageBufferRange`: larger arrays are worked on in pieces.
        max_storage_range: u64,
        /// Elements that one plan of a one-call sort or split holds, at most 2^30 - 1: larger arrays
        /// are worked on in pieces.
        max_elements: u64,
        /// `maxComputeWorkGroupCount[0]`: more workgroups than this are folded into rows. Only for
        /// dispatches whose size the device works out; the graph folds the others.
        max_groups: u32,
        /// Lanes of a subgroup.
        subgroup_size: u32,
        /// Bytes of shared memory that a workgroup has.
        shared_memory: u32,
        /// Most threads that a workgroup can have.
        max_threads: u32,
        /// What the device has and does, which sizes have to respect.
        facts: DeviceFacts,
        /// Sizes of multisplit.
        split: SplitTuning,
        /// Sizes of the histogram.
        histogram: HistogramTuning,
        /// Sizes of the radix sort.
        sort: SortTuning,
        /// Sizes of top-k.
        topk: TopKTuning,
    }
}

/// What a device has and does. It comes from the device alone, so that no policy can claim more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    subgroup_size: u32,
    max_threads: u32,
    shared_memory: u32,
    max_storage_range: u64,
    max_groups: u32,
    /// Rounds of all loops of a kernel, and samples of a thread of a histogram: bounds that only
    /// software drivers have.
    max_loop_rounds: u32,
    max_samples: u32,
    /// Iterations, of all loops of an invocation together, after which the driver ends every loop. `None` if there is
    /// no such limit.
    pub(super) loop_limit: Option<u32>,
    /// Whether atomics were seen to follow lane order.
    lane_order: bool,
}

/// Tiles that a look-back can have in its registers.
pub(super) const MAX_LOOK_BACK_TILES: u32 = 32;
/// Half of what Vulkan guarantees.
const MIN_SHARED_MEMORY: u32 = 8 << 10;
/// Room for a tile and its counters.
const MIN_STORAGE_RANGE: u64 = 1 << 10;
/// Tiles of the one workgroup that scans a short array: its loop must end.
const MAX_SPINE_TILES: u32 = 1024;
/// Elements of a plan. Look-back keeps its state in the two top bits of a count.
pub(crate) const MAX_ELEMENTS: u64 = (1 << 30) - 1;
/// Two pieces of an array that does not fit.
const MIN_ELEMENTS: u64 = 128;
/// Looks in vain: a workgroup that waits for longer does more harm than good.
const MAX_SPINS: u32 = 1 << 22;

impl Policy {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let most = properties.limits.max_compute_work_group_invocations;
        let software = properties.device_type == vk::PhysicalDeviceType::CPU;
        let nvidia = properties.vendor_id == NVIDIA;
        // A device that is not usable may have no subgroups at all.
        let subgroup_size = properties.subgroup_size.max(1);
        let whole = |threads: u32| (most.min(threads) / subgroup_size).max(1) * subgroup_size;
        let split = SplitTuning::for_device(properties);
        let histogram = HistogramTuning::for_device(properties);
        Self {
            // 256 is at or near the best for every kernel here on the GPU that was measured
            // (docs/performance.md), and within the guarantees of all but the smallest devices.
            threads: whole(256),
            // Of 32 keys each: fewer, larger tiles look back less often (docs/performance-log.md, 52).
            select_threads: whole(if nvidia { 384 } else { 256 }),
            // Of 12 elements each (docs/performance-log.md, 54).
            by_key_threads: whole(if nvidia { 512 } else { 256 }),
            // Tiles would look for few ends (docs/performance-log.md, 55). A subgroup is through with it in 32
            // rounds of loads.
            segment_chunk: 1 << 14,
            subgroup_takers: 4096,
            // Look-back is right everywhere, because its waiting is bounded, and reads its input
            // once. On lavapipe (Mesa 22.3.6, 2 cores) at subgroup sizes of 4, 8 and 16 and n of
            // 2^16, 2^20, 2^22 and 2^24 it took 0.67 to 0.86 of the time of reduce-then-scan (for
            // each, the best of five medians of five). On an H200 it is ahead at every size, if not by
            // much at 2^25 and 2^28, and how fast it is depends on how a device schedules workgroups:
            // where nobody has measured it, it is for sizes at which it saves a pass that counts.
            scan: if software || nvidia {
                ScanMethod::LookBack
            } else {
                ScanMethod::LookBackUpTo(1 << 20)
            },
            // Loops of software drivers are cut short after 65,535 rounds; and past this size
            // the other workgroups of a GPU idle for longer than another pass costs.
            spine_tiles: 64,
            // One workgroup takes 16,384 elements at a time, and saves a pass. (In software a larger
            // workgroup is no quicker.)
            spine_threads: whole(if software { 256 } else { 1024 }),
            single_group_tiles: if software { 1 } else { 2 },
            spin_limit: if software { 32 } else { 1024 },
            // NVIDIA's begin workgroups closely enough in order (docs/performance-log.md, 52).
            tickets: !nvidia,
            look_back_tiles: if software { 1 } else { 4 },
            max_storage_range: u64::from(properties.limits.max_storage_buffer_range),
            max_elements: MAX_ELEMENTS,
            max_groups: properties.limits.max_compute_work_group_count[0],
            subgroup_size,
            shared_memory: properties.shared_memory,
            max_threads: most,
            facts: DeviceFacts {
                subgroup_size,
                max_threads: most,
                shared_memory: properties.shared_memory,
                max_storage_range: u64::from(properties.limits.max_storage_buffer_range),
                max_groups: properties.limits.max_compute_work_group_count[0],
                max_loop_rounds: split.max_loop_rounds,
                max_samples: histogram.max_samples,
                loop_limit: properties.loop_limit(),
                lane_order: false,
            },
            split,
            histogram,
            sort: SortTuning::for_device(properties),
            topk: TopKTuning::for_device(properties),
        }
    }

    /// Refuses what no kernel can follow, or what the device does not have. The sizes of a primitive
    /// are checked where it is used.
    pub(crate) fn check(&self) -> Result<()> {
        self.check_facts()?;
        require(self.is_whole(self.threads), "`threads` is not a whole number of subgroups")?;
        let select = self.is_whole(self.select_threads);
        require(select, "`select_threads` is not a whole number of subgroups")?;
        let by_key = self.is_whole(self.by_key_threads);
        require(by_key, "`by_key_threads` is not a whole number of subgroups")?;
        let chunk = self.segment_chunk > 0 && self.segment_chunk.is_multiple_of(4);
        require(chunk, "`segment_chunk` is not a multiple of four")?;
        let spine = self.is_whole(self.spine_threads);
        require(spine, "`spine_threads` is not a whole number of subgroups")?;
        let tiles = (1..=MAX_SPINE_TILES).contains(&self.spine_tiles);
        require(tiles, "`spine_tiles` is not from 1 to 1,024")?;
        let look_back = (1..=MAX_LOOK_BACK_TILES).contains(&self.look_back_tiles);
        require(look_back, "`look_back_tiles` is not from 1 to 32")?;
        let elements = (MIN_ELEMENTS..=MAX_ELEMENTS).contains(&self.max_elements);
        require(elements, "`max_elements` is not from 128 to 2^30 - 1")?;
        require(self.spin_limit <= MAX_SPINS, "`spin_limit` is past 2^22")
    }

    fn check_facts(&self) -> Result<()> {
        let facts = &self.facts;
        let same = self.subgroup_size == facts.subgroup_size;
        require(same, "`subgroup_size` is not the device's")?;
        let fits = self.max_threads <= facts.max_threads
            && self.shared_memory <= facts.shared_memory
            && self.max_storage_range <= facts.max_storage_range
            && (1..=facts.max_groups.max(1)).contains(&self.max_groups);
        require(fits, "a limit is past the device's")?;
        let enough = self.shared_memory >= MIN_SHARED_MEMORY
            && self.max_threads >= self.subgroup_size
            && self.max_storage_range >= MIN_STORAGE_RANGE;
        require(enough, "a limit is below what kernels need")?;
        let bounded = self.split.max_loop_rounds <= facts.max_loop_rounds
            && self.histogram.max_samples <= facts.max_samples;
        require(bounded, "loops are longer than the device runs them")?;
        let ordered = !self.split.ranking.is_by_lane_order() || facts.lane_order;
        require(ordered, "ranking by lane order, which the device was not seen to keep")
    }

    /// Whether workgroups of so many threads are whole subgroups that the device has room for.
    pub(in crate::primitives) fn is_whole(&self, threads: u32) -> bool {
        threads > 0
            && threads <= self.max_threads.max(self.subgroup_size)
            && threads.is_multiple_of(self.subgroup_size)
    }

    pub(in crate::primitives) fn rank_by_lane_order(&mut self) {
        self.facts.lane_order = true;
        self.split = self.split.by_lane_order();
        self.sort = self.sort.by_lane_order();
    }

    #[cfg(feature = "broken-plans")]
    fn rank_by_ballots(&mut self) {
        self.facts.lane_order = false;
        self.split.ranking = super::multisplit::Ranking::Ballots;
    }
}

/// An error that says what is wrong, unless `holds`.
pub(in crate::primitives) fn require(holds: bool, problem: &'static str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Policy { problem }) }
}

impl Context {
    /// The sizes and methods that suit this device, with ranking by lane order where
    /// [`Config::ranking`](crate::Config::ranking) allows it and the device was seen to keep it, and
    /// not since found not to.
    pub fn policy(&self) -> Policy {
        #[cfg(feature = "broken-plans")]
        if let Some(mut policy) = replaced::policy(self) {
            if !self.keeps_lane_order() {
                policy.rank_by_ballots();
            }
            return policy;
        }
        let profile = self.used_profile();
        let wanted = profile.as_ref().is_none_or(|profile| profile.wants_lane_order());
        self.sizes(wanted && self.has_lane_order())
    }

    /// The sizes for a ranking: those of the profile, where there is one.
    fn sizes(&self, lane_order: bool) -> Policy {
        if let Some(profile) = self.used_profile() {
            return profile.policy(lane_order);
        }
        let mut policy = Policy::for_device(self.properties());
        if lane_order {
            policy.rank_by_lane_order();
        }
        policy
    }

    /// The same, with nothing that Vulkan does not promise, whatever the device was seen to do.
    pub fn promised_policy(&self) -> Policy {
        self.sizes(false)
    }

    /// The same, with ranking by lane order on any device that is seen to keep it now: for tests and
    /// measurements.
    #[cfg(feature = "tuning")]
    pub fn probed_policy(&self, seed: u32) -> Result<Policy> {
        Ok(self.sizes(probe::lane_order(self, seed)?))
    }
}

/// A policy in the place of the one that suits, for tests of what a context does when a device turns
/// out not to keep lane order.
#[cfg(feature = "broken-plans")]
mod replaced {
    use std::sync::{Mutex, PoisonError};

    use super::Policy;
    use crate::device::attach::Attachment;
    use crate::device::context::Context;
    use crate::device::shared::Device;
    use crate::error::Result;
    use crate::memory::status::StatusWord;

    #[derive(Default)]
    struct Replaced(Mutex<Option<Policy>>);

    impl Attachment for Replaced {
        unsafe fn release(&self, _: &Device) {}
    }

    pub(super) fn policy(context: &Context) -> Option<Policy> {
        let replaced = context.device.attached(|_| Ok(Replaced::default())).ok()?;
        *replaced.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    impl Context {
        /// From here on, [`policy`](Self::policy) is this one, or that of the device again; by ballots
        /// once a kernel has found that lane order is not kept. What was found before is forgotten.
        ///
        /// Nothing that ranks is in flight.
        #[doc(hidden)]
        pub fn replace_policy(&self, policy: Option<Policy>) -> Result<()> {
            let replaced = self.device.attached(|_| Ok(Replaced::default()))?;
            StatusWord::of(&self.device)?.clear();
            *replaced.0.lock().unwrap_or_else(PoisonError::into_inner) = policy;
            Ok(())
        }
    }
}

/// The policy of a device that guarantees little.
#[cfg(test)]
pub(crate) fn test_policy(subgroup_size: u32, max_threads: u32) -> Policy {
    let mut properties =
        DeviceProperties { subgroup_size, shared_memory: 16 << 10, ..Default::default() };
    properties.limits.max_compute_work_group_invocations = max_threads;
    properties.limits.max_storage_buffer_range = 1 << 27;
    properties.limits.max_compute_work_group_count = [65535; 3];
    Policy::for_device(&properties)
}

/// The policy of a software driver that limits the iterations of loops.
#[cfg(test)]
pub(in crate::primitives) fn limited_policy(subgroup_size: u32) -> Policy {
    let mut policy = test_policy(subgroup_size, 1024);
    policy.facts.loop_limit = Some(65_535);
    policy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_are_whole_subgroups() {
        for subgroup_size in [4, 8, 16, 32, 64, 128] {
            for most in [128, 192, 256, 1024] {
                let policy = test_policy(subgroup_size, most);
                let threads = policy.threads;
                assert!(threads > 0 && threads <= most && threads.is_multiple_of(subgroup_size));
                assert!(policy.check().is_ok(), "{subgroup_size}, {most}: {:?}", policy.check());
            }
        }
        let policy = test_policy(32, 256);
        assert!(Policy { threads: 0, ..policy }.check().is_err());
        assert!(Policy { threads: 48, ..policy }.check().is_err());
        assert!(Policy { subgroup_size: 16, ..policy }.check().is_err());
        for look_back_tiles in [0, 33] {
            assert!(Policy { look_back_tiles, ..policy }.check().is_err());
        }
    }
}
