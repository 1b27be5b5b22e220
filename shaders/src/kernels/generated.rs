// Written by compile-kernels; do not edit.

use super::embedded::{Builtin, packed};

/// `count.prepare`: `glsl/count/prepare.comp` with `STEPS=6`.
pub static COUNT_PREPARE: Builtin =
    Builtin::new("count.prepare", "count/prepare.comp", &[("STEPS", "6")], packed!("count.prepare.spv"));

/// `count.groups`: `glsl/count/groups.comp`.
pub static COUNT_GROUPS: Builtin =
    Builtin::new("count.groups", "count/groups.comp", &[], packed!("count.groups.spv"));

/// `probe.lane_order`: `glsl/probe/lane_order.comp`.
pub static PROBE_LANE_ORDER: Builtin =
    Builtin::new("probe.lane_order", "probe/lane_order.comp", &[], packed!("probe.lane_order.spv"));

/// `probe.subgroup_barriers`: `glsl/probe/subgroup_barriers.comp`.
pub static PROBE_SUBGROUP_BARRIERS: Builtin =
    Builtin::new("probe.subgroup_barriers", "probe/subgroup_barriers.comp", &[], packed!("probe.subgroup_barriers.spv"));

/// `memory.fill`: `glsl/memory/fill.comp`.
pub static MEMORY_FILL: Builtin =
    Builtin::new("memory.fill", "memory/fill.comp", &[], packed!("memory.fill.spv"));

/// `memory.fill.counted`: `glsl/memory/fill.comp` with `COUNTED=1`.
pub static MEMORY_FILL_COUNTED: Builtin =
    Builtin::new("memory.fill.counted", "memory/fill.comp", &[("COUNTED", "1")], packed!("memory.fill.counted.spv"));

/// `memory.copy`: `glsl/memory/copy.comp`.
pub static MEMORY_COPY: Builtin =
    Builtin::new("memory.copy", "memory/copy.comp", &[], packed!("memory.copy.spv"));

/// `keys.widen`: `glsl/keys/widen.comp`.
pub static KEYS_WIDEN: Builtin =
    Builtin::new("keys.widen", "keys/widen.comp", &[], packed!("keys.widen.spv"));

/// `keys.narrow`: `glsl/keys/narrow.comp`.
pub static KEYS_NARROW: Builtin =
    Builtin::new("keys.narrow", "keys/narrow.comp", &[], packed!("keys.narrow.spv"));

/// `scan.reduce`: `glsl/scan/reduce.comp` with `KEY_BITS=32`, `ROWS=4`.
pub static SCAN_REDUCE: Builtin =
    Builtin::new("scan.reduce", "scan/reduce.comp", &[("KEY_BITS", "32"), ("ROWS", "4")], packed!("scan.reduce.spv"));

/// `scan.reduce.order`: `glsl/scan/reduce.comp` with `KEY_BITS=32`, `ORDER=1`, `ROWS=4`.
pub static SCAN_REDUCE_ORDER: Builtin =
    Builtin::new("scan.reduce.order", "scan/reduce.comp", &[("KEY_BITS", "32"), ("ORDER", "1"), ("ROWS", "4")], packed!("scan.reduce.order.spv"));

/// `scan.reduce.sum64`: `glsl/scan/reduce.comp` with `KEY_BITS=64`, `ROWS=4`.
pub static SCAN_REDUCE_SUM64: Builtin =
    Builtin::new("scan.reduce.sum64", "scan/reduce.comp", &[("KEY_BITS", "64"), ("ROWS", "4")], packed!("scan.reduce.sum64.spv"));

/// `scan.reduce.order64`: `glsl/scan/reduce.comp` with `KEY_BITS=64`, `ORDER=1`, `ROWS=4`.
pub static SCAN_REDUCE_ORDER64: Builtin =
    Builtin::new("scan.reduce.order64", "scan/reduce.comp", &[("KEY_BITS", "64"), ("ORDER", "1"), ("ROWS", "4")], packed!("scan.reduce.order64.spv"));

/// `scan.reduce.float`: `glsl/scan/reduce.comp` with `KEY_BITS=32`, `FLOAT=1`, `ROWS=4`.
pub static SCAN_REDUCE_FLOAT: Builtin =
    Builtin::new("scan.reduce.float", "scan/reduce.comp", &[("KEY_BITS", "32"), ("FLOAT", "1"), ("ROWS", "4")], packed!("scan.reduce.float.spv"));

/// `scan.reduce.float64`: `glsl/scan/reduce.comp` with `KEY_BITS=64`, `FLOAT=1`, `ROWS=4`.
pub static SCAN_REDUCE_FLOAT64: Builtin =
    Builtin::new("scan.reduce.float64", "scan/reduce.comp", &[("KEY_BITS", "64"), ("FLOAT", "1"), ("ROWS", "4")], packed!("scan.reduce.float64.spv"));

/// `scan.spine`: `glsl/scan/spine.comp` with `KEY_BITS=32`, `ROWS=4`.
pub static SCAN_SPINE: Builtin =
    Builtin::new("scan.spine", "scan/spine.comp", &[("KEY_BITS", "32"), ("ROWS", "4")], packed!("scan.spine.spv"));

/// `scan.spine.order`: `glsl/scan/spine.comp` with `KEY_BITS=32`, `ORDER=1`, `ROWS=4`.
pub static SCAN_SPINE_ORDER: Builtin =
    Builtin::new("scan.spine.order", "scan/spine.comp", &[("KEY_BITS", "32"), ("ORDER", "1"), ("ROWS", "4")], packed!("scan.spine.order.spv"));

/// `scan.spine.sum64`: `glsl/scan/spine.comp` with `KEY_BITS=64`, `ROWS=4`.
pub static SCAN_SPINE_SUM64: Builtin =
    Builtin::new("scan.spine.sum64", "scan/spine.comp", &[("KEY_BITS", "64"), ("ROWS", "4")], packed!("scan.spine.sum64.spv"));

/// `scan.spine.order64`: `glsl/scan/spine.comp` with `KEY_BITS=64`, `ORDER=1`, `ROWS=4`.
pub static SCAN_SPINE_ORDER64: Builtin =
    Builtin::new("scan.spine.order64", "scan/spine.comp", &[("KEY_BITS", "64"), ("ORDER", "1"), ("ROWS", "4")], packed!("scan.spine.order64.spv"));

/// `scan.spine.float`: `glsl/scan/spine.comp` with `KEY_BITS=32`, `FLOAT=1`, `ROWS=4`.
pub static SCAN_SPINE_FLOAT: Builtin =
    Builtin::new("scan.spine.float", "scan/spine.comp", &[("KEY_BITS", "32"), ("FLOAT", "1"), ("ROWS", "4")], packed!("scan.spine.float.spv"));

/// `scan.spine.float64`: `glsl/scan/spine.comp` with `KEY_BITS=64`, `FLOAT=1`, `ROWS=4`.
pub static SCAN_SPINE_FLOAT64: Builtin =
    Builtin::new("scan.spine.float64", "scan/spine.comp", &[("KEY_BITS", "64"), ("FLOAT", "1"), ("ROWS", "4")], packed!("scan.spine.float64.spv"));

/// `scan.downsweep`: `glsl/scan/downsweep.comp` with `KEY_BITS=32`, `ROWS=4`.
pub static SCAN_DOWNSWEEP: Builtin =
    Builtin::new("scan.downsweep", "scan/downsweep.comp", &[("KEY_BITS", "32"), ("ROWS", "4")], packed!("scan.downsweep.spv"));

/// `scan.downsweep.order`: `glsl/scan/downsweep.comp` with `KEY_BITS=32`, `ORDER=1`, `ROWS=4`.
pub static SCAN_DOWNSWEEP_ORDER: Builtin =
    Builtin::new("scan.downsweep.order", "scan/downsweep.comp", &[("KEY_BITS", "32"), ("ORDER", "1"), ("ROWS", "4")], packed!("scan.downsweep.order.spv"));

/// `scan.downsweep.sum64`: `glsl/scan/downsweep.comp` with `KEY_BITS=64`, `ROWS=4`.
pub static SCAN_DOWNSWEEP_SUM64: Builtin =
    Builtin::new("scan.downsweep.sum64", "scan/downsweep.comp", &[("KEY_BITS", "64"), ("ROWS", "4")], packed!("scan.downsweep.sum64.spv"));

/// `scan.downsweep.order64`: `glsl/scan/downsweep.comp` with `KEY_BITS=64`, `ORDER=1`, `ROWS=4`.
pub static SCAN_DOWNSWEEP_ORDER64: Builtin =
    Builtin::new("scan.downsweep.order64", "scan/downsweep.comp", &[("KEY_BITS", "64"), ("ORDER", "1"), ("ROWS", "4")], packed!("scan.downsweep.order64.spv"));

/// `scan.downsweep.float`: `glsl/scan/downsweep.comp` with `KEY_BITS=32`, `FLOAT=1`, `ROWS=4`.
pub static SCAN_DOWNSWEEP_FLOAT: Builtin =
    Builtin::new("scan.downsweep.float", "scan/downsweep.comp", &[("KEY_BITS", "32"), ("FLOAT", "1"), ("ROWS", "4")], packed!("scan.downsweep.float.spv"));

/// `scan.downsweep.float64`: `glsl/scan/downsweep.comp` with `KEY_BITS=64`, `FLOAT=1`, `ROWS=4`.
pub static SCAN_DOWNSWEEP_FLOAT64: Builtin =
    Builtin::new("scan.downsweep.float64", "scan/downsweep.comp", &[("KEY_BITS", "64"), ("FLOAT", "1"), ("ROWS", "4")], packed!("scan.downsweep.float64.spv"));

/// `scan.lookback`: `glsl/scan/lookback.comp` with `KEY_BITS=32`, `ROWS=10`.
pub static SCAN_LOOKBACK: Builtin =
    Builtin::new("scan.lookback", "scan/lookback.comp", &[("KEY_BITS", "32"), ("ROWS", "10")], packed!("scan.lookback.spv"));

/// `scan.lookback.order`: `glsl/scan/lookback.comp` with `KEY_BITS=32`, `ROWS=10`, `ORDER=1`.
pub static SCAN_LOOKBACK_ORDER: Builtin =
    Builtin::new("scan.lookback.order", "scan/lookback.comp", &[("KEY_BITS", "32"), ("ROWS", "10"), ("ORDER", "1")], packed!("scan.lookback.order.spv"));

/// `scan.lookback.sum64`: `glsl/scan/lookback.comp` with `KEY_BITS=64`, `ROWS=5`.
pub static SCAN_LOOKBACK_SUM64: Builtin =
    Builtin::new("scan.lookback.sum64", "scan/lookback.comp", &[("KEY_BITS", "64"), ("ROWS", "5")], packed!("scan.lookback.sum64.spv"));

/// `scan.lookback.order64`: `glsl/scan/lookback.comp` with `KEY_BITS=64`, `ROWS=5`, `ORDER=1`.
pub static SCAN_LOOKBACK_ORDER64: Builtin =
    Builtin::new("scan.lookback.order64", "scan/lookback.comp", &[("KEY_BITS", "64"), ("ROWS", "5"), ("ORDER", "1")], packed!("scan.lookback.order64.spv"));

/// `scan.open_totals`: `glsl/scan/open_totals.comp` with `KEY_BITS=32`, `ROWS=4`.
pub static SCAN_OPEN_TOTALS: Builtin =
    Builtin::new("scan.open_totals", "scan/open_totals.comp", &[("KEY_BITS", "32"), ("ROWS", "4")], packed!("scan.open_totals.spv"));

/// `scan.open_totals.order`: `glsl/scan/open_totals.comp` with `KEY_BITS=32`, `ROWS=4`, `ORDER=1`.
pub static SCAN_OPEN_TOTALS_ORDER: Builtin =
    Builtin::new("scan.open_totals.order", "scan/open_totals.comp", &[("KEY_BITS", "32"), ("ROWS", "4"), ("ORDER", "1")], packed!("scan.open_totals.order.spv"));

/// `scan.open_totals.sum64`: `glsl/scan/open_totals.comp` with `KEY_BITS=64`, `ROWS=2`.
pub static SCAN_OPEN_TOTALS_SUM64: Builtin =
    Builtin::new("scan.open_totals.sum64", "scan/open_totals.comp", &[("KEY_BITS", "64"), ("ROWS", "2")], packed!("scan.open_totals.sum64.spv"));

/// `scan.open_totals.order64`: `glsl/scan/open_totals.comp` with `KEY_BITS=64`, `ROWS=2`, `ORDER=1`.
pub static SCAN_OPEN_TOTALS_ORDER64: Builtin =
    Builtin::new("scan.open_totals.order64", "scan/open_totals.comp", &[("KEY_BITS", "64"), ("ROWS", "2"), ("ORDER", "1")], packed!("scan.open_totals.order64.spv"));

/// `scan.open_totals.float`: `glsl/scan/open_totals.comp` with `KEY_BITS=32`, `ROWS=4`, `FLOAT=1`.
pub static SCAN_OPEN_TOTALS_FLOAT: Builtin =
    Builtin::new("scan.open_totals.float", "scan/open_totals.comp", &[("KEY_BITS", "32"), ("ROWS", "4"), ("FLOAT", "1")], packed!("scan.open_totals.float.spv"));

/// `scan.open_totals.float64`: `glsl/scan/open_totals.comp` with `KEY_BITS=64`, `ROWS=2`, `FLOAT=1`.
pub static SCAN_OPEN_TOTALS_FLOAT64: Builtin =
    Builtin::new("scan.open_totals.float64", "scan/open_totals.comp", &[("KEY_BITS", "64"), ("ROWS", "2"), ("FLOAT", "1")], packed!("scan.open_totals.float64.spv"));

/// `scan.open_spine`: `glsl/scan/open_spine.comp` with `KEY_BITS=32`.
pub static SCAN_OPEN_SPINE: Builtin =
    Builtin::new("scan.open_spine", "scan/open_spine.comp", &[("KEY_BITS", "32")], packed!("scan.open_spine.spv"));

/// `scan.open_spine.order`: `glsl/scan/open_spine.comp` with `KEY_BITS=32`, `ORDER=1`.
pub static SCAN_OPEN_SPINE_ORDER: Builtin =
    Builtin::new("scan.open_spine.order", "scan/open_spine.comp", &[("KEY_BITS", "32"), ("ORDER", "1")], packed!("scan.open_spine.order.spv"));

/// `scan.open_spine.sum64`: `glsl/scan/open_spine.comp` with `KEY_BITS=64`.
pub static SCAN_OPEN_SPINE_SUM64: Builtin =
    Builtin::new("scan.open_spine.sum64", "scan/open_spine.comp", &[("KEY_BITS", "64")], packed!("scan.open_spine.sum64.spv"));

/// `scan.open_spine.order64`: `glsl/scan/open_spine.comp` with `KEY_BITS=64`, `ORDER=1`.
pub static SCAN_OPEN_SPINE_ORDER64: Builtin =
    Builtin::new("scan.open_spine.order64", "scan/open_spine.comp", &[("KEY_BITS", "64"), ("ORDER", "1")], packed!("scan.open_spine.order64.spv"));

/// `scan.open_spine.float`: `glsl/scan/open_spine.comp` with `KEY_BITS=32`, `FLOAT=1`.
pub static SCAN_OPEN_SPINE_FLOAT: Builtin =
    Builtin::new("scan.open_spine.float", "scan/open_spine.comp", &[("KEY_BITS", "32"), ("FLOAT", "1")], packed!("scan.open_spine.float.spv"));

