// Writes a ranked tile. Keys and values (indices, for wide values) are first ordered in shared memory, so that adjacent
// threads write adjacent positions. A tile that exceeds the shared memory takes several turns. With PERMUTATION, only
// the output position of each element is written, and nothing is ordered. docs/kernels-sort.md has diagrams.
//
// Needs: the shared arrays `space` and `bucket_targets`, declared before this file; the places of all keys, set by
// place_items() of rank_tile.glsl; and, for the buckets of the keys that are written:
//     SORT       bucket_at()
//     LABELS     written_bucket()
//     otherwise  find_buckets.glsl, included before this file
// Gives: the steps in their order. All threads call all steps. `held` is the number of keys of the tile.
//     load_values()            called at three moments, and loads at the one that the host chose (VALUES_AFTER)
//     stage_first_turn()       orders the keys of the first turn
//     (the kernel sets bucket_targets[b] + place = output position of the key of bucket b at `place`; a barrier)
//     write_until_last_turn()  writes all turns (of keys, then of values) except the last one, and orders that one
//     write_last_turn()        does not use own[], so a kernel may load the next tile's keys before it

#ifndef SCATTER_TILE_GLSL
#define SCATTER_TILE_GLSL

#include "move.glsl"
#include "rank_tile.glsl"

// Moments at which values may be loaded.
const uint AFTER_LOADING = 0;   // before the buckets are found
const uint AFTER_RANKING = 1;   // when every key has its place
const uint AFTER_ORDERING = 2;  // after the keys of the first turn were ordered in shared memory

#ifdef PERMUTATION

void load_values(const uint moment, const uint tile_first, const uint held, const uint number_from) {}
void stage_first_turn() {}
void write_until_last_turn(const uint tile_first, const uint held) {}

// Writes the output position of each element.
void write_last_turn(const uint tile_first, const uint held) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint i = item_index(tile_first, w);
        if (i < tile_first + held) permutation.at[i] = bucket_targets[item_bucket(w)] + item_place(w);
    }
}

#else

const uint TURN_ITEMS = ITEMS / TURNS;

// Whether a place belongs to a turn. The expressions are equivalent, but compile to different register counts;
// each is used where it measured faster.
bool in_turn(const uint place, const uint turn) {
    if (TURNS == 1) return true;
#ifdef SORT
    if (RANK_BY_LANE_ORDER && turn == 0) return place < TURN;
    if (RANK_BY_LANE_ORDER && turn + 1 == TURNS) return place >= turn * TURN;
#endif
    return place - turn * TURN < TURN;
}

// 64-bit keys are stored as two arrays of halves, to avoid bank conflicts.
void stage_key(const uint place, const KEY key) {
    space[place] = uint(key);
#if KEY_BITS == 64
    space[TURN + place] = uint(key >> 32);
#endif
}

KEY staged_key(const uint place) {
#if KEY_BITS == 64
    return KEY(space[TURN + place]) << 32 | space[place];
#else
    return space[place];
#endif
}

// Returns the place in the ordered tile of the w-th item that this thread writes. It writes TURN_ITEMS items per turn.
uint written_place(const uint w) {
    return w * gl_WorkGroupSize.x + thread_rank();
}

// Returns the index in shared memory of the w-th item that this thread writes.
uint staged_place(const uint w, const uint turn) {
    return written_place(w) - turn * TURN;
}

// Keys to write are read back from shared memory in chunks: large enough to have several loads in flight, small
// enough to fit in registers beside the keys that are not staged yet.
#if KEY_BITS == 64
const uint MAX_CHUNK = 3;
#elif defined(SORT)
const uint MAX_CHUNK = 5;
#else
const uint MAX_CHUNK = TURNS > 1 ? 4 : 5;
#endif
// A turn has at most four chunks, because drivers compile the code of each.
const uint MIN_CHUNK = (TURN_ITEMS + 3) / 4;
const uint SOME_ITEMS = MIN_CHUNK > MAX_CHUNK ? MIN_CHUNK : MAX_CHUNK;
const uint CHUNK = BUCKET_BITS > LANE_BITS ? SOME_ITEMS : TURN_ITEMS;

#ifdef PACKING
#include "pack_keys.glsl"
#endif

