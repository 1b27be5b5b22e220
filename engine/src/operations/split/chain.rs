//! Buffers for methods with several rounds: the input and output of each round.

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::builtin::{self as kernels, Builtin};
use multisplit_shaders::push_constants;

use super::job::SplitPasses;
use super::{MAX_BUCKETS_OF_ROUND, Split, SplitBuffers, SplitOutput, find_offsets};
use crate::error::Result;
use crate::execute::own_pass::OwnPasses;
use crate::operations::shared::count::{Count, Lengths};
use crate::policy::Policy;

push_constants! {
    struct EachPush {
        count: u32,
    }
}

/// Elements per thread in kernels that process elements independently; must match `each.glsl`.
pub(crate) const EACH: u64 = 4;

/// Adds a pass of a kernel that processes elements independently.
pub(in crate::operations) fn each(
    graph: &mut Graph,
    policy: &Policy,
    kernel: &Builtin,
    (n, keys): (Count, Buffer),
    bound: &[(&str, Buffer)],
) -> Result<()> {
    let (mut lengths, n) = Lengths::new(n)?;
    let groups = lengths.parts(n, EACH * u64::from(policy.threads))?;
    let prepared = lengths.prepare(graph, policy, "multisplit.prepare")?;
    let mut pass = graph
        .own_pass(kernel.label(), &kernel.kernel()?)
        .push(&EachPush { count: prepared.pushed(n) })
        .specialize("local_size_x", policy.threads);
    for &(name, buffer) in bound {
        pass = pass.bind(name, buffer);
    }
    // The input keys serve as the placeholder binding, because none of these kernels writes them.
    prepared.dispatch(prepared.bind(pass, keys.into()), groups);
    Ok(())
}

/// Adds a pass that writes the index of each element: 0, 1, 2, ...
pub(in crate::operations) fn number_elements(
    graph: &mut Graph,
    policy: &Policy,
    elements: (Count, Buffer),
    numbers: Buffer,
) -> Result<()> {
    each(graph, policy, &kernels::MULTISPLIT_NUMBER, elements, &[("sources", numbers)])
}

/// The buffers of consecutive rounds. Rounds alternate between two buffers such that the last round writes the
/// caller's output. For a permutation, the rounds move element indices as values.
pub(super) struct Chain {
    /// Buffers of each round. Offsets are scratch. Only the first round counts ids out of range.
    pub rounds: Vec<SplitBuffers>,
    /// The keys after the last round.
    pub sorted: Buffer,
    /// Element indices after the last round, and the buffer for the permutation.
    permutation: Option<(Buffer, Buffer)>,
}

impl Chain {
    pub fn new(
        graph: &mut Graph,
        policy: &Policy,
        split: &Split,
        buffers: &SplitBuffers,
        rounds: u32,
    ) -> Result<Self> {
        let n = buffers.n.max();
        let key_bytes = n * u64::from(split.key.bytes());
        let offsets =
            graph.transient::<u32>("multisplit.round.offsets", u64::from(MAX_BUCKETS_OF_ROUND) + 1);
        let mut keys = |k: u32| graph.transient_bytes(format!("multisplit.keys.{k}"), key_bytes);
        let mut permutation = None;
        // The last round writes the second buffer of each pair.
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
                let (from, turns) = (numbers(0), [numbers(1), numbers(2)]);
                number_elements(graph, policy, (buffers.n, buffers.keys), from)?;
                permutation = Some((turns[1], words));
                (keys, Some((from, turns, 4)))
            }
        };
        let mut from = (buffers.keys, values.map(|(from, ..)| from));
        let rounds = (0..rounds).map(|round| {
            let turn = usize::from((rounds - round) % 2 == 1);
            let to = (keys[turn], values.map(|(_, turns, _)| turns[turn]));
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

    /// Adds the passes that follow the last round: the offsets, and the permutation if requested.
    pub fn finish(&self, job: &mut SplitPasses<'_>) -> Result<()> {
        let (policy, buffers) = (job.policy, job.buffers);
        // The first round has already counted the ids out of range.
        let sorted = SplitBuffers { keys: self.sorted, out_of_range: None, ..*buffers };
        let (split, function, sizes) = (job.split, job.function, job.sizes);
        let mut search = SplitPasses::new(job.graph, policy, split, &sorted, function, sizes);
        find_offsets::add(&mut search)?;
        let Some((sources, permutation)) = self.permutation else { return Ok(()) };
        let bound = [("sources", sources), ("permutation", permutation)];
        each(job.graph, policy, &kernels::MULTISPLIT_INVERT, (buffers.n, buffers.keys), &bound)
    }
}
