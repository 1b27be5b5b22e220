//! Compiles every kernel, with the specializations of representative plans for this device. Nothing is executed, so a
//! driver without hardware is enough.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;

use anyhow::{Context as _, Result, ensure};
use multisplit::graph::{Graph, Groups, Plan};
use multisplit::operations::histogram::{HistogramMethod, Layout};
use multisplit::operations::sort::SortMethod;
use multisplit::operations::split::Method;
use multisplit::operations::{self, HistogramBuffers, Merge, SplitBuffers};
use multisplit::shaders::builtin::{self, Builtin};
use multisplit::{
    Bins, Buckets, Context, Error, ExecutableOptions, Key, Operator, Policy, Sample, Scan, Select,
    Sort, TopK, Value, Work,
};
use multisplit_bench::network::{Rmat, Weighting};
use multisplit_sssp::{Method as SearchMethod, Options};
use rayon::prelude::*;

#[derive(Debug)]
pub struct Failure {
    pub kernel: String,
    pub problem: String,
}

#[derive(Default)]
pub struct Compiled {
    pub failures: Vec<Failure>,
    /// Kernels that need features which the device lacks, with the reason.
    pub unsupported: BTreeMap<String, String>,
}

/// Compiles every built-in kernel whose label contains `only`, with the specializations that representative plans of
/// this device's policies use.
pub fn compile_all(gpu: &Context, only: &str) -> Result<Compiled> {
    // The largest buffer is the output of a merge of two arrays of 16-byte values: 32 bytes per
    // element of one array.
    let large = (gpu.limits().max_storage_range / 32).clamp(1 << 17, 1 << 24);
    let mut plans = Plans { gpu, policy: gpu.policy(), large, all: Vec::new() };
    plans.declare()?;
    // If the device stops executing atomics in lane order, the engine switches to the promised policy, whose tile
    // sizes differ.
    if plans.policy != gpu.promised_policy() {
        plans.policy = gpu.promised_policy();
        plans.declare()?;
    }
    let mut seen = HashSet::new();
    let reached: HashSet<_> = plans.all.iter().flat_map(labels).collect();
    for kernel in builtin::ALL.iter().filter(|kernel| !reached.contains(kernel.label())) {
        let plan = plans.alone(kernel)?;
        plans.all.push(plan);
    }
    let mut steps = Vec::new();
    for plan in &plans.all {
        for (index, step) in plan.steps().iter().enumerate() {
            let Some(kernel) = &step.pass.kernel else { continue };
            if kernel.label().contains(only)
                && seen.insert((kernel.label().to_owned(), step.pass.specialization.clone()))
            {
                steps.push((plan, index, kernel.label()));
            }
        }
    }
    ensure!(!steps.is_empty(), "no kernel name contains `{only}`");
    let compiled = Mutex::new(Compiled::default());
    steps.par_iter().for_each(|&(plan, index, kernel)| {
        let made = gpu.prepare_step(plan, index, ExecutableOptions::default());
        let (Err(error), Ok(mut compiled)) = (made, compiled.lock()) else { return };
        let (kernel, problem) = (kernel.to_owned(), error.to_string());
        match error {
            Error::MissingFeature { .. } => {
                compiled.unsupported.insert(kernel, problem);
            }
            _ => compiled.failures.push(Failure { kernel, problem }),
        }
    });
    compiled.into_inner().ok().context("internal error: a thread panicked")
}

fn labels(plan: &Plan) -> impl Iterator<Item = String> {
    let label =
        |step: &multisplit::graph::Step| Some(step.pass.kernel.as_ref()?.label().to_owned());
    plan.steps().iter().filter_map(label)
}

/// Array lengths on both sides of the thresholds at which the built-in policies change their tile sizes.
const SIZES: [u64; 6] = [1000, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24];
/// Row lengths, from less than a subgroup of 32 threads to more than a tile.
const ROWS: [u64; 4] = [16, 256, 1 << 12, 1 << 16];
const BUCKETS: [u32; 8] = [2, 4, 8, 16, 32, 64, 128, 256];

/// Collects the plans whose kernels are compiled.
struct Plans<'g> {
    gpu: &'g Context,
    policy: Policy,
    /// Length of the largest input arrays.
    large: u64,
    all: Vec<Plan>,
}

