// Splits one tile, whose keys were loaded by load_keys(): finds buckets, ranks, and scatters. If the workgroup has
// another tile before `end`, the loads of its keys are in flight on return. Called by all threads.

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
