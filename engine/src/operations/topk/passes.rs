//! Passes of a top-k.

use multisplit_graph::{Buffer, ElementType, Graph, Groups, PassBuilder, View};
use multisplit_shaders::builtin::variants;
use multisplit_shaders::push_constants;

use super::description::{AddedTopK, TopK, TopKBuffers, TopKMethod};
use super::plan::{Cut, FilterSizes, Shape, choose};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::{
    Constants, Count, Form, Length, Lengths, NarrowKeys, Prepared, begin, check_element, fill,
    keyed_pass, single,
};
use crate::operations::sort::{Sort, SortBuffers, sort};
use crate::operations::split::Kernels;
use crate::policy::Policy;

push_constants! {
    struct TopKPush {
        count: u32,
        rows: u32,
        /// Workgroups per row.
        parts: u32,
        k: u32,
        smallest: u32,
        /// Capacity per row, in elements.
        capacity: u32,
        samples: u32,
        maxima: u32,
        step: u32,
        /// Number of parts of a row. One workgroup selects from each part.
        cut: u32,
    }
}

/// Words per row in `state` and `digits`. Must match `topk.glsl`.
const STATE_WORDS: u64 = 32;
const DIGIT_BITS: u32 = 11;
const DIGITS_WORDS: u64 = 3 * (1 << DIGIT_BITS) + 8 * 4;

/// Adds the passes of a top-k to the graph. k must not exceed the length of a row, or the maximum of a device count.
pub fn topk(
    graph: &mut Graph,
    policy: &Policy,
    topk: &TopK,
    buffers: &TopKBuffers,
) -> Result<AddedTopK> {
    let key = KeyType::of("keys", buffers.keys)?;
    check_element("keys_out", buffers.keys_out, buffers.keys.element())?;
    check_element("indices_out", buffers.indices_out, ElementType::U32)?;
    begin(graph, policy)?;
    policy.topk.check_on(&policy.facts)?;
    let (rows, length) = topk.cut(buffers.n.max())?;
    buffers.check(topk, key, rows, length)?;
    // Keys of 8 and 16 bits are widened to `u32` words with the same order.
    let words = if key.is_narrow() { KeyType::U32 } else { key };
    let shape = Shape { key: words, rows, length, k: topk.k };
    let method = choose(policy, topk, &shape)?;
    let added = AddedTopK { method, rows };
    tracing::debug!(?added, n = ?buffers.n, k = topk.k, "topk");
    let topk = topk.method(method);
    if rows == 0 || length == 0 || topk.k == 0 {
        return Ok(added);
    }
    if !key.is_narrow() {
        add(graph, policy, &topk, buffers, shape)?;
        return Ok(added);
    }
    let words = graph.transient::<u32>("topk.words", buffers.n.max());
    let words_out = graph.transient::<u32>("topk.words.out", rows * topk.k);
    let form = Form::Ordered;
    NarrowKeys { key, form, n: buffers.n }.widen(graph, policy, buffers.keys, words)?;
    let of_words = TopKBuffers { keys: words, keys_out: words_out, ..*buffers };
    add(graph, policy, &topk, &of_words, shape)?;
    let n = found(buffers, &shape);
    NarrowKeys { key, form, n }.narrow(graph, policy, words_out, buffers.keys_out)?;
    Ok(added)
}

/// Adds the passes for keys of 32 or 64 bits, by the method of `topk`.
fn add(
    graph: &mut Graph,
    policy: &Policy,
    topk: &TopK,
    buffers: &TopKBuffers,
    shape: Shape,
) -> Result<()> {
    let (lengths, n) = Lengths::new(buffers.n)?;
    let prepared = lengths.prepare(graph, policy, "topk.prepare")?;
    let n = if n.is_known() { Length::known(shape.length) } else { n };
    let bytes = shape.rows * shape.length * u64::from(shape.key.bytes());
    let keys = single(buffers.keys.range(0, bytes), policy)?;
    let passes = TopKPasses { policy, topk, shape, n, prepared, keys };
    let out = Elements { keys: buffers.keys_out, indices: buffers.indices_out, capacity: shape.k };
    match topk.method {
        TopKMethod::Rows => return passes.rows(graph, &out),
        TopKMethod::Filter => return passes.filter(graph, &out),
        TopKMethod::Select | TopKMethod::Auto => passes.select(graph, &out, None)?,
    }
    if !topk.sorted {
        return Ok(());
    }
    // Equal elements are in ascending index order. A stable sort keeps this order.
    let mut how = if topk.smallest { Sort::ascending() } else { Sort::descending() };
    if shape.rows > 1 {
        how = how.rows(shape.k);
    }
    let pairs = SortBuffers::keys(buffers.keys_out).values(buffers.indices_out);
    sort(graph, policy, &how, &pairs.count(found(buffers, &shape))).map(drop)
}

fn found(buffers: &TopKBuffers, shape: &Shape) -> Count {
    match buffers.n {
        Count::Host(_) => Count::Host(shape.rows * shape.k),
        // The number found is k, or the device count if it is lower.
        Count::Device { buffer, index, .. } => Count::Device { buffer, index, max: shape.k },
    }
}

