// Writing a ranked tile: keys (and 4-byte values) are put in order in shared memory first, so
// that neighbouring threads write neighbouring places.
//
// bucket_targets[b] + place is where the key at `place` of the tile goes, for bucket b.

shared KEY tile_keys[TILE];
shared uint bucket_targets[ROW];

void scatter_tile(uint tile_first) {
#ifdef PERMUTATION
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint i = item_index(tile_first, w);
        if (i < push.count) permutation.at[i] = bucket_targets[bucket_at(own[w])] + places[w];
    }
#else
    uint held = min(TILE, push.count - tile_first);
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        if (item_index(tile_first, w) < push.count) tile_keys[places[w]] = own[w];
    barrier();
    uint targets[ITEMS];
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint place = w * gl_WorkGroupSize.x + thread_rank();
        if (place < held) {
            KEY key = tile_keys[place];
            targets[w] = bucket_targets[bucket_at(key)] + place;
            keys_out.at[targets[w]] = key;
        }
    }
#endif
#ifdef PAIRS
    if (VALUE_WORDS == 1) {
        barrier();  // tile_keys is written again, with values
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = item_index(tile_first, w);
            if (i < push.count) tile_keys[places[w]] = KEY(values.at[i]);
        }
        barrier();
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint place = w * gl_WorkGroupSize.x + thread_rank();
            if (place < held) values_out.at[targets[w]] = uint(tile_keys[place]);
        }
    } else {
        // Wider values are long enough to be written whole from where they are.
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = item_index(tile_first, w);
            if (i < push.count) move_value(i, bucket_targets[bucket_at(own[w])] + places[w]);
        }
    }
#endif
}
