//! The kernel that lost keys on an NVIDIA H200 (docs/performance-log.md, 23), as it was before it was
//! changed: does it do anything that is not allowed? It does not, as far as the machine can see, and
//! gives the right bytes.

mod common;

use anyhow::{Result, ensure};
use common::case::run;
use common::moves::{Function, Gives, SplitCase, split_case_with};
use common::primitives::Device;
use multisplit::KeyType;
use multisplit::primitives::multisplit::{Method, TileShape};
use multisplit_machine::{Options, PlanOptions, Reconvergence, Schedule};

const LABEL: &str = "multisplit.block.postscan.pairs";
const OLD: &[u8] = include_bytes!("modules/before-27112e0.multisplit.block.postscan.pairs.spv");

/// Values of 8 and 16 bytes in tiles of 64 x 8 and 128 x 8, several tiles a workgroup, with two
/// buckets a thread and with few: where keys were lost.
fn cases(width: u32, lane_order: bool) -> Result<Vec<common::case::Case>> {
    let mut cases = Vec::new();
    for ((subgroups, turns), buckets) in [(2, 1), (4, 2), (4, 1)].into_iter().zip([98, 213, 3]) {
        for (method, gives) in [
            (Method::ReducedBitSort, Gives::Pairs(1)),
            (Method::Block, Gives::Pairs(2)),
            (Method::Block, Gives::Pairs(4)),
        ] {
            let of = SplitCase {
                key: KeyType::U32,
                gives,
                method,
                function: Function::Delta,
                buckets,
                n: 7300 + 27 * u64::from(buckets),
                turns,
                on_device: false,
                by_votes: false,
            };
            let case = split_case_with(Device { width, lane_order }, of, |policy| {
                let shape = TileShape::new(subgroups * width, 8).in_turns(turns);
                policy.split.block_keys = [shape; 8];
                policy.split.block_pairs = [shape; 8];
                policy.split.onesweep = [shape; 8];
                policy.split.warp = shape;
                policy.split.max_buckets_direct = 0;
                policy.split.min_keys = 4096;
            })?;
            let runs_it = common::all::kernels(&case).iter().any(|label| label == LABEL);
            ensure!(runs_it, "{} does not run the kernel", case.name);
            cases.push(case);
        }
    }
    Ok(cases)
}

#[test]
fn nothing_is_found_in_the_kernel_that_lost_keys() -> Result<()> {
    let words: Vec<u32> =
        OLD.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let replace: [(&str, &[u32]); 1] = [(LABEL, &words)];
    for (lane_order, schedule, reconvergence) in [
        (true, Schedule::Reversed, Reconvergence::WorkgroupUniform),
        (false, Schedule::Random, Reconvergence::SubgroupUniform),
        (true, Schedule::Random, Reconvergence::Maximal),
    ] {
        for case in cases(32, lane_order)? {
            let options = Options { schedule, reconvergence, ..Options::new(32) };
            let outcome = run(&case, &options, PlanOptions::default(), &replace)?;
            ensure!(outcome.problem.is_none(), "{}: {:?}", case.name, outcome.problem);
        }
    }
    Ok(())
}
