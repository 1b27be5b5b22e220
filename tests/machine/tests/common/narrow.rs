//! Cases of narrow workgroups: what takes many tiles on a device takes few elements here. Whoever goes over tiles
//! goes more than one round, segments go on through many tiles, and dispatches have several rows, of which the
//! last has a workgroup too many.

use multisplit::{KeyType, Operator};

use super::all::Maker;
use super::primitives::Device;
use super::segments::{self, SegmentsCase, Way, segments_case};
use super::selects::{self, Also, SelectCase, select_case};
use super::terms::{How, TermCase, term_case};

/// Wider workgroups would need many more elements.
const MOST_LANES: u32 = 16;

/// One for each kind of term that kernels are compiled for.
pub const TERMS: [(KeyType, Operator); 6] = [
    (KeyType::U32, Operator::Sum),
    (KeyType::I32, Operator::Max),
    (KeyType::I64, Operator::Sum),
    (KeyType::F64, Operator::Min),
    (KeyType::F32, Operator::Sum),
    (KeyType::F64, Operator::Sum),
];

/// Elements of a lane in a tile of a sweep over segments.
fn items(key: KeyType) -> u64 {
    if key.bits() == 64 { 8 } else { 16 }
}

fn in_segments(device: Device, all: &mut Vec<Maker>) {
    let lanes = u64::from(device.width);
    for (key, operator) in TERMS {
        let tile = items(key) * lanes;
        // Tiles that one workgroup of two subgroups takes at a time, four for each thread.
        let round = 8 * lanes;
        let rounded = key.is_float() && operator == Operator::Sum;
        let mut add = |way, by, tiles: u64, length, on_device| {
            // An odd number of tiles, of which the last has one element.
            let n = (tiles / 2 * 2) * tile + 1;
            let of = SegmentsCase { key, operator, way, by, length, on_device, n, narrow: true };
            all.push(Box::new(move || segments_case(device, of)));
        };
        let keys = if key.bits() == 64 { segments::By::Keys } else { segments::By::WideKeys };
        for look_back in [false, true] {
            if look_back && rounded {
                continue;
            }
            let tiles = if look_back { 9 } else { round + 7 };
            for length in [3 * tile, 20 * tile] {
                let on_device = length == 3 * tile;
                let inclusive = on_device != look_back;
                let by = if inclusive { segments::By::Flags } else { keys };
                add(Way::Scan { inclusive, look_back }, by, tiles, length, on_device);
                add(Way::Reduce { look_back }, keys, tiles, length, !on_device);
            }
        }
        // Workgroups of the join have a tile for each thread.
        let way = Way::Reduce { look_back: false };
        let tile = 16 * lanes;
        for length in [2 * tile, 3 * lanes * tile] {
            let n = (5 * lanes / 2 * 2) * tile + 1;
            let by = segments::By::Offsets;
            let of =
                SegmentsCase { key, operator, way, by, length, on_device: false, n, narrow: true };
            all.push(Box::new(move || segments_case(device, of)));
        }
    }
}

/// By one workgroup, tile after tile of 32 elements per lane.
fn terms(device: Device, all: &mut Vec<Maker>) {
    let n = 32 * u64::from(device.width) * 7 / 2;
    for (key, operator) in TERMS {
        let scan = How::Scan { inclusive: operator == Operator::Sum, look_back: false };
        for (how, on_device) in [(scan, false), (scan, true), (How::Reduce, false)] {
            let of = TermCase { key, operator, how, on_device, n: n + 3, lone: true };
            all.push(Box::new(move || term_case(device, of)));
        }
    }
}

fn selects(device: Device, all: &mut Vec<Maker>) {
    for wide in [false, true] {
        // With lengths of runs a lane has 20 elements.
        let items = if wide { 16 } else { 32 };
        let key = 7 + (u64::from(wide) << 35);
        for (by, also, items) in [
            (selects::By::LessThan(key + 9), Also::Nothing, items),
            (selects::By::Heads, Also::Nothing, items),
            (selects::By::Flags, Also::Rejected, items),
            (selects::By::Heads, Also::Lengths, 20),
        ] {
            let tile = items * u64::from(device.width);
            for (n, on_device) in [(4 * tile + 1, false), (6 * tile + 3, true)] {
                let of = SelectCase { wide, by, also, on_device, n, narrow: true };
                all.push(Box::new(move || select_case(device, of)));
            }
        }
    }
}

/// Every such case for a device.
pub fn narrow(device: Device) -> Vec<Maker> {
    let mut all: Vec<Maker> = Vec::new();
    if device.width <= MOST_LANES {
        in_segments(device, &mut all);
        terms(device, &mut all);
        selects(device, &mut all);
    }
    all
}
