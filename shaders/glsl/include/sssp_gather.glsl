// How the arcs of a subgroup's vertices are dealt out to its lanes, an arc a lane, whatever the
// degrees: the work of 32 vertices with 3 arcs and that of one vertex with 96 is the same.
//
// The including kernel supplies
//   void relax(bool mine[WINDOWS], uint distance[WINDOWS], uvec2 arc[WINDOWS])
// which is called by the whole subgroup: for lanes where it is `mine`, `arc` leaves a vertex at that
// distance.

layout(set = 0, binding = 4, std430) readonly buffer Rows { uint at[]; } rows;
layout(set = 0, binding = 5, std430) readonly buffer Arcs { uvec2 at[]; } arcs;

// Each lane brings a vertex, by its distance and `degree` arcs from arc `begin` on. Gives the number
// of arcs.
uint gather(uint distance, uint begin, uint degree) {
    uint ends = subgroupInclusiveAdd(degree);
    uint total = subgroupShuffle(ends, SUBGROUP_SIZE - 1);
    uint shift = begin - (ends - degree);
    for (uint first = 0; first < total; first += WINDOWS * SUBGROUP_SIZE) {
        bool mine[WINDOWS];
        uint so_far[WINDOWS];
        uvec2 arc[WINDOWS];
        [[unroll]] for (uint w = 0; w < WINDOWS; ++w) {
            uint turn = first + w * SUBGROUP_SIZE + gl_SubgroupInvocationID;
            mine[w] = turn < total;
            so_far[w] = 0;
            arc[w] = uvec2(0);
            if (first + w * SUBGROUP_SIZE < total) {
                // The lane whose vertex has this arc: as many lanes as end at or before it.
                uint owner = 0;
                [[unroll]] for (uint step = SUBGROUP_SIZE / 2; step > 0; step /= 2)
                    if (subgroupShuffle(ends, owner + step - 1) <= turn) owner += step;
                uint at = subgroupShuffle(shift, owner) + turn;
                so_far[w] = subgroupShuffle(distance, owner);
                if (mine[w]) arc[w] = arcs.at[at];
            }
        }
        relax(mine, so_far, arc);
    }
    return total;
}

// Vertices with many arcs, which all subgroups of a workgroup relax together: distance, first arc,
// degree.
const uint WIDE_ROOM = 64;
shared uvec3 wide_vertices[WIDE_ROOM];

// Puts a vertex of this lane there, while there is room.
bool put_wide(uint distance, uint begin, uint degree) {
    uint place = atomicAdd(wide_count, 1);
    if (place < WIDE_ROOM) wide_vertices[place] = uvec3(distance, begin, degree);
    return place < WIDE_ROOM;
}

// Called by all threads, after a barrier.
void gather_wide() {
    const uint step = WINDOWS * SUBGROUP_SIZE;
    uint count = min(wide_count, WIDE_ROOM);
    uint turn = gl_SubgroupID;  // steps until it is this subgroup's
    for (uint v = 0; v < count; ++v) {
        uvec3 vertex = wide_vertices[v];
        uint steps = (vertex.z + step - 1) / step;
        for (; turn < steps; turn += gl_NumSubgroups) {
            bool mine[WINDOWS];
            uint so_far[WINDOWS];
            uvec2 arc[WINDOWS];
            [[unroll]] for (uint w = 0; w < WINDOWS; ++w) {
                uint i = turn * step + w * SUBGROUP_SIZE + gl_SubgroupInvocationID;
                mine[w] = i < vertex.z;
                so_far[w] = vertex.x;
                arc[w] = uvec2(0);
                if (mine[w]) arc[w] = arcs.at[vertex.y + i];
            }
            relax(mine, so_far, arc);
        }
        turn -= steps;
    }
}
