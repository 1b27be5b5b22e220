#version 460
// Third pass of top-k with candidates, the only one that reads all elements of every row: appends the elements at or
// above the estimated threshold to the candidates of the row, with their indices, in any order. One workgroup handles
// one part of a row; subgroups reserve space by atomic additions to the number of candidates in `state`. If not all of
// them fit, this number exceeds the capacity. docs/kernels.md, "Top-k", shows how the passes work together.
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

#include "topk_visit.glsl"

// Returns the bits of the loaded items at or above the threshold.
uint items_to_keep(KEY threshold, KEY loaded[LOADED], uint present) {
    uint kept = 0;
    [[unroll]] for (uint i = 0; i < LOADED; ++i)
        if (image(loaded[i]) >= threshold) kept |= 1u << i;
    return kept & present;
}

// Appends the loaded items whose bit is set in `kept` to the candidates of the row. `index` is the index of the
// thread's first item in the row. Returns whether there was room for the subgroup's first candidate. Called by whole
// subgroups.
bool append(uint row, uint index, KEY loaded[LOADED], uint kept) {
    uint own = bitCount(kept);
    uint through = subgroupInclusiveAdd(own);
    uint total = subgroupShuffle(through, gl_SubgroupSize - 1);
    uint begin = 0;
    if (gl_SubgroupInvocationID == 0) begin = atomicAdd(state.at[row * STATE_WORDS + STATE_CANDIDATES], total);
    begin = subgroupShuffle(begin, 0);
    uint place = begin + through - own;
    [[unroll]] for (uint i = 0; i < LOADED; ++i) {
        if ((kept & (1u << i)) != 0) {
            if (place < push.capacity) {
                keys_out.at[row * push.capacity + place] = loaded[i];
                indices_out.at[row * push.capacity + place] = index + item_offset(i);
            }
            place += 1;
        }
    }
    return begin < push.capacity;
}

void main() {
    uint row = group_index() / push.parts;
    if (row >= push.rows) return;
    uint n = row_length();
    if (n == 0) return;
    uint row_begin = row * n;
    KEY threshold = thresholds.at[row];
    uvec2 part = part_of_row(group_index() % push.parts, VISIT_TILE);
    Turns turns = turns_of(row_begin + part.x, row_begin + part.y);
    // Without room, the exact passes handle the row, whether more candidates are counted or not.
    bool has_room = true;
    for (uint turn = 0; turn < turns.count; ++turn) {
        KEY loaded[LOADED];
        uint first;
        uint present = load_turn(turns, turn, loaded, first);
        uint kept = items_to_keep(threshold, loaded, present);
        if (has_room && subgroupAny(kept != 0)) has_room = append(row, first - row_begin, loaded, kept);
    }
}
