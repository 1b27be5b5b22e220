// Writing a ranked tile: keys (and 4-byte values) are put in order in shared memory first, so
// that neighbouring threads write neighbouring places.

#ifdef PERMUTATION

void scatter_tile(uint tile_first, uint end) {
    if (tile_first + TILE < end) load_keys(tile_first + TILE);
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint i = item_index(tile_first, w);
        if (i < element_count()) permutation.at[i] = bucket_targets[item_bucket(w)] + item_place(w);
    }
}

#else

// 64-bit keys lie in two halves, so that neighbours are neighbours.
void stage_key(uint place, KEY key) {
    space[place] = uint(key);
#if KEY_BITS == 64
    space[TILE + place] = uint(key >> 32);
#endif
}

KEY staged_key(uint place) {
#if KEY_BITS == 64
    return KEY(space[TILE + place]) << 32 | space[place];
#else
    return space[place];
#endif
}

uint staged_place(uint w) {
    return w * gl_WorkGroupSize.x + thread_rank();
}

// Where the keys that this thread writes go; values follow them.
uint targets[ITEMS];

#define WRITE_KEYS(sink)                                                      \
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {                             \
        KEY key = staged_key(staged_place(w));                                \
        targets[w] = bucket_targets[bucket_at(key)] + staged_place(w);        \
        sink.at[targets[w]] = key;                                            \
    }
#define WRITE_SOME_KEYS(sink)                                                 \
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {                             \
        if (staged_place(w) < held) {                                         \
            KEY key = staged_key(staged_place(w));                            \
            targets[w] = bucket_targets[bucket_at(key)] + staged_place(w);    \
            sink.at[targets[w]] = key;                                        \
        }                                                                     \
    }

void write_keys(uint held) {
    if (held == TILE) {
        TO_KEYS(WRITE_KEYS)
    } else {
        TO_KEYS(WRITE_SOME_KEYS)
    }
}

#ifdef PAIRS
#define LOAD_VALUES(source)                                         \
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {                   \
        uint i = item_index(tile_first, w);                         \
        value[w] = i < element_count() ? source.at[i] : 0;          \
    }
#define WRITE_VALUES(sink)                                                           \
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)                                      \
        if (staged_place(w) < held) sink.at[targets[w]] = space[staged_place(w)];

void write_values(uint tile_first, uint held) {
    if (VALUE_WORDS == 1) {
        uint value[ITEMS];
        FROM_VALUES(LOAD_VALUES)
        barrier();  // the keys have been read
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) space[item_place(w)] = value[w];
        barrier();
        TO_VALUES(WRITE_VALUES)
    } else {
        // Wider values are long enough to be written from where they are.
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = item_index(tile_first, w);
            if (i < element_count()) move_value(i, bucket_targets[item_bucket(w)] + item_place(w));
        }
    }
}
#endif

// The keys of the next tile, if the strip has one, are on their way while this one is written.
void scatter_tile(uint tile_first, uint end) {
    uint held = min(TILE, element_count() - tile_first);
    barrier();  // the counters have been read
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) stage_key(item_place(w), own[w]);
    barrier();
    if (tile_first + TILE < end) load_keys(tile_first + TILE);
    write_keys(held);
#ifdef PAIRS
    write_values(tile_first, held);
#endif
}

#endif
