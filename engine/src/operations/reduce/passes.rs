//! Passes of a reduction: one dispatch per piece. The last workgroup to finish combines the results of all workgroups.

use multisplit_graph::{Buffer, ElementType, Graph, View};
use multisplit_shaders::builtin::variants::{REDUCE_INDEX, REDUCE_TERMS};

use super::description::{NO_INDEX, ReduceBuffers};
use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::shared::{
    AnyOperator, Length, Lengths, Operator, Prepared, Terms, WORD, begin, check_arrays,
    check_limit, max_single_group_elements, pieces, push_words, single, spine_threads, start_pass,
};
use crate::policy::Policy;

/// Elements per thread and tile.
const THREAD_ELEMENTS: u64 = 16;
/// Target number of workgroups: several per multiprocessor of a large GPU. Small arrays have one
/// workgroup per tile instead.
const GROUPS: u64 = 1024;
/// Maximum tiles per workgroup, if there are several workgroups. Software drivers end loops after 65,535 iterations.
const MAX_TILES: u64 = 256;
/// Maximum number of workgroups. The last workgroup combines the results of all others in a loop, and software
/// drivers limit the iterations of that loop too.
const MAX_PARTS: u64 = 1 << 20;
/// Number of words before the first part: the number of stored parts, and padding. Must match `last_group.glsl`.
const HEADER_WORDS: u64 = 4;

/// Adds the passes of a reduction to the graph: one pass, or one pass per piece if the array exceeds
/// a storage binding. A device count needs one more pass before these.
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
struct Stage {
    threads: u32,
    /// Maximum number of tiles per workgroup.
    tiles: u32,
    src: View,
    count: Length,
    groups: Length,
    /// Index of the first element in the whole array.
    base: u32,
    /// Index of the first result in `parts`.
    first: u32,
    /// Whether this is the last pass, which writes the result.
    is_final: bool,
    /// Results of workgroups. `None` if a single workgroup reduces the array.
    parts: Option<Buffer>,
}

impl ReducePasses<'_> {
    fn add(self, graph: &mut Graph, mut lengths: Lengths) -> Result<()> {
        let (policy, bytes) = (self.policy, self.terms.bytes);
        // Vulkan bindings cannot be empty, so at least one element is bound. If the array is empty,
        // the kernel does not read this element.
        let src = self.src.range(0, (self.n.max * bytes).max(bytes));
        let bindable = src.size <= policy.facts.max_storage_range;
        if self.n.max <= max_single_group_elements(policy) && bindable {
            let prepared = match self.n.max {
                0 => Prepared::default(),
                _ => lengths.prepare(graph, policy, "reduce.prepare")?,
            };
            let only = Stage {
                threads: spine_threads(policy, self.n.max),
                tiles: u32::MAX,
                src,
                count: self.n,
                groups: Length::known(1),
                base: 0,
                first: 0,
                is_final: true,
                parts: None,
            };
            return self.stage(graph, prepared, &only);
        }
        let tile = u64::from(policy.threads) * THREAD_ELEMENTS;
        let tiles = self.n.max.div_ceil(tile).div_ceil(GROUPS).clamp(1, MAX_TILES);
        let pieces = match self.n.is_known() {
            true => pieces(src, tile * tiles * bytes, policy)?,
            false => vec![single(src, policy)?],
        };
        // At least one part, so that empty inputs still write the identity.
        let groups = lengths.at_least_one_part(self.n, tile * tiles)?;
        check_limit("number of workgroups of a reduction", groups.max, MAX_PARTS)?;
        let prepared = lengths.prepare(graph, policy, "reduce.prepare")?;
        let part_words = if self.index.is_some() { 4 } else { bytes / WORD };
        let words = HEADER_WORDS + groups.max * part_words;
        let parts = Some(graph.state::<u32>("reduce.parts", words));
        let mut first = 0;
        let last = pieces.len() - 1;
        for (number, piece) in pieces.into_iter().enumerate() {
            let known = piece.size / bytes;
            let (count, groups) = match self.n.is_known() {
                true => (Length::known(known), Length::known(known.div_ceil(tile * tiles))),
                false => (self.n, groups),
            };
            let stage = Stage {
                threads: policy.threads,
                tiles: tiles as u32,
                src: piece,
                count,
                groups,
                // Fits in 32 bits if an index is requested.
                base: (piece.offset / bytes) as u32,
                first,
                is_final: number == last,
                parts,
            };
            self.stage(graph, prepared, &stage)?;
            first += groups.max as u32;
        }
        Ok(())
    }

    fn stage(&self, graph: &mut Graph, prepared: Prepared, stage: &Stage) -> Result<()> {
        let &Stage { tiles, first, base, .. } = stage;
        let (count, is_final) = (prepared.pushed(stage.count), u32::from(stage.is_final));
        let kernel = match self.index {
            None => self.terms.kernel(&REDUCE_TERMS)?,
            Some(_) => REDUCE_INDEX[usize::from(self.terms.bytes == 8)].kernel()?,
        };
        let constants =
            [("local_size_x", stage.threads), ("ONE_GROUP", stage.parts.is_none().into())];
        let constants = [&constants[..], &self.terms.constants()].concat();
        // A single workgroup does not access the parts, but every binding needs a buffer.
        let unused = |graph: &mut Graph| graph.transient::<u32>("reduce.parts", HEADER_WORDS + 4);
        let parts = stage.parts.unwrap_or_else(|| unused(graph));
        let pass = start_pass(graph, "reduce", &kernel, &constants)
            .bind("src", stage.src)
            .bind("dst", self.dst);
        let pass = match stage.parts {
            None => pass.scratch("parts", parts),
            Some(_) => pass.bind("parts", parts),
        };
        let pass = match self.index {
            None => pass.push(&push_words! { count, tiles, first, is_final }),
            Some(index) => pass
                .bind("dst_index", index)
                .push(&push_words! { count, tiles, first, is_final, base }),
        };
        prepared.dispatch(prepared.bind(pass, stage.src), stage.groups);
        Ok(())
    }
}
