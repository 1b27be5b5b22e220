//! Tests of the probes: for lane order, which Vulkan does not guarantee, for subgroup barriers,
//! which do not work on some drivers, and for faulty devices. Policies rely on lane order only if
//! the device keeps it. The workaround for broken subgroup barriers works. Faulty devices are
//! refused.

use std::path::{Path, PathBuf};

use multisplit::operations::probe;
use multisplit::operations::split::{Method, Ranking};
use multisplit::shaders::Kernel;
use multisplit::shaders::compile::Source;
use multisplit::{DeviceFault, FaultyDevices, RankingChoice, SubgroupBarriers};
use multisplit_bench::network::{Grid, Weighting, dijkstra};
use multisplit_sssp::{DeviceNetwork, Solver};
use multisplit_tests::prelude::*;

use crate::sssp_methods::options;

tests!(probe:
    lane_order_is_kept_if_ranking_relies_on_it,
    sort_kernels_keep_lane_order_if_ranking_relies_on_it, configuration_selects_the_ranking,
    guaranteed_ranking_runs_no_probe, probe_result_is_stored_on_disk,
    subgroup_barriers_are_probed_once, kernels_are_correct_with_replaced_subgroup_barriers,
    kernels_that_need_subgroup_barriers_are_rejected,
    user_subgroup_barriers_synchronize_the_subgroup,
    device_passes_the_device_probe, faulty_device_is_refused_unless_allowed,
);

/// Runs the lane-order probe with several seeds. All results must be equal, and a policy may rely
/// on lane order only if no probe failed.
fn lane_order_is_kept_if_ranking_relies_on_it(gpu: &Gpu) -> Result<()> {
    let relied_on = gpu.policy().split.ranking == Ranking::LaneOrder;
    let tries = if gpu.is_software() && !gpu.full { 3 } else { 1000 };
    let mut failures = 0;
    for seed in 100..100 + tries {
        failures += u32::from(!probe::lane_order(gpu, seed)?);
    }
    let what = format!("{failures} of {tries} probes failed");
    ensure!(failures == 0 || !relied_on, "{what}, but the policy relies on lane order");
    ensure!(failures == 0 || failures == tries, "{what}; expected none or all");
    Ok(())
}

/// Runs sort kernels in which every tile verifies lane order.
fn sort_kernels_keep_lane_order_if_ranking_relies_on_it(gpu: &Gpu) -> Result<()> {
    let relied_on = gpu.policy().split.ranking == Ranking::LaneOrder;
    let kept = probe::sorts_keep_lane_order(gpu, 5)?;
    ensure!(kept || !relied_on, "the policy relies on lane order, which the device does not keep");
    ensure!(kept == gpu.keeps_lane_order());
    Ok(())
}

fn configuration_selects_the_ranking(gpu: &Gpu) -> Result<()> {
    let promised = gpu.open_with(|config| config.ranking = RankingChoice::Promised)?;
    ensure!(promised.policy() == promised.promised_policy());
    ensure!(promised.policy().split.ranking == Ranking::Ballots);
    let probed = gpu.open_with(|config| config.ranking = RankingChoice::Probed)?;
    // A policy for a software driver never relies on lane order unless the caller requests it.
    ensure!(!gpu.is_software() || probed.policy() == probed.promised_policy());
    Ok(())
}

fn guaranteed_ranking_runs_no_probe(gpu: &Gpu) -> Result<()> {
    let context = gpu.open_with(|config| config.ranking = RankingChoice::Promised)?;
    context.policy();
    ensure!(context.pipeline_count() == 0, "a probe was run");
    Ok(())
}

/// A second context reads the result of the first one's probe from disk. A damaged file is ignored
/// and replaced. A valid file is used even if its result contradicts the device.
fn probe_result_is_stored_on_disk(gpu: &Gpu) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let open = |cache: PipelineCache| {
        gpu.open_with(|config| {
            config.pipeline_cache = cache;
            config.ranking = RankingChoice::Probed;
        })
    };
    let kept = || PipelineCache::Folder(folder.path().to_owned());
    let first = open(kept())?;
    let found = first.policy();
    let file = match probe_files(folder.path(), "probe")?.collect::<Vec<_>>().as_slice() {
        // No file was written: contexts do not probe this device.
        [] => {
            ensure!(found.split.ranking == Ranking::Ballots && first.pipeline_count() == 0);
            return Ok(());
        }
        [file] => file.clone(),
        more => bail!("expected one probe result, found {more:?}"),
    };
    let second = open(kept())?;
    ensure!(second.policy() == found);
    ensure!(second.pipeline_count() == 0, "the device was probed again");
    let whole = std::fs::read_to_string(&file)?;
    std::fs::write(&file, &whole[..whole.len() - 3])?;
    let third = open(kept())?;
    ensure!(third.policy() == found);
    ensure!(third.pipeline_count() > 0, "the damaged file was used");
    ensure!(std::fs::read_to_string(&file)? == whole, "the damaged file was not replaced");
    let no = whole.replace("lane order kept", "lane order not kept");
    std::fs::write(&file, no)?;
    ensure!(open(kept())?.policy().split.ranking == Ranking::Ballots);
    Ok(())
}

