//! Converts arrays of 8-bit or 16-bit keys to arrays with one 32-bit word per key, and back.

use super::Extent;
use crate::call::Caller;
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::memory::AnyArray;
use crate::operations::Count;
use crate::operations::shared::widening::{Form, NarrowKeys};

/// Pieces begin at multiples of this many keys. For 1-byte keys this is 256 bytes, the largest
/// offset alignment that Vulkan allows a device to require.
const ALIGNMENT: u64 = 256;

/// Returns a new array with each key expanded to one word.
pub(in crate::call) fn widen_array(
    caller: Caller<'_>,
    (key, form): (KeyType, Form),
    keys: &AnyArray,
) -> Result<AnyArray> {
    let wide = form.wide(key).into();
    let words = AnyArray::uninit(caller.context, "keys.words", wide, keys.len())?;
    convert(caller, (key, form), keys, &words, true)?;
    Ok(words)
}

/// Converts words back to narrow keys, into an existing array.
pub(in crate::call) fn narrow_array(
    caller: Caller<'_>,
    (key, form): (KeyType, Form),
    words: &AnyArray,
    keys: &AnyArray,
) -> Result<()> {
    convert(caller, (key, form), keys, words, false)
}

/// Converts keys to words if `widen` is set, otherwise words to keys. Works in pieces, because the
/// arrays may exceed a storage binding.
fn convert(
    caller: Caller<'_>,
    (key, form): (KeyType, Form),
    keys: &AnyArray,
    words: &AnyArray,
    widen: bool,
) -> Result<()> {
    let word = words.element_bytes();
    let piece = (Extent::of(caller.policy, word).piece / ALIGNMENT * ALIGNMENT).max(ALIGNMENT);
    for begin in (0..keys.len()).step_by(usize::try_from(piece).unwrap_or(usize::MAX)) {
        let n = piece.min(keys.len() - begin);
        caller.call("keys", |work| {
            let (narrow, wide) = (work.slice(keys, begin, n), work.slice(words, begin, n));
            let (graph, policy) = work.parts();
            let keys = NarrowKeys { key, form, n: Count::Host(n) };
            match widen {
                true => keys.widen(graph, policy, narrow, wide),
                false => keys.narrow(graph, policy, wide, narrow),
            }
        })?;
    }
    Ok(())
}
