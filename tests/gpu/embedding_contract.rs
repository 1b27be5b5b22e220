//! The contract of an import is its first and last access by the plan, against which the caller
//! must place barriers. The contract table in `docs/embedding.md` matches the plans of sorts,
//! splits, histograms and scans, and recordings with invalid imports, values or frames are
//! rejected.

use std::collections::BTreeSet;

use multisplit::PassValue;
use multisplit::embed::BufferContract;
use multisplit::graph::{Access, Scope, Stages};
use multisplit_tests::prelude::*;

use crate::embedding::quick;

tests!(embedding_contract:
    documented_contracts_match_the_plans, workspaces_need_only_documented_usages,
    invalid_recordings_are_rejected,
);

const PAGE: &str = include_str!("../../docs/embedding.md");
const BUCKET_OF: &str = "uint bucket_of(uint key) { return table.at[key & 15u] & 7u; }";

/// A row of the table: primitive, buffer, and its first and last use.
struct Row {
    primitive: &'static str,
    buffer: &'static str,
    uses: [Access; 2],
}

fn rows() -> Vec<Row> {
    let access = |text: &str| {
        let one = |word: &str| match word.trim() {
            "storage_read" => Access::SHADER_STORAGE_READ,
            "storage_write" => Access::SHADER_STORAGE_WRITE,
            other => panic!("the table contains an unknown access `{other}`"),
        };
        text.split(',').map(one).fold(Access::empty(), Access::union)
    };
    let row = |line: &'static str| {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [primitive, buffer, first, last] = cells[..] else { return None };
        let is_row = ["sort", "split", "histogram", "scan"].contains(&primitive);
        is_row.then(|| Row { primitive, buffer, uses: [access(first), access(last)] })
    };
    PAGE.lines().filter(|line| line.starts_with('|')).filter_map(row).collect()
}

/// An element count that is not yet bound to a graph.
#[derive(Clone, Copy, Debug)]
enum Counted {
    Host(u64),
    Recording { max: u64 },
    Device { max: u64 },
}

impl Counted {
    fn declare(self, graph: &mut Graph) -> Count {
        match self {
            Self::Host(n) => n.into(),
            Self::Recording { max } => {
                let buffer = graph.transient::<u32>("count", 1);
                graph.update("count", buffer, &[0; 4]);
                Count::Device { buffer, index: 0, max }
            }
            Self::Device { max } => {
                let buffer = graph.import::<u32>("count", 1);
                Count::Device { buffer, index: 0, max }
            }
        }
    }
}

/// Calls `body` with graphs of sorts, splits, histograms and a scan, with different optional
/// buffers.
fn every_primitive(
    policy: &Policy,
    counted: Counted,
    mut body: impl FnMut(&'static str, &Graph) -> Result<()>,
) -> Result<()> {
    for payload in ["nothing", "values", "indices"] {
        for between in [false, true] {
            for method in
                [SortMethod::Auto, SortMethod::OneSweep, SortMethod::Multisplit { radix_bits: 8 }]
            {
                let mut graph = Graph::new("sort");
                add_sort(&mut graph, policy, counted, (payload, between, method))?;
                body("sort", &graph)
                    .with_context(|| format!("{payload}, between {between}, {method:?}"))?;
            }
        }
    }
    for output in ["keys", "pairs", "permutation"] {
        for function in ["few", "many", "glsl"] {
            let mut graph = Graph::new("split");
            add_split(&mut graph, policy, counted, (output, function))?;
            body("split", &graph).with_context(|| format!("{output}, {function}"))?;
        }
    }
    for kind in ["identity", "accumulate", "weights", "glsl"] {
        let mut graph = Graph::new("histogram");
        add_histogram(&mut graph, policy, counted, kind)?;
        body("histogram", &graph).with_context(|| kind.to_owned())?;
    }
    let mut graph = Graph::new("scan");
    let n = counted.declare(&mut graph);
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, n.max()));
    scan(&mut graph, policy, &Scan::default(), &ScanBuffers::new(src, dst).count(n))?;
    body("scan", &graph)
}

fn add_sort(
    graph: &mut Graph,
    policy: &Policy,
    counted: Counted,
    (payload, between, method): (&str, bool, SortMethod),
) -> Result<()> {
    let n = counted.declare(graph);
    let mut array = |name: &str| graph.import::<u32>(name, n.max());
    let mut buffers = SortBuffers::keys(array("keys")).count(n);
    let mut other = None;
    if payload != "nothing" {
        let moved = array(payload);
        buffers = if payload == "values" { buffers.values(moved) } else { buffers.indices(moved) };
        other = between.then(|| array("values.other"));
    }
    if between {
        let keys = array("keys.other");
        buffers = buffers.between(keys, other, graph.import::<u32>("half", 1));
    }
    sort(graph, policy, &Sort::ascending().method(method), &buffers)?;
    Ok(())
}

