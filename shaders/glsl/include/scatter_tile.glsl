// Writing a ranked tile: keys (and 4-byte values) are put in order in shared memory first, so
// that neighbouring threads write neighbouring places.
//
// bucket_targets[b] + place is where the key at `place` of the tile goes, for bucket b.

shared KEY tile_keys[TILE];
shared uint bucket_targets[ROW];

#ifdef PERMUTATION

void scatter_tile(uint tile_first) {
    barrier();  // for bucket_targets
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint i = item_index(tile_first, w);
        if (i < element_count()) permutation.at[i] = bucket_targets[item_bucket(w)] + item_place(w);
    }
}

#else

// Where the keys that this thread writes go; values follow them.
uint targets[ITEMS];

void scatter_keys(uint held) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) tile_keys[item_place(w)] = own[w];
    barrier();
    if (held == TILE) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint place = w * gl_WorkGroupSize.x + thread_rank();
            KEY key = tile_keys[place];
            targets[w] = bucket_targets[bucket_at(key)] + place;
            keys_out.at[targets[w]] = key;
        }
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint place = w * gl_WorkGroupSize.x + thread_rank();
            if (place < held) {
                KEY key = tile_keys[place];
                targets[w] = bucket_targets[bucket_at(key)] + place;
                keys_out.at[targets[w]] = key;
            }
        }
    }
}

#ifdef PAIRS
void scatter_values(uint tile_first, uint held) {
    if (VALUE_WORDS == 1) {
        uint value[ITEMS];
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = item_index(tile_first, w);
            value[w] = i < element_count() ? values.at[i] : 0;
        }
        barrier();  // tile_keys is written again
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) tile_keys[item_place(w)] = KEY(value[w]);
        barrier();
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint place = w * gl_WorkGroupSize.x + thread_rank();
            if (place < held) values_out.at[targets[w]] = uint(tile_keys[place]);
        }
    } else {
        // Wider values are long enough to be written from where they are.
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = item_index(tile_first, w);
            if (i < element_count()) move_value(i, bucket_targets[item_bucket(w)] + item_place(w));
        }
    }
}
#endif

void scatter_tile(uint tile_first) {
    uint held = min(TILE, element_count() - tile_first);
    scatter_keys(held);
#ifdef PAIRS
    scatter_values(tile_first, held);
#endif
}

#endif
