// Ranks the keys of a tile by bucket across a workgroup: the core of block-level and one-sweep multisplit.
//
// A tile has ITEMS windows per subgroup; the order of its keys is (subgroup, window, lane). A key's place in the
// ordered tile is the sum of three numbers: keys of smaller buckets, keys of its bucket in earlier subgroups, and
// keys of its bucket before it in its own subgroup. The last one is the key's rank.
//
// Ballot ranking works on every device. If ranks_in_registers(), each lane counts one bucket in a register. Otherwise
// keys are counted first, with atomic additions whose order is irrelevant, in one row of counters per subgroup. A
// prefix sum over buckets and subgroups replaces each counter by the place where the subgroup's keys of the bucket
// start. Then, window by window, ballots give each lane the lanes that share its bucket, and the last of these lanes
// advances the counter for all. The tile's counts are known before ranking, so later tiles, which look back, wait less.
//
// Lane-order ranking needs no ballots and counts while it ranks: if atomics of one instruction execute in lane
// order, the value that an addition returns is the rank.
//
// In a partial tile, missing keys count as keys of the last bucket. They are last in the tile order, so their
// places follow those of all real keys, and ballots do not need a mask of active lanes. They make the last
// bucket's count too large, but only in the very last tile, which has no successor.

#ifndef RANK_TILE_GLSL
#define RANK_TILE_GLSL

#include "multisplit.glsl"
#include "groups.glsl"
#include "subgroup_sums.glsl"
#include "voting.glsl"
#include "each_item.glsl"

layout(constant_id = ITEMS_ID) const uint ITEMS = 8;  // at most MAX_ITEMS
const uint MAX_ITEMS = 32;
// 0: ballot ranking. 1: lane-order ranking. It relies on behaviour that Vulkan does not guarantee and that the
// host must probe: shared-memory atomics of a subgroup execute in program order, and those of one instruction on
// the same address in lane order.
layout(constant_id = RANKING_ID) const uint RANKING = 0;
const uint RANKING_BY_LANE_ORDER = 1;
// For tests of the lane-order check: lanes add in reverse order.
layout(constant_id = REVERSED_LANES_ID) const uint REVERSED_LANES = 0;
// Number of turns in which a tile passes through shared memory, with ITEMS / TURNS keys per thread in each. A tile
// may thus be larger than shared memory.
layout(constant_id = TURNS_ID) const uint TURNS = 1;

const uint SUBGROUPS = gl_WorkGroupSize.x / SUBGROUP_SIZE;
const uint ROW = 1u << BUCKET_BITS;
const uint TILE = gl_WorkGroupSize.x * ITEMS;
const uint TURN = TILE / TURNS;
// Minimum BUCKET_BITS for lane-order ranking. With fewer, contention makes atomics slower than ballots.
const uint MIN_BITS_BY_LANE_ORDER = 3;
const bool RANK_BY_LANE_ORDER = RANKING == RANKING_BY_LANE_ORDER && BUCKET_BITS >= MIN_BITS_BY_LANE_ORDER;
// Minimum BUCKET_BITS for counters in shared memory, if there are fewer buckets than lanes.
const uint MIN_BITS_BY_COUNTERS = 3;
// Whether two subgroups share a row of counters, one in each half of the words. This saves shared memory if rows
// are long, but costs an instruction or two per key. Used if subgroups are narrow and rows therefore many, and for
// lane-order ranking, whose kernels have instructions to spare. 16 bits suffice, because a tile has fewer than
// 2^16 keys.
const uint MIN_LANES_UNPAIRED = 32;
const uint NEVER = 32;  // more bits than any bucket id has
const bool PAIRED_ROWS = BUCKET_BITS > (RANKING == RANKING_BY_LANE_ORDER || SUBGROUP_SIZE < MIN_LANES_UNPAIRED ? LANE_BITS : NEVER);
// Whether the kernel has separate code for full tiles. Only small kernels do: compilers duplicate the whole
// kernel, which in larger ones costs more than a comparison per key.
#ifdef PAIRS
const bool TWO_WAYS = BUCKET_BITS == 1;
#else
const bool TWO_WAYS = !RANK_BY_LANE_ORDER && BUCKET_BITS <= LANE_BITS;
#endif
const uint ROWS = PAIRED_ROWS ? (SUBGROUPS + 1) / 2 : SUBGROUPS;
const uint COUNTER_WORDS = ROWS * ROW;
const uint TURN_WORDS = TURN * (KEY_BITS / 32);

