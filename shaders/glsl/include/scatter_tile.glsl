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

void write_keys(uint held) {
    if (HAS_TWO_WAYS && held == TILE) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            KEY key = staged_key(staged_place(w));
            targets[w] = bucket_targets[bucket_at(key)] + staged_place(w);
            keys_out.at[targets[w]] = key;
        }
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            if (staged_place(w) < held) {
                KEY key = staged_key(staged_place(w));
                targets[w] = bucket_targets[bucket_at(key)] + staged_place(w);
                keys_out.at[targets[w]] = key;
            }
        }
    }
}

#ifdef PAIRS
// Values of one word; on their way while the keys are written.
uint value[ITEMS];

void load_values(uint tile_first) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint i = item_index(tile_first, w);
        value[w] = i;
        if (COUNTED_VALUES == 0 && i < element_count()) value[w] = values.at[i];
    }
}

void stage_values() {
    barrier();  // the keys have been read
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) space[item_place(w)] = value[w];
    barrier();
}

void write_values(uint held) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        if (staged_place(w) < held) values_out.at[targets[w]] = space[staged_place(w)];
}

// Wider values are long enough to be written from where they are.
void move_values(uint tile_first) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint i = item_index(tile_first, w);
        if (i < element_count()) move_value(i, bucket_targets[item_bucket(w)] + item_place(w));
    }
}
#endif

// The keys of the next tile, if the strip has one, are on their way while this one is written.
void scatter_tile(uint tile_first, uint end) {
    uint held = min(TILE, element_count() - tile_first);
    barrier();  // the counters have been read
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) stage_key(item_place(w), own[w]);
    barrier();
    bool another = tile_first + TILE < end;
#ifdef PAIRS
    if (VALUE_WORDS == 1) {
        load_values(tile_first);
        write_keys(held);
        stage_values();
        if (another) load_keys(tile_first + TILE);
        write_values(held);
        return;
    }
#endif
    if (another) load_keys(tile_first + TILE);
    write_keys(held);
#ifdef PAIRS
    move_values(tile_first);
#endif
}

#endif
