//! What a search did: its rounds, and how much each of them had to do.

/// Words of the kernels' control block that the host looks at.
pub(crate) const CONTROL_WORDS: u64 = 29;
/// Words before the counts of the queues.
pub(crate) const WORDS_BEFORE_COUNTS: u64 = 224;
/// Words from one such count to the next: a line of a cache.
pub(crate) const COUNT_STRIDE: u64 = 32;
/// The word that says how many entries of the pile are to be split.
pub(crate) const KEPT_WORD: u64 = 27;
/// And how many words these have.
pub(crate) const KEPT_WORDS_WORD: u64 = 28;

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Rounds, those that took a pile apart included.
    pub rounds: u32,
    /// Rounds that took the far pile, or the rest behind the last bucket, apart.
    pub splits: u32,
    /// Rounds over all vertices, because a queue had been too short.
    pub dense_rounds: u32,
    /// Arcs that were looked at.
    pub relaxations: u64,
    /// Of these, arcs that had been looked at before.
    pub rerelaxations: u64,
    /// Vertices that were expanded, each as often as it was.
    pub expansions: u64,
    /// Whether resident workgroups were tried and given up.
    pub gave_up_residents: bool,
}

/// What one round had to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSize {
    /// Entries of queues that it took.
    pub entries: u32,
    /// What was nearer than this was near; of floats, the bits.
    pub threshold: u32,
}

/// The kernels' control block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status<'w>(pub &'w [u32]);

impl Status<'_> {
    fn word(self, at: usize) -> u32 {
        self.0.get(at).copied().unwrap_or(0)
    }

    fn figure(self, at: usize) -> u64 {
        u64::from(self.word(at)) | (u64::from(self.word(at + 1)) << 32)
    }

    pub fn done(self) -> bool {
        self.word(0) != 0
    }

    pub fn overflowed(self) -> bool {
        self.word(16) != 0
    }

    pub fn aborted(self) -> bool {
        self.word(18) != 0
    }

    pub fn rounds(self) -> u32 {
        self.word(19)
    }

    pub fn statistics(self) -> Statistics {
        Statistics {
            rounds: self.rounds(),
            splits: self.word(20),
            dense_rounds: self.word(21),
            relaxations: self.figure(22),
            rerelaxations: 0,
            expansions: self.figure(24),
            gave_up_residents: false,
        }
    }
}
