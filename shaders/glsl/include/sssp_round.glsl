// One round of a search. Subgroups take the entries of a queue, a few at a time, drop stale entries, expand near
// ones, and put improved vertices into queues.

#ifndef SSSP_ROUND_GLSL
#define SSSP_ROUND_GLSL

#include "sssp_state.glsl"
#include "sssp_stage.glsl"
#include "sssp_flush.glsl"
#include "sssp_gather.glsl"

layout(set = 0, binding = 6, std430) volatile buffer Distances { uint at[]; } distances;

// Work done by the subgroup in this round; the same in all lanes.
uint own_expansions;
uint own_relaxations;

// Relaxes one arc in each lane in which `mine` is set, and stages vertices whose distance improved. Called by whole
// subgroups.
void relax(bool mine, uint distance, uvec2 arc) {
    uint sum = mine ? sum_of(distance, arc.y) : UNREACHED;
    uint held = UNREACHED;
    // Most arcs lead to vertices that already have a shorter path, and a load is cheaper than an atomic. In small
    // rounds, the load would only add latency.
    if (mine && !round_small) held = distances.at[arc.x];
    if (mine && sum == UNREACHED) control.overflowed = 1;
    uint before = 0;
    if (mine && sum < held) before = atomicMin(distances.at[arc.x], sum);
    bool nearer = sum < before;
    bool near = nearer && sum < round_threshold;
    if (subgroupAny(near)) stage_near(near, uvec2(arc.x, sum));
    if (subgroupAny(nearer && !near)) stage_later(nearer && !near, uvec2(arc.x, sum));
}

// Defers vertices with very many arcs (`hub`) to the next round, as pieces that any subgroup may take. Called by
// whole subgroups.
void defer(bool hub, uint vertex, uint degree) {
    uint own = hub ? (degree + push.piece - 1) / push.piece : 0;
    uint ends = subgroupInclusiveAdd(own);
    uint begin = 0;
    if (gl_SubgroupInvocationID == SUBGROUP_SIZE - 1)
        begin = atomicAdd(COUNT(round_piece_queue), ends);
    begin = subgroupShuffle(begin, SUBGROUP_SIZE - 1) + ends - own;
    for (uint p = 0; p < own; ++p) put_entry(round_piece_queue, begin + p, uvec2(vertex, p));
}

// Examines one entry, or one piece of a vertex, per lane. Returns the number of arcs to relax, and their start and
// distance. Stages entries that are not near, and defers hubs. Called by whole subgroups.
uint look_at(bool held, uvec2 entry, bool piece, out uint distance, out uint begin) {
    distance = UNREACHED;
    begin = 0;
    uint degree = 0;
    // All loads are issued at once, even for stale entries, so that their latencies overlap.
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
    // Dense rounds do not defer. They follow a queue overflow that may have lost deferred pieces; deferring could lose
    // pieces again.
    bool hub = degree >= push.hub_degree && !piece && !round_dense;
    if (subgroupAny(hub)) {
        defer(hub, entry.x, degree);
        if (hub) degree = 0;
    }
    return degree;
}

// Expands one entry, or one piece of a vertex, per lane. Called by whole subgroups.
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

// Takes the entries that the subgroup itself staged. If there are few, the subgroup continues with them at once, which
// saves rounds: in networks with long paths, a round costs far more than the arcs it relaxes. Called by whole
// subgroups.
uvec2 take_staged(out bool held) {
    subgroup_sync();
    held = gl_SubgroupInvocationID < near_staged;
    uvec2 entry = held ? staged[near_area() + gl_SubgroupInvocationID] : uvec2(0);
    near_staged = 0;
    subgroup_sync();
    return entry;
}

// Returns entry i of the queue, or of the buckets that are taken together with it.
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

// Returns entry i of the round: of the queues, or vertex i in a dense round.
uvec2 entry_of_round(uint i, out bool held) {
    held = true;
    if (!round_dense) return taken_entry(i);
    uvec2 entry = uvec2(i, distances.at[i]);
    held = entry.y != UNREACHED;
    return entry;
}

// Returns this lane's entry of a unit of work: a piece of a vertex, or a chunk of entries.
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

// Does the work of one subgroup: share `index` of `all` shares of the round. Called by all threads; contains a barrier.
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

const uint SECTOR_ENTRIES = 4;  // entries per memory sector

// Does the work of one workgroup: share `group` of `all` shares of the round. Adjacent entries of a queue have similar
// degrees, because they come from adjacent arcs; they are therefore distributed over the workgroups in turn. Called by
// all threads.
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

// Does the work of one workgroup, share `group` of `all` shares of the round, and flushes the staged entries. Called by
// all threads, after begin_round().
void work_through(uint group, uint all) {
    round_dense = round_taken_queue == DENSE;
    own_expansions = 0;
    own_relaxations = 0;
    if (SPREAD != 0) work_by_workgroups(group, all);
    else work_by_subgroups(group * gl_NumSubgroups + gl_SubgroupID, all * gl_NumSubgroups);
    flush_workgroup(own_relaxations, own_expansions);
}

#endif
