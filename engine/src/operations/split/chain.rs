//! Methods with several rounds: the input and output of each round, and the offsets at the end.

use multisplit_graph::Buffer;
use multisplit_shaders::builtin::variants::MULTISPLIT_OFFSETS;

use super::buffers::{SplitBuffers, SplitOutput};
use super::description::MAX_BUCKETS_OF_ROUND;
use super::parameters::SplitPasses;
use crate::error::Result;
use crate::operations::shared::{Length, invert, number_elements};

/// The buffers of consecutive rounds. Rounds alternate between two buffers so that the last round writes to the
/// caller's output. For a permutation, the rounds move element indices as values.
pub(super) struct Chain {
    /// Buffers of each round. The offsets that a round writes are not used. Only the first round counts ids out of
    /// range.
    pub rounds: Vec<SplitBuffers>,
    /// The keys after the last round.
    pub sorted: Buffer,
    /// Element indices after the last round, and the buffer for the permutation.
    permutation: Option<(Buffer, Buffer)>,
}

impl Chain {
    pub fn new(passes: &mut SplitPasses<'_>, rounds: u32) -> Result<Self> {
        let (graph, policy, split, buffers) =
            (&mut *passes.graph, passes.policy, passes.split, passes.buffers);
        let n = buffers.n.max();
        let key_bytes = n * u64::from(split.key.bytes());
        let offsets =
            graph.transient::<u32>("multisplit.round.offsets", u64::from(MAX_BUCKETS_OF_ROUND) + 1);
        let mut keys = |k: u32| graph.transient_bytes(format!("multisplit.keys.{k}"), key_bytes);
        let mut permutation = None;
        // The last round writes to the second buffer of each pair.
        let (keys, values) = match buffers.output {
            SplitOutput::Keys(out) => ([keys(0), out], None),
            SplitOutput::Pairs { keys: out, values_in, values, value_bytes } => {
                let keys = [keys(0), out];
                let alt = graph.transient_bytes("multisplit.values.0", n * u64::from(value_bytes));
                (keys, Some((values_in, [alt, values], value_bytes)))
            }
            SplitOutput::Permutation(words) => {
                let keys = [keys(0), keys(1)];
                let mut numbers = |k| graph.transient::<u32>(format!("multisplit.sources.{k}"), n);
                let (from, pair) = (numbers(0), [numbers(1), numbers(2)]);
                number_elements(graph, policy, (buffers.n, buffers.keys), from)?;
                permutation = Some((pair[1], words));
                (keys, Some((from, pair, 4)))
            }
        };
        let mut from = (buffers.keys, values.map(|(from, ..)| from));
        let rounds = (0..rounds).map(|round| {
            let half = usize::from((rounds - round) % 2 == 1);
            let to = (keys[half], values.map(|(_, pair, _)| pair[half]));
            let output = match (from.1, to.1, values) {
                (Some(values_in), Some(values), Some((_, _, value_bytes))) => {
                    SplitOutput::Pairs { keys: to.0, values_in, values, value_bytes }
                }
                _ => SplitOutput::Keys(to.0),
            };
            let keys = from.0;
            from = to;
            let out_of_range = if round == 0 { buffers.out_of_range } else { None };
            SplitBuffers { n: buffers.n, keys, output, offsets, out_of_range }
        });
        Ok(Self { rounds: rounds.collect(), sorted: keys[1], permutation })
    }

    /// Adds the passes that follow the last round: they find the offsets and, if requested, the permutation.
    pub fn finish(&self, passes: &mut SplitPasses<'_>) -> Result<()> {
        // The first round has already counted the ids out of range.
        let sorted = SplitBuffers { keys: self.sorted, out_of_range: None, ..*passes.buffers };
        find_offsets(&mut passes.with(passes.split, &sorted, passes.sizes))?;
        let Some((sources, permutation)) = self.permutation else { return Ok(()) };
        let elements = (passes.buffers.n, passes.buffers.keys);
        invert(passes.graph, passes.policy, elements, sources, permutation)
    }
}

/// Adds the pass that finds the bucket offsets by binary search, for methods whose rounds do not compute them. The
/// keys of `passes` must be in bucket order. If ids out of range are to be counted, keys must also be sorted.
pub(super) fn find_offsets(passes: &mut SplitPasses<'_>) -> Result<()> {
    let threads = passes.policy.threads;
    let searches = u64::from(passes.split.buckets) + 1;
    let groups = Length::known(searches.div_ceil(u64::from(threads)));
    passes.prepare(|_, _, _| Ok(()))?;
    let (prepared, out_of_range) = (passes.prepared, passes.out_of_range);
    let (offsets, counted) =
        (passes.buffers.offsets_of(passes.split.buckets), passes.buffers.out_of_range.is_some());
    let pass = passes
        .pass_of("multisplit.offsets", MULTISPLIT_OFFSETS, threads, groups, 1)?
        .bind("offsets", offsets)
        .specialize("SORTED_BY_KEY", u32::from(counted));
    prepared.dispatch(out_of_range.bind(pass), groups);
    Ok(())
}
