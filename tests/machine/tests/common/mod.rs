//! Plans of the primitives: the only file that knows the engine's API.
#![allow(dead_code)]

use anyhow::Result;
use multisplit::graph::{Graph, Limits, Plan};
use multisplit::primitives::multisplit::{
    Bucket, KeyType, Lockstep, Method, Split, SplitBuffers, SplitOutput, TileShape,
};
use multisplit::primitives::sort::{self, Sort, SortBuffers, SortMethod, SortPlace, SortValues};
use multisplit::primitives::{Policy, ScanMethod, multisplit as split, scan};

/// Threads of the workgroups that the tests use: a multiple of every width.
pub const THREADS: u32 = 128;

/// Which device the plan is for.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    pub width: u32,
    /// Ranking by lane order.
    pub lane_order: bool,
}

pub fn limits() -> Limits {
    Limits { max_workgroup_invocations: 1024, storage_alignment: 16, ..Limits::default() }
}

pub fn policy(device: Device) -> Policy {
    let mut policy = Policy::for_limits(&limits());
    policy.subgroup_size = device.width;
    policy.threads = THREADS;
    policy.spine_threads = THREADS;
    policy.max_threads = 1024;
    policy.shared_memory = 32 << 10;
    policy.spin_limit = 4;
    if device.lane_order {
        policy.split.lockstep = Lockstep::LaneOrder;
    }
    policy
}

pub fn scan_plan(device: Device, look_back: bool, n: u64) -> Result<Plan> {
    let method = if look_back { ScanMethod::LookBack } else { ScanMethod::ReduceThenScan };
    let policy = Policy { scan: method, lone_tiles: 0, spine_tiles: 1, ..policy(device) };
    let mut graph = Graph::new("scan");
    let (src, dst) = (graph.import::<u32>("src", n), graph.import::<u32>("dst", n));
    scan::exclusive(&mut graph, &policy, src, dst, n)?;
    Ok(graph.compile(&limits())?)
}