// Returns whether counts are kept in registers, one bucket per lane. That is faster than shared counters if there are
// so few buckets that most lanes would contend for one counter, or if there are as many buckets as lanes. This and
// counts_first() are functions, because GLSL compilers reject constants that contain &&.
bool ranks_in_registers() {
    if (RANK_BY_LANE_ORDER) return false;
    return BUCKET_BITS == LANE_BITS || (BUCKET_BITS < LANE_BITS && BUCKET_BITS < MIN_BITS_BY_COUNTERS);
}

// Returns whether keys are counted before they are ranked.
bool counts_first() {
    return !RANK_BY_LANE_ORDER && !ranks_in_registers();
}

// One array serves two purposes, because shared memory limits the number of resident workgroups. First it holds the
// counters, one row per subgroup or pair of subgroups: the counts of the subgroup's keys by bucket, later the starts of
// these keys in the ordered tile. When every key has its place, the array holds the keys of the tile, or of one turn.
shared uint space[COUNTER_WORDS > TURN_WORDS ? COUNTER_WORDS : TURN_WORDS];
// bucket_targets[b] + place is the output position of the key of bucket b at `place` in the ordered tile. With
// BUCKET_BORDERS, b is the index among the buckets that have keys.
shared uint bucket_targets[ROW];

// Own buckets of this thread: thread_rank(), thread_rank() + workgroup size, ... For each: the number of keys in
// the tile, and their start in the ordered tile.
const uint OWN_BUCKETS = (ROW + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
uint bucket_count[OWN_BUCKETS];
uint bucket_begin[OWN_BUCKETS];

uint own_bucket(uint k) {
    return k * gl_WorkGroupSize.x + thread_rank();
}

#ifdef BUCKET_BORDERS
#include "bucket_borders.glsl"
#else
#define SUMMED(count) count
#define begin_at(k, sum) bucket_begin[k] = sum

// Sets the output position of the tile's first key in own bucket k.
void set_target(uint k, uint target) {
    if (own_bucket(k) < ROW) bucket_targets[own_bucket(k)] = target - bucket_begin[k];
}
#endif

// Keys of this thread.
KEY own[ITEMS];

// Returns the element index of an item of this thread.
uint item_index(uint tile_first, uint item) {
    return tile_first + (gl_SubgroupID * ITEMS + item) * SUBGROUP_SIZE + gl_SubgroupInvocationID;
}

// Items are accessed by macros with constant item numbers, because drivers move an array that is indexed by a variable
// from registers to local memory.
//
// If registers are scarce (packs_places()), a word of `places` holds the ranks or places of two items. Compilers that
// can see both halves keep them in separate registers. Combining the word with UNKNOWN_ZERO, a zero that the compiler
// does not know, prevents that.
uint places[(ITEMS + 1) / 2];
uint ranked[ITEMS];  // without packing: place in the lower half, bucket in the upper half
#define UNKNOWN_ZERO (gl_NumWorkGroups.z - 1)  // z is always 1
#define set_place(item, place)                                                     \
    {                                                                              \
        uint place_ = place;                                                       \
        if (!packs_places()) ranked[item] += place_;                                \
        else if (((item) & 1) == 0) places[(item) / 2] = place_;                   \
        else places[(item) / 2] = (places[(item) / 2] | place_ << 16) ^ UNKNOWN_ZERO; \
    }
#define add_place(item, more)                                                      \
    {                                                                              \
        uint more_ = more;                                                         \
        if (!packs_places()) ranked[item] += more_;                                \
        else if (((item) & 1) == 0) places[(item) / 2] += more_;                   \
        else places[(item) / 2] = (places[(item) / 2] + (more_ << 16)) ^ UNKNOWN_ZERO; \
    }
#define item_place(item)                                                           \
    (packs_places() ? (places[(item) / 2] >> ((item) & 1) * 16) & 0xFFFFu : ranked[item] & 0xFFFFu)

#ifdef BUCKET_FROM_KEY
// The bucket is computed from the key whenever it is needed, which is as fast as keeping it in a register.
#define item_bucket(item) bucket_at(own[item])
#define set_bucket(item, bucket)
bool packs_places() { return true; }
#else
uint item_buckets[ITEMS];
#define item_bucket(item) (packs_places() ? item_buckets[item] : ranked[item] >> 16)
#define set_bucket(item, bucket)                             \
    {                                                        \
        uint bucket_ = bucket;                               \
        if (packs_places()) item_buckets[item] = bucket_;    \
        else ranked[item] = bucket_ << 16;                   \
    }
bool packs_places() { return RANKING != RANKING_BY_LANE_ORDER && BUCKET_BITS > LANE_BITS; }
#endif

#define EACH_WINDOW(visit) EACH_ITEM(visit) MORE_WINDOWS(visit)
// A loop that never runs. It keeps NVIDIA's compiler from splitting the packed arrays: 80 registers instead of 99
// in a round of a sort, which allows a second workgroup per multiprocessor. With 64-bit keys, and in a split of
// pairs, it costs more than it saves.
#if KEY_BITS == 32 && (defined(SORT) || !defined(PAIRS))
#define MORE_WINDOWS(visit) for (uint w = MAX_ITEMS; w < ITEMS; ++w) { visit(w % ITEMS); }
#else
#define MORE_WINDOWS(visit)
#endif

// counter_row() returns the start of the subgroup's row of counters, counter_shift() the shift of its half of each
// word.
uint counter_row() {
    return (PAIRED_ROWS ? gl_SubgroupID / 2 : gl_SubgroupID) * ROW;
}

uint counter_shift() {
    return PAIRED_ROWS ? (gl_SubgroupID & 1) * 16 : 0;
}

uint own_half(uint word) {
    return PAIRED_ROWS ? (word >> counter_shift()) & 0xFFFFu : word;
}

// Clears the counters. Called by all threads; ends with a barrier, which covers the workgroup if subgroups share rows
// (PAIRED_ROWS), and otherwise only the subgroup.
void clear_counters() {
    if (PAIRED_ROWS) {
        for (uint i = thread_rank(); i < COUNTER_WORDS; i += gl_WorkGroupSize.x) space[i] = 0;
        barrier();
    } else {
        for (uint b = gl_SubgroupInvocationID; b < ROW; b += SUBGROUP_SIZE)
            space[counter_row() + b] = 0;
        subgroupBarrier();
    }
}

// Adds to the subgroup's counter of a bucket and returns the previous value.
uint add_to_counter(uint bucket, uint count) {
    return own_half(atomicAdd(space[counter_row() + bucket], count << counter_shift()));
}

// For ranking in registers: the number of keys so far in bucket b, held by lane b.
uint held_count;

// Returns the rank of this lane's key and updates the counts. Called by whole subgroups.
uint rank_in_register(uint bucket) {
    vote_all(bucket);
    uint rank = subgroupShuffle(held_count, bucket) + lanes_before(lanes_of_bucket(bucket));
    held_count += votes_for(lanes_of_low_bits(), 0);
    return rank;
}

// Ranks all items by ballots and writes the subgroup's counts to its row. Called by whole subgroups.
void rank_in_registers() {
    held_count = 0;
#define RANK(w) set_place(w, rank_in_register(item_bucket(w)))
    EACH_WINDOW(RANK)
#undef RANK
    if (gl_SubgroupInvocationID < ROW) space[counter_row() + gl_SubgroupInvocationID] = held_count;
}

// Simulates a device that executes lanes in reverse order: each lane adds for the lane at the mirrored index.
uint add_in_reverse(uint bucket) {
    uint other = SUBGROUP_SIZE - 1 - gl_SubgroupInvocationID;
    return subgroupShuffle(add_to_counter(subgroupShuffle(bucket, other), 1), other);
}

// Ranks all items in lane order, and counts them in the subgroup's row. Called by all threads.
void rank_by_lane_order() {
    clear_counters();
    if (REVERSED_LANES != 0) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) set_place(w, add_in_reverse(item_bucket(w)))
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) set_place(w, add_to_counter(item_bucket(w), 1))
    }
}

