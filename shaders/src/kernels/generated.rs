// Written by compile-kernels; do not edit.

use super::embedded::{Builtin, builtins};

builtins! {
    COUNT_PREPARE: "count.prepare", "count/prepare.comp", [STEPS = "6"];
    COUNT_GROUPS: "count.groups", "count/groups.comp", [];
    PROBE_DEVICE: "probe.device", "probe/device.comp", [];
    PROBE_LANE_ORDER: "probe.lane_order", "probe/lane_order.comp", [];
    PROBE_SUBGROUP_BARRIERS: "probe.subgroup_barriers", "probe/subgroup_barriers.comp", [];
    MEMORY_FILL: "memory.fill", "memory/fill.comp", [];
    MEMORY_FILL_COUNTED: "memory.fill.counted", "memory/fill.comp", [COUNTED = "1"];
    MEMORY_COPY: "memory.copy", "memory/copy.comp", [];
    KEYS_WIDEN: "keys.widen", "keys/widen.comp", [];
    KEYS_NARROW: "keys.narrow", "keys/narrow.comp", [];
    SCAN_REDUCE: "scan.reduce", "scan/reduce.comp", [KEY_BITS = "32", ROWS = "4"];
    SCAN_REDUCE_ORDER: "scan.reduce.order", "scan/reduce.comp", [KEY_BITS = "32", ORDER = "1", ROWS = "4"];
    SCAN_REDUCE_SUM64: "scan.reduce.sum64", "scan/reduce.comp", [KEY_BITS = "64", ROWS = "4"];
    SCAN_REDUCE_ORDER64: "scan.reduce.order64", "scan/reduce.comp", [KEY_BITS = "64", ORDER = "1", ROWS = "4"];
    SCAN_REDUCE_FLOAT: "scan.reduce.float", "scan/reduce.comp", [KEY_BITS = "32", FLOAT = "1", ROWS = "4"];
    SCAN_REDUCE_FLOAT64: "scan.reduce.float64", "scan/reduce.comp", [KEY_BITS = "64", FLOAT = "1", ROWS = "4"];
    SCAN_SPINE: "scan.spine", "scan/spine.comp", [KEY_BITS = "32", ROWS = "4"];
    SCAN_SPINE_ORDER: "scan.spine.order", "scan/spine.comp", [KEY_BITS = "32", ORDER = "1", ROWS = "4"];
    SCAN_SPINE_SUM64: "scan.spine.sum64", "scan/spine.comp", [KEY_BITS = "64", ROWS = "4"];
    SCAN_SPINE_ORDER64: "scan.spine.order64", "scan/spine.comp", [KEY_BITS = "64", ORDER = "1", ROWS = "4"];
    SCAN_SPINE_FLOAT: "scan.spine.float", "scan/spine.comp", [KEY_BITS = "32", FLOAT = "1", ROWS = "4"];
    SCAN_SPINE_FLOAT64: "scan.spine.float64", "scan/spine.comp", [KEY_BITS = "64", FLOAT = "1", ROWS = "4"];
    SCAN_DOWNSWEEP: "scan.downsweep", "scan/downsweep.comp", [KEY_BITS = "32", ROWS = "4"];
    SCAN_DOWNSWEEP_ORDER: "scan.downsweep.order", "scan/downsweep.comp", [KEY_BITS = "32", ORDER = "1", ROWS = "4"];
    SCAN_DOWNSWEEP_SUM64: "scan.downsweep.sum64", "scan/downsweep.comp", [KEY_BITS = "64", ROWS = "4"];
    SCAN_DOWNSWEEP_ORDER64: "scan.downsweep.order64", "scan/downsweep.comp", [KEY_BITS = "64", ORDER = "1", ROWS = "4"];
    SCAN_DOWNSWEEP_FLOAT: "scan.downsweep.float", "scan/downsweep.comp", [KEY_BITS = "32", FLOAT = "1", ROWS = "4"];
    SCAN_DOWNSWEEP_FLOAT64: "scan.downsweep.float64", "scan/downsweep.comp", [KEY_BITS = "64", FLOAT = "1", ROWS = "4"];
    SCAN_LOOKBACK: "scan.lookback", "scan/lookback.comp", [KEY_BITS = "32", ROWS = "10"];
    SCAN_LOOKBACK_ORDER: "scan.lookback.order", "scan/lookback.comp", [KEY_BITS = "32", ROWS = "10", ORDER = "1"];
    SCAN_LOOKBACK_SUM64: "scan.lookback.sum64", "scan/lookback.comp", [KEY_BITS = "64", ROWS = "5"];
    SCAN_LOOKBACK_ORDER64: "scan.lookback.order64", "scan/lookback.comp", [KEY_BITS = "64", ROWS = "5", ORDER = "1"];
    SCAN_LOOKBACK_FLOAT: "scan.lookback.float", "scan/lookback.comp", [KEY_BITS = "32", ROWS = "10", FLOAT = "1"];
    SCAN_LOOKBACK_FLOAT64: "scan.lookback.float64", "scan/lookback.comp", [KEY_BITS = "64", ROWS = "5", FLOAT = "1"];
    SCAN_LOOKBACK_SMALL: "scan.lookback.small", "scan/lookback.comp", [KEY_BITS = "32", ROWS = "4"];
    SCAN_LOOKBACK_SMALL_ORDER: "scan.lookback.small.order", "scan/lookback.comp", [KEY_BITS = "32", ROWS = "4", ORDER = "1"];
    SCAN_LOOKBACK_SMALL_SUM64: "scan.lookback.small.sum64", "scan/lookback.comp", [KEY_BITS = "64", ROWS = "2"];
    SCAN_LOOKBACK_SMALL_ORDER64: "scan.lookback.small.order64", "scan/lookback.comp", [KEY_BITS = "64", ROWS = "2", ORDER = "1"];
    SCAN_LOOKBACK_SMALL_FLOAT: "scan.lookback.small.float", "scan/lookback.comp", [KEY_BITS = "32", ROWS = "4", FLOAT = "1"];
    SCAN_LOOKBACK_SMALL_FLOAT64: "scan.lookback.small.float64", "scan/lookback.comp", [KEY_BITS = "64", ROWS = "2", FLOAT = "1"];
    SCAN_OPEN_TOTALS: "scan.open_totals", "scan/open_totals.comp", [KEY_BITS = "32", ROWS = "4"];
    SCAN_OPEN_TOTALS_ORDER: "scan.open_totals.order", "scan/open_totals.comp", [KEY_BITS = "32", ROWS = "4", ORDER = "1"];
    SCAN_OPEN_TOTALS_SUM64: "scan.open_totals.sum64", "scan/open_totals.comp", [KEY_BITS = "64", ROWS = "2"];
    SCAN_OPEN_TOTALS_ORDER64: "scan.open_totals.order64", "scan/open_totals.comp", [KEY_BITS = "64", ROWS = "2", ORDER = "1"];
    SCAN_OPEN_TOTALS_FLOAT: "scan.open_totals.float", "scan/open_totals.comp", [KEY_BITS = "32", ROWS = "4", FLOAT = "1"];
    SCAN_OPEN_TOTALS_FLOAT64: "scan.open_totals.float64", "scan/open_totals.comp", [KEY_BITS = "64", ROWS = "2", FLOAT = "1"];
    SCAN_OPEN_SPINE: "scan.open_spine", "scan/open_spine.comp", [KEY_BITS = "32"];
    SCAN_OPEN_SPINE_ORDER: "scan.open_spine.order", "scan/open_spine.comp", [KEY_BITS = "32", ORDER = "1"];
    SCAN_OPEN_SPINE_SUM64: "scan.open_spine.sum64", "scan/open_spine.comp", [KEY_BITS = "64"];
    SCAN_OPEN_SPINE_ORDER64: "scan.open_spine.order64", "scan/open_spine.comp", [KEY_BITS = "64", ORDER = "1"];
    SCAN_OPEN_SPINE_FLOAT: "scan.open_spine.float", "scan/open_spine.comp", [KEY_BITS = "32", FLOAT = "1"];
    SCAN_OPEN_SPINE_FLOAT64: "scan.open_spine.float64", "scan/open_spine.comp", [KEY_BITS = "64", FLOAT = "1"];
    SCAN_BY_KEY_DOWNSWEEP: "scan.by_key.downsweep", "scan/by_key.comp", [KEY_BITS = "32", ROWS = "4"];
    SCAN_BY_KEY_DOWNSWEEP_ORDER: "scan.by_key.downsweep.order", "scan/by_key.comp", [KEY_BITS = "32", ROWS = "4", ORDER = "1"];
    SCAN_BY_KEY_DOWNSWEEP_SUM64: "scan.by_key.downsweep.sum64", "scan/by_key.comp", [KEY_BITS = "64", ROWS = "2"];
    SCAN_BY_KEY_DOWNSWEEP_ORDER64: "scan.by_key.downsweep.order64", "scan/by_key.comp", [KEY_BITS = "64", ROWS = "2", ORDER = "1"];
    SCAN_BY_KEY_DOWNSWEEP_FLOAT: "scan.by_key.downsweep.float", "scan/by_key.comp", [KEY_BITS = "32", ROWS = "4", FLOAT = "1"];
    SCAN_BY_KEY_DOWNSWEEP_FLOAT64: "scan.by_key.downsweep.float64", "scan/by_key.comp", [KEY_BITS = "64", ROWS = "2", FLOAT = "1"];
    SCAN_BY_KEY_LOOKBACK: "scan.by_key.lookback", "scan/by_key.comp", [KEY_BITS = "32", ROWS = "4", LOOKBACK = "1"];
    SCAN_BY_KEY_LOOKBACK_ORDER: "scan.by_key.lookback.order", "scan/by_key.comp", [KEY_BITS = "32", ROWS = "4", ORDER = "1", LOOKBACK = "1"];
    SCAN_BY_KEY_LOOKBACK_SUM64: "scan.by_key.lookback.sum64", "scan/by_key.comp", [KEY_BITS = "64", ROWS = "2", LOOKBACK = "1"];
    SCAN_BY_KEY_LOOKBACK_ORDER64: "scan.by_key.lookback.order64", "scan/by_key.comp", [KEY_BITS = "64", ROWS = "2", ORDER = "1", LOOKBACK = "1"];
    SCAN_SEGMENTS_HEADS: "scan.segments.heads", "scan/segment_heads.comp", [];
    REDUCE_BY_KEY_DOWNSWEEP: "reduce.by_key.downsweep", "reduce/by_key.comp", [KEY_BITS = "32", ROWS = "4"];
    REDUCE_BY_KEY_DOWNSWEEP_ORDER: "reduce.by_key.downsweep.order", "reduce/by_key.comp", [KEY_BITS = "32", ROWS = "4", ORDER = "1"];
    REDUCE_BY_KEY_DOWNSWEEP_SUM64: "reduce.by_key.downsweep.sum64", "reduce/by_key.comp", [KEY_BITS = "64", ROWS = "2"];
    REDUCE_BY_KEY_DOWNSWEEP_ORDER64: "reduce.by_key.downsweep.order64", "reduce/by_key.comp", [KEY_BITS = "64", ROWS = "2", ORDER = "1"];
    REDUCE_BY_KEY_DOWNSWEEP_FLOAT: "reduce.by_key.downsweep.float", "reduce/by_key.comp", [KEY_BITS = "32", ROWS = "4", FLOAT = "1"];
    REDUCE_BY_KEY_DOWNSWEEP_FLOAT64: "reduce.by_key.downsweep.float64", "reduce/by_key.comp", [KEY_BITS = "64", ROWS = "2", FLOAT = "1"];
    REDUCE_BY_KEY_LOOKBACK: "reduce.by_key.lookback", "reduce/by_key.comp", [KEY_BITS = "32", ROWS = "3", LOOKBACK = "1"];
    REDUCE_BY_KEY_LOOKBACK_ORDER: "reduce.by_key.lookback.order", "reduce/by_key.comp", [KEY_BITS = "32", ROWS = "3", ORDER = "1", LOOKBACK = "1"];
    REDUCE_BY_KEY_LOOKBACK_SUM64: "reduce.by_key.lookback.sum64", "reduce/by_key.comp", [KEY_BITS = "64", ROWS = "2", LOOKBACK = "1"];
    REDUCE_BY_KEY_LOOKBACK_ORDER64: "reduce.by_key.lookback.order64", "reduce/by_key.comp", [KEY_BITS = "64", ROWS = "2", ORDER = "1", LOOKBACK = "1"];
    REDUCE_SEGMENTS: "reduce.segments", "reduce/segments.comp", [KEY_BITS = "32", ROWS = "4"];
    REDUCE_SEGMENTS_ORDER: "reduce.segments.order", "reduce/segments.comp", [KEY_BITS = "32", ORDER = "1", ROWS = "4"];
    REDUCE_SEGMENTS_SUM64: "reduce.segments.sum64", "reduce/segments.comp", [KEY_BITS = "64", ROWS = "4"];
    REDUCE_SEGMENTS_ORDER64: "reduce.segments.order64", "reduce/segments.comp", [KEY_BITS = "64", ORDER = "1", ROWS = "4"];
    REDUCE_SEGMENTS_FLOAT: "reduce.segments.float", "reduce/segments.comp", [KEY_BITS = "32", FLOAT = "1", ROWS = "4"];
    REDUCE_SEGMENTS_FLOAT64: "reduce.segments.float64", "reduce/segments.comp", [KEY_BITS = "64", FLOAT = "1", ROWS = "4"];
    REDUCE_JOIN: "reduce.join", "reduce/join.comp", [KEY_BITS = "32"];
    REDUCE_JOIN_ORDER: "reduce.join.order", "reduce/join.comp", [KEY_BITS = "32", ORDER = "1"];
    REDUCE_JOIN_SUM64: "reduce.join.sum64", "reduce/join.comp", [KEY_BITS = "64"];
    REDUCE_JOIN_ORDER64: "reduce.join.order64", "reduce/join.comp", [KEY_BITS = "64", ORDER = "1"];
    REDUCE_JOIN_FLOAT: "reduce.join.float", "reduce/join.comp", [KEY_BITS = "32", FLOAT = "1"];
    REDUCE_JOIN_FLOAT64: "reduce.join.float64", "reduce/join.comp", [KEY_BITS = "64", FLOAT = "1"];
    REDUCE_LONG_SEGMENTS: "reduce.long_segments", "reduce/long_segments.comp", [KEY_BITS = "32", ROWS = "4"];
    REDUCE_LONG_SEGMENTS_ORDER: "reduce.long_segments.order", "reduce/long_segments.comp", [KEY_BITS = "32", ORDER = "1", ROWS = "4"];
    REDUCE_LONG_SEGMENTS_SUM64: "reduce.long_segments.sum64", "reduce/long_segments.comp", [KEY_BITS = "64", ROWS = "4"];
    REDUCE_LONG_SEGMENTS_ORDER64: "reduce.long_segments.order64", "reduce/long_segments.comp", [KEY_BITS = "64", ORDER = "1", ROWS = "4"];
    REDUCE_LONG_SEGMENTS_FLOAT: "reduce.long_segments.float", "reduce/long_segments.comp", [KEY_BITS = "32", FLOAT = "1", ROWS = "4"];
    REDUCE_LONG_SEGMENTS_FLOAT64: "reduce.long_segments.float64", "reduce/long_segments.comp", [KEY_BITS = "64", FLOAT = "1", ROWS = "4"];
    REDUCE_LONG_JOIN: "reduce.long_join", "reduce/long_join.comp", [KEY_BITS = "32"];
    REDUCE_LONG_JOIN_ORDER: "reduce.long_join.order", "reduce/long_join.comp", [KEY_BITS = "32", ORDER = "1"];
    REDUCE_LONG_JOIN_SUM64: "reduce.long_join.sum64", "reduce/long_join.comp", [KEY_BITS = "64"];
    REDUCE_LONG_JOIN_ORDER64: "reduce.long_join.order64", "reduce/long_join.comp", [KEY_BITS = "64", ORDER = "1"];
    REDUCE_LONG_JOIN_FLOAT: "reduce.long_join.float", "reduce/long_join.comp", [KEY_BITS = "32", FLOAT = "1"];
    REDUCE_LONG_JOIN_FLOAT64: "reduce.long_join.float64", "reduce/long_join.comp", [KEY_BITS = "64", FLOAT = "1"];
    REDUCE_POLLED_SEGMENTS: "reduce.polled_segments", "reduce/polled_segments.comp", [KEY_BITS = "32", ROWS = "4"];
    REDUCE_POLLED_SEGMENTS_ORDER: "reduce.polled_segments.order", "reduce/polled_segments.comp", [KEY_BITS = "32", ORDER = "1", ROWS = "4"];
    REDUCE_POLLED_SEGMENTS_SUM64: "reduce.polled_segments.sum64", "reduce/polled_segments.comp", [KEY_BITS = "64", ROWS = "4"];
    REDUCE_POLLED_SEGMENTS_ORDER64: "reduce.polled_segments.order64", "reduce/polled_segments.comp", [KEY_BITS = "64", ORDER = "1", ROWS = "4"];
    REDUCE_POLLED_SEGMENTS_FLOAT: "reduce.polled_segments.float", "reduce/polled_segments.comp", [KEY_BITS = "32", FLOAT = "1", ROWS = "4"];
    REDUCE_POLLED_SEGMENTS_FLOAT64: "reduce.polled_segments.float64", "reduce/polled_segments.comp", [KEY_BITS = "64", FLOAT = "1", ROWS = "4"];
    REDUCE_ROWS: "reduce.rows", "reduce/rows.comp", [KEY_BITS = "32", ROWS = "4"];
    REDUCE_ROWS_ORDER: "reduce.rows.order", "reduce/rows.comp", [KEY_BITS = "32", ORDER = "1", ROWS = "4"];
    REDUCE_ROWS_SUM64: "reduce.rows.sum64", "reduce/rows.comp", [KEY_BITS = "64", ROWS = "4"];
    REDUCE_ROWS_ORDER64: "reduce.rows.order64", "reduce/rows.comp", [KEY_BITS = "64", ORDER = "1", ROWS = "4"];
    REDUCE_ROWS_FLOAT: "reduce.rows.float", "reduce/rows.comp", [KEY_BITS = "32", FLOAT = "1", ROWS = "4"];
    REDUCE_ROWS_FLOAT64: "reduce.rows.float64", "reduce/rows.comp", [KEY_BITS = "64", FLOAT = "1", ROWS = "4"];
    REDUCE_TERMS: "reduce.terms", "reduce/terms.comp", [KEY_BITS = "32", ROWS = "4"];
    REDUCE_TERMS_ORDER: "reduce.terms.order", "reduce/terms.comp", [KEY_BITS = "32", ORDER = "1", ROWS = "4"];
    REDUCE_TERMS_SUM64: "reduce.terms.sum64", "reduce/terms.comp", [KEY_BITS = "64", ROWS = "4"];
    REDUCE_TERMS_ORDER64: "reduce.terms.order64", "reduce/terms.comp", [KEY_BITS = "64", ORDER = "1", ROWS = "4"];
    REDUCE_TERMS_FLOAT: "reduce.terms.float", "reduce/terms.comp", [KEY_BITS = "32", FLOAT = "1", ROWS = "4"];
    REDUCE_TERMS_FLOAT64: "reduce.terms.float64", "reduce/terms.comp", [KEY_BITS = "64", FLOAT = "1", ROWS = "4"];
    REDUCE_INDEX: "reduce.index", "reduce/index.comp", [KEY_BITS = "32", ORDER = "1", ROWS = "4"];
    REDUCE_INDEX_KEY64: "reduce.index.key64", "reduce/index.comp", [KEY_BITS = "64", ORDER = "1", ROWS = "4"];
    SELECT_SWEEP: "select.sweep", "select/sweep.comp", [KEY_BITS = "32", ITEMS = "32"];
    SELECT_SWEEP_KEY64: "select.sweep.key64", "select/sweep.comp", [KEY_BITS = "64", ITEMS = "16"];
    SELECT_PARTITION: "select.partition", "select/sweep.comp", [KEY_BITS = "32", ITEMS = "32", REJECTED = "1"];
    SELECT_PARTITION_KEY64: "select.partition.key64", "select/sweep.comp", [KEY_BITS = "64", ITEMS = "16", REJECTED = "1"];
    SELECT_RUNS: "select.runs", "select/sweep.comp", [KEY_BITS = "32", RUNS = "1", ITEMS = "20"];
    SELECT_RUNS_KEY64: "select.runs.key64", "select/sweep.comp", [KEY_BITS = "64", RUNS = "1", ITEMS = "20"];
    SELECT_SWEEP_SMALL: "select.sweep.small", "select/sweep.comp", [KEY_BITS = "32", ITEMS = "8"];
    SELECT_SWEEP_SMALL_KEY64: "select.sweep.small.key64", "select/sweep.comp", [KEY_BITS = "64", ITEMS = "8"];
    SELECT_RUNS_SMALL: "select.runs.small", "select/sweep.comp", [KEY_BITS = "32", RUNS = "1", ITEMS = "8"];
    SELECT_RUNS_SMALL_KEY64: "select.runs.small.key64", "select/sweep.comp", [KEY_BITS = "64", RUNS = "1", ITEMS = "8"];
    SEARCH_BOUNDS: "search.bounds", "search/bounds.comp", [KEY_BITS = "32", TOP = "1024"];
    SEARCH_BOUNDS_KEY64: "search.bounds.key64", "search/bounds.comp", [KEY_BITS = "64", TOP = "1024"];
    MERGE_CUT: "merge.cut", "merge/cut.comp", [KEY_BITS = "32"];
    MERGE_CUT_KEY64: "merge.cut.key64", "merge/cut.comp", [KEY_BITS = "64"];
    MERGE_TILES_KEYS: "merge.tiles.keys", "merge/tiles.comp", [KEYS = "1", KEY_BITS = "32", ITEMS = "8"];
    MERGE_TILES_KEYS_KEY64: "merge.tiles.keys.key64", "merge/tiles.comp", [KEYS = "1", KEY_BITS = "64", ITEMS = "8"];
    MERGE_TILES_PAIRS: "merge.tiles.pairs", "merge/tiles.comp", [PAIRS = "1", KEY_BITS = "32", ITEMS = "8"];
    MERGE_TILES_PAIRS_KEY64: "merge.tiles.pairs.key64", "merge/tiles.comp", [PAIRS = "1", KEY_BITS = "64", ITEMS = "8"];
    MULTISPLIT_SUBGROUP_PRESCAN: "multisplit.subgroup.prescan", "multisplit/subgroup_prescan.comp", [KEY_BITS = "32"];
    MULTISPLIT_SUBGROUP_PRESCAN_KEY64: "multisplit.subgroup.prescan.key64", "multisplit/subgroup_prescan.comp", [KEY_BITS = "64"];
    MULTISPLIT_BLOCK_PRESCAN: "multisplit.block.prescan", "multisplit/block_prescan.comp", [KEY_BITS = "32"];
    MULTISPLIT_BLOCK_PRESCAN_KEY64: "multisplit.block.prescan.key64", "multisplit/block_prescan.comp", [KEY_BITS = "64"];
    MULTISPLIT_BLOCK_PRESCAN_LABELS: "multisplit.block.prescan.labels", "multisplit/block_prescan_labels.comp", [KEY_BITS = "32"];
    MULTISPLIT_BLOCK_PRESCAN_LABELS_KEY64: "multisplit.block.prescan.labels.key64", "multisplit/block_prescan_labels.comp", [KEY_BITS = "64"];
    MULTISPLIT_SIDE_BY_SIDE_PRESCAN: "multisplit.side_by_side.prescan", "multisplit/side_by_side_prescan.comp", [KEY_BITS = "32"];
    MULTISPLIT_SIDE_BY_SIDE_PRESCAN_KEY64: "multisplit.side_by_side.prescan.key64", "multisplit/side_by_side_prescan.comp", [KEY_BITS = "64"];
    MULTISPLIT_HISTOGRAM: "multisplit.histogram", "multisplit/histogram.comp", [KEY_BITS = "32"];
    MULTISPLIT_HISTOGRAM_KEY64: "multisplit.histogram.key64", "multisplit/histogram.comp", [KEY_BITS = "64"];
    MULTISPLIT_DIRECT_POSTSCAN_KEYS: "multisplit.direct.postscan.keys", "multisplit/direct_postscan.comp", [KEYS = "1", KEY_BITS = "32"];
    MULTISPLIT_DIRECT_POSTSCAN_KEYS_KEY64: "multisplit.direct.postscan.keys.key64", "multisplit/direct_postscan.comp", [KEYS = "1", KEY_BITS = "64"];
    MULTISPLIT_DIRECT_POSTSCAN_PAIRS: "multisplit.direct.postscan.pairs", "multisplit/direct_postscan.comp", [PAIRS = "1", KEY_BITS = "32"];
    MULTISPLIT_DIRECT_POSTSCAN_PAIRS_KEY64: "multisplit.direct.postscan.pairs.key64", "multisplit/direct_postscan.comp", [PAIRS = "1", KEY_BITS = "64"];
    MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION: "multisplit.direct.postscan.permutation", "multisplit/direct_postscan.comp", [PERMUTATION = "1", KEY_BITS = "32"];
    MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION_KEY64: "multisplit.direct.postscan.permutation.key64", "multisplit/direct_postscan.comp", [PERMUTATION = "1", KEY_BITS = "64"];
    MULTISPLIT_WARP_POSTSCAN_KEYS: "multisplit.warp.postscan.keys", "multisplit/warp_postscan.comp", [KEYS = "1", KEY_BITS = "32"];
    MULTISPLIT_WARP_POSTSCAN_KEYS_KEY64: "multisplit.warp.postscan.keys.key64", "multisplit/warp_postscan.comp", [KEYS = "1", KEY_BITS = "64"];
    MULTISPLIT_WARP_POSTSCAN_PAIRS: "multisplit.warp.postscan.pairs", "multisplit/warp_postscan.comp", [PAIRS = "1", KEY_BITS = "32"];
    MULTISPLIT_WARP_POSTSCAN_PAIRS_KEY64: "multisplit.warp.postscan.pairs.key64", "multisplit/warp_postscan.comp", [PAIRS = "1", KEY_BITS = "64"];
    MULTISPLIT_WARP_POSTSCAN_PERMUTATION: "multisplit.warp.postscan.permutation", "multisplit/warp_postscan.comp", [PERMUTATION = "1", KEY_BITS = "32"];
    MULTISPLIT_WARP_POSTSCAN_PERMUTATION_KEY64: "multisplit.warp.postscan.permutation.key64", "multisplit/warp_postscan.comp", [PERMUTATION = "1", KEY_BITS = "64"];
    MULTISPLIT_BLOCK_POSTSCAN_KEYS: "multisplit.block.postscan.keys", "multisplit/block_postscan.comp", [KEYS = "1", KEY_BITS = "32"];
    MULTISPLIT_BLOCK_POSTSCAN_KEYS_KEY64: "multisplit.block.postscan.keys.key64", "multisplit/block_postscan.comp", [KEYS = "1", KEY_BITS = "64"];
    MULTISPLIT_BLOCK_POSTSCAN_PAIRS: "multisplit.block.postscan.pairs", "multisplit/block_postscan.comp", [PAIRS = "1", KEY_BITS = "32"];
    MULTISPLIT_BLOCK_POSTSCAN_PAIRS_KEY64: "multisplit.block.postscan.pairs.key64", "multisplit/block_postscan.comp", [PAIRS = "1", KEY_BITS = "64"];
    MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION: "multisplit.block.postscan.permutation", "multisplit/block_postscan.comp", [PERMUTATION = "1", KEY_BITS = "32"];
    MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION_KEY64: "multisplit.block.postscan.permutation.key64", "multisplit/block_postscan.comp", [PERMUTATION = "1", KEY_BITS = "64"];
    MULTISPLIT_BLOCK_POSTSCAN_LABELS_KEYS: "multisplit.block.postscan.labels.keys", "multisplit/block_postscan_labels.comp", [KEYS = "1", KEY_BITS = "32"];
    MULTISPLIT_BLOCK_POSTSCAN_LABELS_KEYS_KEY64: "multisplit.block.postscan.labels.keys.key64", "multisplit/block_postscan_labels.comp", [KEYS = "1", KEY_BITS = "64"];
    MULTISPLIT_BLOCK_POSTSCAN_LABELS_PAIRS: "multisplit.block.postscan.labels.pairs", "multisplit/block_postscan_labels.comp", [PAIRS = "1", KEY_BITS = "32"];
    MULTISPLIT_BLOCK_POSTSCAN_LABELS_PAIRS_KEY64: "multisplit.block.postscan.labels.pairs.key64", "multisplit/block_postscan_labels.comp", [PAIRS = "1", KEY_BITS = "64"];
    MULTISPLIT_BLOCK_POSTSCAN_LABELS_PERMUTATION: "multisplit.block.postscan.labels.permutation", "multisplit/block_postscan_labels.comp", [PERMUTATION = "1", KEY_BITS = "32"];
    MULTISPLIT_BLOCK_POSTSCAN_LABELS_PERMUTATION_KEY64: "multisplit.block.postscan.labels.permutation.key64", "multisplit/block_postscan_labels.comp", [PERMUTATION = "1", KEY_BITS = "64"];
    MULTISPLIT_ONESWEEP_KEYS: "multisplit.onesweep.keys", "multisplit/onesweep.comp", [KEYS = "1", KEY_BITS = "32"];
    MULTISPLIT_ONESWEEP_KEYS_KEY64: "multisplit.onesweep.keys.key64", "multisplit/onesweep.comp", [KEYS = "1", KEY_BITS = "64"];
    MULTISPLIT_ONESWEEP_PAIRS: "multisplit.onesweep.pairs", "multisplit/onesweep.comp", [PAIRS = "1", KEY_BITS = "32"];
    MULTISPLIT_ONESWEEP_PAIRS_KEY64: "multisplit.onesweep.pairs.key64", "multisplit/onesweep.comp", [PAIRS = "1", KEY_BITS = "64"];
    MULTISPLIT_ONESWEEP_PERMUTATION: "multisplit.onesweep.permutation", "multisplit/onesweep.comp", [PERMUTATION = "1", KEY_BITS = "32"];
    MULTISPLIT_ONESWEEP_PERMUTATION_KEY64: "multisplit.onesweep.permutation.key64", "multisplit/onesweep.comp", [PERMUTATION = "1", KEY_BITS = "64"];
    MULTISPLIT_OFFSETS: "multisplit.offsets", "multisplit/offsets.comp", [KEY_BITS = "32"];
    MULTISPLIT_OFFSETS_KEY64: "multisplit.offsets.key64", "multisplit/offsets.comp", [KEY_BITS = "64"];
    MULTISPLIT_FLAGS: "multisplit.flags", "multisplit/flags.comp", [KEY_BITS = "32"];
    MULTISPLIT_FLAGS_KEY64: "multisplit.flags.key64", "multisplit/flags.comp", [KEY_BITS = "64"];
    MULTISPLIT_FLAG_SCATTER_KEYS: "multisplit.flag_scatter.keys", "multisplit/flag_scatter.comp", [KEYS = "1", KEY_BITS = "32"];
    MULTISPLIT_FLAG_SCATTER_KEYS_KEY64: "multisplit.flag_scatter.keys.key64", "multisplit/flag_scatter.comp", [KEYS = "1", KEY_BITS = "64"];
    MULTISPLIT_FLAG_SCATTER_PAIRS: "multisplit.flag_scatter.pairs", "multisplit/flag_scatter.comp", [PAIRS = "1", KEY_BITS = "32"];
    MULTISPLIT_FLAG_SCATTER_PAIRS_KEY64: "multisplit.flag_scatter.pairs.key64", "multisplit/flag_scatter.comp", [PAIRS = "1", KEY_BITS = "64"];
    MULTISPLIT_LABELS: "multisplit.labels", "multisplit/labels.comp", [KEY_BITS = "32"];
    MULTISPLIT_LABELS_KEY64: "multisplit.labels.key64", "multisplit/labels.comp", [KEY_BITS = "64"];
    MULTISPLIT_LABELS_INDEX: "multisplit.labels.index", "multisplit/labels.comp", [KEY_BITS = "32", INDEX = "1"];
    MULTISPLIT_LABELS_INDEX_KEY64: "multisplit.labels.index.key64", "multisplit/labels.comp", [KEY_BITS = "64", INDEX = "1"];
    MULTISPLIT_LABELS_PACKED: "multisplit.labels.packed", "multisplit/labels.comp", [KEY_BITS = "32", PACKED = "1"];
    MULTISPLIT_GATHER: "multisplit.gather", "multisplit/gather.comp", [KEY_BITS = "32", PAIRS = "1"];
    MULTISPLIT_GATHER_KEY64: "multisplit.gather.key64", "multisplit/gather.comp", [KEY_BITS = "64", PAIRS = "1"];
    MULTISPLIT_UNPACK: "multisplit.unpack", "multisplit/unpack.comp", [];
    MULTISPLIT_INVERT: "multisplit.invert", "multisplit/invert.comp", [];
    MULTISPLIT_NUMBER: "multisplit.number", "multisplit/number.comp", [];
    SORT_HISTOGRAM: "sort.histogram", "sort/histogram.comp", [KEY_BITS = "32", PACKED_KEYS = "1"];
    SORT_HISTOGRAM_KEY64: "sort.histogram.key64", "sort/histogram.comp", [KEY_BITS = "64", PACKED_KEYS = "1"];
    SORT_ROUND_KEYS: "sort.round.keys", "sort/onesweep.comp", [KEYS = "1", KEY_BITS = "32", PACKED_KEYS = "1"];
    SORT_ROUND_KEYS_KEY64: "sort.round.keys.key64", "sort/onesweep.comp", [KEYS = "1", KEY_BITS = "64", PACKED_KEYS = "1"];
    SORT_ROUND_PAIRS: "sort.round.pairs", "sort/onesweep.comp", [PAIRS = "1", KEY_BITS = "32", PACKED_KEYS = "1"];
    SORT_ROUND_PAIRS_KEY64: "sort.round.pairs.key64", "sort/onesweep.comp", [PAIRS = "1", KEY_BITS = "64", PACKED_KEYS = "1"];
    SORT_ROUND_PACKING_KEYS: "sort.round.packing.keys", "sort/onesweep.comp", [KEYS = "1", KEY_BITS = "32", PACKING = "1"];
    SORT_ROUND_PACKING_PAIRS: "sort.round.packing.pairs", "sort/onesweep.comp", [PAIRS = "1", KEY_BITS = "32", PACKING = "1"];
    SORT_COUNT: "sort.count", "sort/count.comp", [];
    SORT_RUNS: "sort.runs", "sort/runs.comp", [];
    SORT_SMALL_KEYS: "sort.small.keys", "sort/small.comp", [KEYS = "1", KEY_BITS = "32"];
    SORT_SMALL_KEYS_KEY64: "sort.small.keys.key64", "sort/small.comp", [KEYS = "1", KEY_BITS = "64"];
    SORT_SMALL_PAIRS: "sort.small.pairs", "sort/small.comp", [PAIRS = "1", KEY_BITS = "32"];
    SORT_SMALL_PAIRS_KEY64: "sort.small.pairs.key64", "sort/small.comp", [PAIRS = "1", KEY_BITS = "64"];
    SORT_SEGMENTS_HEADS: "sort.segments.heads", "sort/segment_heads.comp", [];
    SORT_SEGMENTS_TILES_KEYS: "sort.segments.tiles.keys", "sort/segment_tiles.comp", [KEYS = "1", KEY_BITS = "32", ITEMS = "8"];
    SORT_SEGMENTS_TILES_KEYS_KEY64: "sort.segments.tiles.keys.key64", "sort/segment_tiles.comp", [KEYS = "1", KEY_BITS = "64", ITEMS = "8"];
    SORT_SEGMENTS_TILES_PAIRS: "sort.segments.tiles.pairs", "sort/segment_tiles.comp", [PAIRS = "1", KEY_BITS = "32", ITEMS = "8"];
    SORT_SEGMENTS_TILES_PAIRS_KEY64: "sort.segments.tiles.pairs.key64", "sort/segment_tiles.comp", [PAIRS = "1", KEY_BITS = "64", ITEMS = "8"];
    SORT_SEGMENTS_ROWS_KEYS: "sort.segments.rows.keys", "sort/segment_rows.comp", [KEYS = "1", KEY_BITS = "32", ITEMS = "8"];
    SORT_SEGMENTS_ROWS_KEYS_KEY64: "sort.segments.rows.keys.key64", "sort/segment_rows.comp", [KEYS = "1", KEY_BITS = "64", ITEMS = "8"];
    SORT_SEGMENTS_ROWS_PAIRS: "sort.segments.rows.pairs", "sort/segment_rows.comp", [PAIRS = "1", KEY_BITS = "32", ITEMS = "8"];
    SORT_SEGMENTS_ROWS_PAIRS_KEY64: "sort.segments.rows.pairs.key64", "sort/segment_rows.comp", [PAIRS = "1", KEY_BITS = "64", ITEMS = "8"];
    SORT_SEGMENTS_SPREAD: "sort.segments.spread", "sort/segment_spread.comp", [];
    SORT_SEGMENTS_HISTOGRAM: "sort.segments.histogram", "sort/segment_histogram.comp", [KEY_BITS = "32"];
    SORT_SEGMENTS_HISTOGRAM_KEY64: "sort.segments.histogram.key64", "sort/segment_histogram.comp", [KEY_BITS = "64"];
    SORT_SEGMENTS_ROUND_KEYS: "sort.segments.round.keys", "sort/segment_onesweep.comp", [KEYS = "1", KEY_BITS = "32"];
    SORT_SEGMENTS_ROUND_KEYS_KEY64: "sort.segments.round.keys.key64", "sort/segment_onesweep.comp", [KEYS = "1", KEY_BITS = "64"];
    SORT_SEGMENTS_ROUND_PAIRS: "sort.segments.round.pairs", "sort/segment_onesweep.comp", [PAIRS = "1", KEY_BITS = "32"];
    SORT_SEGMENTS_ROUND_PAIRS_KEY64: "sort.segments.round.pairs.key64", "sort/segment_onesweep.comp", [PAIRS = "1", KEY_BITS = "64"];
    HISTOGRAM_ARGUMENTS: "histogram.arguments", "histogram/arguments.comp", [];
    HISTOGRAM_COUNT: "histogram.count", "histogram/count.comp", [SAMPLE_BITS = "32"];
    HISTOGRAM_COUNT_WIDE: "histogram.count.wide", "histogram/count.comp", [SAMPLE_BITS = "64"];
    HISTOGRAM_COUNT_DOUBLE: "histogram.count.double", "histogram/count.comp", [SAMPLE_BITS = "64", DOUBLE = "1"];
    SSSP_BEGIN: "sssp.begin", "sssp/begin.comp", [];
    SSSP_ROUND: "sssp.round", "sssp/round.comp", [];
    SSSP_ROUND_PILE: "sssp.round.pile", "sssp/round.comp", [PILE = "1"];
    SSSP_PERSISTENT: "sssp.persistent", "sssp/persistent.comp", [];
    SSSP_SURVEY: "sssp.survey", "sssp/survey.comp", [];
    SSSP_FILTER: "sssp.filter", "sssp/filter.comp", [];
    SSSP_TAKE: "sssp.take", "sssp/take.comp", [];
    PIECES_MOVE: "pieces.move", "pieces/move.comp", [];
    PIECES_PLACE: "pieces.place", "pieces/place.comp", [];
    PIECES_NUMBER: "pieces.number", "pieces/number.comp", [];
    TOPK_SAMPLE: "topk.sample", "topk/sample.comp", [KEY_BITS = "32"];
    TOPK_SAMPLE_KEY64: "topk.sample.key64", "topk/sample.comp", [KEY_BITS = "64"];
    TOPK_THRESHOLD: "topk.threshold", "topk/threshold.comp", [KEY_BITS = "32"];
    TOPK_THRESHOLD_KEY64: "topk.threshold.key64", "topk/threshold.comp", [KEY_BITS = "64"];
    TOPK_FILTER: "topk.filter", "topk/filter.comp", [KEY_BITS = "32"];
    TOPK_FILTER_KEY64: "topk.filter.key64", "topk/filter.comp", [KEY_BITS = "64"];
    TOPK_DIGITS: "topk.digits", "topk/digits.comp", [KEY_BITS = "32"];
    TOPK_DIGITS_KEY64: "topk.digits.key64", "topk/digits.comp", [KEY_BITS = "64"];
    TOPK_COUNT: "topk.count", "topk/count.comp", [KEY_BITS = "32"];
    TOPK_COUNT_KEY64: "topk.count.key64", "topk/count.comp", [KEY_BITS = "64"];
    TOPK_GATHER: "topk.gather", "topk/gather.comp", [KEY_BITS = "32"];
    TOPK_GATHER_KEY64: "topk.gather.key64", "topk/gather.comp", [KEY_BITS = "64"];
    TOPK_FINISH: "topk.finish", "topk/finish.comp", [KEY_BITS = "32"];
    TOPK_FINISH_KEY64: "topk.finish.key64", "topk/finish.comp", [KEY_BITS = "64"];
    TOPK_ROWS: "topk.rows", "topk/finish.comp", [KEY_BITS = "32", ROWS_OF_INPUT = "1"];
    TOPK_ROWS_KEY64: "topk.rows.key64", "topk/finish.comp", [KEY_BITS = "64", ROWS_OF_INPUT = "1"];
}

