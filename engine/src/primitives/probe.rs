//! What does the device do that Vulkan does not promise?

use ash::vk;
use multisplit_graph::{Graph, Groups};
use multisplit_shaders::builtin as kernels;
use multisplit_shaders::push_constants;

use crate::device::attach::Attachment;
use crate::device::context::Context;
use crate::device::shared::Device;
use crate::error::Result;
use crate::execute::own_pass::OwnPasses;
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
        .own_pass("probe.lane_order", &kernels::PROBE_LANE_ORDER.kernel()?)
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

/// What was found out of a device, once.
struct Probed {
    lane_order: bool,
}

impl Attachment for Probed {
    unsafe fn release(&self, _: &Device) {}
}

impl Context {
    /// Whether the device performs atomics in the order of lanes: tried out when first asked, and
    /// only where it may be so.
    pub(super) fn has_lane_order(&self) -> bool {
        const SEED: u32 = 1;
        if !SplitTuning::may_have_lane_order(self.properties()) {
            return false;
        }
        let probed = self.device.attached(|_| {
            let lane_order = lane_order(self, SEED).unwrap_or_else(|error| {
                tracing::warn!(%error, "the order of atomics could not be tried out");
                false
            });
            tracing::debug!(lane_order, "probed");
            Ok(Probed { lane_order })
        });
        probed.is_ok_and(|probed| probed.lane_order)
    }
}
