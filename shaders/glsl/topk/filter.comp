#version 460
// Third pass of top-k with candidates, the only one that reads all elements: appends the elements at or above the
// estimated bound to the candidates of the row, with their indices, in any order. One workgroup handles one part
// of a row; subgroups reserve space with an atomic addition. `state` counts all such elements, including those
// that do not fit.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "topk.glsl"

layout(set = 0, binding = 1, std430) readonly buffer Thresholds { KEY at[]; } thresholds;
layout(set = 0, binding = 2, std430) buffer State { uint at[]; } state;
layout(set = 0, binding = 3, std430) writeonly buffer KeysOut { KEY at[]; } keys_out;
layout(set = 0, binding = 4, std430) writeonly buffer IndicesOut { uint at[]; } indices_out;

KEY threshold;
uint row_begin;   // first element of the row
uint row;
bool has_room;    // whether the last reservation of this subgroup began below the capacity

#define VISIT(first, present) keep_candidates(first, present);
void keep_candidates(uint first, uint present);
#include "topk_visit.glsl"

// Appends the loaded items whose bit is set in `kept` to the candidates. Called by whole subgroups.
void append(uint first, uint kept) {
    uint own = bitCount(kept);
    uint through = subgroupInclusiveAdd(own);
    uint total = subgroupShuffle(through, gl_SubgroupSize - 1);
    uint begin = 0;
    if (gl_SubgroupInvocationID == 0) begin = atomicAdd(state.at[row * STATE_WORDS + STATE_CANDIDATES], total);
    begin = subgroupShuffle(begin, 0);
    has_room = begin < push.capacity;
    uint place = begin + through - own;
    [[unroll]] for (uint i = 0; i < LOADED; ++i) {
        if ((kept & (1u << i)) != 0) {
            if (place < push.capacity) {
                keys_out.at[row * push.capacity + place] = loaded[i];
                indices_out.at[row * push.capacity + place] = first + item_offset(i) - row_begin;
            }
            place += 1;
        }
    }
}

// Appends the loaded items at or above the threshold. Called by whole subgroups.
void keep_candidates(uint first, uint present) {
    uint kept = 0;
    [[unroll]] for (uint i = 0; i < LOADED; ++i)
        if (image(loaded[i]) >= threshold) kept |= 1u << i;
    kept &= present;
    if (has_room && subgroupAny(kept != 0)) append(first, kept);
}

void main() {
    row = group_index() / push.parts;
    if (row >= push.rows) return;
    uint n = row_length();
    if (n == 0) return;
    row_begin = row * n;
    threshold = thresholds.at[row];
    has_room = true;
    uvec2 part = part_of_row(group_index() % push.parts, VISIT_TILE);
    visit_elements(row_begin + part.x, row_begin + part.y);
}
