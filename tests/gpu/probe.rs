//! What the policy relies on, and Vulkan does not promise, is so on this device.

use anyhow::{Result, ensure};
use multisplit::primitives::multisplit::Ranking;
use multisplit::primitives::probe;
use multisplit_tests::harness::Gpu;
use multisplit_tests::tests;

tests!(probe: atomics_go_in_the_order_of_lanes_where_ranking_relies_on_it);

/// Many more tries than a context makes when it is opened.
fn atomics_go_in_the_order_of_lanes_where_ranking_relies_on_it(gpu: &Gpu) -> Result<()> {
    let relied_on = gpu.context.policy().split.ranking == Ranking::LaneOrder;
    let tries = if gpu.is_software() && !gpu.full { 3 } else { 1000 };
    let mut exceptions = 0;
    for seed in 100..100 + tries {
        exceptions += u32::from(!probe::lane_order(&gpu.context, seed)?);
    }
    // A device that does otherwise is a device to rank by votes on, which the policy then does.
    ensure!(exceptions == 0 || !relied_on, "in {exceptions} of {tries} tries they did not");
    ensure!(exceptions == 0 || exceptions == tries, "only in {exceptions} of {tries} tries");
    Ok(())
}
