// One round of a search. Subgroups (with SPREAD: workgroups) take queue entries, drop stale ones, expand near ones,
// and put improved vertices into queues. docs/kernels.md, "SSSP round", has the data flow, invariants and barriers.
//
// Gives work_through(), and what sssp_flush.glsl gives.

#ifndef SSSP_ROUND_GLSL
#define SSSP_ROUND_GLSL

#include "sssp_state.glsl"
#include "sssp_stage.glsl"
#include "sssp_flush.glsl"
#include "sssp_gather.glsl"

layout(set = 0, binding = 6, std430) volatile buffer Distances { uint at[]; } distances;

// Relaxes one arc in each lane in which `mine` is set, and stages vertices whose distance improved. Called by whole
// subgroups.
void relax(const Round round, inout Subgroup own, bool mine, uint distance, uvec2 arc) {
    bool small = round.small;
    uint threshold = round.threshold;
    uint sum = mine ? sum_of(distance, arc.y) : UNREACHED;
    uint held = UNREACHED;
    // Most arcs lead to vertices that already have a shorter path, and a load is cheaper than an atomic. In small
    // rounds, the load would only add latency.
    if (mine && !small) held = distances.at[arc.x];
    if (mine && sum == UNREACHED) control.overflowed = 1;
    uint before = 0;
    if (mine && sum < held) before = atomicMin(distances.at[arc.x], sum);
    bool nearer = sum < before;
    bool near = nearer && sum < threshold;
    if (subgroupAny(near)) stage_near(round, own, near, uvec2(arc.x, sum));
    if (subgroupAny(nearer && !near)) stage_later(round, own, nearer && !near, uvec2(arc.x, sum));
}

// Defers vertices with very many arcs (`hub`) to the next round, as pieces that any subgroup may take. Called by
// whole subgroups.
void defer(const Round round, bool hub, uint vertex, uint degree) {
    uint pieces = hub ? (degree + push.piece - 1) / push.piece : 0;
    uint ends = subgroupInclusiveAdd(pieces);
    uint begin = 0;
    if (gl_SubgroupInvocationID == SUBGROUP_SIZE - 1)
        begin = atomicAdd(COUNT(round.piece_queue), ends);
    begin = subgroupShuffle(begin, SUBGROUP_SIZE - 1) + ends - pieces;
    for (uint p = 0; p < pieces; ++p) put_entry(round.piece_queue, begin + p, uvec2(vertex, p));
}

// Examines one entry, or one piece of a vertex, per lane. Returns the number of arcs to relax, the first of them
// (`begin`) and the vertex's distance. Stages entries that are not near, and defers hubs. Called by whole subgroups.
uint look_at(const Round round, inout Subgroup own, bool held, uvec2 entry, bool piece, out uint distance,
             out uint begin) {
    uint threshold = round.threshold;
    bool dense = round.dense;
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
    bool near = fresh && distance < threshold;
    if (subgroupAny(fresh && !near)) stage_later(round, own, fresh && !near, uvec2(entry.x, distance));
    if (!near) degree = 0;
    if (piece) {
        uint before = min(entry.y * push.piece, degree);
        begin += before;
        degree = min(push.piece, degree - before);
    }
    own.expansions += subgroupBallotBitCount(subgroupBallot(near && !piece));
    // Dense rounds do not defer. They follow a queue overflow that may have lost deferred pieces; deferring could lose
    // pieces again.
    bool hub = degree >= push.hub_degree && !piece && !dense;
    if (subgroupAny(hub)) {
        defer(round, hub, entry.x, degree);
        if (hub) degree = 0;
    }
    return degree;
}

// Expands one entry, or one piece of a vertex, per lane. Called by whole subgroups.
void expand(const Round round, inout Subgroup own, bool held, uvec2 entry, bool piece) {
    uint distance;
    uint begin;
    uint degree = look_at(round, own, held, entry, piece, distance, begin);
    bool wide = degree >= push.wide_degree && !piece;
    if (subgroupAny(wide)) {
        if (wide) wide = put_wide(distance, begin, degree);
        if (wide) {
            atomicAdd(workgroup_relaxations, degree);
            degree = 0;
        }
    }
    own.relaxations += gather(round, own, distance, begin, degree);
}

