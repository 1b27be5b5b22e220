// One round of a search: the entries of a queue are taken, a few at a time by each subgroup; stale
// ones are left out, near ones expanded, and what comes nearer by that is handed on to queues.

#ifndef SSSP_ROUND_GLSL
#define SSSP_ROUND_GLSL

#include "sssp_state.glsl"
#include "sssp_stage.glsl"
#include "sssp_flush.glsl"
#include "sssp_gather.glsl"

layout(set = 0, binding = 6, std430) volatile buffer Distances { uint at[]; } distances;

// What the subgroup has done in the round; the same in all its lanes.
uint own_expansions;
uint own_relaxations;

void relax(bool mine, uint distance, uvec2 arc) {
    uint sum = mine ? sum_of(distance, arc.y) : UNREACHED;
    uint held = UNREACHED;
    // Most arcs lead to where a shorter path has been found: a load is cheaper than an atomic. Where
    // there is little to do, it only makes everybody wait for longer.
    if (mine && !round_small) held = distances.at[arc.x];
    if (mine && sum == UNREACHED) control.overflowed = 1;
    uint before = 0;
    if (mine && sum < held) before = atomicMin(distances.at[arc.x], sum);
    bool nearer = sum < before;
    bool near = nearer && sum < round_threshold;
    if (subgroupAny(near)) stage_near(near, uvec2(arc.x, sum));
    if (subgroupAny(nearer && !near)) stage_later(nearer && !near, uvec2(arc.x, sum));
}

// Leaves the vertices of the lanes that ask for it to the next round, in pieces that any subgroup
// may take. Called by the whole subgroup.
void defer(bool hub, uint vertex, uint degree) {
    uint own = hub ? (degree + push.piece - 1) / push.piece : 0;
    uint ends = subgroupInclusiveAdd(own);
    uint begin = 0;
    if (gl_SubgroupInvocationID == SUBGROUP_SIZE - 1)
        begin = atomicAdd(COUNT(round_piece_queue), ends);
    begin = subgroupShuffle(begin, SUBGROUP_SIZE - 1) + ends - own;
    for (uint p = 0; p < own; ++p) put_entry(round_piece_queue, begin + p, uvec2(vertex, p));
}

// The arcs to relax for an entry, or a piece of a vertex, that a lane may have: how many, from `begin`
// on, at which distance. Called by the whole subgroup.
uint look_at(bool held, uvec2 entry, bool piece, out uint distance, out uint begin) {
    distance = UNREACHED;
    begin = 0;
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
    }
    own_expansions += subgroupBallotBitCount(subgroupBallot(near && !piece));
    // A round over all vertices comes after something was lost, which may have been pieces.
    bool hub = degree >= push.hub_degree && !piece && !round_dense;
    if (subgroupAny(hub)) {
        defer(hub, entry.x, degree);
        if (hub) degree = 0;
    }
    return degree;
}

// Expands one entry per lane, or a piece of a vertex, by the subgroup itself.
void expand(bool held, uvec2 entry, bool piece) {
    uint distance;
    uint begin;
    uint degree = look_at(held, entry, piece, distance, begin);
    bool wide = degree >= push.wide_degree && !piece;
    if (subgroupAny(wide)) {
        if (wide) wide = put_wide(distance, begin, degree);
        if (wide) {
            atomicAdd(workgroup_relaxations, degree);
            degree = 0;
        }
    }
    own_relaxations += gather(distance, begin, degree);
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
    uint queue = round_taken_queue;
    uint begin = 0;
    for (uint b = round_more_first; b <= round_more_last; ++b) {
        if (i >= taken_ends[b - 1]) {
            queue = BUCKET + b;
            begin = taken_ends[b - 1];
        }
    }
    return entry_at(queue, i - begin);
}

// Entry `i` of the round.
uvec2 entry_of_round(uint i, out bool held) {
    held = true;
    if (!round_dense) return taken_entry(i);
    uvec2 entry = uvec2(i, distances.at[i]);
    held = entry.y != UNREACHED;
    return entry;
}

// A piece of a vertex, or a chunk of the entries that the round takes.
uvec2 take_unit(uint unit, out bool held) {
    held = false;
    if (unit < round_pieces) {
        held = gl_SubgroupInvocationID == 0;
        return held ? entry_at(round_piece_queue ^ 1, unit) : uvec2(0);
    }
    uint i = (unit - round_pieces) * round_chunk + gl_SubgroupInvocationID;
    if (gl_SubgroupInvocationID >= round_chunk || i >= round_entries) return uvec2(0);
    return entry_of_round(i, held);
}

// The work of subgroup `index` of `all`. Called by all threads.
void work_by_subgroups(uint index, uint all) {
    round_small = round_entries <= push.local_entries && round_pieces == 0;
    uint units = round_pieces + (round_entries + round_chunk - 1) / round_chunk;
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
            piece = unit < round_pieces;
            unit += all;
            hops = 0;
        }
        expand(held, entry, piece);
        locally = round_small && hops < push.local_hops && near_staged > 0 && near_staged <= SUBGROUP_SIZE;
        done = !locally && unit >= units;
    }
    barrier();
    gather_wide();
}

const uint SECTOR_ENTRIES = 4;  // that memory gives at a time

// The work of workgroup `group` of `all`. Neighbours in a queue have about as many arcs as each other,
// since an arc list has vertices in their order: they go to workgroups in turn. Called by all threads.
void work_by_workgroups(uint group, uint all) {
    round_small = false;
    uint count = round_pieces + round_entries;
    uint run = count > 4 * SECTOR_ENTRIES * all ? SECTOR_ENTRIES : 1;
    uint row = gl_LocalInvocationIndex / run;
    uint mine = (row * all + group) * run + gl_LocalInvocationIndex % run;
    for (uint first = 0; first < count; first += gl_WorkGroupSize.x * all) {
        uint i = first + mine;
        bool piece = i < round_pieces;
        bool held = piece;
        uvec2 entry = uvec2(0);
        if (piece) entry = entry_at(round_piece_queue ^ 1, i);
        else if (i < count) entry = entry_of_round(i - round_pieces, held);
        uint distance;
        uint begin;
        uint degree = look_at(held, entry, piece, distance, begin);
        own_relaxations += gather_spread(distance, begin, degree);
    }
}

// The work of workgroup `group` of `all`, from begin_round() on. Called by all threads.
void work_through(uint group, uint all) {
    round_dense = round_taken_queue == DENSE;
    own_expansions = 0;
    own_relaxations = 0;
    if (SPREAD != 0) work_by_workgroups(group, all);
    else work_by_subgroups(group * gl_NumSubgroups + gl_SubgroupID, all * gl_NumSubgroups);
    flush_workgroup(own_relaxations, own_expansions);
}

#endif
