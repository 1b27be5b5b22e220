//! Benchmarks: an operation on a number of elements, with its plan and arrays.

use bytemuck::Pod;
use multisplit_graph::{Buffer, Graph, Plan, PlannedPass, Step};

use super::data::{Data, EDGES, SAMPLE_END, splitters};
use crate::device::Context;
use crate::error::Result;
use crate::execute::{Bound, Executable};
use crate::memory::Array;
use crate::operations::{
    HistogramBuffers, ScanBuffers, SortBuffers, SplitBuffers, copy, fill, histogram, scan, sort,
    split,
};
use crate::policy::Policy;
use crate::policy::tile::TileShape;
use crate::{Bins, Buckets, Scan, Sort};

/// An operation, with its number of buckets or bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    SortKeys,
    SortPairs,
    SortWideKeys,
    SplitKeys(u32),
    SplitPairs(u32),
    /// Buckets defined by splitters.
    SplitRange(u32),
    HistogramEven(u32),
    HistogramRange,
    Scan,
}

/// An operation on `n` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Benchmark {
    pub operation: Operation,
    pub n: u64,
}

/// Benchmarks of these operations on `n` elements.
pub(super) fn benchmarks(of: impl IntoIterator<Item = Operation>, n: u64) -> Vec<Benchmark> {
    of.into_iter().map(|operation| Benchmark { operation, n }).collect()
}

/// Accesses the tile table of a sort in a policy. Each entry has a maximum number of elements and a tile.
pub(super) type SortTable = fn(&mut Policy) -> &mut [(u64, TileShape)];

impl Operation {
    /// Name and tile table of a sort. `None` for other operations.
    pub fn sort_table(self) -> Option<(&'static str, SortTable)> {
        match self {
            Self::SortKeys => Some(("sort.keys", |policy| &mut policy.sort.keys)),
            Self::SortPairs => Some(("sort.pairs", |policy| &mut policy.sort.pairs)),
            Self::SortWideKeys => Some(("sort.wide_keys", |policy| &mut policy.sort.wide_keys)),
            _ => None,
        }
    }
}

/// Value that is written to the outputs before a run whose result is checked, so that results of an earlier run
/// cannot pass the check. Sorts restore their input instead.
const POISON: u32 = 0x5a5a_a5a5;

/// Whether a plan is timed, or its result is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Timing,
    Check,
}

/// An executable, bound to arrays of [`Data`].
pub(super) struct Runner<'d> {
    context: &'d Context,
    pub executable: Executable,
    bound: Vec<Bound<'d>>,
}

impl<'d> Runner<'d> {
    fn new(data: &'d Data, (plan, bound): Planned<'d>) -> Result<Self> {
        let executable = data.context.instantiate_trial(plan)?;
        Ok(Self { context: &data.context, executable, bound })
    }

    /// Runs the plan `times` times in one submission, and waits.
    pub fn run(&self, times: u32) -> Result<()> {
        self.context.run_repeatedly(&self.executable, &self.bound, times)
    }

    /// GPU times of `runs` consecutive runs in nanoseconds.
    pub fn time(&self, runs: u32) -> Result<Vec<f64>> {
        self.context.time_runs(&self.executable, &self.bound, runs)
    }
}

/// A plan, and the arrays of its imports.
type Planned<'d> = (Plan, Vec<Bound<'d>>);

struct Planning<'a, 'd> {
    graph: Graph,
    policy: &'a Policy,
    data: &'d Data,
    n: u64,
    bound: Vec<Bound<'d>>,
}

impl<'a, 'd> Planning<'a, 'd> {
    fn new(data: &'d Data, policy: &'a Policy, n: u64) -> Self {
        Self { graph: Graph::new("tune"), policy, data, n, bound: Vec::new() }
    }

    /// Compiles the graph to a replayable plan.
    fn finish(mut self) -> Result<Planned<'d>> {
        self.graph.replayable();
        Ok((self.graph.compile(&self.data.context.limits())?, self.bound))
    }

    /// Declares the keys of a sort, which are restored before each run.
    fn restored_keys(&mut self, operation: Operation) -> Result<Buffer> {
        let data = self.data;
        match operation {
            Operation::SortWideKeys => self.restored("keys", &data.wide_keys, &data.wide_keys_out),
            _ => self.restored("keys", &data.keys, &data.keys_out),
        }
    }

    fn import<T: Pod>(&mut self, name: &str, array: &'d Array<T>, len: u64) -> Buffer {
        let buffer = self.graph.import::<T>(name, len);
        self.bound.push((buffer, array).into());
        buffer
    }

    /// Copies `from` to `to` before each run, so that `to` can be sorted in place.
    fn restored<T: Pod>(
        &mut self,
        name: &str,
        from: &'d Array<T>,
        to: &'d Array<T>,
    ) -> Result<Buffer> {
        let source = self.import(&format!("{name}.unsorted"), from, self.n);
        let target = self.import(name, to, self.n);
        copy(&mut self.graph, self.policy, "memory.copy", source, target)?;
        Ok(target)
    }

    fn poison(&mut self, purpose: Purpose, outputs: &[Buffer]) -> Result<()> {
        if purpose == Purpose::Check {
            for &output in outputs {
                fill(&mut self.graph, self.policy, "tune.poison", output, POISON)?;
            }
        }
        Ok(())
    }
}

