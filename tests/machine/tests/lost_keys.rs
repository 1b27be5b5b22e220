//! The kernel that lost keys on an NVIDIA H200 (docs/performance.md, 23): what does the machine say?
mod common;
use anyhow::Result;
use common::case::*;
use common::primitives::*;
use multisplit::KeyType;
use multisplit::primitives::multisplit::{Method, TileShape};
use multisplit_machine::*;

const OLD: [(&str, &[u8]); 1] = [(
    "multisplit.block.postscan.pairs",
    include_bytes!("modules/before-27112e0.multisplit.block.postscan.pairs.spv"),
)];

#[test]
fn old_kernel() -> Result<()> {
    let old: Vec<(&str, Vec<u32>)> = OLD
        .iter()
        .map(|(l, b)| (*l, b.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()))
        .collect();
    let replace: Vec<(&str, &[u32])> = old.iter().map(|(l, w)| (*l, w.as_slice())).collect();
    for lane_order in [false, true] {
        for ((subgroups, turns), m) in [(2, 1), (4, 2), (4, 1)].into_iter().zip([98, 213, 3]) {
            let device = Device { width: 32, lane_order };
            for (method, gives) in [(Method::ReducedBitSort, Gives::Pairs(1)), (Method::Block, Gives::Pairs(2)), (Method::Block, Gives::Pairs(4))] {
            let of = SplitCase { key: KeyType::U32, gives, method, function: Function::Delta, buckets: m, n: 7300 + 27 * u64::from(m), turns, on_device: false, by_votes: false };
            let case = split_case_with(device, of, |policy| {
                let shape = TileShape::new(subgroups * 32, 8).in_turns(turns);
                policy.split.block_keys = [shape; 8];
                policy.split.block_pairs = [shape; 8];
                policy.split.onesweep = [shape; 8];
                policy.split.warp = shape;
                policy.split.most_buckets_direct = 0;
                policy.split.least_keys = 4096;
            })?;
            let labels: Vec<String> = case.plan.steps().iter().map(|s| s.pass.kernel.as_ref().map(|k| k.label().to_owned()).unwrap_or_default()).collect();
            eprintln!("{}\n  {}", case.name, labels.join(" "));
            for reconvergence in [Reconvergence::Maximal, Reconvergence::SubgroupUniform, Reconvergence::WorkgroupUniform] {
            for schedule in [Schedule::InOrder, Schedule::Reversed, Schedule::Random] {
                let options = Options { schedule, reconvergence, ..Options::new(32) };
                for (what, replace) in [("old", replace.as_slice()), ("new", &[])] {
                    let outcome = run(&case, &options, PlanOptions::default(), replace)?;
                    if let Some(p) = outcome.problem { eprintln!("  {what} {reconvergence:?} {schedule:?}: {:.900}", p); }
                }
            }
            }
            }
        }
    }
    Ok(())
}
