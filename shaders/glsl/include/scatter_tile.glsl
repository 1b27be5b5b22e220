// Writing a ranked tile: keys and values (of wide ones the indices) are put in order in shared
// memory first, so that neighbouring threads write neighbouring places. A tile larger than the room
// for it goes in several turns.
//
// Where the buckets go is up to the kernel, which has
//     void look_ahead()         asks for what aim_buckets() will need;
//     void aim_buckets()        calls aim() for the own buckets, before a barrier;
//     void aim_missing()        does so after it for those that it could not yet, and ends with a
//                               barrier if there were any.

#ifndef SCATTER_TILE_GLSL
#define SCATTER_TILE_GLSL

#include "multisplit.glsl"
#include "move.glsl"
#include "rank_tile.glsl"
#include "load_tile.glsl"

// Whether this workgroup goes on with the next tile.
bool has_another(uint tile_first, uint end) {
#ifdef ONE_TILE
    return false;
#else
    return tile_first + TILE < end;
#endif
}

#ifdef PERMUTATION

void scatter_tile(uint tile_first, uint end) {
    look_ahead();
    aim_buckets();
    barrier();
    aim_missing();
    if (has_another(tile_first, end)) load_keys(tile_first + TILE);
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint i = item_index(tile_first, w);
        if (i < element_count()) permutation.at[i] = bucket_targets[item_bucket(w)] + item_place(w);
    }
}

#else

const uint TURN_ITEMS = ITEMS / TURNS;

// Whether a place is part of a turn. (Two ways to ask, of which compilers make code with more or
// fewer registers; each is where it was measured to be ahead.)
bool in_turn(uint place, uint turn) {
    if (TURNS == 1) return true;
#ifdef SORT
    if (RANK_BY_LANE_ORDER && turn == 0) return place < TURN;
    if (RANK_BY_LANE_ORDER && turn + 1 == TURNS) return place >= turn * TURN;
#endif
    return place - turn * TURN < TURN;
}

// 64-bit keys lie in two halves, so that neighbours are neighbours.
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

// What this thread writes: item w of the tile in order, w TURN_ITEMS per turn.
uint written_place(uint w) {
    return w * gl_WorkGroupSize.x + thread_rank();
}

uint staged_place(uint w, uint turn) {
    return written_place(w) - turn * TURN;
}

#ifdef PAIRS
// Where the keys that this thread writes go; values follow them.
uint kept_targets[ITEMS];
#endif
// What is written is read back from shared memory so many at a time: enough to have several on
// their way, and few enough to be held in registers beside what is still to be staged.
#if KEY_BITS == 64
const uint MAX_CHUNK = 3;
#elif defined(SORT)
const uint MAX_CHUNK = 5;
#else
const uint MAX_CHUNK = TURNS > 1 ? 4 : 5;
#endif
// (At most four chunks: drivers compile each of them.)
const uint MIN_CHUNK = (TURN_ITEMS + 3) / 4;
const uint SOME_ITEMS = MIN_CHUNK > MAX_CHUNK ? MIN_CHUNK : MAX_CHUNK;
const uint CHUNK = BUCKET_BITS > LANE_BITS ? SOME_ITEMS : TURN_ITEMS;
#define EACH_CHUNK(write)                                     \
    write(turn, 0, held);                                     \
    if (CHUNK < TURN_ITEMS) write(turn, CHUNK, held);         \
    if (2 * CHUNK < TURN_ITEMS) write(turn, 2 * CHUNK, held); \
    if (3 * CHUNK < TURN_ITEMS) write(turn, 3 * CHUNK, held);

#ifndef LABELS
// Places past the last key hold missing keys, which are treated like the others, except that a
// user's function is never asked about a key that is not there.
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
// Stores a key together with its neighbour, if they share a word and a bucket; one of their two threads does it.
// Returns whether they share both. `count` keys of the turn are there.
bool store_shared_word(uint target, uint key, uint place, uint count) {
    bool even = target % 2 == 0;
    uint other = even ? place + 1 : place - 1;
    uint neighbour = staged_key(min(other, count - 1));
    bool share = other < count && bucket_at(neighbour) == bucket_at(key);
    if (share && even) store_both(target, key, neighbour);
    return share;
}

// The other keys of a chunk, one after another: there are few.
void store_lone_keys(uint lone, uint first, uint turn) {
    while (lone != 0) {
        uint w = first + findLSB(lone);
        lone &= lone - 1;
        uint key = staged_key(staged_place(w, turn));
        store_half(bucket_targets[bucket_at(key)] + written_place(w), key);
    }
}
#endif

// All keys of a chunk are read and all targets found before the first is written, so that one need
// not wait for the other.
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
// Values of one word, on their way while the keys are written; of wider values the indices, by
// which they are fetched when it is known where they go.
uint value[ITEMS];
// When values are loaded: with the keys, when the keys are ranked, or when the first of them are in
// order.
layout(constant_id = VALUES_AFTER_ID) const uint VALUES_AFTER = 2;
const uint AFTER_LOADING = 0;
const uint AFTER_RANKING = 1;
const uint AFTER_ORDERING = 2;

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

void stage_values(uint turn) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        if (in_turn(item_place(w), turn)) space[item_place(w) - turn * TURN] = value[w];
}

// Fetches all that this thread writes in a chunk before it writes the first.
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

void stage_keys(uint turn) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        if (in_turn(item_place(w), turn)) stage_key(item_place(w) - turn * TURN, own[w]);
}

// One turn: every key of it to its place. The keys of the next tile are on their way while the last
// of this one are written.
void scatter_keys(uint turn, uint tile_first, uint held, bool another) {
    if (turn == 0) look_ahead();
    barrier();  // the counters, or the keys of the turn before, have been read
    stage_keys(turn);
    if (turn == 0) aim_buckets();
    barrier();
    if (turn == 0) aim_missing();
#ifdef PAIRS
    if (turn == 0 && VALUES_AFTER == AFTER_ORDERING) load_values(tile_first, held);
#else
    if (turn + 1 == TURNS && another) load_keys(tile_first + TILE);
#endif
    write_keys(turn, held);
}

#ifdef PAIRS
void scatter_values(uint turn, uint tile_first, uint held, bool another) {
    barrier();  // what was there has been read
    stage_values(turn);
    barrier();
    if (turn + 1 == TURNS && another) load_keys(tile_first + TILE);
    write_values(turn, held);
}
#endif

// Turns are spelled out: where a loop over them is not unrolled, arrays are indexed by a variable,
// and no longer kept in registers.
#define EACH_TURN(scatter)                                       \
    scatter(0, tile_first, held, another);                       \
    if (TURNS > 1) scatter(1, tile_first, held, another);        \
    if (TURNS > 2) scatter(2, tile_first, held, another);        \
    if (TURNS > 3) scatter(3, tile_first, held, another);

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
