// Written by compile-kernels; do not edit.

use crate::builtin::Builtin;

/// `count.prepare`: `glsl/count/prepare.comp` with `STEPS=6`.
pub static COUNT_PREPARE: Builtin =
    Builtin::new("count.prepare", "count/prepare.comp", &[("STEPS", "6")], include_bytes!("../spv/count.prepare.spv"));

/// `probe.lane_order`: `glsl/probe/lane_order.comp`.
pub static PROBE_LANE_ORDER: Builtin =
    Builtin::new("probe.lane_order", "probe/lane_order.comp", &[], include_bytes!("../spv/probe.lane_order.spv"));

/// `memory.fill`: `glsl/memory/fill.comp`.
pub static MEMORY_FILL: Builtin =
    Builtin::new("memory.fill", "memory/fill.comp", &[], include_bytes!("../spv/memory.fill.spv"));

/// `memory.fill.counted`: `glsl/memory/fill.comp` with `COUNTED=1`.
pub static MEMORY_FILL_COUNTED: Builtin =
    Builtin::new("memory.fill.counted", "memory/fill.comp", &[("COUNTED", "1")], include_bytes!("../spv/memory.fill.counted.spv"));

/// `memory.copy`: `glsl/memory/copy.comp`.
pub static MEMORY_COPY: Builtin =
    Builtin::new("memory.copy", "memory/copy.comp", &[], include_bytes!("../spv/memory.copy.spv"));

/// `scan.reduce`: `glsl/scan/reduce.comp` with `ROWS=4`.
pub static SCAN_REDUCE: Builtin =
    Builtin::new("scan.reduce", "scan/reduce.comp", &[("ROWS", "4")], include_bytes!("../spv/scan.reduce.spv"));

/// `scan.spine`: `glsl/scan/spine.comp` with `ROWS=4`.
pub static SCAN_SPINE: Builtin =
    Builtin::new("scan.spine", "scan/spine.comp", &[("ROWS", "4")], include_bytes!("../spv/scan.spine.spv"));

/// `scan.downsweep`: `glsl/scan/downsweep.comp` with `ROWS=4`.
pub static SCAN_DOWNSWEEP: Builtin =
    Builtin::new("scan.downsweep", "scan/downsweep.comp", &[("ROWS", "4")], include_bytes!("../spv/scan.downsweep.spv"));

/// `scan.lookback`: `glsl/scan/lookback.comp` with `ROWS=4`.
pub static SCAN_LOOKBACK: Builtin =
    Builtin::new("scan.lookback", "scan/lookback.comp", &[("ROWS", "4")], include_bytes!("../spv/scan.lookback.spv"));

/// `multisplit.subgroup.prescan`: `glsl/multisplit/subgroup_prescan.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_SUBGROUP_PRESCAN: Builtin =
    Builtin::new("multisplit.subgroup.prescan", "multisplit/subgroup_prescan.comp", &[("KEY_BITS", "32")], include_bytes!("../spv/multisplit.subgroup.prescan.spv"));

/// `multisplit.block.prescan`: `glsl/multisplit/block_prescan.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_BLOCK_PRESCAN: Builtin =
    Builtin::new("multisplit.block.prescan", "multisplit/block_prescan.comp", &[("KEY_BITS", "32")], include_bytes!("../spv/multisplit.block.prescan.spv"));

/// `multisplit.side_by_side.prescan`: `glsl/multisplit/side_by_side_prescan.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_SIDE_BY_SIDE_PRESCAN: Builtin =
    Builtin::new("multisplit.side_by_side.prescan", "multisplit/side_by_side_prescan.comp", &[("KEY_BITS", "32")], include_bytes!("../spv/multisplit.side_by_side.prescan.spv"));

/// `multisplit.histogram`: `glsl/multisplit/histogram.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_HISTOGRAM: Builtin =
    Builtin::new("multisplit.histogram", "multisplit/histogram.comp", &[("KEY_BITS", "32")], include_bytes!("../spv/multisplit.histogram.spv"));

/// `multisplit.direct.postscan.keys`: `glsl/multisplit/direct_postscan.comp` with `KEY_BITS=32`, `KEYS=1`.
pub static MULTISPLIT_DIRECT_POSTSCAN_KEYS: Builtin =
    Builtin::new("multisplit.direct.postscan.keys", "multisplit/direct_postscan.comp", &[("KEY_BITS", "32"), ("KEYS", "1")], include_bytes!("../spv/multisplit.direct.postscan.keys.spv"));

