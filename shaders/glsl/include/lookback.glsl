// Decoupled look-back over 32-bit sums: how a workgroup learns the sum of all tiles before its
// own while they are still being computed.
//
// A tile publishes first its own sum and later the sum up to and including it. The state is
// carried by every word: a 32-bit sum travels as two words of 16 bits, each with the state in
// its upper half, so that no ordering between words and no 64-bit atomics are needed, and plain
// volatile (and so coherent) loads and stores are enough. A reader that sees two different states waits.
//
// Waiting is bounded: after SPIN_LIMIT looks that find nothing the subgroup adds up the missing tile
// from the input itself, so that progress never depends on another workgroup being scheduled. The
// including kernel supplies sum_of_tile_again(), which is called by one whole subgroup and gives the
// same sum in each of its lanes.

#ifndef LOOKBACK_GLSL
#define LOOKBACK_GLSL

#include "constant_ids.glsl"
#include "lane_totals.glsl"

layout(constant_id = SPIN_LIMIT_ID) const uint SPIN_LIMIT = 1024;

uint sum_of_tile_again(uint tile);

const uint STATE_SUM = 1;     // the tile's own sum
const uint STATE_PREFIX = 2;  // the sum up to and including the tile

layout(set = 0, binding = LOOKBACK_BINDING, std430) volatile buffer Status {
    uint ticket;  // tiles are taken in this order, so that a tile's predecessors have all started
    uint pad;
    uvec2 at[];
} status;

void publish(uint tile, uint state, uint sum) {
    status.at[tile] = uvec2(sum & 0xFFFFu, sum >> 16) | (state << 16);
}

// The sum of the tiles before `tile`. Called by one whole subgroup; the same in every lane.
uint look_back(uint tile) {
    uint sum = 0;
    uint end = tile;  // tiles below this are still to be added
    uint spins = 0;
    bool done = tile == 0;
    while (!done) {
        uint lane = gl_SubgroupInvocationID;
        uvec2 words = uvec2(STATE_PREFIX << 16);  // before the first tile the sum is zero
        if (lane < end) words = status.at[end - 1 - lane];
        uvec2 states = words >> 16;
        uint state = states.x == states.y ? states.x : 0;
        uint value = (words.x & 0xFFFFu) | (words.y << 16);
        // Sums are added up to the first tile that has none: a prefix, which is the last to be
        // added, or a tile that is missing.
        uvec4 others = subgroupBallot(state != STATE_SUM);
        uint sums = others == uvec4(0) ? gl_SubgroupSize : subgroupBallotFindLSB(others);
        uvec4 prefixes = subgroupBallot(state == STATE_PREFIX && lane == sums);
        done = prefixes != uvec4(0);
        sum += sum_over_lanes(lane < sums || (done && lane == sums) ? value : 0);
        if (!done) {
            end -= sums;
            spins = sums == 0 ? spins + 1 : 0;
            if (spins > SPIN_LIMIT) {
                end -= 1;
                sum += sum_of_tile_again(end);
                spins = 0;
            }
        }
    }
    return sum;
}

#endif
