// Decoupled look-back over one count per bucket: a workgroup obtains the output position of its tile's keys in
// each bucket while the earlier tiles are still in progress.
//
// A tile publishes one word per bucket: first its own count, later the position at which the next tile's keys of that
// bucket begin. The state is in the top two bits, so a single load returns state and value. One thread handles one
// bucket. It reads the words of several tiles at a time, because look-back must walk all tiles that started together,
// and each read has the full memory latency. After SPIN_LIMIT failed polls a thread stops, and the whole workgroup
// recounts the missing tile from its keys. Progress therefore never depends on the scheduling of other workgroups.
//
// Tiles are taken in order. Concurrent writes to a bucket are then close together, and output cache lines are
// complete before they are evicted.
//
// The including kernel declares `histogram` and, with SEGMENTS, sets `segment`.

#ifndef TILE_LOOKBACK_GLSL
#define TILE_LOOKBACK_GLSL

#include "multisplit.glsl"
#include "groups.glsl"
#include "bucket.glsl"
#include "rank_tile.glsl"
#if defined(SORT) && !defined(SEGMENTS)
#include "histogram_parts.glsl"
#endif

layout(constant_id = SPIN_LIMIT_ID) const uint SPIN_LIMIT = 1024;
layout(constant_id = TILES_AT_A_TIME_ID) const uint TILES_AT_A_TIME = 4;

const uint STATE_COUNT = 1u << 30;
const uint STATE_PLACE = 2u << 30;
const uint STATE_BITS = 3u << 30;

layout(set = 0, binding = 7, std430) volatile buffer Status {
#ifdef SEGMENTS
    uint tickets[16];  // next tile of each round
#else
    uint ticket;  // next tile; with tickets, all predecessors of a tile have started
    uint pad[3];
#endif
    uint at[];
} status;

shared uint tile_ticket;
// One more than the index of the last tile for which the look-back of a thread timed out; 0 if there is none. Must be 0
// at the start.
shared uint missing_tile;

uint this_tile;
// For each own bucket: the output position of the tile's keys, or, while it is unknown, the sum of the counts of
// the tiles from `looked_back_to` to this one. `looked_back_to` is 0 when the position is known.
uint bucket_place[OWN_BUCKETS];
uint looked_back_to[OWN_BUCKETS];

#ifdef SEGMENTS
// Returns the index of the status word of a tile for bucket b. Tiles are numbered from the first tile of their segment.
// The words of all rounds of a tile are adjacent.
uint status_index(uint tile, uint b) {
    return ((segment.first_tile + tile) * push.parts + push.round) * push.buckets + b;
}
#else
uint status_index(uint tile, uint b) {
    return tile * push.buckets + b;
}
#endif

// In small sorts, all tiles wait for the first one. It computes the bucket starts before anything else, so that it
// can publish positions as early as the other tiles publish counts.
#if defined(SORT) && !defined(SEGMENTS)
const bool BEGINS_FIRST = HISTOGRAM_PARTS > 0;
#else
const bool BEGINS_FIRST = false;
#endif

// Publishes the tile's count of own bucket k, or, in the first tile, the next tile's position if it is known
// already.
void publish_count(uint k) {
    uint b = own_bucket(k);
    if (b >= push.buckets) return;
    if (this_tile > 0) status.at[status_index(this_tile, b)] = bucket_count[k] | STATE_COUNT;
    else if (BEGINS_FIRST) status.at[status_index(0, b)] = (bucket_place[k] + bucket_count[k]) | STATE_PLACE;
}

// Called when the position of own bucket k is known: publishes the position of the next tile, and passes that of this
// tile to set_target().
void publish_position(uint k) {
    uint b = own_bucket(k);
    looked_back_to[k] = 0;
    if (b < push.buckets)
        status.at[status_index(this_tile, b)] = (bucket_place[k] + bucket_count[k]) | STATE_PLACE;
    set_target(k, bucket_place[k]);
}

// Returns the number of keys in bucket b over all tiles.
uint total_of(uint b) {
#ifdef SEGMENTS
    return histogram.at[(segment.number * push.parts + push.round) * ROW + b];
#else
#ifdef SORT
    if (HISTOGRAM_PARTS > 0) {
        uint total = 0;
        [[unroll]] for (uint part = 0; part < HISTOGRAM_PARTS; ++part)
            total += histogram.at[part_begin(push.round, part, ROW) + b];
        return total;
    }
#endif
    return histogram.at[push.round * ROW + b];
#endif
}

// Words of the tiles before looked_back_to, nearest first. In the first tile, words[0] is the total of the first own
// bucket.
uint words[TILES_AT_A_TIME];