/// Opens a context that stores its probe results in `folder`.
fn open_in(gpu: &Gpu, folder: &Path) -> Result<Context> {
    gpu.open_with(|config| {
        config.pipeline_cache = PipelineCache::Folder(folder.to_owned());
        config.faulty_devices = FaultyDevices::Refused;
    })
}

/// The files of stored probe results with this extension.
fn probe_files(folder: &Path, extension: &str) -> Result<impl Iterator<Item = PathBuf>> {
    let files = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let paths = files.into_iter().map(|file| file.path());
    Ok(paths.filter(move |path| path.extension().is_some_and(|e| e == extension)))
}

/// The file of a stored probe result with this extension.
pub fn probe_file(folder: &Path, extension: &str) -> Result<PathBuf> {
    probe_files(folder, extension)?.next().context("no probe result is on disk")
}

/// Opens a context with a stored probe result for subgroup barriers: `kept`, `replaced` or
/// `refused`.
fn open_with_barriers(gpu: &Gpu, folder: &Path, barriers: &str) -> Result<Context> {
    open_in(gpu, folder)?.subgroup_barriers();
    let file = probe_file(folder, "barriers")?;
    let text = std::fs::read_to_string(&file)?;
    let (head, _) = text
        .split_once("subgroup barriers ")
        .context("the file has no line about subgroup barriers")?;
    std::fs::write(&file, format!("{head}subgroup barriers {barriers}\n"))?;
    open_in(gpu, folder)
}

fn subgroup_barriers_are_probed_once(gpu: &Gpu) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let first = open_in(gpu, folder.path())?;
    ensure!(first.pipeline_count() == 0, "barriers were probed before a kernel needed them");
    let found = first.subgroup_barriers();
    ensure!(found != SubgroupBarriers::Refused);
    ensure!(first.pipeline_count() == 1 && first.subgroup_barriers() == found);
    let second = open_in(gpu, folder.path())?;
    let is_same = second.subgroup_barriers() == found;
    ensure!(is_same && second.pipeline_count() == 0, "the device was probed again");
    Ok(())
}

fn device_passes_the_device_probe(gpu: &Gpu) -> Result<()> {
    expect_value("the fault", &gpu.probe_device()?, &None)?;
    let folder = tempfile::tempdir()?;
    let first = open_in(gpu, folder.path())?;
    ensure!(first.pipeline_count() == 0, "the device was probed before the first plan");
    ensure!(first.reduce(&[1u32, 2], Operator::Sum)? == 3);
    let file = probe_file(folder.path(), "device")?;
    ensure!(std::fs::read_to_string(&file)?.ends_with("device passed\n"));
    let second = open_in(gpu, folder.path())?;
    let passes = second.probe_device()?.is_none();
    ensure!(passes && second.pipeline_count() == 0, "the device was probed again");
    Ok(())
}

/// The test edits the stored probe result to simulate a faulty device.
fn faulty_device_is_refused_unless_allowed(gpu: &Gpu) -> Result<()> {
    let folder = tempfile::tempdir()?;
    open_in(gpu, folder.path())?.probe_device()?;
    let file = probe_file(folder.path(), "device")?;
    let text = std::fs::read_to_string(&file)?;
    let reported = gpu.properties().subgroup_size;
    let lanes = DeviceFault::SubgroupSize { reported, observed: 2 };
    for (line, fault) in
        [("subgroups of 2", lanes), ("shared atomics wrong", DeviceFault::SharedAtomics)]
    {
        std::fs::write(&file, text.replace("device passed", line))?;
        let context = open_in(gpu, folder.path())?;
        for _ in 0..2 {
            expect_errors! {
                context.reduce(&[1u32, 2], Operator::Sum) =>
                    ref error @ FaultyDevice { fault: found, .. } if found == fault
                        && error.to_string().contains(&fault.to_string())
                        && error.to_string().contains("update"),
            }
        }
        ensure!(context.probe_device()? == Some(fault) && context.pipeline_count() == 0);
        let allowed = gpu.open_with(|config| {
            config.pipeline_cache = PipelineCache::Folder(folder.path().to_owned());
            config.faulty_devices = FaultyDevices::Used;
        })?;
        ensure!(allowed.reduce(&[1u32, 2], Operator::Sum)? == 3);
    }
    Ok(())
}

