#version 460
// Last stage of reduce-then-scan. One workgroup scans one tile, with the prefix of the tile from `offsets` as
// carry-in, and writes it to `dst`. Tiles are processed in reverse order, because the end of the array is still in
// the cache.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "src_dst.glsl"
#include "term.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Offsets { WORDS at[]; } offsets;

layout(push_constant) uniform Push {
    uint count;       // elements in `src`
    uint first_tile;  // index of this dispatch's first tile in `offsets`
} push;

#define TILE_STORES
#include "count.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile.glsl"

void main() {
    uint count = resolved_count(push.count);
    uint tiles = (count - 1) / TILE + 1;
    if (group_index() >= tiles) return;
    uint tile = group_index_from_end(tiles);
    TERM_ROW rows[TILE_ROWS];
    load_tile(tile * TILE, count, rows);
    TERM before = from_words(offsets.at[push.first_tile + tile]);
    TERM total;
    before = combine(before, earlier_subgroups(scan_subgroup(rows), total));
    store_tile(tile * TILE, count, rows, before);
}
