//! Passes of a reduction. The first pass reduces the elements of each workgroup to one term, the
//! second combines these terms.

use multisplit_graph::{Buffer, ElementType, Graph, View};
use multisplit_shaders::builtin::variants::{REDUCE_INDEX, REDUCE_TERMS};
use multisplit_shaders::push_constants;

use super::description::{NO_INDEX, ReduceBuffers};
use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::shared::count::{Length, Lengths, Prepared};
use crate::operations::shared::declare::{begin, check_arrays, check_limit, start_pass};
use crate::operations::shared::operator::{AnyOperator, Operator};
use crate::operations::shared::pieces::{WORD, pieces, single};
use crate::operations::shared::terms::Terms;
use crate::operations::shared::tiles::{max_single_group_elements, spine_threads, spine_tile};
use crate::policy::Policy;

push_constants! {
    struct TermsPush {
        count: u32,
        tiles: u32,
        first: u32,
    }
}

push_constants! {
    struct IndexPush {
        count: u32,
        tiles: u32,
        first: u32,
        base: u32,
    }
}

/// Elements per thread and tile.
const THREAD_ELEMENTS: u64 = 16;
/// Target number of workgroups of the first pass: several for each multiprocessor of a large GPU.
/// Short arrays have fewer, because each workgroup reduces at least one tile.
const GROUPS: u64 = 2048;
/// Maximum tiles per workgroup. Keeps loops short, because software drivers end loops after 65,535
/// iterations.
const MAX_TILES: u64 = 256;

/// Adds the passes of a reduction to the graph: one pass for a short array, two for a long one.
pub fn reduce(
    graph: &mut Graph,
    policy: &Policy,
    operator: impl Into<AnyOperator>,
    buffers: &ReduceBuffers,
) -> Result<()> {
    let operator = operator.into();
    begin(graph, policy)?;
    let &ReduceBuffers { n, src, dst, index } = buffers;
    let (key, max) = (KeyType::wide_of("src", src)?, n.max());
    if index.is_some() {
        if !matches!(operator, AnyOperator::BuiltIn(Operator::Min | Operator::Max)) {
            return Err(Error::IndexOfSum);
        }
        // NO_INDEX marks an empty input, so it must not be a valid index.
        let what = "number of elements of a reduction that returns an index";
        check_limit(what, max, NO_INDEX)?;
    }
    let terms = Terms::new(key, &operator)?;
    check_limit("length of a reduction", max, u64::MAX / terms.bytes)?;
    let arrays = [
        ("src", Some(src), key.into(), max),
        ("dst", Some(dst), key.into(), 1),
        ("index", index, ElementType::U32, 1),
    ];
    check_arrays("reduce", &arrays)?;
    let (lengths, n) = Lengths::new(n)?;
    let dst = dst.range(0, terms.bytes);
    let index = index.map(|index| index.range(0, WORD));
    ReducePasses { policy, n, terms, src, dst, index }.add(graph, lengths)
}

/// Parameters of the passes of one reduction.
struct ReducePasses<'j> {
    policy: &'j Policy,
    n: Length,
    terms: Terms<'j>,
    src: Buffer,
    dst: View,
    index: Option<View>,
}

/// Parameters of one pass.
#[derive(Clone, Copy)]
struct Stage<'j> {
    terms: Terms<'j>,
    threads: u32,
    tiles: u32,
    src: View,
    /// Indices of the elements of `src` in the caller's array. If `None`, the indices start at
    /// `base` and are consecutive.
    src_indices: Option<View>,
    base: u32,
    dst: View,
    dst_indices: Option<View>,
    first: u32,
    count: Length,
    groups: Length,
}

