// Which workgroup and which thread am I, in an order that data can follow?

#ifndef GROUPS_GLSL
#define GROUPS_GLSL

// Dispatches past maxComputeWorkGroupCount[0] are folded into y, so the last row may hold
// workgroups past the count that was asked for: callers compare with their own count.
uint group_index() {
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

// The same from the last of `count` on, for passes that read again what the pass before has just
// read: the end of it is in a cache.
uint group_index_from_end(uint count) {
    return count - 1 - group_index();
}

// Position of this thread in the workgroup such that consecutive lanes of a subgroup are
// consecutive. gl_LocalInvocationIndex promises no such thing.
uint thread_rank() {
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
}

#endif
