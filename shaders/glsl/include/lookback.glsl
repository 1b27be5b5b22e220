// Decoupled look-back over terms: a workgroup obtains the combined total of all earlier tiles while these are still
// being computed. The order of combination depends on timing; ordered_lookback.glsl combines in a fixed order.
// docs/kernels.md, "Look-back scan", has the data flow, invariants and barriers.
//
// A tile publishes its own total and later its inclusive prefix (tile_status.glsl). The first tile publishes only the
// prefix. Polling is bounded: after more than SPIN_LIMIT failed polls in a row, the subgroup recomputes the missing
// tile from the input. Progress therefore never depends on the scheduling of other workgroups.
//
// Needs: the requirements of tile_status.glsl; total_of_tile_again(), which recomputes the total of a tile. It is
// called by one whole subgroup and must return the same total in every lane. A kernel calls take_tile(), announce() and
// before_tile(). With ENDS_AT_HEADS, it calls take_tile(), publish() and look_back(): a tile with a segment head then
// publishes its own total as a prefix, because look-back may stop there.

#ifndef LOOKBACK_GLSL
#define LOOKBACK_GLSL

#include "tile_status.glsl"

layout(constant_id = SPIN_LIMIT_ID) const uint SPIN_LIMIT = 1024;

shared TILE_TERM shared_before;

TILE_TERM total_of_tile_again(uint tile);

#ifndef OPEN_TERM_GLSL
// Combines the totals that the lanes hold for consecutive tiles, nearest tile in lane 0. This reverses the element
// order, so the operator must be commutative.
TILE_TERM combine_tiles(TILE_TERM x) {
    return last_lane(combine_lanes(x));
}
#endif

// Returns the combined total of the tiles before `tile`, in every lane. Called by the whole first subgroup.
TILE_TERM look_back(Tile tile) {
    States states = states_of(Tile(tile.index, subgroupShuffle(uint(tile.is_odd_run), 0) != 0));
    TILE_TERM total = no_tiles();
    uint end = tile.index;  // tiles below `end` remain to be combined
    uint spins = 0;
    bool done = end == 0;
    while (!done) {
        uint lane = gl_SubgroupInvocationID;
        PUBLISHED words = to_published(states.prefix, no_tiles());
        if (lane < end) words = status.at[end - 1 - lane];
        PUBLISHED found = words >> STATE_SHIFT;
        uint state = found == PUBLISHED(found.x) ? found.x : NO_STATE;
        TILE_TERM value = no_tiles();
        // Combine the totals of the nearest tiles, up to and including the first prefix. A missing tile ends the
        // range too.
        uvec4 others = subgroupBallot(state != states.own);
        uint sums = others == uvec4(0) ? gl_SubgroupSize : subgroupBallotFindLSB(others);
        uvec4 prefixes = subgroupBallot(state == states.prefix && lane == sums);
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

// Publishes the tile's own total, except that of tile 0, which publishes only its prefix. Should be called as early as
// possible, because later tiles wait for it. Called by all threads.
void announce(Tile tile, TILE_TERM here) {
    if (thread_rank() == 0 && tile.index > 0) publish(tile.index, states_of(tile).own, here);
}

// Returns the combined total of the tiles before `tile`, and publishes the inclusive prefix. `here` is the tile's own
// total, which must already be announced. Called by all threads, once per kernel; contains a barrier.
TILE_TERM before_tile(Tile tile, TILE_TERM here) {
    if (gl_SubgroupID == 0) {
        TILE_TERM before = look_back(tile);
        if (subgroupElect()) {
            publish(tile.index, states_of(tile).prefix, combine(before, here));
            shared_before = before;
        }
    }
    barrier();
    return shared_before;
}

#endif
