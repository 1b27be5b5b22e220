//! Reductions by key: reduce the values of each run of equal consecutive keys to one value.

use multisplit_graph::{ElementType, Graph};
use multisplit_shaders::builtin::variants::{REDUCE_BY_KEY_DOWNSWEEP, REDUCE_BY_KEY_LOOKBACK};

use super::description::ReduceByKeyBuffers;
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::{
    AnyOperator, Heads, Lengths, SegmentSweep, Terms, WORD, begin, check_arrays, check_limit,
};
use crate::policy::Policy;

/// Adds the passes of a reduction by key to the graph. Each array must fit one storage binding.
pub fn reduce_by_key(
    graph: &mut Graph,
    policy: &Policy,
    operator: impl Into<AnyOperator>,
    buffers: &ReduceByKeyBuffers,
) -> Result<()> {
    begin(graph, policy)?;
    let &ReduceByKeyBuffers { n, keys, values, keys_out, values_out, found } = buffers;
    let max = n.max();
    check_limit("number of elements of a reduction by key", max, u32::MAX)?;
    let (key, value) = (KeyType::wide_of("keys", keys)?, KeyType::wide_of("values", values)?);
    let operator = operator.into();
    let terms = Terms::new(value, &operator)?;
    let arrays = [
        ("keys", Some(keys), key.into(), max),
        ("values", Some(values), value.into(), max),
        ("keys_out", Some(keys_out), key.into(), max),
        ("values_out", Some(values_out), value.into(), max),
        ("found", Some(found), ElementType::U32, 1),
    ];
    check_arrays("reduce_by_key", &arrays)?;
    let (lengths, n) = Lengths::new(n)?;
    let sweep = SegmentSweep {
        policy,
        name: "reduce.by_key",
        n,
        terms,
        src: values,
        heads: Heads::Keys(keys, key),
        downsweep: &REDUCE_BY_KEY_DOWNSWEEP,
        lookback: &REDUCE_BY_KEY_LOOKBACK,
        threads: policy.by_key_threads,
    };
    let dst = sweep.view(values_out, terms.bytes)?;
    let first_keys = sweep.view(keys_out, key.bytes().into())?;
    sweep.add(graph, lengths, |pass| {
        pass.bind("dst", dst).bind("first_keys", first_keys).bind("found", found.range(0, WORD))
    })
}
