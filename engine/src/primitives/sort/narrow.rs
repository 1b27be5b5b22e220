//! Sorts of keys of 8 and 16 bits that are not counted: their keys are sorted as words.

use multisplit_graph::Graph;

use super::pass::Packed;
use super::segments::Cut;
use super::{AddedSort, KeyedSort, SortBuffers, SortMethod, SortPlace, add_sort, choose, segments};
use crate::error::Result;
use crate::primitives::Policy;
use crate::primitives::key::KeyType;
use crate::primitives::narrow::{Form, NarrowKeys};

/// Adds the passes of the sort of the whole array, or of what it is cut into.
pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    cut: Option<&Cut>,
) -> Result<AddedSort> {
    let n = buffers.n.max();
    let keys = NarrowKeys { key: sort.key, form: Form::Ordered, n: buffers.n };
    // Graphs have no empty buffers.
    let words = graph.transient::<u32>("sort.words", n.max(1));
    let (place, other) = match buffers.place {
        SortPlace::InPlace => (SortPlace::InPlace, None),
        SortPlace::DoubleBuffer { keys, values, half } => {
            let others = graph.transient::<u32>("sort.words.other", n.max(1));
            (SortPlace::DoubleBuffer { keys: others, values, half }, Some((others, keys)))
        }
    };
    let of_words = SortBuffers { keys: words, place, ..*buffers };
    let by = KeyedSort { key: KeyType::U32, bits: Some(sort.bits()), ..sort.clone() };
    // A one-sweep sort reads the keys where they are.
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
