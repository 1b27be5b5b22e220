//! Arrays of keys of 8 and 16 bits, and arrays that have a word for each of them.

use bytemuck::Pod;
use multisplit_graph::{Buffer, Graph};

use super::Extent;
use crate::call::Caller;
use crate::error::Result;
use crate::memory::Array;
use crate::primitives::key::Key;
use crate::primitives::narrow::{Form, NarrowKeys};
use crate::primitives::{Count, Policy};

const WORD: u64 = 4;
/// Pieces begin at multiples of this many keys: the largest offset alignment that Vulkan lets a device require,
/// for keys of one byte.
const ALIGNMENT: u64 = 256;

/// All keys of an array, each in a word of its own: `W` is the type of [`Form::wide`].
pub(in crate::call) fn widen_array<K: Key, W: Pod>(
    caller: Caller<'_>,
    form: Form,
    keys: &Array<K>,
) -> Result<Array<W>> {
    let words = Array::uninit(caller.context, "keys.words", keys.len())?;
    convert(caller, form, keys, &words, NarrowKeys::widen)?;
    Ok(words)
}

/// The other way, into an array that is there.
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

/// Piece by piece, since arrays may exceed a binding. `add` is given the keys, then the words.
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
