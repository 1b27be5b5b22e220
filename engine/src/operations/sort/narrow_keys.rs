//! Radix sorts of 8-bit and 16-bit keys, which are widened to words.

use multisplit_graph::Graph;

use super::pass::Packed;
use super::segments::Cut;
use super::{AddedSort, KeyedSort, SortBuffers, SortMethod, SortPlace, add_sort, choose, segments};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::widening::{Form, NarrowKeys};
use crate::policy::Policy;

/// Adds the passes of a sort of the whole array, or of its segments (`cut`).
pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    cut: Option<&Cut>,
) -> Result<AddedSort> {
    let n = buffers.n.max();
    let keys = NarrowKeys { key: sort.key, form: Form::Ordered, n: buffers.n };
    // Buffers cannot be empty.
    let words = graph.transient::<u32>("sort.words", n.max(1));
    let (place, other) = match buffers.place {
        SortPlace::InPlace => (SortPlace::InPlace, None),
        SortPlace::DoubleBuffer { keys, values, half } => {
            let other_words = graph.transient::<u32>("sort.words.other", n.max(1));
            (SortPlace::DoubleBuffer { keys: other_words, values, half }, Some((other_words, keys)))
        }
    };
    let of_words = SortBuffers { keys: words, place, ..*buffers };
    let by = KeyedSort { key: KeyType::U32, bits: Some(sort.bits()), ..sort.clone() };
    // A one-sweep sort reads the narrow keys directly.
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
    let (from, to) = other.filter(|_| odd).unwrap_or((words, buffers.keys));
    keys.narrow(graph, policy, from, to)?;
    Ok(added)
}

#[cfg(test)]
mod tests {
    use multisplit_graph::Limits;

    use super::*;
    use crate::operations::sort::{Sort, sort};
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
    fn repacked_keys_need_one_word_buffer() {
        const N: u64 = 1 << 20;
        let [narrow, wide] = [KeyType::U16, KeyType::U32].map(|key| workspace(key, N));
        // 16-bit keys need one array of words and one of values. 8-bit keys take one round, so the words must
        // also be copied back.
        assert!(narrow <= wide, "{narrow} and {wide}");
        assert!(workspace(KeyType::U8, N) > narrow);
    }
}
