// Ranks the keys of a tile by bucket across a workgroup, in block-level and one-sweep multisplit and in radix sorts.
//
// A key's place in the ordered tile is the sum of three numbers: keys of smaller buckets, keys of its bucket in earlier
// subgroups, and keys of its bucket before it in its own subgroup. The last one is the key's rank.
//
// Ballot ranking works on every device. If ranks_in_registers(), each lane counts one bucket in a register. Otherwise
// keys are counted first, with atomic additions whose order is irrelevant, in the warp counters. A prefix sum over
// buckets and subgroups replaces each counter by the place where the subgroup's keys of the bucket start. Then, window
// by window, ballots give each lane the lanes that share its bucket, and the last of these lanes advances the counter
// for all. The tile's counts are known before ranking, so later tiles, which look back, wait less.
//
// Lane-order ranking needs no ballots and counts while it ranks: if atomics of one instruction execute in lane
// order, the value that an addition returns is the rank.
//
// In a partial tile, missing keys count as keys of the last bucket. They are last in the tile order, so their
// places follow those of all real keys, and ballots do not need a mask of active lanes. They make the last
// bucket's count too large, but only in the last tile of the array or segment, which has no successor.
//
// docs/kernels-sort.md has diagrams of the data flow, and explains what orders the updates of the counters.
//
// Needs: the shared array `space` of SPACE_WORDS words and the buffers `keys` and `lane_order`, declared before this
// file; with SORT, the function bucket_at().
// Gives: the keys own[] of this thread, their buckets and places (the macros below), and the steps in their order:
// load_keys(), set_bucket() for each key (not with SORT), count_tile(), count_own_buckets(), scan_own_buckets(),
// start_warps() and place_items(). All threads call all steps.

#ifndef RANK_TILE_GLSL
#define RANK_TILE_GLSL

#include "tile_shape.glsl"
#include "subgroup_sums.glsl"
#include "each_item.glsl"

// Registers of a thread: the keys of its ITEMS windows, with their buckets and places. They are file-scope variables
// and are accessed by macros with constant item numbers: GLSL copies arrays that are passed to functions, and drivers
// move an array from registers to local memory if they do not remove the copies, or if a variable index remains.
//
// If registers are scarce (packs_places()), a word of `places` holds the ranks or places of two items. Compilers that
// can see both halves keep them in separate registers. Combining the word with UNKNOWN_ZERO, a zero that the compiler
// does not know, prevents that.
KEY own[ITEMS];
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

#ifdef SORT
// The bucket is computed from the key whenever it is needed, which is as fast as keeping it in a register.
uint bucket_at(const KEY key);
#define item_bucket(item) bucket_at(own[item])
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

#if !defined(LABELS) || !defined(PERMUTATION)  // otherwise keys are not used
// Loads this thread's keys of the tile that starts at element `tile_first`. Positions at and past `end` get the key
// `missing`.
void load_keys(const uint tile_first, const uint end, const KEY missing) {
    if (TWO_WAYS && tile_first + TILE <= end) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) own[w] = keys.at[item_index(tile_first, w)];
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = item_index(tile_first, w);
            own[w] = i < end ? keys.at[i] : missing;
        }
    }
}
#endif

// Returns the index in `space` of the subgroup's first warp counter.
uint own_counters() {
    return (PAIRED_SETS ? gl_SubgroupID / 2 : gl_SubgroupID) * COUNTERS;
}

// Returns the shift of the subgroup's half of each counter word.
uint counter_shift() {
    return PAIRED_SETS ? (gl_SubgroupID & 1) * 16 : 0;
}

uint own_half(const uint word) {
    return PAIRED_SETS ? (word >> counter_shift()) & 0xFFFFu : word;
}

// Clears the warp counters. Called by all threads; ends with a barrier, which covers the workgroup if subgroups share
// words (PAIRED_SETS), and otherwise only the subgroup.
void clear_counters() {
    if (PAIRED_SETS) {
        for (uint i = thread_rank(); i < COUNTER_WORDS; i += gl_WorkGroupSize.x) space[i] = 0;
        barrier();
    } else {
        for (uint b = gl_SubgroupInvocationID; b < COUNTERS; b += SUBGROUP_SIZE)
            space[own_counters() + b] = 0;
        subgroupBarrier();
    }
}

