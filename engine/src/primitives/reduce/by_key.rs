//! Reduce by key: of each run of elements with equal keys, the key and what the elements combine to.

use std::ops::Range;

use multisplit_graph::{Buffer, ElementType, Graph};
use multisplit_shaders::builtin::variants::{REDUCE_BY_KEY_DOWNSWEEP, REDUCE_BY_KEY_LOOKBACK};

use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place, check_lengths};
use crate::primitives::arrays::{check_element, check_room};
use crate::primitives::count::Lengths;
use crate::primitives::key::{Key, KeyType};
use crate::primitives::large::check_numbers;
use crate::primitives::open::{Heads, OpenSweep};
use crate::primitives::operator::AnyOperator;
use crate::primitives::parts::{Footprint, append, in_parts};
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

/// Arrays of results where those of `A` are: keys and values.
type Pairs<A, K, V> =
    (<<A as Elements>::Place as Place>::Array<K>, <<A as Elements>::Place as Place>::Array<V>);

impl Context {
    /// Of each run of equal neighbours of `keys`, the key and what its elements of `values` combine to.
    ///
    /// Arrays that exceed a storage binding, or on the host the device's memory, are reduced in parts. The
    /// result is the same, except that sums of floats may round differently.
    ///
    /// ```
    /// use multisplit::Operator;
    /// # let gpu = multisplit::Context::new()?;
    /// let (keys, sums) = gpu.reduce_by_key(&[7u32, 7, 2], &[1.5f32, 1.0, 4.0], Operator::Sum)?;
    /// assert_eq!((keys, sums), (vec![7, 2], vec![2.5, 4.0]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn reduce_by_key<A, B>(
        &self,
        keys: &A,
        values: &B,
        operator: impl Into<AnyOperator>,
    ) -> Result<Pairs<B, A::Item, B::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Key> + ?Sized,
    {
        let n = values.count();
        check_lengths("keys", keys.count(), "values", n)?;
        check_numbers("number of elements of a reduction by key (its count has 32 bits)", n)?;
        let operator = operator.into();
        let bytes = [size_of::<A::Item>() as u64, size_of::<B::Item>() as u64];
        let widest = Some(bytes[0].max(bytes[1]));
        let footprint = Footprint { total: 2 * (bytes[0] + bytes[1]), widest };
        let part = |part: Range<u64>| {
            let keys = keys.part(self, "keys", part.clone())?;
            let values = values.part(self, "values", part)?;
            self.reduce_by_key_arrays(&keys, &values, operator.clone())
        };
        if footprint.is_one_plan::<B::Place>(self, n) {
            let (keys, values) = part(0..n)?;
            return Ok((B::Place::take(self, keys)?, B::Place::take(self, values)?));
        }
        let (mut all_keys, mut all_values): (Vec<A::Item>, Vec<B::Item>) = (vec![], vec![]);
        in_parts(n, footprint.max_part(self), |range| {
            let (keys, values) = part(range)?;
            let (mut keys, mut values) = (self.download(&keys)?, self.download(&values)?);
            // The first run may continue the last one of the part before.
            if let (Some(last), Some(first)) = (all_keys.last(), keys.first())
                && let (Some(before), Some(&more)) = (all_values.last_mut(), values.first())
                && last.key_bits() == first.key_bits()
            {
                *before = self.reduce(&[*before, more], operator.clone())?;
                keys.remove(0);
                values.remove(0);
            }
            append(&mut all_keys, keys);
            append(&mut all_values, values);
            Ok(())
        })?;
        Ok((B::Place::put(self, all_keys)?, B::Place::put(self, all_values)?))
    }

    /// Reduces arrays that one plan can hold.
    fn reduce_by_key_arrays<K: Key, V: Key>(
        &self,
        keys: &Array<K>,
        values: &Array<V>,
        operator: AnyOperator,
    ) -> Result<(Array<K>, Array<V>)> {
        let n = values.len();
        let keys_out = Array::<K>::uninit(self, "keys_out", n)?;
        let values_out = Array::<V>::uninit(self, "values_out", n)?;
        if n == 0 {
            return Ok((keys_out, values_out));
        }
        let found = Array::<u32>::uninit(self, "found", 1)?;
        let mut graph = Graph::new("reduce by key");
        let [from, to] = ["keys", "keys_out"].map(|name| graph.import::<K>(name, n));
        let [src, dst] = ["values", "values_out"].map(|name| graph.import::<V>(name, n));
        let count = graph.import::<u32>("found", 1);
        let buffers = ReduceByKeyBuffers::new((from, src), (to, dst), count);
        reduce_by_key(&mut graph, &self.policy(), operator, &buffers)?;
        let executable = self.instantiate(graph.compile(&self.limits())?)?;
        let bound: [Bound<'_>; 5] = [
            (from, keys).into(),
            (src, values).into(),
            (to, &keys_out).into(),
            (dst, &values_out).into(),
            (count, &found).into(),
        ];
        self.run(&executable, &bound)?;
        let runs = self.download(&found)?.first().copied().unwrap_or(0).into();
        Ok((keys_out.truncated(runs), values_out.truncated(runs)))
    }
}
