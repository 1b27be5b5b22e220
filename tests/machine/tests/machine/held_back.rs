//! Look-back without tickets, as on NVIDIA GPUs. The workgroups of earlier tiles are held back
//! until all other workgroups have ended. The others must time out and recompute the missing tiles.

use crate::common::all::kernels;
use crate::common::case::{Case, check, run, specialized};
use crate::common::moves::{Payload, SortCase};
use crate::common::primitives::{Device, policy_of, random_words};
use crate::common::progress::full;
use crate::common::segments::{self, SegmentsCase};
use crate::common::selects::{self, Also, SelectCase};
use crate::common::setup::{Parameters as _, Setup};
use crate::common::terms::{How, TermCase};
use anyhow::{Context as _, Result, ensure};
use multisplit::graph::{Plan, Work};
use multisplit::operations::sort::SortMethod;
use multisplit::operations::{SegmentedReduceBuffers, reduce_segments};
use multisplit::{KeyType, Operator, Policy};
use multisplit_machine::{Options, PlanOptions, Schedule};

/// Widths at which the policy of these tests does not use tickets.
const WIDTHS: [u32; 3] = [8, 32, 128];
/// Minimum number of tiles, each with a workgroup of one subgroup. The device does not run all of
/// these workgroups at the same time.
const TILES: u64 = 6;
/// Maximum number of elements per thread in the tested kernels.
const MAX_ITEMS: u64 = 40;

/// Cases of scans, reductions by key and selections by look-back.
fn cases(width: u32) -> Result<Vec<Case>> {
    let device = Device { width, lane_order: false };
    let subgroups = Some(1);
    let n = TILES * MAX_ITEMS * u64::from(width) - 3;
    let mut cases = Vec::new();
    // Floats use another kernel, which combines sums in a fixed order.
    for key in [KeyType::U32, KeyType::U64, KeyType::F32] {
        let how = How::Scan { inclusive: false, look_back: true };
        let of = TermCase { how, n, subgroups, ..TermCase::new(key, Operator::Sum) };
        cases.push(of.case(device)?);
    }
    for way in [
        segments::Way::Scan { inclusive: true, look_back: true },
        segments::Way::Reduce { look_back: true },
    ] {
        // Segments longer than a tile, and segments so short that every tile contains several.
        for length in [5000, 3] {
            let of = SegmentsCase::new((KeyType::U32, Operator::Sum), segments::By::Keys);
            let of = SegmentsCase { way, length, n, subgroups, ..of };
            cases.push(of.case(device)?);
        }
    }
    for (by, also) in [
        (selects::By::LessThan(16), Also::Rejected),
        (selects::By::Heads, Also::Nothing),
        (selects::By::Heads, Also::Lengths),
    ] {
        let of = SelectCase { n, subgroups, ..SelectCase::new(by, also) };
        cases.push(of.case(device)?);
    }
    Ok(cases)
}

#[test]
fn tiles_held_back_are_recomputed_by_successors() -> Result<()> {
    for width in WIDTHS {
        for case in cases(width)? {
            let tickets = specialized(&case.plan, "TICKETS").collect::<Vec<_>>();
            ensure!(
                tickets == [0],
                "{}: expected one kernel, without tickets; TICKETS is {tickets:?}",
                case.name
            );
            let in_order = check(&case, &Options::new(width))?.steps;
            for (first, count, after) in [(0, 1, 0), (0, 3, 0), (1, 2, 2), (0, 3, 9), (2, 2, 40)] {
                let schedule = Schedule::HeldBack { first, count, after };
                let options = Options { schedule, seed: after + count, ..Options::new(width) };
                let steps = check(&case, &options)?.steps;
                let recomputes = after > 0 || steps > in_order;
                ensure!(
                    recomputes,
                    "{}: {steps} instructions, expected more than the {in_order} of a run in order",
                    case.name
                );
            }
        }
    }
    Ok(())
}

