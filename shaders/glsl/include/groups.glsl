// Provides linear indices of workgroups and threads.

#ifndef GROUPS_GLSL
#define GROUPS_GLSL

// Returns the linear index of this workgroup. Dispatches that exceed maxComputeWorkGroupCount[0] are folded into
// y, which may add workgroups at the end: callers must compare the index with their workgroup count.
uint group_index() {
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

// Returns the index of this workgroup in reverse order, among `count` workgroups. If two consecutive passes read the
// same data, one of them reads it in reverse order, so that the second one starts with data that is still in the cache.
uint group_index_from_end(uint count) {
    return count - 1 - group_index();
}

// Returns the position of this thread in the workgroup, with consecutive numbers for consecutive lanes of a
// subgroup. gl_LocalInvocationIndex does not guarantee that.
uint thread_rank() {
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
}

#endif
