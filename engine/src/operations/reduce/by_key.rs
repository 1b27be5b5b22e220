//! Reductions by key: reduces the values of each run of equal keys.

use multisplit_graph::{Buffer, ElementType, Graph};
use multisplit_shaders::builtin::variants::{REDUCE_BY_KEY_DOWNSWEEP, REDUCE_BY_KEY_LOOKBACK};

use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::Count;
use crate::operations::shared::checks::{check_element, check_size};
use crate::operations::shared::count::Lengths;
use crate::operations::shared::operator::AnyOperator;
use crate::operations::shared::segment_sweep::{Heads, OpenSweep};
use crate::operations::shared::terms::Terms;
use crate::policy::Policy;

const WORD: u64 = 4;

/// Arrays of a reduction by key in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
pub struct ReduceByKeyBuffers {
    n: Count,
    keys: Buffer,
    values: Buffer,
    keys_out: Buffer,
    values_out: Buffer,
    found: Buffer,
}

impl ReduceByKeyBuffers {
    /// Reduces the `values` of each run of equal consecutive `keys`. Writes the key of each run to
    /// `keys_out`, its result to `values_out`, and the number of runs to the first word of `found`.
    /// Both outputs must have room for as many elements as the inputs; elements past the number of
    /// runs are not modified. Keys and values are arrays of `u32`, `i32`, `f32`, `u64`, `i64` or
    /// `f64`. Keys are equal if their bits are equal.
    pub fn new(
        (keys, values): (Buffer, Buffer),
        (keys_out, values_out): (Buffer, Buffer),
        found: Buffer,
    ) -> Self {
        Self { n: Count::Host(values.len()), keys, values, keys_out, values_out, found }
    }

    /// Reduces only the first `n` elements. `n` is a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }
}

/// Adds the passes of a reduction by key to the graph. Each array must fit one storage binding.
pub fn reduce_by_key(
    graph: &mut Graph,
    policy: &Policy,
    operator: impl Into<AnyOperator>,
    buffers: &ReduceByKeyBuffers,
) -> Result<()> {
    policy.check()?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    let &ReduceByKeyBuffers { n, keys, values, keys_out, values_out, found } = buffers;
    let (asked, limit) = (n.max(), u64::from(u32::MAX));
    if asked > limit {
        let what = "number of elements of a reduction by key (its count has 32 bits)";
        return Err(Error::TooLarge { what, asked, limit });
    }
    let (key, value) = (KeyType::wide_of("keys", keys)?, KeyType::wide_of("values", values)?);
    check_element("keys_out", keys_out, key.into())?;
    check_element("values_out", values_out, value.into())?;
    check_element("found", found, ElementType::U32)?;
    let operator = operator.into();
    let terms = Terms::new(value, &operator)?;
    let bytes = u64::from(key.bytes());
    let heads = Heads::of_keys(keys)?;
    heads.check("reduce_by_key", asked)?;
    check_size("reduce_by_key.values", values, asked.saturating_mul(terms.bytes))?;
    check_size("reduce_by_key.keys_out", keys_out, asked.saturating_mul(bytes))?;
    check_size("reduce_by_key.values_out", values_out, asked.saturating_mul(terms.bytes))?;
    check_size("reduce_by_key.found", found, WORD)?;
    let (lengths, n) = Lengths::new(n)?;
    let sweep = OpenSweep {
        policy,
        name: "reduce.by_key",
        n,
        terms,
        src: values,
        heads,
        downsweep: &REDUCE_BY_KEY_DOWNSWEEP,
        lookback: &REDUCE_BY_KEY_LOOKBACK,
        threads: policy.by_key_threads,
    };
    let dst = sweep.view(values_out, terms.bytes)?;
    let first_keys = sweep.view(keys_out, bytes)?;
    sweep.add(graph, lengths, |pass| {
        let pass = pass.bind("dst", dst).bind("first_keys", first_keys);
        Ok(pass.bind("found", found.range(0, WORD)))
    })
}