// Loads the words of bucket b of the tiles before `end`, nearest first. Tile 0 takes the place of tiles that do not
// exist.
void read_words(uint b, uint end) {
    [[unroll]] for (uint w = 0; w < TILES_AT_A_TIME; ++w)
        words[w] = status.at[status_index(max(end, w + 1) - w - 1, b)];
}

// Adds up the words of earlier tiles, starting before looked_back_to, until one is a position. `words` must hold
// the first of them. The first tile only publishes positions, so look-back never passes it. On a timeout,
// registers the tile in missing_tile.
void look_back(uint k) {
    uint b = own_bucket(k);
    uint end = looked_back_to[k];
    uint sum = bucket_place[k];
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
            found = state == STATE_PLACE;
            if (!found) --end;
            spins = 0;
        }
        if (found || spins > SPIN_LIMIT) break;
        read_words(b, end);
    }
    bucket_place[k] = sum;
    looked_back_to[k] = end;
    if (found) {
        publish_position(k);
    } else {
        atomicMax(missing_tile, end);
    }
}

// Sets the positions of the first tile, which are the starts of the buckets: an exclusive scan of the totals.
// `first` is the total of the first own bucket. Called by all threads of the first tile; ends with a barrier.
void begin_buckets(uint first) {
    uint carry = FIRST_ELEMENT;
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        uint b = own_bucket(k);
        uint total = 0;
        if (b < push.buckets) total = k == 0 ? first : total_of(b);
        bucket_place[k] = sum_of_earlier_threads(total, carry);
        barrier();
    }
}

// Computes the bucket starts early, if BEGINS_FIRST. Called by all threads.
void begin_first() {
    if (BEGINS_FIRST && this_tile == 0) begin_buckets(own_bucket(0) < push.buckets ? total_of(own_bucket(0)) : 0);
}

// Issues the first loads of look-back. Called before the keys are ordered in shared memory, which hides the latency.
void look_ahead() {
    uint b = own_bucket(0);
    if (b >= push.buckets) return;
    if (this_tile == 0) {
        if (!BEGINS_FIRST) words[0] = total_of(b);
    } else {
        read_words(b, this_tile);
    }
}

// Determines the positions of all own buckets and passes them to set_target(), except for buckets whose look-back timed
// out. Called by all threads; a barrier and set_missing_targets() must follow.
void set_targets() {
    if (this_tile == 0) {
        if (!BEGINS_FIRST) begin_buckets(words[0]);
        [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) publish_position(k);
        return;
    }
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        bucket_place[k] = 0;
        looked_back_to[k] = this_tile;
        if (k > 0 && own_bucket(k) < push.buckets) read_words(own_bucket(k), this_tile);
        look_back(k);
    }
}

// Returns the start of bucket b in the output. Needed if the first tile, which would publish it, was recounted.
uint global_begin(uint b) {
    uint sum = FIRST_ELEMENT;
    for (uint other = 0; other < b; ++other) sum += total_of(other);
    return sum;
}

// Recounts are kept in bucket_targets; set_missing_targets() restores the targets afterwards.
#define VISIT_KEY(key) atomicAdd(bucket_targets[bucket_at(key)], 1)
#include "visit_keys.glsl"

// Counts the keys of a tile by bucket, in bucket_targets. Called by all threads.
void count_again(uint tile) {
    barrier();
    for (uint b = thread_rank(); b < ROW; b += gl_WorkGroupSize.x) bucket_targets[b] = 0;
    barrier();
    visit_keys(FIRST_OF(tile), min(FIRST_OF(tile) + TILE, element_count()));
    barrier();
}

// Adds the recounted tile `missing - 1` to the look-back of own bucket k, if that tile is the next one it needs.
void add_recount(uint k, uint missing) {
    uint b = own_bucket(k);
    if (b >= push.buckets || looked_back_to[k] != missing) return;
    bucket_place[k] += bucket_targets[b];
    --looked_back_to[k];
    if (looked_back_to[k] == 0) bucket_place[k] += global_begin(b);
}

// Recounts missing tiles, the last one first, until look-back is complete for all buckets; then sets all targets
// again. Called by all threads.
void set_missing_targets() {
    uint missing = missing_tile;
    if (missing == 0) return;
    while (missing > 0) {
        count_again(missing - 1);
        [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) add_recount(k, missing);
        if (thread_rank() == 0) missing_tile = 0;
        barrier();
        [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k)
            if (looked_back_to[k] > 0) {
                read_words(own_bucket(k), looked_back_to[k]);
                look_back(k);
            }
        barrier();
        missing = missing_tile;
        barrier();
    }
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) publish_position(k);
    barrier();
}

#endif
