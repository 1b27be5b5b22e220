//! The sizes of the radix sort that were measured, and where.

use ash::vk;

use super::SortMethod;

use crate::error::{Error, Result};
use crate::primitives::Policy;
use crate::primitives::multisplit::{KeyType, Method, TileShape};
use crate::properties::DeviceProperties;

/// How the work of a sort is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortShape {
    /// Threads of a workgroup.
    pub threads: u32,
    /// Keys of a thread in a tile.
    pub items: u32,
    /// Tiles that a workgroup takes one after another.
    pub strip: u32,
}

impl SortShape {
    /// Strips of `strip` tiles of `threads` x `items` keys.
    pub const fn new(threads: u32, items: u32, strip: u32) -> Self {
        Self { threads, items, strip }
    }

    /// Keys of a tile.
    pub fn tile(self) -> u32 {
        self.threads * self.items
    }
}

/// Up to how many elements a shape is used.
type UpTo = (u64, SortShape);

/// Sizes of the sort kernels. Results never depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortTuning {
    /// What `Auto` takes for more elements than one workgroup sorts.
    pub auto: SortMethod,
    /// How a round of `SortMethod::Multisplit` splits.
    pub rounds: Method,
    /// The tile of the sort by one workgroup.
    pub small: TileShape,
    /// Tiles and strips for keys, by the number of elements; the last is for all larger numbers.
    pub keys: [UpTo; 4],
    /// The same for key-value pairs.
    pub pairs: [UpTo; 4],
    /// Keys of a thread that the histogram reads at a time, and its threads.
    pub histogram: TileShape,
    /// Workgroups of the histogram, at most.
    pub histogram_groups: u64,
}

impl SortTuning {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        match properties.device_type {
            vk::PhysicalDeviceType::CPU => Self::software(),
            _ => Self::gpu(),
        }
    }

    /// Measured on an NVIDIA H200 (docs/performance.md). Few elements want many small tiles, so
    /// that every multiprocessor has one; many want large ones, whose runs of equal digits are
    /// long, but not larger than that two workgroups share a multiprocessor.
    fn gpu() -> Self {
        let sizes = |large| {
            [
                (1 << 18, SortShape::new(512, 4, 1)),
                (1 << 21, SortShape::new(512, 8, 1)),
                (1 << 23, SortShape::new(512, 11, 1)),
                (u64::MAX, large),
            ]
        };
        Self {
            auto: SortMethod::OneSweep,
            rounds: Method::Block,
            small: TileShape::new(512, 8),
            keys: sizes(SortShape::new(512, 11, 5)),
            pairs: sizes(SortShape::new(512, 11, 2)),
            histogram: TileShape::new(512, 16),
            histogram_groups: 1056,
        }
    }

    /// Software drivers pay dearly for barriers, of which the direct multisplit has none: rounds of it
    /// sort several times as fast as one sweep (docs/performance.md). They compile what is unrolled
    /// for longer than it then runs; and have so few
    /// workgroups at a time that strips can be long, which takes less memory for their counts.
    fn software() -> Self {
        let shapes = [(u64::MAX, SortShape::new(256, 4, 16)); 4];
        Self {
            // Of 6 bits: as fast as 8, and the histograms of narrow subgroups stay small.
            auto: SortMethod::Multisplit { radix_bits: 6 },
            rounds: Method::Direct,
            small: TileShape::new(256, 4),
            keys: shapes,
            pairs: shapes,
            histogram: TileShape::new(256, 16),
            histogram_groups: 64,
        }
    }

    /// The shape for `n` elements.
    pub(super) fn shape(&self, policy: &Policy, key: KeyType, pairs: bool, n: u64) -> SortShape {
        let all = if pairs { &self.pairs } else { &self.keys };
        let suited = all.iter().find(|(most, _)| n <= *most).map(|(_, shape)| *shape);
        within(policy, key, suited.unwrap_or(SortShape::new(policy.threads, 4, 1)))
    }

    /// The shape of the histogram, within what the device allows.
    pub(super) fn histogram(&self, policy: &Policy) -> TileShape {
        let size = policy.subgroup_size;
        let threads = self.histogram.threads.min(policy.max_threads) / size;
        TileShape { threads: threads.max(1) * size, ..self.histogram }
    }

    /// The shape of the sort by one workgroup.
    pub(super) fn small(&self, policy: &Policy, key: KeyType) -> SortShape {
        within(policy, key, SortShape::new(self.small.threads, self.small.items, 1))
    }

    /// Refuses sizes that nothing can be cut by.
    pub(super) fn check(&self) -> Result<()> {
        let mut all = self.keys.iter().chain(&self.pairs);
        let shapes = all.all(|(_, shape)| shape.items > 0 && shape.strip > 0);
        let tiles = [self.small, self.histogram].iter().all(|t| t.items > 0 && t.threads > 0);
        if shapes && tiles && self.histogram_groups > 0 {
            return Ok(());
        }
        Err(Error::Policy { problem: "a sort by tiles of no keys" })
    }

    /// The same with one shape for all numbers of elements.
    #[must_use]
    pub fn with_shape(self, shape: SortShape) -> Self {
        let shapes = [(u64::MAX, shape); 4];
        Self { keys: shapes, pairs: shapes, ..self }
    }
}

/// Whole subgroups, as many threads as the device allows, and a tile that fits shared memory.
fn within(policy: &Policy, key: KeyType, shape: SortShape) -> SortShape {
    const ROW: u32 = 4 << super::DIGIT_BITS;
    let size = policy.subgroup_size;
    let most = policy.max_threads.max(size);
    let shared = |threads: u32| {
        let space = (ROW * (threads / size)).max(threads * shape.items * key.bytes());
        space + ROW + 4 * (threads / size) + 64
    };
    let mut threads = (shape.threads.min(most) / size).max(1) * size;
    while shared(threads) > policy.shared_memory && threads > size {
        threads -= size;
    }
    SortShape { threads, ..shape }
}
