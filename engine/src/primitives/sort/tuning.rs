//! The sizes of the radix sort that were measured, and where.

use ash::vk;

use super::SortMethod;

use crate::device::properties::DeviceProperties;
use crate::error::Result;
use crate::primitives::Policy;
use crate::primitives::key::KeyType;
use crate::primitives::multisplit::{Method, NVIDIA, TileShape};
use crate::primitives::policy::{MAX_LOOK_BACK_TILES, require};
use crate::primitives::tunable::tunable;
use crate::primitives::unmeasured;

/// Keys of a thread of the histogram.
const MAX_HISTOGRAM_ITEMS: u32 = 64;
/// Cut down to what the device has.
const MAX_HISTOGRAM_THREADS: u32 = 4096;
/// With more keys, the histograms that every round adds up cost less than the rest.
const MAX_FEW_KEYS: u64 = 1 << 20;
const MAX_FEW_KEYS_GROUPS: u32 = 32;
/// Up to how many elements a shape is used.
type UpTo = (u64, TileShape);

tunable! {
    /// Sizes of the sort kernels. Results never depend on them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SortTuning {
        /// What `Auto` takes for more elements than one workgroup sorts.
        auto: SortMethod,
        /// How a round of `SortMethod::Multisplit` splits.
        rounds: Method,
        /// The tile of the sort by one workgroup.
        small: TileShape,
        /// Tiles for keys of 32 bits, by the number of elements; the last is for all larger numbers.
        keys: [UpTo; 5],
        /// The same for keys of 64 bits, with values and without.
        wide_keys: [UpTo; 4],
        /// The same for pairs of a 32-bit key and a value.
        pairs: [UpTo; 4],
        /// Keys of a thread that the histogram reads at a time, and its threads.
        histogram: TileShape,
        /// Workgroups of the histogram, at most.
        histogram_groups: u64,
        /// Up to so many elements, at most 2^20, a one-sweep sort has no pass that clears: its first pass has few
        /// workgroups, whose histograms its rounds add up.
        few_keys: u64,
        /// So many workgroups: a multiple of four, at most 32.
        few_keys_groups: u32,
        /// Tiles whose words a look-back of such a sort reads at a time, from 1 to 32.
        few_keys_look_back: u32,
        /// From so many keys of 16 bits on they are sorted by counting, where they have no values.
        min_counting: u64,
    }
}

