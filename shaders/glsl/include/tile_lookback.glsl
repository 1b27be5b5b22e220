// Decoupled look-back over one count per bucket: a workgroup obtains the output position of its tile's keys in each
// bucket while the earlier tiles are still in progress. docs/kernels-sort.md explains why it always ends.
//
// A tile publishes one status word per bucket: first its own count (except the first tile), later its inclusive prefix,
// which is the position at which the next tile's keys of that bucket begin. The state is in the top two bits, so a
// single load returns state and value; state 0 means that the tile has published nothing yet. Each bucket has one
// thread. It reads the words of several tiles at a time, because look-back must walk all tiles that started together,
// and each read has the full memory latency. After more than SPIN_LIMIT failed polls in a row, it stops, and the whole
// workgroup recounts the missing tile. Progress therefore never depends on the scheduling of other workgroups.
//
// Needs, declared before this file:
//     struct Tile     a tile; its member `number` counts the tiles that look back to each other, from 0
//     BEGINS_FIRST    constant: whether the first tile computes its positions before its counts (begin_first())
//     status.at[]     status words, in a volatile buffer; 0 at the start
//     keys            see key_at.glsl; and push.buckets, the number of buckets
//     bucket_targets  shared array, see scatter_tile.glsl
//     missing_tile    shared word: one more than the highest number of a tile for which a look-back timed out, or 0,
//                     as at the start, if there is none
// and functions, in which `tile` is the tile of this workgroup:
//     bucket_at(key)                 the bucket of a key
//     status_index(tile, number, b)  index in status.at[] of the word of tile `number` for bucket b
//     total_of(tile, b)              number of keys of bucket b in all tiles
//     first_position(tile)           output position of the first key of all tiles
//     first_element(tile, number)    first element of tile `number`
//     end_element(tile)              end of the last tile's elements
// Gives: struct LookBack, and the steps in their order: begin_first(), publish_counts(), look_ahead(), set_targets(),
// then a barrier, and set_missing_targets(). All threads call all steps.

#ifndef TILE_LOOKBACK_GLSL
#define TILE_LOOKBACK_GLSL

#include "tile_shape.glsl"
#include "rank_tile.glsl"
#include "key_at.glsl"

layout(constant_id = SPIN_LIMIT_ID) const uint SPIN_LIMIT = 1024;
layout(constant_id = TILES_AT_A_TIME_ID) const uint TILES_AT_A_TIME = 4;

const uint STATE_COUNT = 1u << 30;
const uint STATE_PREFIX = 2u << 30;
const uint STATE_BITS = 3u << 30;

uint bucket_at(const KEY key);
uint status_index(const Tile tile, const uint number, const uint b);
uint total_of(const Tile tile, const uint b);
uint first_position(const Tile tile);
uint first_element(const Tile tile, const uint number);
uint end_element(const Tile tile);

// The look-back for one bucket.
struct LookBack {
    // Output position of the tile's first key. While it is unknown: the sum of the counts of the tiles that were added.
    uint position;
    // 0 if the position is known. Otherwise, the tiles from this number on were added.
    uint end;
};

// Publishes the tile's counts. The first tile publishes prefixes instead, if BEGINS_FIRST, and otherwise nothing.
void publish_counts(const Tile tile, in uint counts[OWN_BUCKETS], in LookBack looks[OWN_BUCKETS]) {
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        uint b = own_bucket(k);
        if (b >= push.buckets) continue;
        if (tile.number > 0) status.at[status_index(tile, tile.number, b)] = counts[k] | STATE_COUNT;
        else if (BEGINS_FIRST) status.at[status_index(tile, 0, b)] = (looks[k].position + counts[k]) | STATE_PREFIX;
    }
}

// Called when the position of bucket b is known: publishes the prefix, and sets the target of the bucket.
void publish_prefix(const Tile tile, const uint b, const uint count, const uint start, inout LookBack look) {
    look.end = 0;
    if (b < push.buckets) status.at[status_index(tile, tile.number, b)] = (look.position + count) | STATE_PREFIX;
    if (b < COUNTERS) bucket_targets[b] = look.position - start;
}

// Loads the words of bucket b of the tiles before `end`, nearest first. Tile 0 takes the place of tiles that do not
// exist.
void read_words(const Tile tile, const uint b, const uint end, out uint words[TILES_AT_A_TIME]) {
    [[unroll]] for (uint w = 0; w < TILES_AT_A_TIME; ++w)
        words[w] = status.at[status_index(tile, max(end, w + 1) - w - 1, b)];
}

// Adds up the words of earlier tiles, starting before look.end, until one is a prefix. `words` must hold the first of
// them. The first tile only publishes prefixes, so look-back never passes it. On a timeout, registers the tile in
// missing_tile.
void look_back(
    const Tile tile, const uint b, const uint count, const uint start,
    inout LookBack look, inout uint words[TILES_AT_A_TIME]
) {
    uint end = look.end;
    uint sum = look.position;
    bool found = b >= push.buckets;
    uint spins = 0;
    while (!found) {
        bool missing = false;
        ++spins;
        [[unroll]] for (uint w = 0; w < TILES_AT_A_TIME; ++w) {
            uint state = words[w] & STATE_BITS;
            missing = missing || state == 0;
            if (found || missing) continue;
            sum += words[w] & ~STATE_BITS;
            found = state == STATE_PREFIX;
            if (!found) --end;
            spins = 0;
        }
        if (found || spins > SPIN_LIMIT) break;
        read_words(tile, b, end, words);
    }
    look.position = sum;
    look.end = end;
    if (found) publish_prefix(tile, b, count, start, look);
    else atomicMax(missing_tile, end);  // atomic: the threads of several buckets may time out
}

