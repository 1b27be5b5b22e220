//! The sizes of the radix sort that were measured, and where.

use crate::device::properties::DeviceProperties;
use crate::policy::allowed::{Allowed, any_u64, groups, multiples, numbers};
use crate::policy::facts::{DeviceFacts, Facts, Family};
use crate::policy::method::{Method, SortMethod};
use crate::policy::size::words;
use crate::policy::table::{size, sizes};
use crate::policy::tile::{TileShape, tiles, tiles_in_one_turn};

/// The number of elements up to which a shape is used.
pub(super) type UpTo = (u64, TileShape);

/// Workgroups of the histogram, whose keys are not ranked. They are cut down to what the device has.
fn histograms(_: &DeviceFacts) -> Allowed {
    Allowed::Tiles { threads: 4096, items: 64, turns: 1, keys: 4096 * 64 }
}

sizes! {
    /// Sizes of the sort kernels. Results never depend on them.
    pub struct SortTuning as "sort." {
        /// What `Auto` takes for more elements than one workgroup sorts.
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
        /// How a round of `SortMethod::Multisplit` splits.
        rounds: Method = size(words::<Method>).candidates(|_| &[Method::Direct, Method::Warp]),
        /// The tile of the sort by one workgroup.
        small: TileShape = size(tiles_in_one_turn).per_ranking().candidates(|_| {
            const { &shapes([(256, 4), (256, 8), (512, 4), (512, 8), (512, 16), (1024, 4), (1024, 8)]) }
        }),
        /// Tiles for keys of 32 bits, by the number of elements; the last is for all larger numbers.
        keys: [UpTo; 5] = size(tiles).per_ranking(),
        /// The same for keys of 64 bits, with values and without.
        wide_keys: [UpTo; 4] = size(tiles).per_ranking(),
        /// The same for pairs of a 32-bit key and a value.
        pairs: [UpTo; 4] = size(tiles).per_ranking(),
        /// Keys of a thread that the histogram reads at a time, and its threads.
        histogram: TileShape = size(histograms).candidates(|_| {
            const { &shapes([(256, 8), (256, 16), (512, 8), (512, 16), (1024, 8), (1024, 16), (512, 32)]) }
        }),
        /// Workgroups of the histogram, at most.
        histogram_groups: u64 = size(groups).candidates(|_| &[128, 256, 512, 1056, 2112, 4224]),
        /// Up to so many elements, at most 2^20, a one-sweep sort has no pass that clears: its first pass has few
        /// workgroups, whose histograms its rounds add up.
        few_keys: u64 = size(|_| numbers(0, 1 << 20)).candidates(|_| &[0, 1 << 14, 1 << 16, 1 << 17, 1 << 18]),
        /// So many workgroups: a multiple of four, at most 32.
        few_keys_groups: u32 = size(|_| multiples(4, 32)).candidates(|_| &[4, 8, 16, 32]),
        /// Tiles whose words a look-back of such a sort reads at a time, from 1 to 32.
        few_keys_look_back: u32 = size(|_| numbers(1, 32)).candidates(|_| &[1, 2, 4, 8, 16]),
        /// From so many keys of 16 bits on they are sorted by counting, where they have no values.
        min_counting: u64 = size(any_u64),
    }
}

/// Tiles of (threads, items).
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
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let tuned = match Family::of(properties) {
            Family::Software => Self::software(),
            Family::Nvidia => Self::nvidia(),
            Family::Other => Self::unmeasured(),
        };
        tuned.fitted(&Facts::of(properties))
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

    /// For GPUs that nobody has measured ([`TileShape::unmeasured`]). Few elements want many small tiles, so that every
    /// multiprocessor has one.
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
            // As many bytes.
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

    /// The shape of the histogram, within what the device allows.
    pub(crate) fn histogram(&self, facts: &DeviceFacts) -> TileShape {
        self.histogram.of_subgroups(facts)
    }

    /// The same with one shape for all numbers of elements.
    #[must_use]
    pub fn with_shape(self, shape: TileShape) -> Self {
        let shape = (u64::MAX, shape);
        Self { keys: [shape; 5], wide_keys: [shape; 4], pairs: [shape; 4], ..self }
    }
}
