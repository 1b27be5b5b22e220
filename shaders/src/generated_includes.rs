// Written by compile-kernels; do not edit.

pub(super) static INCLUDES: &[(&str, &str)] = &[
    ("bucket.glsl", include_str!("../glsl/include/bucket.glsl")),
    ("groups.glsl", include_str!("../glsl/include/groups.glsl")),
    ("lookback.glsl", include_str!("../glsl/include/lookback.glsl")),
    ("multisplit.glsl", include_str!("../glsl/include/multisplit.glsl")),
    ("src_dst.glsl", include_str!("../glsl/include/src_dst.glsl")),
    ("subgroup_sums.glsl", include_str!("../glsl/include/subgroup_sums.glsl")),
    ("tile.glsl", include_str!("../glsl/include/tile.glsl")),
];
