// Finds the buckets of a tile's keys with the bucket function, when they are loaded and again when they are written.
//
// Needs: the buffer `keys`, declared before this file; element_count() (multisplit.glsl).
// Gives: find_buckets(), staged_bucket().

#ifndef FIND_BUCKETS_GLSL
#define FIND_BUCKETS_GLSL

#include "bucket.glsl"
#include "rank_tile.glsl"

// Takes the likely bucket of each key, then searches for the keys whose bucket is unsure.
void find_likely_buckets(const uint tile_first) {
    uint unsure_items = 0;
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        bool unsure;
        uint bucket = likely_bucket_at(own[w], unsure);
        bool missing = item_index(tile_first, w) >= element_count();
        if (unsure && !missing) unsure_items |= 1u << w;
        set_bucket(w, missing ? push.buckets - 1 : bucket);
    }
    while (unsure_items != 0) {
        uint item = findLSB(unsure_items);
        unsure_items &= unsure_items - 1;
        uint bucket = bucket_at(keys.at[item_index(tile_first, item)]);
        [[unroll]] for (uint w = 0; w < ITEMS; ++w)
            if (w == item) set_bucket(w, bucket);
    }
}

// Sets the bucket of each item, after load_keys(). Missing keys belong to the last bucket.
void find_buckets(const uint tile_first) {
    if (SEARCHES) {
        find_likely_buckets(tile_first);
    } else if (TWO_WAYS && tile_first + TILE <= element_count()) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) set_bucket(w, bucket_at(own[w]));
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            bool missing = item_index(tile_first, w) >= element_count();
            set_bucket(w, missing ? push.buckets - 1 : bucket_at(own[w]));
        }
    }
}

// Returns the bucket of a key that was staged in shared memory; the result may be wrong if `unsure` is set. Places past
// the last key hold missing keys, which are treated like the others, except that a user's function is never called for
// them.
uint staged_bucket(const KEY key, const bool is_there, out bool unsure) {
    unsure = false;
#ifdef USER_BUCKET
    return is_there ? bucket_at(key) : 0;
#else
    return SEARCHES ? likely_bucket_at(key, unsure) : bucket_at(key);
#endif
}

#endif
