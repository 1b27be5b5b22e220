#version 460
// After a search: processes one arc per thread. If PARENTS, finds the predecessors of reached vertices (the
// shortest-path tree). Also counts the arcs of reached vertices, and detects whether there are vertices that are
// reachable only by paths whose length exceeds the largest distance.
//
// The tree has no cycles: the predecessor of a vertex is a nearer vertex, or, if no shortest path comes from one, a
// vertex at the same distance that is the source or already has a predecessor. The second case is repeated until it
// changes nothing more.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = PARENTS_ID) const uint PARENTS = 1;  // whether predecessors are requested

#include "groups.glsl"
#include "sssp_sum.glsl"

layout(push_constant) uniform Push {
    uint vertices;
    uint arcs;
    uint settle;  // 0: find predecessors that are nearer; 1: predecessors at the same distance
} push;

layout(set = 0, binding = 0, std430) readonly buffer Rows { uint at[]; } rows;
layout(set = 0, binding = 1, std430) readonly buffer Arcs { uvec2 at[]; } arcs;
layout(set = 0, binding = 2, std430) readonly buffer Distances { uint at[]; } distances;
layout(set = 0, binding = 3, std430) readonly buffer Request { uint source; } request;
layout(set = 0, binding = 4, std430) volatile buffer Parents { uint at[]; } parents;
layout(set = 0, binding = 5, std430) volatile buffer Found {
    uint changed;   // whether this dispatch found a predecessor at the same distance
    uint too_late;  // lowest unreached head of an arc from a reached vertex: its path exceeds the largest distance
    uint arcs_low;  // arcs of reached vertices
    uint arcs_high;
} found;

// Returns the tail of an arc: the last vertex whose arcs begin at or before it.
uint owner_of(uint arc) {
    uint low = 0;
    uint high = push.vertices;
    while (high - low > 1) {
        uint middle = low + (high - low) / 2;
        if (rows.at[middle] <= arc) low = middle;
        else high = middle;
    }
    return low;
}

// Processes an arc from a reached vertex `from`. Makes `from` the predecessor of the arc's head if the arc ends a
// shortest path to it. Records an unreached head in `too_late` if the path over the arc exceeds the largest distance.
void look_at(uint from, uint distance, uvec2 arc) {
    uint sum = sum_of(distance, arc.y);
    uint held = distances.at[arc.x];
    if (sum == UNREACHED && held == UNREACHED) atomicMin(found.too_late, arc.x);
    if (PARENTS == 0 || sum != held || sum == UNREACHED || arc.x == request.source) return;
    if (push.settle == 0) {
        if (distance < held) atomicMin(parents.at[arc.x], from);
    } else if (distance == held && parents.at[arc.x] == UNREACHED) {
        bool settled = from == request.source || parents.at[from] != UNREACHED;
        if (settled && atomicCompSwap(parents.at[arc.x], UNREACHED, from) == UNREACHED)
            found.changed = 1;
    }
}

void main() {
    uint arc = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    bool reached = false;
    if (arc < push.arcs) {
        uint from = owner_of(arc);
        uint distance = distances.at[from];
        reached = distance != UNREACHED;
        if (reached) look_at(from, distance, arcs.at[arc]);
    }
    uint count = subgroupAdd(reached ? 1 : 0);
    if (push.settle == 0 && subgroupElect() && count > 0) {
        uint before = atomicAdd(found.arcs_low, count);
        if (before + count < before) atomicAdd(found.arcs_high, 1);
    }
}