#ifdef PAIRS
// Output positions of the keys that this thread writes. The values of these keys have the same positions. Like the
// arrays of rank_tile.glsl, these must stay in registers.
uint kept_targets[ITEMS];
#endif

#ifdef LABELS
uint written_bucket(const uint w);
#endif

// Writes a chunk of keys. Reads all keys and computes all targets before the first write, so that latencies
// overlap.
void write_some_keys(const uint turn, const uint from, const uint held) {
    uint first = turn * TURN_ITEMS + from;
    KEY staged[CHUNK];
    uint targets[CHUNK];
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (from + w < TURN_ITEMS) staged[w] = staged_key(staged_place(first + w, turn));
#if defined(LABELS)
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (from + w < TURN_ITEMS)
            targets[w] = bucket_targets[written_bucket(first + w)] + written_place(first + w);
#elif defined(SORT)
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (from + w < TURN_ITEMS) targets[w] = bucket_targets[bucket_at(staged[w])] + written_place(first + w);
#else
    uint unsure_keys = 0;
    [[unroll]] for (uint w = 0; w < CHUNK; ++w) {
        if (from + w >= TURN_ITEMS) continue;
        bool is_there = written_place(first + w) < held;
        bool unsure;
        uint bucket = staged_bucket(staged[w], is_there, unsure);
        if (unsure && is_there) unsure_keys |= 1u << w;
        targets[w] = bucket_targets[bucket] + written_place(first + w);
    }
    if (SEARCHES) {
        while (unsure_keys != 0) {
            uint key = findLSB(unsure_keys);
            unsure_keys &= unsure_keys - 1;
            uint bucket = bucket_at(staged_key(staged_place(first + key, turn)));
            [[unroll]] for (uint w = 0; w < CHUNK; ++w)
                if (w == key) targets[w] = bucket_targets[bucket] + written_place(first + w);
        }
    }
#endif
#ifdef PAIRS
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (from + w < TURN_ITEMS) kept_targets[first + w] = targets[w];
#endif
#ifdef PACKING
    uint lone = 0;
    uint count = min(max(held, turn * TURN) - turn * TURN, TURN);
    [[unroll]] for (uint w = 0; w < CHUNK; ++w) {
        uint place = staged_place(first + w, turn);
        if (from + w < TURN_ITEMS && place < count && !store_shared_word(targets[w], staged[w], place, count))
            lone |= 1u << w;
    }
    store_lone_keys(lone, first, turn);
#else
    if (TWO_WAYS && held == TILE) {
        [[unroll]] for (uint w = 0; w < CHUNK; ++w)
            if (from + w < TURN_ITEMS) keys_out.at[targets[w]] = staged[w];
    } else {
        [[unroll]] for (uint w = 0; w < CHUNK; ++w)
            if (from + w < TURN_ITEMS && written_place(first + w) < held) keys_out.at[targets[w]] = staged[w];
    }
#endif
    if (CHUNK < TURN_ITEMS) subgroupBarrier();
}

void write_keys(const uint turn, const uint held) {
    write_some_keys(turn, 0, held);
    if (CHUNK < TURN_ITEMS) write_some_keys(turn, CHUNK, held);
    if (2 * CHUNK < TURN_ITEMS) write_some_keys(turn, 2 * CHUNK, held);
    if (3 * CHUNK < TURN_ITEMS) write_some_keys(turn, 3 * CHUNK, held);
}

// Orders the keys of a turn in shared memory. Called by all threads after the previous contents have been read.
void stage_keys(const uint turn) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        if (in_turn(item_place(w), turn)) stage_key(item_place(w) - turn * TURN, own[w]);
}

void stage_first_turn() {
    barrier();  // the warp counters have been read
    stage_keys(0);
}

// Orders the keys of another turn. Ends with a barrier.
void stage_next_keys(const uint turn) {
    barrier();  // the keys of the previous turn have been read
    stage_keys(turn);
    barrier();
}

#ifdef PAIRS
// Moment at which load_values() loads.
layout(constant_id = VALUES_AFTER_ID) const uint VALUES_AFTER = 2;
// This thread's values, if a value has one word. For wider values: their indices, from which the values are fetched
// once their output positions are known.
uint value[ITEMS];