/// `scan.open_spine.float64`: `glsl/scan/open_spine.comp` with `KEY_BITS=64`, `FLOAT=1`.
pub static SCAN_OPEN_SPINE_FLOAT64: Builtin =
    Builtin::new("scan.open_spine.float64", "scan/open_spine.comp", &[("KEY_BITS", "64"), ("FLOAT", "1")], packed!("scan.open_spine.float64.spv"));

/// `scan.by_key.downsweep`: `glsl/scan/by_key.comp` with `KEY_BITS=32`, `ROWS=4`.
pub static SCAN_BY_KEY_DOWNSWEEP: Builtin =
    Builtin::new("scan.by_key.downsweep", "scan/by_key.comp", &[("KEY_BITS", "32"), ("ROWS", "4")], packed!("scan.by_key.downsweep.spv"));

/// `scan.by_key.downsweep.order`: `glsl/scan/by_key.comp` with `KEY_BITS=32`, `ROWS=4`, `ORDER=1`.
pub static SCAN_BY_KEY_DOWNSWEEP_ORDER: Builtin =
    Builtin::new("scan.by_key.downsweep.order", "scan/by_key.comp", &[("KEY_BITS", "32"), ("ROWS", "4"), ("ORDER", "1")], packed!("scan.by_key.downsweep.order.spv"));

/// `scan.by_key.downsweep.sum64`: `glsl/scan/by_key.comp` with `KEY_BITS=64`, `ROWS=2`.
pub static SCAN_BY_KEY_DOWNSWEEP_SUM64: Builtin =
    Builtin::new("scan.by_key.downsweep.sum64", "scan/by_key.comp", &[("KEY_BITS", "64"), ("ROWS", "2")], packed!("scan.by_key.downsweep.sum64.spv"));

/// `scan.by_key.downsweep.order64`: `glsl/scan/by_key.comp` with `KEY_BITS=64`, `ROWS=2`, `ORDER=1`.
pub static SCAN_BY_KEY_DOWNSWEEP_ORDER64: Builtin =
    Builtin::new("scan.by_key.downsweep.order64", "scan/by_key.comp", &[("KEY_BITS", "64"), ("ROWS", "2"), ("ORDER", "1")], packed!("scan.by_key.downsweep.order64.spv"));

/// `scan.by_key.downsweep.float`: `glsl/scan/by_key.comp` with `KEY_BITS=32`, `ROWS=4`, `FLOAT=1`.
pub static SCAN_BY_KEY_DOWNSWEEP_FLOAT: Builtin =
    Builtin::new("scan.by_key.downsweep.float", "scan/by_key.comp", &[("KEY_BITS", "32"), ("ROWS", "4"), ("FLOAT", "1")], packed!("scan.by_key.downsweep.float.spv"));

/// `scan.by_key.downsweep.float64`: `glsl/scan/by_key.comp` with `KEY_BITS=64`, `ROWS=2`, `FLOAT=1`.
pub static SCAN_BY_KEY_DOWNSWEEP_FLOAT64: Builtin =
    Builtin::new("scan.by_key.downsweep.float64", "scan/by_key.comp", &[("KEY_BITS", "64"), ("ROWS", "2"), ("FLOAT", "1")], packed!("scan.by_key.downsweep.float64.spv"));

/// `scan.by_key.lookback`: `glsl/scan/by_key.comp` with `KEY_BITS=32`, `ROWS=4`, `LOOKBACK=1`.
pub static SCAN_BY_KEY_LOOKBACK: Builtin =
    Builtin::new("scan.by_key.lookback", "scan/by_key.comp", &[("KEY_BITS", "32"), ("ROWS", "4"), ("LOOKBACK", "1")], packed!("scan.by_key.lookback.spv"));

/// `scan.by_key.lookback.order`: `glsl/scan/by_key.comp` with `KEY_BITS=32`, `ROWS=4`, `ORDER=1`, `LOOKBACK=1`.
pub static SCAN_BY_KEY_LOOKBACK_ORDER: Builtin =
    Builtin::new("scan.by_key.lookback.order", "scan/by_key.comp", &[("KEY_BITS", "32"), ("ROWS", "4"), ("ORDER", "1"), ("LOOKBACK", "1")], packed!("scan.by_key.lookback.order.spv"));

/// `scan.by_key.lookback.sum64`: `glsl/scan/by_key.comp` with `KEY_BITS=64`, `ROWS=2`, `LOOKBACK=1`.
pub static SCAN_BY_KEY_LOOKBACK_SUM64: Builtin =
    Builtin::new("scan.by_key.lookback.sum64", "scan/by_key.comp", &[("KEY_BITS", "64"), ("ROWS", "2"), ("LOOKBACK", "1")], packed!("scan.by_key.lookback.sum64.spv"));

/// `scan.by_key.lookback.order64`: `glsl/scan/by_key.comp` with `KEY_BITS=64`, `ROWS=2`, `ORDER=1`, `LOOKBACK=1`.
pub static SCAN_BY_KEY_LOOKBACK_ORDER64: Builtin =
    Builtin::new("scan.by_key.lookback.order64", "scan/by_key.comp", &[("KEY_BITS", "64"), ("ROWS", "2"), ("ORDER", "1"), ("LOOKBACK", "1")], packed!("scan.by_key.lookback.order64.spv"));

/// `reduce.by_key.downsweep`: `glsl/reduce/by_key.comp` with `KEY_BITS=32`, `ROWS=4`.
pub static REDUCE_BY_KEY_DOWNSWEEP: Builtin =
    Builtin::new("reduce.by_key.downsweep", "reduce/by_key.comp", &[("KEY_BITS", "32"), ("ROWS", "4")], packed!("reduce.by_key.downsweep.spv"));

/// `reduce.by_key.downsweep.order`: `glsl/reduce/by_key.comp` with `KEY_BITS=32`, `ROWS=4`, `ORDER=1`.
pub static REDUCE_BY_KEY_DOWNSWEEP_ORDER: Builtin =
    Builtin::new("reduce.by_key.downsweep.order", "reduce/by_key.comp", &[("KEY_BITS", "32"), ("ROWS", "4"), ("ORDER", "1")], packed!("reduce.by_key.downsweep.order.spv"));

/// `reduce.by_key.downsweep.sum64`: `glsl/reduce/by_key.comp` with `KEY_BITS=64`, `ROWS=2`.
pub static REDUCE_BY_KEY_DOWNSWEEP_SUM64: Builtin =
    Builtin::new("reduce.by_key.downsweep.sum64", "reduce/by_key.comp", &[("KEY_BITS", "64"), ("ROWS", "2")], packed!("reduce.by_key.downsweep.sum64.spv"));

/// `reduce.by_key.downsweep.order64`: `glsl/reduce/by_key.comp` with `KEY_BITS=64`, `ROWS=2`, `ORDER=1`.
pub static REDUCE_BY_KEY_DOWNSWEEP_ORDER64: Builtin =
    Builtin::new("reduce.by_key.downsweep.order64", "reduce/by_key.comp", &[("KEY_BITS", "64"), ("ROWS", "2"), ("ORDER", "1")], packed!("reduce.by_key.downsweep.order64.spv"));

/// `reduce.by_key.downsweep.float`: `glsl/reduce/by_key.comp` with `KEY_BITS=32`, `ROWS=4`, `FLOAT=1`.
pub static REDUCE_BY_KEY_DOWNSWEEP_FLOAT: Builtin =
    Builtin::new("reduce.by_key.downsweep.float", "reduce/by_key.comp", &[("KEY_BITS", "32"), ("ROWS", "4"), ("FLOAT", "1")], packed!("reduce.by_key.downsweep.float.spv"));

/// `reduce.by_key.downsweep.float64`: `glsl/reduce/by_key.comp` with `KEY_BITS=64`, `ROWS=2`, `FLOAT=1`.
pub static REDUCE_BY_KEY_DOWNSWEEP_FLOAT64: Builtin =
    Builtin::new("reduce.by_key.downsweep.float64", "reduce/by_key.comp", &[("KEY_BITS", "64"), ("ROWS", "2"), ("FLOAT", "1")], packed!("reduce.by_key.downsweep.float64.spv"));

/// `reduce.by_key.lookback`: `glsl/reduce/by_key.comp` with `KEY_BITS=32`, `ROWS=3`, `LOOKBACK=1`.
pub static REDUCE_BY_KEY_LOOKBACK: Builtin =
    Builtin::new("reduce.by_key.lookback", "reduce/by_key.comp", &[("KEY_BITS", "32"), ("ROWS", "3"), ("LOOKBACK", "1")], packed!("reduce.by_key.lookback.spv"));

/// `reduce.by_key.lookback.order`: `glsl/reduce/by_key.comp` with `KEY_BITS=32`, `ROWS=3`, `ORDER=1`, `LOOKBACK=1`.
pub static REDUCE_BY_KEY_LOOKBACK_ORDER: Builtin =
    Builtin::new("reduce.by_key.lookback.order", "reduce/by_key.comp", &[("KEY_BITS", "32"), ("ROWS", "3"), ("ORDER", "1"), ("LOOKBACK", "1")], packed!("reduce.by_key.lookback.order.spv"));

/// `reduce.by_key.lookback.sum64`: `glsl/reduce/by_key.comp` with `KEY_BITS=64`, `ROWS=2`, `LOOKBACK=1`.
pub static REDUCE_BY_KEY_LOOKBACK_SUM64: Builtin =
    Builtin::new("reduce.by_key.lookback.sum64", "reduce/by_key.comp", &[("KEY_BITS", "64"), ("ROWS", "2"), ("LOOKBACK", "1")], packed!("reduce.by_key.lookback.sum64.spv"));

/// `reduce.by_key.lookback.order64`: `glsl/reduce/by_key.comp` with `KEY_BITS=64`, `ROWS=2`, `ORDER=1`, `LOOKBACK=1`.
pub static REDUCE_BY_KEY_LOOKBACK_ORDER64: Builtin =
    Builtin::new("reduce.by_key.lookback.order64", "reduce/by_key.comp", &[("KEY_BITS", "64"), ("ROWS", "2"), ("ORDER", "1"), ("LOOKBACK", "1")], packed!("reduce.by_key.lookback.order64.spv"));

/// `reduce.segments`: `glsl/reduce/segments.comp` with `KEY_BITS=32`, `ROWS=4`.
pub static REDUCE_SEGMENTS: Builtin =
    Builtin::new("reduce.segments", "reduce/segments.comp", &[("KEY_BITS", "32"), ("ROWS", "4")], packed!("reduce.segments.spv"));

/// `reduce.segments.order`: `glsl/reduce/segments.comp` with `KEY_BITS=32`, `ORDER=1`, `ROWS=4`.
pub static REDUCE_SEGMENTS_ORDER: Builtin =
    Builtin::new("reduce.segments.order", "reduce/segments.comp", &[("KEY_BITS", "32"), ("ORDER", "1"), ("ROWS", "4")], packed!("reduce.segments.order.spv"));

/// `reduce.segments.sum64`: `glsl/reduce/segments.comp` with `KEY_BITS=64`, `ROWS=4`.
pub static REDUCE_SEGMENTS_SUM64: Builtin =
    Builtin::new("reduce.segments.sum64", "reduce/segments.comp", &[("KEY_BITS", "64"), ("ROWS", "4")], packed!("reduce.segments.sum64.spv"));

/// `reduce.segments.order64`: `glsl/reduce/segments.comp` with `KEY_BITS=64`, `ORDER=1`, `ROWS=4`.
pub static REDUCE_SEGMENTS_ORDER64: Builtin =
    Builtin::new("reduce.segments.order64", "reduce/segments.comp", &[("KEY_BITS", "64"), ("ORDER", "1"), ("ROWS", "4")], packed!("reduce.segments.order64.spv"));

/// `reduce.segments.float`: `glsl/reduce/segments.comp` with `KEY_BITS=32`, `FLOAT=1`, `ROWS=4`.
pub static REDUCE_SEGMENTS_FLOAT: Builtin =
    Builtin::new("reduce.segments.float", "reduce/segments.comp", &[("KEY_BITS", "32"), ("FLOAT", "1"), ("ROWS", "4")], packed!("reduce.segments.float.spv"));

/// `reduce.segments.float64`: `glsl/reduce/segments.comp` with `KEY_BITS=64`, `FLOAT=1`, `ROWS=4`.
pub static REDUCE_SEGMENTS_FLOAT64: Builtin =
    Builtin::new("reduce.segments.float64", "reduce/segments.comp", &[("KEY_BITS", "64"), ("FLOAT", "1"), ("ROWS", "4")], packed!("reduce.segments.float64.spv"));

/// `reduce.join`: `glsl/reduce/join.comp` with `KEY_BITS=32`.
pub static REDUCE_JOIN: Builtin =
    Builtin::new("reduce.join", "reduce/join.comp", &[("KEY_BITS", "32")], packed!("reduce.join.spv"));

/// `reduce.join.order`: `glsl/reduce/join.comp` with `KEY_BITS=32`, `ORDER=1`.
pub static REDUCE_JOIN_ORDER: Builtin =
    Builtin::new("reduce.join.order", "reduce/join.comp", &[("KEY_BITS", "32"), ("ORDER", "1")], packed!("reduce.join.order.spv"));

/// `reduce.join.sum64`: `glsl/reduce/join.comp` with `KEY_BITS=64`.
pub static REDUCE_JOIN_SUM64: Builtin =
    Builtin::new("reduce.join.sum64", "reduce/join.comp", &[("KEY_BITS", "64")], packed!("reduce.join.sum64.spv"));

/// `reduce.join.order64`: `glsl/reduce/join.comp` with `KEY_BITS=64`, `ORDER=1`.
pub static REDUCE_JOIN_ORDER64: Builtin =
    Builtin::new("reduce.join.order64", "reduce/join.comp", &[("KEY_BITS", "64"), ("ORDER", "1")], packed!("reduce.join.order64.spv"));

/// `reduce.join.float`: `glsl/reduce/join.comp` with `KEY_BITS=32`, `FLOAT=1`.
pub static REDUCE_JOIN_FLOAT: Builtin =
    Builtin::new("reduce.join.float", "reduce/join.comp", &[("KEY_BITS", "32"), ("FLOAT", "1")], packed!("reduce.join.float.spv"));

/// `reduce.join.float64`: `glsl/reduce/join.comp` with `KEY_BITS=64`, `FLOAT=1`.
pub static REDUCE_JOIN_FLOAT64: Builtin =
    Builtin::new("reduce.join.float64", "reduce/join.comp", &[("KEY_BITS", "64"), ("FLOAT", "1")], packed!("reduce.join.float64.spv"));

/// `reduce.long_segments`: `glsl/reduce/long_segments.comp` with `KEY_BITS=32`, `ROWS=4`.
pub static REDUCE_LONG_SEGMENTS: Builtin =
    Builtin::new("reduce.long_segments", "reduce/long_segments.comp", &[("KEY_BITS", "32"), ("ROWS", "4")], packed!("reduce.long_segments.spv"));

/// `reduce.long_segments.order`: `glsl/reduce/long_segments.comp` with `KEY_BITS=32`, `ORDER=1`, `ROWS=4`.
pub static REDUCE_LONG_SEGMENTS_ORDER: Builtin =
    Builtin::new("reduce.long_segments.order", "reduce/long_segments.comp", &[("KEY_BITS", "32"), ("ORDER", "1"), ("ROWS", "4")], packed!("reduce.long_segments.order.spv"));

/// `reduce.long_segments.sum64`: `glsl/reduce/long_segments.comp` with `KEY_BITS=64`, `ROWS=4`.
pub static REDUCE_LONG_SEGMENTS_SUM64: Builtin =
    Builtin::new("reduce.long_segments.sum64", "reduce/long_segments.comp", &[("KEY_BITS", "64"), ("ROWS", "4")], packed!("reduce.long_segments.sum64.spv"));