impl ReducePasses<'_> {
    fn add(self, graph: &mut Graph, mut lengths: Lengths) -> Result<()> {
        let (policy, bytes) = (self.policy, self.terms.bytes);
        // Vulkan bindings cannot be empty. If the array is, the kernel does not read the element
        // bound here.
        let src = self.src.range(0, (self.n.max * bytes).max(bytes));
        // The last pass has one workgroup. It is the only pass of a short array.
        let last = Stage {
            terms: self.terms,
            threads: spine_threads(policy, self.n.max),
            tiles: u32::MAX,
            src,
            src_indices: None,
            base: 0,
            dst: self.dst,
            dst_indices: self.index,
            first: 0,
            count: self.n,
            groups: Length::known(1),
        };
        let bindable = src.size <= policy.facts.max_storage_range;
        if self.n.max <= max_single_group_elements(policy) && bindable {
            let prepared = match self.n.max {
                0 => Prepared::default(),
                _ => lengths.prepare(graph, policy, "reduce.prepare")?,
            };
            return stage(graph, prepared, &last);
        }
        let tile = u64::from(policy.threads) * THREAD_ELEMENTS;
        let tiles = self.n.max.div_ceil(tile).div_ceil(GROUPS).clamp(1, MAX_TILES);
        let pieces = match self.n.is_known() {
            true => pieces(src, tile * tiles * bytes, policy)?,
            false => vec![single(src, policy)?],
        };
        // At least one workgroup, so that an empty input still writes the identity.
        let parts = lengths.some_parts(self.n, tile * tiles)?;
        let limit = MAX_TILES * spine_tile(policy);
        check_limit("number of workgroups of a reduction", parts.max, limit)?;
        let prepared = lengths.prepare(graph, policy, "reduce.prepare")?;
        let made = self.terms.transient(graph, "reduce.parts", parts.max).into();
        let indices =
            self.index.map(|_| graph.transient::<u32>("reduce.indices", parts.max).into());
        let mut first = 0;
        for piece in pieces {
            let known = piece.size / bytes;
            let (count, groups) = match self.n.is_known() {
                true => (Length::known(known), Length::known(known.div_ceil(tile * tiles))),
                false => (self.n, parts),
            };
            let of_piece = Stage {
                terms: self.terms.partial(),
                threads: policy.threads,
                tiles: tiles as u32,
                src: piece,
                // If indices are requested, `reduce` has checked that they fit in 32 bits.
                base: (piece.offset / bytes) as u32,
                dst: made,
                dst_indices: indices,
                first,
                count,
                groups,
                ..last
            };
            stage(graph, prepared, &of_piece)?;
            first += groups.max as u32;
        }
        let of_parts = Stage {
            terms: self.terms.of_partial(),
            threads: spine_threads(policy, parts.max),
            src: made,
            src_indices: indices,
            count: parts,
            ..last
        };
        stage(graph, prepared, &of_parts)
    }
}

fn stage(graph: &mut Graph, prepared: Prepared, stage: &Stage<'_>) -> Result<()> {
    let (count, tiles, first) = (prepared.pushed(stage.count), stage.tiles, stage.first);
    let kernel = match stage.dst_indices {
        None => stage.terms.kernel(&REDUCE_TERMS)?,
        Some(_) => REDUCE_INDEX[usize::from(stage.terms.bytes == 8)].kernel()?,
    };
    let label = if stage.groups == Length::known(1) { "reduce.last" } else { "reduce.parts" };
    let constants =
        [("local_size_x", stage.threads), ("FROM_PARTS", u32::from(stage.src_indices.is_some()))];
    let constants = [&constants[..], &stage.terms.constants()].concat();
    let pass =
        start_pass(graph, label, &kernel, &constants).bind("src", stage.src).bind("dst", stage.dst);
    let pass = match stage.dst_indices {
        None => pass.push(&TermsPush { count, tiles, first }),
        // Without an index buffer, the kernel computes indices from `base` and does not read this
        // binding.
        Some(indices) => pass
            .bind("src_indices", stage.src_indices.unwrap_or(stage.src))
            .bind("dst_indices", indices)
            .push(&IndexPush { count, tiles, first, base: stage.base }),
    };
    prepared.dispatch(prepared.bind(pass, stage.src), stage.groups);
    Ok(())
}
