// Loads a tile into registers and finds the buckets of its keys. Buckets are read from labels (LABELS), recomputed from
// a key at each use (BUCKET_FROM_KEY), or computed once with the bucket function. Provides load_keys() and
// find_buckets(). Positions of the tile at and past the element count hold missing keys. They have the value
// missing_key() and count as keys of the last bucket.

#ifndef LOAD_TILE_GLSL
#define LOAD_TILE_GLSL

#include "multisplit.glsl"
#include "rank_tile.glsl"
#include "key_at.glsl"
#ifdef LABELS
#include "labels.glsl"
#else
#include "bucket.glsl"
#endif

#ifdef LABELS

KEY missing_key() { return KEY(0); }

// Labels of this thread's keys. The prescan has labelled missing keys with the last bucket.
uint own_labels[LABEL_WORDS];

void load_labels(uint tile_first) {
    uint stretch = tile_first / TILE * SUBGROUPS + gl_SubgroupID;
    [[unroll]] for (uint k = 0; k < LABEL_WORDS; ++k) own_labels[k] = labels.at[label_word(stretch, k)];
}

void find_buckets(uint tile_first) {
#ifdef BUCKET_BORDERS
    clear_borders();
#endif
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) set_bucket(w, label_of(own_labels[w / LABELS_OF_WORD], w))
}

#elif defined(BUCKET_FROM_KEY)

// Returns a key with the largest digit.
KEY missing_key() {
    return from_ordered(push.flip_or_reciprocal != 0 ? KEY(0) : ~KEY(0));
}

void find_buckets(uint tile_first) {}

#else

KEY missing_key() { return KEY(0); }

// Takes the likely bucket of each key, then searches for the keys whose bucket is unsure.
void find_likely_buckets(uint tile_first) {
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

// Sets the bucket of each item; missing keys are in the last bucket.
void find_buckets(uint tile_first) {
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

#endif

// Loads this thread's keys of the tile that starts at element `tile_first`.
void load_keys(uint tile_first) {
#ifdef LABELS
    load_labels(tile_first);
#endif
#if !defined(LABELS) || !defined(PERMUTATION)  // otherwise keys are not used
    KEY missing = missing_key();
#if defined(PACKED_KEYS) && KEY_BITS == 32
    // Load unconditionally and select afterwards: conditional loads of packed words compile to branches.
    if (NARROW_BITS != 0) {
        uint last = max(element_count(), 1) - 1;
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) own[w] = key_at(min(item_index(tile_first, w), last));
        [[unroll]] for (uint w = 0; w < ITEMS; ++w)
            own[w] = item_index(tile_first, w) < element_count() ? own[w] : missing;
        return;
    }
#endif
    if (TWO_WAYS && tile_first + TILE <= element_count()) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) own[w] = key_at(item_index(tile_first, w));
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = item_index(tile_first, w);
            own[w] = i < element_count() ? key_at(i) : missing;
        }
    }
#endif
}

#endif
