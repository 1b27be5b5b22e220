//! Embedding into an application with its own device: the frame loop of the example with only the
//! barriers that the contract requires, the names of missing device features, and the pipeline
//! cache file of the first sort.

use multisplit::ash;
use multisplit::embed::BufferContract;
use multisplit::requirements::{Features, Missing, Requirements, Why};
use multisplit_tests::prelude::*;

use crate::example_frames::frames::{self, Barriers, Config, Report};
use crate::example_frames::host::Host;

tests!(embedding:
    frame_loop_needs_only_contract_barriers, missing_engine_barrier_is_reported,
    first_sort_writes_one_pipeline_cache_file, missing_device_features_are_named,
    public_types_are_send_and_sync,
);

/// Calls `body` with the application of the example, on the device under test and with validation
/// enabled. `body` must destroy everything that it creates from the device. Returns its result and
/// the validation messages.
fn with_host<T>(gpu: &Gpu, body: impl FnOnce(&Host) -> Result<T>) -> Result<(T, Vec<String>)> {
    let name = &gpu.properties().name;
    // SAFETY: a Vulkan driver is installed, and everything that `body` created was destroyed.
    unsafe {
        let host = Host::new(Some(name), true).map_err(|e| anyhow!("{e}"))?;
        let result = body(&host)?;
        Ok((result, host.destroy()))
    }
}

/// Like [`with_host`], but fails on any validation message.
pub fn with_silent_host(gpu: &Gpu, body: impl FnOnce(&Host) -> Result<()>) -> Result<()> {
    let ((), messages) = with_host(gpu, body)?;
    ensure!(messages.is_empty(), "{}", messages[0]);
    Ok(())
}

/// A policy with small tiles, which compile quickly: every context compiles its own pipelines.
pub fn quick(mut policy: Policy) -> Policy {
    policy.sort = policy.sort.with_shape(TileShape::new(128, 1));
    policy
}

fn config(gpu: &Gpu, barriers: Barriers) -> Config {
    let mut policy = quick(gpu.policy());
    // Small tiles, so that the sort has several passes. A sort by a single workgroup would write
    // its result over its input, and the layer does not report a missing barrier between that write
    // and another write.
    policy.sort.small = TileShape::new(128, 1);
    Config {
        frames: 6,
        particles: 3000,
        varying: true,
        barriers,
        pipeline_cache: PipelineCache::Off,
        policy: Some(policy),
    }
}

/// Runs the frame loop. Returns its report and the validation messages.
fn run(gpu: &Gpu, config: &Config) -> Result<(Report, Vec<String>)> {
    // SAFETY: the host outlives the loop.
    with_host(gpu, |host| unsafe { frames::run(host, config) }.map_err(|e| anyhow!("{e}")))
}

fn frame_loop_needs_only_contract_barriers(gpu: &Gpu) -> Result<()> {
    for barriers in [Barriers::Engine, Barriers::Recording] {
        for varying in [false, true] {
            let (report, messages) = run(gpu, &Config { varying, ..config(gpu, barriers) })?;
            ensure!(messages.is_empty(), "{barriers:?}: {}", messages[0]);
            ensure!(report.wrong.is_none(), "{barriers:?}: frame {:?} is wrong", report.wrong);
            ensure!(!report.sorting.is_zero(), "no time was measured");
        }
    }
    Ok(())
}

/// The options are chosen so that no other barrier replaces the missing one. With a varying
/// particle count or a one-sweep sort, the plan begins with other passes, whose barriers would hide
/// that the entry barrier is missing.
fn missing_engine_barrier_is_reported(gpu: &Gpu) -> Result<()> {
    for barriers in [Barriers::EngineWithoutEntry, Barriers::EngineWithoutExit] {
        let mut config = Config { frames: 1, varying: false, ..config(gpu, barriers) };
        if let Some(policy) = &mut config.policy {
            policy.sort.auto = SortMethod::Multisplit { radix_bits: 6 };
        }
        let (_, messages) = run(gpu, &config)?;
        let is_reported = messages.iter().any(|s| s.contains("SYNC-HAZARD"));
        ensure!(is_reported, "{barriers:?}: the layer did not report the missing barrier");
    }
    Ok(())
}

