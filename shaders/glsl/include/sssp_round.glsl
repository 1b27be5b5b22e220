// One round of a search: the entries of a queue are taken, a few at a time by each subgroup; stale
// ones are dropped, near ones expanded, and what comes nearer by that is handed on to queues.

layout(set = 0, binding = 6, std430) volatile buffer Distances { uint at[]; } distances;

// The same in all lanes.
bool round_dense;
bool round_small;
uint expansions;
uint relaxations;

void relax(bool mine, uint from, uint distance, uvec2 arc) {
    uint sum = UNREACHED;
    bool nearer = false;
    if (mine) {
        sum = sum_of(distance, arc.y);
        if (sum == UNREACHED) control.overflowed = 1;
        // Most arcs lead to where a shorter path has been found: a load is cheaper than an atomic.
        // Where there is little to do, it only makes everybody wait for longer.
        if (round_small || sum < distances.at[arc.x])
            nearer = sum < atomicMin(distances.at[arc.x], sum);
    }
    stage_entry(nearer, uvec2(arc.x, sum));
}

// Leaves the vertices of the lanes that ask for it to the next round, in pieces that any subgroup
// may take. Called by the whole subgroup.
void defer(bool hub, uint vertex, uint degree) {
    uint own = hub ? (degree + push.piece - 1) / push.piece : 0;
    uint ends = subgroupInclusiveAdd(own);
    uint begin = 0;
    if (gl_SubgroupInvocationID == SUBGROUP_SIZE - 1)
        begin = atomicAdd(control.counts[piece_queue], ends);
    begin = subgroupShuffle(begin, SUBGROUP_SIZE - 1) + ends - own;
    for (uint p = 0; p < own; ++p) put_entry(piece_queue, begin + p, uvec2(vertex, p));
}

// Expands an entry a lane.
void expand(bool held, uvec2 entry) {
    uint distance = UNREACHED;
    uint begin = 0;
    uint degree = 0;
    // All at once, whether it is fresh or not: one wait instead of two.
    if (held) {
        distance = distances.at[entry.x];
        begin = rows.at[entry.x];
        degree = rows.at[entry.x + 1] - begin;
    }
    bool fresh = held && distance == entry.y;
    bool near = fresh && entry.y < round_threshold;
    if (!near) degree = 0;
    if (subgroupAny(fresh && !near)) stage_entry(fresh && !near, entry);
    expansions += subgroupBallotBitCount(subgroupBallot(near));
    // A round over all vertices comes after something was lost, which may have been pieces.
    bool hub = degree >= push.hub_degree && !round_dense;
    if (subgroupAny(hub)) {
        defer(hub, entry.x, degree);
        if (hub) degree = 0;
    }
    relaxations += gather(entry.x, entry.y, begin, degree);
}

// Goes on with what the subgroup found itself, while that is little: in networks of long ways a
// round costs far more than the few arcs it relaxes.
void expand_locally() {
    uint hops = 0;
    while (hops < push.local_hops && near_staged > 0 && near_staged <= SUBGROUP_SIZE) {
        subgroup_sync();
        bool held = gl_SubgroupInvocationID < near_staged;
        uvec2 entry = held ? staged[near_area() + gl_SubgroupInvocationID] : uvec2(0);
        near_staged = 0;
        subgroup_sync();
        expand(held, entry);
        ++hops;
    }
}

void expand_piece(uvec2 entry) {
    uint begin = rows.at[entry.x] + entry.y * push.piece;
    uint degree = min(push.piece, rows.at[entry.x + 1] - begin);
    // One lane brings all the arcs; the others take their share of them.
    bool brings = gl_SubgroupInvocationID == 0;
    relaxations += gather(entry.x, distances.at[entry.x], begin, brings ? degree : 0);
}

void expand_chunk(uint first, uint end) {
    uint i = first + gl_SubgroupInvocationID;
    bool held = i < end;
    uvec2 entry = uvec2(0, UNREACHED);
    if (held) {
        if (round_dense) {
            entry = uvec2(i, distances.at[i]);
        } else {
            entry = entry_at(taken_queue, i);
        }
    }
    expand(held && entry.y != UNREACHED, entry);
}

// The work of subgroup `index` of `all`, from begin_round() on. Called by all threads.
void work_through(uint index, uint all) {
    round_dense = taken_queue == DENSE;
    round_small = entries <= push.local_entries && pieces == 0;
    expansions = 0;
    relaxations = 0;
    uint units = pieces + (entries + chunk - 1) / chunk;
    for (uint unit = index; unit < units; unit += all) {
        if (unit < pieces) {
            expand_piece(entry_at(piece_queue ^ 1, unit));
        } else {
            uint first = (unit - pieces) * chunk;
            expand_chunk(first, min(first + chunk, entries));
        }
        if (round_small) expand_locally();
    }
    hand_over(relaxations, expansions);
}
