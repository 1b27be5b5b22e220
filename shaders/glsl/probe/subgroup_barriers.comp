#version 460
// Probes a device for two properties, one per dispatch, and adds the number of failures to `failures`.
// First (lockstep == 0): subgroupBarrier() waits for the subgroup only. Subgroups execute different numbers of
// subgroup barriers before a barrier(). If the device executes them as workgroup barriers, some subgroups pass the
// barrier() before others have written.
// Second (lockstep == 1): the lanes of a subgroup run in lockstep, so that a memory barrier alone orders their
// accesses to shared memory.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 0, std430) buffer Failures { uint count; } failures;

layout(push_constant) uniform Push {
    uint lockstep;  // 0: first probe, 1: second probe
} push;

shared uint words[gl_WorkGroupSize.x];

// A multiple of MAX_BARRIERS. Each subgroup then executes the same total number of barriers, and the kernel
// terminates even if subgroup barriers wait for the workgroup.
const uint ROUNDS = 16;
const uint MAX_BARRIERS = 4;

// Returns the number of words read before the other subgroups wrote them.
uint early_reads() {
    uint count = 0;
    for (uint round = 0; round < ROUNDS; ++round) {
        for (uint k = 0; k < (gl_SubgroupID + round) % MAX_BARRIERS; ++k) subgroupBarrier();
        if (gl_SubgroupInvocationID == 0) words[gl_SubgroupID] = round;
        barrier();
        for (uint s = 0; s < gl_NumSubgroups; ++s)
            if (words[s] != round) ++count;
        barrier();
    }
    return count;
}

uint mixed(uint x) {
    x = (x ^ x >> 16) * 0x7FEB352Du;
    return x ^ x >> 15;
}

// Returns the number of stale words read from other lanes. Before each exchange, lanes execute different numbers of
// iterations.
uint unordered_reads() {
    uint count = 0;
    uint first = gl_SubgroupID * gl_SubgroupSize;
    uint lane = gl_SubgroupInvocationID;
    for (uint round = 0; round < ROUNDS; ++round) {
        uint work = lane;
        for (uint k = 0; k < (lane * 5 + round) % 7; ++k) work = mixed(work);
        words[first + lane] = work + round;
        subgroupMemoryBarrierShared();
        uint other = (lane + 1 + round) % gl_SubgroupSize;
        uint expected = other;
        for (uint k = 0; k < (other * 5 + round) % 7; ++k) expected = mixed(expected);
        if (words[first + other] != expected + round) ++count;
        subgroupMemoryBarrierShared();
    }
    return count;
}

void main() {
    uint count;
    if (push.lockstep == 0) count = early_reads();
    else count = unordered_reads();
    if (count > 0) atomicAdd(failures.count, count);
}
