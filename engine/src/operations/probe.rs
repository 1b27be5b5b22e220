//! Probes device behaviour that Vulkan does not guarantee. Contexts store the results on disk if possible.

use ash::vk;
use multisplit_graph::{Buffer, Graph, Groups};
use multisplit_shaders::builtin::PROBE_LANE_ORDER;

use crate::device::context::Context;
use crate::device::shared::{Attachment, Device};
use crate::device::verdict::VerdictFile;
use crate::error::{Error, Result};
pub use crate::execute::device_probe::DeviceProbe;
use crate::memory::Array;
use crate::operations::fill;
use crate::operations::shared::{builtin_pass, push_words};
use crate::operations::sort::{Sort, SortBuffers, SortMethod, sort};
use crate::policy::Policy;
use crate::policy::facts::Facts;

/// Workgroup size. A multiple of every supported subgroup size, and allowed on every device.
const THREADS: u32 = 128;
/// Number of workgroups: dozens per multiprocessor of a large GPU.
const GROUPS: u64 = 8192;
const SOFTWARE_GROUPS: u64 = 96;

/// Probes two properties that [`Ranking::LaneOrder`](crate::operations::split::Ranking) requires: atomics on shared
/// memory execute in program order, and atomics of one instruction to the same address execute in lane order. Submits
/// a small plan to the queue of the context and waits for its result.
pub fn lane_order(context: &Context, seed: u32) -> Result<bool> {
    let _span = tracing::debug_span!("probe.lane_order").entered();
    let policy = Policy::for_device(context.properties());
    let software = context.properties().device_type == vk::PhysicalDeviceType::CPU;
    let groups = if software { SOFTWARE_GROUPS } else { GROUPS };
    let mut graph = Graph::new("probe");
    let exceptions = graph.import::<u32>("probe.exceptions", 1);
    fill(&mut graph, &policy, "probe.clear", exceptions, 0)?;
    let constants = [("local_size_x", THREADS), ("SUBGROUP_SIZE", policy.facts.subgroup_size)];
    builtin_pass(&mut graph, &PROBE_LANE_ORDER, &constants)?
        .bind("exceptions", exceptions)
        .push(&push_words! { seed })
        .dispatch(Groups::linear(groups));
    let found = Array::<u32>::uninit(context, "probe.exceptions", 1)?;
    run_unobserved(context, &graph, &[(exceptions, &found)])?;
    let exceptions = context.download(&found)?;
    Ok(exceptions.iter().all(|&count| count == 0))
}

/// Runs a plan without reporting it to the observer, because the caller did not request this run.
fn run_unobserved(context: &Context, graph: &Graph, bound: &[(Buffer, &Array<u32>)]) -> Result<()> {
    let executable = context.instantiate_trial(graph.compile(&context.limits())?)?;
    context.run_repeatedly(&executable, bound, 1)
}

/// Number of keys for the probe of the sort kernels. On a large GPU, enough for several concurrent tiles on every
/// multiprocessor.
const KEYS: usize = 1 << 22;
const SOFTWARE_KEYS: usize = 1 << 12;

/// Probes whether the sort kernels produce the correct order if they rank by lane order. Sorts random keys, with and
/// without indices. Every tile of every round checks its own ranks. This tests the kernels that a context uses, as
/// compiled for this device and under load. Submits to the queue of the context and waits.
pub fn sorts_keep_lane_order(context: &Context, seed: u32) -> Result<bool> {
    let _span = tracing::debug_span!("probe.sorts").entered();
    let mut policy = Policy::for_device(context.properties());
    policy.rank_by_lane_order();
    policy.split.canary_period = 1;
    policy.sort.auto = SortMethod::OneSweep;
    let software = context.properties().device_type == vk::PhysicalDeviceType::CPU;
    let n = if software { SOFTWARE_KEYS } else { KEYS };
    let host_keys: Vec<u32> = (0..n as u32).map(|i| mixed(seed ^ mixed(i))).collect();
    for indexed in [false, true] {
        let mut graph = Graph::new("probe.sorts");
        let keys = graph.import::<u32>("keys", n as u64);
        let indices = indexed.then(|| graph.import::<u32>("indices", n as u64));
        let mut buffers = SortBuffers::keys(keys);
        if let Some(indices) = indices {
            buffers = buffers.indices(indices);
        }
        sort(&mut graph, &policy, &Sort::ascending(), &buffers)?;
        let on_device = context.upload(&host_keys)?;
        let order = Array::<u32>::uninit(context, "probe.order", n as u64)?;
        let mut bound = vec![(keys, &on_device)];
        bound.extend(indices.map(|indices| (indices, &order)));
        match run_unobserved(context, &graph, &bound) {
            Err(Error::LaneOrder { .. }) => return Ok(false),
            other => other?,
        }
    }
    Ok(true)
}

/// Returns a pseudo-random number that depends only on `x`.
fn mixed(x: u32) -> u32 {
    let x = (x ^ x >> 16).wrapping_mul(0x7FEB_352D);
    let x = (x ^ x >> 15).wrapping_mul(0x846C_A68B);
    x ^ x >> 16
}

/// The probe results of a device.
struct Probed {
    lane_order: bool,
}

impl Attachment for Probed {
    unsafe fn release(&self, _: &Device) {}
}

/// Seeds of the probe. Several are used, because a device may keep the order for one sequence of keys by chance.
const SEEDS: [u32; 4] = [1, 0x9E37_79B9, 0x7FEB_352D, 0xC2B2_AE3D];

impl Context {
    /// Whether kernels may rank by lane order. This is the case if the configuration allows it, devices of this kind
    /// may keep lane order, the probes succeeded, and no kernel has since detected a violation. The probe results are
    /// stored on disk if possible.
    pub(crate) fn has_lane_order(&self) -> bool {
        let possible = self.device.probed_behaviour
            && Facts::may_have_lane_order(self.properties())
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
        // The probe itself may have detected a violation and recorded it.
        probed.is_ok_and(|probed| probed.lane_order) && self.keeps_lane_order()
    }

    /// Runs the probes. An error counts as "not supported".
    fn probe(&self) -> bool {
        let tried = || -> Result<bool> {
            for seed in SEEDS {
                if !lane_order(self, seed)? || !sorts_keep_lane_order(self, seed)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        tried().unwrap_or_else(|error| {
            tracing::warn!(%error, "the lane-order probe failed");
            false
        })
    }
}
