// Decoupled look-back over one count per bucket: how a workgroup learns where each bucket's keys of
// its own tile go, while the tiles before it are still being worked on.
//
// A tile publishes one word per bucket: first its own count, later the place where the next tile's
// keys of that bucket begin. The state is in the two top bits of the word, so that one plain load
// sees both. One thread looks after one bucket. It reads the words of several tiles at a time: all of
// a wave of tiles that began together have to be walked over, and one after another each word takes
// the whole way to memory and back. A thread that finds nothing more than SPIN_LIMIT times gives up,
// and then the whole workgroup counts the missing tile again from the keys: progress never depends on
// another workgroup being scheduled.
//
// Tiles are taken in order, one after another, whatever workgroup takes them: what is written at a
// time then lies close together in every bucket, and lines of the output are complete before a
// cache gives them up.

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
    uint tickets[16];  // the same, of each round
#else
    uint ticket;  // tiles are taken in this order, so that a tile's predecessors have all started, if by tickets
    uint pad[3];
#endif
    uint at[];
} status;

shared uint tile_ticket;
// One more than the last tile that somebody misses; 0 if nobody does, as it must be at first.
shared uint missing_tile;

uint this_tile;
// Of each own bucket: where the tile's keys go; or, as long as that is not known, what the tiles
// from `looked_back_to` on add to it. That is 0 when it is known.
uint bucket_place[OWN_BUCKETS];
uint looked_back_to[OWN_BUCKETS];

#ifdef SEGMENTS
// Tiles count from the first of their segment; the words of all rounds of a tile lie together.
uint status_index(uint tile, uint b) {
    return ((segment.first_tile + tile) * push.parts + push.round) * push.buckets + b;
}
#else
uint status_index(uint tile, uint b) {
    return tile * push.buckets + b;
}
#endif

// Few keys have few tiles, which all wait for the first: that one finds out where buckets begin before anything
// else, and has a place to publish as soon as the others have a count.
#if defined(SORT) && !defined(SEGMENTS)
const bool BEGINS_FIRST = HISTOGRAM_PARTS > 0;
#else
const bool BEGINS_FIRST = false;
#endif

void publish_count(uint k) {
    uint b = own_bucket(k);
    if (b >= push.buckets) return;
    if (this_tile > 0) status.at[status_index(this_tile, b)] = bucket_count[k] | STATE_COUNT;
    else if (BEGINS_FIRST) status.at[status_index(0, b)] = (bucket_place[k] + bucket_count[k]) | STATE_PLACE;
}

// Where the tile's keys of own bucket k go is known.
void settle(uint k) {
    uint b = own_bucket(k);
    looked_back_to[k] = 0;
    if (b < push.buckets)
        status.at[status_index(this_tile, b)] = (bucket_place[k] + bucket_count[k]) | STATE_PLACE;
    aim(k, bucket_place[k]);
}

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

// Words of the tiles before looked_back_to, the nearest first; in the first tile, a bucket's total.
uint words[TILES_AT_A_TIME];

void read_words(uint b, uint end) {
    [[unroll]] for (uint w = 0; w < TILES_AT_A_TIME; ++w)
        words[w] = status.at[status_index(max(end, w + 1) - w - 1, b)];
}

// Adds up words from the tile before looked_back_to on down, of which the first have been read, until
// there is a place. The first tile has nothing but one, so that none is looked for before it.
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
        settle(k);
    } else {
        atomicMax(missing_tile, end);
    }
}

// The first tile's keys go where the buckets begin: `first` is the total of the first own bucket. Called by all
// threads of that tile; ends with a barrier.
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

void begin_first() {
    if (BEGINS_FIRST && this_tile == 0) begin_buckets(own_bucket(0) < push.buckets ? total_of(own_bucket(0)) : 0);
}

// What is read here is on its way while keys are put in order.
void look_ahead() {
    uint b = own_bucket(0);
    if (b >= push.buckets) return;
    if (this_tile == 0) {
        if (!BEGINS_FIRST) words[0] = total_of(b);
    } else {
        read_words(b, this_tile);
    }
}

void aim_buckets() {
    if (this_tile == 0) {
        if (!BEGINS_FIRST) begin_buckets(words[0]);
        [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) settle(k);
        return;
    }
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        bucket_place[k] = 0;
        looked_back_to[k] = this_tile;
        if (k > 0 && own_bucket(k) < push.buckets) read_words(own_bucket(k), this_tile);
        look_back(k);
    }
}

// Where bucket b begins in the output, for whoever has counted the first tile again.
uint global_begin(uint b) {
    uint sum = FIRST_ELEMENT;
    for (uint other = 0; other < b; ++other) sum += total_of(other);
    return sum;
}

// Counts go where the targets will be, which are set again when nothing is missing any more.
#define VISIT_KEY(key) atomicAdd(bucket_targets[bucket_at(key)], 1)
#include "visit_keys.glsl"

// The counts of a tile's keys by bucket, into bucket_targets. Called by all threads.
void count_again(uint tile) {
    barrier();
    for (uint b = thread_rank(); b < ROW; b += gl_WorkGroupSize.x) bucket_targets[b] = 0;
    barrier();
    visit_keys(FIRST_OF(tile), min(FIRST_OF(tile) + TILE, element_count()));
    barrier();
}

// What the tile `missing - 1` was found to have takes the search for own bucket k on.
void go_on(uint k, uint missing) {
    uint b = own_bucket(k);
    if (b >= push.buckets || looked_back_to[k] != missing) return;
    bucket_place[k] += bucket_targets[b];
    --looked_back_to[k];
    if (looked_back_to[k] == 0) bucket_place[k] += global_begin(b);
}

void aim_missing() {
    uint missing = missing_tile;
    if (missing == 0) return;
    while (missing > 0) {
        count_again(missing - 1);
        [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) go_on(k, missing);
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
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) settle(k);
    barrier();
}

#endif
