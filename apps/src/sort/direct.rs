//! Sorts files without loading their elements into host memory: from the file to the device, and from there to the
//! output.

use std::panic::resume_unwind;
use std::thread;

use anyhow::Result;
use bytemuck::Pod;
use multisplit::graph::{Buffer, Graph};
use multisplit::operations::{self, SortBuffers};
use multisplit::{Array, Bound, Context, Error, Executable, Sort};

use super::request::{self, SortRequest};
use crate::inputs::Elements;
use crate::number::Number;
use crate::on_device::{MovedPairs, by_value_bytes, upload};
use crate::parts::{Resources, is_out_of_memory};
use crate::phase;

/// Sorts `keys` and the optional values; stable. `None` if there are no keys, or if they must be sorted in parts.
pub fn sort_direct<K: Number>(
    resources: &Resources<'_>,
    request: SortRequest,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<Option<MovedPairs>> {
    let value_bytes = values.map_or(0, Elements::element_bytes);
    let (n, (key_bytes, narrow)) = (keys.len() as u64, request::key_bytes::<K>());
    let one_plan = n <= resources.max_of_plan(key_bytes.max(value_bytes) as u64);
    // Pairs that are too many for one plan are sorted in pieces, which needs two more copies of
    // them.
    let copies = if one_plan || value_bytes == 0 { 2 } else { 4 };
    // Arrays of rows that are too large for one plan are sorted in parts from host memory, not here.
    let fits = one_plan || request.rows.is_none();
    let bytes = copies * (key_bytes + value_bytes) as u64 + narrow as u64;
    if n == 0 || !fits || n > resources.max_in_memory(bytes) {
        return Ok(None);
    }
    let sort = || {
        by_value_bytes!(value_bytes, V => match one_plan {
            true => in_one_plan::<K, V>(resources.context, request, keys, values),
            false => by_pieces::<K, V>(resources.context, request, keys, values),
        })
    };
    match retry_with_ballots(sort) {
        Err(error) if is_out_of_memory(&error) => Ok(None),
        other => other.map(Some),
    }
}

/// Calls `sort`, and calls it again if the device did not execute atomics in lane order. The context ranks by ballots
/// the second time.
pub fn retry_with_ballots<T>(sort: impl Fn() -> Result<T>) -> Result<T> {
    match sort() {
        Err(error) if matches!(error.downcast_ref(), Some(Error::LaneOrder { .. })) => sort(),
        other => other,
    }
}

/// Sorts arrays that are too large for one plan.
fn by_pieces<K: Number, V: Pod>(
    context: &Context,
    request: SortRequest,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<MovedPairs> {
    let (mut keys, sort) = (upload::<K>(context, keys)?, request.sort());
    let values = values.map(|values| upload::<V>(context, values)).transpose()?;
    let _span = tracing::info_span!("sort", n = keys.len()).entered();
    let Some(values) = values else {
        phase::timed("sorting", || context.sort_in_place(&mut keys, &sort))?;
        return Ok(MovedPairs::device::<K, V>(context, keys, None));
    };
    let sort = || context.sort_pairs_with(&keys, &values, &sort);
    let (keys, values) = phase::timed("sorting", sort)?;
    Ok(MovedPairs::device(context, keys, Some(values)))
}

/// Sorts with one plan, which is prepared while the arrays are uploaded.
fn in_one_plan<K: Number, V: Pod>(
    context: &Context,
    request: SortRequest,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<MovedPairs> {
    let (n, sort, has_values) = (keys.len() as u64, request.sort(), values.is_some());
    let (keys, values, prepared) = thread::scope(|scope| {
        let preparing = scope.spawn(|| Prepared::new::<K, V>(context, &sort, n, has_values));
        let uploaded = upload::<K>(context, keys).and_then(|keys| {
            let values = values.map(|values| upload::<V>(context, values)).transpose()?;
            Ok((keys, values))
        });
        let prepared = preparing.join().unwrap_or_else(|panic| resume_unwind(panic));
        let (keys, values) = uploaded?;
        anyhow::Ok((keys, values, prepared?))
    })?;
    prepared.run(context, &keys, values.as_ref())?;
    Ok(MovedPairs::device(context, keys, values))
}

/// An executable sort with its buffers.
pub struct Prepared {
    executable: Executable,
    keys: Buffer,
    values: Option<Buffer>,
}

impl Prepared {
    /// Prepares a sort of `n` keys, alone or with values of type `V`.
    pub fn new<K: Number, V: Pod>(
        context: &Context,
        sort: &Sort,
        n: u64,
        has_values: bool,
    ) -> Result<Self> {
        context.with_fallback(|| {
            let mut graph = Graph::new("sort");
            let keys = graph.import::<K>("keys", K::TYPE.array_len(n));
            let values = has_values.then(|| graph.import::<V>("values", n));
            let mut buffers = SortBuffers::keys(keys).count(n);
            if let Some(values) = values {
                buffers = buffers.values(values);
            }
            operations::sort(&mut graph, &context.policy(), sort, &buffers)?;
            let executable = context.instantiate(graph.compile(&context.limits())?)?;
            Ok(Self { executable, keys, values })
        })
    }

    /// Sorts these arrays in place.
    pub fn run<K: Pod, V: Pod>(
        &self,
        context: &Context,
        keys: &Array<K>,
        values: Option<&Array<V>>,
    ) -> Result<()> {
        let _span = tracing::info_span!("sort", n = keys.len()).entered();
        let mut bound = vec![Bound::from((self.keys, keys))];
        bound.extend(self.values.zip(values).map(Bound::from));
        phase::timed("sorting", || context.run(&self.executable, &bound))?;
        Ok(())
    }
}
