// Ranking a tile by bucket across a workgroup: the heart of the block-level and the one-sweep
// multisplit.
//
// A tile is ITEMS windows a subgroup; the order of its keys is (subgroup, window, lane). The votes
// on a window tell each lane how many earlier lanes share its bucket; a running count a bucket
// tells how many earlier windows' lanes did. Where atomics are performed in the order of the lanes,
// the running count alone tells both. Counts are then summed across subgroups (a segmented scan,
// one thread a bucket) and across buckets, which gives every key its place in the tile.
//
// In a tile that is not full, the missing keys count as keys of the last bucket. They come last
// in the order of the tile, so their places are past those of all real keys, and no vote on who
// takes part is needed. They do make the last bucket's count too large, but only in the very last
// tile, which has no successor to mislead.

layout(constant_id = 6) const uint ITEMS = 8;
// What the lanes of a subgroup do without being told to: nothing (0), or (1) their atomics on shared
// memory are performed in the order of the program, and those of one instruction, if they meet, in
// the order of the lanes. Vulkan does not promise it; the host finds out.
layout(constant_id = 10) const uint LOCKSTEP = 0;
const uint LOCKSTEP_LANE_ORDER = 1;
// A tile goes through shared memory in this many turns, of which each has ITEMS / TURNS keys a
// thread: a tile may be larger than shared memory.
layout(constant_id = 18) const uint TURNS = 1;

const uint SUBGROUPS = gl_WorkGroupSize.x / SUBGROUP_SIZE;
const uint ROW = 1u << BUCKET_BITS;
const uint TILE = gl_WorkGroupSize.x * ITEMS;
const uint TURN = TILE / TURNS;
// With few buckets, an atomic waits for more lanes that meet than votes take.
const uint LEAST_BITS_BY_ORDER = 3;
const bool RANK_BY_ORDER = LOCKSTEP == LOCKSTEP_LANE_ORDER && BUCKET_BITS >= LEAST_BITS_BY_ORDER;
// Rows of many counters are shared by two subgroups, each with its half of every word; a tile has
// fewer than 2^16 keys.
const bool PAIRED_ROWS = BUCKET_BITS > LANE_BITS;
// Small kernels have a way for full tiles, and another for others. Larger ones do not: compilers
// that see two ways make the whole kernel twice, which costs more than a comparison a key.
#ifdef PAIRS
const bool TWO_WAYS = BUCKET_BITS == 1;
#else
const bool TWO_WAYS = !RANK_BY_ORDER && !PAIRED_ROWS;
#endif
const uint ROWS = PAIRED_ROWS ? (SUBGROUPS + 1) / 2 : SUBGROUPS;
const uint COUNTER_WORDS = ROWS * ROW;
const uint TURN_WORDS = TURN * (KEY_BITS / 32);

// Shared memory decides how many workgroups a multiprocessor holds, so one room serves twice: first
// for counters, a row a subgroup or two (its counts, then where its keys of a bucket begin); and
// when every key knows its place, for the tile itself.
shared uint space[COUNTER_WORDS > TURN_WORDS ? COUNTER_WORDS : TURN_WORDS];
// bucket_targets[b] + place is where the key at `place` of the tile goes, for bucket b.
shared uint bucket_targets[ROW];

// The buckets that this thread looks after: thread_rank(), thread_rank() + workgroup size, ...; of
// each the number of keys in the tile, and where they begin there.
const uint OWN_BUCKETS = (ROW + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
uint bucket_count[OWN_BUCKETS];
uint bucket_begin[OWN_BUCKETS];

uint own_bucket(uint k) {
    return k * gl_WorkGroupSize.x + thread_rank();
}

// Says where the tile's keys of own bucket k go.
void aim(uint k, uint target) {
    if (own_bucket(k) < ROW) bucket_targets[own_bucket(k)] = target - bucket_begin[k];
}

// This thread's keys, and of each its rank, later its place (lower half); and its bucket (upper
// half), unless that is found as quickly from the key.
KEY own[ITEMS];
uint ranked[ITEMS];

uint item_index(uint tile_first, uint item) {
    return tile_first + (gl_SubgroupID * ITEMS + item) * SUBGROUP_SIZE + gl_SubgroupInvocationID;
}

#ifdef BUCKET_FROM_KEY
uint item_bucket(uint item) { return bucket_at(own[item]); }
uint item_place(uint item) { return ranked[item]; }
void set_bucket(uint item, uint bucket) { ranked[item] = 0; }
#else
uint item_bucket(uint item) { return ranked[item] >> 16; }
uint item_place(uint item) { return ranked[item] & 0xFFFFu; }
void set_bucket(uint item, uint bucket) { ranked[item] = bucket << 16; }
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

// The first lane of each bucket counts for all its lanes in the window.
uint rank_by_votes(uint bucket) {
    vote_all(bucket);
    uvec4 peers = lanes_of_bucket(bucket);
    uint before = lanes_before(peers);
    uint earlier = 0;
    if (before == 0) earlier = add_to_counter(bucket, count_of(peers));
    subgroupBarrier();  // the next window's additions come after this one's
    return subgroupShuffle(earlier, subgroupBallotFindLSB(peers)) + before;
}

// With no more buckets than lanes, lane b keeps count of bucket b in a register.
void rank_in_registers() {
    uint held = 0;
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint bucket = item_bucket(w);
        vote_all(bucket);
        ranked[w] += subgroupShuffle(held, bucket) + lanes_before(lanes_of_bucket(bucket));
        held += votes_for_slot(lanes_of_low_bits(), 0);
    }
    if (gl_SubgroupInvocationID < ROW) space[counter_row() + gl_SubgroupInvocationID] = held;
}

// The rank of each key among the keys of its subgroup that share its bucket; and the number of
// keys of each bucket, into the subgroup's counters.
void rank_in_subgroup() {
    if (!RANK_BY_ORDER && !PAIRED_ROWS) {
        rank_in_registers();
        return;
    }
    clear_counters();
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        uint bucket = item_bucket(w);
        ranked[w] += RANK_BY_ORDER ? add_to_counter(bucket, 1) : rank_by_votes(bucket);
    }
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
            bucket_begin[0] = subgroupExclusiveAdd(bucket_count[0]);
            begin_bucket(gl_SubgroupInvocationID, bucket_begin[0]);
        }
        barrier();
        return;
    }
    uint carry = 0;
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        bucket_count[k] = count_in_tile(own_bucket(k));
        COUNTED(k);
        bucket_begin[k] = sum_of_earlier_threads(bucket_count[k], carry);
        begin_bucket(own_bucket(k), bucket_begin[k]);
        barrier();
    }
}

// Turns each rank into a place in the tile.
void place_items() {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        ranked[w] += own_half(space[counter_row() + item_bucket(w)]);
}
