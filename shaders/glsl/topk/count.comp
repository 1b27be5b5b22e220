#version 460
// Exact top-k, pass after the last digit: counts the elements of each part of a row that are above the threshold, and
// those that are equal to it. The threshold is the k-th largest key image (order-preserving unsigned number, see
// topk.glsl). One workgroup handles one part and writes two counts. The first workgroup of a row also writes the
// threshold for the next pass. docs/kernels.md, "Top-k", shows how the passes work together.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "topk.glsl"

shared uint bins[DIGIT_BINS];
shared PickedBin picked;
shared uint part_above;
shared uint part_same;

#include "topk_prefix.glsl"
#include "topk_visit.glsl"

layout(set = 0, binding = 3, std430) writeonly buffer PartCounts { uvec2 at[]; } part_counts;

// Returns the number of keys above the threshold, and of those equal to it.
uvec2 count_elements(KEY threshold, KEY loaded[LOADED], uint present) {
    uint above = 0;
    uint same = 0;
    [[unroll]] for (uint i = 0; i < LOADED; ++i) {
        if ((present & (1u << i)) != 0) {
            KEY number = image(loaded[i]);
            if (number > threshold) above += 1;
            if (number == threshold) same += 1;
        }
    }
    return uvec2(above, same);
}

void main() {
    uint row = group_index() / push.parts;
    uint part = group_index() % push.parts;
    if (row >= push.rows || is_done(row)) return;
    Pick pick = find_pick(row, DIGIT_COUNT);
    if (part == 0 && gl_LocalInvocationIndex == 0) store_pick(row, DIGIT_COUNT, pick);
    if (gl_LocalInvocationIndex == 0) {
        part_above = 0;
        part_same = 0;
    }
    uvec2 elements = part_of_row(part, VISIT_TILE);
    uint row_begin = row * row_length();
    Turns turns = turns_of(row_begin + elements.x, row_begin + elements.y);
    uvec2 counts = uvec2(0);
    for (uint turn = 0; turn < turns.count; ++turn) {
        KEY loaded[LOADED];
        uint first;
        uint present = load_turn(turns, turn, loaded, first);
        counts += count_elements(pick.prefix, loaded, present);
    }
    barrier();
    if (counts.x != 0) atomicAdd(part_above, counts.x);
    if (counts.y != 0) atomicAdd(part_same, counts.y);
    barrier();
    if (gl_LocalInvocationIndex == 0) part_counts.at[group_index()] = uvec2(part_above, part_same);
}
