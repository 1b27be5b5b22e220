//! Adds the passes of a sort: selects the method, and sorts short arrays by a single workgroup.

use std::ops::Range;

use multisplit_graph::{Graph, Groups};
use multisplit_shaders::builtin::variants::SORT_SMALL;

use super::description::{
    AddedSort, DIGIT_BITS, KeyedSort, OtherBuffers, Sort, SortBuffers, SortValues, check_policy,
};
use super::parameters::{Packed, SortPasses, Work, variant};
use super::{counting, onesweep, rounds, segments};
use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::shared::{
    Count, Cut, Form, Length, NarrowKeys, fill, number_elements, planned_for,
};
use crate::policy::Policy;
use crate::policy::method::SortMethod;

/// Allowed bits per digit of [`SortMethod::Multisplit`].
const RADIX_BITS: Range<u32> = 4..9;

/// Adds the passes of a sort to the graph.
pub fn sort(
    graph: &mut Graph,
    policy: &Policy,
    sort: &Sort,
    buffers: &SortBuffers,
) -> Result<AddedSort> {
    let keyed = sort.keyed(KeyType::of("keys", buffers.keys)?);
    buffers.check_types()?;
    match (&sort.cut, buffers.segments) {
        (Cut::Whole, None) => add(graph, policy, &keyed, buffers),
        (cut, _) if keyed.key.is_narrow() => {
            buffers.check_sizes(&keyed)?;
            add_narrow(graph, policy, &keyed, buffers, Some(cut))
        }
        (cut, _) => segments::add(graph, policy, &keyed, buffers, cut),
    }
}

/// Adds the passes of a sort with a known key type.
pub(in crate::operations) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
) -> Result<AddedSort> {
    check_policy(policy)?;
    planned_for(graph, policy);
    buffers.check_sizes(sort)?;
    if counting::is_chosen(policy, sort, buffers)? {
        return counting::add(graph, policy, sort, buffers);
    }
    if sort.key.is_narrow() {
        return add_narrow(graph, policy, sort, buffers, None);
    }
    add_sort(graph, policy, sort, buffers, None)
}

/// Adds the passes of a sort of 32-bit or 64-bit keys. If `packed` is given, the first round of a one-sweep sort
/// reads these packed keys instead of the keys in the buffer.
fn add_sort(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    packed: Option<Packed>,
) -> Result<AddedSort> {
    let method = choose(policy, sort, buffers)?;
    let radix = match method {
        SortMethod::Multisplit { radix_bits } => radix_bits,
        _ => DIGIT_BITS,
    };
    let rounds = sort.digits(radix).count() as u32;
    let shape = match method {
        SortMethod::Small => policy.small_sort_tile(sort.key),
        _ => policy.sort_tile(sort.key, buffers),
    };
    let added = AddedSort { method, rounds, shape };
    tracing::debug!(?added, n = ?buffers.n, "sort");
    let is_empty = buffers.n.max() == 0;
    if let Some(other) = buffers.other {
        let odd_rounds = if is_empty || method == SortMethod::Small { 0 } else { rounds % 2 };
        fill(graph, policy, "sort.half", other.half.elements::<u32>(0, 1), odd_rounds)?;
    }
    if is_empty {
        return Ok(added);
    }
    if rounds == 0 {
        if let SortValues::Indices(indices) = buffers.values {
            number_elements(graph, policy, (buffers.n, buffers.keys), indices)?;
        }
        return Ok(added);
    }
    let mut passes = SortPasses::new(graph, policy, sort, buffers, shape);
    match method {
        SortMethod::Small => add_small(&mut passes, rounds)?,
        SortMethod::Multisplit { radix_bits } => rounds::add(&mut passes, radix_bits)?,
        SortMethod::OneSweep | SortMethod::Auto | SortMethod::Counting => {
            onesweep::add(&mut passes, rounds, packed)?;
        }
    }
    Ok(added)
}

/// Adds the pass of [`SortMethod::Small`]: one workgroup sorts an array that fits in one tile.
fn add_small(passes: &mut SortPasses<'_>, rounds: u32) -> Result<()> {
    let (policy, values, n, keys) =
        (passes.policy, passes.buffers.values, passes.n.max, passes.keys());
    let by = passes.all_digits();
    let work = Work { subproblems: Length::known(1), parts: 1, round: rounds, by };
    let pass =
        passes.pass("sort.small", variant(values, SORT_SMALL), &work, &[])?.bind("keys", keys);
    values.bind(pass, policy, n)?.dispatch(Groups::linear(1));
    Ok(())
}