/// Minimum number of tiles of the cases in which a part of the workgroups is held back.
const MANY_TILES: u64 = 20;
/// Tiles of the sort among these cases, which has several passes and larger tiles.
const SORT_TILES: u64 = 12;
/// Percent of the workgroups that are held back until all others have ended.
const HELD_PERCENT: [u64; 4] = [0, 10, 25, 50];
/// Accesses and barriers after which workgroups stop: before they have done anything, while they
/// count, and before they write.
const AFTER: [u64; 3] = [0, 12, 60];
/// The instructions of a plan must increase by less than this factor. Each successor that needs a
/// missing tile recomputes it, until another one has published a prefix that includes it.
const MAX_FACTOR: f64 = 16.0;

/// Cases of operations that look back, with many tiles.
fn many_tiles(width: u32) -> Result<Vec<(&'static str, Case)>> {
    let device = Device { width, lane_order: false };
    let subgroups = Some(1);
    let n = MANY_TILES * MAX_ITEMS * u64::from(width) - 3;
    let how = How::Scan { inclusive: false, look_back: true };
    let scan = |key| TermCase { how, n, subgroups, ..TermCase::new(key, Operator::Sum) };
    let segments = |way| {
        let of = SegmentsCase::new((KeyType::U32, Operator::Sum), segments::By::Keys);
        SegmentsCase { way, length: 3, n, subgroups, ..of }
    };
    let select = SelectCase::new(selects::By::LessThan(16), Also::Rejected);
    let select = SelectCase { n, subgroups, ..select };
    let (n, method) = (SORT_TILES * device.tile() - 3, SortMethod::OneSweep);
    let words = Payload::Words(1);
    let sort = SortCase { n, ..SortCase::new(method, KeyType::U32, words, device.threads()) };
    Ok(vec![
        ("scan of u32", scan(KeyType::U32).case(device)?),
        ("scan of f32", scan(KeyType::F32).case(device)?),
        (
            "scan by key",
            segments(segments::Way::Scan { inclusive: true, look_back: true }).case(device)?,
        ),
        ("reduction by key", segments(segments::Way::Reduce { look_back: true }).case(device)?),
        ("partition", select.case(device)?),
        ("sort of pairs", sort.case(device)?),
    ])
}

/// The number of workgroups of the largest dispatch of a plan.
fn workgroups(case: &Case) -> u64 {
    let groups = case.plan.steps().iter().map(|step| match step.pass.work {
        Work::Dispatch(groups) => groups.into_iter().map(u64::from).product(),
        _ => 0,
    });
    groups.max().unwrap_or(0)
}

/// Prints the instructions of each operation as multiples of those without held-back workgroups.
#[test]
fn results_are_right_and_work_is_bounded_if_workgroups_are_held_back() -> Result<()> {
    const WIDTH: u32 = 8;
    // The sort, the last case, takes most of the time, so only a full run has it.
    let mut cases = many_tiles(WIDTH)?;
    if !full() {
        cases.pop();
    }
    println!("instructions with 0, 10, 25 and 50% of the workgroups held back");
    for (name, case) in cases {
        let total = workgroups(&case);
        ensure!(total >= SORT_TILES, "{name}: {total} workgroups, expected at least {SORT_TILES}");
        let mut factors = Vec::new();
        let mut unblocked = 0;
        for percent in HELD_PERCENT {
            let count = total * percent / 100;
            let mut most = 0;
            // The first workgroups are those that most others wait for.
            for (first, after) in AFTER.iter().map(|&after| (0, after)).chain([(total / 3, 12)]) {
                let schedule = Schedule::HeldBack { first, count, after };
                let resident = total as usize + 1;
                let options = Options { schedule, resident, ..Options::new(WIDTH) };
                most = check(&case, &options)?.steps.max(most);
                if count == 0 {
                    break;
                }
            }
            unblocked = if percent == 0 { most } else { unblocked };
            factors.push(most as f64 / unblocked as f64);
        }
        let shown: Vec<_> = factors.iter().map(|factor| format!("{factor:.2}")).collect();
        println!("{WIDTH:3} lanes, {total:3} workgroups, {name:20}  {}", shown.join("  "));
        ensure!(
            factors.iter().all(|&factor| factor < MAX_FACTOR),
            "{name}: the instructions increase by factors of {factors:?}, allowed: below {MAX_FACTOR}"
        );
    }
    Ok(())
}

