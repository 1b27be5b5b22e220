//! The documentation of the operations has a table of passes per operation; its numbers match the
//! plans.

use multisplit_tests::prelude::*;

tests!(family_cost: documented_pass_counts_match_the_plans, count_in_device_memory_adds_documented_passes);

const PAGE: &str = include_str!("../../docs/family.md");
const N: u64 = 200_000;
const SMALL: u64 = 100;
/// Number of digit passes of a 32-bit sort.
const ROUNDS: usize = 4;

/// The number of passes in the documentation's table row that begins with `row`.
fn documented_passes(row: &str) -> Result<usize> {
    let cost = PAGE.split("## Cost").nth(1).context("the page has no section `Cost`")?;
    let begin = format!("| {row}");
    let line = cost.lines().find(|line| line.starts_with(&begin));
    let line = line.with_context(|| format!("the page has no row `{row}`"))?;
    let cell =
        line.split('|').nth(2).context("the row has no cell with the number of passes")?.trim();
    let number = cell.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let number: usize =
        number.parse().with_context(|| format!("the cell `{cell}` does not contain a number"))?;
    Ok(if cell.contains("+ r") { number + ROUNDS } else { number })
}

/// Compares the table row with the plan that `add` declares.
fn check(
    gpu: &Gpu,
    method: ScanMethod,
    row: &str,
    add: impl FnOnce(&mut Graph, &Policy) -> multisplit::Result<()>,
) -> Result<()> {
    let mut graph = Graph::new("cost");
    let policy = Policy { scan: method, ..gpu.policy() };
    add(&mut graph, &policy)?;
    let plan = graph.compile(&gpu.limits())?;
    let labels: Vec<&str> = plan.steps().iter().map(|step| step.pass.label.as_str()).collect();
    let (found, documented) = (labels.len(), documented_passes(row)?);
    ensure!(
        found == documented,
        "`{row}`: {documented} passes are documented, but the plan has {found}: {labels:?}"
    );
    Ok(())
}

fn scans(gpu: &Gpu) -> Result<()> {
    let (back, then) = (ScanMethod::LookBack, ScanMethod::ReduceThenScan);
    let how = Scan::default();
    for (row, n, method) in [
        ("scan of few elements", SMALL, back),
        ("scan by look-back", N, back),
        ("scan by reduce-then-scan", N, then),
    ] {
        check(gpu, method, row, |graph, policy| {
            let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, n));
            scan(graph, policy, &how, &ScanBuffers::new(src, dst))
        })?;
    }
    for (row, method) in
        [("scan by key of k bytes, by look-back", back), ("scan by key, by reduce-then-scan", then)]
    {
        check(gpu, method, row, |graph, policy| {
            let [keys, src, dst] = ["keys", "src", "dst"].map(|name| graph.import::<u32>(name, N));
            scan(graph, policy, &how, &ScanBuffers::new(src, dst).keys(keys))
        })?;
    }
    for (row, method) in [
        ("reduce by key of n elements in r runs, by look-back", back),
        ("reduce by key, by reduce-then-scan", then),
    ] {
        check(gpu, method, row, |graph, policy| {
            let [keys, values, keys_out, values_out] =
                ["keys", "values", "keys_out", "values_out"].map(|n| graph.import::<u32>(n, N));
            let found = graph.import::<u32>("found", 1);
            let buffers = ReduceByKeyBuffers::new((keys, values), (keys_out, values_out), found);
            reduce_by_key(graph, policy, Operator::Sum, &buffers)
        })?;
    }
    Ok(())
}