/// `reduce.long_segments.order64`: `glsl/reduce/long_segments.comp` with `KEY_BITS=64`, `ORDER=1`, `ROWS=4`.
pub static REDUCE_LONG_SEGMENTS_ORDER64: Builtin =
    Builtin::new("reduce.long_segments.order64", "reduce/long_segments.comp", &[("KEY_BITS", "64"), ("ORDER", "1"), ("ROWS", "4")], packed!("reduce.long_segments.order64.spv"));

/// `reduce.long_segments.float`: `glsl/reduce/long_segments.comp` with `KEY_BITS=32`, `FLOAT=1`, `ROWS=4`.
pub static REDUCE_LONG_SEGMENTS_FLOAT: Builtin =
    Builtin::new("reduce.long_segments.float", "reduce/long_segments.comp", &[("KEY_BITS", "32"), ("FLOAT", "1"), ("ROWS", "4")], packed!("reduce.long_segments.float.spv"));

/// `reduce.long_segments.float64`: `glsl/reduce/long_segments.comp` with `KEY_BITS=64`, `FLOAT=1`, `ROWS=4`.
pub static REDUCE_LONG_SEGMENTS_FLOAT64: Builtin =
    Builtin::new("reduce.long_segments.float64", "reduce/long_segments.comp", &[("KEY_BITS", "64"), ("FLOAT", "1"), ("ROWS", "4")], packed!("reduce.long_segments.float64.spv"));

/// `reduce.long_join`: `glsl/reduce/long_join.comp` with `KEY_BITS=32`.
pub static REDUCE_LONG_JOIN: Builtin =
    Builtin::new("reduce.long_join", "reduce/long_join.comp", &[("KEY_BITS", "32")], packed!("reduce.long_join.spv"));

/// `reduce.long_join.order`: `glsl/reduce/long_join.comp` with `KEY_BITS=32`, `ORDER=1`.
pub static REDUCE_LONG_JOIN_ORDER: Builtin =
    Builtin::new("reduce.long_join.order", "reduce/long_join.comp", &[("KEY_BITS", "32"), ("ORDER", "1")], packed!("reduce.long_join.order.spv"));

/// `reduce.long_join.sum64`: `glsl/reduce/long_join.comp` with `KEY_BITS=64`.
pub static REDUCE_LONG_JOIN_SUM64: Builtin =
    Builtin::new("reduce.long_join.sum64", "reduce/long_join.comp", &[("KEY_BITS", "64")], packed!("reduce.long_join.sum64.spv"));

/// `reduce.long_join.order64`: `glsl/reduce/long_join.comp` with `KEY_BITS=64`, `ORDER=1`.
pub static REDUCE_LONG_JOIN_ORDER64: Builtin =
    Builtin::new("reduce.long_join.order64", "reduce/long_join.comp", &[("KEY_BITS", "64"), ("ORDER", "1")], packed!("reduce.long_join.order64.spv"));

/// `reduce.long_join.float`: `glsl/reduce/long_join.comp` with `KEY_BITS=32`, `FLOAT=1`.
pub static REDUCE_LONG_JOIN_FLOAT: Builtin =
    Builtin::new("reduce.long_join.float", "reduce/long_join.comp", &[("KEY_BITS", "32"), ("FLOAT", "1")], packed!("reduce.long_join.float.spv"));

/// `reduce.long_join.float64`: `glsl/reduce/long_join.comp` with `KEY_BITS=64`, `FLOAT=1`.
pub static REDUCE_LONG_JOIN_FLOAT64: Builtin =
    Builtin::new("reduce.long_join.float64", "reduce/long_join.comp", &[("KEY_BITS", "64"), ("FLOAT", "1")], packed!("reduce.long_join.float64.spv"));

/// `reduce.rows`: `glsl/reduce/rows.comp` with `KEY_BITS=32`, `ROWS=4`.
pub static REDUCE_ROWS: Builtin =
    Builtin::new("reduce.rows", "reduce/rows.comp", &[("KEY_BITS", "32"), ("ROWS", "4")], packed!("reduce.rows.spv"));

/// `reduce.rows.order`: `glsl/reduce/rows.comp` with `KEY_BITS=32`, `ORDER=1`, `ROWS=4`.
pub static REDUCE_ROWS_ORDER: Builtin =
    Builtin::new("reduce.rows.order", "reduce/rows.comp", &[("KEY_BITS", "32"), ("ORDER", "1"), ("ROWS", "4")], packed!("reduce.rows.order.spv"));

/// `reduce.rows.sum64`: `glsl/reduce/rows.comp` with `KEY_BITS=64`, `ROWS=4`.
pub static REDUCE_ROWS_SUM64: Builtin =
    Builtin::new("reduce.rows.sum64", "reduce/rows.comp", &[("KEY_BITS", "64"), ("ROWS", "4")], packed!("reduce.rows.sum64.spv"));

/// `reduce.rows.order64`: `glsl/reduce/rows.comp` with `KEY_BITS=64`, `ORDER=1`, `ROWS=4`.
pub static REDUCE_ROWS_ORDER64: Builtin =
    Builtin::new("reduce.rows.order64", "reduce/rows.comp", &[("KEY_BITS", "64"), ("ORDER", "1"), ("ROWS", "4")], packed!("reduce.rows.order64.spv"));

/// `reduce.rows.float`: `glsl/reduce/rows.comp` with `KEY_BITS=32`, `FLOAT=1`, `ROWS=4`.
pub static REDUCE_ROWS_FLOAT: Builtin =
    Builtin::new("reduce.rows.float", "reduce/rows.comp", &[("KEY_BITS", "32"), ("FLOAT", "1"), ("ROWS", "4")], packed!("reduce.rows.float.spv"));

/// `reduce.rows.float64`: `glsl/reduce/rows.comp` with `KEY_BITS=64`, `FLOAT=1`, `ROWS=4`.
pub static REDUCE_ROWS_FLOAT64: Builtin =
    Builtin::new("reduce.rows.float64", "reduce/rows.comp", &[("KEY_BITS", "64"), ("FLOAT", "1"), ("ROWS", "4")], packed!("reduce.rows.float64.spv"));

/// `reduce.terms`: `glsl/reduce/terms.comp` with `KEY_BITS=32`, `ROWS=4`.
pub static REDUCE_TERMS: Builtin =
    Builtin::new("reduce.terms", "reduce/terms.comp", &[("KEY_BITS", "32"), ("ROWS", "4")], packed!("reduce.terms.spv"));

/// `reduce.terms.order`: `glsl/reduce/terms.comp` with `KEY_BITS=32`, `ORDER=1`, `ROWS=4`.
pub static REDUCE_TERMS_ORDER: Builtin =
    Builtin::new("reduce.terms.order", "reduce/terms.comp", &[("KEY_BITS", "32"), ("ORDER", "1"), ("ROWS", "4")], packed!("reduce.terms.order.spv"));

/// `reduce.terms.sum64`: `glsl/reduce/terms.comp` with `KEY_BITS=64`, `ROWS=4`.
pub static REDUCE_TERMS_SUM64: Builtin =
    Builtin::new("reduce.terms.sum64", "reduce/terms.comp", &[("KEY_BITS", "64"), ("ROWS", "4")], packed!("reduce.terms.sum64.spv"));

/// `reduce.terms.order64`: `glsl/reduce/terms.comp` with `KEY_BITS=64`, `ORDER=1`, `ROWS=4`.
pub static REDUCE_TERMS_ORDER64: Builtin =
    Builtin::new("reduce.terms.order64", "reduce/terms.comp", &[("KEY_BITS", "64"), ("ORDER", "1"), ("ROWS", "4")], packed!("reduce.terms.order64.spv"));

/// `reduce.terms.float`: `glsl/reduce/terms.comp` with `KEY_BITS=32`, `FLOAT=1`, `ROWS=4`.
pub static REDUCE_TERMS_FLOAT: Builtin =
    Builtin::new("reduce.terms.float", "reduce/terms.comp", &[("KEY_BITS", "32"), ("FLOAT", "1"), ("ROWS", "4")], packed!("reduce.terms.float.spv"));

/// `reduce.terms.float64`: `glsl/reduce/terms.comp` with `KEY_BITS=64`, `FLOAT=1`, `ROWS=4`.
pub static REDUCE_TERMS_FLOAT64: Builtin =
    Builtin::new("reduce.terms.float64", "reduce/terms.comp", &[("KEY_BITS", "64"), ("FLOAT", "1"), ("ROWS", "4")], packed!("reduce.terms.float64.spv"));

/// `reduce.index`: `glsl/reduce/index.comp` with `KEY_BITS=32`, `ORDER=1`, `ROWS=4`.
pub static REDUCE_INDEX: Builtin =
    Builtin::new("reduce.index", "reduce/index.comp", &[("KEY_BITS", "32"), ("ORDER", "1"), ("ROWS", "4")], packed!("reduce.index.spv"));

/// `reduce.index.key64`: `glsl/reduce/index.comp` with `KEY_BITS=64`, `ORDER=1`, `ROWS=4`.
pub static REDUCE_INDEX_KEY64: Builtin =
    Builtin::new("reduce.index.key64", "reduce/index.comp", &[("KEY_BITS", "64"), ("ORDER", "1"), ("ROWS", "4")], packed!("reduce.index.key64.spv"));

/// `select.sweep`: `glsl/select/sweep.comp` with `KEY_BITS=32`, `ITEMS=32`.
pub static SELECT_SWEEP: Builtin =
    Builtin::new("select.sweep", "select/sweep.comp", &[("KEY_BITS", "32"), ("ITEMS", "32")], packed!("select.sweep.spv"));

/// `select.sweep.key64`: `glsl/select/sweep.comp` with `KEY_BITS=64`, `ITEMS=16`.
pub static SELECT_SWEEP_KEY64: Builtin =
    Builtin::new("select.sweep.key64", "select/sweep.comp", &[("KEY_BITS", "64"), ("ITEMS", "16")], packed!("select.sweep.key64.spv"));

/// `select.partition`: `glsl/select/sweep.comp` with `KEY_BITS=32`, `ITEMS=32`, `REJECTED=1`.
pub static SELECT_PARTITION: Builtin =
    Builtin::new("select.partition", "select/sweep.comp", &[("KEY_BITS", "32"), ("ITEMS", "32"), ("REJECTED", "1")], packed!("select.partition.spv"));

/// `select.partition.key64`: `glsl/select/sweep.comp` with `KEY_BITS=64`, `ITEMS=16`, `REJECTED=1`.
pub static SELECT_PARTITION_KEY64: Builtin =
    Builtin::new("select.partition.key64", "select/sweep.comp", &[("KEY_BITS", "64"), ("ITEMS", "16"), ("REJECTED", "1")], packed!("select.partition.key64.spv"));

/// `select.runs`: `glsl/select/sweep.comp` with `KEY_BITS=32`, `RUNS=1`, `ITEMS=20`.
pub static SELECT_RUNS: Builtin =
    Builtin::new("select.runs", "select/sweep.comp", &[("KEY_BITS", "32"), ("RUNS", "1"), ("ITEMS", "20")], packed!("select.runs.spv"));

/// `select.runs.key64`: `glsl/select/sweep.comp` with `KEY_BITS=64`, `RUNS=1`, `ITEMS=20`.
pub static SELECT_RUNS_KEY64: Builtin =
    Builtin::new("select.runs.key64", "select/sweep.comp", &[("KEY_BITS", "64"), ("RUNS", "1"), ("ITEMS", "20")], packed!("select.runs.key64.spv"));

/// `search.bounds`: `glsl/search/bounds.comp` with `KEY_BITS=32`, `TOP=1024`.
pub static SEARCH_BOUNDS: Builtin =
    Builtin::new("search.bounds", "search/bounds.comp", &[("KEY_BITS", "32"), ("TOP", "1024")], packed!("search.bounds.spv"));

/// `search.bounds.key64`: `glsl/search/bounds.comp` with `KEY_BITS=64`, `TOP=1024`.
pub static SEARCH_BOUNDS_KEY64: Builtin =
    Builtin::new("search.bounds.key64", "search/bounds.comp", &[("KEY_BITS", "64"), ("TOP", "1024")], packed!("search.bounds.key64.spv"));

/// `merge.cut`: `glsl/merge/cut.comp` with `KEY_BITS=32`.
pub static MERGE_CUT: Builtin =
    Builtin::new("merge.cut", "merge/cut.comp", &[("KEY_BITS", "32")], packed!("merge.cut.spv"));

/// `merge.cut.key64`: `glsl/merge/cut.comp` with `KEY_BITS=64`.
pub static MERGE_CUT_KEY64: Builtin =
    Builtin::new("merge.cut.key64", "merge/cut.comp", &[("KEY_BITS", "64")], packed!("merge.cut.key64.spv"));

/// `merge.tiles.keys`: `glsl/merge/tiles.comp` with `KEYS=1`, `KEY_BITS=32`, `ITEMS=8`.
pub static MERGE_TILES_KEYS: Builtin =
    Builtin::new("merge.tiles.keys", "merge/tiles.comp", &[("KEYS", "1"), ("KEY_BITS", "32"), ("ITEMS", "8")], packed!("merge.tiles.keys.spv"));

/// `merge.tiles.keys.key64`: `glsl/merge/tiles.comp` with `KEYS=1`, `KEY_BITS=64`, `ITEMS=8`.
pub static MERGE_TILES_KEYS_KEY64: Builtin =
    Builtin::new("merge.tiles.keys.key64", "merge/tiles.comp", &[("KEYS", "1"), ("KEY_BITS", "64"), ("ITEMS", "8")], packed!("merge.tiles.keys.key64.spv"));

/// `merge.tiles.pairs`: `glsl/merge/tiles.comp` with `PAIRS=1`, `KEY_BITS=32`, `ITEMS=8`.
pub static MERGE_TILES_PAIRS: Builtin =
    Builtin::new("merge.tiles.pairs", "merge/tiles.comp", &[("PAIRS", "1"), ("KEY_BITS", "32"), ("ITEMS", "8")], packed!("merge.tiles.pairs.spv"));

/// `merge.tiles.pairs.key64`: `glsl/merge/tiles.comp` with `PAIRS=1`, `KEY_BITS=64`, `ITEMS=8`.
pub static MERGE_TILES_PAIRS_KEY64: Builtin =
    Builtin::new("merge.tiles.pairs.key64", "merge/tiles.comp", &[("PAIRS", "1"), ("KEY_BITS", "64"), ("ITEMS", "8")], packed!("merge.tiles.pairs.key64.spv"));

/// `multisplit.subgroup.prescan`: `glsl/multisplit/subgroup_prescan.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_SUBGROUP_PRESCAN: Builtin =
    Builtin::new("multisplit.subgroup.prescan", "multisplit/subgroup_prescan.comp", &[("KEY_BITS", "32")], packed!("multisplit.subgroup.prescan.spv"));

/// `multisplit.subgroup.prescan.key64`: `glsl/multisplit/subgroup_prescan.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_SUBGROUP_PRESCAN_KEY64: Builtin =
    Builtin::new("multisplit.subgroup.prescan.key64", "multisplit/subgroup_prescan.comp", &[("KEY_BITS", "64")], packed!("multisplit.subgroup.prescan.key64.spv"));

/// `multisplit.block.prescan`: `glsl/multisplit/block_prescan.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_BLOCK_PRESCAN: Builtin =
    Builtin::new("multisplit.block.prescan", "multisplit/block_prescan.comp", &[("KEY_BITS", "32")], packed!("multisplit.block.prescan.spv"));

