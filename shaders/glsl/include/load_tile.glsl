// Loading a tile, and finding the buckets of its keys.
//
// Full tiles have a way of their own, except in kernels with ONE_WAY, which are so large that code
// that is there twice costs more than a comparison a key.

#ifdef ONE_WAY
const bool HAS_TWO_WAYS = false;
#else
const bool HAS_TWO_WAYS = true;
#endif

void load_keys(uint tile_first) {
    uint count = element_count();
    if (HAS_TWO_WAYS && tile_first + TILE <= count) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) own[w] = keys.at[item_index(tile_first, w)];
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = item_index(tile_first, w);
            own[w] = i < count ? keys.at[i] : KEY(0);
        }
    }
}

void find_buckets(uint tile_first) {
    uint count = element_count();
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) ranked[w] = bucket_at(own[w]);
    if (!HAS_TWO_WAYS || tile_first + TILE > count) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w)
            if (item_index(tile_first, w) >= count) ranked[w] = push.buckets - 1;
    }
}
