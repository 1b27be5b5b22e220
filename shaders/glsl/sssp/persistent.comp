#version 460
// Many rounds of a search in one dispatch, with persistent workgroups that wait for each other between rounds. Each
// workgroup repeats: load the round, do a share of its work, and arrive at the global barrier. The last one to arrive
// decides the next round and releases the others. docs/kernels.md, "SSSP round", has the data flow, invariants and
// barriers.
//
// Waiting is bounded. If a workgroup times out, for example because not all workgroups are resident, all of them exit,
// and the host repeats the search with one dispatch per round.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = SPIN_LIMIT_ID) const uint SPIN_LIMIT = 1u << 20;
layout(constant_id = ROUNDS_ID) const uint ROUNDS = 1024;  // maximum rounds per dispatch

#include "sssp_state.glsl"
#include "sssp_advance.glsl"
#include "sssp_round.glsl"

shared uint leave;
shared uint first_generation;

// Arrives at the global barrier. Returns whether this workgroup is the last one, which decides the next round. Called
// by one thread.
bool arrive(uint generation) {
    bool last = atomicAdd(control.arrived, 1) + 1 == gl_NumWorkGroups.x * (generation + 1);
    if (last) {
        memoryBarrierBuffer();  // makes the writes of other workgroups visible
        advance();
    }
    return last;
}

// If this workgroup arrived last, releases the others into the next round; otherwise waits for the release. Called by
// one thread.
void begin_or_wait(bool last, uint generation) {
    if (last) {
        atomicExchange(control.generation, generation + 1);
    } else {
        uint spins = 0;
        while (control.generation == generation && spins < SPIN_LIMIT) ++spins;
        if (control.generation == generation) control.aborted = 1;
    }
}

void main() {
    if (gl_LocalInvocationIndex == 0) {
        load_round();
        leave = control.aborted;
        first_generation = control.generation;
    }
    barrier();
    uint generation = first_generation;
    uint rounds = 0;
    bool done = search_is_over() || leave != 0;
    while (!done) {
        Round round = begin_round();
        work_through(round, gl_WorkGroupID.x, gl_NumWorkGroups.x);
        memoryBarrierBuffer();
        barrier();
        bool last = false;
        if (gl_LocalInvocationIndex == 0) last = arrive(generation);
        // The description of the next round must be visible before the release.
        memoryBarrierBuffer();
        if (gl_LocalInvocationIndex == 0) begin_or_wait(last, generation);
        memoryBarrierBuffer();
        if (gl_LocalInvocationIndex == 0) {
            load_round();
            leave = control.aborted;
        }
        barrier();
        ++generation;
        ++rounds;
        done = search_is_over() || leave != 0 || rounds >= ROUNDS;
    }
}