/// `multisplit.block.prescan.key64`: `glsl/multisplit/block_prescan.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_BLOCK_PRESCAN_KEY64: Builtin =
    Builtin::new("multisplit.block.prescan.key64", "multisplit/block_prescan.comp", &[("KEY_BITS", "64")], packed!("multisplit.block.prescan.key64.spv"));

/// `multisplit.block.prescan.labels`: `glsl/multisplit/block_prescan_labels.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_BLOCK_PRESCAN_LABELS: Builtin =
    Builtin::new("multisplit.block.prescan.labels", "multisplit/block_prescan_labels.comp", &[("KEY_BITS", "32")], packed!("multisplit.block.prescan.labels.spv"));

/// `multisplit.block.prescan.labels.key64`: `glsl/multisplit/block_prescan_labels.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_BLOCK_PRESCAN_LABELS_KEY64: Builtin =
    Builtin::new("multisplit.block.prescan.labels.key64", "multisplit/block_prescan_labels.comp", &[("KEY_BITS", "64")], packed!("multisplit.block.prescan.labels.key64.spv"));

/// `multisplit.side_by_side.prescan`: `glsl/multisplit/side_by_side_prescan.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_SIDE_BY_SIDE_PRESCAN: Builtin =
    Builtin::new("multisplit.side_by_side.prescan", "multisplit/side_by_side_prescan.comp", &[("KEY_BITS", "32")], packed!("multisplit.side_by_side.prescan.spv"));

/// `multisplit.side_by_side.prescan.key64`: `glsl/multisplit/side_by_side_prescan.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_SIDE_BY_SIDE_PRESCAN_KEY64: Builtin =
    Builtin::new("multisplit.side_by_side.prescan.key64", "multisplit/side_by_side_prescan.comp", &[("KEY_BITS", "64")], packed!("multisplit.side_by_side.prescan.key64.spv"));

/// `multisplit.histogram`: `glsl/multisplit/histogram.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_HISTOGRAM: Builtin =
    Builtin::new("multisplit.histogram", "multisplit/histogram.comp", &[("KEY_BITS", "32")], packed!("multisplit.histogram.spv"));

/// `multisplit.histogram.key64`: `glsl/multisplit/histogram.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_HISTOGRAM_KEY64: Builtin =
    Builtin::new("multisplit.histogram.key64", "multisplit/histogram.comp", &[("KEY_BITS", "64")], packed!("multisplit.histogram.key64.spv"));

/// `multisplit.direct.postscan.keys`: `glsl/multisplit/direct_postscan.comp` with `KEYS=1`, `KEY_BITS=32`.
pub static MULTISPLIT_DIRECT_POSTSCAN_KEYS: Builtin =
    Builtin::new("multisplit.direct.postscan.keys", "multisplit/direct_postscan.comp", &[("KEYS", "1"), ("KEY_BITS", "32")], packed!("multisplit.direct.postscan.keys.spv"));

/// `multisplit.direct.postscan.keys.key64`: `glsl/multisplit/direct_postscan.comp` with `KEYS=1`, `KEY_BITS=64`.
pub static MULTISPLIT_DIRECT_POSTSCAN_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.direct.postscan.keys.key64", "multisplit/direct_postscan.comp", &[("KEYS", "1"), ("KEY_BITS", "64")], packed!("multisplit.direct.postscan.keys.key64.spv"));

/// `multisplit.direct.postscan.pairs`: `glsl/multisplit/direct_postscan.comp` with `PAIRS=1`, `KEY_BITS=32`.
pub static MULTISPLIT_DIRECT_POSTSCAN_PAIRS: Builtin =
    Builtin::new("multisplit.direct.postscan.pairs", "multisplit/direct_postscan.comp", &[("PAIRS", "1"), ("KEY_BITS", "32")], packed!("multisplit.direct.postscan.pairs.spv"));

/// `multisplit.direct.postscan.pairs.key64`: `glsl/multisplit/direct_postscan.comp` with `PAIRS=1`, `KEY_BITS=64`.
pub static MULTISPLIT_DIRECT_POSTSCAN_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.direct.postscan.pairs.key64", "multisplit/direct_postscan.comp", &[("PAIRS", "1"), ("KEY_BITS", "64")], packed!("multisplit.direct.postscan.pairs.key64.spv"));

/// `multisplit.direct.postscan.permutation`: `glsl/multisplit/direct_postscan.comp` with `PERMUTATION=1`, `KEY_BITS=32`.
pub static MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION: Builtin =
    Builtin::new("multisplit.direct.postscan.permutation", "multisplit/direct_postscan.comp", &[("PERMUTATION", "1"), ("KEY_BITS", "32")], packed!("multisplit.direct.postscan.permutation.spv"));

/// `multisplit.direct.postscan.permutation.key64`: `glsl/multisplit/direct_postscan.comp` with `PERMUTATION=1`, `KEY_BITS=64`.
pub static MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION_KEY64: Builtin =
    Builtin::new("multisplit.direct.postscan.permutation.key64", "multisplit/direct_postscan.comp", &[("PERMUTATION", "1"), ("KEY_BITS", "64")], packed!("multisplit.direct.postscan.permutation.key64.spv"));

/// `multisplit.warp.postscan.keys`: `glsl/multisplit/warp_postscan.comp` with `KEYS=1`, `KEY_BITS=32`.
pub static MULTISPLIT_WARP_POSTSCAN_KEYS: Builtin =
    Builtin::new("multisplit.warp.postscan.keys", "multisplit/warp_postscan.comp", &[("KEYS", "1"), ("KEY_BITS", "32")], packed!("multisplit.warp.postscan.keys.spv"));

/// `multisplit.warp.postscan.keys.key64`: `glsl/multisplit/warp_postscan.comp` with `KEYS=1`, `KEY_BITS=64`.
pub static MULTISPLIT_WARP_POSTSCAN_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.warp.postscan.keys.key64", "multisplit/warp_postscan.comp", &[("KEYS", "1"), ("KEY_BITS", "64")], packed!("multisplit.warp.postscan.keys.key64.spv"));

/// `multisplit.warp.postscan.pairs`: `glsl/multisplit/warp_postscan.comp` with `PAIRS=1`, `KEY_BITS=32`.
pub static MULTISPLIT_WARP_POSTSCAN_PAIRS: Builtin =
    Builtin::new("multisplit.warp.postscan.pairs", "multisplit/warp_postscan.comp", &[("PAIRS", "1"), ("KEY_BITS", "32")], packed!("multisplit.warp.postscan.pairs.spv"));

/// `multisplit.warp.postscan.pairs.key64`: `glsl/multisplit/warp_postscan.comp` with `PAIRS=1`, `KEY_BITS=64`.
pub static MULTISPLIT_WARP_POSTSCAN_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.warp.postscan.pairs.key64", "multisplit/warp_postscan.comp", &[("PAIRS", "1"), ("KEY_BITS", "64")], packed!("multisplit.warp.postscan.pairs.key64.spv"));

/// `multisplit.warp.postscan.permutation`: `glsl/multisplit/warp_postscan.comp` with `PERMUTATION=1`, `KEY_BITS=32`.
pub static MULTISPLIT_WARP_POSTSCAN_PERMUTATION: Builtin =
    Builtin::new("multisplit.warp.postscan.permutation", "multisplit/warp_postscan.comp", &[("PERMUTATION", "1"), ("KEY_BITS", "32")], packed!("multisplit.warp.postscan.permutation.spv"));

/// `multisplit.warp.postscan.permutation.key64`: `glsl/multisplit/warp_postscan.comp` with `PERMUTATION=1`, `KEY_BITS=64`.
pub static MULTISPLIT_WARP_POSTSCAN_PERMUTATION_KEY64: Builtin =
    Builtin::new("multisplit.warp.postscan.permutation.key64", "multisplit/warp_postscan.comp", &[("PERMUTATION", "1"), ("KEY_BITS", "64")], packed!("multisplit.warp.postscan.permutation.key64.spv"));

/// `multisplit.block.postscan.keys`: `glsl/multisplit/block_postscan.comp` with `KEYS=1`, `KEY_BITS=32`.
pub static MULTISPLIT_BLOCK_POSTSCAN_KEYS: Builtin =
    Builtin::new("multisplit.block.postscan.keys", "multisplit/block_postscan.comp", &[("KEYS", "1"), ("KEY_BITS", "32")], packed!("multisplit.block.postscan.keys.spv"));

/// `multisplit.block.postscan.keys.key64`: `glsl/multisplit/block_postscan.comp` with `KEYS=1`, `KEY_BITS=64`.
pub static MULTISPLIT_BLOCK_POSTSCAN_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.block.postscan.keys.key64", "multisplit/block_postscan.comp", &[("KEYS", "1"), ("KEY_BITS", "64")], packed!("multisplit.block.postscan.keys.key64.spv"));

/// `multisplit.block.postscan.pairs`: `glsl/multisplit/block_postscan.comp` with `PAIRS=1`, `KEY_BITS=32`.
pub static MULTISPLIT_BLOCK_POSTSCAN_PAIRS: Builtin =
    Builtin::new("multisplit.block.postscan.pairs", "multisplit/block_postscan.comp", &[("PAIRS", "1"), ("KEY_BITS", "32")], packed!("multisplit.block.postscan.pairs.spv"));

/// `multisplit.block.postscan.pairs.key64`: `glsl/multisplit/block_postscan.comp` with `PAIRS=1`, `KEY_BITS=64`.
pub static MULTISPLIT_BLOCK_POSTSCAN_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.block.postscan.pairs.key64", "multisplit/block_postscan.comp", &[("PAIRS", "1"), ("KEY_BITS", "64")], packed!("multisplit.block.postscan.pairs.key64.spv"));

/// `multisplit.block.postscan.permutation`: `glsl/multisplit/block_postscan.comp` with `PERMUTATION=1`, `KEY_BITS=32`.
pub static MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION: Builtin =
    Builtin::new("multisplit.block.postscan.permutation", "multisplit/block_postscan.comp", &[("PERMUTATION", "1"), ("KEY_BITS", "32")], packed!("multisplit.block.postscan.permutation.spv"));

/// `multisplit.block.postscan.permutation.key64`: `glsl/multisplit/block_postscan.comp` with `PERMUTATION=1`, `KEY_BITS=64`.
pub static MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION_KEY64: Builtin =
    Builtin::new("multisplit.block.postscan.permutation.key64", "multisplit/block_postscan.comp", &[("PERMUTATION", "1"), ("KEY_BITS", "64")], packed!("multisplit.block.postscan.permutation.key64.spv"));

/// `multisplit.block.postscan.labels.keys`: `glsl/multisplit/block_postscan.comp` with `KEYS=1`, `KEY_BITS=32`, `LABELS=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_LABELS_KEYS: Builtin =
    Builtin::new("multisplit.block.postscan.labels.keys", "multisplit/block_postscan.comp", &[("KEYS", "1"), ("KEY_BITS", "32"), ("LABELS", "1")], packed!("multisplit.block.postscan.labels.keys.spv"));

/// `multisplit.block.postscan.labels.keys.key64`: `glsl/multisplit/block_postscan.comp` with `KEYS=1`, `KEY_BITS=64`, `LABELS=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_LABELS_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.block.postscan.labels.keys.key64", "multisplit/block_postscan.comp", &[("KEYS", "1"), ("KEY_BITS", "64"), ("LABELS", "1")], packed!("multisplit.block.postscan.labels.keys.key64.spv"));

/// `multisplit.block.postscan.labels.pairs`: `glsl/multisplit/block_postscan.comp` with `PAIRS=1`, `KEY_BITS=32`, `LABELS=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_LABELS_PAIRS: Builtin =
    Builtin::new("multisplit.block.postscan.labels.pairs", "multisplit/block_postscan.comp", &[("PAIRS", "1"), ("KEY_BITS", "32"), ("LABELS", "1")], packed!("multisplit.block.postscan.labels.pairs.spv"));

/// `multisplit.block.postscan.labels.pairs.key64`: `glsl/multisplit/block_postscan.comp` with `PAIRS=1`, `KEY_BITS=64`, `LABELS=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_LABELS_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.block.postscan.labels.pairs.key64", "multisplit/block_postscan.comp", &[("PAIRS", "1"), ("KEY_BITS", "64"), ("LABELS", "1")], packed!("multisplit.block.postscan.labels.pairs.key64.spv"));

/// `multisplit.block.postscan.labels.permutation`: `glsl/multisplit/block_postscan.comp` with `PERMUTATION=1`, `KEY_BITS=32`, `LABELS=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_LABELS_PERMUTATION: Builtin =
    Builtin::new("multisplit.block.postscan.labels.permutation", "multisplit/block_postscan.comp", &[("PERMUTATION", "1"), ("KEY_BITS", "32"), ("LABELS", "1")], packed!("multisplit.block.postscan.labels.permutation.spv"));

/// `multisplit.block.postscan.labels.permutation.key64`: `glsl/multisplit/block_postscan.comp` with `PERMUTATION=1`, `KEY_BITS=64`, `LABELS=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_LABELS_PERMUTATION_KEY64: Builtin =
    Builtin::new("multisplit.block.postscan.labels.permutation.key64", "multisplit/block_postscan.comp", &[("PERMUTATION", "1"), ("KEY_BITS", "64"), ("LABELS", "1")], packed!("multisplit.block.postscan.labels.permutation.key64.spv"));

/// `multisplit.onesweep.keys`: `glsl/multisplit/onesweep.comp` with `KEYS=1`, `KEY_BITS=32`.
pub static MULTISPLIT_ONESWEEP_KEYS: Builtin =
    Builtin::new("multisplit.onesweep.keys", "multisplit/onesweep.comp", &[("KEYS", "1"), ("KEY_BITS", "32")], packed!("multisplit.onesweep.keys.spv"));

/// `multisplit.onesweep.keys.key64`: `glsl/multisplit/onesweep.comp` with `KEYS=1`, `KEY_BITS=64`.
pub static MULTISPLIT_ONESWEEP_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.onesweep.keys.key64", "multisplit/onesweep.comp", &[("KEYS", "1"), ("KEY_BITS", "64")], packed!("multisplit.onesweep.keys.key64.spv"));

/// `multisplit.onesweep.pairs`: `glsl/multisplit/onesweep.comp` with `PAIRS=1`, `KEY_BITS=32`.
pub static MULTISPLIT_ONESWEEP_PAIRS: Builtin =
    Builtin::new("multisplit.onesweep.pairs", "multisplit/onesweep.comp", &[("PAIRS", "1"), ("KEY_BITS", "32")], packed!("multisplit.onesweep.pairs.spv"));

/// `multisplit.onesweep.pairs.key64`: `glsl/multisplit/onesweep.comp` with `PAIRS=1`, `KEY_BITS=64`.
pub static MULTISPLIT_ONESWEEP_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.onesweep.pairs.key64", "multisplit/onesweep.comp", &[("PAIRS", "1"), ("KEY_BITS", "64")], packed!("multisplit.onesweep.pairs.key64.spv"));

/// `multisplit.onesweep.permutation`: `glsl/multisplit/onesweep.comp` with `PERMUTATION=1`, `KEY_BITS=32`.
pub static MULTISPLIT_ONESWEEP_PERMUTATION: Builtin =
    Builtin::new("multisplit.onesweep.permutation", "multisplit/onesweep.comp", &[("PERMUTATION", "1"), ("KEY_BITS", "32")], packed!("multisplit.onesweep.permutation.spv"));

