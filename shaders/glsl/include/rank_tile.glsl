// Ranking a tile by bucket across a workgroup: the heart of the block-level and the one-sweep
// multisplit.
//
// A tile is ITEMS windows per subgroup; the order of its keys is (subgroup, window, lane). A key's
// place in the tile is the sum of three numbers: keys of smaller buckets, keys of its bucket in
// earlier subgroups, and keys of its bucket before it in its own subgroup. The last is its rank.
//
// Ranking by ballots takes nothing for granted. With more buckets than a register per lane can count
// it counts first: adds of 1 whose order does not matter, one row of counters per subgroup. Counts
// are summed across subgroups and buckets, which turns counters into where each subgroup's keys of a
// bucket begin. Then, window by window, ballots tell each lane which lanes share its bucket, and the
// last of them moves the counter on for all. The tile's counts are known before anything is ranked,
// so that tiles that look back wait less.
//
// Ranking by lane order needs no ballots, and counts while it ranks: where atomics of one
// instruction are performed in the order of the lanes, what an add returns is the rank.
//
// In a tile that is not full, the missing keys count as keys of the last bucket. They come last
// in the order of the tile, so their places are past those of all real keys, and no ballot on who
// takes part is needed. They do make the last bucket's count too large, but only in the very last
// tile, which has no successor to mislead.

#ifndef RANK_TILE_GLSL
#define RANK_TILE_GLSL

#include "multisplit.glsl"
#include "groups.glsl"
#include "subgroup_sums.glsl"
#include "voting.glsl"
#include "each_item.glsl"

layout(constant_id = ITEMS_ID) const uint ITEMS = 8;  // at most MAX_ITEMS
const uint MAX_ITEMS = 32;
// 0: by ballots. 1: by lane order, which relies on what Vulkan does not promise and the host has to
// find out: that atomics of a subgroup on shared memory are performed in the order of the program,
// and those of one instruction, where they meet, in the order of the lanes.
layout(constant_id = RANKING_ID) const uint RANKING = 0;
const uint RANKING_BY_LANE_ORDER = 1;
// For tests of what finds that lane order is not kept: the last lane adds first, the first one last.
layout(constant_id = REVERSED_LANES_ID) const uint REVERSED_LANES = 0;
// A tile goes through shared memory in this many turns, of which each has ITEMS / TURNS keys per
// thread: a tile may be larger than shared memory.
layout(constant_id = TURNS_ID) const uint TURNS = 1;

const uint SUBGROUPS = gl_WorkGroupSize.x / SUBGROUP_SIZE;
const uint ROW = 1u << BUCKET_BITS;
const uint TILE = gl_WorkGroupSize.x * ITEMS;
const uint TURN = TILE / TURNS;
// With few buckets, an atomic waits for more lanes that meet than ballots take.
const uint MIN_BITS_BY_LANE_ORDER = 3;
const bool RANK_BY_LANE_ORDER = RANKING == RANKING_BY_LANE_ORDER && BUCKET_BITS >= MIN_BITS_BY_LANE_ORDER;
const uint MIN_BITS_BY_COUNTERS = 3;
// Rows of many counters are shared by two subgroups, each with its half of every word, which takes
// an instruction or two more per key: where subgroups are narrow, so that rows are many; and by lane
// order, whose kernels have instructions to spare. A tile has fewer than 2^16 keys.
const uint MIN_LANES_UNPAIRED = 32;
const uint NEVER = 32;  // bits that no bucket id has
const bool PAIRED_ROWS = BUCKET_BITS > (RANKING == RANKING_BY_LANE_ORDER || SUBGROUP_SIZE < MIN_LANES_UNPAIRED ? LANE_BITS : NEVER);
// Small kernels have a way for full tiles, and another for others. Larger ones do not: compilers
// that see two ways make the whole kernel twice, which costs more than a comparison per key.
#ifdef PAIRS
const bool TWO_WAYS = BUCKET_BITS == 1;
#else
const bool TWO_WAYS = !RANK_BY_LANE_ORDER && BUCKET_BITS <= LANE_BITS;
#endif
const uint ROWS = PAIRED_ROWS ? (SUBGROUPS + 1) / 2 : SUBGROUPS;
const uint COUNTER_WORDS = ROWS * ROW;
const uint TURN_WORDS = TURN * (KEY_BITS / 32);

// (Functions, because compilers of GLSL fail at constants with && in them.)
// Registers count as many buckets as there are lanes. They are ahead of counters where those are few,
// so that most lanes would wait for one; and where every lane has a bucket to count.
bool ranks_in_registers() {
    if (RANK_BY_LANE_ORDER) return false;
    return BUCKET_BITS == LANE_BITS || (BUCKET_BITS < LANE_BITS && BUCKET_BITS < MIN_BITS_BY_COUNTERS);
}

bool counts_first() {
    return !RANK_BY_LANE_ORDER && !ranks_in_registers();
}

// Shared memory decides how many workgroups a multiprocessor holds, so one room serves twice: first
// for counters, a row per subgroup or two (its counts, then where its keys of a bucket begin); and
// when every key knows its place, for the tile itself.
shared uint space[COUNTER_WORDS > TURN_WORDS ? COUNTER_WORDS : TURN_WORDS];
// bucket_targets[b] + place is where the key at `place` of the tile goes, for bucket b (with
// BUCKET_BORDERS, for the bucket that is number b of those with keys).
shared uint bucket_targets[ROW];