/// Runs a top-k, a warp-level split and searches for shortest paths. In these kernels, subgroups of
/// a workgroup execute different numbers of subgroup barriers.
fn check_uneven_kernels(context: &Context) -> Result<()> {
    let keys = uniform(20_000, 5);
    let mut sorted = keys.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    expect_equal(&context.topk(&keys, &TopK::largest(100))?.keys, &sorted[..100])?;
    let split = context.split(&keys, Buckets::delta(0, 1 << 28, 16).method(Method::Warp))?;
    let mut expected = keys;
    expected.sort_by_key(|key| key >> 28);
    expect_equal(&split.keys, &expected)?;
    let network = Grid::of_size(400).generate(Weighting::Own)?;
    let on_device = DeviceNetwork::upload(context, &network)?;
    for method in [multisplit_sssp::Method::BellmanFord, multisplit_sssp::Method::Multisplit] {
        let found = Solver::new(context, &on_device, &options(method))?.solve(0)?;
        expect_equal(&found.paths.distances, &dijkstra(&network, 0)?.distances)?;
    }
    Ok(())
}

fn kernels_are_correct_with_replaced_subgroup_barriers(gpu: &Gpu) -> Result<()> {
    // On a GPU, these kernels may be wrong without real subgroup barriers.
    if !gpu.is_software() {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let context = open_with_barriers(gpu, folder.path(), "replaced")?;
    ensure!(context.subgroup_barriers() == SubgroupBarriers::Replaced);
    check_uneven_kernels(&context)
}

fn kernels_that_need_subgroup_barriers_are_rejected(gpu: &Gpu) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let context = open_with_barriers(gpu, folder.path(), "refused")?;
    let keys = uniform(20_000, 5);
    let refused = context.split(&keys, Buckets::delta(0, 1 << 28, 16).method(Method::Warp));
    expect_message_parts(refused, &["subgroupBarrier()", "update the driver"])?;
    // A reduction does not need subgroup barriers.
    let greatest = terms::reduce(Operator::Max, &keys);
    expect_value("the greatest key", &context.reduce(&keys, Operator::Max)?, &greatest)
}

/// A minimal example of the bug described in docs/testing.md: on llvmpipe of Mesa 25 without a
/// workaround, all subgroups but the first write 0. All subgroups execute the same total number of
/// barriers, because on that driver a subgroup that ends early would end the others as well.
const MINIMAL: &str = "#version 460
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint at[]; } dst;
shared uint word;
void main() {
    if (gl_LocalInvocationIndex == 0) word = 0;
    barrier();
    if (gl_SubgroupID == 0) {
        for (uint i = 0; i < 4; ++i) subgroupBarrier();
        if (subgroupElect()) word = 1;
    }
    barrier();
    dst.at[gl_LocalInvocationIndex] = word;
    if (gl_SubgroupID != 0)
        for (uint i = 0; i < 4; ++i) subgroupBarrier();
}";

fn run_minimal(context: &Context) -> Result<Vec<u32>> {
    let kernel = Kernel::from_glsl("user.minimal", &Source::new("minimal.comp", MINIMAL))?;
    let mut graph = Graph::new("minimal");
    let dst = graph.import::<u32>("dst", 64);
    graph.pass("user.minimal", kernel).bind("dst", dst).dispatch(Groups::linear(1));
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let output = context.zeroed::<u32>(64)?;
    context.run(&executable, &[(dst, &output)])?;
    Ok(context.download(&output)?)
}

fn user_subgroup_barriers_synchronize_the_subgroup(gpu: &Gpu) -> Result<()> {
    expect_equal(&run_minimal(gpu)?, &[1; 64])?;
    // Without the workaround, the kernel must fail on exactly those devices on which the probe
    // fails.
    let folder = tempfile::tempdir()?;
    let words = run_minimal(&open_with_barriers(gpu, folder.path(), "kept")?)?;
    let found = gpu.subgroup_barriers();
    let is_right = (words == [1; 64]) == (found == SubgroupBarriers::Kept);
    ensure!(is_right, "the probe result is {found:?}, but the kernel wrote {words:?}");
    Ok(())
}