/// `multisplit.onesweep.permutation.key64`: `glsl/multisplit/onesweep.comp` with `PERMUTATION=1`, `KEY_BITS=64`.
pub static MULTISPLIT_ONESWEEP_PERMUTATION_KEY64: Builtin =
    Builtin::new("multisplit.onesweep.permutation.key64", "multisplit/onesweep.comp", &[("PERMUTATION", "1"), ("KEY_BITS", "64")], packed!("multisplit.onesweep.permutation.key64.spv"));

/// `multisplit.offsets`: `glsl/multisplit/offsets.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_OFFSETS: Builtin =
    Builtin::new("multisplit.offsets", "multisplit/offsets.comp", &[("KEY_BITS", "32")], packed!("multisplit.offsets.spv"));

/// `multisplit.offsets.key64`: `glsl/multisplit/offsets.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_OFFSETS_KEY64: Builtin =
    Builtin::new("multisplit.offsets.key64", "multisplit/offsets.comp", &[("KEY_BITS", "64")], packed!("multisplit.offsets.key64.spv"));

/// `multisplit.flags`: `glsl/multisplit/flags.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_FLAGS: Builtin =
    Builtin::new("multisplit.flags", "multisplit/flags.comp", &[("KEY_BITS", "32")], packed!("multisplit.flags.spv"));

/// `multisplit.flags.key64`: `glsl/multisplit/flags.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_FLAGS_KEY64: Builtin =
    Builtin::new("multisplit.flags.key64", "multisplit/flags.comp", &[("KEY_BITS", "64")], packed!("multisplit.flags.key64.spv"));

/// `multisplit.flag_scatter.keys`: `glsl/multisplit/flag_scatter.comp` with `KEYS=1`, `KEY_BITS=32`.
pub static MULTISPLIT_FLAG_SCATTER_KEYS: Builtin =
    Builtin::new("multisplit.flag_scatter.keys", "multisplit/flag_scatter.comp", &[("KEYS", "1"), ("KEY_BITS", "32")], packed!("multisplit.flag_scatter.keys.spv"));

/// `multisplit.flag_scatter.keys.key64`: `glsl/multisplit/flag_scatter.comp` with `KEYS=1`, `KEY_BITS=64`.
pub static MULTISPLIT_FLAG_SCATTER_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.flag_scatter.keys.key64", "multisplit/flag_scatter.comp", &[("KEYS", "1"), ("KEY_BITS", "64")], packed!("multisplit.flag_scatter.keys.key64.spv"));

/// `multisplit.flag_scatter.pairs`: `glsl/multisplit/flag_scatter.comp` with `PAIRS=1`, `KEY_BITS=32`.
pub static MULTISPLIT_FLAG_SCATTER_PAIRS: Builtin =
    Builtin::new("multisplit.flag_scatter.pairs", "multisplit/flag_scatter.comp", &[("PAIRS", "1"), ("KEY_BITS", "32")], packed!("multisplit.flag_scatter.pairs.spv"));

/// `multisplit.flag_scatter.pairs.key64`: `glsl/multisplit/flag_scatter.comp` with `PAIRS=1`, `KEY_BITS=64`.
pub static MULTISPLIT_FLAG_SCATTER_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.flag_scatter.pairs.key64", "multisplit/flag_scatter.comp", &[("PAIRS", "1"), ("KEY_BITS", "64")], packed!("multisplit.flag_scatter.pairs.key64.spv"));

/// `multisplit.labels`: `glsl/multisplit/labels.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_LABELS: Builtin =
    Builtin::new("multisplit.labels", "multisplit/labels.comp", &[("KEY_BITS", "32")], packed!("multisplit.labels.spv"));

/// `multisplit.labels.key64`: `glsl/multisplit/labels.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_LABELS_KEY64: Builtin =
    Builtin::new("multisplit.labels.key64", "multisplit/labels.comp", &[("KEY_BITS", "64")], packed!("multisplit.labels.key64.spv"));

/// `multisplit.labels.index`: `glsl/multisplit/labels.comp` with `KEY_BITS=32`, `INDEX=1`.
pub static MULTISPLIT_LABELS_INDEX: Builtin =
    Builtin::new("multisplit.labels.index", "multisplit/labels.comp", &[("KEY_BITS", "32"), ("INDEX", "1")], packed!("multisplit.labels.index.spv"));

/// `multisplit.labels.index.key64`: `glsl/multisplit/labels.comp` with `KEY_BITS=64`, `INDEX=1`.
pub static MULTISPLIT_LABELS_INDEX_KEY64: Builtin =
    Builtin::new("multisplit.labels.index.key64", "multisplit/labels.comp", &[("KEY_BITS", "64"), ("INDEX", "1")], packed!("multisplit.labels.index.key64.spv"));

/// `multisplit.labels.packed`: `glsl/multisplit/labels.comp` with `KEY_BITS=32`, `PACKED=1`.
pub static MULTISPLIT_LABELS_PACKED: Builtin =
    Builtin::new("multisplit.labels.packed", "multisplit/labels.comp", &[("KEY_BITS", "32"), ("PACKED", "1")], packed!("multisplit.labels.packed.spv"));

/// `multisplit.gather`: `glsl/multisplit/gather.comp` with `KEY_BITS=32`, `PAIRS=1`.
pub static MULTISPLIT_GATHER: Builtin =
    Builtin::new("multisplit.gather", "multisplit/gather.comp", &[("KEY_BITS", "32"), ("PAIRS", "1")], packed!("multisplit.gather.spv"));

/// `multisplit.gather.key64`: `glsl/multisplit/gather.comp` with `KEY_BITS=64`, `PAIRS=1`.
pub static MULTISPLIT_GATHER_KEY64: Builtin =
    Builtin::new("multisplit.gather.key64", "multisplit/gather.comp", &[("KEY_BITS", "64"), ("PAIRS", "1")], packed!("multisplit.gather.key64.spv"));

/// `multisplit.unpack`: `glsl/multisplit/unpack.comp`.
pub static MULTISPLIT_UNPACK: Builtin =
    Builtin::new("multisplit.unpack", "multisplit/unpack.comp", &[], packed!("multisplit.unpack.spv"));

/// `multisplit.invert`: `glsl/multisplit/invert.comp`.
pub static MULTISPLIT_INVERT: Builtin =
    Builtin::new("multisplit.invert", "multisplit/invert.comp", &[], packed!("multisplit.invert.spv"));

/// `multisplit.number`: `glsl/multisplit/number.comp`.
pub static MULTISPLIT_NUMBER: Builtin =
    Builtin::new("multisplit.number", "multisplit/number.comp", &[], packed!("multisplit.number.spv"));

/// `sort.histogram`: `glsl/sort/histogram.comp` with `KEY_BITS=32`, `PACKED_KEYS=1`.
pub static SORT_HISTOGRAM: Builtin =
    Builtin::new("sort.histogram", "sort/histogram.comp", &[("KEY_BITS", "32"), ("PACKED_KEYS", "1")], packed!("sort.histogram.spv"));

/// `sort.histogram.key64`: `glsl/sort/histogram.comp` with `KEY_BITS=64`, `PACKED_KEYS=1`.
pub static SORT_HISTOGRAM_KEY64: Builtin =
    Builtin::new("sort.histogram.key64", "sort/histogram.comp", &[("KEY_BITS", "64"), ("PACKED_KEYS", "1")], packed!("sort.histogram.key64.spv"));

/// `sort.round.keys`: `glsl/multisplit/onesweep.comp` with `KEYS=1`, `KEY_BITS=32`, `SORT=1`, `PACKED_KEYS=1`.
pub static SORT_ROUND_KEYS: Builtin =
    Builtin::new("sort.round.keys", "multisplit/onesweep.comp", &[("KEYS", "1"), ("KEY_BITS", "32"), ("SORT", "1"), ("PACKED_KEYS", "1")], packed!("sort.round.keys.spv"));

/// `sort.round.keys.key64`: `glsl/multisplit/onesweep.comp` with `KEYS=1`, `KEY_BITS=64`, `SORT=1`, `PACKED_KEYS=1`.
pub static SORT_ROUND_KEYS_KEY64: Builtin =
    Builtin::new("sort.round.keys.key64", "multisplit/onesweep.comp", &[("KEYS", "1"), ("KEY_BITS", "64"), ("SORT", "1"), ("PACKED_KEYS", "1")], packed!("sort.round.keys.key64.spv"));

/// `sort.round.pairs`: `glsl/multisplit/onesweep.comp` with `PAIRS=1`, `KEY_BITS=32`, `SORT=1`, `PACKED_KEYS=1`.
pub static SORT_ROUND_PAIRS: Builtin =
    Builtin::new("sort.round.pairs", "multisplit/onesweep.comp", &[("PAIRS", "1"), ("KEY_BITS", "32"), ("SORT", "1"), ("PACKED_KEYS", "1")], packed!("sort.round.pairs.spv"));

/// `sort.round.pairs.key64`: `glsl/multisplit/onesweep.comp` with `PAIRS=1`, `KEY_BITS=64`, `SORT=1`, `PACKED_KEYS=1`.
pub static SORT_ROUND_PAIRS_KEY64: Builtin =
    Builtin::new("sort.round.pairs.key64", "multisplit/onesweep.comp", &[("PAIRS", "1"), ("KEY_BITS", "64"), ("SORT", "1"), ("PACKED_KEYS", "1")], packed!("sort.round.pairs.key64.spv"));

/// `sort.round.packing.keys`: `glsl/multisplit/onesweep.comp` with `KEYS=1`, `KEY_BITS=32`, `SORT=1`, `PACKING=1`.
pub static SORT_ROUND_PACKING_KEYS: Builtin =
    Builtin::new("sort.round.packing.keys", "multisplit/onesweep.comp", &[("KEYS", "1"), ("KEY_BITS", "32"), ("SORT", "1"), ("PACKING", "1")], packed!("sort.round.packing.keys.spv"));

/// `sort.round.packing.pairs`: `glsl/multisplit/onesweep.comp` with `PAIRS=1`, `KEY_BITS=32`, `SORT=1`, `PACKING=1`.
pub static SORT_ROUND_PACKING_PAIRS: Builtin =
    Builtin::new("sort.round.packing.pairs", "multisplit/onesweep.comp", &[("PAIRS", "1"), ("KEY_BITS", "32"), ("SORT", "1"), ("PACKING", "1")], packed!("sort.round.packing.pairs.spv"));

/// `sort.count`: `glsl/sort/count.comp`.
pub static SORT_COUNT: Builtin =
    Builtin::new("sort.count", "sort/count.comp", &[], packed!("sort.count.spv"));

/// `sort.runs`: `glsl/sort/runs.comp`.
pub static SORT_RUNS: Builtin =
    Builtin::new("sort.runs", "sort/runs.comp", &[], packed!("sort.runs.spv"));

/// `sort.small.keys`: `glsl/sort/small.comp` with `KEYS=1`, `KEY_BITS=32`.
pub static SORT_SMALL_KEYS: Builtin =
    Builtin::new("sort.small.keys", "sort/small.comp", &[("KEYS", "1"), ("KEY_BITS", "32")], packed!("sort.small.keys.spv"));

/// `sort.small.keys.key64`: `glsl/sort/small.comp` with `KEYS=1`, `KEY_BITS=64`.
pub static SORT_SMALL_KEYS_KEY64: Builtin =
    Builtin::new("sort.small.keys.key64", "sort/small.comp", &[("KEYS", "1"), ("KEY_BITS", "64")], packed!("sort.small.keys.key64.spv"));

/// `sort.small.pairs`: `glsl/sort/small.comp` with `PAIRS=1`, `KEY_BITS=32`.
pub static SORT_SMALL_PAIRS: Builtin =
    Builtin::new("sort.small.pairs", "sort/small.comp", &[("PAIRS", "1"), ("KEY_BITS", "32")], packed!("sort.small.pairs.spv"));

/// `sort.small.pairs.key64`: `glsl/sort/small.comp` with `PAIRS=1`, `KEY_BITS=64`.
pub static SORT_SMALL_PAIRS_KEY64: Builtin =
    Builtin::new("sort.small.pairs.key64", "sort/small.comp", &[("PAIRS", "1"), ("KEY_BITS", "64")], packed!("sort.small.pairs.key64.spv"));

/// `sort.segments.heads`: `glsl/sort/segment_heads.comp`.
pub static SORT_SEGMENTS_HEADS: Builtin =
    Builtin::new("sort.segments.heads", "sort/segment_heads.comp", &[], packed!("sort.segments.heads.spv"));

/// `sort.segments.tiles.keys`: `glsl/sort/segment_tiles.comp` with `KEYS=1`, `KEY_BITS=32`, `ITEMS=8`.
pub static SORT_SEGMENTS_TILES_KEYS: Builtin =
    Builtin::new("sort.segments.tiles.keys", "sort/segment_tiles.comp", &[("KEYS", "1"), ("KEY_BITS", "32"), ("ITEMS", "8")], packed!("sort.segments.tiles.keys.spv"));

/// `sort.segments.tiles.keys.key64`: `glsl/sort/segment_tiles.comp` with `KEYS=1`, `KEY_BITS=64`, `ITEMS=8`.
pub static SORT_SEGMENTS_TILES_KEYS_KEY64: Builtin =
    Builtin::new("sort.segments.tiles.keys.key64", "sort/segment_tiles.comp", &[("KEYS", "1"), ("KEY_BITS", "64"), ("ITEMS", "8")], packed!("sort.segments.tiles.keys.key64.spv"));

/// `sort.segments.tiles.pairs`: `glsl/sort/segment_tiles.comp` with `PAIRS=1`, `KEY_BITS=32`, `ITEMS=8`.
pub static SORT_SEGMENTS_TILES_PAIRS: Builtin =
    Builtin::new("sort.segments.tiles.pairs", "sort/segment_tiles.comp", &[("PAIRS", "1"), ("KEY_BITS", "32"), ("ITEMS", "8")], packed!("sort.segments.tiles.pairs.spv"));

/// `sort.segments.tiles.pairs.key64`: `glsl/sort/segment_tiles.comp` with `PAIRS=1`, `KEY_BITS=64`, `ITEMS=8`.
pub static SORT_SEGMENTS_TILES_PAIRS_KEY64: Builtin =
    Builtin::new("sort.segments.tiles.pairs.key64", "sort/segment_tiles.comp", &[("PAIRS", "1"), ("KEY_BITS", "64"), ("ITEMS", "8")], packed!("sort.segments.tiles.pairs.key64.spv"));

/// `sort.segments.rows.keys`: `glsl/sort/segment_rows.comp` with `KEYS=1`, `KEY_BITS=32`, `ITEMS=8`.
pub static SORT_SEGMENTS_ROWS_KEYS: Builtin =
    Builtin::new("sort.segments.rows.keys", "sort/segment_rows.comp", &[("KEYS", "1"), ("KEY_BITS", "32"), ("ITEMS", "8")], packed!("sort.segments.rows.keys.spv"));

/// `sort.segments.rows.keys.key64`: `glsl/sort/segment_rows.comp` with `KEYS=1`, `KEY_BITS=64`, `ITEMS=8`.
pub static SORT_SEGMENTS_ROWS_KEYS_KEY64: Builtin =
    Builtin::new("sort.segments.rows.keys.key64", "sort/segment_rows.comp", &[("KEYS", "1"), ("KEY_BITS", "64"), ("ITEMS", "8")], packed!("sort.segments.rows.keys.key64.spv"));