// The buckets that this thread looks after: thread_rank(), thread_rank() + workgroup size, ...; of
// each the count of keys in the tile, and where they begin there.
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

// Says where the tile's keys of own bucket k go.
void aim(uint k, uint target) {
    if (own_bucket(k) < ROW) bucket_targets[own_bucket(k)] = target - bucket_begin[k];
}
#endif

// This thread's keys, and of each its rank, later its place.
KEY own[ITEMS];

uint item_index(uint tile_first, uint item) {
    return tile_first + (gl_SubgroupID * ITEMS + item) * SUBGROUP_SIZE + gl_SubgroupInvocationID;
}

// Items are macros of their number, which is a constant wherever they are used: an array that is
// indexed by anything else leaves the registers.
//
// Places have 16 bits, two to a word where registers are short. A compiler that sees what went into
// a word takes it from there, and so keeps both; one value that it cannot know to be 0 keeps it out.
uint places[(ITEMS + 1) / 2];
uint ranked[ITEMS];  // elsewhere: the place, and the bucket in the upper half
#define UNKNOWN_ZERO (gl_NumWorkGroups.z - 1)  // dispatches have x and y only
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
// The bucket is found as quickly from the key as in a register.
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
// A loop that never runs. As long as NVIDIA's compiler sees it, it leaves the arrays alone, and what
// is packed packed: 80 registers instead of 99 in a round of a sort, and with them a second workgroup
// on every multiprocessor. With 64-bit keys, and in a split of pairs, it costs more than it saves.
#if KEY_BITS == 32 && (defined(SORT) || !defined(PAIRS))
#define MORE_WINDOWS(visit) for (uint w = MAX_ITEMS; w < ITEMS; ++w) { visit(w % ITEMS); }
#else
#define MORE_WINDOWS(visit)
#endif

// This subgroup's counters: the row, and where its half of a word begins.
uint counter_row() {
    return (PAIRED_ROWS ? gl_SubgroupID / 2 : gl_SubgroupID) * ROW;
}

uint counter_shift() {
    return PAIRED_ROWS ? (gl_SubgroupID & 1) * 16 : 0;
}

uint own_half(uint word) {
    return PAIRED_ROWS ? (word >> counter_shift()) & 0xFFFFu : word;
}

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

// Adds to the subgroup's counter of a bucket, and returns what it held.
uint add_to_counter(uint bucket, uint count) {
    return own_half(atomicAdd(space[counter_row() + bucket], count << counter_shift()));
}

// With no more buckets than lanes, lane b keeps count of bucket b in a register.
uint held_count;

uint rank_in_register(uint bucket) {
    vote_all(bucket);
    uint rank = subgroupShuffle(held_count, bucket) + lanes_before(lanes_of_bucket(bucket));
    held_count += votes_for(lanes_of_low_bits(), 0);
    return rank;
}

void rank_in_registers() {
    held_count = 0;
#define RANK(w) set_place(w, rank_in_register(item_bucket(w)))
    EACH_WINDOW(RANK)
#undef RANK
    if (gl_SubgroupInvocationID < ROW) space[counter_row() + gl_SubgroupInvocationID] = held_count;
}

// What an add would return on a device whose lanes come in reverse: each lane adds for the one that is
// as far from the other end.
uint add_in_reverse(uint bucket) {
    uint other = SUBGROUP_SIZE - 1 - gl_SubgroupInvocationID;
    return subgroupShuffle(add_to_counter(subgroupShuffle(bucket, other), 1), other);
}

void rank_by_lane_order() {
    clear_counters();
    if (REVERSED_LANES != 0) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) set_place(w, add_in_reverse(item_bucket(w)))
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) set_place(w, add_to_counter(item_bucket(w), 1))
    }
}

void count_items() {
    clear_counters();
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        atomicAdd(space[counter_row() + item_bucket(w)], 1u << counter_shift());
}

// The place of this lane's key: where the counter is, and past the lanes before this one. The last
// lane of a bucket moves the counter on for all of them. Called by whole subgroups.
uint place_by_ballots(uint bucket) {
    uvec4 sharing = lanes_sharing(bucket);
    uint before = lanes_before(sharing);
    uint begin = 0;
    if (is_last_lane(sharing)) begin = add_to_counter(bucket, before + 1);
    subgroupBarrier();  // the next window's additions come after this one's
    return subgroupShuffle(begin, last_lane(sharing)) + before;
}

// The sum over all threads before this one, and `carry`, which moves on by the sum over all.
// Called by all threads; a barrier() must come before the next call.
uint sum_of_earlier_threads(uint value, inout uint carry) {
    uint through = subgroupInclusiveAdd(value);
    uint total;
    uint earlier = sum_of_earlier_subgroups(subgroupShuffle(through, SUBGROUP_SIZE - 1), total);
    earlier += carry + through - value;
    carry += total;
    return earlier;
}

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

// Turns the counters of a bucket into where each subgroup's keys of it begin in the tile.
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

// What is done with the tile's count of own bucket k as soon as it is known.
#ifndef COUNTED
#define COUNTED(k)
#endif

// Sets bucket_count and bucket_begin, and turns the counters into where each subgroup's keys of a
// bucket begin in the tile. Called by all threads, after a barrier; ends with one.
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

// The place of every item in the tile, once its bucket is set. Called by all threads.
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