// Counts all items in the subgroup's row. Called by all threads.
void count_items() {
    clear_counters();
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        atomicAdd(space[counter_row() + item_bucket(w)], 1u << counter_shift());
}

// Returns the place of this lane's key: the counter plus the number of earlier lanes with the same bucket. The
// last lane of a bucket advances the counter for all of them. Called by whole subgroups.
uint place_by_ballots(uint bucket) {
    uvec4 sharing = lanes_sharing(bucket);
    uint before = lanes_before(sharing);
    uint begin = 0;
    if (is_last_lane(sharing)) begin = add_to_counter(bucket, before + 1);
    subgroupBarrier();  // orders the additions of consecutive windows
    return subgroupShuffle(begin, last_lane(sharing)) + before;
}

// Returns the exclusive prefix sum over the threads, plus `carry`, and adds the workgroup's sum to `carry`. Called
// by all threads; a barrier() is required before the next call.
uint sum_of_earlier_threads(uint value, inout uint carry) {
    uint through = subgroupInclusiveAdd(value);
    uint total;
    uint earlier = sum_of_earlier_subgroups(subgroupShuffle(through, SUBGROUP_SIZE - 1), total);
    earlier += carry + through - value;
    carry += total;
    return earlier;
}

// Returns the number of keys of bucket b in the tile.
uint count_in_tile(uint b) {
    uint count = 0;
    if (b < ROW) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            uint word = space[r * ROW + b];
            count += PAIRED_ROWS ? (word & 0xFFFFu) + (word >> 16) : word;
        }
    }
    return count;
}