fn add_split(
    graph: &mut Graph,
    policy: &Policy,
    counted: Counted,
    (output, function): (&str, &str),
) -> Result<()> {
    let n = counted.declare(graph);
    let buckets = match function {
        "few" => Buckets::delta(0u32, 1 << 29, 8),
        "many" => Buckets::delta(0u32, 1 << 20, 1000),
        _ => Buckets::glsl(8, Glsl::new(BUCKET_OF).table_buffer(graph.import::<u32>("table", 16))),
    };
    let offsets = graph.import::<u32>("offsets", u64::from(buckets.count()) + 1);
    let out_of_range = graph.import::<u32>("out_of_range", 1);
    let mut array = |name: &str| graph.import::<u32>(name, n.max());
    let keys = array("keys");
    let buffers = match output {
        "keys" => SplitBuffers::keys(keys, array("keys.out"), offsets),
        "pairs" => {
            let out = (array("keys.out"), array("values.out"));
            SplitBuffers::pairs((keys, array("values")), out, offsets)
        }
        _ => SplitBuffers::permutation(keys, array("permutation"), offsets),
    };
    split(graph, policy, &buckets, &buffers.count(n).out_of_range(out_of_range))?;
    Ok(())
}

fn add_histogram(graph: &mut Graph, policy: &Policy, counted: Counted, kind: &str) -> Result<()> {
    let n = counted.declare(graph);
    let bins = match kind {
        "accumulate" => Bins::<u32>::identity(256).accumulate(),
        "glsl" => {
            Bins::glsl(8, Glsl::new(BUCKET_OF).table_buffer(graph.import::<u32>("table", 16)))
        }
        _ => Bins::identity(256),
    };
    let m = bins.count().into();
    let mut array = |name: &str, len| graph.import::<u32>(name, len);
    let mut buffers = HistogramBuffers::new(array("samples", n.max()), array("counts", m))
        .count(n)
        .out_of_range(array("out_of_range", 1))
        .cumulative(array("cumulative", m));
    if kind == "weights" {
        buffers = buffers.weights(array("weights", n.max()));
    }
    histogram(graph, policy, &bins, &buffers)?;
    Ok(())
}

