//! Tile shapes, and the default shapes for GPUs that were not measured.

use super::allowed::Allowed;
use super::facts::DeviceFacts;

/// Shape of a tile: the keys that a workgroup loads and reorders at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// Workgroup size. It may be reduced to fit in shared memory.
    pub threads: u32,
    /// Keys per thread.
    pub items: u32,
    /// Number of steps in which the keys of a tile pass through shared memory. Must divide `items`.
    pub turns: u32,
}

/// Tile shapes for splits into m buckets, one for each ceil(log2 m) from 1 to 8.
pub type TileShapes = [TileShape; 8];

/// Maximum number of turns and of keys per thread that kernels support.
const MAX_TURNS: u32 = 4;
const MAX_ITEMS: u32 = 32;
/// Maximum number of keys per tile. Kernels store the position in a tile in 16 bits.
const MAX_KEYS: u32 = (1 << 16) - 1;

impl TileShape {
    /// A tile of `threads` x `items` keys, in one turn.
    pub const fn new(threads: u32, items: u32) -> Self {
        Self { threads, items, turns: 1 }
    }

    /// Sets the number of turns.
    #[must_use]
    pub const fn in_turns(self, turns: u32) -> Self {
        Self { turns, ..self }
    }

    /// Default tile for GPUs that were not measured. `multisplit tune` finds better tiles for a given device.
    ///
    /// - **256 threads.** This is a multiple of 32 and of 64. A workgroup has 8 subgroups on wave32 devices
    ///   (NVIDIA, Apple, Intel, RDNA with 32 lanes), 4 on wave64 devices (GCN, CDNA, RDNA with 64 lanes,
    ///   Adreno), and 16 or 32 on devices with 16 or 8 lanes, where two subgroups share their counters.
    ///   All desktop GPUs and nearly all others support workgroups of 256 threads. On several of them, 512 or
    ///   1,024 threads would halve the registers per thread.
    /// - **A tile and its counters fit in 16 KiB of shared memory**, the minimum that Vulkan guarantees. With 8-bit
    ///   bucket ids, this allows 3,800 keys of 32 bits or 1,900 keys of 64 bits. Such tiles never need to be reduced
    ///   to fit in memory. A device with 32 KiB per workgroup (AMD, Apple, Mali, Adreno) runs two such tiles per
    ///   multiprocessor at a time, or four if a multiprocessor has 64 KiB. Larger tiles, processed in several turns,
    ///   suit GPUs with 48 KiB of shared memory and 64 Ki registers. On GPUs with fewer registers, larger tiles would
    ///   spill keys to memory, which is several times as slow.
    /// - **At most 14 keys per thread** if the keys are ranked, also to avoid spills: a key, its bucket and its
    ///   position take two to three registers, and compilers for mobile GPUs have 64.
    pub(crate) const fn unmeasured(items: u32) -> Self {
        Self::new(UNMEASURED_THREADS, items)
    }

    /// Keys per tile.
    pub fn tile(self) -> u32 {
        self.threads * self.items
    }

    /// Whether the kernels that rank keys support this shape.
    pub(crate) fn is_sound(self) -> bool {
        self.is_one_of(&ranked_tiles(MAX_TURNS))
    }

    pub(super) fn is_one_of(self, allowed: &Allowed) -> bool {
        let Allowed::Tiles { threads, items, turns, keys } = *allowed else { return false };
        (1..=threads).contains(&self.threads)
            && (1..=items).contains(&self.items)
            && (1..=turns).contains(&self.turns)
            && u64::from(self.threads) * u64::from(self.items) <= keys.into()
            && self.items.is_multiple_of(self.turns)
    }

    /// Reduces the number of items to a limit. The result has one turn unless the turns divide its items.
    pub(super) fn with_max_items(self, max: u32) -> Self {
        let items = self.items.min(max.max(1));
        let turns = if items.is_multiple_of(self.turns.max(1)) { self.turns } else { 1 };
        Self { items, turns, ..self }
    }

    /// Rounds the workgroup size down to whole subgroups, within the device limit.
    pub(crate) fn of_subgroups(self, facts: &DeviceFacts) -> Self {
        Self { threads: facts.whole_subgroups(self.threads), ..self }
    }
}

/// Default workgroup size for GPUs that were not measured.
pub(crate) const UNMEASURED_THREADS: u32 = 256;

/// Allowed shapes of tiles whose keys are ranked.
fn ranked_tiles(turns: u32) -> Allowed {
    Allowed::Tiles { threads: MAX_KEYS, items: MAX_ITEMS, turns, keys: MAX_KEYS }
}

/// Allowed shapes of tiles, with any supported number of turns.
pub(crate) fn tiles(_: &DeviceFacts) -> Allowed {
    ranked_tiles(MAX_TURNS)
}

/// Allowed shapes of tiles for kernels that support a single turn.
pub(crate) fn tiles_in_one_turn(_: &DeviceFacts) -> Allowed {
    ranked_tiles(1)
}
