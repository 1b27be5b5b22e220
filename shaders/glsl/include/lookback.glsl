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

#ifndef LOOKBACK_GLSL
#define LOOKBACK_GLSL

#include "constant_ids.glsl"

layout(constant_id = SPIN_LIMIT_ID) const uint SPIN_LIMIT = 1024;

TERM total_of_tile_again(uint tile);

// Half words of a term.
#if TERM_WORDS == 2
#define HALVES uvec4
#else
#define HALVES uvec2
#endif

const uint STATE_OWN = 1;     // the tile's own total
const uint STATE_PREFIX = 2;  // the total up to and including the tile

// Every half word of the identity, which comes before the first tile.
const uint NOTHING = STATE_PREFIX << 16 | IDENTITY_HALF;

layout(set = 0, binding = LOOKBACK_BINDING, std430) volatile buffer Status {
    uint ticket;  // tiles are taken in this order, so that a tile's predecessors have all started
#if TERM_WORDS == 2
    uint pad[3];
#else
    uint pad;
#endif
    HALVES at[];
} status;

void publish(uint tile, uint state, TERM total) {
    WORDS words = to_words(total);
    status.at[tile] = HALVES(words & 0xFFFFu, words >> 16) | (state << 16);
}

TERM published(HALVES halves) {
#if TERM_WORDS == 2
    return from_words((halves.xy & 0xFFFFu) | (halves.zw << 16));
#else
    return from_words((halves.x & 0xFFFFu) | (halves.y << 16));
#endif
}

// The total of the tiles before `tile`. Called by one whole subgroup; the same in every lane.
TERM look_back(uint tile) {
    TERM total = IDENTITY;
    uint end = tile;  // tiles below this are still to be combined
    uint spins = 0;
    bool done = tile == 0;
    while (!done) {
        uint lane = gl_SubgroupInvocationID;
        HALVES halves = HALVES(NOTHING);
        if (lane < end) halves = status.at[end - 1 - lane];
        HALVES states = halves >> 16;
        uint state = states == HALVES(states.x) ? states.x : 0;
        TERM value = published(halves);
        // Totals are combined up to the first tile that has none: a prefix, which is the last one,
        // or a tile that is missing.
        uvec4 others = subgroupBallot(state != STATE_OWN);
        uint sums = others == uvec4(0) ? gl_SubgroupSize : subgroupBallotFindLSB(others);
        uvec4 prefixes = subgroupBallot(state == STATE_PREFIX && lane == sums);
        done = prefixes != uvec4(0);
        bool taken = lane < sums || (done && lane == sums);
        total = combine(total, last_lane(combine_lanes(taken ? value : IDENTITY)));
        if (!done) {
            end -= sums;
            spins = sums == 0 ? spins + 1 : 0;
            if (spins > SPIN_LIMIT) {
                end -= 1;
                total = combine(total, total_of_tile_again(end));
                spins = 0;
            }
        }
    }
    return total;
}

#endif
