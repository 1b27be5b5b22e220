//! Sorts of many segments of an array, each on its own, in one recording.
//!
//! Where every segment fits a tile, each is sorted by a workgroup, all in one dispatch. Where one
//! does not, the whole array is sorted by its keys and then, which is stable, by the number of the
//! segment; what moves is the numbers of the elements, which are fetched in the end.

use multisplit_graph::{Buffer, Graph, Groups};
use multisplit_shaders::builtin::{self as kernels, Builtin, variants};
use multisplit_shaders::push_constants;

use super::pass::{SortPasses, Work, variant};
use super::{AddedSort, DIGIT_BITS, KeyedSort, SortBuffers, SortMethod, SortPlace, SortValues};
use super::{check, check_policy, small};
use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::primitives::count::{Count, Length, Prepared};
use crate::primitives::key::KeyType;
use crate::primitives::multisplit::{BucketWords, EACH, SplitBy, TileShape, table};
use crate::primitives::{Policy, copy};

push_constants! {
    struct SegmentsPush {
        count: u32,
        segments: u32,
        top_step: u32,
    }
}

/// Adds the passes of a sort of each segment to the graph. The method is `Small` where every
/// segment fits a tile, else `OneSweep`; one that was asked for by name has to be possible.
pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    buffers: &SortBuffers,
    offsets: &[u32],
) -> Result<AddedSort> {
    check_policy(policy)?;
    graph.sized_for_subgroups(policy.subgroup_size);
    let (n, longest) = lengths(offsets)?;
    if buffers.n != Count::Host(n) {
        let problem = "the last one does not end where the keys do, or these have a device count";
        return Err(Error::Segments { problem });
    }
    if !matches!(buffers.place, SortPlace::InPlace) {
        return Err(Error::Segments { problem: "they are sorted in place" });
    }
    let whole = *buffers;
    check(sort, &whole)?;
    let shape = policy.sort.small(policy, sort.key);
    let tile = u64::from(shape.tile());
    let method = match sort.method {
        SortMethod::Auto if longest <= tile => SortMethod::Small,
        SortMethod::Small if longest > tile => {
            let what = "number of elements of one tile";
            return Err(Error::TooLarge { what, asked: longest, limit: tile });
        }
        SortMethod::Auto => policy.sort.auto,
        SortMethod::Multisplit { .. } => {
            return Err(Error::Policy { problem: "segments are sorted by Small or OneSweep" });
        }
        method => method,
    };
    let rounds = sort.digits(DIGIT_BITS).count() as u32;
    let added = AddedSort { method, rounds, shape };
    tracing::debug!(?added, n, segments = offsets.len() - 1, "segmented sort");
    if n == 0 {
        return Ok(added);
    }
    let begins = table(graph, "sort.begins", offsets);
    if method == SortMethod::Small {
        let (n, prepared) = (Length::known(n), Prepared::default());
        let job = SortPasses { graph, policy, sort, buffers: &whole, shape, n, prepared };
        let segments = offsets.len() as u64 - 1;
        small::one_tile_each(job, Some((begins.into(), segments)), rounds)?;
        return Ok(added);
    }
    let large = Large { graph, policy, sort, whole, begins, offsets };
    let shape = large.add()?;
    Ok(AddedSort { shape, ..added })
}

/// The number of elements, and how long the longest segment is.
fn lengths(offsets: &[u32]) -> Result<(u64, u64)> {
    let refuse = |problem| Err(Error::Segments { problem });
    let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
        return refuse("there is no offset");
    };
    if first != 0 {
        return refuse("the first one does not begin at 0");
    }
    if !offsets.is_sorted() {
        return refuse("the offsets are not sorted");
    }
    let lengths = offsets.windows(2).map(|both| both[1] - both[0]);
    Ok((u64::from(last), u64::from(lengths.max().unwrap_or(0))))
}

/// A sort of segments some of which are larger than a tile.
struct Large<'j> {
    graph: &'j mut Graph,
    policy: &'j Policy,
    sort: &'j KeyedSort,
    whole: SortBuffers,
    begins: Buffer,
    offsets: &'j [u32],
}

