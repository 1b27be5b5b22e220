// Decoupled look-back over terms: a workgroup obtains the combined total of all earlier tiles while these are
// still being computed. The order of combination depends on timing, so sums of floats do not use it.
//
// A tile first publishes its own total and later its inclusive prefix. A term is split into 16-bit halves, and
// each half is stored in a word with the state in the upper 16 bits. Each word is therefore valid by itself: plain
// volatile loads and stores suffice, without 64-bit atomics or an order between words. A reader that finds
// different states in the words of a tile polls again. Segmented terms (open_term.glsl) use words with a 2-bit
// state.
//
// Polling is bounded: after SPIN_LIMIT failed polls, the subgroup recomputes the missing tile from the input.
// Progress therefore never depends on the scheduling of other workgroups.
//
// Tiles are assigned by tickets, in the order in which workgroups start, or by workgroup index (TICKETS == 0). The
// index saves a memory round trip before the first load and is faster on devices that start workgroups in index
// order. Both are correct, because polling is bounded.
//
// Needs: the file of the terms, included first (term.glsl, open_term.glsl or count_term.glsl); LOOKBACK_BINDING;
// total_of_tile_again(), which one whole subgroup calls and which returns the same total in every lane.

#ifndef LOOKBACK_GLSL
#define LOOKBACK_GLSL

#include "constant_ids.glsl"
#include "groups.glsl"

layout(constant_id = SPIN_LIMIT_ID) const uint SPIN_LIMIT = 1024;
layout(constant_id = TICKETS_ID) const uint TICKETS = 1;

const uint STATE_OWN = 1;     // the tile's own total
const uint STATE_PREFIX = 2;  // the total of all tiles up to and including this one

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
// The 16-bit halves of a term.
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

// Combines the totals that the lanes hold for consecutive tiles, nearest tile in lane 0. This reverses the element
// order, so the operator must be commutative.
TILE_TERM combine_tiles(TILE_TERM x) {
    return last_lane(combine_lanes(x));
}

#endif

TILE_TERM total_of_tile_again(uint tile);

layout(set = 0, binding = LOOKBACK_BINDING, std430) volatile buffer Status {
    uint ticket;  // next tile, if tiles are assigned by tickets
#if defined(OPEN_TERM_GLSL) || TERM_WORDS == 2
    uint pad[3];
#else
    uint pad;
#endif
    PUBLISHED at[];
} status;

shared uint taken_tile;
shared TILE_TERM shared_before;

// Returns the tile of this workgroup. `first` is the first tile of the dispatch. Called by all threads; contains a
// barrier.
uint take_tile(uint first) {
    if (TICKETS == 0) return first + group_index();
    if (thread_rank() == 0) taken_tile = atomicAdd(status.ticket, 1);
    barrier();
    return taken_tile;
}

void publish(uint tile, uint state, TILE_TERM total) {
    status.at[tile] = to_published(state, total);
}

// Returns the combined total of the tiles before `tile`, in every lane. Called by one whole subgroup.
TILE_TERM look_back(uint tile) {
    TILE_TERM total = no_tiles();
    uint end = tile;  // tiles below `end` remain to be combined
    uint spins = 0;
    bool done = tile == 0;
    while (!done) {
        uint lane = gl_SubgroupInvocationID;
        PUBLISHED words = to_published(STATE_PREFIX, no_tiles());
        if (lane < end) words = status.at[end - 1 - lane];
        PUBLISHED states = words >> STATE_SHIFT;
        uint state = states == PUBLISHED(states.x) ? states.x : 0;
        TILE_TERM value = no_tiles();
        // Combine the totals of the nearest tiles, up to and including the first prefix. A missing tile ends the
        // range too.
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

// Publishes the tile's own total. Should be called as early as possible, because all later tiles wait for it.
// Called by all threads.
void announce(uint tile, TILE_TERM here) {
    if (thread_rank() == 0 && tile > 0) publish(tile, STATE_OWN, here);
}

// Returns the combined total of the tiles before `tile`, and publishes the inclusive prefix. `here` is the tile's
// own total, already announced. Called by all threads, once per kernel; contains a barrier.
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
