//! Reduce by key: of each run of elements with equal keys, the key and what the elements combine to.

use multisplit_graph::{Buffer, ElementType, Graph};
use multisplit_shaders::builtin::variants::{REDUCE_BY_KEY_DOWNSWEEP, REDUCE_BY_KEY_LOOKBACK};

use crate::error::{Error, Result};
use crate::primitives::arrays::{check_element, check_room};
use crate::primitives::count::Lengths;
use crate::primitives::key::KeyType;
use crate::primitives::open::{Heads, OpenSweep};
use crate::primitives::operator::AnyOperator;
use crate::primitives::term::Terms;
use crate::primitives::{Count, Policy};

const WORD: u64 = 4;

/// Where the arrays of a reduction by key are in a graph. They must not overlap.
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
    /// Of each run of equal neighbours of `keys`, `keys_out` gets the key and `values_out` what its
    /// elements of `values` combine to; both have room for as many as there are elements. The first word
    /// of `found` gets how many runs there are. What the outputs have past them is left as it is. Keys
    /// and values are each arrays of `u32`, `i32`, `f32`, `u64`, `i64` or `f64`; equal are keys with
    /// equal bits.
    pub fn new(
        (keys, values): (Buffer, Buffer),
        (keys_out, values_out): (Buffer, Buffer),
        found: Buffer,
    ) -> Self {
        Self { n: Count::Host(values.len()), keys, values, keys_out, values_out, found }
    }

    /// The first `n` elements, by a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }
}

/// Adds the passes of a reduction by key to the graph. Arrays are at most as long as one binding can be.
pub fn reduce_by_key(
    graph: &mut Graph,
    policy: &Policy,
    operator: impl Into<AnyOperator>,
    buffers: &ReduceByKeyBuffers,
) -> Result<()> {
    policy.check()?;
    graph.sized_for_subgroups(policy.subgroup_size);
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
    check_room("reduce_by_key.values", values, asked.saturating_mul(terms.bytes))?;
    check_room("reduce_by_key.keys_out", keys_out, asked.saturating_mul(bytes))?;
    check_room("reduce_by_key.values_out", values_out, asked.saturating_mul(terms.bytes))?;
    check_room("reduce_by_key.found", found, WORD)?;
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