/// Calls `body` with the plans of [`every_primitive`] under policies for software drivers and for
/// GPUs, for few and for many elements.
fn every_plan(
    gpu: &Gpu,
    mut body: impl FnMut(&'static str, Counted, &Plan) -> Result<()>,
) -> Result<()> {
    let max = 1 << 20;
    for device_type in [vk::PhysicalDeviceType::CPU, vk::PhysicalDeviceType::DISCRETE_GPU] {
        let mut properties = gpu.properties().clone();
        properties.device_type = device_type;
        let policy = Policy::for_device(&properties);
        for counted in [
            Counted::Host(100),
            Counted::Host(max),
            Counted::Recording { max },
            Counted::Device { max },
        ] {
            every_primitive(&policy, counted, |primitive, graph| {
                let plan = graph.compile(&gpu.limits())?;
                body(primitive, counted, &plan)
                    .with_context(|| format!("{primitive}, {counted:?}, {device_type:?}"))
            })?;
        }
    }
    Ok(())
}

fn documented_contracts_match_the_plans(gpu: &Gpu) -> Result<()> {
    let rows = rows();
    let mut seen = BTreeSet::new();
    every_plan(gpu, |primitive, _, plan| {
        for contract in gpu.contracts(plan, ExecutableOptions::default()) {
            let name = &contract.name;
            let row = rows.iter().position(|row| (row.primitive, row.buffer) == (primitive, name));
            let row =
                row.with_context(|| format!("the table has no row for `{name}` of {primitive}"))?;
            seen.insert(row);
            agrees(&rows[row], &contract)?;
        }
        Ok(())
    })?;
    let unseen: Vec<_> = rows
        .iter()
        .enumerate()
        .filter(|(row, _)| !seen.contains(row))
        .map(|(_, r)| (r.primitive, r.buffer))
        .collect();
    ensure!(unseen.is_empty(), "the table has rows without a primitive: {unseen:?}");
    ensure!(!rows.is_empty(), "the document has no contract table");
    Ok(())
}

fn agrees(row: &Row, contract: &BufferContract) -> Result<()> {
    ensure!(
        contract.usage == vk::BufferUsageFlags::STORAGE_BUFFER,
        "expected only the usage STORAGE_BUFFER, found {contract:?}"
    );
    for (documented, used) in row.uses.iter().zip([contract.first_use, contract.last_use]) {
        // A sort by one workgroup does not use `keys.other` and `values.other`.
        let Some(used) = used else { continue };
        ensure!(
            used.stages == Stages::COMPUTE_SHADER,
            "expected only compute shaders, found {contract:?}"
        );
        ensure!(
            documented.contains(used.access),
            "the table allows {documented:?}, but the contract is {contract:?}"
        );
    }
    Ok(())
}

fn workspaces_need_only_documented_usages(gpu: &Gpu) -> Result<()> {
    use vk::BufferUsageFlags as Usage;
    every_plan(gpu, |_, counted, plan| {
        let needs = gpu.workspace_requirements(plan)?;
        let allowed = match counted {
            Counted::Host(_) => Usage::STORAGE_BUFFER,
            _ => Usage::STORAGE_BUFFER | Usage::INDIRECT_BUFFER | Usage::TRANSFER_DST,
        };
        // Recordings also upload splitters and other tables to the workspace.
        ensure!(
            (allowed | Usage::TRANSFER_DST).contains(needs.usage),
            "expected at most {allowed:?} and TRANSFER_DST, found {needs:?}"
        );
        ensure!(
            needs.memory_type_bits != 0 && needs.alignment >= 16,
            "the requirements have no memory type or a small alignment: {needs:?}"
        );
        Ok(())
    })
}

fn invalid_recordings_are_rejected(gpu: &Gpu) -> Result<()> {
    let mut work = gpu.work("sums");
    work.set_policy(quick(gpu.policy()));
    let [src, dst] = ["src", "dst"].map(|name| work.import::<u32>(name, 100));
    let count = work.count("count", 100);
    let transient = work.transient::<u32>("sums", 100);
    work.scan(src.first(count), transient, &Scan::default())?;
    work.copy(transient, dst)?;
    let executable = work.executable(ExecutableOptions::default())?;
    let (src_array, dst_array) = (gpu.zeroed::<u32>(100)?, gpu.zeroed::<u32>(100)?);
    let [src_at, dst_at] = [&src_array, &dst_array].map(|array| BufferAt::new(array.raw(), 0));
    let both = [src.at(src_at), dst.at(dst_at)];
    let refused = |imports: &[(Buffer, BufferAt)], options: &RecordOptions<'_>| {
        // SAFETY: the call is rejected before a command is recorded.
        unsafe { executable.record_with(vk::CommandBuffer::null(), imports, options) }
    };
    let stranger = gpu.work("other").import::<u32>("keys", 100);
    let odd = BufferAt::new(vk::Buffer::null(), 4);
    for (imports, expected) in [
        (&both[..1], "no buffer was given for import `dst`"),
        (&[both[0], both[1], both[0]], "more than one buffer was given for import `src`"),
        (&[both[0], stranger.at(dst_at)], "no buffer was given for import `dst`"),
        (&[both[0], both[1], stranger.at(dst_at)], "the plan has no import"),
        (&[both[0], both[1], transient.at(dst_at)], "the plan has no import"),
        (&[both[0], dst.at(odd)], "4, the offset or address of `dst`, is not a multiple of"),
        (&[both[0], dst.at(BufferAt::Address(256))], "give a buffer for `dst`"),
        (&[both[0], dst.at(src_at)], "another import overlaps import `dst`"),
    ] {
        expect_message(refused(imports, &RecordOptions::default()), expected)?;
    }
    let value = |pass, bytes| [PassValue { pass, bytes }];
    let (long, unknown) = (value("count", &[0; 8]), value("cuont", &[0; 4]));
    let good = RecordOptions::default();
    let long = refused(&both, &RecordOptions { values: &long, ..good });
    expect_message(long, "`count` takes a value of 4 bytes, but 8 bytes were given")?;
    let unknown = refused(&both, &RecordOptions { values: &unknown, ..good });
    expect_message(unknown, "`sums` has no pass or count `cuont`")?;
    let late = refused(&both, &RecordOptions { frame: Some(1), ..good });
    expect_message(late, "frame 1 does not exist; the executable has 1 frames in flight")?;
    work.entry(transient, Scope::TRANSFER_WRITE);
    expect_errors! {
        work.executable(ExecutableOptions::default()) => Graph(error)
            if error.to_string().contains("`sums` has an entry or exit scope"),
    }
    Ok(())
}