/// Keys and indices, with space for `capacity` elements per row.
struct Elements {
    keys: Buffer,
    indices: Buffer,
    capacity: u64,
}

impl Elements {
    fn views(&self, shape: &Shape) -> (View, View) {
        let all = shape.rows * self.capacity;
        (self.keys.range(0, all * u64::from(shape.key.bytes())), self.indices.range(0, all * 4))
    }
}

fn groups(push: &TopKPush) -> Groups {
    Groups::linear(u64::from(push.rows) * u64::from(push.parts))
}

/// Parameters of the passes of one top-k.
struct TopKPasses<'j> {
    policy: &'j Policy,
    topk: &'j TopK,
    shape: Shape,
    n: Length,
    prepared: Prepared,
    keys: View,
}

impl TopKPasses<'_> {
    /// Push constants of a pass with one workgroup per row. All numbers fit in 32 bits, because there are fewer than
    /// 2^30 elements.
    fn push(&self) -> TopKPush {
        TopKPush {
            count: self.prepared.pushed(self.n),
            rows: self.shape.rows as u32,
            parts: 1,
            k: self.shape.k as u32,
            smallest: u32::from(self.topk.smallest),
            capacity: 0,
            samples: 0,
            maxima: 0,
            step: 0,
            cut: 1,
        }
    }

    /// Starts a pass with its kernel and constants. The caller binds the buffers.
    fn pass<'g>(
        &self,
        graph: &'g mut Graph,
        kernels: Kernels,
        (threads, push): (u32, &TopKPush),
        constants: &Constants<'_>,
    ) -> Result<PassBuilder<'g>> {
        let common =
            [("local_size_x", threads), ("SUBGROUP_SIZE", self.policy.facts.subgroup_size)];
        let constants = [&common[..], constants].concat();
        let pass = keyed_pass(graph, kernels[0].label(), kernels, self.shape.key, &constants)?;
        Ok(self.prepared.bind(pass.push(push), self.keys))
    }

    /// Declares transient buffers for `capacity` elements per row.
    fn transient(&self, graph: &mut Graph, name: &str, capacity: u64) -> Elements {
        let keys = self.wide(graph, name, capacity);
        let indices = format!("topk.{name}.indices");
        let indices = graph.transient::<u32>(indices, self.shape.rows * capacity);
        Elements { keys, indices, capacity }
    }

    /// Declares a transient buffer with `each` values per row. The values have the size of a key.
    fn wide(&self, graph: &mut Graph, name: &str, each: u64) -> Buffer {
        let bytes = self.shape.rows * each * u64::from(self.shape.key.bytes());
        graph.transient_bytes(format!("topk.{name}"), bytes)
    }

    /// Adds one pass with a workgroup per row. If rows are divided into parts, adds two passes: one with a workgroup
    /// per part, and one that selects from the results of all parts.
    fn rows(&self, graph: &mut Graph, out: &Elements) -> Result<()> {
        let cut = self.shape.cut(self.policy);
        if cut.parts == 1 {
            return self.part_rows(graph, &cut, out, self.topk.sorted);
        }
        let candidates = self.transient(graph, "candidates", cut.candidates);
        self.part_rows(graph, &cut, &candidates, false)?;
        let state = candidates.indices; // placeholder, which the kernel does not read
        self.finish(graph, &candidates, state, out, cut.parts)
    }

    /// Adds the pass that selects k elements of each part of a row. Parts with fewer elements are selected entirely.
    fn part_rows(&self, graph: &mut Graph, cut: &Cut, out: &Elements, sorted: bool) -> Result<()> {
        let threads = self.shape.group_threads(self.policy, cut.part_len);
        let (parts, capacity) = (cut.parts as u32, out.capacity as u32);
        let push = TopKPush { parts, capacity, cut: parts, ..self.push() };
        let (keys_out, indices_out) = out.views(&self.shape);
        self.pass(graph, variants::TOPK_ROWS, (threads, &push), &self.ordered(sorted))?
            .bind("keys", self.keys)
            .bind("keys_out", keys_out)
            .bind("indices_out", indices_out)
            .dispatch(groups(&push));
        Ok(())
    }

    /// Adds the passes of [`TopKMethod::Filter`]: sample each row, estimate a threshold, collect the elements that
    /// reach it as candidates, and select from the candidates. Before the selection, exact passes find the candidates
    /// of rows whose estimate was wrong.
    fn filter(&self, graph: &mut Graph, out: &Elements) -> Result<()> {
        let (policy, shape) = (self.policy, &self.shape);
        let sizes = FilterSizes::new(policy, shape);
        let maxima = self.wide(graph, "maxima", sizes.maxima);
        let thresholds = self.wide(graph, "thresholds", 1);
        let state = graph.transient::<u32>("topk.state", shape.rows * STATE_WORDS);
        let digits = graph.transient::<u32>("topk.digits", shape.rows * DIGITS_WORDS);
        let candidates = self.transient(graph, "candidates", sizes.capacity);

        let push = TopKPush {
            parts: sizes.parts as u32,
            capacity: sizes.capacity as u32,
            samples: sizes.samples as u32,
            maxima: sizes.maxima as u32,
            ..self.push()
        };
        let group_elements = [("GROUP_ELEMENTS", sizes.group_elements as u32)];
        self.pass(graph, variants::TOPK_SAMPLE, (policy.threads, &push), &group_elements)?
            .bind("keys", self.keys)
            .bind("maxima", maxima)
            .bind("state", state)
            .bind("digits", digits)
            .dispatch(groups(&push));

        let threads = shape.group_threads(policy, sizes.maxima);
        let push = TopKPush { parts: 1, ..push };
        self.pass(graph, variants::TOPK_THRESHOLD, (threads, &push), &[])?
            .bind("maxima", maxima)
            .bind("thresholds", thresholds)
            .dispatch(groups(&push));

        let push = TopKPush { parts: shape.filter_parts(policy) as u32, ..push };
        let (candidate_keys, candidate_indices) = candidates.views(shape);
        self.pass(graph, variants::TOPK_FILTER, (policy.threads, &push), &[])?
            .bind("keys", self.keys)
            .bind("thresholds", thresholds)
            .bind("state", state)
            .bind("keys_out", candidate_keys)
            .bind("indices_out", candidate_indices)
            .dispatch(groups(&push));

        self.select(graph, &candidates, Some((state, digits)))?;
        self.finish(graph, &candidates, state, out, 1)
    }

    /// Adds the passes that find the k elements of each row digit by digit. After a filter, they process only
    /// the rows that the filter could not finish.
    fn select(
        &self,
        graph: &mut Graph,
        out: &Elements,
        filtered: Option<(Buffer, Buffer)>,
    ) -> Result<()> {
        let (policy, shape, keys) = (self.policy, &self.shape, self.keys);
        let (state, digits, parts) = match filtered {
            Some((state, digits)) => (state.into(), digits, shape.fallback_parts(policy)),
            None => {
                let words = shape.rows * DIGITS_WORDS;
                let digits = graph.transient::<u32>("topk.digits", words);
                fill(graph, policy, "topk.clear", digits, 0)?;
                // Without a filter there is no state. The kernel does not read this binding, so any view will do.
                (keys, digits, shape.select_parts(policy))
            }
        };
        let unless_filtered = [("UNLESS_FILTERED", u32::from(filtered.is_some()))];
        let part_counts = graph.transient::<[u32; 2]>("topk.part_counts", shape.rows * parts);
        let (parts, capacity) = (parts as u32, out.capacity as u32);
        let push = TopKPush { parts, capacity, ..self.push() };
        let (threads, groups) = (policy.threads, groups(&push));
        for step in 0..shape.key.bits().div_ceil(DIGIT_BITS) {
            let push = TopKPush { step, ..push };
            self.pass(graph, variants::TOPK_DIGITS, (threads, &push), &unless_filtered)?
                .bind("keys", keys)
                .bind("state", state)
                .bind("digits", digits)
                .dispatch(groups);
        }
        self.pass(graph, variants::TOPK_COUNT, (threads, &push), &unless_filtered)?
            .bind("keys", keys)
            .bind("state", state)
            .bind("digits", digits)
            .bind("part_counts", part_counts)
            .dispatch(groups);
        let (keys_out, indices_out) = out.views(shape);
        self.pass(graph, variants::TOPK_GATHER, (threads, &push), &unless_filtered)?
            .bind("keys", keys)
            .bind("state", state)
            .bind("digits", digits)
            .bind("part_counts", part_counts)
            .bind("keys_out", keys_out)
            .bind("indices_out", indices_out)
            .dispatch(groups);
        Ok(())
    }

    /// Adds the pass that selects from the candidates of a filter or of the parts, with one workgroup per row.
    fn finish(
        &self,
        graph: &mut Graph,
        candidates: &Elements,
        state: Buffer,
        out: &Elements,
        cut: u64,
    ) -> Result<()> {
        let threads = self.shape.group_threads(self.policy, candidates.capacity);
        let (capacity, cut) = (candidates.capacity as u32, cut as u32);
        let push = TopKPush { capacity, cut, ..self.push() };
        let (keys, indices) = candidates.views(&self.shape);
        let (keys_out, indices_out) = out.views(&self.shape);
        self.pass(graph, variants::TOPK_FINISH, (threads, &push), &self.ordered(self.topk.sorted))?
            .bind("keys", keys)
            .bind("indices", indices)
            .bind("state", state)
            .bind("keys_out", keys_out)
            .bind("indices_out", indices_out)
            .dispatch(groups(&push));
        Ok(())
    }

    /// Constants for sorting the result. The capacity is as small as possible, so that several workgroups fit on a
    /// multiprocessor.
    fn ordered(&self, sorted: bool) -> [(&'static str, u32); 2] {
        let ordered = if sorted { self.shape.k.next_power_of_two() } else { 1 };
        let capacity = (ordered as u32).max(self.policy.facts.subgroup_size);
        [("ROOM", capacity), ("SORTED", sorted.into())]
    }
}
