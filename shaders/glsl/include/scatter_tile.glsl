// Writes a ranked tile. Keys and values (indices, for wide values) are first ordered in shared memory, so that
// adjacent threads write adjacent positions. A tile that exceeds the shared memory takes several turns.
//
// The kernel provides the output positions of the buckets:
//     void look_ahead()           issues the loads for set_targets();
//     void set_targets()          calls set_target() for the own buckets, but may leave some out; a barrier follows;
//     void set_missing_targets()  calls set_target() for the remaining buckets; ends with a barrier if there are any.

#ifndef SCATTER_TILE_GLSL
#define SCATTER_TILE_GLSL

#include "multisplit.glsl"
#include "move.glsl"
#include "rank_tile.glsl"
#include "load_tile.glsl"

// Whether this workgroup continues with another tile.
bool has_another(uint tile_first, uint end) {
#ifdef ONE_TILE
    return false;
#else
    return tile_first + TILE < end;
#endif
}

#ifdef PERMUTATION

// Writes the destination of each element. Called by all threads.
void scatter_tile(uint tile_first, uint end) {
    look_ahead();
    set_targets();
    barrier();
    set_missing_targets();
    if (has_another(tile_first, end)) load_keys(tile_first + TILE);
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint i = item_index(tile_first, w);
        if (i < element_count()) permutation.at[i] = bucket_targets[item_bucket(w)] + item_place(w);
    }
}

#else

const uint TURN_ITEMS = ITEMS / TURNS;

// Whether a place belongs to a turn. The expressions are equivalent, but compile to different register counts;
// each is used where it measured faster.
bool in_turn(uint place, uint turn) {
    if (TURNS == 1) return true;
#ifdef SORT
    if (RANK_BY_LANE_ORDER && turn == 0) return place < TURN;
    if (RANK_BY_LANE_ORDER && turn + 1 == TURNS) return place >= turn * TURN;
#endif
    return place - turn * TURN < TURN;
}

// 64-bit keys are stored as two arrays of halves, to avoid bank conflicts.
void stage_key(uint place, KEY key) {
    space[place] = uint(key);
#if KEY_BITS == 64
    space[TURN + place] = uint(key >> 32);
#endif
}

KEY staged_key(uint place) {
#if KEY_BITS == 64
    return KEY(space[TURN + place]) << 32 | space[place];
#else
    return space[place];
#endif
}

// Returns the place in the ordered tile of the w-th item that this thread writes. It writes TURN_ITEMS items per turn.
uint written_place(uint w) {
    return w * gl_WorkGroupSize.x + thread_rank();
}

// Returns the index in shared memory of the w-th item that this thread writes.
uint staged_place(uint w, uint turn) {
    return written_place(w) - turn * TURN;
}

#ifdef PAIRS
// Output positions of the keys that this thread writes. The values of these keys have the same positions.
uint kept_targets[ITEMS];
#endif
// Keys to write are read back from shared memory in chunks: large enough to have several loads in flight, small
// enough to fit in registers beside the keys that are not staged yet.
#if KEY_BITS == 64
const uint MAX_CHUNK = 3;
#elif defined(SORT)
const uint MAX_CHUNK = 5;
#else
const uint MAX_CHUNK = TURNS > 1 ? 4 : 5;
#endif
// EACH_CHUNK has at most four chunks, because drivers compile the code of each.
const uint MIN_CHUNK = (TURN_ITEMS + 3) / 4;
const uint SOME_ITEMS = MIN_CHUNK > MAX_CHUNK ? MIN_CHUNK : MAX_CHUNK;
const uint CHUNK = BUCKET_BITS > LANE_BITS ? SOME_ITEMS : TURN_ITEMS;
#define EACH_CHUNK(write)                                     \
    write(turn, 0, held);                                     \
    if (CHUNK < TURN_ITEMS) write(turn, CHUNK, held);         \
    if (2 * CHUNK < TURN_ITEMS) write(turn, 2 * CHUNK, held); \
    if (3 * CHUNK < TURN_ITEMS) write(turn, 3 * CHUNK, held);

#ifndef LABELS
// Returns the bucket of a staged key. Places past the last key hold missing keys, which are treated like the
// others, except that a user's function is never called for them.
uint staged_bucket(KEY key, bool is_there, out bool unsure) {
    unsure = false;
#ifdef USER_BUCKET
    return is_there ? bucket_at(key) : 0;
#else
    return SEARCHES ? likely_bucket_at(key, unsure) : bucket_at(key);
#endif
}
#endif

#ifdef PACKING
// If a key and its neighbour share a word and a bucket, one of their two threads stores both. Returns whether they
// share a word and a bucket. `count` is the number of keys in the turn.
bool store_shared_word(uint target, uint key, uint place, uint count) {
    bool even = target % 2 == 0;
    uint other = even ? place + 1 : place - 1;
    uint neighbour = staged_key(min(other, count - 1));
    bool share = other < count && bucket_at(neighbour) == bucket_at(key);
    if (share && even) store_both(target, key, neighbour);
    return share;
}

// Stores the keys of a chunk whose bits are set in `lone`, one at a time; there are few.
void store_lone_keys(uint lone, uint first, uint turn) {
    while (lone != 0) {
        uint w = first + findLSB(lone);
        lone &= lone - 1;
        uint key = staged_key(staged_place(w, turn));
        store_half(bucket_targets[bucket_at(key)] + written_place(w), key);
    }
}
#endif

