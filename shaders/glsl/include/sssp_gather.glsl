// How the arcs of a subgroup's vertices are dealt out to its lanes, an arc a lane, whatever the
// degrees: the work of 32 vertices with 3 arcs and that of one vertex with 96 is the same.
//
// The including kernel supplies
//   void relax(bool mine, uint from, uint distance, uvec2 arc)
// which is called by the whole subgroup: for lanes where it is `mine`, `arc` leaves vertex `from`.

layout(set = 0, binding = 4, std430) readonly buffer Rows { uint at[]; } rows;
layout(set = 0, binding = 5, std430) readonly buffer Arcs { uvec2 at[]; } arcs;

// Each lane brings a vertex, its distance, and `degree` arcs from arc `begin` on. Gives the number
// of arcs.
uint gather(uint vertex, uint distance, uint begin, uint degree) {
    uint ends = subgroupInclusiveAdd(degree);
    uint total = subgroupShuffle(ends, SUBGROUP_SIZE - 1);
    uint shift = begin - (ends - degree);
    for (uint first = 0; first < total; first += SUBGROUP_SIZE) {
        uint turn = first + gl_SubgroupInvocationID;
        // The lane whose vertex has this arc: as many lanes as end at or before it.
        uint owner = 0;
        [[unroll]] for (uint step = SUBGROUP_SIZE / 2; step > 0; step /= 2)
            if (subgroupShuffle(ends, owner + step - 1) <= turn) owner += step;
        uint at = subgroupShuffle(shift, owner) + turn;
        uint from = subgroupShuffle(vertex, owner);
        uint so_far = subgroupShuffle(distance, owner);
        bool mine = turn < total;
        relax(mine, from, so_far, mine ? arcs.at[at] : uvec2(0));
    }
    return total;
}
