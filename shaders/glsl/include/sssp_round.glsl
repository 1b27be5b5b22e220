// One round of a search: the entries of a queue are taken, a few at a time by each subgroup; stale
// ones are dropped, near ones expanded, and what comes nearer by that is handed on to queues.

layout(set = 0, binding = 6, std430) volatile buffer Distances { uint at[]; } distances;

// The same in all lanes.
bool round_dense;
bool round_small;
uint expansions;
uint relaxations;

// All loads are on their way before the first one is waited for, and so are all atomics.
void relax(bool mine[WINDOWS], uint distance[WINDOWS], uvec2 arc[WINDOWS]) {
    uint sum[WINDOWS];
    uint held[WINDOWS];
    uint before[WINDOWS];
    [[unroll]] for (uint w = 0; w < WINDOWS; ++w) {
        sum[w] = mine[w] ? sum_of(distance[w], arc[w].y) : UNREACHED;
        held[w] = UNREACHED;
        // Most arcs lead to where a shorter path has been found: a load is cheaper than an atomic.
        // Where there is little to do, it only makes everybody wait for longer.
        if (mine[w] && !round_small) held[w] = distances.at[arc[w].x];
    }
    [[unroll]] for (uint w = 0; w < WINDOWS; ++w) {
        if (mine[w] && sum[w] == UNREACHED) control.overflowed = 1;
        before[w] = 0;
        if (mine[w] && sum[w] < held[w]) before[w] = atomicMin(distances.at[arc[w].x], sum[w]);
    }
    [[unroll]] for (uint w = 0; w < WINDOWS; ++w) {
        bool nearer = sum[w] < before[w];
        bool near = nearer && sum[w] < round_threshold;
        if (subgroupAny(near)) stage_near(near, uvec2(arc[w].x, sum[w]));
        if (subgroupAny(nearer && !near)) stage_later(nearer && !near, uvec2(arc[w].x, sum[w]));
    }
}

// Leaves the vertices of the lanes that ask for it to the next round, in pieces that any subgroup
// may take. Called by the whole subgroup.
void defer(bool hub, uint vertex, uint degree) {
    uint own = hub ? (degree + push.piece - 1) / push.piece : 0;
    uint ends = subgroupInclusiveAdd(own);
    uint begin = 0;
    if (gl_SubgroupInvocationID == SUBGROUP_SIZE - 1)
        begin = atomicAdd(COUNT(piece_queue), ends);
    begin = subgroupShuffle(begin, SUBGROUP_SIZE - 1) + ends - own;
    for (uint p = 0; p < own; ++p) put_entry(piece_queue, begin + p, uvec2(vertex, p));
}

// Expands an entry a lane; or one piece of a vertex, which one lane holds.
void expand(bool held, uvec2 entry, bool piece) {
    uint distance = UNREACHED;
    uint begin = 0;
    uint degree = 0;
    // All at once, whether it is fresh or not: one wait instead of two.
    if (held) {
        distance = distances.at[entry.x];
        begin = rows.at[entry.x];
        degree = rows.at[entry.x + 1] - begin;
    }
    bool fresh = held && (piece || distance == entry.y);
    bool near = fresh && distance < round_threshold;
    if (subgroupAny(fresh && !near)) stage_later(fresh && !near, uvec2(entry.x, distance));
    if (!near) degree = 0;
    if (piece) {
        uint before = min(entry.y * push.piece, degree);
        begin += before;
        degree = min(push.piece, degree - before);
    } else {
        expansions += subgroupBallotBitCount(subgroupBallot(near));
        // A round over all vertices comes after something was lost, which may have been pieces.
        bool hub = degree >= push.hub_degree && !round_dense;
        if (subgroupAny(hub)) {
            defer(hub, entry.x, degree);
            if (hub) degree = 0;
        }
        bool wide = degree >= push.wide_degree;
        if (subgroupAny(wide)) {
            if (wide) wide = put_wide(distance, begin, degree);
            relaxations += subgroupAdd(wide ? degree : 0);
            if (wide) degree = 0;
        }
    }
    relaxations += gather(distance, begin, degree);
}

// What the subgroup found itself. Going on with that, while it is little, saves rounds: in networks
// of long ways a round costs far more than the few arcs it relaxes.
uvec2 take_staged(out bool held) {
    subgroup_sync();
    held = gl_SubgroupInvocationID < near_staged;
    uvec2 entry = held ? staged[near_area() + gl_SubgroupInvocationID] : uvec2(0);
    near_staged = 0;
    subgroup_sync();
    return entry;
}

// An entry that the round takes: of the queue itself, or of the buckets that are taken with it.
uvec2 taken_entry(uint i) {
    uint queue = taken_queue;
    uint begin = 0;
    for (uint b = more_first; b <= more_last; ++b) {
        if (i >= taken_ends[b - 1]) {
            queue = BUCKET + b;
            begin = taken_ends[b - 1];
        }
    }
    return entry_at(queue, i - begin);
}

// A piece of a vertex, or a chunk of the entries that the round takes.
uvec2 take_unit(uint unit, out bool held) {
    if (unit < pieces) {
        held = gl_SubgroupInvocationID == 0;
        return held ? entry_at(piece_queue ^ 1, unit) : uvec2(0);
    }
    uint i = (unit - pieces) * chunk + gl_SubgroupInvocationID;
    held = gl_SubgroupInvocationID < chunk && i < entries;
    if (!held) return uvec2(0);
    if (!round_dense) return taken_entry(i);
    uvec2 entry = uvec2(i, distances.at[i]);
    held = entry.y != UNREACHED;
    return entry;
}

// The work of subgroup `index` of `all`, from begin_round() on. Called by all threads.
void work_through(uint index, uint all) {
    round_dense = taken_queue == DENSE;
    round_small = entries <= push.local_entries && pieces == 0;
    expansions = 0;
    relaxations = 0;
    uint units = pieces + (entries + chunk - 1) / chunk;
    uint unit = index;
    uint hops = 0;
    bool locally = false;
    bool done = unit >= units;
    while (!done) {
        bool held = false;
        uvec2 entry;
        bool piece = false;
        if (locally) {
            entry = take_staged(held);
            ++hops;
        } else {
            entry = take_unit(unit, held);
            piece = unit < pieces;
            unit += all;
            hops = 0;
        }
        expand(held, entry, piece);
        locally = round_small && hops < push.local_hops && near_staged > 0 &&
                  near_staged <= SUBGROUP_SIZE;
        done = !locally && unit >= units;
    }
    barrier();
    gather_wide();
    hand_over(relaxations, expansions);
}
