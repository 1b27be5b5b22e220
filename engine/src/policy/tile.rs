//! The shape of a tile, and the shapes for GPUs that nobody has measured.

use super::allowed::Allowed;
use super::facts::DeviceFacts;

/// The shape of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// Threads of a workgroup, if shared memory allows.
    pub threads: u32,
    /// Keys per thread.
    pub items: u32,
    /// Number of turns in which the tile goes through shared memory: a divisor of `items`.
    pub turns: u32,
}

/// The shapes of tiles by ceil(log2 m), from 1 to 8.
pub type TileShapes = [TileShape; 8];

/// Turns and keys per thread that the kernels write out.
const MAX_TURNS: u32 = 4;
const MAX_ITEMS: u32 = 32;
/// Places in a tile have 16 bits.
const MAX_KEYS: u32 = (1 << 16) - 1;

impl TileShape {
    /// A tile of `threads` x `items`, in one turn.
    pub const fn new(threads: u32, items: u32) -> Self {
        Self { threads, items, turns: 1 }
    }

    /// The same in `turns` turns.
    #[must_use]
    pub const fn in_turns(self, turns: u32) -> Self {
        Self { turns, ..self }
    }

    /// A tile for GPUs that nobody has measured. `multisplit tune` finds better ones for the device at hand.
    ///
    /// - **256 threads.** A multiple of 32 and of 64, so that a workgroup has 8 subgroups of a wave32 device
    ///   (NVIDIA, Apple, Intel and RDNA at 32 lanes) and 4 of a wave64 one (GCN, CDNA, RDNA at 64, Adreno); 16
    ///   or 32 of a narrow one, whose rows of counters are shared by two. Every desktop GPU and all but the
    ///   smallest others run workgroups of 256; those of 512 or 1,024 halve the registers that a thread may
    ///   have on several of them.
    /// - **16 KiB of shared memory, which is what Vulkan promises, hold a tile** with its counters: with ids of
    ///   8 bits at most 3,800 keys of 32 bits or 1,900 of 64. Nothing is then cut down at run time, and a
    ///   device with 32 KiB for a workgroup (AMD, Apple, Mali, Adreno) runs two tiles at a time where that is
    ///   all it has, four where a multiprocessor has 64. A larger tile in several turns is what a GPU with
    ///   48 KiB and 64 Ki registers wants; where registers are short its keys go to memory, several times as
    ///   slow.
    /// - **At most 14 keys per thread**, for the same reason: a key, its bucket and its place take two to three
    ///   registers, and compilers of mobile GPUs have 64.
    pub(crate) const fn unmeasured(items: u32) -> Self {
        Self::new(UNMEASURED_THREADS, items)
    }

    /// Keys of a tile.
    pub fn tile(self) -> u32 {
        self.threads * self.items
    }

    /// Whether kernels can rank the keys of such a tile.
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

    /// The same with whole subgroups, and no more threads than the device has.
    pub(crate) fn of_subgroups(self, facts: &DeviceFacts) -> Self {
        Self { threads: facts.whole_subgroups(self.threads), ..self }
    }
}

/// Threads of every workgroup of GPUs that nobody has measured.
pub(crate) const UNMEASURED_THREADS: u32 = 256;

/// Tiles whose keys are ranked.
fn ranked_tiles(turns: u32) -> Allowed {
    Allowed::Tiles { threads: MAX_KEYS, items: MAX_ITEMS, turns, keys: MAX_KEYS }
}

/// Tiles whose keys are ranked, in any number of turns.
pub(crate) fn tiles(_: &DeviceFacts) -> Allowed {
    ranked_tiles(MAX_TURNS)
}

/// Tiles whose keys are ranked, in one turn.
pub(crate) fn tiles_in_one_turn(_: &DeviceFacts) -> Allowed {
    ranked_tiles(1)
}