/// `sort.segments.rows.pairs`: `glsl/sort/segment_rows.comp` with `PAIRS=1`, `KEY_BITS=32`, `ITEMS=8`.
pub static SORT_SEGMENTS_ROWS_PAIRS: Builtin =
    Builtin::new("sort.segments.rows.pairs", "sort/segment_rows.comp", &[("PAIRS", "1"), ("KEY_BITS", "32"), ("ITEMS", "8")], packed!("sort.segments.rows.pairs.spv"));

/// `sort.segments.rows.pairs.key64`: `glsl/sort/segment_rows.comp` with `PAIRS=1`, `KEY_BITS=64`, `ITEMS=8`.
pub static SORT_SEGMENTS_ROWS_PAIRS_KEY64: Builtin =
    Builtin::new("sort.segments.rows.pairs.key64", "sort/segment_rows.comp", &[("PAIRS", "1"), ("KEY_BITS", "64"), ("ITEMS", "8")], packed!("sort.segments.rows.pairs.key64.spv"));

/// `sort.segments.spread`: `glsl/sort/segment_spread.comp`.
pub static SORT_SEGMENTS_SPREAD: Builtin =
    Builtin::new("sort.segments.spread", "sort/segment_spread.comp", &[], packed!("sort.segments.spread.spv"));

/// `sort.segments.histogram`: `glsl/sort/histogram.comp` with `KEY_BITS=32`, `SEGMENTS=1`.
pub static SORT_SEGMENTS_HISTOGRAM: Builtin =
    Builtin::new("sort.segments.histogram", "sort/histogram.comp", &[("KEY_BITS", "32"), ("SEGMENTS", "1")], packed!("sort.segments.histogram.spv"));

/// `sort.segments.histogram.key64`: `glsl/sort/histogram.comp` with `KEY_BITS=64`, `SEGMENTS=1`.
pub static SORT_SEGMENTS_HISTOGRAM_KEY64: Builtin =
    Builtin::new("sort.segments.histogram.key64", "sort/histogram.comp", &[("KEY_BITS", "64"), ("SEGMENTS", "1")], packed!("sort.segments.histogram.key64.spv"));

/// `sort.segments.round.keys`: `glsl/multisplit/onesweep.comp` with `KEYS=1`, `KEY_BITS=32`, `SORT=1`, `SEGMENTS=1`.
pub static SORT_SEGMENTS_ROUND_KEYS: Builtin =
    Builtin::new("sort.segments.round.keys", "multisplit/onesweep.comp", &[("KEYS", "1"), ("KEY_BITS", "32"), ("SORT", "1"), ("SEGMENTS", "1")], packed!("sort.segments.round.keys.spv"));

/// `sort.segments.round.keys.key64`: `glsl/multisplit/onesweep.comp` with `KEYS=1`, `KEY_BITS=64`, `SORT=1`, `SEGMENTS=1`.
pub static SORT_SEGMENTS_ROUND_KEYS_KEY64: Builtin =
    Builtin::new("sort.segments.round.keys.key64", "multisplit/onesweep.comp", &[("KEYS", "1"), ("KEY_BITS", "64"), ("SORT", "1"), ("SEGMENTS", "1")], packed!("sort.segments.round.keys.key64.spv"));

/// `sort.segments.round.pairs`: `glsl/multisplit/onesweep.comp` with `PAIRS=1`, `KEY_BITS=32`, `SORT=1`, `SEGMENTS=1`.
pub static SORT_SEGMENTS_ROUND_PAIRS: Builtin =
    Builtin::new("sort.segments.round.pairs", "multisplit/onesweep.comp", &[("PAIRS", "1"), ("KEY_BITS", "32"), ("SORT", "1"), ("SEGMENTS", "1")], packed!("sort.segments.round.pairs.spv"));

/// `sort.segments.round.pairs.key64`: `glsl/multisplit/onesweep.comp` with `PAIRS=1`, `KEY_BITS=64`, `SORT=1`, `SEGMENTS=1`.
pub static SORT_SEGMENTS_ROUND_PAIRS_KEY64: Builtin =
    Builtin::new("sort.segments.round.pairs.key64", "multisplit/onesweep.comp", &[("PAIRS", "1"), ("KEY_BITS", "64"), ("SORT", "1"), ("SEGMENTS", "1")], packed!("sort.segments.round.pairs.key64.spv"));

/// `histogram.arguments`: `glsl/histogram/arguments.comp`.
pub static HISTOGRAM_ARGUMENTS: Builtin =
    Builtin::new("histogram.arguments", "histogram/arguments.comp", &[], packed!("histogram.arguments.spv"));

/// `histogram.count`: `glsl/histogram/count.comp` with `SAMPLE_BITS=32`.
pub static HISTOGRAM_COUNT: Builtin =
    Builtin::new("histogram.count", "histogram/count.comp", &[("SAMPLE_BITS", "32")], packed!("histogram.count.spv"));

/// `histogram.count.wide`: `glsl/histogram/count.comp` with `SAMPLE_BITS=64`.
pub static HISTOGRAM_COUNT_WIDE: Builtin =
    Builtin::new("histogram.count.wide", "histogram/count.comp", &[("SAMPLE_BITS", "64")], packed!("histogram.count.wide.spv"));

/// `histogram.count.double`: `glsl/histogram/count.comp` with `SAMPLE_BITS=64`, `DOUBLE=1`.
pub static HISTOGRAM_COUNT_DOUBLE: Builtin =
    Builtin::new("histogram.count.double", "histogram/count.comp", &[("SAMPLE_BITS", "64"), ("DOUBLE", "1")], packed!("histogram.count.double.spv"));

/// `sssp.begin`: `glsl/sssp/begin.comp`.
pub static SSSP_BEGIN: Builtin =
    Builtin::new("sssp.begin", "sssp/begin.comp", &[], packed!("sssp.begin.spv"));

/// `sssp.round`: `glsl/sssp/round.comp`.
pub static SSSP_ROUND: Builtin =
    Builtin::new("sssp.round", "sssp/round.comp", &[], packed!("sssp.round.spv"));

/// `sssp.round.pile`: `glsl/sssp/round.comp` with `PILE=1`.
pub static SSSP_ROUND_PILE: Builtin =
    Builtin::new("sssp.round.pile", "sssp/round.comp", &[("PILE", "1")], packed!("sssp.round.pile.spv"));

/// `sssp.persistent`: `glsl/sssp/persistent.comp`.
pub static SSSP_PERSISTENT: Builtin =
    Builtin::new("sssp.persistent", "sssp/persistent.comp", &[], packed!("sssp.persistent.spv"));

/// `sssp.survey`: `glsl/sssp/survey.comp`.
pub static SSSP_SURVEY: Builtin =
    Builtin::new("sssp.survey", "sssp/survey.comp", &[], packed!("sssp.survey.spv"));

/// `sssp.filter`: `glsl/sssp/filter.comp`.
pub static SSSP_FILTER: Builtin =
    Builtin::new("sssp.filter", "sssp/filter.comp", &[], packed!("sssp.filter.spv"));

/// `sssp.take`: `glsl/sssp/take.comp`.
pub static SSSP_TAKE: Builtin =
    Builtin::new("sssp.take", "sssp/take.comp", &[], packed!("sssp.take.spv"));

/// `pieces.move`: `glsl/pieces/move.comp`.
pub static PIECES_MOVE: Builtin =
    Builtin::new("pieces.move", "pieces/move.comp", &[], packed!("pieces.move.spv"));

/// `pieces.place`: `glsl/pieces/place.comp`.
pub static PIECES_PLACE: Builtin =
    Builtin::new("pieces.place", "pieces/place.comp", &[], packed!("pieces.place.spv"));

/// `pieces.number`: `glsl/pieces/number.comp`.
pub static PIECES_NUMBER: Builtin =
    Builtin::new("pieces.number", "pieces/number.comp", &[], packed!("pieces.number.spv"));

/// `topk.sample`: `glsl/topk/sample.comp` with `KEY_BITS=32`.
pub static TOPK_SAMPLE: Builtin =
    Builtin::new("topk.sample", "topk/sample.comp", &[("KEY_BITS", "32")], packed!("topk.sample.spv"));

/// `topk.sample.key64`: `glsl/topk/sample.comp` with `KEY_BITS=64`.
pub static TOPK_SAMPLE_KEY64: Builtin =
    Builtin::new("topk.sample.key64", "topk/sample.comp", &[("KEY_BITS", "64")], packed!("topk.sample.key64.spv"));

/// `topk.threshold`: `glsl/topk/threshold.comp` with `KEY_BITS=32`.
pub static TOPK_THRESHOLD: Builtin =
    Builtin::new("topk.threshold", "topk/threshold.comp", &[("KEY_BITS", "32")], packed!("topk.threshold.spv"));

/// `topk.threshold.key64`: `glsl/topk/threshold.comp` with `KEY_BITS=64`.
pub static TOPK_THRESHOLD_KEY64: Builtin =
    Builtin::new("topk.threshold.key64", "topk/threshold.comp", &[("KEY_BITS", "64")], packed!("topk.threshold.key64.spv"));

/// `topk.filter`: `glsl/topk/filter.comp` with `KEY_BITS=32`.
pub static TOPK_FILTER: Builtin =
    Builtin::new("topk.filter", "topk/filter.comp", &[("KEY_BITS", "32")], packed!("topk.filter.spv"));

/// `topk.filter.key64`: `glsl/topk/filter.comp` with `KEY_BITS=64`.
pub static TOPK_FILTER_KEY64: Builtin =
    Builtin::new("topk.filter.key64", "topk/filter.comp", &[("KEY_BITS", "64")], packed!("topk.filter.key64.spv"));

/// `topk.digits`: `glsl/topk/digits.comp` with `KEY_BITS=32`.
pub static TOPK_DIGITS: Builtin =
    Builtin::new("topk.digits", "topk/digits.comp", &[("KEY_BITS", "32")], packed!("topk.digits.spv"));

/// `topk.digits.key64`: `glsl/topk/digits.comp` with `KEY_BITS=64`.
pub static TOPK_DIGITS_KEY64: Builtin =
    Builtin::new("topk.digits.key64", "topk/digits.comp", &[("KEY_BITS", "64")], packed!("topk.digits.key64.spv"));

/// `topk.count`: `glsl/topk/count.comp` with `KEY_BITS=32`.
pub static TOPK_COUNT: Builtin =
    Builtin::new("topk.count", "topk/count.comp", &[("KEY_BITS", "32")], packed!("topk.count.spv"));

/// `topk.count.key64`: `glsl/topk/count.comp` with `KEY_BITS=64`.
pub static TOPK_COUNT_KEY64: Builtin =
    Builtin::new("topk.count.key64", "topk/count.comp", &[("KEY_BITS", "64")], packed!("topk.count.key64.spv"));

/// `topk.gather`: `glsl/topk/gather.comp` with `KEY_BITS=32`.
pub static TOPK_GATHER: Builtin =
    Builtin::new("topk.gather", "topk/gather.comp", &[("KEY_BITS", "32")], packed!("topk.gather.spv"));

/// `topk.gather.key64`: `glsl/topk/gather.comp` with `KEY_BITS=64`.
pub static TOPK_GATHER_KEY64: Builtin =
    Builtin::new("topk.gather.key64", "topk/gather.comp", &[("KEY_BITS", "64")], packed!("topk.gather.key64.spv"));

/// `topk.finish`: `glsl/topk/finish.comp` with `KEY_BITS=32`.
pub static TOPK_FINISH: Builtin =
    Builtin::new("topk.finish", "topk/finish.comp", &[("KEY_BITS", "32")], packed!("topk.finish.spv"));

/// `topk.finish.key64`: `glsl/topk/finish.comp` with `KEY_BITS=64`.
pub static TOPK_FINISH_KEY64: Builtin =
    Builtin::new("topk.finish.key64", "topk/finish.comp", &[("KEY_BITS", "64")], packed!("topk.finish.key64.spv"));

/// `topk.rows`: `glsl/topk/finish.comp` with `KEY_BITS=32`, `ROWS_OF_INPUT=1`.
pub static TOPK_ROWS: Builtin =
    Builtin::new("topk.rows", "topk/finish.comp", &[("KEY_BITS", "32"), ("ROWS_OF_INPUT", "1")], packed!("topk.rows.spv"));

/// `topk.rows.key64`: `glsl/topk/finish.comp` with `KEY_BITS=64`, `ROWS_OF_INPUT=1`.
pub static TOPK_ROWS_KEY64: Builtin =
    Builtin::new("topk.rows.key64", "topk/finish.comp", &[("KEY_BITS", "64"), ("ROWS_OF_INPUT", "1")], packed!("topk.rows.key64.spv"));

