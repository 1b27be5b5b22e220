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
struct Figures {
    uint expansions;
    uint relaxations;
};
Figures done_here;

void relax(bool mine, uint distance, uvec2 arc) {
    uint sum = mine ? sum_of(distance, arc.y) : UNREACHED;
    uint held = UNREACHED;
    // (Members in conditions are loaded before: a compiler of GLSL makes branches of others.)
    bool small = this_round.small;
    uint threshold = this_round.threshold;
    // Most arcs lead to where a shorter path has been found: a load is cheaper than an atomic. Where
    // there is little to do, it only makes everybody wait for longer.
    if (mine && !small) held = distances.at[arc.x];
    if (mine && sum == UNREACHED) control.overflowed = 1;
    uint before = 0;
    if (mine && sum < held) before = atomicMin(distances.at[arc.x], sum);
    bool nearer = sum < before;
    bool near = nearer && sum < threshold;
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
        begin = atomicAdd(COUNT(this_round.piece_queue), ends);
    begin = subgroupShuffle(begin, SUBGROUP_SIZE - 1) + ends - own;
    for (uint p = 0; p < own; ++p) put_entry(this_round.piece_queue, begin + p, uvec2(vertex, p));
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
    uint threshold = this_round.threshold;
    bool near = fresh && distance < threshold;
    if (subgroupAny(fresh && !near)) stage_later(fresh && !near, uvec2(entry.x, distance));
    if (!near) degree = 0;
    if (piece) {
        uint before = min(entry.y * push.piece, degree);
        begin += before;
        degree = min(push.piece, degree - before);
    }
    done_here.expansions += subgroupBallotBitCount(subgroupBallot(near && !piece));
    // A round over all vertices comes after something was lost, which may have been pieces.
    bool dense = this_round.dense;
    bool hub = degree >= push.hub_degree && !piece && !dense;
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
        done_here.relaxations += sum_over_lanes(wide ? degree : 0);
        if (wide) degree = 0;
    }
    done_here.relaxations += gather(distance, begin, degree);
}

// What the subgroup found itself. Going on with that, while it is little, saves rounds: in networks
// of long ways a round costs far more than the few arcs it relaxes.
uvec2 take_staged(out bool held) {
    subgroup_sync();
    held = gl_SubgroupInvocationID < staging.near;
    uvec2 entry = held ? staged[near_area() + gl_SubgroupInvocationID] : uvec2(0);
    staging.near = 0;
    subgroup_sync();
    return entry;
}

// An entry that the round takes: of the queue itself, or of the buckets that are taken with it.
uvec2 taken_entry(uint i) {
    uint queue = this_round.taken_queue;
    uint begin = 0;
    for (uint b = this_round.more_first; b <= this_round.more_last; ++b) {
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
    if (!this_round.dense) return taken_entry(i);
    uvec2 entry = uvec2(i, distances.at[i]);
    held = entry.y != UNREACHED;
    return entry;
}

// A piece of a vertex, or a chunk of the entries that the round takes.
uvec2 take_unit(uint unit, out bool held) {
    held = false;
    if (unit < this_round.pieces) {
        held = gl_SubgroupInvocationID == 0;
        return held ? entry_at(this_round.piece_queue ^ 1, unit) : uvec2(0);
    }
    uint i = (unit - this_round.pieces) * this_round.chunk + gl_SubgroupInvocationID;
    uint entries = this_round.entries;
    if (gl_SubgroupInvocationID >= this_round.chunk || i >= entries) return uvec2(0);
    return entry_of_round(i, held);
}

// The work of subgroup `index` of `all`. Called by all threads.
void work_by_subgroups(uint index, uint all) {
    uint pieces = this_round.pieces;
    this_round.small = this_round.entries <= push.local_entries && pieces == 0;
    uint units = pieces + (this_round.entries + this_round.chunk - 1) / this_round.chunk;
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
        uint near = staging.near;
        locally = this_round.small && hops < push.local_hops && near > 0 && near <= SUBGROUP_SIZE;
        done = !locally && unit >= units;
    }
    barrier();
    gather_wide();
}

const uint SECTOR_ENTRIES = 4;  // that memory gives at a time

// The work of workgroup `group` of `all`. Neighbours in a queue have about as many arcs as each other,
// since an arc list has vertices in their order: they go to workgroups in turn. Called by all threads.
void work_by_workgroups(uint group, uint all) {
    this_round.small = false;
    uint pieces = this_round.pieces;
    uint count = pieces + this_round.entries;
    uint run = count > 4 * SECTOR_ENTRIES * all ? SECTOR_ENTRIES : 1;
    uint row = gl_LocalInvocationIndex / run;
    uint mine = (row * all + group) * run + gl_LocalInvocationIndex % run;
    for (uint first = 0; first < count; first += gl_WorkGroupSize.x * all) {
        uint i = first + mine;
        bool piece = i < pieces;
        bool held = piece;
        uvec2 entry = uvec2(0);
        if (piece) entry = entry_at(this_round.piece_queue ^ 1, i);
        else if (i < count) entry = entry_of_round(i - pieces, held);
        uint distance;
        uint begin;
        uint degree = look_at(held, entry, piece, distance, begin);
        done_here.relaxations += gather_spread(distance, begin, degree);
    }
}

// The work of workgroup `group` of `all`, from begin_round() on. Called by all threads.
void work_through(uint group, uint all) {
    this_round.dense = this_round.taken_queue == DENSE;
    done_here.expansions = 0;
    done_here.relaxations = 0;
    if (SPREAD != 0) work_by_workgroups(group, all);
    else work_by_subgroups(group * gl_NumSubgroups + gl_SubgroupID, all * gl_NumSubgroups);
    flush_workgroup(done_here.relaxations, done_here.expansions);
}

#endif
