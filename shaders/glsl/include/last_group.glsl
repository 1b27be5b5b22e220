// Finds the workgroup of a dispatch that finishes last. It can combine the results of all workgroups, which saves a
// second dispatch. No workgroup waits for another one.
//
// Needs: PARTS_BINDING; PART, the type of the result of a workgroup.

#ifndef LAST_GROUP_GLSL
#define LAST_GROUP_GLSL

#include "groups.glsl"

layout(set = 0, binding = PARTS_BINDING, std430) coherent buffer Parts {
    // Workgroups of the dispatch that have stored their result. Zero between dispatches.
    uint stored;
    uint pad[3];
    PART at[];
} parts;

shared bool shared_is_last;

// Stores the workgroup's result, which is `part` in the first thread, as part `index`. Returns true in the last of the
// `groups` workgroups that store their results; this workgroup can then load all results. Called once, by all threads.
bool store_part(uint index, PART part, uint groups) {
    if (thread_rank() == 0) parts.at[index] = part;
    // The memory barriers are in uniform control flow, because some drivers compile them to execution barriers.
    memoryBarrierBuffer();
    if (thread_rank() == 0) {
        shared_is_last = atomicAdd(parts.stored, 1) == groups - 1;
        if (shared_is_last) parts.stored = 0;
    }
    // Makes the results of other workgroups visible to the first thread, and, with the barrier, to all threads.
    memoryBarrierBuffer();
    barrier();
    return shared_is_last;
}

#endif
