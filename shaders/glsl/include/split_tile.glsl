// Splitting a tile whose keys load_keys() has brought. What is loaded next, if the workgroup has
// another tile before `end`, is on its way when this returns.

#ifndef SPLIT_TILE_GLSL
#define SPLIT_TILE_GLSL

#include "multisplit.glsl"
#include "rank_tile.glsl"
#include "load_tile.glsl"
#include "scatter_tile.glsl"

void split_tile(uint first, uint end) {
#ifdef PAIRS
    if (VALUES_AFTER == AFTER_LOADING) load_values(first, min(TILE, element_count() - first));
#endif
    find_buckets(first);
    place_items(first / TILE);
    scatter_tile(first, end);
}

#endif
