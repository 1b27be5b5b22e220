// Distributes the arcs of vertices over lanes, one arc per lane, independent of the degrees: 32 vertices with 3
// arcs take as long as one vertex with 96.
//
// Needs relax(), which is called by whole subgroups. In lanes in which `mine` is set, `arc` is an arc of a vertex at
// distance `distance`. Gives gather(), gather_spread(), put_wide() and gather_wide().

#ifndef SSSP_GATHER_GLSL
#define SSSP_GATHER_GLSL

#include "sssp_state.glsl"
#include "sssp_stage.glsl"
#define MIN_LANES SUBGROUP_SIZE
#include "subgroup_sums.glsl"

void relax(const Round round, inout Subgroup own, bool mine, uint distance, uvec2 arc);

layout(set = 0, binding = 4, std430) readonly buffer Rows { uint at[]; } rows;
layout(set = 0, binding = 5, std430) readonly buffer Arcs { uvec2 at[]; } arcs;

// Relaxes the arcs of one vertex per lane, given its distance and `degree` arcs from `begin` on. Returns the
// number of arcs of all lanes. Called by whole subgroups.
uint gather(const Round round, inout Subgroup own, uint distance, uint begin, uint degree) {
    uint ends = subgroupInclusiveAdd(degree);
    uint total = subgroupShuffle(ends, SUBGROUP_SIZE - 1);
    uint shift = begin - (ends - degree);
    for (uint first = 0; first < total; first += SUBGROUP_SIZE) {
        uint turn = first + gl_SubgroupInvocationID;
        bool mine = turn < total;
        // The index of the lane whose vertex has this arc is the number of vertices whose arcs end at or before the
        // arc.
        uint owner = 0;
        [[unroll]] for (uint step = SUBGROUP_SIZE / 2; step > 0; step /= 2)
            if (subgroupShuffle(ends, owner + step - 1) <= turn) owner += step;
        uint at = subgroupShuffle(shift, owner) + turn;
        uint so_far = subgroupShuffle(distance, owner);
        uvec2 arc = uvec2(0);
        if (mine) arc = arcs.at[at];
        relax(round, own, mine, so_far, arc);
    }
    return total;
}

// The vertices of a workgroup, one per thread: the end of their arcs in the combined list, the offset from that
// list to `arcs`, and their distances.
const uint MAX_SPREAD = 2048;  // maximum workgroup size
const uint SPREAD_ROOM = SPREAD != 0 ? gl_WorkGroupSize.x : 1;
shared uint spread_ends[SPREAD_ROOM];
shared uint spread_shifts[SPREAD_ROOM];
shared uint spread_distances[SPREAD_ROOM];

// Returns the index of the vertex that has arc `turn` of the combined list, which is the number of vertices whose arcs
// end at or before the arc.
uint spread_owner(uint turn) {
    uint owner = 0;
    [[unroll]] for (uint step = MAX_SPREAD / 2; step > 0; step /= 2) {
        uint next = owner + step;
        if (next < gl_WorkGroupSize.x && spread_ends[next - 1] <= turn) owner = next;
    }
    return owner;
}

// Like gather(), with all subgroups of the workgroup: subgroups with few arcs help the others. Called by all
// threads. Returns the number of arcs of this subgroup's vertices.
uint gather_spread(const Round round, inout Subgroup own, uint distance, uint begin, uint degree) {
    uint ends = subgroupInclusiveAdd(degree);
    uint own_arcs = subgroupShuffle(ends, SUBGROUP_SIZE - 1);
    uint total;
    ends += sum_of_earlier_subgroups(own_arcs, total);
    uint place = gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID;
    spread_ends[place] = ends;
    spread_shifts[place] = begin - (ends - degree);
    spread_distances[place] = distance;
    barrier();
    for (uint first = gl_SubgroupID * SUBGROUP_SIZE; first < total; first += gl_WorkGroupSize.x) {
        uint turn = first + gl_SubgroupInvocationID;
        bool mine = turn < total;
        uint owner = spread_owner(turn);
        uvec2 arc = uvec2(0);
        if (mine) arc = arcs.at[spread_shifts[owner] + turn];
        relax(round, own, mine, spread_distances[owner], arc);
    }
    // The next call overwrites the shared arrays only after a barrier, in sum_of_earlier_subgroups().
    return own_arcs;
}

// Vertices with many arcs, relaxed by all subgroups of the workgroup together: distance, first arc, degree.
const uint WIDE_ROOM = 64;
shared uvec3 wide_vertices[WIDE_ROOM];

// Adds a vertex of this lane to the list. Returns false if the list is full.
bool put_wide(uint distance, uint begin, uint degree) {
    uint place = atomicAdd(wide_count, 1);
    if (place < WIDE_ROOM) wide_vertices[place] = uvec3(distance, begin, degree);
    return place < WIDE_ROOM;
}

// Relaxes the arcs of all wide vertices. Called by all threads, after a barrier.
void gather_wide(const Round round, inout Subgroup own) {
    uint count = min(wide_count, WIDE_ROOM);
    uint turn = gl_SubgroupID;  // steps until this subgroup's turn
    for (uint v = 0; v < count; ++v) {
        uvec3 vertex = wide_vertices[v];
        uint steps = (vertex.z + SUBGROUP_SIZE - 1) / SUBGROUP_SIZE;
        for (; turn < steps; turn += gl_NumSubgroups) {
            uint i = turn * SUBGROUP_SIZE + gl_SubgroupInvocationID;
            bool mine = i < vertex.z;
            uvec2 arc = uvec2(0);
            if (mine) arc = arcs.at[vertex.y + i];
            relax(round, own, mine, vertex.x, arc);
        }
        turn -= steps;
    }
}

#endif