/// `multisplit.direct.postscan.pairs`: `glsl/multisplit/direct_postscan.comp` with `KEY_BITS=32`, `PAIRS=1`.
pub static MULTISPLIT_DIRECT_POSTSCAN_PAIRS: Builtin =
    Builtin::new("multisplit.direct.postscan.pairs", "multisplit/direct_postscan.comp", &[("KEY_BITS", "32"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.direct.postscan.pairs.spv"));

/// `multisplit.direct.postscan.permutation`: `glsl/multisplit/direct_postscan.comp` with `KEY_BITS=32`, `PERMUTATION=1`.
pub static MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION: Builtin =
    Builtin::new("multisplit.direct.postscan.permutation", "multisplit/direct_postscan.comp", &[("KEY_BITS", "32"), ("PERMUTATION", "1")], include_bytes!("../spv/multisplit.direct.postscan.permutation.spv"));

/// `multisplit.warp.postscan.keys`: `glsl/multisplit/warp_postscan.comp` with `KEY_BITS=32`, `KEYS=1`.
pub static MULTISPLIT_WARP_POSTSCAN_KEYS: Builtin =
    Builtin::new("multisplit.warp.postscan.keys", "multisplit/warp_postscan.comp", &[("KEY_BITS", "32"), ("KEYS", "1")], include_bytes!("../spv/multisplit.warp.postscan.keys.spv"));

/// `multisplit.warp.postscan.pairs`: `glsl/multisplit/warp_postscan.comp` with `KEY_BITS=32`, `PAIRS=1`.
pub static MULTISPLIT_WARP_POSTSCAN_PAIRS: Builtin =
    Builtin::new("multisplit.warp.postscan.pairs", "multisplit/warp_postscan.comp", &[("KEY_BITS", "32"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.warp.postscan.pairs.spv"));

/// `multisplit.warp.postscan.permutation`: `glsl/multisplit/warp_postscan.comp` with `KEY_BITS=32`, `PERMUTATION=1`.
pub static MULTISPLIT_WARP_POSTSCAN_PERMUTATION: Builtin =
    Builtin::new("multisplit.warp.postscan.permutation", "multisplit/warp_postscan.comp", &[("KEY_BITS", "32"), ("PERMUTATION", "1")], include_bytes!("../spv/multisplit.warp.postscan.permutation.spv"));

/// `multisplit.block.postscan.keys`: `glsl/multisplit/block_postscan.comp` with `KEY_BITS=32`, `KEYS=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_KEYS: Builtin =
    Builtin::new("multisplit.block.postscan.keys", "multisplit/block_postscan.comp", &[("KEY_BITS", "32"), ("KEYS", "1")], include_bytes!("../spv/multisplit.block.postscan.keys.spv"));

/// `multisplit.block.postscan.pairs`: `glsl/multisplit/block_postscan.comp` with `KEY_BITS=32`, `PAIRS=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_PAIRS: Builtin =
    Builtin::new("multisplit.block.postscan.pairs", "multisplit/block_postscan.comp", &[("KEY_BITS", "32"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.block.postscan.pairs.spv"));

/// `multisplit.block.postscan.permutation`: `glsl/multisplit/block_postscan.comp` with `KEY_BITS=32`, `PERMUTATION=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION: Builtin =
    Builtin::new("multisplit.block.postscan.permutation", "multisplit/block_postscan.comp", &[("KEY_BITS", "32"), ("PERMUTATION", "1")], include_bytes!("../spv/multisplit.block.postscan.permutation.spv"));

/// `multisplit.onesweep.keys`: `glsl/multisplit/onesweep.comp` with `KEY_BITS=32`, `KEYS=1`.
pub static MULTISPLIT_ONESWEEP_KEYS: Builtin =
    Builtin::new("multisplit.onesweep.keys", "multisplit/onesweep.comp", &[("KEY_BITS", "32"), ("KEYS", "1")], include_bytes!("../spv/multisplit.onesweep.keys.spv"));

/// `multisplit.onesweep.pairs`: `glsl/multisplit/onesweep.comp` with `KEY_BITS=32`, `PAIRS=1`.
pub static MULTISPLIT_ONESWEEP_PAIRS: Builtin =
    Builtin::new("multisplit.onesweep.pairs", "multisplit/onesweep.comp", &[("KEY_BITS", "32"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.onesweep.pairs.spv"));

/// `multisplit.onesweep.permutation`: `glsl/multisplit/onesweep.comp` with `KEY_BITS=32`, `PERMUTATION=1`.
pub static MULTISPLIT_ONESWEEP_PERMUTATION: Builtin =
    Builtin::new("multisplit.onesweep.permutation", "multisplit/onesweep.comp", &[("KEY_BITS", "32"), ("PERMUTATION", "1")], include_bytes!("../spv/multisplit.onesweep.permutation.spv"));

/// `multisplit.subgroup.prescan.key64`: `glsl/multisplit/subgroup_prescan.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_SUBGROUP_PRESCAN_KEY64: Builtin =
    Builtin::new("multisplit.subgroup.prescan.key64", "multisplit/subgroup_prescan.comp", &[("KEY_BITS", "64")], include_bytes!("../spv/multisplit.subgroup.prescan.key64.spv"));

/// `multisplit.block.prescan.key64`: `glsl/multisplit/block_prescan.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_BLOCK_PRESCAN_KEY64: Builtin =
    Builtin::new("multisplit.block.prescan.key64", "multisplit/block_prescan.comp", &[("KEY_BITS", "64")], include_bytes!("../spv/multisplit.block.prescan.key64.spv"));

/// `multisplit.side_by_side.prescan.key64`: `glsl/multisplit/side_by_side_prescan.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_SIDE_BY_SIDE_PRESCAN_KEY64: Builtin =
    Builtin::new("multisplit.side_by_side.prescan.key64", "multisplit/side_by_side_prescan.comp", &[("KEY_BITS", "64")], include_bytes!("../spv/multisplit.side_by_side.prescan.key64.spv"));

/// `multisplit.histogram.key64`: `glsl/multisplit/histogram.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_HISTOGRAM_KEY64: Builtin =
    Builtin::new("multisplit.histogram.key64", "multisplit/histogram.comp", &[("KEY_BITS", "64")], include_bytes!("../spv/multisplit.histogram.key64.spv"));

/// `multisplit.direct.postscan.keys.key64`: `glsl/multisplit/direct_postscan.comp` with `KEY_BITS=64`, `KEYS=1`.
pub static MULTISPLIT_DIRECT_POSTSCAN_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.direct.postscan.keys.key64", "multisplit/direct_postscan.comp", &[("KEY_BITS", "64"), ("KEYS", "1")], include_bytes!("../spv/multisplit.direct.postscan.keys.key64.spv"));

/// `multisplit.direct.postscan.pairs.key64`: `glsl/multisplit/direct_postscan.comp` with `KEY_BITS=64`, `PAIRS=1`.
pub static MULTISPLIT_DIRECT_POSTSCAN_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.direct.postscan.pairs.key64", "multisplit/direct_postscan.comp", &[("KEY_BITS", "64"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.direct.postscan.pairs.key64.spv"));

/// `multisplit.direct.postscan.permutation.key64`: `glsl/multisplit/direct_postscan.comp` with `KEY_BITS=64`, `PERMUTATION=1`.
pub static MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION_KEY64: Builtin =
    Builtin::new("multisplit.direct.postscan.permutation.key64", "multisplit/direct_postscan.comp", &[("KEY_BITS", "64"), ("PERMUTATION", "1")], include_bytes!("../spv/multisplit.direct.postscan.permutation.key64.spv"));

/// `multisplit.warp.postscan.keys.key64`: `glsl/multisplit/warp_postscan.comp` with `KEY_BITS=64`, `KEYS=1`.
pub static MULTISPLIT_WARP_POSTSCAN_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.warp.postscan.keys.key64", "multisplit/warp_postscan.comp", &[("KEY_BITS", "64"), ("KEYS", "1")], include_bytes!("../spv/multisplit.warp.postscan.keys.key64.spv"));

/// `multisplit.warp.postscan.pairs.key64`: `glsl/multisplit/warp_postscan.comp` with `KEY_BITS=64`, `PAIRS=1`.
pub static MULTISPLIT_WARP_POSTSCAN_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.warp.postscan.pairs.key64", "multisplit/warp_postscan.comp", &[("KEY_BITS", "64"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.warp.postscan.pairs.key64.spv"));

/// `multisplit.warp.postscan.permutation.key64`: `glsl/multisplit/warp_postscan.comp` with `KEY_BITS=64`, `PERMUTATION=1`.
pub static MULTISPLIT_WARP_POSTSCAN_PERMUTATION_KEY64: Builtin =
    Builtin::new("multisplit.warp.postscan.permutation.key64", "multisplit/warp_postscan.comp", &[("KEY_BITS", "64"), ("PERMUTATION", "1")], include_bytes!("../spv/multisplit.warp.postscan.permutation.key64.spv"));

/// `multisplit.block.postscan.keys.key64`: `glsl/multisplit/block_postscan.comp` with `KEY_BITS=64`, `KEYS=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.block.postscan.keys.key64", "multisplit/block_postscan.comp", &[("KEY_BITS", "64"), ("KEYS", "1")], include_bytes!("../spv/multisplit.block.postscan.keys.key64.spv"));

/// `multisplit.block.postscan.pairs.key64`: `glsl/multisplit/block_postscan.comp` with `KEY_BITS=64`, `PAIRS=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.block.postscan.pairs.key64", "multisplit/block_postscan.comp", &[("KEY_BITS", "64"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.block.postscan.pairs.key64.spv"));

/// `multisplit.block.postscan.permutation.key64`: `glsl/multisplit/block_postscan.comp` with `KEY_BITS=64`, `PERMUTATION=1`.
pub static MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION_KEY64: Builtin =
    Builtin::new("multisplit.block.postscan.permutation.key64", "multisplit/block_postscan.comp", &[("KEY_BITS", "64"), ("PERMUTATION", "1")], include_bytes!("../spv/multisplit.block.postscan.permutation.key64.spv"));

/// `multisplit.onesweep.keys.key64`: `glsl/multisplit/onesweep.comp` with `KEY_BITS=64`, `KEYS=1`.
pub static MULTISPLIT_ONESWEEP_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.onesweep.keys.key64", "multisplit/onesweep.comp", &[("KEY_BITS", "64"), ("KEYS", "1")], include_bytes!("../spv/multisplit.onesweep.keys.key64.spv"));

/// `multisplit.onesweep.pairs.key64`: `glsl/multisplit/onesweep.comp` with `KEY_BITS=64`, `PAIRS=1`.
pub static MULTISPLIT_ONESWEEP_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.onesweep.pairs.key64", "multisplit/onesweep.comp", &[("KEY_BITS", "64"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.onesweep.pairs.key64.spv"));

/// `multisplit.onesweep.permutation.key64`: `glsl/multisplit/onesweep.comp` with `KEY_BITS=64`, `PERMUTATION=1`.
pub static MULTISPLIT_ONESWEEP_PERMUTATION_KEY64: Builtin =
    Builtin::new("multisplit.onesweep.permutation.key64", "multisplit/onesweep.comp", &[("KEY_BITS", "64"), ("PERMUTATION", "1")], include_bytes!("../spv/multisplit.onesweep.permutation.key64.spv"));

/// `multisplit.count`: `glsl/multisplit/count.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_COUNT: Builtin =
    Builtin::new("multisplit.count", "multisplit/count.comp", &[("KEY_BITS", "32")], include_bytes!("../spv/multisplit.count.spv"));

/// `multisplit.flags`: `glsl/multisplit/flags.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_FLAGS: Builtin =
    Builtin::new("multisplit.flags", "multisplit/flags.comp", &[("KEY_BITS", "32")], include_bytes!("../spv/multisplit.flags.spv"));

/// `multisplit.flag_scatter.keys`: `glsl/multisplit/flag_scatter.comp` with `KEY_BITS=32`, `KEYS=1`.
pub static MULTISPLIT_FLAG_SCATTER_KEYS: Builtin =
    Builtin::new("multisplit.flag_scatter.keys", "multisplit/flag_scatter.comp", &[("KEY_BITS", "32"), ("KEYS", "1")], include_bytes!("../spv/multisplit.flag_scatter.keys.spv"));

/// `multisplit.flag_scatter.pairs`: `glsl/multisplit/flag_scatter.comp` with `KEY_BITS=32`, `PAIRS=1`.
pub static MULTISPLIT_FLAG_SCATTER_PAIRS: Builtin =
    Builtin::new("multisplit.flag_scatter.pairs", "multisplit/flag_scatter.comp", &[("KEY_BITS", "32"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.flag_scatter.pairs.spv"));

/// `multisplit.labels`: `glsl/multisplit/labels.comp` with `KEY_BITS=32`.
pub static MULTISPLIT_LABELS: Builtin =
    Builtin::new("multisplit.labels", "multisplit/labels.comp", &[("KEY_BITS", "32")], include_bytes!("../spv/multisplit.labels.spv"));

/// `multisplit.labels.index`: `glsl/multisplit/labels.comp` with `KEY_BITS=32`, `INDEX=1`.
pub static MULTISPLIT_LABELS_INDEX: Builtin =
    Builtin::new("multisplit.labels.index", "multisplit/labels.comp", &[("KEY_BITS", "32"), ("INDEX", "1")], include_bytes!("../spv/multisplit.labels.index.spv"));

/// `multisplit.labels.packed`: `glsl/multisplit/labels.comp` with `KEY_BITS=32`, `PACKED=1`.
pub static MULTISPLIT_LABELS_PACKED: Builtin =
    Builtin::new("multisplit.labels.packed", "multisplit/labels.comp", &[("KEY_BITS", "32"), ("PACKED", "1")], include_bytes!("../spv/multisplit.labels.packed.spv"));

/// `multisplit.gather`: `glsl/multisplit/gather.comp` with `KEY_BITS=32`, `PAIRS=1`.
pub static MULTISPLIT_GATHER: Builtin =
    Builtin::new("multisplit.gather", "multisplit/gather.comp", &[("KEY_BITS", "32"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.gather.spv"));

/// `multisplit.count.key64`: `glsl/multisplit/count.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_COUNT_KEY64: Builtin =
    Builtin::new("multisplit.count.key64", "multisplit/count.comp", &[("KEY_BITS", "64")], include_bytes!("../spv/multisplit.count.key64.spv"));

/// `multisplit.flags.key64`: `glsl/multisplit/flags.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_FLAGS_KEY64: Builtin =
    Builtin::new("multisplit.flags.key64", "multisplit/flags.comp", &[("KEY_BITS", "64")], include_bytes!("../spv/multisplit.flags.key64.spv"));

/// `multisplit.flag_scatter.keys.key64`: `glsl/multisplit/flag_scatter.comp` with `KEY_BITS=64`, `KEYS=1`.
pub static MULTISPLIT_FLAG_SCATTER_KEYS_KEY64: Builtin =
    Builtin::new("multisplit.flag_scatter.keys.key64", "multisplit/flag_scatter.comp", &[("KEY_BITS", "64"), ("KEYS", "1")], include_bytes!("../spv/multisplit.flag_scatter.keys.key64.spv"));

/// `multisplit.flag_scatter.pairs.key64`: `glsl/multisplit/flag_scatter.comp` with `KEY_BITS=64`, `PAIRS=1`.
pub static MULTISPLIT_FLAG_SCATTER_PAIRS_KEY64: Builtin =
    Builtin::new("multisplit.flag_scatter.pairs.key64", "multisplit/flag_scatter.comp", &[("KEY_BITS", "64"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.flag_scatter.pairs.key64.spv"));

/// `multisplit.labels.key64`: `glsl/multisplit/labels.comp` with `KEY_BITS=64`.
pub static MULTISPLIT_LABELS_KEY64: Builtin =
    Builtin::new("multisplit.labels.key64", "multisplit/labels.comp", &[("KEY_BITS", "64")], include_bytes!("../spv/multisplit.labels.key64.spv"));

/// `multisplit.labels.index.key64`: `glsl/multisplit/labels.comp` with `KEY_BITS=64`, `INDEX=1`.
pub static MULTISPLIT_LABELS_INDEX_KEY64: Builtin =
    Builtin::new("multisplit.labels.index.key64", "multisplit/labels.comp", &[("KEY_BITS", "64"), ("INDEX", "1")], include_bytes!("../spv/multisplit.labels.index.key64.spv"));

/// `multisplit.gather.key64`: `glsl/multisplit/gather.comp` with `KEY_BITS=64`, `PAIRS=1`.
pub static MULTISPLIT_GATHER_KEY64: Builtin =
    Builtin::new("multisplit.gather.key64", "multisplit/gather.comp", &[("KEY_BITS", "64"), ("PAIRS", "1")], include_bytes!("../spv/multisplit.gather.key64.spv"));

/// `multisplit.unpack`: `glsl/multisplit/unpack.comp`.
pub static MULTISPLIT_UNPACK: Builtin =
    Builtin::new("multisplit.unpack", "multisplit/unpack.comp", &[], include_bytes!("../spv/multisplit.unpack.spv"));

/// `multisplit.invert`: `glsl/multisplit/invert.comp`.
pub static MULTISPLIT_INVERT: Builtin =
    Builtin::new("multisplit.invert", "multisplit/invert.comp", &[], include_bytes!("../spv/multisplit.invert.spv"));

/// `multisplit.number`: `glsl/multisplit/number.comp`.
pub static MULTISPLIT_NUMBER: Builtin =
    Builtin::new("multisplit.number", "multisplit/number.comp", &[], include_bytes!("../spv/multisplit.number.spv"));

/// `sort.histogram`: `glsl/sort/histogram.comp` with `KEY_BITS=32`.
pub static SORT_HISTOGRAM: Builtin =
    Builtin::new("sort.histogram", "sort/histogram.comp", &[("KEY_BITS", "32")], include_bytes!("../spv/sort.histogram.spv"));

/// `sort.round.keys`: `glsl/multisplit/onesweep.comp` with `KEY_BITS=32`, `KEYS=1`, `SORT=1`.
pub static SORT_ROUND_KEYS: Builtin =
    Builtin::new("sort.round.keys", "multisplit/onesweep.comp", &[("KEY_BITS", "32"), ("KEYS", "1"), ("SORT", "1")], include_bytes!("../spv/sort.round.keys.spv"));

/// `sort.round.pairs`: `glsl/multisplit/onesweep.comp` with `KEY_BITS=32`, `PAIRS=1`, `SORT=1`.
pub static SORT_ROUND_PAIRS: Builtin =
    Builtin::new("sort.round.pairs", "multisplit/onesweep.comp", &[("KEY_BITS", "32"), ("PAIRS", "1"), ("SORT", "1")], include_bytes!("../spv/sort.round.pairs.spv"));

/// `sort.small.keys`: `glsl/sort/small.comp` with `KEY_BITS=32`, `KEYS=1`.
pub static SORT_SMALL_KEYS: Builtin =
    Builtin::new("sort.small.keys", "sort/small.comp", &[("KEY_BITS", "32"), ("KEYS", "1")], include_bytes!("../spv/sort.small.keys.spv"));

/// `sort.segments.keys`: `glsl/sort/small.comp` with `KEY_BITS=32`, `KEYS=1`, `SEGMENTS=1`.
pub static SORT_SEGMENTS_KEYS: Builtin =
    Builtin::new("sort.segments.keys", "sort/small.comp", &[("KEY_BITS", "32"), ("KEYS", "1"), ("SEGMENTS", "1")], include_bytes!("../spv/sort.segments.keys.spv"));

/// `sort.small.pairs`: `glsl/sort/small.comp` with `KEY_BITS=32`, `PAIRS=1`.
pub static SORT_SMALL_PAIRS: Builtin =
    Builtin::new("sort.small.pairs", "sort/small.comp", &[("KEY_BITS", "32"), ("PAIRS", "1")], include_bytes!("../spv/sort.small.pairs.spv"));

/// `sort.segments.pairs`: `glsl/sort/small.comp` with `KEY_BITS=32`, `PAIRS=1`, `SEGMENTS=1`.
pub static SORT_SEGMENTS_PAIRS: Builtin =
    Builtin::new("sort.segments.pairs", "sort/small.comp", &[("KEY_BITS", "32"), ("PAIRS", "1"), ("SEGMENTS", "1")], include_bytes!("../spv/sort.segments.pairs.spv"));

/// `sort.gather.keys`: `glsl/multisplit/gather.comp` with `KEY_BITS=32`, `KEYS=1`.
pub static SORT_GATHER_KEYS: Builtin =
    Builtin::new("sort.gather.keys", "multisplit/gather.comp", &[("KEY_BITS", "32"), ("KEYS", "1")], include_bytes!("../spv/sort.gather.keys.spv"));

/// `sort.labels`: `glsl/sort/segments.comp` with `LABELS=1`.
pub static SORT_LABELS: Builtin =
    Builtin::new("sort.labels", "sort/segments.comp", &[("LABELS", "1")], include_bytes!("../spv/sort.labels.spv"));

/// `sort.numbers`: `glsl/sort/segments.comp` with `NUMBERS=1`.
pub static SORT_NUMBERS: Builtin =
    Builtin::new("sort.numbers", "sort/segments.comp", &[("NUMBERS", "1")], include_bytes!("../spv/sort.numbers.spv"));

/// `sort.histogram.key64`: `glsl/sort/histogram.comp` with `KEY_BITS=64`.
pub static SORT_HISTOGRAM_KEY64: Builtin =
    Builtin::new("sort.histogram.key64", "sort/histogram.comp", &[("KEY_BITS", "64")], include_bytes!("../spv/sort.histogram.key64.spv"));

/// `sort.round.keys.key64`: `glsl/multisplit/onesweep.comp` with `KEY_BITS=64`, `KEYS=1`, `SORT=1`.
pub static SORT_ROUND_KEYS_KEY64: Builtin =
    Builtin::new("sort.round.keys.key64", "multisplit/onesweep.comp", &[("KEY_BITS", "64"), ("KEYS", "1"), ("SORT", "1")], include_bytes!("../spv/sort.round.keys.key64.spv"));

/// `sort.round.pairs.key64`: `glsl/multisplit/onesweep.comp` with `KEY_BITS=64`, `PAIRS=1`, `SORT=1`.
pub static SORT_ROUND_PAIRS_KEY64: Builtin =
    Builtin::new("sort.round.pairs.key64", "multisplit/onesweep.comp", &[("KEY_BITS", "64"), ("PAIRS", "1"), ("SORT", "1")], include_bytes!("../spv/sort.round.pairs.key64.spv"));

/// `sort.small.keys.key64`: `glsl/sort/small.comp` with `KEY_BITS=64`, `KEYS=1`.
pub static SORT_SMALL_KEYS_KEY64: Builtin =
    Builtin::new("sort.small.keys.key64", "sort/small.comp", &[("KEY_BITS", "64"), ("KEYS", "1")], include_bytes!("../spv/sort.small.keys.key64.spv"));

/// `sort.segments.keys.key64`: `glsl/sort/small.comp` with `KEY_BITS=64`, `KEYS=1`, `SEGMENTS=1`.
pub static SORT_SEGMENTS_KEYS_KEY64: Builtin =
    Builtin::new("sort.segments.keys.key64", "sort/small.comp", &[("KEY_BITS", "64"), ("KEYS", "1"), ("SEGMENTS", "1")], include_bytes!("../spv/sort.segments.keys.key64.spv"));

/// `sort.small.pairs.key64`: `glsl/sort/small.comp` with `KEY_BITS=64`, `PAIRS=1`.
pub static SORT_SMALL_PAIRS_KEY64: Builtin =
    Builtin::new("sort.small.pairs.key64", "sort/small.comp", &[("KEY_BITS", "64"), ("PAIRS", "1")], include_bytes!("../spv/sort.small.pairs.key64.spv"));

/// `sort.segments.pairs.key64`: `glsl/sort/small.comp` with `KEY_BITS=64`, `PAIRS=1`, `SEGMENTS=1`.
pub static SORT_SEGMENTS_PAIRS_KEY64: Builtin =
    Builtin::new("sort.segments.pairs.key64", "sort/small.comp", &[("KEY_BITS", "64"), ("PAIRS", "1"), ("SEGMENTS", "1")], include_bytes!("../spv/sort.segments.pairs.key64.spv"));

/// `sort.gather.keys.key64`: `glsl/multisplit/gather.comp` with `KEY_BITS=64`, `KEYS=1`.
pub static SORT_GATHER_KEYS_KEY64: Builtin =
    Builtin::new("sort.gather.keys.key64", "multisplit/gather.comp", &[("KEY_BITS", "64"), ("KEYS", "1")], include_bytes!("../spv/sort.gather.keys.key64.spv"));

/// `histogram.arguments`: `glsl/histogram/arguments.comp`.
pub static HISTOGRAM_ARGUMENTS: Builtin =
    Builtin::new("histogram.arguments", "histogram/arguments.comp", &[], include_bytes!("../spv/histogram.arguments.spv"));

/// `histogram.count`: `glsl/histogram/count.comp` with `SAMPLE_BITS=32`.
pub static HISTOGRAM_COUNT: Builtin =
    Builtin::new("histogram.count", "histogram/count.comp", &[("SAMPLE_BITS", "32")], include_bytes!("../spv/histogram.count.spv"));

/// `histogram.count.wide`: `glsl/histogram/count.comp` with `SAMPLE_BITS=64`.
pub static HISTOGRAM_COUNT_WIDE: Builtin =
    Builtin::new("histogram.count.wide", "histogram/count.comp", &[("SAMPLE_BITS", "64")], include_bytes!("../spv/histogram.count.wide.spv"));

/// `histogram.count.double`: `glsl/histogram/count.comp` with `SAMPLE_BITS=64`, `DOUBLE=1`.
pub static HISTOGRAM_COUNT_DOUBLE: Builtin =
    Builtin::new("histogram.count.double", "histogram/count.comp", &[("SAMPLE_BITS", "64"), ("DOUBLE", "1")], include_bytes!("../spv/histogram.count.double.spv"));

/// `sssp.begin`: `glsl/sssp/begin.comp`.
pub static SSSP_BEGIN: Builtin =
    Builtin::new("sssp.begin", "sssp/begin.comp", &[], include_bytes!("../spv/sssp.begin.spv"));

/// `sssp.round`: `glsl/sssp/round.comp`.
pub static SSSP_ROUND: Builtin =
    Builtin::new("sssp.round", "sssp/round.comp", &[], include_bytes!("../spv/sssp.round.spv"));

/// `sssp.persistent`: `glsl/sssp/persistent.comp`.
pub static SSSP_PERSISTENT: Builtin =
    Builtin::new("sssp.persistent", "sssp/persistent.comp", &[], include_bytes!("../spv/sssp.persistent.spv"));

/// `sssp.survey`: `glsl/sssp/survey.comp`.
pub static SSSP_SURVEY: Builtin =
    Builtin::new("sssp.survey", "sssp/survey.comp", &[], include_bytes!("../spv/sssp.survey.spv"));

/// `sssp.round.pile`: `glsl/sssp/round.comp` with `PILE=1`.
pub static SSSP_ROUND_PILE: Builtin =
    Builtin::new("sssp.round.pile", "sssp/round.comp", &[("PILE", "1")], include_bytes!("../spv/sssp.round.pile.spv"));

/// `sssp.filter`: `glsl/sssp/filter.comp`.
pub static SSSP_FILTER: Builtin =
    Builtin::new("sssp.filter", "sssp/filter.comp", &[], include_bytes!("../spv/sssp.filter.spv"));

/// `sssp.take`: `glsl/sssp/take.comp`.
pub static SSSP_TAKE: Builtin =
    Builtin::new("sssp.take", "sssp/take.comp", &[], include_bytes!("../spv/sssp.take.spv"));

/// Every built-in kernel, in the order of `glsl/kernels.txt`.
pub static ALL: &[&Builtin] = &[
    &COUNT_PREPARE,
    &PROBE_LANE_ORDER,
    &MEMORY_FILL,
    &MEMORY_FILL_COUNTED,
    &MEMORY_COPY,
    &SCAN_REDUCE,
    &SCAN_SPINE,
    &SCAN_DOWNSWEEP,
    &SCAN_LOOKBACK,
    &MULTISPLIT_SUBGROUP_PRESCAN,
    &MULTISPLIT_BLOCK_PRESCAN,
    &MULTISPLIT_SIDE_BY_SIDE_PRESCAN,
    &MULTISPLIT_HISTOGRAM,
    &MULTISPLIT_DIRECT_POSTSCAN_KEYS,
    &MULTISPLIT_DIRECT_POSTSCAN_PAIRS,
    &MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION,
    &MULTISPLIT_WARP_POSTSCAN_KEYS,
    &MULTISPLIT_WARP_POSTSCAN_PAIRS,
    &MULTISPLIT_WARP_POSTSCAN_PERMUTATION,
    &MULTISPLIT_BLOCK_POSTSCAN_KEYS,
    &MULTISPLIT_BLOCK_POSTSCAN_PAIRS,
    &MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION,
    &MULTISPLIT_ONESWEEP_KEYS,
    &MULTISPLIT_ONESWEEP_PAIRS,
    &MULTISPLIT_ONESWEEP_PERMUTATION,
    &MULTISPLIT_SUBGROUP_PRESCAN_KEY64,
    &MULTISPLIT_BLOCK_PRESCAN_KEY64,
    &MULTISPLIT_SIDE_BY_SIDE_PRESCAN_KEY64,
    &MULTISPLIT_HISTOGRAM_KEY64,
    &MULTISPLIT_DIRECT_POSTSCAN_KEYS_KEY64,
    &MULTISPLIT_DIRECT_POSTSCAN_PAIRS_KEY64,
    &MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION_KEY64,
    &MULTISPLIT_WARP_POSTSCAN_KEYS_KEY64,
    &MULTISPLIT_WARP_POSTSCAN_PAIRS_KEY64,
    &MULTISPLIT_WARP_POSTSCAN_PERMUTATION_KEY64,
    &MULTISPLIT_BLOCK_POSTSCAN_KEYS_KEY64,
    &MULTISPLIT_BLOCK_POSTSCAN_PAIRS_KEY64,
    &MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION_KEY64,
    &MULTISPLIT_ONESWEEP_KEYS_KEY64,
    &MULTISPLIT_ONESWEEP_PAIRS_KEY64,
    &MULTISPLIT_ONESWEEP_PERMUTATION_KEY64,
    &MULTISPLIT_COUNT,
    &MULTISPLIT_FLAGS,
    &MULTISPLIT_FLAG_SCATTER_KEYS,
    &MULTISPLIT_FLAG_SCATTER_PAIRS,
    &MULTISPLIT_LABELS,
    &MULTISPLIT_LABELS_INDEX,
    &MULTISPLIT_LABELS_PACKED,
    &MULTISPLIT_GATHER,
    &MULTISPLIT_COUNT_KEY64,
    &MULTISPLIT_FLAGS_KEY64,
    &MULTISPLIT_FLAG_SCATTER_KEYS_KEY64,
    &MULTISPLIT_FLAG_SCATTER_PAIRS_KEY64,
    &MULTISPLIT_LABELS_KEY64,
    &MULTISPLIT_LABELS_INDEX_KEY64,
    &MULTISPLIT_GATHER_KEY64,
    &MULTISPLIT_UNPACK,
    &MULTISPLIT_INVERT,
    &MULTISPLIT_NUMBER,
    &SORT_HISTOGRAM,
    &SORT_ROUND_KEYS,
    &SORT_ROUND_PAIRS,
    &SORT_SMALL_KEYS,
    &SORT_SEGMENTS_KEYS,
    &SORT_SMALL_PAIRS,
    &SORT_SEGMENTS_PAIRS,
    &SORT_GATHER_KEYS,
    &SORT_LABELS,
    &SORT_NUMBERS,
    &SORT_HISTOGRAM_KEY64,
    &SORT_ROUND_KEYS_KEY64,
    &SORT_ROUND_PAIRS_KEY64,
    &SORT_SMALL_KEYS_KEY64,
    &SORT_SEGMENTS_KEYS_KEY64,
    &SORT_SMALL_PAIRS_KEY64,
    &SORT_SEGMENTS_PAIRS_KEY64,
    &SORT_GATHER_KEYS_KEY64,
    &HISTOGRAM_ARGUMENTS,
    &HISTOGRAM_COUNT,
    &HISTOGRAM_COUNT_WIDE,
    &HISTOGRAM_COUNT_DOUBLE,
    &SSSP_BEGIN,
    &SSSP_ROUND,
    &SSSP_PERSISTENT,
    &SSSP_SURVEY,
    &SSSP_ROUND_PILE,
    &SSSP_FILTER,
    &SSSP_TAKE,
];