impl Plans<'_> {
    fn add(&mut self, declare: impl FnOnce(&mut Work) -> multisplit::Result<()>) -> Result<()> {
        let mut work = self.gpu.work("check");
        work.set_policy(self.policy);
        declare(&mut work)?;
        self.all.push(work.plan()?);
        Ok(())
    }

    fn declare(&mut self) -> Result<()> {
        self.terms::<u32>()?;
        self.terms::<f32>()?;
        self.terms::<u64>()?;
        self.terms::<f64>()?;
        self.moves::<u32>()?;
        self.moves::<u64>()?;
        for n in [1000, self.large] {
            self.sorts::<u8>(n, &Sort::ascending())?;
            self.sorts::<u16>(n, &Sort::ascending())?;
        }
        self.splits::<u32>(&BUCKETS)?;
        self.splits::<u64>(&[8, 256])?;
        self.histograms()?;
        self.memory()?;
        self.searches()
    }

    /// Adds plans of scans and reductions.
    fn terms<T: Key>(&mut self) -> Result<()> {
        let large = self.large;
        for operator in [Operator::Sum, Operator::Max] {
            for n in SIZES.map(|n| n.min(self.large)) {
                self.add(|work| {
                    let [src, dst] = ["src", "dst"].map(|name| work.import::<T>(name, n));
                    let keys = work.import::<u32>("keys", n);
                    work.scan(src, dst, &Scan::exclusive(operator))?;
                    work.scan_by_key(keys, src, dst, &Scan::inclusive(operator))?;
                    work.scan_segments(src, (keys, n - 1), dst, &Scan::inclusive(operator))?;
                    work.reduce(src, dst, operator)
                })?;
                self.add(|work| {
                    let [src, dst] = ["src", "dst"].map(|name| work.import::<T>(name, n));
                    let [keys, keys_out] =
                        ["keys", "keys_out"].map(|name| work.import::<u32>(name, n));
                    let found = work.import::<u32>("found", 1);
                    work.reduce_by_key((keys, src), (keys_out, dst), found, operator)
                })?;
            }
            for length in ROWS {
                self.add(|work| {
                    let rows = large / length;
                    let (src, dst) = (work.import::<T>("src", large), work.import("dst", rows));
                    let offsets = work.import::<u32>("offsets", rows + 1);
                    work.reduce_rows(src, length, dst, operator)?;
                    work.reduce_segments(src, offsets, dst, operator)?;
                    let scanned = work.import::<T>("scanned", large);
                    work.scan_rows(src, length, scanned, &Scan::inclusive(operator))
                })?;
            }
        }
        Ok(())
    }

    /// Adds plans of sorts, merges, selections, searches, argmin and top-k of keys of 4 or 8 bytes.
    fn moves<K: Key>(&mut self) -> Result<()> {
        let large = self.large;
        for n in SIZES.map(|n| n.min(self.large)) {
            self.add(|work| {
                let keys = work.import::<K>("keys", n);
                let order = work.import("order", n);
                work.argsort(keys, order, &Sort::descending())
            })?;
            self.sorts::<K>(n, &Sort::ascending())?;
            self.merge::<K, u32>(n)?;
            self.merge::<K, u64>(n)?;
            self.merge::<K, [u32; 4]>(n)?;
            self.add(|work| {
                let [src, dst] = ["src", "dst"].map(|name| work.import::<K>(name, n));
                let [words, found] = ["words", "found"].map(|name| work.import::<u32>(name, n));
                work.unique(src, dst, found)?;
                work.run_lengths(src, dst, words, found)?;
                work.select(src, dst, found, &Select::at_least(K::zeroed()))?;
                work.argmin(src, dst, words)?;
                work.lower_bound(src, dst, words)
            })?;
            self.add(|work| {
                let [src, dst, out] = ["src", "dst", "out"].map(|name| work.import::<K>(name, n));
                let found = work.import::<u32>("found", 2);
                work.partition(src, (dst, out), found, &Select::at_least(K::zeroed()))
            })?;
        }
        for k in [10, 1000, 1 << 16] {
            self.topk::<K>(large, k, &TopK::largest(k))?;
        }
        for length in ROWS {
            self.topk::<K>(large, large / length * 7, &TopK::largest(7).rows(length))?;
            self.add(|work| {
                let keys = work.import::<K>("keys", large);
                let [order, offsets] = ["order", "offsets"].map(|name| work.import(name, large));
                let sort = Sort::ascending();
                work.sort_segments(keys, (offsets, large / length), &sort)?;
                work.sort_segments_pairs(keys, order, (offsets, large / length), &sort)
            })?;
            self.sorts::<K>(large, &Sort::ascending().rows(length))?;
        }
        self.add(|work| {
            // A sort whose element count is on the device.
            let n = work.count("count", large);
            let keys = work.import::<K>("keys", large);
            work.sort(keys.first(n), &Sort::ascending())
        })?;
        let sort = Sort::ascending().method(SortMethod::Multisplit { radix_bits: 8 });
        self.add(|work| {
            let keys = work.import::<K>("keys", large);
            work.sort(keys, &sort)
        })
    }

    /// Adds a plan of sorts: without values, and with values of 4, 8 and 16 bytes.
    fn sorts<K: Key>(&mut self, n: u64, sort: &Sort) -> Result<()> {
        self.add(|work| {
            let keys = work.import::<K>("keys", n);
            let (short, double) = (work.import::<u32>("u32", n), work.import::<u64>("u64", n));
            let wide = work.import::<[u32; 4]>("wide", n);
            work.sort(keys, sort)?;
            work.sort_pairs(keys, short, sort)?;
            work.sort_pairs(keys, double, sort)?;
            work.sort_pairs(keys, wide, sort)
        })
    }

    fn merge<K: Key, V: Value>(&mut self, n: u64) -> Result<()> {
        self.add(|work| {
            let [a, b] = ["a", "b"].map(|name| work.import::<K>(name, n));
            let [of_a, of_b] = ["of_a", "of_b"].map(|name| work.import::<V>(name, n));
            let (out, values) = (work.import("out", 2 * n), work.import("values", 2 * n));
            work.merge(a, b, out, Merge::Ascending)?;
            work.merge_pairs((a, of_a), (b, of_b), (out, values), Merge::Ascending)
        })
    }

    fn topk<K: Key>(&mut self, n: u64, found: u64, how: &TopK) -> Result<()> {
        self.add(|work| {
            let (keys, out) = (work.import::<K>("keys", n), work.import::<K>("out", found));
            let indices = work.import::<u32>("indices", found);
            work.topk(keys, out, indices, how)
        })
    }

    fn splits<K: Key>(&mut self, buckets: &[u32]) -> Result<()> {
        for &m in buckets {
            for method in Method::ALL {
                let delta = || Buckets::<K>::delta_over_domain(m).method(method);
                self.split(&delta())?;
                self.split_pairs::<K, u32>(&delta())?;
            }
            let width = K::TYPE.bits();
            self.split(&Buckets::<K>::ordered_digit(width - m.ilog2()..width, false))?;
        }
        let delta = |m| Buckets::<K>::delta_over_domain(m).method(Method::Block);
        self.split_pairs::<K, u64>(&delta(256))?;
        self.split_pairs::<K, [u32; 4]>(&delta(256))?;
        // Splits into more than 256 buckets take several rounds.
        for m in [1000, 1 << 16] {
            self.split(&Buckets::<K>::delta_over_domain(m))?;
        }
        Ok(())
    }

    /// Adds a plan with two splits: one moves keys, and one only computes the permutation.
    fn split<K: Key>(&mut self, buckets: &Buckets<K>) -> Result<()> {
        let large = self.large;
        self.add(|work| {
            let [keys, out] = ["keys", "out"].map(|name| work.import::<K>(name, large));
            let offsets = work.import("offsets", u64::from(buckets.count()) + 1);
            work.split(keys, out, offsets, buckets)?;
            let places = work.import::<u32>("places", large);
            let [keys, places, offsets] = [keys.buffer(), places.buffer(), offsets.buffer()];
            let (graph, policy) = work.parts();
            let buffers = SplitBuffers::permutation(keys, places, offsets);
            operations::split(graph, policy, buckets, &buffers).map(drop)
        })
    }

    fn split_pairs<K: Key, V: Value>(&mut self, buckets: &Buckets<K>) -> Result<()> {
        let large = self.large;
        self.add(|work| {
            let [keys, out] = ["keys", "out"].map(|name| work.import::<K>(name, large));
            let [values, moved] = ["values", "moved"].map(|name| work.import::<V>(name, large));
            let offsets = work.import("offsets", u64::from(buckets.count()) + 1);
            work.split_pairs((keys, values), (out, moved), offsets, buckets)
        })
    }

    fn histograms(&mut self) -> Result<()> {
        use HistogramMethod::{Auto, Ballots, Global, Shared};
        for (method, m) in [(Ballots, 200), (Shared, 200), (Global, 1 << 16), (Auto, 1 << 16)] {
            self.histogram(Bins::even(0.0f32..1.0, m).method(method))?;
            let edges: Vec<f32> = (0..=m).map(|edge| edge as f32).collect();
            self.histogram(Bins::range(&edges).method(method))?;
        }
        let pixels = Layout::interleaved(4, 0b1111);
        self.histogram(Bins::<u8>::identity(256))?;
        self.histogram(Bins::<u8>::identity(256).layout(pixels))?;
        self.histogram(Bins::even(0.0f64..1.0, 256))?;
        self.histogram(Bins::<u64>::identity(256))
    }

    /// Adds a plan with a histogram of 32-bit counts and a weighted histogram of 64-bit sums.
    fn histogram<S: Sample>(&mut self, bins: Bins<S>) -> Result<()> {
        let (n, m) = (bins.input_len(1 << 20), bins.output_len());
        self.add(|work| {
            let samples = work.import::<S>("samples", n);
            let counts = work.import::<u32>("counts", m);
            work.histogram(samples, counts, &bins)?;
            let wide = work.import::<u64>("wide", m);
            let (samples, wide) = (samples.buffer(), wide.buffer());
            let weights = work.import::<u32>("weights", 1 << 20).buffer();
            let (graph, policy) = work.parts();
            let buffers = HistogramBuffers::new(samples, wide).weights(weights);
            let auto = bins.method(HistogramMethod::Auto);
            operations::histogram(graph, policy, &auto, &buffers).map(drop)
        })
    }

    fn memory(&mut self) -> Result<()> {
        let large = self.large;
        self.add(|work| {
            let [from, to] = ["from", "to"].map(|name| work.import::<u32>(name, large));
            work.fill(to, 1)?;
            work.copy(from, to)?;
            let n = work.count("count", large);
            work.fill(to.first(n), 2)
        })
    }

    fn searches(&mut self) -> Result<()> {
        let network = Rmat::of_size(1000, 4000).generate(Weighting::Own)?;
        use SearchMethod::{BellmanFord, Bucketing, Multisplit, MultisplitPasses, NearFar};
        for method in [BellmanFord, NearFar, Bucketing, MultisplitPasses, Multisplit] {
            for resident in [Some(false), Some(true)] {
                let options = Options { method, resident, ..Options::default() };
                let limits = self.gpu.limits();
                let plan = multisplit_sssp::plan(&network, &options, &self.policy, &limits, 2)?;
                self.all.push(plan);
            }
        }
        Ok(())
    }

    /// A plan with a single pass, for a kernel that no other plan uses.
    fn alone(&self, builtin: &Builtin) -> Result<Plan> {
        const BYTES: u64 = 1 << 12;
        let kernel = builtin.kernel()?;
        let interface = kernel.interface();
        let mut graph = Graph::new(builtin.label());
        let bindings: Vec<_> = interface
            .bindings
            .iter()
            .map(|binding| (&*binding.name, graph.import_bytes(&*binding.name, BYTES)))
            .collect();
        let mut pass = graph.pass(builtin.label(), &kernel);
        for (name, buffer) in bindings {
            pass = pass.bind(name, buffer);
        }
        if let Some(push) = &interface.push_constants {
            pass = pass.push_bytes(&vec![0; push.size as usize]);
        }
        let facts = &self.policy.facts;
        let threads = self.policy.threads;
        for (name, value) in [("local_size_x", threads), ("SUBGROUP_SIZE", facts.subgroup_size)] {
            if interface.spec_constant(name).is_some() {
                pass = pass.specialize(name, value);
            }
        }
        pass.dispatch(Groups::linear(1));
        Ok(graph.compile(&self.gpu.limits())?)
    }
}