impl Large<'_> {
    fn add(mut self) -> Result<TileShape> {
        let (n, keys) = (self.whole.n.max(), self.whole.keys);
        let (graph, policy) = (&mut *self.graph, self.policy);
        let key_bytes = n * u64::from(self.sort.key.bytes());
        let old_keys = graph.transient_bytes("sort.segments.keys", key_bytes);
        let sources = graph.transient::<u32>("sort.segments.sources", n);
        let labels = graph.transient::<u32>("sort.segments.labels", n);
        copy(graph, policy, "sort.segments.copy", keys.range(0, key_bytes), old_keys)?;
        let numbered = SortBuffers { values: SortValues::Indices(sources), ..self.whole };
        let by_key = super::add(graph, policy, self.sort, &numbered)?;
        self.each(&kernels::SORT_LABELS, [("sources", sources), ("labels", labels)], None)?;
        let bits = (self.offsets.len() as u32 - 1).next_power_of_two().trailing_zeros();
        let by_label = KeyedSort { bits: Some(0..bits), ..KeyedSort::new(KeyType::U32) };
        let values = SortValues::Values { buffer: sources, bytes: 4 };
        let labelled = SortBuffers { keys: labels, values, ..self.whole };
        super::add(self.graph, policy, &by_label, &labelled)?;
        if let SortValues::Indices(numbers) = self.whole.values {
            let numbers = numbers.elements::<u32>(0, n);
            let bound = [("sources", sources), ("labels", labels)];
            self.each(&kernels::SORT_NUMBERS, bound, Some(("numbers", numbers)))?;
        }
        self.gather(old_keys, sources)?;
        Ok(by_key.shape)
    }

    /// A pass that does something to each element.
    fn each(
        &mut self,
        kernel: &Builtin,
        bound: [(&str, Buffer); 2],
        written: Option<(&str, multisplit_graph::View)>,
    ) -> Result<()> {
        let n = self.whole.n.max();
        // Both are below 2^30, which has been checked, or do not fit into memory.
        let (count, segments) = (n as u32, self.offsets.len() as u32 - 1);
        let push = SegmentsPush { count, segments, top_step: 1 << segments.ilog2() };
        let mut pass = self
            .graph
            .own_pass(kernel.label(), &kernel.kernel()?)
            .push(&push)
            .specialize("local_size_x", self.policy.threads)
            .bind("begins", self.begins);
        for (name, buffer) in bound {
            pass = pass.bind(name, buffer);
        }
        if let Some((name, view)) = written {
            pass = pass.bind(name, view);
        }
        pass.dispatch(groups(n, self.policy));
        Ok(())
    }

    /// Fetches keys and values from where they were.
    fn gather(&mut self, old_keys: Buffer, sources: Buffer) -> Result<()> {
        let n = self.whole.n.max();
        let policy = self.policy;
        let carried = match self.whole.values {
            SortValues::Values { buffer, bytes } => {
                let size = n * u64::from(bytes);
                let old = self.graph.transient_bytes("sort.segments.values", size);
                copy(self.graph, policy, "sort.segments.copy", buffer.range(0, size), old)?;
                Some((old, buffer.range(0, size)))
            }
            SortValues::None | SortValues::Indices(_) => None,
        };
        // Numbers are not fetched.
        let values = if carried.is_some() { self.whole.values } else { SortValues::None };
        let buffers = SortBuffers { values, ..self.whole };
        let shape = TileShape::new(policy.threads, EACH as u32);
        let (length, prepared) = (Length::known(n), Prepared::default());
        let (graph, sort) = (&mut *self.graph, self.sort);
        let mut job =
            SortPasses { graph, policy, sort, buffers: &buffers, shape, n: length, prepared };
        let work = Work {
            subproblems: length,
            parts: 1,
            round: 0,
            by: SplitBy::Bucket(BucketWords::default()),
        };
        let key_bytes = n * u64::from(sort.key.bytes());
        let mut pass = job
            .pass("sort.gather", variant(values, variants::MULTISPLIT_GATHER), &work, &[])?
            .bind("keys", old_keys)
            .bind("sources", sources)
            .bind("keys_out", self.whole.keys.range(0, key_bytes));
        if let Some((from, to)) = carried {
            pass = pass.bind("values", from).bind("values_out", to);
        }
        prepared.bind(pass, sources.into()).dispatch(groups(n, policy));
        Ok(())
    }
}

fn groups(n: u64, policy: &Policy) -> Groups {
    Groups::linear(n.div_ceil(EACH * u64::from(policy.threads)))
}
