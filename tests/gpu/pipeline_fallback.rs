//! Plans take another form if a pipeline cannot be created. A test hook makes pipelines fail.

use std::cell::Cell;

use multisplit::{FailingPipelines, PipelineFallback, PlanForm};
use multisplit_tests::prelude::*;

tests!(pipeline_fallback:
    small_tiles_replace_large_workgroups_that_fail, stages_replace_look_back_that_fails,
    recorded_work_returns_an_error_and_is_declared_again, failure_of_every_form_is_an_error,
    plans_of_an_earlier_form_do_not_skip_a_form, failing_steps_change_the_form_once,
    fallback_can_be_turned_off,
    failure_of_a_callers_kernel_does_not_change_the_form,
);

const N: usize = 20_011;

/// A context on which some pipelines fail until this is dropped.
struct Failing<'c>(&'c Context);

impl<'c> Failing<'c> {
    /// Makes pipelines fail if the label of their kernel contains `label` and their workgroups have
    /// more than `max_threads` threads.
    fn new(context: &'c Context, label: &str, max_threads: u32) -> Result<Self> {
        let failing = FailingPipelines { label: label.to_owned(), max_threads };
        context.fail_pipelines(Some(failing))?;
        Ok(Self(context))
    }
}

impl Drop for Failing<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.fail_pipelines(None) {
            eprintln!("cannot turn off the failing pipelines: {error}");
        }
    }
}

fn sums(keys: &[u32]) -> Vec<u32> {
    terms::scan(Operator::Sum, true, keys)
}

/// Sorts, scans and selects, and compares the results with the CPU's.
fn check_calls(context: &Context, keys: &[u32]) -> Result<()> {
    expect_equal(&context.sort(keys)?, &reference::sorted(keys))?;
    let scanned = context.scan_with(keys, &Scan::inclusive(Operator::Sum))?;
    expect_equal(&scanned, &sums(keys))?;
    let large: Vec<u32> = keys.iter().copied().filter(|&key| key >= 1 << 31).collect();
    expect_equal(&context.select(keys, &Select::at_least(1 << 31))?, &large)
}

fn small_tiles_replace_large_workgroups_that_fail(gpu: &Gpu) -> Result<()> {
    let keys = uniform(N, 1);
    let _failing = Failing::new(gpu, "", 128)?;
    ensure!(gpu.plan_form() == PlanForm::Usual && gpu.pipeline_failures().is_empty());
    check_calls(gpu, &keys)?;
    expect_value("the form", &gpu.plan_form(), &PlanForm::SmallTiles)?;
    let failures = gpu.pipeline_failures();
    let forms: Vec<_> = failures.iter().map(|failure| failure.form).collect();
    expect_value("the list of forms", &forms, &[PlanForm::SmallTiles])?;
    let policy = gpu.policy();
    let are_small = policy.threads <= 128 && policy.sort.small.items <= 4;
    ensure!(are_small, "the tiles are not small: {policy:?}");
    // The form is kept.
    check_calls(gpu, &keys)?;
    ensure!(gpu.pipeline_failures() == failures);
    Ok(())
}

fn stages_replace_look_back_that_fails(gpu: &Gpu) -> Result<()> {
    // More elements than a single workgroup scans.
    let keys = uniform(10 * N, 2);
    let mut policy = gpu.policy();
    policy.sort.auto = SortMethod::OneSweep;
    (policy.sort.few_keys, policy.sort.small.items) = (0, 1);
    let context = gpu.with_policy(policy)?;
    for label in ["scan.lookback", "sort.round"] {
        let _failing = Failing::new(&context, label, 0)?;
        expect_equal(&context.sort(&keys)?, &reference::sorted(&keys))?;
        let scanned = context.scan_with(&keys, &Scan::inclusive(Operator::Sum))?;
        expect_equal(&scanned, &sums(&keys))?;
        let forms: Vec<_> = context.pipeline_failures().iter().map(|one| one.form).collect();
        let expected = [PlanForm::SmallTiles, PlanForm::Staged];
        expect_value(format!("{label}: the list of forms"), &forms, &expected)?;
    }
    Ok(())
}

fn recorded_work_returns_an_error_and_is_declared_again(gpu: &Gpu) -> Result<()> {
    let keys = uniform(N, 3);
    let array = gpu.upload(&keys)?;
    let record = || {
        let mut work = gpu.work("sort");
        work.sort(&array, &Sort::ascending())?;
        work.record()
    };
    let failing = Failing::new(gpu, "", 128)?;
    let again = "declare the work again, the context now plans with small tiles";
    expect_errors! {
        record() => ref error @ Pipeline { next: Some(PlanForm::SmallTiles), .. }
            if error.to_string().contains(again),
    }
    record()?.submit()?;
    expect_equal(&gpu.download(&array)?, &reference::sorted(&keys))?;
    drop(failing);
    let _failing = Failing::new(gpu, "", 128)?;
    gpu.write(&array, 0, &keys)?;
    gpu.with_fallback(record)?.submit()?;
    expect_equal(&gpu.download(&array)?, &reference::sorted(&keys))
}