impl Benchmark {
    /// Name of the benchmark in the final table.
    pub fn name(&self) -> String {
        match self.operation {
            Operation::SortKeys => "sort keys".to_owned(),
            Operation::SortPairs => "sort pairs".to_owned(),
            Operation::SortWideKeys => "sort 64-bit keys".to_owned(),
            Operation::SplitKeys(m) => format!("split keys, m = {m}"),
            Operation::SplitPairs(m) => format!("split pairs, m = {m}"),
            Operation::SplitRange(m) => format!("split keys by range, m = {m}"),
            Operation::HistogramEven(m) => format!("histogram even, m = {m}"),
            Operation::HistogramRange => format!("histogram range, m = {}", EDGES - 1),
            Operation::Scan => "scan".to_owned(),
        }
    }

    /// The same benchmark with at most `n` elements.
    pub fn up_to(self, n: u64) -> Self {
        Self { n: self.n.min(n), ..self }
    }

    /// Whether planning the benchmark with `policy` gives the plan `other`: the same kernels with the same sizes.
    pub fn is_planned_as(&self, data: &Data, policy: &Policy, other: &Plan) -> Result<bool> {
        let (plan, _) = self.plan(data, policy, Purpose::Timing)?;
        Ok(same_work(&plan, other))
    }

    /// Plans the benchmark with `policy` and creates its pipelines.
    pub fn runner<'d>(
        &self,
        data: &'d Data,
        policy: &Policy,
        purpose: Purpose,
    ) -> Result<Runner<'d>> {
        Runner::new(data, self.plan(data, policy, purpose)?)
    }

    /// Plans only the copies at the start of a timed sort. `None` for other operations.
    pub fn overhead<'d>(&self, data: &'d Data, policy: &Policy) -> Result<Option<Runner<'d>>> {
        if self.operation.sort_table().is_none() {
            return Ok(None);
        }
        let mut planning = Planning::new(data, policy, self.n);
        planning.restored_keys(self.operation)?;
        Runner::new(data, planning.finish()?).map(Some)
    }

    fn plan<'d>(&self, data: &'d Data, policy: &Policy, purpose: Purpose) -> Result<Planned<'d>> {
        let n = self.n;
        let mut planning = Planning::new(data, policy, n);
        let p = &mut planning;
        match self.operation {
            Operation::SortKeys | Operation::SortPairs | Operation::SortWideKeys => {
                let mut buffers = SortBuffers::keys(p.restored_keys(self.operation)?);
                if self.operation == Operation::SortPairs {
                    // The contents of the values do not affect the time, so timed runs do not restore them.
                    buffers = buffers.values(match purpose {
                        Purpose::Check => p.restored("values", &data.values, &data.values_out)?,
                        Purpose::Timing => p.import("values", &data.values_out, n),
                    });
                }
                sort(&mut p.graph, policy, &Sort::ascending(), &buffers)?;
            }
            Operation::SplitKeys(m) | Operation::SplitPairs(m) | Operation::SplitRange(m) => {
                let (from, to) =
                    (p.import("keys", &data.keys, n), p.import("keys.out", &data.keys_out, n));
                let offsets = p.import("offsets", &data.words, u64::from(m) + 1);
                p.poison(purpose, &[to, offsets])?;
                let buffers = if matches!(self.operation, Operation::SplitPairs(_)) {
                    let values = p.import("values", &data.values, n);
                    let moved = p.import("values.out", &data.values_out, n);
                    p.poison(purpose, &[moved])?;
                    SplitBuffers::pairs((from, values), (to, moved), offsets)
                } else {
                    SplitBuffers::keys(from, to, offsets)
                };
                let buckets = match self.operation {
                    Operation::SplitRange(_) => Buckets::range(&splitters(m)),
                    _ => Buckets::<u32>::delta_over_domain(m),
                };
                split(&mut p.graph, policy, &buckets, &buffers)?;
            }
            Operation::HistogramEven(_) | Operation::HistogramRange => {
                let bins = match self.operation {
                    Operation::HistogramEven(m) => Bins::even(0.0..SAMPLE_END, m),
                    _ => Bins::range(&data.edges),
                };
                let samples = p.import("samples", &data.samples, n);
                let counts = p.import("counts", &data.words, bins.count().into());
                p.poison(purpose, &[counts])?;
                histogram(&mut p.graph, policy, &bins, &HistogramBuffers::new(samples, counts))?;
            }
            Operation::Scan => {
                let (from, to) =
                    (p.import("src", &data.keys, n), p.import("dst", &data.keys_out, n));
                p.poison(purpose, &[to])?;
                scan(&mut p.graph, policy, &Scan::default(), &ScanBuffers::new(from, to))?;
            }
        }
        planning.finish()
    }
}

fn same_work(a: &Plan, b: &Plan) -> bool {
    let steps = |plan: &Plan| plan.steps().len();
    let same = |(a, b): (&Step, &Step)| {
        let (a, b) = (&a.pass, &b.pass);
        let kernel = |pass: &PlannedPass| pass.kernel.as_ref().map(|k| k.label().to_owned());
        kernel(a) == kernel(b)
            && a.work == b.work
            && a.push == b.push
            && a.specialization == b.specialization
    };
    steps(a) == steps(b) && a.steps().iter().zip(b.steps()).all(same)
}
