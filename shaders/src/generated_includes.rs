// Written by compile-kernels; do not edit.

pub(super) static INCLUDES: &[(&str, &str)] = &[
    ("groups.glsl", include_str!("../glsl/include/groups.glsl")),
    ("lookback.glsl", include_str!("../glsl/include/lookback.glsl")),
    ("src_dst.glsl", include_str!("../glsl/include/src_dst.glsl")),
    ("subgroup_sums.glsl", include_str!("../glsl/include/subgroup_sums.glsl")),
    ("tile.glsl", include_str!("../glsl/include/tile.glsl")),
];
