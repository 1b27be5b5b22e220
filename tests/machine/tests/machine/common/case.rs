//! A plan with inputs and expected outputs, and its execution on the machine.

use super::primitives::LANE_ORDER;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use anyhow::{Result, ensure};
use multisplit::graph::Plan;
use multisplit_machine::{AtomicOrder, Coverage, Machine, Options, PlanOptions, Schedule, Swap};

/// The name of an import, and words of it.
pub type Named = (&'static str, Vec<u32>);

/// Checks outputs that are not simply compared with expected words. The argument returns the words
/// of an output by name. Returns a description of the error, if any.
pub type Verify = Arc<dyn Fn(&dyn Fn(&str) -> Vec<u32>) -> Option<String> + Send + Sync>;

/// A plan with its inputs and expected outputs, by import name.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub plan: Plan,
    pub inputs: Vec<Named>,
    /// The expected words. Words beyond them are not compared.
    pub outputs: Vec<Named>,
    /// Whether kernels rank by lane order.
    pub lane_order: bool,
    /// Set if kernels may time out: the output and index of the word that they then set. If that
    /// word is nonzero, outputs are not compared.
    pub may_give_up: Option<(&'static str, usize)>,
    pub verify: Option<Verify>,
    /// Words that must not depend on the schedule, such as statistics of a search.
    pub steady: Vec<(&'static str, Range<usize>)>,
}

/// The values of a specialization constant in the kernels of a plan that have it.
pub fn specialized(plan: &Plan, name: &str) -> impl Iterator<Item = u32> {
    plan.steps().iter().filter_map(move |step| {
        let constant = step.pass.kernel.as_ref()?.interface().spec_constant(name)?;
        let values = &step.pass.specialization;
        values.iter().find(|(id, _)| *id == constant.id).map(|(_, value)| *value)
    })
}

impl Case {
    /// Options for two or three runs, so that the last one is an odd or an even one. Plans that
    /// cannot be replayed run once.
    pub fn replays(&self, twice: bool) -> PlanOptions {
        let runs = match (self.plan.is_replayable(), twice) {
            (false, _) => 1,
            (true, true) => 2,
            (true, false) => 3,
        };
        PlanOptions { runs, ..PlanOptions::default() }
    }

    fn input(&self, name: &str) -> Option<&[u32]> {
        let mut inputs = self.inputs.iter();
        inputs.find(|(input, _)| *input == name).map(|(_, words)| words.as_slice())
    }
}

/// The outcome of a run.
pub struct Outcome {
    /// The findings and wrong outputs, if any.
    pub problem: Option<String>,
    pub steps: u64,
    pub coverage: Coverage,
    /// The words that must be the same under every schedule.
    pub steady: Vec<u32>,
}

/// Whether all workgroups make progress, so that no kernel may time out.
fn is_fair(options: &Options) -> bool {
    let at_random = matches!(options.schedule, Schedule::Random | Schedule::Stalls);
    at_random && options.resident >= Options::new(options.width).resident
}

/// Runs a case. `replace` lists replacement kernels by label. If there is no problem, but unordered
/// additions to shared memory were found, runs the case again with some of them swapped.
pub fn run(
    case: &Case,
    options: &Options,
    plan_options: PlanOptions,
    replace: &[(&str, &[u32])],
) -> Result<Outcome> {
    let (mut outcome, swaps, _) = run_swapped(case, options, plan_options, replace, &[])?;
    let chosen = disjoint(&swaps);
    if outcome.problem.is_some() || chosen.is_empty() {
        return Ok(outcome);
    }
    let (other, _, swapped) = run_swapped(case, options, plan_options, replace, &chosen)?;
    if let Some(problem) = other.problem.filter(|_| swapped) {
        let count = chosen.len();
        let what = format!("with {count} pairs of unordered additions swapped:\n{problem}");
        outcome.problem = Some(what);
    }
    Ok(outcome)
}

/// Picks disjoint pairs of additions in the last pass that has pairs, from the last sixteenth of
/// each workgroup's pairs. Swapping earlier pairs could change the additions that follow.
fn disjoint(swaps: &[Swap]) -> Vec<Swap> {
    let Some(pass) = swaps.last().map(|swap| swap.pass) else { return Vec::new() };
    let mut groups = BTreeMap::<u64, Vec<&Swap>>::new();
    for swap in swaps.iter().filter(|swap| swap.pass == pass) {
        groups.entry(swap.group).or_default().push(swap);
    }
    let mut taken = HashSet::new();
    let mut chosen = Vec::new();
    for all in groups.values() {
        for swap in all.iter().skip(all.len() * 15 / 16) {
            if swap.numbers.iter().all(|number| !taken.contains(number)) {
                taken.extend(swap.numbers);
                chosen.push(**swap);
            }
        }
    }
    chosen
}

/// Inputs that may have any values. If a plan runs more than once, its earlier runs get them in
/// another order, so that what they leave in kept buffers differs from what the last run needs. All
/// other inputs are the same in every run.
const DATA: [&str; 2] = ["src", "keys"];

/// The words in the order of a run before the last one: rotated by `left` of `runs` equal parts, which
/// keeps the halves of 64-bit elements together.
fn rotated(words: &[u32], left: u32, runs: u32) -> Vec<u32> {
    let mut words = words.to_vec();
    let middle = words.len() / 2 * left as usize / runs as usize * 2;
    words.rotate_left(middle);
    words
}

/// Runs a case with some pairs of additions swapped. Also returns the pairs that could be swapped,
/// and whether the requested pairs were swapped.
fn run_swapped(
    case: &Case,
    options: &Options,
    plan_options: PlanOptions,
    replace: &[(&str, &[u32])],
    swaps: &[Swap],
) -> Result<(Outcome, Vec<Swap>, bool)> {
    let mut options = *options;
    if case.lane_order {
        options.atomics = AtomicOrder::Lane;
    }
    let mut machine = Machine::new(options);
    if case.lane_order {
        machine.specialize(LANE_ORDER.0, LANE_ORDER.1)?;
    }
    for (label, words) in replace {
        machine.replace(label, words.to_vec());
    }
    let mut bound = Vec::new();
    for (_, import, _) in case.plan.imports() {
        let name = import.name.as_str();
        let buffer = match case.input(name) {
            Some(words) => machine.upload(name, words),
            None => machine.buffer(name, import.size),
        };
        bound.push((name, buffer));
    }
    machine.swaps.want(swaps);
    machine.run_after(&case.plan, &bound, plan_options, |machine, run| {
        for (name, buffer) in bound.iter().filter(|_| plan_options.runs > 1) {
            let Some(words) = case.input(name) else { continue };
            let left = if DATA.contains(name) { plan_options.runs - 1 - run } else { 0 };
            machine.replace_words(*buffer, &rotated(words, left, plan_options.runs));
        }
    })?;
    let mut problem = (!machine.findings.is_empty()).then(|| machine.findings.to_string());
    let words = |name: &str| {
        let buffer = bound.iter().find(|(n, _)| *n == name);
        buffer.map(|(_, buffer)| machine.download(*buffer).to_vec()).unwrap_or_default()
    };
    let word = |(name, at): (&str, usize)| words(name).get(at).copied();
    let gave_up = case.may_give_up.and_then(word).is_some_and(|word| word != 0);
    if gave_up && is_fair(&options) {
        problem
            .get_or_insert_default()
            .push_str("the kernels timed out although all workgroups make progress\n");
    }
    for (name, expected) in case.outputs.iter().filter(|_| !gave_up) {
        let held = words(name);
        let wrong = held.iter().zip(expected).position(|(a, b)| a != b);
        if let Some(at) = wrong {
            let (held, expected) = (held[at], expected[at]);
            let what = format!("`{name}` word {at} is {held:#x}, expected {expected:#x}\n");
            problem.get_or_insert_default().push_str(&what);
        }
    }
    let verified = case.verify.as_ref().filter(|_| !gave_up).and_then(|verify| verify(&words));
    if let Some(what) = verified {
        problem.get_or_insert_default().push_str(&format!("{what}\n"));
    }
    let mut steady = Vec::new();
    for (name, range) in case.steady.iter().filter(|_| !gave_up) {
        steady.extend(words(name).get(range.clone()).unwrap_or_default());
    }
    let Machine { steps, coverage, swaps, .. } = machine;
    let outcome = Outcome { problem, steps, coverage, steady };
    Ok((outcome, swaps.found().to_vec(), swaps.swapped()))
}

/// Runs a case and fails if there is a problem.
pub fn check(case: &Case, options: &Options) -> Result<Outcome> {
    let outcome = run(case, options, PlanOptions::default(), &[])?;
    if let Some(problem) = &outcome.problem {
        ensure!(false, "{} with {options:?}:\n{problem}", case.name);
    }
    Ok(outcome)
}