/// Adds the passes of a radix sort of 8-bit or 16-bit keys. Sorts the whole array, or its segments if `cut` is given.
/// Keys are widened to words, by a pass or by the first round.
fn add_narrow(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    cut: Option<&Cut>,
) -> Result<AddedSort> {
    let n = buffers.n.max();
    let keys = NarrowKeys { key: sort.key, form: Form::Ordered, n: buffers.n };
    // Buffers of a graph cannot be empty.
    let words = graph.transient::<u32>("sort.words", n.max(1));
    let other = buffers.other.map(|other| {
        let keys = graph.transient::<u32>("sort.words.other", n.max(1));
        OtherBuffers { keys, ..other }
    });
    let of_words = SortBuffers { keys: words, other, ..*buffers };
    let by = KeyedSort { key: KeyType::U32, bits: Some(sort.bits()), ..sort.clone() };
    // A one-sweep sort reads the packed keys directly.
    let swept = cut.is_none()
        && !by.bits().is_empty()
        && choose(policy, &by, &of_words)? == SortMethod::OneSweep;
    if !swept {
        keys.widen(graph, policy, buffers.keys, words)?;
    }
    let packed = swept.then_some(Packed { key: sort.key, keys: buffers.keys });
    let added = match cut {
        None => add_sort(graph, policy, &by, &of_words, packed)?,
        Some(cut) => segments::add(graph, policy, &by, &of_words, cut)?,
    };
    if packed.is_some_and(|keys| keys.packs_last(added.rounds)) {
        return Ok(added);
    }
    let odd = added.method != SortMethod::Small && added.rounds % 2 == 1;
    let (from, to) = match (other, buffers.other) {
        (Some(words), Some(keys)) if odd => (words.keys, keys.keys),
        _ => (words, buffers.keys),
    };
    keys.narrow(graph, policy, from, to)?;
    Ok(added)
}

/// The method of a sort; never `Auto`. Returns an error if the requested method does not support the input.
fn choose(policy: &Policy, sort: &KeyedSort, buffers: &SortBuffers) -> Result<SortMethod> {
    let tile = u64::from(policy.small_sort_tile(sort.key).tile());
    let (n, host) = (buffers.n.max(), matches!(buffers.n, Count::Host(_)));
    match sort.method {
        SortMethod::Auto if n <= tile && host => Ok(SortMethod::Small),
        SortMethod::Auto => Ok(policy.sort.auto),
        SortMethod::Small if !host => Err(Error::Method {
            problem: "SortMethod::Small does not support a device count; use Auto or OneSweep",
        }),
        SortMethod::Small if n > tile => Err(Error::TooLarge {
            what: "number of elements for SortMethod::Small",
            asked: n,
            limit: tile,
        }),
        SortMethod::Multisplit { radix_bits } if !RADIX_BITS.contains(&radix_bits) => {
            Err(Error::Method {
                problem: "SortMethod::Multisplit supports only radix_bits from 4 to 8",
            })
        }
        method => Ok(method),
    }
}

#[cfg(test)]
mod tests {
    use multisplit_graph::Limits;

    use super::*;
    use crate::policy::test_policy;

    /// Workspace of a one-sweep sort of `n` keys with 4-byte values, in bytes.
    fn workspace(key: KeyType, n: u64) -> u64 {
        let mut graph = Graph::new("sort");
        let keys = graph.import_array("keys", key.into(), key.array_len(n));
        let values = graph.import::<u32>("values", n);
        let buffers = SortBuffers::keys(keys).values(values).count(n);
        let how = Sort::ascending().method(SortMethod::OneSweep);
        sort(&mut graph, &test_policy(32, 1024), &how, &buffers).unwrap();
        let limits = Limits {
            subgroup_size: 32,
            max_workgroup_invocations: 1024,
            max_workgroup_size: [1024; 3],
            max_shared_bytes: 48 << 10,
            ..Limits::default()
        };
        graph.compile(&limits).unwrap().workspace().size
    }

    #[test]
    fn sorts_of_16_bit_keys_need_less_workspace_than_those_of_8_bit_keys() {
        const N: u64 = 1 << 20;
        let [narrow, wide] = [KeyType::U16, KeyType::U32].map(|key| workspace(key, N));
        // 16-bit keys need one array of words and one of values. 8-bit keys are sorted in one round, so they need
        // another array of words, from which the result is copied back.
        assert!(narrow <= wide, "16-bit keys need {narrow} bytes, but 32-bit keys only {wide}");
        assert!(workspace(KeyType::U8, N) > narrow);
    }
}
