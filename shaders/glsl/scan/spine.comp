#version 460
// Scans short arrays of equal length, the rows of `src`: one workgroup per row, tile after tile with a carry. A single
// row is the middle stage of reduce-then-scan, or a complete scan of a small array.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "src_dst.glsl"

layout(push_constant) uniform Push {
    uint count;  // elements per row; with several rows, the row size is a multiple of 16 bytes
    uint rows;
} push;

#define TILE_STORES
#include "count.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile.glsl"

void main() {
    if (group_index() >= push.rows) return;
    uint length = resolved_count(push.count);
    uint begin = group_index() * length;
    uint count = begin + length;
    TERM carry = IDENTITY;
    for (uint first = begin; first < count; first += TILE) {
        TERM_ROW rows[TILE_ROWS];
        load_tile(first, count, rows);
        TERM total;
        TERM before = combine(carry, earlier_subgroups(scan_subgroup(rows), total));
        store_tile(first, count, rows, before);
        carry = combine(carry, total);
        barrier();  // subgroup_terms is reused
    }
}