fn documented_pass_counts_match_the_plans(gpu: &Gpu) -> Result<()> {
    scans(gpu)?;
    let method = gpu.policy().scan;
    for (row, n) in [("reduce of few elements", SMALL), ("reduce |", N)] {
        check(gpu, method, row, |graph, policy| {
            let (src, dst) = (graph.import::<u32>("src", n), graph.import::<u32>("dst", 1));
            let buffers = ReduceBuffers::new(src, dst).index(graph.import::<u32>("index", 1));
            reduce(graph, policy, Operator::Max, &buffers)
        })?;
    }
    for row in ["select of n elements", "partition", "lengths of k runs"] {
        check(gpu, method, row, |graph, policy| {
            let [src, dst, more] = ["src", "dst", "more"].map(|name| graph.import::<u32>(name, N));
            let buffers = SelectBuffers::new(src, dst, graph.import::<u32>("found", 1));
            match row {
                "partition" => {
                    select(graph, policy, &Select::less_than(7u32), &buffers.rejected(more))
                }
                "lengths of k runs" => {
                    let which = Select::<u32>::first_of_runs();
                    select(graph, policy, &which, &buffers.run_lengths(more))
                }
                _ => select(graph, policy, &Select::less_than(7u32), &buffers),
            }
        })?;
    }
    check(gpu, method, "search for n needles", |graph, policy| {
        let [sorted, needles, out] =
            ["sorted", "needles", "out"].map(|name| graph.import::<u32>(name, N));
        let buffers = SearchBuffers::new(sorted, needles, out);
        search(graph, policy, Search::LowerBound, &buffers)
    })?;
    check(gpu, method, "merge into n elements", |graph, policy| {
        let [first, second] = ["first", "second"].map(|name| graph.import::<u32>(name, N));
        let buffers = MergeBuffers::keys(first, second, graph.import::<u32>("out", 2 * N));
        merge(graph, policy, Merge::Ascending, &buffers)
    })?;
    check(gpu, method, "sort of rows of up to a tile", |graph, policy| {
        let keys = graph.import::<u32>("keys", N);
        let sort_of = Sort::ascending().rows(SMALL);
        sort(graph, policy, &sort_of, &SortBuffers::keys(keys)).map(|_| ())
    })?;
    check(gpu, method, "sort of segments with offsets on the device", |graph, policy| {
        let (keys, offsets) = (graph.import::<u32>("keys", N), graph.import::<u32>("offsets", 51));
        let buffers = SortBuffers::keys(keys).segments(offsets, 50);
        sort(graph, policy, &Sort::ascending(), &buffers).map(|_| ())
    })?;
    for length in [8, 1000] {
        let row = "reduce of s rows that have some lanes, a subgroup or a workgroup each";
        check(gpu, method, row, |graph, policy| {
            let src = graph.import::<u32>("src", N);
            let dst = graph.import::<u32>("dst", N / length);
            let buffers = SegmentedReduceBuffers::rows(src, length, dst);
            reduce_segments(graph, policy, Operator::Sum, &buffers)
        })?;
    }
    let mut rows = vec![("segmented reduce of s short segments", N / 10)];
    if gpu.properties().loop_limit().is_none() {
        rows.push(("segmented reduce of s long segments", 50));
    }
    for (row, segments) in rows {
        check(gpu, method, row, |graph, policy| {
            let [src, dst] =
                [("src", N), ("dst", segments)].map(|(name, n)| graph.import::<u32>(name, n));
            let offsets = graph.import::<u32>("offsets", segments + 1);
            let buffers = SegmentedReduceBuffers::new(src, offsets, dst);
            reduce_segments(graph, policy, Operator::Sum, &buffers)
        })?;
    }
    check(gpu, method, "top-k of short rows", |graph, policy| {
        let keys = graph.import::<u32>("keys", N);
        let [out, indices] = ["out", "indices"].map(|name| graph.import::<u32>(name, N / SMALL));
        let buffers = TopKBuffers::new(keys, out, indices);
        topk(graph, policy, &TopK::largest(1).rows(SMALL), &buffers).map(|_| ())
    })
}

fn count_in_device_memory_adds_documented_passes(gpu: &Gpu) -> Result<()> {
    let sentence = "A device count takes one pass more, of one workgroup, and another one that";
    ensure!(PAGE.contains(sentence));
    let policy = gpu.policy();
    let passes = |on_device: bool| -> Result<[usize; 3]> {
        let plan = |add: &dyn Fn(&mut Graph, Count) -> multisplit::Result<()>| -> Result<usize> {
            let mut graph = Graph::new("counts");
            let word = graph.import::<u32>("word", 1);
            let count = match on_device {
                true => Count::Device { buffer: word, index: 0, max: N },
                false => Count::Host(N),
            };
            add(&mut graph, count)?;
            Ok(graph.compile(&gpu.limits())?.steps().len())
        };
        let searched = plan(&|graph, n| {
            let [sorted, needles, out] =
                ["sorted", "needles", "out"].map(|name| graph.import::<u32>(name, N));
            let buffers = SearchBuffers::new(sorted, needles, out).count(n).sorted_count(n);
            search(graph, &policy, Search::LowerBound, &buffers)
        })?;
        let selected = plan(&|graph, n| {
            let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, N));
            let buffers = SelectBuffers::new(src, dst, graph.import::<u32>("found", 1)).count(n);
            select(graph, &policy, &Select::less_than(7u32), &buffers)
        })?;
        let reduced = plan(&|graph, n| {
            let (src, offsets) =
                (graph.import::<u32>("src", N), graph.import::<u32>("offsets", N + 1));
            let buffers = SegmentedReduceBuffers::new(src, offsets, graph.import::<u32>("dst", N));
            reduce_segments(graph, &policy, Operator::Sum, &buffers.count(n).elements(n))
        })?;
        Ok([searched, selected, reduced])
    };
    let (host, device) = (passes(false)?, passes(true)?);
    let [searched, selected, reduced] = host;
    // A selection has a second additional pass, which clears the state of its look-back.
    ensure!(
        device == [searched + 1, selected + 2, reduced + 1],
        "passes with host counts: {host:?}, with device counts: {device:?}"
    );
    Ok(())
}