/// A reduction of segments, most of them longer than a chunk. Workers poll the totals of chunks.
fn polled_segments(device: Device, by_subgroups: bool) -> Result<Case> {
    const OFFSETS: [u32; 6] = [0, 5, 300, 700, 710, 1003];
    let mut setup = Setup::new(device, "polled segments");
    let elements = random_words(1003, 1);
    let total = |of: &[u32]| {
        let segment = &elements[of[0] as usize..of[1] as usize];
        segment.iter().copied().fold(0, u32::wrapping_add)
    };
    let dst = setup.result("dst", OFFSETS.windows(2).map(total).collect());
    let offsets = setup.words("offsets", OFFSETS.to_vec());
    let src = setup.words("src", elements);
    let policy = Policy {
        segment_chunk: 64,
        min_subgroup_workers: if by_subgroups { 1 } else { u32::MAX },
        ..policy_of(device, Some(2))
    };
    let buffers = SegmentedReduceBuffers::new(src, offsets, dst);
    reduce_segments(&mut setup.graph, &policy, Operator::Sum, &buffers)?;
    setup.finish(format!("polled segments, by subgroups: {by_subgroups}"))
}

/// Disables the alternation of the states that workgroups publish. The third run then uses the same
/// states as the second one.
fn without_kept_status(plan: &Plan) -> Result<Plan> {
    let kernel = plan
        .steps()
        .iter()
        .find_map(|step| step.pass.kernel.as_ref().filter(|kernel| kernel.label() == POLLED));
    let constant = kernel.and_then(|kernel| kernel.interface().spec_constant("KEEPS_STATUS"));
    let id = constant
        .context("the plan has no kernel `reduce.polled_segments` with the constant KEEPS_STATUS")?
        .id;
    Ok(plan.broken_by(|plan| {
        for step in plan.steps.iter_mut().filter(|step| step.pass.label == POLLED) {
            step.pass.specialization.retain(|&(other, _)| other != id);
            step.pass.specialization.push((id, 0));
        }
    }))
}

const POLLED: &str = "reduce.polled_segments";

/// The status of chunks is kept from run to run. Totals of earlier runs, even and odd ones, count
/// as missing.
#[test]
fn polled_segments_ignore_totals_of_earlier_runs() -> Result<()> {
    let held = [(0, 3, 0), (0, 2, 12), (1, 3, 60)];
    let held = held.map(|(first, count, after)| Schedule::HeldBack { first, count, after });
    // Tiles of wider subgroups are so large that these segments need no polling.
    for width in [4, 8] {
        let device = Device { width, lane_order: false };
        for (by_subgroups, runs) in [(false, 1), (false, 2), (false, 3), (true, 2), (true, 3)] {
            let case = polled_segments(device, by_subgroups)?;
            ensure!(
                kernels(&case).iter().any(|label| label == POLLED),
                "{} does not run {POLLED}",
                case.name
            );
            let problem = |case: &Case, schedule| -> Result<Option<String>> {
                let options = Options { schedule, ..Options::new(width) };
                let again = PlanOptions { runs: runs as u32, ..PlanOptions::default() };
                Ok(run(case, &options, again, &[])?.problem)
            };
            for schedule in [Schedule::InOrder, Schedule::Random].into_iter().chain(held) {
                let problem = problem(&case, schedule)?;
                ensure!(problem.is_none(), "{}, {schedule:?}: {problem:?}", case.name);
            }
            if runs == 3 {
                let broken = Case { plan: without_kept_status(&case.plan)?, ..case };
                let problem = problem(&broken, held[0])?.unwrap_or_default();
                ensure!(
                    problem.contains("`dst` word"),
                    "{}: expected a wrong word of `dst`, found {problem:?}",
                    broken.name
                );
            }
        }
    }
    Ok(())
}