impl SortTuning {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        match (properties.device_type, properties.vendor_id) {
            (vk::PhysicalDeviceType::CPU, _) => Self::software(),
            (_, NVIDIA) => Self::nvidia(),
            _ => unmeasured::sort(Self::nvidia()),
        }
    }

    /// For ranking by ballots. Measured on an NVIDIA H200 (docs/performance.md). Few elements want
    /// many small tiles, so that every multiprocessor has one; many want large ones, whose runs of
    /// equal digits are long, of which two still fit a multiprocessor.
    fn nvidia() -> Self {
        Self {
            auto: SortMethod::OneSweep,
            rounds: Method::Block,
            small: TileShape::new(512, 8),
            keys: [
                (1 << 17, TileShape::new(512, 4)),
                (1 << 19, TileShape::new(512, 11)),
                (1 << 20, TileShape::new(384, 12)),
                (1 << 22, TileShape::new(384, 20).in_turns(2)),
                (u64::MAX, TileShape::new(384, 26).in_turns(2)),
            ],
            wide_keys: [
                (1 << 17, TileShape::new(256, 7)),
                (1 << 19, TileShape::new(512, 8)),
                (1 << 20, TileShape::new(512, 8)),
                (u64::MAX, TileShape::new(384, 18).in_turns(3)),
            ],
            pairs: [
                (1 << 17, TileShape::new(512, 4)),
                (1 << 20, TileShape::new(384, 12)),
                (1 << 22, TileShape::new(384, 15)),
                (u64::MAX, TileShape::new(384, 20).in_turns(2)),
            ],
            histogram: TileShape::new(512, 16),
            histogram_groups: 1056,
            few_keys: 1 << 17,
            few_keys_groups: 16,
            few_keys_look_back: 4,
            min_counting: 1 << 23,
        }
    }

    /// The same with the tiles that were measured with ranking by lane order.
    #[must_use]
    pub(crate) fn by_lane_order(self) -> Self {
        Self {
            keys: [
                (1 << 17, TileShape::new(256, 7)),
                (1 << 19, TileShape::new(512, 11)),
                (1 << 20, TileShape::new(768, 12)),
                (1 << 22, TileShape::new(320, 26).in_turns(2)),
                (u64::MAX, TileShape::new(384, 26).in_turns(2)),
            ],
            pairs: [
                (1 << 17, TileShape::new(256, 7)),
                (1 << 20, TileShape::new(1024, 8)),
                (1 << 22, TileShape::new(640, 16)),
                (u64::MAX, TileShape::new(512, 28).in_turns(2)),
            ],
            ..self
        }
    }

    /// Software drivers pay dearly for barriers, of which the direct multisplit has none: rounds of
    /// it sort several times as fast as one sweep (docs/performance.md). They compile what is
    /// unrolled for longer than it then runs.
    fn software() -> Self {
        let shape = (u64::MAX, TileShape::new(256, 8));
        Self {
            // Of 6 bits: as fast as 8, and the histograms of narrow subgroups stay small.
            auto: SortMethod::Multisplit { radix_bits: 6 },
            rounds: Method::Direct,
            small: TileShape::new(256, 4),
            keys: [shape; 5],
            wide_keys: [shape; 4],
            pairs: [shape; 4],
            histogram: TileShape::new(256, 16),
            histogram_groups: 64,
            few_keys: 0,
            few_keys_groups: 4,
            few_keys_look_back: 1,
            // Not measured: two rounds of multisplit are slow there, and 65,536 counters are not.
            min_counting: 1 << 11,
        }
    }

    /// The shape for `n` elements.
    pub(super) fn shape(&self, policy: &Policy, key: KeyType, pairs: bool, n: u64) -> TileShape {
        let all: &[UpTo] = match (key.bits(), pairs) {
            (64, _) => &self.wide_keys,
            (_, true) => &self.pairs,
            (_, false) => &self.keys,
        };
        let suited = all.iter().find(|(most, _)| n <= *most).map(|(_, shape)| *shape);
        within(policy, key, suited.unwrap_or(TileShape::new(policy.threads, 4)))
    }

    /// The shape of the histogram, within what the device allows.
    pub(in crate::primitives) fn histogram(&self, policy: &Policy) -> TileShape {
        let size = policy.subgroup_size;
        let threads = self.histogram.threads.min(policy.max_threads) / size;
        TileShape { threads: threads.max(1) * size, ..self.histogram }
    }

    /// The shape of the sort by one workgroup.
    pub(super) fn small(&self, policy: &Policy, key: KeyType) -> TileShape {
        within(policy, key, self.small)
    }

    /// Refuses sizes that nothing can be cut by.
    pub(in crate::primitives) fn check(&self, policy: &Policy) -> Result<()> {
        let mut all = self.keys.iter().chain(&self.wide_keys).chain(&self.pairs);
        let sound = all.all(|(_, shape)| shape.is_sound()) && self.small.is_sound();
        require(sound, "a tile of `sort` has no keys, too many, or turns that do not divide it")?;
        require(self.small.turns == 1, "`sort.small` has several turns")?;
        let items = (1..=MAX_HISTOGRAM_ITEMS).contains(&self.histogram.items);
        let threads = (1..=MAX_HISTOGRAM_THREADS).contains(&self.histogram.threads);
        require(items && threads, "`sort.histogram` is not a workgroup's part")?;
        let groups = (1..=u64::from(policy.max_groups)).contains(&self.histogram_groups);
        require(groups, "`sort.histogram_groups` is not from 1 to `max_groups`")?;
        require(self.few_keys <= MAX_FEW_KEYS, "`sort.few_keys` is above 2^20")?;
        let groups = self.few_keys_groups;
        let sound = (4..=MAX_FEW_KEYS_GROUPS).contains(&groups) && groups.is_multiple_of(4);
        require(sound, "`sort.few_keys_groups` is not a multiple of four from 4 to 32")?;
        let look_back = (1..=MAX_LOOK_BACK_TILES).contains(&self.few_keys_look_back);
        require(look_back, "`sort.few_keys_look_back` is not from 1 to 32")?;
        let methods =
            !matches!(self.auto, SortMethod::Auto | SortMethod::Small | SortMethod::Counting);
        require(methods, "`sort.auto` is not a method for any number of elements")?;
        let bits = match self.auto {
            SortMethod::Multisplit { radix_bits } => super::RADIX_BITS.contains(&radix_bits),
            _ => true,
        };
        require(bits, "digits of `sort.auto` do not have 4 to 8 bits")?;
        let rounds = matches!(self.rounds, Method::Direct | Method::Warp | Method::Block);
        require(rounds, "`sort.rounds` is not one of the three-stage methods")
    }

    /// The same with one shape for all numbers of elements.
    #[must_use]
    pub fn with_shape(self, shape: TileShape) -> Self {
        let shape = (u64::MAX, shape);
        Self { keys: [shape; 5], wide_keys: [shape; 4], pairs: [shape; 4], ..self }
    }
}

/// Whole subgroups, as many threads as the device allows, and a tile that fits shared memory.
fn within(policy: &Policy, key: KeyType, shape: TileShape) -> TileShape {
    shape.within(policy, super::DIGIT_BITS, key.bytes(), 0)
}