// Adds to the subgroup's counter of a bucket and returns the previous value. Atomic, because several lanes may have the
// same bucket, and because the other subgroup of a pair adds to the same words.
uint add_to_counter(const uint bucket, const uint count) {
    return own_half(atomicAdd(space[own_counters() + bucket], count << counter_shift()));
}

// For ranking in registers: the number of keys so far in bucket b, held by lane b.
uint held_count;

// Returns the rank of this lane's key and updates the counts. Called by whole subgroups.
uint rank_in_register(const uint bucket) {
    vote_all(bucket);
    uint rank = subgroupShuffle(held_count, bucket) + lanes_before(lanes_of_bucket(bucket));
    held_count += votes_for(lanes_of_low_bits(), 0);
    return rank;
}

// Ranks all items by ballots and writes the subgroup's counts to its warp counters. Called by whole subgroups.
void rank_in_registers() {
    held_count = 0;
#define RANK(w) set_place(w, rank_in_register(item_bucket(w)))
    EACH_ITEM(RANK)
#undef RANK
    if (gl_SubgroupInvocationID < COUNTERS) space[own_counters() + gl_SubgroupInvocationID] = held_count;
}

// For tests of the lane-order check: lanes add in reverse order.
layout(constant_id = REVERSED_LANES_ID) const uint REVERSED_LANES = 0;

// Simulates a device that executes lanes in reverse order: each lane adds for the lane at the mirrored index.
uint add_in_reverse(const uint bucket) {
    uint other = SUBGROUP_SIZE - 1 - gl_SubgroupInvocationID;
    return subgroupShuffle(add_to_counter(subgroupShuffle(bucket, other), 1), other);
}

// Ranks all items in lane order, and counts them in the warp counters. Called by all threads.
void rank_by_lane_order() {
    clear_counters();
    if (REVERSED_LANES != 0) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) set_place(w, add_in_reverse(item_bucket(w)))
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) set_place(w, add_to_counter(item_bucket(w), 1))
    }
}

layout(constant_id = CANARY_PERIOD_ID) const uint CANARY_PERIOD = 0;  // 0: tiles are not checked
// Avoids a division by zero if checks are disabled.
const uint PERIOD = CANARY_PERIOD == 0 ? 1 : CANARY_PERIOD;
// Shift of the checked tiles from one round of a sort to the next. Odd, because CANARY_PERIOD is mostly a power of two.
const uint TILES_BETWEEN_ROUNDS = 37;

// Checks some ranks of lane-order ranking in some tiles, and sets a word for the host if one is wrong, because Vulkan
// does not guarantee the order. The first tile is checked, so that even the smallest sort has a check, and one tile in
// CANARY_PERIOD, different ones in each round of a sort. A cause of a different order (another GPU or driver, a
// compiler that splits an instruction) would affect many tiles.
//
// If additions to a counter are ordered by lane within an instruction and by program order within a subgroup, the rank
// of a key in the subgroup's first window is the number of earlier lanes with the same bucket, which ballots compute
// independently. The rank is higher if a later lane, or a lane of a later window, incremented the counter before. All
// steps after ranking rely on guaranteed behaviour only.
//
// Called by all threads with the same tile, after ranking and before ranks are converted to places. The barrier that
// follows hides the latency.
void check_ranks(const uint tile, const uint round) {
    if (CANARY_PERIOD == 0) return;
    if (tile == 0 || (tile + round * TILES_BETWEEN_ROUNDS) % PERIOD == 0) {
        uint before = lanes_before(lanes_sharing(item_bucket(0)));
        if (item_place(0) != before) atomicOr(lane_order.violated, 1);
    }
}

// Counts all items in the warp counters. Called by all threads.
void count_items() {
    clear_counters();
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        atomicAdd(space[own_counters() + item_bucket(w)], 1u << counter_shift());
}