// Writes a chunk of keys. Reads all keys and computes all targets before the first write, so that latencies
// overlap.
void write_some_keys(uint turn, uint from, uint held) {
    uint first = turn * TURN_ITEMS + from;
    KEY staged[CHUNK];
    uint targets[CHUNK];
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (from + w < TURN_ITEMS) staged[w] = staged_key(staged_place(first + w, turn));
#ifdef LABELS
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (from + w < TURN_ITEMS)
            targets[w] = bucket_targets[written_bucket(first + w)] + written_place(first + w);
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

void write_keys(uint turn, uint held) {
    EACH_CHUNK(write_some_keys)
}

#ifdef PAIRS
// This thread's values, if a value has one word. For wider values: their indices, from which the values are fetched
// once their output positions are known.
uint value[ITEMS];
// Time at which load_values() is called: before the buckets are found, after ranking, or after the keys of the first
// turn were ordered in shared memory.
layout(constant_id = VALUES_AFTER_ID) const uint VALUES_AFTER = 2;
const uint AFTER_LOADING = 0;
const uint AFTER_RANKING = 1;
const uint AFTER_ORDERING = 2;

// Loads this thread's values, or sets their indices.
void load_values(uint tile_first, uint held) {
    const bool by_index = VALUE_WORDS > 1 || COUNTED_VALUES != 0;
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        value[w] = item_index(tile_first, w);
        if (!by_index && ((TWO_WAYS && held == TILE) || item_index(0, w) < held))
            value[w] = values.at[value[w]];
#ifdef SEGMENTS
        if (COUNTED_VALUES != 0) value[w] -= FIRST_ELEMENT;
#endif
    }
}

// Orders the values of a turn in shared memory. Called by all threads.
void stage_values(uint turn) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        if (in_turn(item_place(w), turn)) space[item_place(w) - turn * TURN] = value[w];
}

// Fetches all values of a chunk before the first is written.
#define FETCH_AND_WRITE(type, from_, to)                                         \
    {                                                                            \
        type fetched[CHUNK];                                                     \
        [[unroll]] for (uint w = 0; w < CHUNK; ++w)                              \
            if (from + w < TURN_ITEMS && written_place(first + w) < held) fetched[w] = from_.at[staged[w]]; \
        [[unroll]] for (uint w = 0; w < CHUNK; ++w)                              \
            if (from + w < TURN_ITEMS && written_place(first + w) < held) to.at[targets[w]] = fetched[w]; \
    }

void write_some_values(uint turn, uint from, uint held) {
    uint first = turn * TURN_ITEMS + from;
    uint staged[CHUNK];
    uint targets[CHUNK];
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (from + w < TURN_ITEMS) staged[w] = space[staged_place(first + w, turn)];
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (from + w < TURN_ITEMS)
            targets[w] = kept_targets[first + w];
    if (VALUE_WORDS == 2) FETCH_AND_WRITE(uvec2, values_vec2, values_out_vec2)
    if (VALUE_WORDS == 4) FETCH_AND_WRITE(uvec4, values_vec4, values_out_vec4)
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

void write_values(uint turn, uint held) {
    EACH_CHUNK(write_some_values)
}
#endif

// Orders the keys of a turn in shared memory. Called by all threads.
void stage_keys(uint turn) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        if (in_turn(item_place(w), turn)) stage_key(item_place(w) - turn * TURN, own[w]);
}

// Scatters the keys of one turn. In the last turn, loads the keys of the next tile while writing. Called by all
// threads.
void scatter_keys(uint turn, uint tile_first, uint held, bool another) {
    if (turn == 0) look_ahead();
    barrier();  // the counters, or the keys of the previous turn, have been read
    stage_keys(turn);
    if (turn == 0) set_targets();
    barrier();
    if (turn == 0) set_missing_targets();
#ifdef PAIRS
    if (turn == 0 && VALUES_AFTER == AFTER_ORDERING) load_values(tile_first, held);
#else
    if (turn + 1 == TURNS && another) load_keys(tile_first + TILE);
#endif
    write_keys(turn, held);
}

#ifdef PAIRS
// Scatters the values of one turn. Called by all threads.
void scatter_values(uint turn, uint tile_first, uint held, bool another) {
    barrier();  // the previous contents have been read
    stage_values(turn);
    barrier();
    if (turn + 1 == TURNS && another) load_keys(tile_first + TILE);
    write_values(turn, held);
}
#endif

// Expanded by hand: if the driver does not unroll a loop over turns, arrays have variable indices and leave the
// registers.
#define EACH_TURN(scatter)                                       \
    scatter(0, tile_first, held, another);                       \
    if (TURNS > 1) scatter(1, tile_first, held, another);        \
    if (TURNS > 2) scatter(2, tile_first, held, another);        \
    if (TURNS > 3) scatter(3, tile_first, held, another);

// Writes the tile that starts at element `tile_first`. `end` is the end of the workgroup's range. Called by all
// threads.
void scatter_tile(uint tile_first, uint end) {
    uint held = min(TILE, element_count() - tile_first);
    bool another = has_another(tile_first, end);
#ifdef PAIRS
    if (VALUES_AFTER == AFTER_RANKING) load_values(tile_first, held);
#endif
    EACH_TURN(scatter_keys)
#ifdef PAIRS
    EACH_TURN(scatter_values)
#endif
}

#endif

#endif