/// Every built-in kernel, in the order of `glsl/kernels.txt`.
pub static ALL: &[&Builtin] = &[
    &COUNT_PREPARE,
    &COUNT_GROUPS,
    &PROBE_LANE_ORDER,
    &PROBE_SUBGROUP_BARRIERS,
    &MEMORY_FILL,
    &MEMORY_FILL_COUNTED,
    &MEMORY_COPY,
    &KEYS_WIDEN,
    &KEYS_NARROW,
    &SCAN_REDUCE,
    &SCAN_REDUCE_ORDER,
    &SCAN_REDUCE_SUM64,
    &SCAN_REDUCE_ORDER64,
    &SCAN_REDUCE_FLOAT,
    &SCAN_REDUCE_FLOAT64,
    &SCAN_SPINE,
    &SCAN_SPINE_ORDER,
    &SCAN_SPINE_SUM64,
    &SCAN_SPINE_ORDER64,
    &SCAN_SPINE_FLOAT,
    &SCAN_SPINE_FLOAT64,
    &SCAN_DOWNSWEEP,
    &SCAN_DOWNSWEEP_ORDER,
    &SCAN_DOWNSWEEP_SUM64,
    &SCAN_DOWNSWEEP_ORDER64,
    &SCAN_DOWNSWEEP_FLOAT,
    &SCAN_DOWNSWEEP_FLOAT64,
    &SCAN_LOOKBACK,
    &SCAN_LOOKBACK_ORDER,
    &SCAN_LOOKBACK_SUM64,
    &SCAN_LOOKBACK_ORDER64,
    &SCAN_OPEN_TOTALS,
    &SCAN_OPEN_TOTALS_ORDER,
    &SCAN_OPEN_TOTALS_SUM64,
    &SCAN_OPEN_TOTALS_ORDER64,
    &SCAN_OPEN_TOTALS_FLOAT,
    &SCAN_OPEN_TOTALS_FLOAT64,
    &SCAN_OPEN_SPINE,
    &SCAN_OPEN_SPINE_ORDER,
    &SCAN_OPEN_SPINE_SUM64,
    &SCAN_OPEN_SPINE_ORDER64,
    &SCAN_OPEN_SPINE_FLOAT,
    &SCAN_OPEN_SPINE_FLOAT64,
    &SCAN_BY_KEY_DOWNSWEEP,
    &SCAN_BY_KEY_DOWNSWEEP_ORDER,
    &SCAN_BY_KEY_DOWNSWEEP_SUM64,
    &SCAN_BY_KEY_DOWNSWEEP_ORDER64,
    &SCAN_BY_KEY_DOWNSWEEP_FLOAT,
    &SCAN_BY_KEY_DOWNSWEEP_FLOAT64,
    &SCAN_BY_KEY_LOOKBACK,
    &SCAN_BY_KEY_LOOKBACK_ORDER,
    &SCAN_BY_KEY_LOOKBACK_SUM64,
    &SCAN_BY_KEY_LOOKBACK_ORDER64,
    &REDUCE_BY_KEY_DOWNSWEEP,
    &REDUCE_BY_KEY_DOWNSWEEP_ORDER,
    &REDUCE_BY_KEY_DOWNSWEEP_SUM64,
    &REDUCE_BY_KEY_DOWNSWEEP_ORDER64,
    &REDUCE_BY_KEY_DOWNSWEEP_FLOAT,
    &REDUCE_BY_KEY_DOWNSWEEP_FLOAT64,
    &REDUCE_BY_KEY_LOOKBACK,
    &REDUCE_BY_KEY_LOOKBACK_ORDER,
    &REDUCE_BY_KEY_LOOKBACK_SUM64,
    &REDUCE_BY_KEY_LOOKBACK_ORDER64,
    &REDUCE_SEGMENTS,
    &REDUCE_SEGMENTS_ORDER,
    &REDUCE_SEGMENTS_SUM64,
    &REDUCE_SEGMENTS_ORDER64,
    &REDUCE_SEGMENTS_FLOAT,
    &REDUCE_SEGMENTS_FLOAT64,
    &REDUCE_JOIN,
    &REDUCE_JOIN_ORDER,
    &REDUCE_JOIN_SUM64,
    &REDUCE_JOIN_ORDER64,
    &REDUCE_JOIN_FLOAT,
    &REDUCE_JOIN_FLOAT64,
    &REDUCE_LONG_SEGMENTS,
    &REDUCE_LONG_SEGMENTS_ORDER,
    &REDUCE_LONG_SEGMENTS_SUM64,
    &REDUCE_LONG_SEGMENTS_ORDER64,
    &REDUCE_LONG_SEGMENTS_FLOAT,
    &REDUCE_LONG_SEGMENTS_FLOAT64,
    &REDUCE_LONG_JOIN,
    &REDUCE_LONG_JOIN_ORDER,
    &REDUCE_LONG_JOIN_SUM64,
    &REDUCE_LONG_JOIN_ORDER64,
    &REDUCE_LONG_JOIN_FLOAT,
    &REDUCE_LONG_JOIN_FLOAT64,
    &REDUCE_ROWS,
    &REDUCE_ROWS_ORDER,
    &REDUCE_ROWS_SUM64,
    &REDUCE_ROWS_ORDER64,
    &REDUCE_ROWS_FLOAT,
    &REDUCE_ROWS_FLOAT64,
    &REDUCE_TERMS,
    &REDUCE_TERMS_ORDER,
    &REDUCE_TERMS_SUM64,
    &REDUCE_TERMS_ORDER64,
    &REDUCE_TERMS_FLOAT,
    &REDUCE_TERMS_FLOAT64,
    &REDUCE_INDEX,
    &REDUCE_INDEX_KEY64,
    &SELECT_SWEEP,
    &SELECT_SWEEP_KEY64,
    &SELECT_PARTITION,
    &SELECT_PARTITION_KEY64,
    &SELECT_RUNS,
    &SELECT_RUNS_KEY64,
    &SEARCH_BOUNDS,
    &SEARCH_BOUNDS_KEY64,
    &MERGE_CUT,
    &MERGE_CUT_KEY64,
    &MERGE_TILES_KEYS,
    &MERGE_TILES_KEYS_KEY64,
    &MERGE_TILES_PAIRS,
    &MERGE_TILES_PAIRS_KEY64,
    &MULTISPLIT_SUBGROUP_PRESCAN,
    &MULTISPLIT_SUBGROUP_PRESCAN_KEY64,
    &MULTISPLIT_BLOCK_PRESCAN,
    &MULTISPLIT_BLOCK_PRESCAN_KEY64,
    &MULTISPLIT_BLOCK_PRESCAN_LABELS,
    &MULTISPLIT_BLOCK_PRESCAN_LABELS_KEY64,
    &MULTISPLIT_SIDE_BY_SIDE_PRESCAN,
    &MULTISPLIT_SIDE_BY_SIDE_PRESCAN_KEY64,
    &MULTISPLIT_HISTOGRAM,
    &MULTISPLIT_HISTOGRAM_KEY64,
    &MULTISPLIT_DIRECT_POSTSCAN_KEYS,
    &MULTISPLIT_DIRECT_POSTSCAN_KEYS_KEY64,
    &MULTISPLIT_DIRECT_POSTSCAN_PAIRS,
    &MULTISPLIT_DIRECT_POSTSCAN_PAIRS_KEY64,
    &MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION,
    &MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION_KEY64,
    &MULTISPLIT_WARP_POSTSCAN_KEYS,
    &MULTISPLIT_WARP_POSTSCAN_KEYS_KEY64,
    &MULTISPLIT_WARP_POSTSCAN_PAIRS,
    &MULTISPLIT_WARP_POSTSCAN_PAIRS_KEY64,
    &MULTISPLIT_WARP_POSTSCAN_PERMUTATION,
    &MULTISPLIT_WARP_POSTSCAN_PERMUTATION_KEY64,
    &MULTISPLIT_BLOCK_POSTSCAN_KEYS,
    &MULTISPLIT_BLOCK_POSTSCAN_KEYS_KEY64,
    &MULTISPLIT_BLOCK_POSTSCAN_PAIRS,
    &MULTISPLIT_BLOCK_POSTSCAN_PAIRS_KEY64,
    &MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION,
    &MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION_KEY64,
    &MULTISPLIT_BLOCK_POSTSCAN_LABELS_KEYS,
    &MULTISPLIT_BLOCK_POSTSCAN_LABELS_KEYS_KEY64,
    &MULTISPLIT_BLOCK_POSTSCAN_LABELS_PAIRS,
    &MULTISPLIT_BLOCK_POSTSCAN_LABELS_PAIRS_KEY64,
    &MULTISPLIT_BLOCK_POSTSCAN_LABELS_PERMUTATION,
    &MULTISPLIT_BLOCK_POSTSCAN_LABELS_PERMUTATION_KEY64,
    &MULTISPLIT_ONESWEEP_KEYS,
    &MULTISPLIT_ONESWEEP_KEYS_KEY64,
    &MULTISPLIT_ONESWEEP_PAIRS,
    &MULTISPLIT_ONESWEEP_PAIRS_KEY64,
    &MULTISPLIT_ONESWEEP_PERMUTATION,
    &MULTISPLIT_ONESWEEP_PERMUTATION_KEY64,
    &MULTISPLIT_OFFSETS,
    &MULTISPLIT_OFFSETS_KEY64,
    &MULTISPLIT_FLAGS,
    &MULTISPLIT_FLAGS_KEY64,
    &MULTISPLIT_FLAG_SCATTER_KEYS,
    &MULTISPLIT_FLAG_SCATTER_KEYS_KEY64,
    &MULTISPLIT_FLAG_SCATTER_PAIRS,
    &MULTISPLIT_FLAG_SCATTER_PAIRS_KEY64,
    &MULTISPLIT_LABELS,
    &MULTISPLIT_LABELS_KEY64,
    &MULTISPLIT_LABELS_INDEX,
    &MULTISPLIT_LABELS_INDEX_KEY64,
    &MULTISPLIT_LABELS_PACKED,
    &MULTISPLIT_GATHER,
    &MULTISPLIT_GATHER_KEY64,
    &MULTISPLIT_UNPACK,
    &MULTISPLIT_INVERT,
    &MULTISPLIT_NUMBER,
    &SORT_HISTOGRAM,
    &SORT_HISTOGRAM_KEY64,
    &SORT_ROUND_KEYS,
    &SORT_ROUND_KEYS_KEY64,
    &SORT_ROUND_PAIRS,
    &SORT_ROUND_PAIRS_KEY64,
    &SORT_ROUND_PACKING_KEYS,
    &SORT_ROUND_PACKING_PAIRS,
    &SORT_COUNT,
    &SORT_RUNS,
    &SORT_SMALL_KEYS,
    &SORT_SMALL_KEYS_KEY64,
    &SORT_SMALL_PAIRS,
    &SORT_SMALL_PAIRS_KEY64,
    &SORT_SEGMENTS_HEADS,
    &SORT_SEGMENTS_TILES_KEYS,
    &SORT_SEGMENTS_TILES_KEYS_KEY64,
    &SORT_SEGMENTS_TILES_PAIRS,
    &SORT_SEGMENTS_TILES_PAIRS_KEY64,
    &SORT_SEGMENTS_ROWS_KEYS,
    &SORT_SEGMENTS_ROWS_KEYS_KEY64,
    &SORT_SEGMENTS_ROWS_PAIRS,
    &SORT_SEGMENTS_ROWS_PAIRS_KEY64,
    &SORT_SEGMENTS_SPREAD,
    &SORT_SEGMENTS_HISTOGRAM,
    &SORT_SEGMENTS_HISTOGRAM_KEY64,
    &SORT_SEGMENTS_ROUND_KEYS,
    &SORT_SEGMENTS_ROUND_KEYS_KEY64,
    &SORT_SEGMENTS_ROUND_PAIRS,
    &SORT_SEGMENTS_ROUND_PAIRS_KEY64,
    &HISTOGRAM_ARGUMENTS,
    &HISTOGRAM_COUNT,
    &HISTOGRAM_COUNT_WIDE,
    &HISTOGRAM_COUNT_DOUBLE,
    &SSSP_BEGIN,
    &SSSP_ROUND,
    &SSSP_ROUND_PILE,
    &SSSP_PERSISTENT,
    &SSSP_SURVEY,
    &SSSP_FILTER,
    &SSSP_TAKE,
    &PIECES_MOVE,
    &PIECES_PLACE,
    &PIECES_NUMBER,
    &TOPK_SAMPLE,
    &TOPK_SAMPLE_KEY64,
    &TOPK_THRESHOLD,
    &TOPK_THRESHOLD_KEY64,
    &TOPK_FILTER,
    &TOPK_FILTER_KEY64,
    &TOPK_DIGITS,
    &TOPK_DIGITS_KEY64,
    &TOPK_COUNT,
    &TOPK_COUNT_KEY64,
    &TOPK_GATHER,
    &TOPK_GATHER_KEY64,
    &TOPK_FINISH,
    &TOPK_FINISH_KEY64,
    &TOPK_ROWS,
    &TOPK_ROWS_KEY64,
];

/// Kernels that are compiled with each choice of an axis of `glsl/kernels.txt`: a table for each
/// line, by the numbers of the choices in the order of its axes.
pub mod variants {
    use super::Builtin;

    /// `scan.reduce`.
    pub static SCAN_REDUCE: [&Builtin; 6] =
        [&super::SCAN_REDUCE, &super::SCAN_REDUCE_ORDER, &super::SCAN_REDUCE_SUM64, &super::SCAN_REDUCE_ORDER64, &super::SCAN_REDUCE_FLOAT, &super::SCAN_REDUCE_FLOAT64];

    /// `scan.spine`.
    pub static SCAN_SPINE: [&Builtin; 6] =
        [&super::SCAN_SPINE, &super::SCAN_SPINE_ORDER, &super::SCAN_SPINE_SUM64, &super::SCAN_SPINE_ORDER64, &super::SCAN_SPINE_FLOAT, &super::SCAN_SPINE_FLOAT64];

    /// `scan.downsweep`.
    pub static SCAN_DOWNSWEEP: [&Builtin; 6] =
        [&super::SCAN_DOWNSWEEP, &super::SCAN_DOWNSWEEP_ORDER, &super::SCAN_DOWNSWEEP_SUM64, &super::SCAN_DOWNSWEEP_ORDER64, &super::SCAN_DOWNSWEEP_FLOAT, &super::SCAN_DOWNSWEEP_FLOAT64];

    /// `scan.lookback`.
    pub static SCAN_LOOKBACK: [&Builtin; 4] =
        [&super::SCAN_LOOKBACK, &super::SCAN_LOOKBACK_ORDER, &super::SCAN_LOOKBACK_SUM64, &super::SCAN_LOOKBACK_ORDER64];

    /// `scan.open_totals`.
    pub static SCAN_OPEN_TOTALS: [&Builtin; 6] =
        [&super::SCAN_OPEN_TOTALS, &super::SCAN_OPEN_TOTALS_ORDER, &super::SCAN_OPEN_TOTALS_SUM64, &super::SCAN_OPEN_TOTALS_ORDER64, &super::SCAN_OPEN_TOTALS_FLOAT, &super::SCAN_OPEN_TOTALS_FLOAT64];

    /// `scan.open_spine`.
    pub static SCAN_OPEN_SPINE: [&Builtin; 6] =
        [&super::SCAN_OPEN_SPINE, &super::SCAN_OPEN_SPINE_ORDER, &super::SCAN_OPEN_SPINE_SUM64, &super::SCAN_OPEN_SPINE_ORDER64, &super::SCAN_OPEN_SPINE_FLOAT, &super::SCAN_OPEN_SPINE_FLOAT64];

    /// `scan.by_key.downsweep`.
    pub static SCAN_BY_KEY_DOWNSWEEP: [&Builtin; 6] =
        [&super::SCAN_BY_KEY_DOWNSWEEP, &super::SCAN_BY_KEY_DOWNSWEEP_ORDER, &super::SCAN_BY_KEY_DOWNSWEEP_SUM64, &super::SCAN_BY_KEY_DOWNSWEEP_ORDER64, &super::SCAN_BY_KEY_DOWNSWEEP_FLOAT, &super::SCAN_BY_KEY_DOWNSWEEP_FLOAT64];

    /// `scan.by_key.lookback`.
    pub static SCAN_BY_KEY_LOOKBACK: [&Builtin; 4] =
        [&super::SCAN_BY_KEY_LOOKBACK, &super::SCAN_BY_KEY_LOOKBACK_ORDER, &super::SCAN_BY_KEY_LOOKBACK_SUM64, &super::SCAN_BY_KEY_LOOKBACK_ORDER64];

    /// `reduce.by_key.downsweep`.
    pub static REDUCE_BY_KEY_DOWNSWEEP: [&Builtin; 6] =
        [&super::REDUCE_BY_KEY_DOWNSWEEP, &super::REDUCE_BY_KEY_DOWNSWEEP_ORDER, &super::REDUCE_BY_KEY_DOWNSWEEP_SUM64, &super::REDUCE_BY_KEY_DOWNSWEEP_ORDER64, &super::REDUCE_BY_KEY_DOWNSWEEP_FLOAT, &super::REDUCE_BY_KEY_DOWNSWEEP_FLOAT64];

    /// `reduce.by_key.lookback`.
    pub static REDUCE_BY_KEY_LOOKBACK: [&Builtin; 4] =
        [&super::REDUCE_BY_KEY_LOOKBACK, &super::REDUCE_BY_KEY_LOOKBACK_ORDER, &super::REDUCE_BY_KEY_LOOKBACK_SUM64, &super::REDUCE_BY_KEY_LOOKBACK_ORDER64];

    /// `reduce.segments`.
    pub static REDUCE_SEGMENTS: [&Builtin; 6] =
        [&super::REDUCE_SEGMENTS, &super::REDUCE_SEGMENTS_ORDER, &super::REDUCE_SEGMENTS_SUM64, &super::REDUCE_SEGMENTS_ORDER64, &super::REDUCE_SEGMENTS_FLOAT, &super::REDUCE_SEGMENTS_FLOAT64];

    /// `reduce.join`.
    pub static REDUCE_JOIN: [&Builtin; 6] =
        [&super::REDUCE_JOIN, &super::REDUCE_JOIN_ORDER, &super::REDUCE_JOIN_SUM64, &super::REDUCE_JOIN_ORDER64, &super::REDUCE_JOIN_FLOAT, &super::REDUCE_JOIN_FLOAT64];

