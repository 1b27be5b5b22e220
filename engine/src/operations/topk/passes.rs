//! Passes of a top-k.

use multisplit_graph::{Buffer, Graph, Groups, PassBuilder, View};
use multisplit_shaders::builtin::variants;
use multisplit_shaders::push_constants;

use super::plan::{Cut, Guess, Shape};
use super::{TopK, TopKBuffers, TopKMethod};
use crate::error::Result;
use crate::execute::own_pass::OwnPasses;
use crate::operations::fill;
use crate::operations::shared::count::{Count, Length, Lengths, Prepared};
use crate::operations::shared::pieces::single;
use crate::operations::shared::specialize::specialize;
use crate::operations::sort::{Sort, SortBuffers, sort};
use crate::operations::split::Kernels;
use crate::policy::Policy;

push_constants! {
    struct TopKPush {
        count: u32,
        rows: u32,
        parts: u32,
        k: u32,
        smallest: u32,
        capacity: u32,
        samples: u32,
        maxima: u32,
        step: u32,
        cut: u32,
    }
}

/// Words per row in `state` and `digits`. Must match `topk.glsl`.
const STATE_WORDS: u64 = 32;
const DIGIT_BITS: u32 = 11;
const DIGITS_WORDS: u64 = 3 * (1 << DIGIT_BITS) + 8 * 4;

pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    topk: &TopK,
    buffers: &TopKBuffers,
    shape: &Shape,
    method: TopKMethod,
) -> Result<()> {
    let (lengths, n) = Lengths::new(buffers.n)?;
    let prepared = lengths.prepare(graph, policy, "topk.prepare")?;
    let n = if n.is_known() { Length::known(shape.length) } else { n };
    let bytes = shape.rows * shape.length * u64::from(shape.key.bytes());
    let keys = single(buffers.keys.range(0, bytes), policy)?;
    let mut job = TopKPasses { graph, policy, topk, shape, n, prepared, keys };
    let out = Elements { keys: buffers.keys_out, indices: buffers.indices_out, capacity: shape.k };
    match method {
        TopKMethod::Rows => job.rows(&out),
        TopKMethod::Filter => job.filter(&out),
        TopKMethod::Select | TopKMethod::Auto => {
            job.select(&out, None)?;
            if topk.sorted { sort_found(graph, policy, topk, buffers, shape) } else { Ok(()) }
        }
    }
}

/// Sorts the elements found in each row. Equal elements are already in index order, which a stable sort keeps.
fn sort_found(
    graph: &mut Graph,
    policy: &Policy,
    topk: &TopK,
    buffers: &TopKBuffers,
    shape: &Shape,
) -> Result<()> {
    let mut how = if topk.smallest { Sort::ascending() } else { Sort::descending() };
    if shape.rows > 1 {
        how = how.rows(shape.k);
    }
    let found = found(buffers, shape);
    let pairs = SortBuffers::keys(buffers.keys_out).values(buffers.indices_out).count(found);
    sort(graph, policy, &how, &pairs).map(drop)
}

