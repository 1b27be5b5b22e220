//! What does the device do that Vulkan does not promise?

use ash::vk;
use multisplit_graph::{Graph, Groups};
use multisplit_shaders::builtin as kernels;
use multisplit_shaders::push_constants;

use crate::device::attach::Attachment;
use crate::device::context::Context;
use crate::device::shared::Device;
use crate::device::verdict::VerdictFile;
use crate::error::{Error, Result};
use crate::memory::Array;
use crate::primitives::multisplit::SplitTuning;
use crate::primitives::{Policy, fill};

push_constants! {
    struct ProbePush {
        pub seed: u32,
    }
}

/// Threads of a workgroup: a multiple of every subgroup size, that every device has.
const THREADS: u32 = 128;
/// Workgroups: enough for several on every multiprocessor of a large GPU, at which they are done
/// within a tenth of a millisecond; and few enough for a driver that is software.
const GROUPS: u64 = 8192;
const SOFTWARE_GROUPS: u64 = 96;

/// Whether atomics on shared memory are performed in the order of the program, and those of one
/// instruction, where they meet, in the order of the lanes: what
/// [`Ranking::LaneOrder`](super::multisplit::Ranking) says. Tries it out, by one
/// small dispatch on the queue of the context, and waits for the result.
pub fn lane_order(context: &Context, seed: u32) -> Result<bool> {
    let _span = tracing::debug_span!("probe.lane_order").entered();
    let policy = Policy::for_device(context.properties());
    let software = context.properties().device_type == vk::PhysicalDeviceType::CPU;
    let groups = if software { SOFTWARE_GROUPS } else { GROUPS };
    let mut graph = Graph::new("probe");
    let exceptions = graph.import::<u32>("probe.exceptions", 1);
    fill(&mut graph, &policy, "probe.clear", exceptions, 0)?;
    graph
        .pass("probe.lane_order", &kernels::PROBE_LANE_ORDER.kernel()?)
        .bind("exceptions", exceptions)
        .push(&ProbePush { seed })
        .specialize("local_size_x", THREADS)
        .specialize("SUBGROUP_SIZE", policy.subgroup_size)
        .dispatch(Groups::linear(groups));
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let found = Array::<u32>::uninit(context, "probe.exceptions", 1)?;
    // Not told to an observer: it is no run of the caller's.
    context.run_repeatedly(&executable, &[(exceptions, &found)], 1)?;
    let exceptions = context.download(&found)?;
    Ok(exceptions.iter().all(|&count| count == 0))
}

/// What was found out about a device, once.
struct Probed {
    lane_order: bool,
}

impl Attachment for Probed {
    unsafe fn release(&self, _: &Device) {}
}

/// Seeds of the probe: one order of buckets may be kept by accident.
const SEEDS: [u32; 4] = [1, 0x9E37_79B9, 0x7FEB_352D, 0xC2B2_AE3D];

impl Context {
    /// Whether ranking may rely on lane order: where the configuration allows it, the device may keep
    /// it, was seen to, and was not found not to since. What was seen is kept on disk.
    pub(super) fn has_lane_order(&self) -> bool {
        let possible = self.device.probed_behaviour
            && SplitTuning::may_have_lane_order(self.properties())
            && self.keeps_lane_order();
        if !possible {
            return false;
        }
        let probed = self.device.attached(|device| {
            let file = device.verdict_file();
            if let Some(lane_order) = file.as_ref().and_then(VerdictFile::load) {
                return Ok(Probed { lane_order });
            }
            let lane_order = self.probe();
            tracing::debug!(lane_order, "probed");
            if let Some(file) = file {
                file.save(lane_order);
            }
            Ok(Probed { lane_order })
        });
        // The probe itself may have found that it is not kept.
        probed.is_ok_and(|probed| probed.lane_order) && self.keeps_lane_order()
    }

    /// Tries the device out. A failure says nothing of it, and counts as no.
    fn probe(&self) -> bool {
        let tried = SEEDS.iter().try_fold(true, |kept, &seed| Ok(kept && lane_order(self, seed)?));
        tried.unwrap_or_else(|error: Error| {
            tracing::warn!(%error, "the order of atomics could not be tried out");
            false
        })
    }
}

/// Does `work`, and does it again where it turns out that the device does not keep lane order: the
/// context ranks by ballots by then.
pub(super) fn redo_by_ballots<T>(work: impl Fn() -> Result<T>) -> Result<T> {
    match work() {
        Err(Error::LaneOrder { plan }) => {
            tracing::warn!(plan, "done again, by ballots");
            work()
        }
        other => other,
    }
}
