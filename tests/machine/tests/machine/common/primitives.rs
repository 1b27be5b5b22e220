//! The simulated device of a case, and the policy of its plans.

use multisplit::graph::Limits;
use multisplit::operations::split::TileShape;
use multisplit::{DeviceProperties, Policy};
use multisplit_machine::Rng;

/// The device that a plan is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    pub width: u32,
    /// Whether kernels rank by lane order.
    pub lane_order: bool,
}

impl Device {
    pub fn threads(self) -> u32 {
        (2 * self.width).max(128)
    }

    /// Maximum number of workgroups per row (x) of a dispatch. For devices with lane order it is
    /// small, so that dispatches have several rows with surplus workgroups in the last one.
    pub fn max_groups(self) -> u32 {
        if self.lane_order { FEW_GROUPS } else { 65_535 }
    }

    /// Keys in a tile.
    pub fn tile(self) -> u64 {
        u64::from(self.threads() * ITEMS)
    }
}

const FEW_GROUPS: u32 = 2;

/// Keys per thread in a tile.
pub const ITEMS: u32 = 4;

pub fn limits(device: Device) -> Limits {
    Limits {
        max_workgroup_count: [device.max_groups(), 65_535, 65_535],
        max_workgroup_invocations: 1024,
        max_workgroup_size: [1024, 1024, 64],
        storage_alignment: 16,
        max_push_bytes: 256,
        subgroup_size: device.width,
        ..Limits::default()
    }
}

/// Shared memory per workgroup, in bytes.
pub const SHARED_MEMORY: u32 = 32 << 10;

/// PCI vendor id.
const NVIDIA: u32 = 0x10de;

/// A policy with small tiles, so that few elements make many tiles.
pub fn policy(device: Device) -> Policy {
    policy_of(device, None)
}

/// A policy with `subgroups` subgroups per workgroup, if given, and two subgroups in
/// single-workgroup passes, so that few elements make more tiles than such a workgroup processes
/// per iteration.
pub fn policy_of(device: Device, subgroups: Option<u32>) -> Policy {
    let mut properties = DeviceProperties {
        // The tuned sizes for NVIDIA cover all stages at which kernels can load values.
        vendor_id: NVIDIA,
        subgroup_size: device.width,
        shared_memory: SHARED_MEMORY,
        ..DeviceProperties::default()
    };
    properties.limits.max_compute_work_group_invocations = 1024;
    properties.limits.max_storage_buffer_range = 1 << 27;
    properties.limits.max_compute_work_group_count = [65_535; 3];
    let mut policy =
        Policy::for_device(&properties).lowered(|facts| facts.max_groups = device.max_groups());
    let threads = subgroups.map_or(device.threads(), |subgroups| subgroups * device.width);
    policy.threads = threads;
    policy.select_threads = threads;
    policy.small_threads = threads;
    policy.by_key_threads = threads;
    policy.spine_threads = subgroups.map_or(threads, |_| 2 * device.width);
    policy.spin_limit = 4;
    // Disable the automatic choice of small tiles, because cases choose tile sizes themselves.
    policy.small_scans_up_to = 0;
    policy.small_selects_up_to = 0;
    // Tiles are taken by ticket at every other subgroup width.
    policy.tickets = device.width.ilog2().is_multiple_of(2);
    policy.look_back_tiles = 4;
    let shape = TileShape::new(device.threads(), ITEMS);
    // Subproblems of two tiles.
    policy.split.min_keys = 2 * device.threads() * ITEMS;
    policy.split.block_strips.fill(0);
    policy.split.labelled_strips.fill(0);
    policy.split.histogram_parts = 2;
    policy.split.warp = shape;
    set_split_tiles(&mut policy, shape);
    policy.sort.small = shape;
    set_sort_tiles(&mut policy, shape);
    policy.sort.histogram = shape;
    policy.sort.few_keys = 0;
    policy.sort.few_keys_groups = if device.width < 32 { 4 } else { 8 };
    policy.sort.few_keys_look_back = 3;
    policy
}

/// Sets the tile shape of block-level and one-sweep splits.
pub fn set_split_tiles(policy: &mut Policy, shape: TileShape) {
    policy.split.block_keys = [shape; 8];
    policy.split.labelled_keys = [shape; 8];
    policy.split.block_pairs = [shape; 8];
    policy.split.onesweep = [shape; 8];
}

/// Sets the tile shape of sorts that take several tiles.
pub fn set_sort_tiles(policy: &mut Policy, shape: TileShape) {
    policy.sort.keys = policy.sort.keys.map(|(n, _)| (n, shape));
    policy.sort.wide_keys = policy.sort.wide_keys.map(|(n, _)| (n, shape));
    policy.sort.pairs = policy.sort.pairs.map(|(n, _)| (n, shape));
}

/// The specialization constant that selects ranking by lane order. The engine enables it only on
/// devices that pass the probe; the machine keeps lane order if its options require it.
pub const LANE_ORDER: (&str, u32) = ("RANKING", 1);

pub fn random_words(n: u64, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    (0..n).map(|_| rng.next_u64() as u32).collect()
}