fn failure_of_every_form_is_an_error(gpu: &Gpu) -> Result<()> {
    let keys = uniform(N, 4);
    let failing = Failing::new(gpu, "scan.", 0)?;
    expect_errors! {
        gpu.scan(&keys) => ref error @ Pipeline { next: None, .. }
            if error.to_string().contains("update the driver"),
    }
    ensure!(gpu.plan_form() == PlanForm::Staged && gpu.pipeline_failures().len() == 2);
    // Other operations run in the last form.
    expect_equal(
        &[gpu.reduce(&keys, Operator::Max)?],
        &[*reference::sorted(&keys).last().unwrap_or(&0)],
    )?;
    drop(failing);
    ensure!(gpu.plan_form() == PlanForm::Usual);
    check_calls(gpu, &keys)
}

fn plans_of_an_earlier_form_do_not_skip_a_form(gpu: &Gpu) -> Result<()> {
    let keys = uniform(N, 7);
    let array = gpu.upload(&keys)?;
    let declared = |policy| {
        let mut work = gpu.work("sort");
        work.set_policy(policy);
        work.sort(&array, &Sort::ascending()).map(|()| work)
    };
    let _failing = Failing::new(gpu, "", 128)?;
    let usual = gpu.policy();
    let plan = declared(usual)?.plan()?;
    let failed = [
        declared(usual)?.record().map(drop),
        declared(usual)?.record().map(drop),
        gpu.instantiate(plan.clone()).map(drop),
        gpu.instantiate(plan).map(drop),
        gpu.with_fallback(|| declared(usual)?.record()).map(drop),
    ];
    for outcome in failed {
        expect_errors! { outcome => Pipeline { next: Some(PlanForm::SmallTiles), .. } }
    }
    ensure!(gpu.plan_form() == PlanForm::SmallTiles && gpu.pipeline_failures().len() == 1);
    declared(gpu.policy())?.record()?.submit()?;
    expect_equal(&gpu.download(&array)?, &reference::sorted(&keys))
}

fn failing_steps_change_the_form_once(gpu: &Gpu) -> Result<()> {
    let keys = uniform(N, 8);
    let array = gpu.upload(&keys)?;
    let plan = || {
        let mut work = gpu.work("sort");
        work.sort(&array, &Sort::ascending())?;
        work.plan()
    };
    let options = ExecutableOptions::default();
    let compile = |plan: &Plan| {
        let steps = 0..plan.steps().len();
        let outcomes = steps.map(|step| gpu.prepare_step(plan, step, options));
        outcomes.filter(Result::is_err).collect::<Vec<_>>()
    };
    let _failing = Failing::new(gpu, "", 128)?;
    let usual = plan()?;
    let errors = compile(&usual);
    ensure!(!errors.is_empty(), "all pipelines were created");
    for outcome in errors {
        expect_errors! { outcome => Pipeline { next: Some(PlanForm::SmallTiles), .. } }
    }
    ensure!(gpu.plan_form() == PlanForm::SmallTiles && gpu.pipeline_failures().len() == 1);
    let errors = compile(&plan()?);
    ensure!(errors.is_empty(), "pipelines of the new form failed: {errors:?}");
    Ok(())
}

fn fallback_can_be_turned_off(gpu: &Gpu) -> Result<()> {
    let context = gpu.open_with(|config| config.pipeline_fallback = PipelineFallback::Off)?;
    let _failing = Failing::new(&context, "", 128)?;
    expect_errors! { context.sort(&uniform(N, 5)) => Pipeline { next: None, .. } }
    ensure!(context.plan_form() == PlanForm::Usual && context.pipeline_failures().is_empty());
    Ok(())
}

fn failure_of_a_callers_kernel_does_not_change_the_form(gpu: &Gpu) -> Result<()> {
    const HEAVY: &str = "#version 460
        layout(local_size_x = 256) in;
        layout(set = 0, binding = 0) buffer Data { uint at[]; } data;
        void main() {
            uint i = gl_GlobalInvocationID.x;
            if (i < data.at.length()) data.at[i] += 1;
        }";
    let keys = uniform(N, 6);
    let array = gpu.upload(&keys)?;
    let _failing = Failing::new(gpu, "heavy", 128)?;
    let declared = Cell::new(0);
    let recorded = gpu.with_fallback(|| {
        declared.set(declared.get() + 1);
        let mut work = gpu.work("frame");
        work.sort(&array, &Sort::ascending())?;
        work.glsl("heavy", HEAVY)?.bind("data", &array).dispatch(threads(N as u64, 256));
        work.record()
    });
    let is_named = |error: &Error| {
        let text = error.to_string();
        text.contains("your kernel `heavy`") && text.contains("smaller workgroups")
    };
    expect_errors! {
        recorded => ref error @ Pipeline { next: None, is_callers: true, .. } if is_named(error),
    }
    expect_value("the number of declarations", &declared.get(), &1)?;
    ensure!(gpu.plan_form() == PlanForm::Usual && gpu.pipeline_failures().is_empty());
    check_calls(gpu, &keys)?;
    // A GLSL operator is part of a kernel of this library, whose sizes depend on the form.
    let _failing = Failing::new(gpu, "", 128)?;
    let add = GlslOperator::new("uint combined(uint a, uint b) { return a + b; }", 0u32);
    let scanned = gpu.scan_with(&keys, &Scan::inclusive(&add))?;
    expect_equal(&scanned, &sums(&keys))?;
    expect_value("the form", &gpu.plan_form(), &PlanForm::SmallTiles)
}