/// The second context reads the pipeline cache that the first one wrote. Prints the time from
/// adoption to the first recorded sort for both.
fn first_sort_writes_one_pipeline_cache_file(gpu: &Gpu) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let pipeline_cache = PipelineCache::Folder(folder.path().to_owned());
    let config = Config { frames: 0, pipeline_cache, ..config(gpu, Barriers::Engine) };
    let (cold, _) = run(gpu, &config)?;
    // The folder may also contain the result of the lane-order probe.
    let files: Vec<_> = std::fs::read_dir(folder.path())?.collect::<std::io::Result<_>>()?;
    let caches = files.iter().filter(|f| f.path().extension() == Some("pipelines".as_ref()));
    ensure!(caches.count() == 1, "expected one pipeline cache file, found {files:?}");
    let (warm, _) = run(gpu, &config)?;
    for (what, report) in [("cold", cold), ("warm", warm)] {
        let ours = report.first_sort.saturating_sub(report.pipelines);
        println!(
            "adopted to first recorded sort, {what} pipeline cache: {:.2} ms, and {:.2} ms of pipelines by the driver",
            1e3 * ours.as_secs_f64(),
            1e3 * report.pipelines.as_secs_f64(),
        );
    }
    Ok(())
}

fn missing_device_features_are_named(gpu: &Gpu) -> Result<()> {
    with_silent_host(gpu, expect_missing_names)
}

fn expect_missing_names(host: &Host) -> Result<()> {
    let (instance, physical) = (&host.instance, host.physical);
    let sync = |why| Missing::Feature {
        name: "synchronization2",
        structure: "VkPhysicalDeviceSynchronization2Features",
        why,
    };
    let check = |version, info: &vk::DeviceCreateInfo<'_>| {
        // SAFETY: valid structures that outlive the call.
        unsafe { Requirements::check_create_info(instance, physical, version, info) }
    };
    ensure!(host.check.missing.is_empty() && host.check.features.synchronization2);
    // If the validation layer is old, the host disables shaderMaximalReconvergence, which is then
    // reported as an unused feature.
    let left_out = |missing: &&Missing| match missing {
        Missing::Feature { name, .. } => *name == "shaderMaximalReconvergence",
        _ => false,
    };
    let unused: Vec<_> = host.check.unused.iter().filter(|missing| !left_out(missing)).collect();
    ensure!(unused.is_empty(), "features are reported as unused: {unused:?}");

    // A device without any enabled features.
    let bare = check(vk::API_VERSION_1_3, &vk::DeviceCreateInfo::default())?;
    expect_value("the list of missing features", &bare.missing, &[sync(Why::NotEnabled)])?;
    if host.check.features.push_descriptor {
        let (name, why) = (ash::khr::push_descriptor::NAME, Why::NotEnabled);
        let is_unused = bare.unused.contains(&Missing::Extension { name, why });
        ensure!(is_unused, "push descriptors are not among the unused features {:?}", bare.unused);
    }
    expect_message_parts(bare.into_result(), &["synchronization2 of VkPhysical", "not enabled"])?;

    // For Vulkan 1.2, the device must also enable the extension VK_KHR_synchronization2 and the
    // feature computeFullSubgroups.
    let mut feature = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
    let half = vk::DeviceCreateInfo::default().push_next(&mut feature);
    let (name, why) = (ash::khr::synchronization2::NAME, Why::NotEnabled);
    ensure!(check(vk::API_VERSION_1_3, &half)?.missing.is_empty());
    let older = check(vk::API_VERSION_1_2, &half)?.missing;
    let full = Missing::Feature {
        name: "computeFullSubgroups",
        structure: "VkPhysicalDeviceSubgroupSizeControlFeatures",
        why,
    };
    let expected = [Missing::Extension { name, why }, full];
    expect_value("the list of missing features", &older, &expected)?;
    ensure!(check(vk::API_VERSION_1_1, &half).is_err());

    // Features that the device does not support, and queue families that do not exist.
    let features = Features { portability_subset: true, ..host.check.features };
    let checked = |features, family| {
        // SAFETY: the physical device belongs to the instance.
        unsafe { Requirements::check(instance, physical, vk::API_VERSION_1_3, &features, family) }
    };
    let missing = checked(features, host.family)?.missing;
    let (name, why) = (ash::khr::portability_subset::NAME, Why::NotSupported);
    if !host.check.features.portability_subset {
        let expected = [Missing::Extension { name, why }];
        expect_value("the list of missing features", &missing, &expected)?;
    }
    let missing = checked(host.check.features, 77)?.missing;
    expect_value("the list of missing features", &missing, &[Missing::Compute(Some(77))])?;
    let adopted = multisplit::AdoptedDevice {
        features: Features::default(),
        ..host.adopted(PipelineCache::Off)
    };
    // SAFETY: the call is rejected before anything is created.
    expect_message(unsafe { Context::adopt(adopted) }, "synchronization2")
}

/// Compiles only if the types are `Send` and `Sync`.
fn public_types_are_send_and_sync(_: &Gpu) -> Result<()> {
    fn shared<T: Send + Sync>() {}
    shared::<Context>();
    shared::<Executable>();
    shared::<BufferContract>();
    shared::<Work>();
    Ok(())
}
