//! Tuning parameters of radix sorts, with the devices on which they were measured.

use crate::device::properties::DeviceProperties;
use crate::policy::allowed::{Allowed, any_u64, groups, multiples, numbers};
use crate::policy::facts::{DeviceFacts, Facts, Family};
use crate::policy::method::{Method, SortMethod};
use crate::policy::size::words;
use crate::policy::table::{size, sizes};
use crate::policy::tile::{TileShape, tiles, tiles_in_one_turn};

/// Maximum number of elements, and the tile shape for up to that many elements.
pub(super) type UpTo = (u64, TileShape);

/// Allowed shapes of the histogram pass, which does not rank keys. The workgroup size is later reduced to the device
/// limit.
fn histograms(_: &DeviceFacts) -> Allowed {
    Allowed::Tiles { threads: 4096, items: 64, turns: 1, keys: 4096 * 64 }
}

sizes! {
    /// Tuning parameters of the sort kernels. Results never depend on them.
    pub struct SortTuning as "sort." {
        /// Method that `Auto` selects unless it selects a sort by a single workgroup or a counting sort.
        auto: SortMethod = size(words::<SortMethod>).candidates(|facts| {
            use SortMethod::{Multisplit, OneSweep};
            match facts.is_software() {
                true => &[
                    Multisplit { radix_bits: 8 },
                    Multisplit { radix_bits: 7 },
                    Multisplit { radix_bits: 6 },
                    Multisplit { radix_bits: 5 },
                    Multisplit { radix_bits: 4 },
                ],
                false => &[OneSweep, Multisplit { radix_bits: 8 }, Multisplit { radix_bits: 6 }],
            }
        }),
        /// Split method of the rounds of `SortMethod::Multisplit`.
        rounds: Method = size(words::<Method>).candidates(|_| &[Method::Direct, Method::Warp]),
        /// Tile of the single-workgroup sort.
        small: TileShape = size(tiles_in_one_turn).per_ranking().candidates(|_| {
            const { &shapes([(256, 4), (256, 8), (512, 4), (512, 8), (512, 16), (1024, 4), (1024, 8)]) }
        }),
        /// Tiles for 32-bit keys, by number of elements. The last tile is for all larger arrays.
        keys: [UpTo; 5] = size(tiles).per_ranking(),
        /// Tiles for 64-bit keys, with and without values.
        wide_keys: [UpTo; 4] = size(tiles).per_ranking(),
        /// Tiles for pairs of a 32-bit key and a value.
        pairs: [UpTo; 4] = size(tiles).per_ranking(),
        /// Workgroup size of the histogram pass, and number of keys that a thread reads at a time.
        histogram: TileShape = size(histograms).candidates(|_| {
            const { &shapes([(256, 8), (256, 16), (512, 8), (512, 16), (1024, 8), (1024, 16), (512, 32)]) }
        }),
        /// Maximum number of workgroups of the histogram pass, unless a loop limit requires more.
        histogram_groups: u64 = size(groups).candidates(|_| &[128, 256, 512, 1056, 2112, 4224]),
        /// Maximum number of elements of a small one-sweep sort, at most 2^20. Small sorts do not have the pass that
        /// clears the histograms. The few workgroups of their histogram pass write separate histograms, which the
        /// rounds add up.
        few_keys: u64 = size(|_| numbers(0, 1 << 20)).candidates(|_| &[0, 1 << 14, 1 << 16, 1 << 17, 1 << 18]),
        /// Number of workgroups of the histogram pass in a small sort: a multiple of four, at most 32.
        few_keys_groups: u32 = size(|_| multiples(4, 32)).candidates(|_| &[4, 8, 16, 32]),
        /// Number of tile states that a look-back of a small sort reads at a time, from 1 to 32.
        few_keys_look_back: u32 = size(|_| numbers(1, 32)).candidates(|_| &[1, 2, 4, 8, 16]),
        /// Minimum number of 16-bit keys, without values, for which `Auto` selects a counting sort.
        min_counting: u64 = size(any_u64),
    }
}

/// Converts pairs (threads, items) to tile shapes.
const fn shapes<const N: usize>(sizes: [(u32, u32); N]) -> [TileShape; N] {
    let mut shapes = [TileShape::new(0, 0); N];
    let mut index = 0;
    while index < N {
        shapes[index] = TileShape::new(sizes[index].0, sizes[index].1);
        index += 1;
    }
    shapes
}

impl SortTuning {
    /// The default sizes for a device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let tuned = match Family::of(properties) {
            Family::Software => Self::software(),
            Family::Nvidia => Self::nvidia(),
            Family::Other => Self::unmeasured(),
        };
        tuned.fitted(&Facts::of(properties))
    }

    /// Sizes for ranking by ballots, measured on an NVIDIA H200 (docs/performance.md). Small arrays have small tiles,
    /// so that more multiprocessors have a tile. Large arrays have large tiles, which contain long runs of equal
    /// digits; two such tiles still fit on a multiprocessor.
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

    /// Replaces the tile shapes for 32-bit keys with those tuned for ranking by lane order.
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

    /// Sizes for software drivers. Barriers are slow there. The direct multisplit has hardly any: its rounds
    /// sort several times as fast as the one-sweep method (docs/performance.md). Tiles are small, because unrolled
    /// code takes longer to compile than to run.
    fn software() -> Self {
        let shape = (u64::MAX, TileShape::new(256, 2));
        Self {
            // Digits of 6 bits are as fast as digits of 8 bits, and the histograms of small subgroups stay small.
            auto: SortMethod::Multisplit { radix_bits: 6 },
            rounds: Method::Direct,
            small: TileShape::new(256, 2),
            keys: [shape; 5],
            wide_keys: [shape; 4],
            pairs: [shape; 4],
            histogram: TileShape::new(256, 16),
            histogram_groups: 64,
            few_keys: 0,
            few_keys_groups: 4,
            few_keys_look_back: 1,
            // Not measured, but expected to help: the rounds of a multisplit are slow on these drivers, and 65,536
            // counters are not.
            min_counting: 1 << 11,
        }
    }

    /// Sizes for GPUs that were not measured ([`TileShape::unmeasured`]). Small arrays have small tiles, so that
    /// more multiprocessors have a tile.
    fn unmeasured() -> Self {
        let tile = TileShape::unmeasured;
        Self {
            small: tile(8),
            keys: [
                (1 << 17, tile(4)),
                (1 << 19, tile(8)),
                (1 << 20, tile(8)),
                (1 << 22, tile(12)),
                (u64::MAX, tile(14)),
            ],
            // Tiles of large arrays have as many bytes as those of 32-bit keys.
            wide_keys: [
                (1 << 17, tile(4)),
                (1 << 19, tile(4)),
                (1 << 20, tile(6)),
                (u64::MAX, tile(7)),
            ],
            pairs: [
                (1 << 17, tile(4)),
                (1 << 20, tile(8)),
                (1 << 22, tile(10)),
                (u64::MAX, tile(12)),
            ],
            histogram: tile(16),
            histogram_groups: 256,
            ..Self::nvidia()
        }
    }

    /// Shape of the histogram pass, reduced to the device limits.
    pub(crate) fn histogram(&self, facts: &DeviceFacts) -> TileShape {
        self.histogram.of_subgroups(facts)
    }

    /// Uses the same shape for all numbers of elements.
    #[must_use]
    pub fn with_shape(self, shape: TileShape) -> Self {
        let shape = (u64::MAX, shape);
        Self { keys: [shape; 5], wide_keys: [shape; 4], pairs: [shape; 4], ..self }
    }
}