// Loads this thread's values, or sets their indices, if this is the moment for it. With COUNTED_VALUES, the value of an
// element is its index minus `number_from`.
void load_values(const uint moment, const uint tile_first, const uint held, const uint number_from) {
    const bool by_index = VALUE_WORDS > 1 || COUNTED_VALUES != 0;
    if (VALUES_AFTER == moment) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            value[w] = item_index(tile_first, w);
            if (!by_index && ((TWO_WAYS && held == TILE) || item_index(0, w) < held))
                value[w] = values.at[value[w]];
            if (COUNTED_VALUES != 0) value[w] -= number_from;
        }
    }
}

// Orders the values of a turn in shared memory. Called by all threads; ends with a barrier.
void stage_next_values(const uint turn) {
    barrier();  // the previous contents have been read
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        if (in_turn(item_place(w), turn)) space[item_place(w) - turn * TURN] = value[w];
    barrier();
}

// Writes the values of a chunk. Wide values are fetched by their indices, all before the first is written.
void write_some_values(const uint turn, const uint from, const uint held) {
    uint first = turn * TURN_ITEMS + from;
    uint staged[CHUNK];
    uint targets[CHUNK];
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (from + w < TURN_ITEMS) staged[w] = space[staged_place(first + w, turn)];
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (from + w < TURN_ITEMS)
            targets[w] = kept_targets[first + w];
    if (VALUE_WORDS == 2) {
        uvec2 fetched[CHUNK];
        [[unroll]] for (uint w = 0; w < CHUNK; ++w)
            if (from + w < TURN_ITEMS && written_place(first + w) < held) fetched[w] = values_vec2.at[staged[w]];
        [[unroll]] for (uint w = 0; w < CHUNK; ++w)
            if (from + w < TURN_ITEMS && written_place(first + w) < held) values_out_vec2.at[targets[w]] = fetched[w];
    }
    if (VALUE_WORDS == 4) {
        uvec4 fetched[CHUNK];
        [[unroll]] for (uint w = 0; w < CHUNK; ++w)
            if (from + w < TURN_ITEMS && written_place(first + w) < held) fetched[w] = values_vec4.at[staged[w]];
        [[unroll]] for (uint w = 0; w < CHUNK; ++w)
            if (from + w < TURN_ITEMS && written_place(first + w) < held) values_out_vec4.at[targets[w]] = fetched[w];
    }
    if (VALUE_WORDS == 1) {
        if (TWO_WAYS && held == TILE) {
            [[unroll]] for (uint w = 0; w < CHUNK; ++w)
                if (from + w < TURN_ITEMS) values_out.at[targets[w]] = staged[w];
        } else {
            [[unroll]] for (uint w = 0; w < CHUNK; ++w)
                if (from + w < TURN_ITEMS && written_place(first + w) < held) values_out.at[targets[w]] = staged[w];
        }
    }
    if (CHUNK < TURN_ITEMS) subgroupBarrier();
}

void write_values(const uint turn, const uint held) {
    write_some_values(turn, 0, held);
    if (CHUNK < TURN_ITEMS) write_some_values(turn, CHUNK, held);
    if (2 * CHUNK < TURN_ITEMS) write_some_values(turn, 2 * CHUNK, held);
    if (3 * CHUNK < TURN_ITEMS) write_some_values(turn, 3 * CHUNK, held);
}
#else
void load_values(const uint moment, const uint tile_first, const uint held, const uint number_from) {}
#endif

// Turns are written out: if the driver does not unroll a loop over turns, arrays have variable indices and leave the
// registers. At most four turns.
void write_until_last_turn(const uint tile_first, const uint held) {
    if (TURNS > 1) {
        write_keys(0, held);
        stage_next_keys(1);
    }
    if (TURNS > 2) {
        write_keys(1, held);
        stage_next_keys(2);
    }
    if (TURNS > 3) {
        write_keys(2, held);
        stage_next_keys(3);
    }
#ifdef PAIRS
    write_keys(TURNS - 1, held);
    stage_next_values(0);
    if (TURNS > 1) {
        write_values(0, held);
        stage_next_values(1);
    }
    if (TURNS > 2) {
        write_values(1, held);
        stage_next_values(2);
    }
    if (TURNS > 3) {
        write_values(2, held);
        stage_next_values(3);
    }
#endif
}

void write_last_turn(const uint tile_first, const uint held) {
#ifdef PAIRS
    write_values(TURNS - 1, held);
#else
    write_keys(TURNS - 1, held);
#endif
}

#endif

#endif
