// Decoupled look-back over terms: how a workgroup learns the total of all tiles before its own while
// they are still being computed. Terms are combined in an order that depends on timing, so that sums of
// floats have no such kernel.
//
// A tile publishes first its own total and later the one up to and including it. The state is
// carried by every word: a term travels as words of 16 bits, each with the state in its upper half, so
// that no ordering between words and no 64-bit atomics are needed, and plain volatile (and so coherent)
// loads and stores are enough. A reader that sees different states waits.
//
// Waiting is bounded: after SPIN_LIMIT looks that find nothing the subgroup combines the missing
// tile from the input itself, so that progress never depends on another workgroup being scheduled. The
// including kernel includes the file of its terms first (term.glsl or count_term.glsl), and supplies
// total_of_tile_again(), which is called by one whole subgroup and gives the same total in each of its
// lanes.
//
// Terms of segments (open_term.glsl) have words of their own, in which the state takes two bits.
//
// Workgroups take tiles by tickets, in the order in which they begin, or by their own numbers. The latter saves
// a trip to memory before the first load, and pays where a device begins workgroups in the order of their
// numbers; it is right in any case, because waiting is bounded.

#ifndef LOOKBACK_GLSL
#define LOOKBACK_GLSL

#include "constant_ids.glsl"
#include "groups.glsl"

layout(constant_id = SPIN_LIMIT_ID) const uint SPIN_LIMIT = 1024;
layout(constant_id = TICKETS_ID) const uint TICKETS = 1;

const uint STATE_OWN = 1;     // the tile's own total
const uint STATE_PREFIX = 2;  // the total up to and including the tile

#ifdef OPEN_TERM_GLSL

#define TILE_TERM Open
#define PUBLISHED uvec4
const uint STATE_SHIFT = 30;

PUBLISHED to_published(uint state, TILE_TERM total) {
    return in_30_bits(total) | (state << STATE_SHIFT);
}

TILE_TERM published(PUBLISHED words) {
    return from_30_bits(words & ((1u << STATE_SHIFT) - 1));
}

TILE_TERM no_tiles() {
    return nothing_open();
}

#else

#define TILE_TERM TERM
// Half words of a term.
#if TERM_WORDS == 2
#define PUBLISHED uvec4
#else
#define PUBLISHED uvec2
#endif
const uint STATE_SHIFT = 16;

PUBLISHED to_published(uint state, TILE_TERM total) {
    WORDS words = to_words(total);
    return PUBLISHED(words & 0xFFFFu, words >> 16) | (state << STATE_SHIFT);
}

TILE_TERM published(PUBLISHED halves) {
#if TERM_WORDS == 2
    return from_words((halves.xy & 0xFFFFu) | (halves.zw << 16));
#else
    return from_words((halves.x & 0xFFFFu) | (halves.y << 16));
#endif
}

TILE_TERM no_tiles() {
    return IDENTITY;
}

// Of the tiles that the lanes have, the nearest first.
TILE_TERM combine_tiles(TILE_TERM x) {
    return last_lane(combine_lanes(x));
}

#endif

TILE_TERM total_of_tile_again(uint tile);

layout(set = 0, binding = LOOKBACK_BINDING, std430) volatile buffer Status {
    uint ticket;  // the next tile, where tiles are taken by tickets
#if defined(OPEN_TERM_GLSL) || TERM_WORDS == 2
    uint pad[3];
#else
    uint pad;
#endif
    PUBLISHED at[];
} status;

shared uint taken_tile;
shared TILE_TERM shared_before;

// The tile of this workgroup. `first` is the number of the dispatch's first one. Called by all threads.
uint take_tile(uint first) {
    if (TICKETS == 0) return first + group_index();
    if (thread_rank() == 0) taken_tile = atomicAdd(status.ticket, 1);
    barrier();
    return taken_tile;
}

void publish(uint tile, uint state, TILE_TERM total) {
    status.at[tile] = to_published(state, total);
}

// The total of the tiles before `tile`. Called by one whole subgroup; the same in every lane.
TILE_TERM look_back(uint tile) {
    TILE_TERM total = no_tiles();
    uint end = tile;  // tiles below this are still to be combined
    uint spins = 0;
    bool done = tile == 0;
    while (!done) {
        uint lane = gl_SubgroupInvocationID;
        PUBLISHED words = to_published(STATE_PREFIX, no_tiles());
        if (lane < end) words = status.at[end - 1 - lane];
        PUBLISHED states = words >> STATE_SHIFT;
        uint state = states == PUBLISHED(states.x) ? states.x : 0;
        TILE_TERM value = no_tiles();
        // Totals are combined up to the first tile that has none: a prefix, which is the last one,
        // or a tile that is missing.
        uvec4 others = subgroupBallot(state != STATE_OWN);
        uint sums = others == uvec4(0) ? gl_SubgroupSize : subgroupBallotFindLSB(others);
        uvec4 prefixes = subgroupBallot(state == STATE_PREFIX && lane == sums);
        done = prefixes != uvec4(0);
        if (lane < sums || (done && lane == sums)) value = published(words);
        total = combine(combine_tiles(value), total);
        if (!done) {
            end -= sums;
            spins = sums == 0 ? spins + 1 : 0;
            if (spins > SPIN_LIMIT) {
                end -= 1;
                TILE_TERM again = total_of_tile_again(end);
                total = combine(again, total);
                spins = 0;
#ifdef ENDS_AT_HEADS
                done = again.heads > 0;
#endif
            }
        }
    }
    return total;
}

// Publishes the tile's own total. The sooner the better: all later tiles wait for it, and for nothing else that
// this workgroup still has to do. Called by all threads.
void announce(uint tile, TILE_TERM here) {
    if (thread_rank() == 0 && tile > 0) publish(tile, STATE_OWN, here);
}

// The total of the tiles before `tile`, whose own total, `here`, was announced. Called by all threads, once.
TILE_TERM before_tile(uint tile, TILE_TERM here) {
    if (gl_SubgroupID == 0) {
        TILE_TERM before = look_back(tile);
        if (subgroupElect()) {
            publish(tile, STATE_PREFIX, combine(before, here));
            shared_before = before;
        }
    }
    barrier();
    return shared_before;
}

#endif
