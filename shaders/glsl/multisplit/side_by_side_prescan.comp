#version 460
// Prescan of the block-level multisplit with at most two buckets. One workgroup handles a block of SIDE_BY_SIDE
// subproblems, each with an equal share of the threads. Threads count the keys of the second bucket in registers;
// the workgroup writes the histogram of the block, and for each subproblem the counts before it in the block.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = SUBPROBLEM_ID) const uint SUBPROBLEM = 2048;  // keys per subproblem

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) writeonly buffer Histogram { uint at[]; } histogram;
#include "out_of_range.glsl"
layout(set = 0, binding = 4, std430) writeonly buffer InsideBlock { uint at[]; } inside_block;
#include "groups.glsl"
#include "side_by_side.glsl"
#include "visit_keys.glsl"

const uint THREADS_PER_SUBPROBLEM = gl_WorkGroupSize.x / SIDE_BY_SIDE;  // whole subgroups

// Number of keys in the second bucket, counted by this thread and by all threads of each subproblem.
uint ones_here = 0;
shared uint ones_of[SIDE_BY_SIDE];

void visit_key(const KEY key) {
    ones_here += counted_bucket(key);
}

#if KEY_BITS == 32
void visit_four(const uvec4 four) {
    [[unroll]] for (uint c = 0; c < 4; ++c) visit_key(four[c]);
}
#endif

uint first_key_of(const uint subproblem) {
    return min(subproblem * SUBPROBLEM, element_count());
}

void main() {
    stage_splitters();
    for (uint p = thread_rank(); p < SIDE_BY_SIDE; p += gl_WorkGroupSize.x) ones_of[p] = 0;
    barrier();
    uint block = group_index();
    if (block >= block_count()) return;
    uint first = block * SIDE_BY_SIDE;
    uint place = thread_rank() / THREADS_PER_SUBPROBLEM;
    uint thread = thread_rank() % THREADS_PER_SUBPROBLEM;
    visit_keys(first_key_of(first + place), first_key_of(first + place + 1), thread, THREADS_PER_SUBPROBLEM);
    uint ones = subgroupAdd(ones_here);
    if (subgroupElect()) atomicAdd(ones_of[place], ones);
    barrier();
    for (uint b = thread_rank(); b < push.buckets; b += gl_WorkGroupSize.x) {
        uint sum = 0;
        for (uint p = 0; p < SIDE_BY_SIDE; ++p) {
            uint s = first + p;
            if (s < subproblem_count()) inside_block.at[b * subproblem_count() + s] = sum;
            sum += b == 1 ? ones_of[p] : first_key_of(s + 1) - first_key_of(s) - ones_of[p];
        }
        histogram.at[b * block_count() + block] = sum;
    }
    report_out_of_range();
}
