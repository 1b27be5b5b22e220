//! Sorts without loading the elements into host memory: from the input to the device, and from there to the
//! output.

use std::panic::resume_unwind;
use std::thread;

use anyhow::{Context as _, Result};
use bytemuck::Pod;
use multisplit::graph::{Buffer, Graph};
use multisplit::operations::{self, SortBuffers};
use multisplit::{Bound, Context, Error, Executable, Sort, Value};

use super::request::{self, SortRequest};
use crate::file_key::FileKey;
use crate::formats::Data;
use crate::inputs::Elements;
use crate::on_device::{Moved, upload};
use crate::parts::{Resources, is_out_of_memory};
use crate::phase;
use crate::value_type::by_value_bytes;

/// Sorted elements, on the device.
pub struct Direct {
    pub keys: Moved,
    pub values: Option<Moved>,
}

/// Type of values that are moved with keys: 4, 8 or 16 bytes, or `()` for none.
pub trait Values: Pod + Send + Sync {
    /// Whether there are values.
    const PRESENT: bool = true;

    /// Converts values to file elements.
    fn into_data(values: Vec<Self>) -> Data {
        Data::of(values)
    }
}

impl Values for () {
    const PRESENT: bool = false;

    fn into_data(_: Vec<Self>) -> Data {
        Data::empty(1)
    }
}

impl Values for u32 {}
impl Values for u64 {}
impl Values for [u32; 4] {}

/// Sorts `keys` and the optional values; stable. `None` if they do not fit the device.
pub fn sort_direct<K: FileKey>(
    resources: &Resources<'_>,
    request: SortRequest,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<Option<Direct>> {
    let value_bytes = values.map_or(0, Elements::element_bytes);
    let context = resources.context;
    let (n, (key_bytes, narrow)) = (keys.len() as u64, request::key_bytes::<K>());
    let one_plan = n <= resources.max_of_plan(key_bytes.max(value_bytes) as u64);
    // Arrays that exceed one plan are sorted by the library, which needs two more copies of pairs.
    let copies = if one_plan || value_bytes == 0 { 2 } else { 4 };
    // Rows are sorted by one plan, or in parts from host memory.
    let fits = one_plan || request.rows.is_none();
    let bytes = copies * (key_bytes + value_bytes) as u64 + narrow as u64;
    if n == 0 || !fits || n > resources.max_in_memory(bytes) {
        return Ok(None);
    }
    let in_one_plan = || {
        by_value_bytes!(
            value_bytes,
            on_device::<K, ()>(context, request, keys, None),
            V => on_device::<K, V>(context, request, keys, values)
        )
    };
    let by_pieces = || {
        by_value_bytes!(
            value_bytes,
            large_keys::<K>(context, request, keys),
            V => large_pairs::<K, V>(context, request, keys, values)
        )
    };
    let sort = || if one_plan { in_one_plan() } else { by_pieces() };
    match retry_with_ballots(sort) {
        Err(error) if is_out_of_memory(&error) => Ok(None),
        other => other.map(Some),
    }
}

/// Runs `sort` again if the device violated the assumed lane order. The context then ranks with ballots.
pub fn retry_with_ballots<T>(sort: impl Fn() -> Result<T>) -> Result<T> {
    match sort() {
        Err(error) if matches!(error.downcast_ref(), Some(Error::LaneOrder { .. })) => sort(),
        other => other,
    }
}

fn large_keys<K: FileKey>(
    context: &Context,
    request: SortRequest,
    keys: &Elements,
) -> Result<Direct> {
    let mut keys = upload::<K>(context, keys)?;
    let _span = tracing::info_span!("sort", n = keys.len()).entered();
    phase::timed("sorting", || context.sort_in_place(&mut keys, &request.sort()))?;
    Ok(Direct { keys: Moved::device(context, keys), values: None })
}

fn large_pairs<K: FileKey, V: Values + Value>(
    context: &Context,
    request: SortRequest,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<Direct> {
    let values = values.context("a sort of pairs without values")?;
    let (keys, values) = (upload::<K>(context, keys)?, upload::<V>(context, values)?);
    let _span = tracing::info_span!("sort", n = keys.len()).entered();
    let sort = || context.sort_pairs_with(&keys, &values, &request.sort());
    let (keys, values) = phase::timed("sorting", sort)?;
    let values = Some(Moved::device(context, values));
    Ok(Direct { keys: Moved::device(context, keys), values })
}

/// Prepares the sort while its arrays are uploaded.
fn on_device<K: FileKey, V: Values>(
    context: &Context,
    request: SortRequest,
    keys: &Elements,
    values: Option<&Elements>,
) -> Result<Direct> {
    let (n, sort) = (keys.len() as u64, request.sort());
    let (keys, values, prepared) = thread::scope(|scope| {
        let preparing = scope.spawn(|| Prepared::new::<K, V>(context, &sort, n));
        let uploaded = upload::<K>(context, keys).and_then(|keys| {
            let values = values.map(|values| upload::<V>(context, values)).transpose()?;
            Ok((keys, values))
        });
        let prepared = preparing.join().unwrap_or_else(|panic| resume_unwind(panic));
        let (keys, values) = uploaded?;
        anyhow::Ok((keys, values, prepared?))
    })?;
    let mut bound = vec![Bound::from((prepared.keys, &keys))];
    bound.extend(prepared.values.zip(values.as_ref()).map(Bound::from));
    {
        let _span = tracing::info_span!("sort", n).entered();
        phase::timed("sorting", || context.run(&prepared.executable, &bound))?;
    }
    let values = values.map(|values| Moved::device(context, values));
    Ok(Direct { keys: Moved::device(context, keys), values })
}

/// An executable sort with its buffers.
pub struct Prepared {
    pub executable: Executable,
    pub keys: Buffer,
    pub values: Option<Buffer>,
}

impl Prepared {
    /// Prepares a sort of `n` keys with values of type `V`.
    pub fn new<K: FileKey, V: Values>(context: &Context, sort: &Sort, n: u64) -> Result<Self> {
        let mut graph = Graph::new("sort");
        let keys = graph.import::<K>("keys", K::TYPE.array_len(n));
        let values = V::PRESENT.then(|| graph.import::<V>("values", n));
        let mut buffers = SortBuffers::keys(keys).count(n);
        if let Some(values) = values {
            buffers = buffers.values(values);
        }
        operations::sort(&mut graph, &context.policy(), sort, &buffers)?;
        let executable = context.instantiate(graph.compile(&context.limits())?)?;
        Ok(Self { executable, keys, values })
    }
}
