//! The paper's radix sort: each round is a multisplit by the next digit.

use multisplit_graph::{Buffer, Graph};

use super::pass::Halves;
use super::{KeyedSort, SortBuffers, SortPlace, SortValues, onesweep};
use crate::error::Result;
use crate::operations::split::{
    self as split, Bucket, Split, SplitBuffers, SplitOutput, number_elements,
};
use crate::policy::Policy;

pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    radix_bits: u32,
) -> Result<()> {
    let n = buffers.n.max();
    let offsets = graph.transient::<u32>("sort.offsets", (1 << radix_bits) + 1);
    let other = match buffers.place {
        SortPlace::DoubleBuffer { keys, values, .. } => (Some(keys), values),
        SortPlace::InPlace => (None, None),
    };
    let mut scratch = |name: &str, given: Option<Buffer>, bytes: u32| {
        given.unwrap_or_else(|| graph.transient_bytes(name, n * u64::from(bytes)))
    };
    let keys = [buffers.keys, scratch("sort.keys", other.0, sort.key.bytes())];
    let values = buffers.values.buffer().map(|(values, value_bytes)| {
        ([values, scratch("sort.values", other.1, value_bytes)], value_bytes)
    });
    if let SortValues::Indices(indices) = buffers.values {
        number_elements(graph, policy, (buffers.n, buffers.keys), indices)?;
    }
    let mut rounds = 0;
    for (shift, bits) in sort.digits(radix_bits) {
        let (from, to) = (rounds % 2, (rounds + 1) % 2);
        let descending = sort.descending;
        let bucket = Bucket::OrderedDigit { shift, bits, descending };
        let split = Split::new(sort.key, 1 << bits, bucket).by(policy.sort.rounds);
        let output = match values {
            Some((values, value_bytes)) => SplitOutput::Pairs {
                keys: keys[to],
                values_in: values[from],
                values: values[to],
                value_bytes,
            },
            None => SplitOutput::Keys(keys[to]),
        };
        let round =
            SplitBuffers { n: buffers.n, keys: keys[from], output, offsets, out_of_range: None };
        split::add(graph, policy, &split, &round)?;
        rounds += 1;
    }
    let halves =
        Halves { packed: None, packing: None, keys, values: values.map(|(values, _)| values) };
    if matches!(buffers.place, SortPlace::InPlace) && rounds % 2 == 1 {
        onesweep::copy_back(graph, policy, sort, buffers, &halves)?;
    }
    Ok(())
}