// Counts the tile's keys in the warp counters, and ranks them if the ranking counts at the same time. `tile` and
// `round` select the tiles whose ranks are checked. Ends with a barrier.
void count_tile(const uint tile, const uint round) {
    if (counts_first()) count_items();
    else if (RANK_BY_LANE_ORDER) rank_by_lane_order();
    else rank_in_registers();
    if (RANK_BY_LANE_ORDER) check_ranks(tile, round);
    barrier();
}

// Returns the number of keys of bucket b in the tile.
uint count_in_tile(const uint b) {
    uint count = 0;
    if (b < COUNTERS) {
        [[unroll]] for (uint s = 0; s < COUNTER_SETS; ++s) {
            uint word = space[s * COUNTERS + b];
            count += PAIRED_SETS ? (word & 0xFFFFu) + (word >> 16) : word;
        }
    }
    return count;
}

// Sets `counts` to the number of keys in each own bucket, 0 for those past the last one.
void count_own_buckets(out uint counts[OWN_BUCKETS]) {
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) counts[k] = count_in_tile(own_bucket(k));
}

// Returns the exclusive prefix sum over the threads, plus `carry`, and adds the workgroup's sum to `carry`. Called
// by all threads; a barrier() is required before the next call.
uint sum_of_earlier_threads(const uint value, inout uint carry) {
    uint through = subgroupInclusiveAdd(value);
    uint total;
    uint earlier = sum_of_earlier_subgroups(subgroupShuffle(through, SUBGROUP_SIZE - 1), total);
    earlier += carry + through - value;
    carry += total;
    return earlier;
}

// Sets the sum of each own bucket to the sum of the numbers of all smaller buckets. The sums of counts are the starts
// of the buckets in the ordered tile.
void scan_own_buckets(in uint numbers[OWN_BUCKETS], out uint sums[OWN_BUCKETS]) {
    if (BUCKET_BITS <= LANE_BITS) {
        if (gl_SubgroupID == 0) sums[0] = subgroupExclusiveAdd(numbers[0]);
        return;
    }
    uint carry = 0;
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        if (k > 0) barrier();
        sums[k] = sum_of_earlier_threads(numbers[k], carry);
    }
}

// Replaces each warp counter of bucket b by the place where the subgroup's keys of b start in the ordered tile. `start`
// is the place of the bucket's first key.
void start_bucket(const uint b, uint start) {
    if (b >= COUNTERS) return;
    [[unroll]] for (uint s = 0; s < COUNTER_SETS; ++s) {
        uint word = space[s * COUNTERS + b];
        if (PAIRED_SETS) {
            uint middle = start + (word & 0xFFFFu);
            space[s * COUNTERS + b] = start | middle << 16;
            start = middle + (word >> 16);
        } else {
            space[s * COUNTERS + b] = start;
            start += word;
        }
    }
}

// Replaces all warp counters by places, given the starts of the own buckets in the ordered tile. Ends with a barrier.
void start_warps(in uint starts[OWN_BUCKETS]) {
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) start_bucket(own_bucket(k), starts[k]);
    barrier();
}

// Returns the place of this lane's key: the counter plus the number of earlier lanes with the same bucket. The
// last lane of a bucket advances the counter for all of them. Called by whole subgroups.
uint place_by_ballots(const uint bucket) {
    uvec4 sharing = lanes_sharing(bucket);
    uint before = lanes_before(sharing);
    uint begin = 0;
    if (is_last_lane(sharing)) begin = add_to_counter(bucket, before + 1);
    subgroupBarrier();  // orders the additions of consecutive windows
    return subgroupShuffle(begin, last_lane(sharing)) + before;
}

// Sets the place of every item in the ordered tile: ranks the items now, or adds the starts to their ranks.
void place_items() {
    if (counts_first()) {
        // With 8 bits, compilers must not see that these are the buckets that were counted: they would keep all of them
        // in registers, and fewer workgroups would fit on a multiprocessor (docs/performance-log.md, 90).
        const uint zero = BUCKET_BITS == MAX_BUCKET_BITS ? UNKNOWN_ZERO : 0;
#define PLACE(w) set_place(w, place_by_ballots(item_bucket(w) ^ zero))
        EACH_ITEM(PLACE)
#undef PLACE
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w)
            add_place(w, own_half(space[own_counters() + item_bucket(w)]))
    }
}

#endif
