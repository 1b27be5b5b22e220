//! An observer receives a report of each run.

use std::sync::{Arc, Mutex};

use multisplit::{Observer, Run};
use multisplit_tests::prelude::*;

tests!(observe: every_run_is_reported, observer_of_runs_gets_no_pass_times);

/// Opens a context with an observer. Returns it with the list to which the observer adds each run.
fn observed(
    gpu: &Gpu,
    observer: impl FnOnce(Box<dyn Fn(Run) + Send + Sync>) -> Observer,
) -> Result<(Context, Arc<Mutex<Vec<Run>>>)> {
    let runs: Arc<Mutex<Vec<Run>>> = Arc::default();
    let list = runs.clone();
    let observer =
        observer(Box::new(move |run| list.lock().expect("no thread panicked").push(run)));
    Ok((gpu.open_with(|config| config.observer = Some(observer))?, runs))
}

fn every_run_is_reported(gpu: &Gpu) -> Result<()> {
    let (context, runs) = observed(gpu, Observer::new)?;
    let input = uniform(5000, 3);
    expect_equal(&context.scan(&input)?, &reference::exclusive_scan(&input))?;
    context.scan(&input)?;

    let runs = runs.lock().expect("no thread panicked");
    ensure!(runs.len() == 2, "expected two runs, found {runs:?}");
    for run in runs.iter() {
        let is_scan = run.plan == "scan" && run.before < run.after;
        ensure!(is_scan, "expected a run of `scan` that ends after it begins, found {run:?}");
        let has_pass = run.passes.iter().any(|pass| pass.label.starts_with("scan."));
        ensure!(has_pass, "the run has no pass of a scan: {run:?}");
        let passes: f64 = run.passes.iter().map(|pass| pass.nanoseconds).sum();
        let seen = (run.after - run.before).as_secs_f64() * 1e9;
        let right = passes > 0.0 && passes <= seen && run.nanoseconds == passes;
        ensure!(right, "passes took {passes} ns of a run of {seen} ns: {run:?}");
    }
    // The runs have the same order by the device's clock.
    ensure!(runs[0].begin_ticks < runs[1].begin_ticks, "the runs are not in order: {runs:?}");
    Ok(())
}

fn observer_of_runs_gets_no_pass_times(gpu: &Gpu) -> Result<()> {
    let (context, runs) = observed(gpu, Observer::of_runs)?;
    let input = uniform(5000, 3);
    expect_equal(&context.scan(&input)?, &reference::exclusive_scan(&input))?;
    let runs = runs.lock().expect("no thread panicked");
    let [run] = &runs[..] else { bail!("expected one run, found {runs:?}") };
    let seen = (run.after - run.before).as_secs_f64() * 1e9;
    let is_scan = run.plan == "scan" && run.passes.is_empty();
    ensure!(is_scan, "expected a run of `scan` without passes, found {run:?}");
    let is_sane = run.nanoseconds > 0.0 && run.nanoseconds <= seen;
    ensure!(is_sane, "expected more than 0 and at most {seen} ns: {run:?}");
    Ok(())
}
