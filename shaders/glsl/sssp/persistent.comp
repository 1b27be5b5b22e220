#version 460
// Many rounds of a search in one dispatch: workgroups that all run at the same time, and wait for
// each other between rounds.
//
// Waiting is bounded. Where somebody waits too long (not all workgroups were running after all),
// everybody leaves, and the host goes on with rounds of a dispatch each, from the distances that
// have been found.
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
layout(constant_id = ROUNDS_ID) const uint ROUNDS = 1024;  // in one dispatch, at most

#include "sssp_state.glsl"
#include "sssp_advance.glsl"
#include "sssp_round.glsl"

shared uint leave;
shared uint first_generation;

// Whether this workgroup is the last to arrive: it then decides on the next round. Called by one
// thread.
bool arrive(uint generation) {
    bool last = atomicAdd(control.arrived, 1) + 1 == gl_NumWorkGroups.x * (generation + 1);
    if (last) {
        memoryBarrierBuffer();  // what the others did is seen from here on
        advance();
    }
    return last;
}

// Gives the sign to begin the next round, or waits for it. Called by one thread.
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
    bool done = round_is_over() || leave != 0;
    while (!done) {
        begin_round();
        work_through(gl_WorkGroupID.x, gl_NumWorkGroups.x);
        memoryBarrierBuffer();
        barrier();
        bool last = false;
        if (gl_LocalInvocationIndex == 0) last = arrive(generation);
        // What the next round is to do must be seen before the sign to begin it.
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
        done = round_is_over() || leave != 0 || rounds >= ROUNDS;
    }
}