    /// `reduce.long_segments`.
    pub static REDUCE_LONG_SEGMENTS: [&Builtin; 6] =
        [&super::REDUCE_LONG_SEGMENTS, &super::REDUCE_LONG_SEGMENTS_ORDER, &super::REDUCE_LONG_SEGMENTS_SUM64, &super::REDUCE_LONG_SEGMENTS_ORDER64, &super::REDUCE_LONG_SEGMENTS_FLOAT, &super::REDUCE_LONG_SEGMENTS_FLOAT64];

    /// `reduce.long_join`.
    pub static REDUCE_LONG_JOIN: [&Builtin; 6] =
        [&super::REDUCE_LONG_JOIN, &super::REDUCE_LONG_JOIN_ORDER, &super::REDUCE_LONG_JOIN_SUM64, &super::REDUCE_LONG_JOIN_ORDER64, &super::REDUCE_LONG_JOIN_FLOAT, &super::REDUCE_LONG_JOIN_FLOAT64];

    /// `reduce.rows`.
    pub static REDUCE_ROWS: [&Builtin; 6] =
        [&super::REDUCE_ROWS, &super::REDUCE_ROWS_ORDER, &super::REDUCE_ROWS_SUM64, &super::REDUCE_ROWS_ORDER64, &super::REDUCE_ROWS_FLOAT, &super::REDUCE_ROWS_FLOAT64];

    /// `reduce.terms`.
    pub static REDUCE_TERMS: [&Builtin; 6] =
        [&super::REDUCE_TERMS, &super::REDUCE_TERMS_ORDER, &super::REDUCE_TERMS_SUM64, &super::REDUCE_TERMS_ORDER64, &super::REDUCE_TERMS_FLOAT, &super::REDUCE_TERMS_FLOAT64];

    /// `reduce.index`.
    pub static REDUCE_INDEX: [&Builtin; 2] =
        [&super::REDUCE_INDEX, &super::REDUCE_INDEX_KEY64];

    /// `select.sweep`.
    pub static SELECT_SWEEP: [&Builtin; 2] =
        [&super::SELECT_SWEEP, &super::SELECT_SWEEP_KEY64];

    /// `select.partition`.
    pub static SELECT_PARTITION: [&Builtin; 2] =
        [&super::SELECT_PARTITION, &super::SELECT_PARTITION_KEY64];

    /// `select.runs`.
    pub static SELECT_RUNS: [&Builtin; 2] =
        [&super::SELECT_RUNS, &super::SELECT_RUNS_KEY64];

    /// `search.bounds`.
    pub static SEARCH_BOUNDS: [&Builtin; 2] =
        [&super::SEARCH_BOUNDS, &super::SEARCH_BOUNDS_KEY64];

    /// `merge.cut`.
    pub static MERGE_CUT: [&Builtin; 2] =
        [&super::MERGE_CUT, &super::MERGE_CUT_KEY64];

    /// `merge.tiles`.
    pub static MERGE_TILES: [[&Builtin; 2]; 2] =
        [[&super::MERGE_TILES_KEYS, &super::MERGE_TILES_KEYS_KEY64], [&super::MERGE_TILES_PAIRS, &super::MERGE_TILES_PAIRS_KEY64]];

    /// `multisplit.subgroup.prescan`.
    pub static MULTISPLIT_SUBGROUP_PRESCAN: [&Builtin; 2] =
        [&super::MULTISPLIT_SUBGROUP_PRESCAN, &super::MULTISPLIT_SUBGROUP_PRESCAN_KEY64];

    /// `multisplit.block.prescan`.
    pub static MULTISPLIT_BLOCK_PRESCAN: [&Builtin; 2] =
        [&super::MULTISPLIT_BLOCK_PRESCAN, &super::MULTISPLIT_BLOCK_PRESCAN_KEY64];

    /// `multisplit.block.prescan.labels`.
    pub static MULTISPLIT_BLOCK_PRESCAN_LABELS: [&Builtin; 2] =
        [&super::MULTISPLIT_BLOCK_PRESCAN_LABELS, &super::MULTISPLIT_BLOCK_PRESCAN_LABELS_KEY64];

    /// `multisplit.side_by_side.prescan`.
    pub static MULTISPLIT_SIDE_BY_SIDE_PRESCAN: [&Builtin; 2] =
        [&super::MULTISPLIT_SIDE_BY_SIDE_PRESCAN, &super::MULTISPLIT_SIDE_BY_SIDE_PRESCAN_KEY64];

    /// `multisplit.histogram`.
    pub static MULTISPLIT_HISTOGRAM: [&Builtin; 2] =
        [&super::MULTISPLIT_HISTOGRAM, &super::MULTISPLIT_HISTOGRAM_KEY64];

    /// `multisplit.direct.postscan`.
    pub static MULTISPLIT_DIRECT_POSTSCAN: [[&Builtin; 2]; 3] =
        [[&super::MULTISPLIT_DIRECT_POSTSCAN_KEYS, &super::MULTISPLIT_DIRECT_POSTSCAN_KEYS_KEY64], [&super::MULTISPLIT_DIRECT_POSTSCAN_PAIRS, &super::MULTISPLIT_DIRECT_POSTSCAN_PAIRS_KEY64], [&super::MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION, &super::MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION_KEY64]];

    /// `multisplit.warp.postscan`.
    pub static MULTISPLIT_WARP_POSTSCAN: [[&Builtin; 2]; 3] =
        [[&super::MULTISPLIT_WARP_POSTSCAN_KEYS, &super::MULTISPLIT_WARP_POSTSCAN_KEYS_KEY64], [&super::MULTISPLIT_WARP_POSTSCAN_PAIRS, &super::MULTISPLIT_WARP_POSTSCAN_PAIRS_KEY64], [&super::MULTISPLIT_WARP_POSTSCAN_PERMUTATION, &super::MULTISPLIT_WARP_POSTSCAN_PERMUTATION_KEY64]];

    /// `multisplit.block.postscan`.
    pub static MULTISPLIT_BLOCK_POSTSCAN: [[&Builtin; 2]; 3] =
        [[&super::MULTISPLIT_BLOCK_POSTSCAN_KEYS, &super::MULTISPLIT_BLOCK_POSTSCAN_KEYS_KEY64], [&super::MULTISPLIT_BLOCK_POSTSCAN_PAIRS, &super::MULTISPLIT_BLOCK_POSTSCAN_PAIRS_KEY64], [&super::MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION, &super::MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION_KEY64]];

    /// `multisplit.block.postscan.labels`.
    pub static MULTISPLIT_BLOCK_POSTSCAN_LABELS: [[&Builtin; 2]; 3] =
        [[&super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_KEYS, &super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_KEYS_KEY64], [&super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_PAIRS, &super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_PAIRS_KEY64], [&super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_PERMUTATION, &super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_PERMUTATION_KEY64]];

    /// `multisplit.onesweep`.
    pub static MULTISPLIT_ONESWEEP: [[&Builtin; 2]; 3] =
        [[&super::MULTISPLIT_ONESWEEP_KEYS, &super::MULTISPLIT_ONESWEEP_KEYS_KEY64], [&super::MULTISPLIT_ONESWEEP_PAIRS, &super::MULTISPLIT_ONESWEEP_PAIRS_KEY64], [&super::MULTISPLIT_ONESWEEP_PERMUTATION, &super::MULTISPLIT_ONESWEEP_PERMUTATION_KEY64]];

    /// `multisplit.offsets`.
    pub static MULTISPLIT_OFFSETS: [&Builtin; 2] =
        [&super::MULTISPLIT_OFFSETS, &super::MULTISPLIT_OFFSETS_KEY64];

    /// `multisplit.flags`.
    pub static MULTISPLIT_FLAGS: [&Builtin; 2] =
        [&super::MULTISPLIT_FLAGS, &super::MULTISPLIT_FLAGS_KEY64];

    /// `multisplit.flag_scatter`.
    pub static MULTISPLIT_FLAG_SCATTER: [[&Builtin; 2]; 2] =
        [[&super::MULTISPLIT_FLAG_SCATTER_KEYS, &super::MULTISPLIT_FLAG_SCATTER_KEYS_KEY64], [&super::MULTISPLIT_FLAG_SCATTER_PAIRS, &super::MULTISPLIT_FLAG_SCATTER_PAIRS_KEY64]];

    /// `multisplit.labels`.
    pub static MULTISPLIT_LABELS: [&Builtin; 2] =
        [&super::MULTISPLIT_LABELS, &super::MULTISPLIT_LABELS_KEY64];

    /// `multisplit.labels.index`.
    pub static MULTISPLIT_LABELS_INDEX: [&Builtin; 2] =
        [&super::MULTISPLIT_LABELS_INDEX, &super::MULTISPLIT_LABELS_INDEX_KEY64];

    /// `multisplit.gather`.
    pub static MULTISPLIT_GATHER: [&Builtin; 2] =
        [&super::MULTISPLIT_GATHER, &super::MULTISPLIT_GATHER_KEY64];

    /// `sort.histogram`.
    pub static SORT_HISTOGRAM: [&Builtin; 2] =
        [&super::SORT_HISTOGRAM, &super::SORT_HISTOGRAM_KEY64];

    /// `sort.round`.
    pub static SORT_ROUND: [[&Builtin; 2]; 2] =
        [[&super::SORT_ROUND_KEYS, &super::SORT_ROUND_KEYS_KEY64], [&super::SORT_ROUND_PAIRS, &super::SORT_ROUND_PAIRS_KEY64]];

    /// `sort.round.packing`.
    pub static SORT_ROUND_PACKING: [&Builtin; 2] =
        [&super::SORT_ROUND_PACKING_KEYS, &super::SORT_ROUND_PACKING_PAIRS];

    /// `sort.small`.
    pub static SORT_SMALL: [[&Builtin; 2]; 2] =
        [[&super::SORT_SMALL_KEYS, &super::SORT_SMALL_KEYS_KEY64], [&super::SORT_SMALL_PAIRS, &super::SORT_SMALL_PAIRS_KEY64]];

    /// `sort.segments.tiles`.
    pub static SORT_SEGMENTS_TILES: [[&Builtin; 2]; 2] =
        [[&super::SORT_SEGMENTS_TILES_KEYS, &super::SORT_SEGMENTS_TILES_KEYS_KEY64], [&super::SORT_SEGMENTS_TILES_PAIRS, &super::SORT_SEGMENTS_TILES_PAIRS_KEY64]];

    /// `sort.segments.rows`.
    pub static SORT_SEGMENTS_ROWS: [[&Builtin; 2]; 2] =
        [[&super::SORT_SEGMENTS_ROWS_KEYS, &super::SORT_SEGMENTS_ROWS_KEYS_KEY64], [&super::SORT_SEGMENTS_ROWS_PAIRS, &super::SORT_SEGMENTS_ROWS_PAIRS_KEY64]];

    /// `sort.segments.histogram`.
    pub static SORT_SEGMENTS_HISTOGRAM: [&Builtin; 2] =
        [&super::SORT_SEGMENTS_HISTOGRAM, &super::SORT_SEGMENTS_HISTOGRAM_KEY64];

    /// `sort.segments.round`.
    pub static SORT_SEGMENTS_ROUND: [[&Builtin; 2]; 2] =
        [[&super::SORT_SEGMENTS_ROUND_KEYS, &super::SORT_SEGMENTS_ROUND_KEYS_KEY64], [&super::SORT_SEGMENTS_ROUND_PAIRS, &super::SORT_SEGMENTS_ROUND_PAIRS_KEY64]];

    /// `topk.sample`.
    pub static TOPK_SAMPLE: [&Builtin; 2] =
        [&super::TOPK_SAMPLE, &super::TOPK_SAMPLE_KEY64];

    /// `topk.threshold`.
    pub static TOPK_THRESHOLD: [&Builtin; 2] =
        [&super::TOPK_THRESHOLD, &super::TOPK_THRESHOLD_KEY64];

    /// `topk.filter`.
    pub static TOPK_FILTER: [&Builtin; 2] =
        [&super::TOPK_FILTER, &super::TOPK_FILTER_KEY64];

    /// `topk.digits`.
    pub static TOPK_DIGITS: [&Builtin; 2] =
        [&super::TOPK_DIGITS, &super::TOPK_DIGITS_KEY64];

    /// `topk.count`.
    pub static TOPK_COUNT: [&Builtin; 2] =
        [&super::TOPK_COUNT, &super::TOPK_COUNT_KEY64];

    /// `topk.gather`.
    pub static TOPK_GATHER: [&Builtin; 2] =
        [&super::TOPK_GATHER, &super::TOPK_GATHER_KEY64];

    /// `topk.finish`.
    pub static TOPK_FINISH: [&Builtin; 2] =
        [&super::TOPK_FINISH, &super::TOPK_FINISH_KEY64];

    /// `topk.rows`.
    pub static TOPK_ROWS: [&Builtin; 2] =
        [&super::TOPK_ROWS, &super::TOPK_ROWS_KEY64];
}

/// Every specialization constant that a built-in kernel may have, with its number.
pub static CONSTANT_IDS: &[(&str, u32)] = &[
    ("local_size_x", 0),
    ("SUBGROUP_SIZE", 1),
    ("SPIN_LIMIT", 2),
    ("COUNT_ON_DEVICE", 3),
    ("OTHER_ON_DEVICE", 62),
    ("TICKETS", 54),
    ("BUCKET_BITS", 4),
    ("BUCKET_KIND", 5),
    ("KEY_KIND", 6),
    ("ID_BITS", 7),
    ("BY_PART", 8),
    ("ITEMS", 9),
    ("TURNS", 10),
    ("RANKING", 11),
    ("TILES_AT_A_TIME", 12),
    ("VALUE_WORDS", 13),
    ("VALUES_AFTER", 14),
    ("COUNTED_VALUES", 15),
    ("COUNT_BY_ATOMICS", 16),
    ("COUNTER_COPIES", 17),
    ("SUBPROBLEM", 18),
    ("SIDE_BY_SIDE", 19),
    ("SORTED_BY_KEY", 47),
    ("COUNT_OUT_OF_RANGE", 55),
    ("ROUNDS", 20),
    ("HISTOGRAM_PARTS", 72),
    ("METHOD", 21),
    ("BIN_KIND", 22),
    ("SAMPLE_KIND", 23),
    ("SAMPLE_BYTES", 24),
    ("CHANNELS", 25),
    ("ACTIVE", 26),
    ("PACKED", 27),
    ("LOADS", 28),
    ("ROOM", 29),
    ("COPIES", 30),
    ("WEIGHT", 31),
    ("WIDE", 32),
    ("SEARCH", 33),
    ("CELLS", 34),
    ("SPLITTERS", 35),
    ("AFFINE", 36),
    ("WHOLE", 37),
    ("CLOSED", 46),
    ("BUCKETS", 38),
    ("FLOATS", 39),
    ("STAGE", 40),
    ("SPREAD", 41),
    ("SORTED", 42),
    ("PARENTS", 43),
    ("CANARY_PERIOD", 44),
    ("REVERSED_LANES", 45),
    ("LOADED_AS", 48),
    ("STORED_AS", 49),
    ("INCLUSIVE", 50),
    ("FROM_PARTS", 51),
    ("IDENTITY_LOW", 56),
    ("IDENTITY_HIGH", 57),
    ("GROUP_ELEMENTS", 60),
    ("UNLESS_FILTERED", 61),
    ("ALL_BITS", 63),
    ("ROW_ROOM", 74),
    ("FULL_ROWS", 75),
    ("NARROW_BITS", 64),
    ("FORM", 65),
    ("NARROW_KIND", 66),
    ("PREDICATE", 52),
    ("HEADS", 53),
    ("BY_SUBGROUPS", 70),
    ("LOADED_ROWS", 71),
    ("OF_ROWS", 73),
    ("ROW_LANES", 76),
];
