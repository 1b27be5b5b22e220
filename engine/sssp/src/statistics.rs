//! Statistics of a search and of its rounds.

/// Number of words at the start of the control block that the host reads.
pub(crate) const CONTROL_WORDS: u64 = 29;
/// Number of words of the control block before the queue counts.
pub(crate) const WORDS_BEFORE_COUNTS: u64 = 224;
/// Number of words between two queue counts: one cache line.
pub(crate) const COUNT_STRIDE: u64 = 32;
/// Index of the control word `kept`: the number of pile entries that were kept and will be split.
pub(crate) const KEPT_WORD: u64 = 27;
/// Index of the control word `kept_words`: the size of the entries counted by `kept`, in 32-bit words.
pub(crate) const KEPT_WORDS_WORD: u64 = 28;

/// Work done by a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Number of rounds.
    pub rounds: u32,
    /// Number of times that the far pile, or the entries beyond the last bucket, were split by distance.
    pub splits: u32,
    /// Number of rounds over all reached vertices, because a queue had overflowed.
    pub dense_rounds: u32,
    /// Number of arcs relaxed, counting repetitions.
    pub relaxations: u64,
    /// Number of relaxations of arcs that had been relaxed before.
    pub rerelaxations: u64,
    /// Number of vertices expanded, counting repetitions.
    pub expansions: u64,
    /// Whether resident workgroups have timed out. Each round is then a separate dispatch.
    pub gave_up_residents: bool,
}

/// Size of one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSize {
    /// Number of queue entries processed, or of vertices if a queue had overflowed.
    pub entries: u32,
    /// Vertices nearer than this distance belonged to the near set. As bits if distances are
    /// floats.
    pub threshold: u32,
}

/// The first words of the kernels' control block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status<'w>(pub &'w [u32]);

impl Status<'_> {
    fn word(self, at: usize) -> u32 {
        self.0.get(at).copied().unwrap_or(0)
    }

    /// A 64-bit number in two words.
    fn double_word(self, at: usize) -> u64 {
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
            relaxations: self.double_word(22),
            rerelaxations: 0,
            expansions: self.double_word(24),
            gave_up_residents: false,
        }
    }
}
