//! Look-back without tickets, as on NVIDIA GPUs. The workgroups of earlier tiles are held back
//! until all other workgroups have ended. The others must time out and recompute the missing tiles.

use crate::common::case::{Case, check, specialized};
use crate::common::primitives::Device;
use crate::common::segments::{self, SegmentsCase};
use crate::common::selects::{self, Also, SelectCase};
use crate::common::setup::Parameters as _;
use crate::common::terms::{How, TermCase};
use anyhow::{Result, ensure};
use multisplit::{KeyType, Operator};
use multisplit_machine::{Options, Schedule};

/// Widths at which the policy of these tests does not use tickets.
const WIDTHS: [u32; 3] = [8, 32, 128];
/// Minimum number of tiles, each with a workgroup of one subgroup. There are more tiles than
/// held-back and resident workgroups together.
const TILES: u64 = 6;
/// Maximum number of elements per thread in the tested kernels.
const MAX_ITEMS: u64 = 40;

/// Cases for every operation that uses look-back.
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
        let of = SelectCase { wide: false, by, also, on_device: false, n, small: false, subgroups };
        cases.push(of.case(device)?);
    }
    Ok(cases)
}

#[test]
fn tiles_held_back_are_recomputed_by_successors() -> Result<()> {
    for width in WIDTHS {
        for case in cases(width)? {
            let tickets = specialized(&case.plan, "TICKETS").collect::<Vec<_>>();
            ensure!(tickets == [0], "{}: {tickets:?}", case.name);
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
