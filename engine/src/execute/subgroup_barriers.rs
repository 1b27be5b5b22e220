//! Determines how `subgroupBarrier()` behaves on the device.
//!
//! llvmpipe of Mesa 25 treats `subgroupBarrier()` as a workgroup barrier. If the subgroups of a workgroup call it
//! different numbers of times, the `subgroupBarrier()` of one subgroup pairs with the `barrier()` of another, and
//! shared memory is read too early. The device is probed when the first kernel with such a barrier is instantiated.

use ash::vk;
use multisplit_graph::{Graph, Groups, Plan};
use multisplit_shaders::builtin as kernels;
use multisplit_shaders::push_constants;

use crate::device::{Attachment, Context, DeviceProperties, ProbeResult, VerdictFile};
use crate::error::Result;
use crate::execute::own_pass::kernel_of;
use crate::execute::{ExecutableOptions, OwnPasses, SubgroupBarriers};

impl ProbeResult for SubgroupBarriers {
    const EXTENSION: &str = "barriers";
    const LINES: &[(Self, &str)] = &[
        (Self::Kept, "subgroup barriers kept"),
        (Self::Replaced, "subgroup barriers replaced"),
        (Self::Refused, "subgroup barriers refused"),
    ];
}

push_constants! {
    struct ProbePush {
        /// 0: test whether `subgroupBarrier()` waits for the subgroup only. 1: test whether lanes run in lockstep.
        pub lockstep: u32,
    }
}

/// Number of workgroups of the probe: several for each multiprocessor of a large GPU.
const GROUPS: u64 = 1024;
/// Number of workgroups of the probe on software drivers.
const SOFTWARE_GROUPS: u64 = 4;
/// Threads per workgroup: several subgroups on most devices.
const THREADS: u32 = 256;

struct Probed(SubgroupBarriers);

impl Attachment for Probed {}

impl Context {
    /// Returns the behaviour of `subgroupBarrier()` on the device.
    ///
    /// If no result is available in memory or on disk, submits one or two small dispatches and waits for them. Nothing
    /// is submitted on an [adopted](Self::adopt) device, or by a driver that runs without its GPU: without a result on
    /// disk, only llvmpipe is assumed to deviate from Vulkan.
    pub fn subgroup_barriers(&self) -> SubgroupBarriers {
        let probed = self.device.attached(|device| {
            let file = device.verdict_file();
            if let Some(known) = file.as_ref().and_then(VerdictFile::load) {
                return Ok(Probed(known));
            }
            let assumed = assumed(&device.properties);
            // A driver that runs without its GPU reports no device memory.
            if device.is_adopted() || device.properties.device_memory == 0 {
                return Ok(Probed(assumed));
            }
            let found = self.probe_subgroup_barriers().unwrap_or_else(|error| {
                tracing::warn!(%error, ?assumed, "the subgroup barrier probe could not run");
                assumed
            });
            tracing::debug!(?found, "probed subgroup barriers");
            if let Some(file) = file {
                file.save(found);
            }
            Ok(Probed(found))
        });
        probed.map_or_else(|_| assumed(self.properties()), |probed| probed.0)
    }

    fn probe_subgroup_barriers(&self) -> Result<SubgroupBarriers> {
        let _span = tracing::debug_span!("probe.subgroup_barriers").entered();
        if self.count_failures(ProbePush { lockstep: 0 })? == 0 {
            Ok(SubgroupBarriers::Kept)
        } else if self.count_failures(ProbePush { lockstep: 1 })? == 0 {
            Ok(SubgroupBarriers::Replaced)
        } else {
            Ok(SubgroupBarriers::Refused)
        }
    }

    /// Runs the probe. Returns the number of reads from shared memory that returned a wrong value.
    fn count_failures(&self, push: ProbePush) -> Result<u32> {
        let properties = self.properties();
        let width = properties.subgroup_size.max(1);
        let max_threads = properties.limits.max_compute_work_group_invocations;
        let threads = (THREADS.min(max_threads) / width).max(1) * width;
        let groups = if is_software(properties) { SOFTWARE_GROUPS } else { GROUPS };
        let mut graph = Graph::new("probe.subgroup_barriers");
        let failures = graph.import::<u32>("probe.failures", 1);
        graph
            .own_pass("probe.subgroup_barriers", &kernels::PROBE_SUBGROUP_BARRIERS.kernel()?)
            .bind("failures", failures)
            .push(&push)
            .specialize("local_size_x", threads)
            .dispatch(Groups::linear(groups));
        let plan = graph.compile(&self.limits())?;
        let options = ExecutableOptions::default();
        let executable = self.instantiate_for(plan, options, SubgroupBarriers::Kept)?;
        let found = self.upload(&[0u32])?;
        // The caller did not start this run, so it is not reported to the observer.
        self.run_repeatedly(&executable, &[(failures, &found)], 1)?;
        Ok(self.download(&found)?.iter().sum())
    }

    /// Behaviour of subgroup barriers for the kernels of a plan. The device is probed only if one of the kernels uses
    /// subgroup barriers.
    pub(super) fn subgroup_barriers_of(&self, plan: &Plan) -> SubgroupBarriers {
        let mut kernels = plan.steps().iter().filter_map(|step| kernel_of(&step.pass));
        match kernels.any(|kernel| kernel.has_subgroup_barriers()) {
            true => self.subgroup_barriers(),
            false => SubgroupBarriers::Kept,
        }
    }
}

/// Behaviour that is assumed if the device is not probed. Subgroups of llvmpipe are SIMD vectors of the CPU, so their
/// lanes run in lockstep.
fn assumed(properties: &DeviceProperties) -> SubgroupBarriers {
    match is_software(properties) && properties.driver.contains("llvmpipe") {
        true => SubgroupBarriers::Replaced,
        false => SubgroupBarriers::Kept,
    }
}

fn is_software(properties: &DeviceProperties) -> bool {
    properties.device_type == vk::PhysicalDeviceType::CPU
}