/// Number of elements found.
pub(super) fn found(buffers: &TopKBuffers, shape: &Shape) -> Count {
    match buffers.n {
        Count::Host(_) => Count::Host(shape.rows * shape.k),
        // k, or the device count if it is lower.
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

/// Parameters of the passes of one top-k.
struct TopKPasses<'j> {
    graph: &'j mut Graph,
    policy: &'j Policy,
    topk: &'j TopK,
    shape: &'j Shape,
    n: Length,
    prepared: Prepared,
    keys: View,
}

/// Sizes of one pass.
#[derive(Clone, Copy, Default)]
struct PassSizes {
    /// Workgroups per row.
    parts: u64,
    /// Workgroup size.
    threads: u32,
    /// Capacity per row, in elements.
    capacity: u64,
    samples: u64,
    maxima: u64,
    step: u32,
    /// Parts of a row from which workgroups select independently; 0 means 1.
    cut: u64,
}

impl TopKPasses<'_> {
    /// Starts a pass with its kernel and constants. The caller binds the buffers.
    fn pass(
        &mut self,
        label: &str,
        kernels: Kernels,
        sizes: &PassSizes,
        constants: &[(&str, u32)],
    ) -> Result<PassBuilder<'_>> {
        let kernel = kernels[usize::from(self.shape.key.bits() == 64)].kernel()?;
        // All of these fit in 32 bits, because there are fewer than 2^30 elements.
        let push = TopKPush {
            count: self.prepared.pushed(self.n),
            rows: self.shape.rows as u32,
            parts: sizes.parts as u32,
            k: self.shape.k as u32,
            smallest: u32::from(self.topk.smallest),
            capacity: sizes.capacity as u32,
            samples: sizes.samples as u32,
            maxima: sizes.maxima as u32,
            step: sizes.step,
            cut: sizes.cut.max(1) as u32,
        };
        let common = [
            ("local_size_x", sizes.threads),
            ("SUBGROUP_SIZE", self.policy.facts.subgroup_size),
            ("KEY_KIND", self.shape.key.kind()),
        ];
        let all: Vec<_> = common.iter().chain(constants).copied().collect();
        let (keys, prepared) = (self.keys, self.prepared);
        let pass = self.graph.own_pass(label, &kernel).push(&push);
        Ok(prepared.bind(specialize(pass, &kernel, &all), keys))
    }

    /// Workgroups of a pass over all rows.
    fn groups(&self, sizes: &PassSizes) -> Groups {
        Groups::linear(self.shape.rows * sizes.parts)
    }

    /// Declares transient buffers for `capacity` elements per row.
    fn transient(&mut self, name: &str, capacity: u64) -> Elements {
        let all = self.shape.rows * capacity;
        let bytes = all * u64::from(self.shape.key.bytes());
        let keys = self.graph.transient_bytes(format!("topk.{name}"), bytes);
        let indices = self.graph.transient::<u32>(format!("topk.{name}.indices"), all);
        Elements { keys, indices, capacity }
    }

    /// Adds one workgroup per row; or one per part of a row, followed by one that selects from the results of
    /// all parts.
    fn rows(&mut self, out: &Elements) -> Result<()> {
        let cut = self.shape.cut(self.policy);
        if cut.parts == 1 {
            return self.part_rows(&cut, out, self.topk.sorted);
        }
        let candidates = self.transient("candidates", cut.candidates);
        self.part_rows(&cut, &candidates, false)?;
        let state = candidates.indices; // not read
        self.finish(&candidates, state, out, cut.parts)
    }

    /// Adds the pass that selects the k largest elements of each part of a row.
    fn part_rows(&mut self, cut: &Cut, out: &Elements, sorted: bool) -> Result<()> {
        let sizes = self.one_group(cut.share, out.capacity);
        let sizes = PassSizes { parts: cut.parts, cut: cut.parts, ..sizes };
        let groups = self.groups(&sizes);
        let (keys_out, indices_out) = out.views(self.shape);
        let (keys, constants) = (self.keys, self.ordered(sorted));
        self.pass("topk.rows", variants::TOPK_ROWS, &sizes, &constants)?
            .bind("keys", keys)
            .bind("keys_out", keys_out)
            .bind("indices_out", indices_out)
            .dispatch(groups);
        Ok(())
    }

    fn filter(&mut self, out: &Elements) -> Result<()> {
        let (policy, shape, keys) = (self.policy, *self.shape, self.keys);
        let guess = Guess::new(policy, &shape);
        let maxima = self.wide("topk.maxima", guess.maxima);
        let thresholds = self.wide("topk.thresholds", 1);
        let state = self.graph.transient::<u32>("topk.state", shape.rows * STATE_WORDS);
        let digits = self.graph.transient::<u32>("topk.digits", shape.rows * DIGITS_WORDS);
        let candidates = self.transient("candidates", guess.capacity);

        let Guess { samples, maxima: groups_of_samples, capacity, .. } = guess;
        let common =
            PassSizes { samples, maxima: groups_of_samples, capacity, ..PassSizes::default() };
        let sizes = PassSizes { parts: guess.parts, threads: policy.threads, ..common };
        let groups = self.groups(&sizes);
        let group_elements = [("GROUP_ELEMENTS", guess.group_elements as u32)];
        self.pass("topk.sample", variants::TOPK_SAMPLE, &sizes, &group_elements)?
            .bind("keys", keys)
            .bind("maxima", maxima)
            .bind("state", state)
            .bind("digits", digits)
            .dispatch(groups);

        let threads = shape.group_threads(policy, groups_of_samples);
        let sizes = PassSizes { parts: 1, threads, ..common };
        let groups = self.groups(&sizes);
        self.pass("topk.threshold", variants::TOPK_THRESHOLD, &sizes, &[])?
            .bind("maxima", maxima)
            .bind("thresholds", thresholds)
            .dispatch(groups);

        let sizes =
            PassSizes { parts: shape.filter_parts(policy), threads: policy.threads, ..common };
        let groups = self.groups(&sizes);
        let (candidate_keys, candidate_indices) = candidates.views(&shape);
        self.pass("topk.filter", variants::TOPK_FILTER, &sizes, &[])?
            .bind("keys", keys)
            .bind("thresholds", thresholds)
            .bind("state", state)
            .bind("keys_out", candidate_keys)
            .bind("indices_out", candidate_indices)
            .dispatch(groups);

        self.select(&candidates, Some((state, digits)))?;
        self.finish(&candidates, state, out, 1)
    }

    /// Adds the passes that find the k elements of each row digit by digit. After a filter, they process only
    /// the rows that the filter could not finish.
    fn select(&mut self, out: &Elements, filtered: Option<(Buffer, Buffer)>) -> Result<()> {
        let (policy, shape, keys) = (self.policy, *self.shape, self.keys);
        let (state, digits) = match filtered {
            Some((state, digits)) => (state.into(), digits),
            None => {
                let words = shape.rows * DIGITS_WORDS;
                let digits = self.graph.transient::<u32>("topk.digits", words);
                fill(self.graph, policy, "topk.clear", digits, 0)?;
                // The keys are a placeholder for the state, which is not read.
                (keys, digits)
            }
        };
        let unless_filtered = [("UNLESS_FILTERED", u32::from(filtered.is_some()))];
        let parts = match filtered {
            Some(_) => shape.fallback_parts(policy),
            None => shape.select_parts(policy),
        };
        let part_counts = self.graph.transient::<[u32; 2]>("topk.part_counts", shape.rows * parts);
        let sizes = PassSizes {
            parts,
            threads: policy.threads,
            capacity: out.capacity,
            ..PassSizes::default()
        };
        let groups = self.groups(&sizes);
        for step in 0..shape.key.bits().div_ceil(DIGIT_BITS) {
            let sizes = PassSizes { step, ..sizes };
            self.pass("topk.digits", variants::TOPK_DIGITS, &sizes, &unless_filtered)?
                .bind("keys", keys)
                .bind("state", state)
                .bind("digits", digits)
                .dispatch(groups);
        }
        self.pass("topk.count", variants::TOPK_COUNT, &sizes, &unless_filtered)?
            .bind("keys", keys)
            .bind("state", state)
            .bind("digits", digits)
            .bind("part_counts", part_counts)
            .dispatch(groups);
        let (keys_out, indices_out) = out.views(&shape);
        self.pass("topk.gather", variants::TOPK_GATHER, &sizes, &unless_filtered)?
            .bind("keys", keys)
            .bind("state", state)
            .bind("digits", digits)
            .bind("part_counts", part_counts)
            .bind("keys_out", keys_out)
            .bind("indices_out", indices_out)
            .dispatch(groups);
        Ok(())
    }

    /// Adds the pass with one workgroup per row, which selects from the candidates of a filter or of `cut`
    /// parts.
    fn finish(
        &mut self,
        candidates: &Elements,
        state: Buffer,
        out: &Elements,
        cut: u64,
    ) -> Result<()> {
        let sizes = PassSizes { cut, ..self.one_group(candidates.capacity, candidates.capacity) };
        let groups = self.groups(&sizes);
        let (keys, indices) = candidates.views(self.shape);
        let (keys_out, indices_out) = out.views(self.shape);
        let constants = self.ordered(self.topk.sorted);
        self.pass("topk.finish", variants::TOPK_FINISH, &sizes, &constants)?
            .bind("keys", keys)
            .bind("indices", indices)
            .bind("state", state)
            .bind("keys_out", keys_out)
            .bind("indices_out", indices_out)
            .dispatch(groups);
        Ok(())
    }

    /// Sizes of a pass with one workgroup per row, which processes `items` elements.
    fn one_group(&self, items: u64, capacity: u64) -> PassSizes {
        let threads = self.shape.group_threads(self.policy, items);
        PassSizes { parts: 1, threads, capacity, ..PassSizes::default() }
    }

    /// Constants for sorting the result. The capacity is as small as possible, so that several workgroups fit
    /// on a multiprocessor.
    fn ordered(&self, sorted: bool) -> [(&'static str, u32); 2] {
        let ordered = if sorted { self.shape.k.next_power_of_two() } else { 1 };
        let capacity = (ordered as u32).max(self.policy.facts.subgroup_size);
        [("ROOM", capacity), ("SORTED", sorted.into())]
    }

    /// Declares a transient buffer with `each` values of the key size per row.
    fn wide(&mut self, name: &str, each: u64) -> Buffer {
        let bytes = self.shape.rows * each * u64::from(self.shape.key.bytes());
        self.graph.transient_bytes(name, bytes)
    }
}
