#version 460
// One round of a search as one dispatch. Each workgroup loads the round and does a share of its work. The last one
// to finish decides the next round and writes its dispatch arguments. With PILE, rounds that wait for the pile
// passes are no-ops. docs/kernels.md, "SSSP round", has the data flow, invariants and barriers.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "sssp_state.glsl"
#include "sssp_advance.glsl"
#include "sssp_round.glsl"

void main() {
    if (gl_LocalInvocationIndex == 0) load_round();
    barrier();
    // The host records more rounds than may be needed: the search may be complete.
    if (search_is_over()) return;
#ifdef PILE
    if (round_groups() == 0) {
        if (gl_LocalInvocationIndex == 0) write_dispatches();
        return;
    }
#endif
    Round round = begin_round();
    uint all = round_groups();
    work_through(round, gl_WorkGroupID.x, all);
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        if (atomicAdd(control.finished, 1) == all - 1) {
            memoryBarrierBuffer();  // makes the writes of other workgroups visible
            advance();
        }
    }
}