// Takes the entries that the subgroup itself staged. If there are few, the subgroup continues with them at once, which
// saves rounds: in networks with long paths, a round costs far more than the arcs it relaxes. Called by whole
// subgroups.
uvec2 take_staged(inout Subgroup own, out bool held) {
    subgroup_sync();
    held = gl_SubgroupInvocationID < own.near;
    uvec2 entry = held ? staged[near_area() + gl_SubgroupInvocationID] : uvec2(0);
    own.near = 0;
    subgroup_sync();
    return entry;
}

// Returns entry i of the round's input: the entries of `taken_queue`, followed by those of buckets `more_first` to
// `more_last`.
uvec2 taken_entry(const Round round, uint i) {
    uint queue = round.taken_queue;
    uint begin = 0;
    for (uint b = round.more_first; b <= round.more_last; ++b) {
        if (i >= taken_ends[b - 1]) {
            queue = BUCKET + b;
            begin = taken_ends[b - 1];
        }
    }
    return entry_at(queue, i - begin);
}

// Returns entry i of the round: of the queues, or vertex i in a dense round.
uvec2 entry_of_round(const Round round, uint i, out bool held) {
    held = true;
    if (!round.dense) return taken_entry(round, i);
    uvec2 entry = uvec2(i, distances.at[i]);
    held = entry.y != UNREACHED;
    return entry;
}

// Returns this lane's entry of a unit of work: a piece of a vertex, or a chunk of entries.
uvec2 take_unit(const Round round, uint unit, out bool held) {
    uint entries = round.entries;
    held = false;
    if (unit < round.pieces) {
        held = gl_SubgroupInvocationID == 0;
        return held ? entry_at(round.piece_queue ^ 1, unit) : uvec2(0);
    }
    uint i = (unit - round.pieces) * round.chunk + gl_SubgroupInvocationID;
    if (gl_SubgroupInvocationID >= round.chunk || i >= entries) return uvec2(0);
    return entry_of_round(round, i, held);
}

// Does the work of one subgroup: share `index` of `all` shares of the round. Called by all threads; contains a barrier.
void work_by_subgroups(const Round round, inout Subgroup own, uint index, uint all) {
    uint pieces = round.pieces;
    bool small = round.small;
    uint units = pieces + (round.entries + round.chunk - 1) / round.chunk;
    uint unit = index;
    uint hops = 0;
    bool locally = false;
    bool done = unit >= units;
    while (!done) {
        bool held = false;
        uvec2 entry;
        bool piece = false;
        if (locally) {
            entry = take_staged(own, held);
            ++hops;
        } else {
            entry = take_unit(round, unit, held);
            piece = unit < pieces;
            unit += all;
            hops = 0;
        }
        expand(round, own, held, entry, piece);
        uint near = own.near;
        locally = small && hops < push.local_hops && near > 0 && near <= SUBGROUP_SIZE;
        done = !locally && unit >= units;
    }
    barrier();
    gather_wide(round, own);
}

const uint SECTOR_ENTRIES = 4;  // entries per memory sector

// Does the work of one workgroup: share `group` of `all` shares of the round. Adjacent entries of a queue have similar
// degrees, because they come from adjacent arcs; they are therefore distributed over the workgroups in turn. Called by
// all threads.
void work_by_workgroups(const Round round, inout Subgroup own, uint group, uint all) {
    uint pieces = round.pieces;
    uint count = pieces + round.entries;
    uint run = count > 4 * SECTOR_ENTRIES * all ? SECTOR_ENTRIES : 1;
    uint row = gl_LocalInvocationIndex / run;
    uint mine = (row * all + group) * run + gl_LocalInvocationIndex % run;
    for (uint first = 0; first < count; first += gl_WorkGroupSize.x * all) {
        uint i = first + mine;
        bool piece = i < pieces;
        bool held = piece;
        uvec2 entry = uvec2(0);
        if (piece) entry = entry_at(round.piece_queue ^ 1, i);
        else if (i < count) entry = entry_of_round(round, i - pieces, held);
        uint distance;
        uint begin;
        uint degree = look_at(round, own, held, entry, piece, distance, begin);
        own.relaxations += gather_spread(round, own, distance, begin, degree);
    }
}

// Does the work of one workgroup, share `group` of `all` shares of the round, and flushes the staged entries. Called by
// all threads, after begin_round().
void work_through(const Round round, uint group, uint all) {
    Subgroup own = Subgroup(0, 0, 0, 0);
    if (SPREAD != 0) work_by_workgroups(round, own, group, all);
    else work_by_subgroups(round, own, group * gl_NumSubgroups + gl_SubgroupID, all * gl_NumSubgroups);
    flush_workgroup(round, own);
}

#endif
