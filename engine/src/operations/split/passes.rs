//! Passes of a split whose keys have at least 32 bits, except those of a full sort.

use multisplit_graph::{Buffer, Graph, View};

use super::job::{Function, SplitPasses};
use super::{
    AddedSplit, BucketCode, MAX_BUCKETS, Method, Split, SplitBuffers, SplitOutput, find_offsets,
    method, onesweep, reduced_bit, scan_split, stages, two_level,
};
use crate::error::{Error, Result};
use crate::operations::fill;
use crate::operations::shared::checks::check_size;
use crate::policy::{MAX_ELEMENTS, Policy};

pub(super) const WORD: u64 = 4;

/// Adds the passes of a split. For a full sort, adds only the passes that precede the sort.
pub(in crate::operations) fn add(
    graph: &mut Graph,
    policy: &Policy,
    split: &Split,
    buffers: &SplitBuffers,
) -> Result<AddedSplit> {
    check(split, buffers)?;
    policy.check()?;
    policy.split.check_on(&policy.facts)?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    let code = BucketCode::new(policy, split)?;
    let method = method::choose(policy, split);
    let added = AddedSplit {
        method,
        rounds: method::rounds(method, split),
        sizes: method::sizes(policy, method, split, buffers),
    };
    tracing::debug!(?added, n = ?buffers.n, m = split.buckets, "multisplit");
    if let Some(out_of_range) = buffers.out_of_range {
        fill(
            graph,
            policy,
            "multisplit.clear.out_of_range",
            out_of_range.elements::<u32>(0, 1),
            0,
        )?;
    }
    if buffers.n.max() == 0 {
        fill(graph, policy, "multisplit.empty", offsets(split, buffers), 0)?;
        return Ok(added);
    }
    let function = Function::declare(graph, &code, split.buckets);
    let mut job = SplitPasses::new(graph, policy, split, buffers, function, added.sizes);
    match method {
        Method::ScanSplit => scan_split::add(&mut job)?,
        Method::ReducedBitSort => reduced_bit::add(&mut job)?,
        // The caller adds the sort, which is built on this module, and then the offsets.
        Method::FullSort => {}
        _ if added.rounds > 1 => two_level::add(&mut job, method)?,
        _ => one_round(&mut job, method)?,
    }
    Ok(added)
}

/// Adds the pass that finds the offsets, and the number of ids out of range, in the sorted keys of `sorted`.
pub(super) fn add_offsets(
    graph: &mut Graph,
    policy: &Policy,
    split: &Split,
    sorted: &SplitBuffers,
) -> Result<()> {
    let code = BucketCode::new(policy, split)?;
    let function = Function::declare(graph, &code, split.buckets);
    let sizes = method::sizes(policy, split.method, split, sorted);
    find_offsets::add(&mut SplitPasses::new(graph, policy, split, sorted, function, sizes))
}

/// Adds a split by a method that takes one round.
pub(super) fn one_round(job: &mut SplitPasses<'_>, method: Method) -> Result<()> {
    match method {
        Method::OneSweep => onesweep::add(job),
        _ => stages::add(job, method),
    }
}

/// Rejects bucket functions that do not support the key type or whose parameters are invalid.
pub(crate) fn check_function(policy: &Policy, split: &Split) -> Result<()> {
    BucketCode::new(policy, split).map(drop)
}

pub(super) fn offsets(split: &Split, buffers: &SplitBuffers) -> View {
    buffers.offsets.elements::<u32>(0, u64::from(split.buckets) + 1)
}

pub(super) fn check(split: &Split, buffers: &SplitBuffers) -> Result<()> {
    if split.buckets == 0 {
        return Err(Error::NoBuckets);
    }
    if split.buckets > MAX_BUCKETS {
        let (asked, limit) = (u64::from(split.buckets), u64::from(MAX_BUCKETS));
        return Err(Error::TooLarge { what: "number of buckets", asked, limit });
    }
    let n = buffers.n.max();
    if n > MAX_ELEMENTS {
        let (asked, limit) = (n, MAX_ELEMENTS);
        return Err(Error::TooLarge { what: "number of elements", asked, limit });
    }
    let key_bytes = split.key.array_bytes(n);
    let large_enough = |name: &str, buffer: Buffer, element: u64, count: u64| {
        check_size(&format!("multisplit.{name}"), buffer, element * count)
    };
    check_size("multisplit.keys", buffers.keys, key_bytes)?;
    large_enough("offsets", buffers.offsets, WORD, u64::from(split.buckets) + 1)?;
    if let Some(out_of_range) = buffers.out_of_range {
        large_enough("out_of_range", out_of_range, WORD, 1)?;
    }
    match buffers.output {
        SplitOutput::Keys(keys) => check_size("multisplit.keys_out", keys, key_bytes),
        SplitOutput::Permutation(words) => large_enough("permutation", words, WORD, n),
        SplitOutput::Pairs { keys, values_in, values, value_bytes } => {
            let value = u64::from(value_bytes);
            check_size("multisplit.keys_out", keys, key_bytes)?;
            large_enough("values", values_in, value, n)?;
            large_enough("values_out", values, value, n)
        }
    }
}