/// Kernel variants: one table for each line of `glsl/kernels.txt` that has axes. The table is indexed by the
/// number of the choice on each axis, in the order of the axes.
pub mod variants {
    use crate::kernels::embedded::{Builtin, variants};

    variants! {
        SCAN_REDUCE: "scan.reduce", [&Builtin; 6] = [&super::SCAN_REDUCE, &super::SCAN_REDUCE_ORDER, &super::SCAN_REDUCE_SUM64, &super::SCAN_REDUCE_ORDER64, &super::SCAN_REDUCE_FLOAT, &super::SCAN_REDUCE_FLOAT64];
        SCAN_SPINE: "scan.spine", [&Builtin; 6] = [&super::SCAN_SPINE, &super::SCAN_SPINE_ORDER, &super::SCAN_SPINE_SUM64, &super::SCAN_SPINE_ORDER64, &super::SCAN_SPINE_FLOAT, &super::SCAN_SPINE_FLOAT64];
        SCAN_DOWNSWEEP: "scan.downsweep", [&Builtin; 6] = [&super::SCAN_DOWNSWEEP, &super::SCAN_DOWNSWEEP_ORDER, &super::SCAN_DOWNSWEEP_SUM64, &super::SCAN_DOWNSWEEP_ORDER64, &super::SCAN_DOWNSWEEP_FLOAT, &super::SCAN_DOWNSWEEP_FLOAT64];
        SCAN_LOOKBACK: "scan.lookback", [&Builtin; 6] = [&super::SCAN_LOOKBACK, &super::SCAN_LOOKBACK_ORDER, &super::SCAN_LOOKBACK_SUM64, &super::SCAN_LOOKBACK_ORDER64, &super::SCAN_LOOKBACK_FLOAT, &super::SCAN_LOOKBACK_FLOAT64];
        SCAN_LOOKBACK_SMALL: "scan.lookback.small", [&Builtin; 6] = [&super::SCAN_LOOKBACK_SMALL, &super::SCAN_LOOKBACK_SMALL_ORDER, &super::SCAN_LOOKBACK_SMALL_SUM64, &super::SCAN_LOOKBACK_SMALL_ORDER64, &super::SCAN_LOOKBACK_SMALL_FLOAT, &super::SCAN_LOOKBACK_SMALL_FLOAT64];
        SCAN_OPEN_TOTALS: "scan.open_totals", [&Builtin; 6] = [&super::SCAN_OPEN_TOTALS, &super::SCAN_OPEN_TOTALS_ORDER, &super::SCAN_OPEN_TOTALS_SUM64, &super::SCAN_OPEN_TOTALS_ORDER64, &super::SCAN_OPEN_TOTALS_FLOAT, &super::SCAN_OPEN_TOTALS_FLOAT64];
        SCAN_OPEN_SPINE: "scan.open_spine", [&Builtin; 6] = [&super::SCAN_OPEN_SPINE, &super::SCAN_OPEN_SPINE_ORDER, &super::SCAN_OPEN_SPINE_SUM64, &super::SCAN_OPEN_SPINE_ORDER64, &super::SCAN_OPEN_SPINE_FLOAT, &super::SCAN_OPEN_SPINE_FLOAT64];
        SCAN_BY_KEY_DOWNSWEEP: "scan.by_key.downsweep", [&Builtin; 6] = [&super::SCAN_BY_KEY_DOWNSWEEP, &super::SCAN_BY_KEY_DOWNSWEEP_ORDER, &super::SCAN_BY_KEY_DOWNSWEEP_SUM64, &super::SCAN_BY_KEY_DOWNSWEEP_ORDER64, &super::SCAN_BY_KEY_DOWNSWEEP_FLOAT, &super::SCAN_BY_KEY_DOWNSWEEP_FLOAT64];
        SCAN_BY_KEY_LOOKBACK: "scan.by_key.lookback", [&Builtin; 4] = [&super::SCAN_BY_KEY_LOOKBACK, &super::SCAN_BY_KEY_LOOKBACK_ORDER, &super::SCAN_BY_KEY_LOOKBACK_SUM64, &super::SCAN_BY_KEY_LOOKBACK_ORDER64];
        REDUCE_BY_KEY_DOWNSWEEP: "reduce.by_key.downsweep", [&Builtin; 6] = [&super::REDUCE_BY_KEY_DOWNSWEEP, &super::REDUCE_BY_KEY_DOWNSWEEP_ORDER, &super::REDUCE_BY_KEY_DOWNSWEEP_SUM64, &super::REDUCE_BY_KEY_DOWNSWEEP_ORDER64, &super::REDUCE_BY_KEY_DOWNSWEEP_FLOAT, &super::REDUCE_BY_KEY_DOWNSWEEP_FLOAT64];
        REDUCE_BY_KEY_LOOKBACK: "reduce.by_key.lookback", [&Builtin; 4] = [&super::REDUCE_BY_KEY_LOOKBACK, &super::REDUCE_BY_KEY_LOOKBACK_ORDER, &super::REDUCE_BY_KEY_LOOKBACK_SUM64, &super::REDUCE_BY_KEY_LOOKBACK_ORDER64];
        REDUCE_SEGMENTS: "reduce.segments", [&Builtin; 6] = [&super::REDUCE_SEGMENTS, &super::REDUCE_SEGMENTS_ORDER, &super::REDUCE_SEGMENTS_SUM64, &super::REDUCE_SEGMENTS_ORDER64, &super::REDUCE_SEGMENTS_FLOAT, &super::REDUCE_SEGMENTS_FLOAT64];
        REDUCE_JOIN: "reduce.join", [&Builtin; 6] = [&super::REDUCE_JOIN, &super::REDUCE_JOIN_ORDER, &super::REDUCE_JOIN_SUM64, &super::REDUCE_JOIN_ORDER64, &super::REDUCE_JOIN_FLOAT, &super::REDUCE_JOIN_FLOAT64];
        REDUCE_LONG_SEGMENTS: "reduce.long_segments", [&Builtin; 6] = [&super::REDUCE_LONG_SEGMENTS, &super::REDUCE_LONG_SEGMENTS_ORDER, &super::REDUCE_LONG_SEGMENTS_SUM64, &super::REDUCE_LONG_SEGMENTS_ORDER64, &super::REDUCE_LONG_SEGMENTS_FLOAT, &super::REDUCE_LONG_SEGMENTS_FLOAT64];
        REDUCE_LONG_JOIN: "reduce.long_join", [&Builtin; 6] = [&super::REDUCE_LONG_JOIN, &super::REDUCE_LONG_JOIN_ORDER, &super::REDUCE_LONG_JOIN_SUM64, &super::REDUCE_LONG_JOIN_ORDER64, &super::REDUCE_LONG_JOIN_FLOAT, &super::REDUCE_LONG_JOIN_FLOAT64];
        REDUCE_POLLED_SEGMENTS: "reduce.polled_segments", [&Builtin; 6] = [&super::REDUCE_POLLED_SEGMENTS, &super::REDUCE_POLLED_SEGMENTS_ORDER, &super::REDUCE_POLLED_SEGMENTS_SUM64, &super::REDUCE_POLLED_SEGMENTS_ORDER64, &super::REDUCE_POLLED_SEGMENTS_FLOAT, &super::REDUCE_POLLED_SEGMENTS_FLOAT64];
        REDUCE_ROWS: "reduce.rows", [&Builtin; 6] = [&super::REDUCE_ROWS, &super::REDUCE_ROWS_ORDER, &super::REDUCE_ROWS_SUM64, &super::REDUCE_ROWS_ORDER64, &super::REDUCE_ROWS_FLOAT, &super::REDUCE_ROWS_FLOAT64];
        REDUCE_TERMS: "reduce.terms", [&Builtin; 6] = [&super::REDUCE_TERMS, &super::REDUCE_TERMS_ORDER, &super::REDUCE_TERMS_SUM64, &super::REDUCE_TERMS_ORDER64, &super::REDUCE_TERMS_FLOAT, &super::REDUCE_TERMS_FLOAT64];
        REDUCE_INDEX: "reduce.index", [&Builtin; 2] = [&super::REDUCE_INDEX, &super::REDUCE_INDEX_KEY64];
        SELECT_SWEEP: "select.sweep", [&Builtin; 2] = [&super::SELECT_SWEEP, &super::SELECT_SWEEP_KEY64];
        SELECT_PARTITION: "select.partition", [&Builtin; 2] = [&super::SELECT_PARTITION, &super::SELECT_PARTITION_KEY64];
        SELECT_RUNS: "select.runs", [&Builtin; 2] = [&super::SELECT_RUNS, &super::SELECT_RUNS_KEY64];
        SELECT_SWEEP_SMALL: "select.sweep.small", [&Builtin; 2] = [&super::SELECT_SWEEP_SMALL, &super::SELECT_SWEEP_SMALL_KEY64];
        SELECT_RUNS_SMALL: "select.runs.small", [&Builtin; 2] = [&super::SELECT_RUNS_SMALL, &super::SELECT_RUNS_SMALL_KEY64];
        SEARCH_BOUNDS: "search.bounds", [&Builtin; 2] = [&super::SEARCH_BOUNDS, &super::SEARCH_BOUNDS_KEY64];
        MERGE_CUT: "merge.cut", [&Builtin; 2] = [&super::MERGE_CUT, &super::MERGE_CUT_KEY64];
        MERGE_TILES: "merge.tiles", [[&Builtin; 2]; 2] = [[&super::MERGE_TILES_KEYS, &super::MERGE_TILES_KEYS_KEY64], [&super::MERGE_TILES_PAIRS, &super::MERGE_TILES_PAIRS_KEY64]];
        MULTISPLIT_SUBGROUP_PRESCAN: "multisplit.subgroup.prescan", [&Builtin; 2] = [&super::MULTISPLIT_SUBGROUP_PRESCAN, &super::MULTISPLIT_SUBGROUP_PRESCAN_KEY64];
        MULTISPLIT_BLOCK_PRESCAN: "multisplit.block.prescan", [&Builtin; 2] = [&super::MULTISPLIT_BLOCK_PRESCAN, &super::MULTISPLIT_BLOCK_PRESCAN_KEY64];
        MULTISPLIT_BLOCK_PRESCAN_LABELS: "multisplit.block.prescan.labels", [&Builtin; 2] = [&super::MULTISPLIT_BLOCK_PRESCAN_LABELS, &super::MULTISPLIT_BLOCK_PRESCAN_LABELS_KEY64];
        MULTISPLIT_SIDE_BY_SIDE_PRESCAN: "multisplit.side_by_side.prescan", [&Builtin; 2] = [&super::MULTISPLIT_SIDE_BY_SIDE_PRESCAN, &super::MULTISPLIT_SIDE_BY_SIDE_PRESCAN_KEY64];
        MULTISPLIT_HISTOGRAM: "multisplit.histogram", [&Builtin; 2] = [&super::MULTISPLIT_HISTOGRAM, &super::MULTISPLIT_HISTOGRAM_KEY64];
        MULTISPLIT_DIRECT_POSTSCAN: "multisplit.direct.postscan", [[&Builtin; 2]; 3] = [[&super::MULTISPLIT_DIRECT_POSTSCAN_KEYS, &super::MULTISPLIT_DIRECT_POSTSCAN_KEYS_KEY64], [&super::MULTISPLIT_DIRECT_POSTSCAN_PAIRS, &super::MULTISPLIT_DIRECT_POSTSCAN_PAIRS_KEY64], [&super::MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION, &super::MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION_KEY64]];
        MULTISPLIT_WARP_POSTSCAN: "multisplit.warp.postscan", [[&Builtin; 2]; 3] = [[&super::MULTISPLIT_WARP_POSTSCAN_KEYS, &super::MULTISPLIT_WARP_POSTSCAN_KEYS_KEY64], [&super::MULTISPLIT_WARP_POSTSCAN_PAIRS, &super::MULTISPLIT_WARP_POSTSCAN_PAIRS_KEY64], [&super::MULTISPLIT_WARP_POSTSCAN_PERMUTATION, &super::MULTISPLIT_WARP_POSTSCAN_PERMUTATION_KEY64]];
        MULTISPLIT_BLOCK_POSTSCAN: "multisplit.block.postscan", [[&Builtin; 2]; 3] = [[&super::MULTISPLIT_BLOCK_POSTSCAN_KEYS, &super::MULTISPLIT_BLOCK_POSTSCAN_KEYS_KEY64], [&super::MULTISPLIT_BLOCK_POSTSCAN_PAIRS, &super::MULTISPLIT_BLOCK_POSTSCAN_PAIRS_KEY64], [&super::MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION, &super::MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION_KEY64]];
        MULTISPLIT_BLOCK_POSTSCAN_LABELS: "multisplit.block.postscan.labels", [[&Builtin; 2]; 3] = [[&super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_KEYS, &super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_KEYS_KEY64], [&super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_PAIRS, &super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_PAIRS_KEY64], [&super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_PERMUTATION, &super::MULTISPLIT_BLOCK_POSTSCAN_LABELS_PERMUTATION_KEY64]];
        MULTISPLIT_ONESWEEP: "multisplit.onesweep", [[&Builtin; 2]; 3] = [[&super::MULTISPLIT_ONESWEEP_KEYS, &super::MULTISPLIT_ONESWEEP_KEYS_KEY64], [&super::MULTISPLIT_ONESWEEP_PAIRS, &super::MULTISPLIT_ONESWEEP_PAIRS_KEY64], [&super::MULTISPLIT_ONESWEEP_PERMUTATION, &super::MULTISPLIT_ONESWEEP_PERMUTATION_KEY64]];
        MULTISPLIT_OFFSETS: "multisplit.offsets", [&Builtin; 2] = [&super::MULTISPLIT_OFFSETS, &super::MULTISPLIT_OFFSETS_KEY64];
        MULTISPLIT_FLAGS: "multisplit.flags", [&Builtin; 2] = [&super::MULTISPLIT_FLAGS, &super::MULTISPLIT_FLAGS_KEY64];
        MULTISPLIT_FLAG_SCATTER: "multisplit.flag_scatter", [[&Builtin; 2]; 2] = [[&super::MULTISPLIT_FLAG_SCATTER_KEYS, &super::MULTISPLIT_FLAG_SCATTER_KEYS_KEY64], [&super::MULTISPLIT_FLAG_SCATTER_PAIRS, &super::MULTISPLIT_FLAG_SCATTER_PAIRS_KEY64]];
        MULTISPLIT_LABELS: "multisplit.labels", [&Builtin; 2] = [&super::MULTISPLIT_LABELS, &super::MULTISPLIT_LABELS_KEY64];
        MULTISPLIT_LABELS_INDEX: "multisplit.labels.index", [&Builtin; 2] = [&super::MULTISPLIT_LABELS_INDEX, &super::MULTISPLIT_LABELS_INDEX_KEY64];
        MULTISPLIT_GATHER: "multisplit.gather", [&Builtin; 2] = [&super::MULTISPLIT_GATHER, &super::MULTISPLIT_GATHER_KEY64];
        SORT_HISTOGRAM: "sort.histogram", [&Builtin; 2] = [&super::SORT_HISTOGRAM, &super::SORT_HISTOGRAM_KEY64];
        SORT_ROUND: "sort.round", [[&Builtin; 2]; 2] = [[&super::SORT_ROUND_KEYS, &super::SORT_ROUND_KEYS_KEY64], [&super::SORT_ROUND_PAIRS, &super::SORT_ROUND_PAIRS_KEY64]];
        SORT_ROUND_PACKING: "sort.round.packing", [&Builtin; 2] = [&super::SORT_ROUND_PACKING_KEYS, &super::SORT_ROUND_PACKING_PAIRS];
        SORT_SMALL: "sort.small", [[&Builtin; 2]; 2] = [[&super::SORT_SMALL_KEYS, &super::SORT_SMALL_KEYS_KEY64], [&super::SORT_SMALL_PAIRS, &super::SORT_SMALL_PAIRS_KEY64]];
        SORT_SEGMENTS_TILES: "sort.segments.tiles", [[&Builtin; 2]; 2] = [[&super::SORT_SEGMENTS_TILES_KEYS, &super::SORT_SEGMENTS_TILES_KEYS_KEY64], [&super::SORT_SEGMENTS_TILES_PAIRS, &super::SORT_SEGMENTS_TILES_PAIRS_KEY64]];
        SORT_SEGMENTS_ROWS: "sort.segments.rows", [[&Builtin; 2]; 2] = [[&super::SORT_SEGMENTS_ROWS_KEYS, &super::SORT_SEGMENTS_ROWS_KEYS_KEY64], [&super::SORT_SEGMENTS_ROWS_PAIRS, &super::SORT_SEGMENTS_ROWS_PAIRS_KEY64]];
        SORT_SEGMENTS_HISTOGRAM: "sort.segments.histogram", [&Builtin; 2] = [&super::SORT_SEGMENTS_HISTOGRAM, &super::SORT_SEGMENTS_HISTOGRAM_KEY64];
        SORT_SEGMENTS_ROUND: "sort.segments.round", [[&Builtin; 2]; 2] = [[&super::SORT_SEGMENTS_ROUND_KEYS, &super::SORT_SEGMENTS_ROUND_KEYS_KEY64], [&super::SORT_SEGMENTS_ROUND_PAIRS, &super::SORT_SEGMENTS_ROUND_PAIRS_KEY64]];
        TOPK_SAMPLE: "topk.sample", [&Builtin; 2] = [&super::TOPK_SAMPLE, &super::TOPK_SAMPLE_KEY64];
        TOPK_THRESHOLD: "topk.threshold", [&Builtin; 2] = [&super::TOPK_THRESHOLD, &super::TOPK_THRESHOLD_KEY64];
        TOPK_FILTER: "topk.filter", [&Builtin; 2] = [&super::TOPK_FILTER, &super::TOPK_FILTER_KEY64];
        TOPK_DIGITS: "topk.digits", [&Builtin; 2] = [&super::TOPK_DIGITS, &super::TOPK_DIGITS_KEY64];
        TOPK_COUNT: "topk.count", [&Builtin; 2] = [&super::TOPK_COUNT, &super::TOPK_COUNT_KEY64];
        TOPK_GATHER: "topk.gather", [&Builtin; 2] = [&super::TOPK_GATHER, &super::TOPK_GATHER_KEY64];
        TOPK_FINISH: "topk.finish", [&Builtin; 2] = [&super::TOPK_FINISH, &super::TOPK_FINISH_KEY64];
        TOPK_ROWS: "topk.rows", [&Builtin; 2] = [&super::TOPK_ROWS, &super::TOPK_ROWS_KEY64];
    }
}

/// Every specialization constant that a built-in kernel may have, with its number.
pub static CONSTANT_IDS: &[(&str, u32)] = &[
    ("local_size_x", 0),
    ("SUBGROUP_SIZE", 1),
    ("SPIN_LIMIT", 2),
    ("COUNT_ON_DEVICE", 3),
    ("OTHER_ON_DEVICE", 62),
    ("TICKETS", 54),
    ("KEEPS_STATUS", 80),
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
    ("EXACT", 58),
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
    ("ONE_GROUP", 51),
    ("UNALIGNED_ROWS", 77),
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
    ("SEPARATE_HISTOGRAMS", 81),
    ("PREDICATE", 52),
    ("HEADS", 53),
    ("BY_SUBGROUPS", 70),
    ("LOADED_ROWS", 71),
    ("OF_ROWS", 73),
    ("ROW_LANES", 76),
    ("ONLY_WORKGROUPS", 82),
];
