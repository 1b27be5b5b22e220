// Decoupled look-back over terms whose combination depends on the order: sums of floats, and users' operators. The
// order of combination is fixed, so results do not depend on timing. docs/kernels.md, "Look-back scan", has the data
// flow, invariants and barriers.
//
// Tiles are divided into blocks. Every tile publishes once (tile_status.glsl): the last tile of a block publishes its
// inclusive prefix, the combination of all tiles up to and including it; any other tile publishes its own total. The
// prefix before a tile is the prefix of the previous block, combined with the totals of the earlier tiles of its own
// block. A subgroup polls this prefix and these totals together, with several tiles per lane. The chain of prefixes
// that wait for each other therefore has one tile per block.
//
// Polling is bounded: after more than SPIN_LIMIT failed polls, the subgroup recomputes missing tiles from the input, in
// the same order and thus with the same result. Progress therefore never depends on the scheduling of other workgroups.
//
// Needs: the requirements of tile_status.glsl; total_of_tile_again(), which recomputes the total of a tile, with the
// bits that the tile's workgroup obtains. It is called by one whole subgroup and must return the same total in every
// lane. A kernel calls take_tile(), announce() and before_tile().

#ifndef ORDERED_LOOKBACK_GLSL
#define ORDERED_LOOKBACK_GLSL

#include "tile_status.glsl"

layout(constant_id = SPIN_LIMIT_ID) const uint SPIN_LIMIT = 1024;

// Consecutive tiles of a block that a lane combines.
const uint LANE_TILES = 4;
#define BLOCK_TILES (LANE_TILES * gl_SubgroupSize)

shared TERM shared_before;

TERM total_of_tile_again(uint tile);

bool is_block_end(uint tile) {
    return tile % BLOCK_TILES == BLOCK_TILES - 1;
}

// Returns whether a tile has published, and in `term` its total or prefix.
bool load_published(uint tile, uint state, out TERM term) {
    PUBLISHED words = status.at[tile];
    term = published(words);
    return (words >> STATE_SHIFT) == PUBLISHED(state);
}

// Returns the combination of the prefix of the previous block with the terms of the lanes, in every lane. Called by a
// whole subgroup.
TERM combine_block(TERM prefix, TERM of_lane) {
    return combine(prefix, last_lane(combine_lanes(of_lane)));
}

// Returns the total of a tile that does not end a block: the published one, or a recomputed one if it is missing.
// Called by a whole subgroup.
TERM total_or_again(uint tile, uint state) {
    TERM total;
    bool is_published = load_published(tile, state, total);
    // Lanes may load at different times. If any lane found no total, all lanes recompute it.
    if (subgroupBallot(!is_published) != uvec4(0)) total = total_of_tile_again(tile);
    return from_lane(total, 0);
}

// Returns the combination of a prefix with the totals of the first `count` tiles of the block that starts at tile
// `first`. Called by a whole subgroup.
TERM combine_tiles_again(TERM prefix, uint first, uint count, uint state) {
    TERM of_lane = IDENTITY;
    for (uint k = 0; k < count; ++k) {
        TERM total = total_or_again(first + k, state);
        TERM with_tile = combine(of_lane, total);
        if (gl_SubgroupInvocationID == k / LANE_TILES) of_lane = with_tile;
    }
    return combine_block(prefix, of_lane);
}

// Returns the prefix before a tile without waiting for other tiles. Called by a whole subgroup.
TERM prefix_again(uint tile, uint state) {
    uint block = tile / BLOCK_TILES;
    TERM prefix = IDENTITY;
    uint begin = block;
    bool found = begin == 0;
    while (!found) {
        TERM published_prefix;
        bool is_published = load_published(begin * BLOCK_TILES - 1, state, published_prefix);
        found = subgroupBallot(!is_published) == uvec4(0);
        if (found) prefix = from_lane(published_prefix, 0);
        else begin -= 1;
        found = found || begin == 0;
    }
    for (; begin < block; ++begin) {
        uint first = begin * BLOCK_TILES;
        uint last = first + BLOCK_TILES - 1;
        prefix = combine_tiles_again(prefix, first, BLOCK_TILES - 1, state);
        prefix = combine(prefix, total_of_tile_again(last));
    }
    return combine_tiles_again(prefix, block * BLOCK_TILES, tile % BLOCK_TILES, state);
}

// Returns the prefix before a tile, in every lane. Called by a whole subgroup.
TERM look_back(uint tile, uint state) {
    uint first = tile - tile % BLOCK_TILES;
    uint own = first + gl_SubgroupInvocationID * LANE_TILES;  // first tile of this lane
    TERM prefix = IDENTITY;
    TERM totals[LANE_TILES];
    bool has_prefix = first == 0;
    bool has_total[LANE_TILES];
    [[unroll]] for (uint k = 0; k < LANE_TILES; ++k) {
        totals[k] = IDENTITY;
        has_total[k] = own + k >= tile;
    }
    uint spins = 0;
    bool is_complete_in_all = tile == 0;
    bool done = is_complete_in_all;
    while (!done) {
        if (!has_prefix) has_prefix = load_published(first - 1, state, prefix);
        bool is_complete = has_prefix;
        [[unroll]] for (uint k = 0; k < LANE_TILES; ++k) {
            if (!has_total[k]) has_total[k] = load_published(own + k, state, totals[k]);
            is_complete = is_complete && has_total[k];
        }
        is_complete_in_all = subgroupBallot(!is_complete) == uvec4(0);
        spins += 1;
        done = is_complete_in_all || spins > SPIN_LIMIT;
    }
    if (!is_complete_in_all) return prefix_again(tile, state);
    TERM of_lane = IDENTITY;
    [[unroll]] for (uint k = 0; k < LANE_TILES; ++k) of_lane = combine(of_lane, totals[k]);
    return combine_block(prefix, of_lane);
}

// Publishes the tile's own total, unless the tile ends a block. Should be called as early as possible, because later
// tiles of the block wait for it. Called by all threads.
void announce(Tile tile, TERM here) {
    if (thread_rank() == 0 && !is_block_end(tile.index)) publish(tile.index, states_of(tile).own, here);
}

// Returns the combined total of the tiles before `tile`. `here` is the tile's own total, which must already be
// announced. Called by all threads, once per kernel; contains a barrier.
TERM before_tile(Tile tile, TERM here) {
    if (gl_SubgroupID == 0) {
        uint state = subgroupShuffle(states_of(tile).own, 0);
        TERM before = look_back(tile.index, state);
        if (subgroupElect()) {
            if (is_block_end(tile.index)) publish(tile.index, state, combine(before, here));
            shared_before = before;
        }
    }
    barrier();
    return shared_before;
}

#endif
