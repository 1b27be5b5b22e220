#version 460
// Exact top-k, last pass: writes the elements above the threshold, which is the k-th largest image, followed by as many
// equal to it as needed, both in the order of the row. One workgroup handles one part of a row: it adds up the counts
// of earlier parts and then scans its elements, tile by tile, to find output positions. docs/kernels.md, "Top-k", shows
// how the passes work together.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "topk_digits.glsl"

shared uint earlier_above;
shared uint earlier_same;

#include "subgroup_sums.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;
layout(set = 0, binding = 3, std430) readonly buffer PartCounts { uvec2 at[]; } part_counts;
layout(set = 0, binding = 4, std430) writeonly buffer KeysOut { KEY at[]; } keys_out;
layout(set = 0, binding = 5, std430) writeonly buffer IndicesOut { uint at[]; } indices_out;

// Consecutive elements per thread and iteration; a thread holds them in order.
const uint OWN = 4;
// Elements per thread in the granule of parts: LOADED of topk_visit.glsl, because count.comp divides rows into the same
// parts.
#if KEY_BITS == 64
const uint PART_TILE = 8;
#else
const uint PART_TILE = 16;
#endif

// Returns the number of elements above the threshold in the earlier parts of the row, and of those equal to it. Called
// by all threads; contains barriers.
uvec2 counts_of_earlier_parts(uint row, uint part) {
    if (gl_LocalInvocationIndex == 0) {
        earlier_above = 0;
        earlier_same = 0;
    }
    barrier();
    uvec2 sums = uvec2(0);
    for (uint p = thread_rank(); p < part; p += gl_WorkGroupSize.x)
        sums += part_counts.at[row * push.parts + p];
    if (sums.x != 0) atomicAdd(earlier_above, sums.x);
    if (sums.y != 0) atomicAdd(earlier_same, sums.y);
    barrier();
    return uvec2(earlier_above, earlier_same);
}

void put(uint row, uint place, uint index, KEY key) {
    keys_out.at[row * push.capacity + place] = key;
    indices_out.at[row * push.capacity + place] = index;
}

void main() {
    uint row = group_index() / push.parts;
    uint part = group_index() % push.parts;
    if (row >= push.rows || is_done(row)) return;
    Pick pick = load_pick(row, DIGIT_COUNT);
    KEY threshold = pick.prefix;
    uvec2 earlier = counts_of_earlier_parts(row, part);
    uint above = earlier.x;
    uint same = earlier.y;
    uint first_same = wanted_count() - pick.left;
    // count.comp must divide rows into the same parts.
    uvec2 elements = part_of_row(part, gl_WorkGroupSize.x * PART_TILE);
    uint row_begin = row * row_length();
    for (uint tile = elements.x; tile < elements.y; tile += OWN * gl_WorkGroupSize.x) {
        uint first = tile + OWN * thread_rank();
        KEY own[OWN];
        uint counts = 0;  // elements above the threshold in the upper half, equal ones in the lower half
        [[unroll]] for (uint c = 0; c < OWN; ++c) {
            bool inside = first + c < elements.y;
            own[c] = inside ? keys.at[row_begin + first + c] : KEY(0);
            if (inside && image(own[c]) > threshold) counts += 1 << 16;
            if (inside && image(own[c]) == threshold) counts += 1;
        }
        uint through = subgroupInclusiveAdd(counts);
        uint total;
        uint before = sum_of_earlier_subgroups(subgroupShuffle(through, gl_SubgroupSize - 1), total);
        before += through - counts;
        uint own_above = above + (before >> 16);
        uint own_same = same + (before & 0xFFFF);
        [[unroll]] for (uint c = 0; c < OWN; ++c) {
            bool inside = first + c < elements.y;
            if (inside && image(own[c]) > threshold) put(row, own_above++, first + c, own[c]);
            if (inside && image(own[c]) == threshold) {
                if (own_same < pick.left) put(row, first_same + own_same, first + c, own[c]);
                own_same += 1;
            }
        }
        above += total >> 16;
        same += total & 0xFFFF;
        barrier();
    }
}
