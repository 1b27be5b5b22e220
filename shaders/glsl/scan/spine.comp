#version 460
// Scans a short array with one workgroup, tile after tile with a carry: the middle stage of
// reduce-then-scan, and the whole of a small scan.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "src_dst.glsl"

layout(push_constant) uniform Push {
    uint count;  // elements in `src`
} push;

#define TILE_STORES
#include "count.glsl"
#include "groups.glsl"
#include "subgroup_sums.glsl"
#include "tile.glsl"

void main() {
    uint count = resolved_count(push.count);
    uint carry = 0;
    for (uint first = 0; first < count; first += TILE) {
        uvec4 rows[ROWS];
        load_tile(first, count, rows);
        uint total;
        uint before = carry + sum_of_earlier_subgroups(scan_subgroup(rows), total);
        store_tile(first, count, rows, before);
        carry += total;
        barrier();  // subgroup_sums is written again
    }
}
