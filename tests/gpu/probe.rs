//! What the policy relies on, and Vulkan does not promise, is so on this device.

use anyhow::{Result, ensure};
use multisplit::primitives::multisplit::Ranking;
use multisplit::primitives::probe;
use multisplit::{PipelineCache, RankingChoice};
use multisplit_tests::harness::Gpu;
use multisplit_tests::tests;

tests!(
    probe:
    atomics_go_in_the_order_of_lanes_where_ranking_relies_on_it,
    sorts_are_tried_out_as_they_are,
    the_configuration_says_what_is_relied_on,
    nothing_is_tried_out_where_only_promises_count,
    a_verdict_is_found_once_and_kept,
);

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

/// The kernels of sorts, every tile of which checks itself.
fn sorts_are_tried_out_as_they_are(gpu: &Gpu) -> Result<()> {
    let relied_on = gpu.context.policy().split.ranking == Ranking::LaneOrder;
    let kept = probe::sorts_keep_lane_order(&gpu.context, 5)?;
    ensure!(kept || !relied_on, "the device does not keep lane order, and is relied on");
    ensure!(kept == gpu.context.keeps_lane_order());
    Ok(())
}

fn the_configuration_says_what_is_relied_on(gpu: &Gpu) -> Result<()> {
    let promised = gpu.open_with(|config| config.ranking = RankingChoice::Promised)?;
    ensure!(promised.policy() == promised.promised_policy());
    ensure!(promised.policy().split.ranking == Ranking::Ballots);
    let probed = gpu.open_with(|config| config.ranking = RankingChoice::Probed)?;
    // Of a software driver it is not known: it is never relied on.
    ensure!(!gpu.is_software() || probed.policy() == probed.promised_policy());
    Ok(())
}

/// A context that is not to rely on what is probed submits nothing to find out.
fn nothing_is_tried_out_where_only_promises_count(gpu: &Gpu) -> Result<()> {
    let context = gpu.open_with(|config| config.ranking = RankingChoice::Promised)?;
    context.policy();
    ensure!(context.pipeline_count() == 0, "something was run");
    Ok(())
}

/// On a device that is tried out, the second context reads what the first has found, a damaged file
/// counts for nothing, and where nothing is kept nothing is written.
fn a_verdict_is_found_once_and_kept(gpu: &Gpu) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let open = |cache: PipelineCache| {
        gpu.open_with(|config| {
            config.pipeline_cache = cache;
            config.ranking = RankingChoice::Probed;
        })
    };
    let kept = || PipelineCache::Folder(folder.path().to_owned());
    let verdicts = || -> Result<Vec<_>> {
        let files = std::fs::read_dir(folder.path())?.collect::<std::io::Result<Vec<_>>>()?;
        let paths = files.into_iter().map(|file| file.path());
        Ok(paths.filter(|path| path.extension().is_some_and(|e| e == "probe")).collect())
    };
    let first = open(kept())?;
    let found = first.policy();
    let file = match verdicts()?.as_slice() {
        // Not a device that is tried out.
        [] => {
            ensure!(found.split.ranking == Ranking::Ballots && first.pipeline_count() == 0);
            return Ok(());
        }
        [file] => file.clone(),
        more => anyhow::bail!("{more:?}"),
    };
    let second = open(kept())?;
    ensure!(second.policy() == found);
    ensure!(second.pipeline_count() == 0, "tried out again");
    let whole = std::fs::read_to_string(&file)?;
    std::fs::write(&file, &whole[..whole.len() - 3])?;
    let third = open(kept())?;
    ensure!(third.policy() == found);
    ensure!(third.pipeline_count() > 0, "a damaged file was believed");
    ensure!(std::fs::read_to_string(&file)? == whole, "it was not written again");
    // What a run finds later counts from then on.
    let no = whole.replace("lane order kept", "lane order not kept");
    std::fs::write(&file, no)?;
    ensure!(open(kept())?.policy().split.ranking == Ranking::Ballots);
    Ok(())
}