// Sets the positions of the first tile, which are the starts of the buckets in the output: an exclusive scan of the
// totals. `first_total` is the total of the first own bucket. Called by all threads of the first tile; ends with a
// barrier.
void begin_buckets(const Tile tile, const uint first_total, inout LookBack looks[OWN_BUCKETS]) {
    uint carry = first_position(tile);
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        uint b = own_bucket(k);
        uint total = 0;
        if (b < push.buckets) total = k == 0 ? first_total : total_of(tile, b);
        looks[k].position = sum_of_earlier_threads(total, carry);
        barrier();
    }
}

// Computes the positions of the first tile early, if BEGINS_FIRST. Called by all threads.
void begin_first(const Tile tile, inout LookBack looks[OWN_BUCKETS]) {
    if (BEGINS_FIRST && tile.number == 0)
        begin_buckets(tile, own_bucket(0) < push.buckets ? total_of(tile, own_bucket(0)) : 0, looks);
}

// Issues the first loads of look-back into `words`: the status words of the first own bucket or, in the first tile, the
// bucket's total, unless BEGINS_FIRST. Called before the keys are ordered in shared memory, which hides the latency.
void look_ahead(const Tile tile, out uint words[TILES_AT_A_TIME]) {
    uint b = own_bucket(0);
    if (b >= push.buckets) return;
    if (tile.number == 0) {
        if (!BEGINS_FIRST) words[0] = total_of(tile, b);
    } else {
        read_words(tile, b, tile.number, words);
    }
}

// Determines the positions of all own buckets, publishes the prefixes, and sets the targets, except for buckets whose
// look-back timed out. Called by all threads; a barrier and set_missing_targets() must follow.
void set_targets(
    const Tile tile, in uint counts[OWN_BUCKETS], in uint starts[OWN_BUCKETS],
    inout LookBack looks[OWN_BUCKETS], inout uint words[TILES_AT_A_TIME]
) {
    if (tile.number == 0) {
        if (!BEGINS_FIRST) begin_buckets(tile, words[0], looks);
        [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k)
            publish_prefix(tile, own_bucket(k), counts[k], starts[k], looks[k]);
        return;
    }
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        looks[k] = LookBack(0, tile.number);
        if (k > 0 && own_bucket(k) < push.buckets) read_words(tile, own_bucket(k), tile.number, words);
        look_back(tile, own_bucket(k), counts[k], starts[k], looks[k], words);
    }
}

// Returns the start of bucket b in the output. Prefixes include it, the recounted counts of the first tile do not.
uint begin_of_bucket(const Tile tile, const uint b) {
    uint sum = first_position(tile);
    for (uint other = 0; other < b; ++other) sum += total_of(tile, other);
    return sum;
}

// Counts the keys of a tile by bucket in bucket_targets; set_missing_targets() restores the targets afterwards. Called
// by all threads.
void recount(const Tile tile, const uint number) {
    barrier();
    for (uint b = thread_rank(); b < COUNTERS; b += gl_WorkGroupSize.x) bucket_targets[b] = 0;
    barrier();
    uint first = first_element(tile, number);
    uint end = min(first + TILE, end_element(tile));
    for (uint i = first + thread_rank(); i < end; i += gl_WorkGroupSize.x)
        atomicAdd(bucket_targets[bucket_at(key_at(i))], 1);
    barrier();
}

// Adds the recounted tile `missing - 1` to the look-back for bucket b, if that tile is the next one it needs.
void add_recount(const Tile tile, const uint b, const uint missing, inout LookBack look) {
    if (b >= push.buckets || look.end != missing) return;
    look.position += bucket_targets[b];
    --look.end;
    if (look.end == 0) look.position += begin_of_bucket(tile, b);
}

// Recounts missing tiles, the last one first, until look-back is complete for all buckets; then publishes all prefixes
// and sets all targets again. Called by all threads.
void set_missing_targets(
    const Tile tile, in uint counts[OWN_BUCKETS], in uint starts[OWN_BUCKETS],
    inout LookBack looks[OWN_BUCKETS], inout uint words[TILES_AT_A_TIME]
) {
    uint missing = missing_tile;
    if (missing == 0) return;
    while (missing > 0) {
        recount(tile, missing - 1);
        [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) add_recount(tile, own_bucket(k), missing, looks[k]);
        if (thread_rank() == 0) missing_tile = 0;
        barrier();
        [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k)
            if (looks[k].end > 0) {
                read_words(tile, own_bucket(k), looks[k].end, words);
                look_back(tile, own_bucket(k), counts[k], starts[k], looks[k], words);
            }
        barrier();
        missing = missing_tile;
        barrier();
    }
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k)
        publish_prefix(tile, own_bucket(k), counts[k], starts[k], looks[k]);
    barrier();
}

#endif
