#version 460
// Exact top-k, pass after the last digit: counts the elements of each part of a row that are above the k-th
// largest image, and those that are equal to it. One workgroup handles one part and writes two counts. The first
// workgroup of a row also writes the k-th largest image for the next pass.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "topk_digits.glsl"

layout(set = 0, binding = 3, std430) writeonly buffer PartCounts { uvec2 at[]; } part_counts;

uint above;
uint same;

#define VISIT(first, present) count_elements(present);
void count_elements(uint present);
#include "topk_visit.glsl"

void count_elements(uint present) {
    [[unroll]] for (uint i = 0; i < LOADED; ++i) {
        if ((present & (1u << i)) != 0) {
            KEY number = image(loaded[i]);
            if (number > found_prefix) above += 1;
            if (number == found_prefix) same += 1;
        }
    }
}

shared uint part_above;
shared uint part_same;

void main() {
    uint row = group_index() / push.parts;
    uint part = group_index() % push.parts;
    if (row >= push.rows || is_done(row)) return;
    find_prefix(row, DIGIT_COUNT);
    if (part == 0 && gl_LocalInvocationIndex == 0) store_pick(row, DIGIT_COUNT);
    if (gl_LocalInvocationIndex == 0) {
        part_above = 0;
        part_same = 0;
    }
    above = 0;
    same = 0;
    uvec2 elements = part_of_row(part, VISIT_TILE);
    uint row_begin = row * row_length();
    visit_elements(row_begin + elements.x, row_begin + elements.y);
    barrier();
    if (above != 0) atomicAdd(part_above, above);
    if (same != 0) atomicAdd(part_same, same);
    barrier();
    if (gl_LocalInvocationIndex == 0) part_counts.at[group_index()] = uvec2(part_above, part_same);
}
