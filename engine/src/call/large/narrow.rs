//! Conversion between arrays of 8-bit or 16-bit keys and arrays with one word per key.

use bytemuck::Pod;
use multisplit_graph::{Buffer, Graph};

use super::Extent;
use crate::call::Caller;
use crate::elements::key::Key;
use crate::error::Result;
use crate::memory::Array;
use crate::operations::Count;
use crate::operations::shared::widening::{Form, NarrowKeys};
use crate::policy::Policy;

const WORD: u64 = 4;
/// Pieces begin at multiples of this many keys. For one-byte keys this is the largest offset
/// alignment that Vulkan allows a device to require.
const ALIGNMENT: u64 = 256;

/// Expands each key of an array to one word. `W` is the type returned by [`Form::wide`].
pub(in crate::call) fn widen_array<K: Key, W: Pod>(
    caller: Caller<'_>,
    form: Form,
    keys: &Array<K>,
) -> Result<Array<W>> {
    let words = Array::uninit(caller.context, "keys.words", keys.len())?;
    convert(caller, form, keys, &words, NarrowKeys::widen)?;
    Ok(words)
}

/// Converts words back to narrow keys, into an existing array.
pub(in crate::call) fn narrow_array<K: Key, W: Pod>(
    caller: Caller<'_>,
    form: Form,
    words: &Array<W>,
    keys: &Array<K>,
) -> Result<()> {
    convert(caller, form, keys, words, |narrow, graph, policy, keys, words| {
        narrow.narrow(graph, policy, words, keys)
    })
}

/// Converts piece by piece, because the arrays may exceed a binding. `add` is called with the keys,
/// then the words.
fn convert<K: Key, W: Pod>(
    caller: Caller<'_>,
    form: Form,
    keys: &Array<K>,
    words: &Array<W>,
    add: impl Fn(NarrowKeys, &mut Graph, &Policy, Buffer, Buffer) -> Result<()>,
) -> Result<()> {
    let piece = (Extent::of(caller.policy, WORD).piece / ALIGNMENT * ALIGNMENT).max(ALIGNMENT);
    for begin in (0..keys.len()).step_by(usize::try_from(piece).unwrap_or(usize::MAX)) {
        let n = piece.min(keys.len() - begin);
        caller.call("keys", |work| {
            let (narrow, wide) = (work.slice(keys, begin, n), work.slice(words, begin, n));
            let (graph, policy) = work.parts();
            let n = Count::Host(n);
            add(NarrowKeys { key: K::TYPE, form, n }, graph, policy, narrow, wide)
        })?;
    }
    Ok(())
}
