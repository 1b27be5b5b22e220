// Loading a tile, and finding the buckets of its keys.

#define LOAD_TILE(source) \
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) own[w] = source.at[item_index(tile_first, w)];
#define LOAD_PART_OF_TILE(source)                                   \
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {                   \
        uint i = item_index(tile_first, w);                         \
        own[w] = i < element_count() ? source.at[i] : KEY(0);       \
    }

void load_keys(uint tile_first) {
    if (tile_first + TILE <= element_count()) {
        FROM_KEYS(LOAD_TILE)
    } else {
        FROM_KEYS(LOAD_PART_OF_TILE)
    }
}

void find_buckets(uint tile_first) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) ranked[w] = bucket_at(own[w]);
    if (tile_first + TILE > element_count()) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w)
            if (item_index(tile_first, w) >= element_count()) ranked[w] = push.buckets - 1;
    }
}
