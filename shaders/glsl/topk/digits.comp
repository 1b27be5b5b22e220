#version 460
// Exact top-k, one pass per digit: among the elements whose image has the same leading digits as the k-th largest
// image, counts the values of the next digit. One workgroup handles one part of a row: it derives these leading digits
// from the counts of the previous pass, counts in shared memory and adds its counts to `digits`. The first workgroup of
// a row also writes the prefix and clears the bins of the next digit.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "topk_digits.glsl"

#define VISIT(first, present) count_digits(present);
void count_digits(uint present);
#include "topk_visit.glsl"

void count_digits(uint present) {
    uint shift = digit_shift(push.step);
    uint width = digit_width(push.step);
    [[unroll]] for (uint i = 0; i < LOADED; ++i) {
        KEY number = image(loaded[i]) >> shift;
        bool counts = (present & (1u << i)) != 0 && number >> width == found_prefix;
        if (counts) atomicAdd(bins[uint(number) & ((1u << width) - 1)], 1);
    }
}

void main() {
    uint row = group_index() / push.parts;
    uint part = group_index() % push.parts;
    if (row >= push.rows || is_done(row)) return;
    find_prefix(row, push.step);
    if (part == 0) {
        if (push.step > 0 && gl_LocalInvocationIndex == 0) store_pick(row, push.step);
        for (uint b = thread_rank(); b < DIGIT_BINS; b += gl_WorkGroupSize.x)
            digits.at[bins_of_digit(row, push.step + 1) + b] = 0;
    }
    clear_bins();
    uvec2 elements = part_of_row(part, VISIT_TILE);
    uint row_begin = row * row_length();
    visit_elements(row_begin + elements.x, row_begin + elements.y);
    barrier();
    for (uint b = thread_rank(); b < DIGIT_BINS; b += gl_WorkGroupSize.x)
        if (bins[b] != 0) atomicAdd(digits.at[bins_of_digit(row, push.step) + b], bins[b]);
}
