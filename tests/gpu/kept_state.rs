//! Kernels keep status words in the workspace from one run to the next. This test submits one
//! recording many times with different data. On software drivers, each operation has several tiles.

use std::sync::Arc;

use multisplit_tests::generate::runs;
use multisplit_tests::prelude::*;

tests!(kept_state: repeated_runs_with_changing_data_match_the_cpu);

const N: usize = 5003;
const HALF: u32 = 1 << 31;

fn repeated_runs_with_changing_data_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let lanes = gpu.properties().subgroup_size;
    for tickets in gpu.cases([false, true]) {
        let policy = Policy {
            tickets,
            threads: lanes,
            select_threads: lanes,
            by_key_threads: lanes,
            single_group_tiles: 0,
            spine_tiles: 1,
            ..gpu.policy()
        };
        let mut setup = Setup::new(gpu, "kept state");
        let (words, data) =
            (setup.input("words", &uniform(N, 0)), setup.input("data", &runs(N, 256, 0)));
        let floats = setup.input("floats", &vec![0f32; N]);
        let float_sums = setup.output::<f32>("float_sums", N);
        let [sums, selected, keys, totals, lengths, firsts] =
            ["sums", "selected", "keys", "totals", "lengths", "firsts"]
                .map(|name| setup.output::<u32>(name, N));
        let [count, by_key, run_count, sum, least, place] =
            ["count", "by_key", "run_count", "sum", "least", "place"]
                .map(|name| setup.output::<u32>(name, 1));

        let graph = &mut setup.graph;
        let inclusive = Scan::inclusive(Operator::Sum);
        scan(graph, &policy, &inclusive, &ScanBuffers::new(words, sums))?;
        scan(graph, &policy, &inclusive, &ScanBuffers::new(floats, float_sums))?;
        let below = Select::<u32>::less_than(HALF);
        select(graph, &policy, &below, &SelectBuffers::new(words, selected, count))?;
        let of_runs = SelectBuffers::new(data, firsts, run_count).run_lengths(lengths);
        select(graph, &policy, &Select::<u32>::first_of_runs(), &of_runs)?;
        let buffers = ReduceByKeyBuffers::new((data, words), (keys, totals), by_key);
        reduce_by_key(graph, &policy, Operator::Sum, &buffers)?;
        reduce(graph, &policy, Operator::Sum, &ReduceBuffers::new(words, sum))?;
        let least_word = ReduceBuffers::new(words, least).index(place);
        reduce(graph, &policy, Operator::Min, &least_word)?;
        graph.replayable();

        let executable = Arc::new(setup.executable()?);
        let plan = executable.plan();
        ensure!(plan.steps().len() == 7, "the plan has {} passes, expected 7", plan.steps().len());
        let mut replay = gpu.replay(executable, &setup.upload()?)?;
        for run in 0..if gpu.full { 10_000 } else { 16 } {
            let (now, of_runs) = (uniform(N, run), runs(N, 256, run));
            // These values have fractions, so their sums are rounded.
            let fractions: Vec<f32> = now.iter().map(|word| *word as f32 / 3e9).collect();
            setup.write(words, &now)?;
            setup.write(data, &of_runs)?;
            setup.write(floats, &fractions)?;
            // Submit one to three times without waiting in between, so that results of even and of
            // odd runs are checked.
            replay.submit(1 + run as u32 % 3)?;
            replay.wait()?;
            let (first, length) = reference::runs(&of_runs);
            let sums_of_runs =
                reference::segments(&now, &reference::offsets(length.iter().copied()))
                    .map(|run| terms::reduce(Operator::Sum, run))
                    .collect();
            let below: Vec<u32> = now.iter().copied().filter(|word| *word < HALF).collect();
            let expected_least = now.iter().copied().min().unwrap_or_default();
            let at = now.iter().position(|word| *word == expected_least).unwrap_or_default();
            let all = terms::scan(Operator::Sum, true, &now);
            for (name, buffer, expected) in [
                ("sum", sum, vec![all[N - 1]]),
                ("least", least, vec![expected_least]),
                ("place", place, vec![at as u32]),
                ("count", count, vec![below.len() as u32]),
                ("run count", run_count, vec![first.len() as u32]),
                ("by key", by_key, vec![first.len() as u32]),
                ("selected", selected, below),
                ("totals", totals, sums_of_runs),
                ("keys", keys, first.clone()),
                ("firsts", firsts, first),
                ("lengths", lengths, length),
                ("sums", sums, all),
            ] {
                let found: Vec<u32> = setup.found(buffer)?;
                expect_equal(&found[..expected.len()], &expected)
                    .with_context(|| format!("{name}, run {run}, tickets: {tickets}"))?;
            }
            let found: Vec<f32> = setup.found(float_sums)?;
            let mut exact = 0.0;
            for (at, (x, found)) in fractions.iter().zip(found).enumerate() {
                exact += f64::from(*x);
                expect_near(found, exact, 1e-5)
                    .with_context(|| format!("float sum {at} of run {run}"))?;
            }
        }
    }
    Ok(())
}