// Replaces each subgroup's counter of bucket b by the place where the subgroup's keys of b start in the ordered tile.
// `begin` is the place of the bucket's first key.
void begin_bucket(uint b, uint begin) {
    if (b >= ROW) return;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        uint word = space[r * ROW + b];
        if (PAIRED_ROWS) {
            uint middle = begin + (word & 0xFFFFu);
            space[r * ROW + b] = begin | middle << 16;
            begin = middle + (word >> 16);
        } else {
            space[r * ROW + b] = begin;
            begin += word;
        }
    }
}

// A kernel may define COUNTED(k), which is called as soon as the tile's count of own bucket k is known.
#ifndef COUNTED
#define COUNTED(k)
#endif

// Sets bucket_count and bucket_begin, and replaces each counter by the place where the subgroup's keys of the bucket
// start in the ordered tile. Called by all threads after a barrier; ends with a barrier.
void sum_over_subgroups() {
    if (BUCKET_BITS <= LANE_BITS) {
        if (gl_SubgroupID == 0) {
            bucket_count[0] = count_in_tile(gl_SubgroupInvocationID);
            COUNTED(0);
            begin_at(0, subgroupExclusiveAdd(SUMMED(bucket_count[0])));
            begin_bucket(gl_SubgroupInvocationID, bucket_begin[0]);
        }
        barrier();
        return;
    }
    uint carry = 0;
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        bucket_count[k] = count_in_tile(own_bucket(k));
        COUNTED(k);
        begin_at(k, sum_of_earlier_threads(SUMMED(bucket_count[k]), carry));
        begin_bucket(own_bucket(k), bucket_begin[k]);
        barrier();
    }
}

#include "check_order.glsl"

// Sets the place of every item in the ordered tile. The buckets must be set. Called by all threads.
void place_items(uint tile) {
    if (counts_first()) count_items();
    else if (RANK_BY_LANE_ORDER) rank_by_lane_order();
    else rank_in_registers();
    if (RANK_BY_LANE_ORDER) check_ranks(tile);
    barrier();
    sum_over_subgroups();
    if (counts_first()) {
#define PLACE(w) set_place(w, place_by_ballots(item_bucket(w)))
        EACH_WINDOW(PLACE)
#undef PLACE
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w)
            add_place(w, own_half(space[counter_row() + item_bucket(w)]))
    }
}

#endif
