//! What a buffer of the engine's is to an operation.

/// What a buffer is to an [`Operation`](super::Operation). Each kind of operation has some of them;
/// [`Operation::contracts`](super::Operation::contracts) lists which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// Sort: the keys, sorted in place. Split: the keys; only read.
    Keys,
    /// Split: the keys, in the order of their buckets.
    KeysOut,
    /// Sort between two buffers: the other keys.
    KeysOther,
    /// Sort: a value for each key, moved along. Split: a value for each key; only read.
    Values,
    /// Split: the values, in the order of the keys.
    ValuesOut,
    /// Sort between two buffers: the other values.
    ValuesOther,
    /// Sort: gets, for each place, which element of the input comes there.
    Indices,
    /// Sort between two buffers: one word, 0 where the result is where the input was, else 1.
    Half,
    /// Split: gets, for each element, where it goes.
    Permutation,
    /// Split: m + 1 words, where each bucket begins, and n.
    Offsets,
    /// Split: one word, the number of keys whose id is m or more.
    Outside,
    /// Split and histogram by a function of the user's: the words that it reads.
    Table,
    /// Histogram: the samples; only read.
    Samples,
    /// Histogram: a weight for each element; only read.
    Weights,
    /// Histogram: m counts for each channel.
    Counts,
    /// Histogram: one count for each channel, of samples in no bin.
    Dropped,
    /// Histogram: m words, the exclusive prefix sums of the counts.
    Cumulative,
    /// Scan: the numbers; only read.
    Input,
    /// Scan: their exclusive prefix sums.
    Output,
    /// Every operation whose number of elements is on the device: the words one of which it is.
    Count,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 20] = [
        Self::Keys,
        Self::KeysOut,
        Self::KeysOther,
        Self::Values,
        Self::ValuesOut,
        Self::ValuesOther,
        Self::Indices,
        Self::Half,
        Self::Permutation,
        Self::Offsets,
        Self::Outside,
        Self::Table,
        Self::Samples,
        Self::Weights,
        Self::Counts,
        Self::Dropped,
        Self::Cumulative,
        Self::Input,
        Self::Output,
        Self::Count,
    ];

    /// The name that dumps and errors use for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::KeysOut => "keys.out",
            Self::KeysOther => "keys.other",
            Self::Values => "values",
            Self::ValuesOut => "values.out",
            Self::ValuesOther => "values.other",
            Self::Indices => "indices",
            Self::Half => "half",
            Self::Permutation => "permutation",
            Self::Offsets => "offsets",
            Self::Outside => "outside",
            Self::Table => "table",
            Self::Samples => "samples",
            Self::Weights => "weights",
            Self::Counts => "counts",
            Self::Dropped => "dropped",
            Self::Cumulative => "cumulative",
            Self::Input => "input",
            Self::Output => "output",
            Self::Count => "count",
        }
    }
}
