// Written by compile-kernels; do not edit.

pub(super) static INCLUDES: &[(&str, &str)] = &[
    ("bucket.glsl", include_str!("../glsl/include/bucket.glsl")),
    ("bucket_lookback.glsl", include_str!("../glsl/include/bucket_lookback.glsl")),
    ("count.glsl", include_str!("../glsl/include/count.glsl")),
    ("count_windows.glsl", include_str!("../glsl/include/count_windows.glsl")),
    ("groups.glsl", include_str!("../glsl/include/groups.glsl")),
    ("key_width.glsl", include_str!("../glsl/include/key_width.glsl")),
    ("lookback.glsl", include_str!("../glsl/include/lookback.glsl")),
    ("move.glsl", include_str!("../glsl/include/move.glsl")),
    ("multisplit.glsl", include_str!("../glsl/include/multisplit.glsl")),
    ("outside.glsl", include_str!("../glsl/include/outside.glsl")),
    ("rank_tile.glsl", include_str!("../glsl/include/rank_tile.glsl")),
    ("scatter_tile.glsl", include_str!("../glsl/include/scatter_tile.glsl")),
    ("slots.glsl", include_str!("../glsl/include/slots.glsl")),
    ("src_dst.glsl", include_str!("../glsl/include/src_dst.glsl")),
    ("subgroup_sums.glsl", include_str!("../glsl/include/subgroup_sums.glsl")),
    ("tile.glsl", include_str!("../glsl/include/tile.glsl")),
    ("voting.glsl", include_str!("../glsl/include/voting.glsl")),
];

pub(super) static KERNELS: &[(&str, &str)] = &[
    ("count/prepare.comp", include_str!("../glsl/count/prepare.comp")),
    ("memory/copy.comp", include_str!("../glsl/memory/copy.comp")),
    ("memory/fill.comp", include_str!("../glsl/memory/fill.comp")),
    ("multisplit/block_postscan.comp", include_str!("../glsl/multisplit/block_postscan.comp")),
    ("multisplit/block_prescan.comp", include_str!("../glsl/multisplit/block_prescan.comp")),
    ("multisplit/direct_postscan.comp", include_str!("../glsl/multisplit/direct_postscan.comp")),
    ("multisplit/histogram.comp", include_str!("../glsl/multisplit/histogram.comp")),
    ("multisplit/onesweep.comp", include_str!("../glsl/multisplit/onesweep.comp")),
    ("multisplit/subgroup_prescan.comp", include_str!("../glsl/multisplit/subgroup_prescan.comp")),
    ("multisplit/warp_postscan.comp", include_str!("../glsl/multisplit/warp_postscan.comp")),
    ("scan/downsweep.comp", include_str!("../glsl/scan/downsweep.comp")),
    ("scan/lookback.comp", include_str!("../glsl/scan/lookback.comp")),
    ("scan/reduce.comp", include_str!("../glsl/scan/reduce.comp")),
    ("scan/spine.comp", include_str!("../glsl/scan/spine.comp")),
];
