// Ranking a tile by bucket across a workgroup: the heart of the block-level and the one-sweep
// multisplit.
//
// A tile is ITEMS windows a subgroup; the order of its keys is (subgroup, window, lane). The votes
// on a window tell each lane how many earlier lanes share its bucket; a running count a bucket
// tells how many earlier windows' lanes did. Counts are then summed across subgroups (a segmented
// scan, one thread a bucket) and across buckets, which gives every key its place in the tile.
//
// In a tile that is not full, the missing keys count as keys of the last bucket. They come last
// in the order of the tile, so their places are past those of all real keys, and no vote on who
// takes part is needed. They do make the last bucket's count too large, but only in the very last
// tile, which has no successor to mislead.

layout(constant_id = 6) const uint ITEMS = 8;
// Whether the lanes of a subgroup perform their atomics in program order without being told to.
layout(constant_id = 10) const uint LOCKSTEP = 0;

const uint SUBGROUPS = gl_WorkGroupSize.x / SUBGROUP_SIZE;
const uint ROW = 1u << BUCKET_BITS;
const uint TILE = gl_WorkGroupSize.x * ITEMS;
const uint COUNTER_WORDS = SUBGROUPS * ROW;
const uint TILE_WORDS = TILE * (KEY_BITS / 32);

// Shared memory decides how many workgroups a multiprocessor holds, so one room serves twice: first
// for counters, one row a subgroup (its counts, then where its keys of a bucket begin); and when
// every key knows its place, for the tile itself.
shared uint space[COUNTER_WORDS > TILE_WORDS ? COUNTER_WORDS : TILE_WORDS];
// bucket_targets[b] + place is where the key at `place` of the tile goes, for bucket b.
shared uint bucket_targets[ROW];

// The buckets that this thread looks after: thread_rank(), thread_rank() + workgroup size, ...;
// and where the next key of each goes.
const uint OWN_BUCKETS = (ROW + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
uint bucket_next[OWN_BUCKETS];

uint own_bucket(uint k) {
    return k * gl_WorkGroupSize.x + thread_rank();
}

// This thread's keys, and of each its bucket (upper half) and rank, later place (lower half).
KEY own[ITEMS];
uint ranked[ITEMS];

uint item_index(uint tile_first, uint item) {
    return tile_first + (gl_SubgroupID * ITEMS + item) * SUBGROUP_SIZE + gl_SubgroupInvocationID;
}

uint item_bucket(uint item) {
    return ranked[item] >> 16;
}

uint item_place(uint item) {
    return ranked[item] & 0xFFFFu;
}

// The rank of each key among the keys of its subgroup that share its bucket; and the number of
// keys of each bucket, into the subgroup's counters.
void rank_in_subgroup() {
    uint row = gl_SubgroupID * ROW;
    if (BUCKET_BITS <= LANE_BITS) {
        // Lane b keeps count of bucket b in a register.
        uint held = 0;
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint bucket = ranked[w];
            vote_all(bucket);
            uint rank = subgroupShuffle(held, bucket) + lanes_before(lanes_of_bucket(bucket));
            ranked[w] = bucket << 16 | rank;
            held += votes_for_slot(lanes_of_low_bits(), 0);
        }
        if (gl_SubgroupInvocationID < ROW) space[row + gl_SubgroupInvocationID] = held;
    } else {
        // More buckets than lanes: the first lane of each bucket adds to a counter for all.
        [[unroll]] for (uint b = 0; b < ROW; b += SUBGROUP_SIZE)
            space[row + b + gl_SubgroupInvocationID] = 0;
        subgroupBarrier();
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint bucket = ranked[w];
            vote_all(bucket);
            uvec4 mask = lanes_of_bucket(bucket);
            uint before = lanes_before(mask);
            uint earlier = 0;
            if (before == 0) earlier = atomicAdd(space[row + bucket], count_of(mask));
            // The next window's additions come after this one's.
            if (LOCKSTEP == 0) subgroupBarrier();
            earlier = subgroupShuffle(earlier, subgroupBallotFindLSB(mask));
            ranked[w] = bucket << 16 | (earlier + before);
        }
    }
}

// The sum over all threads before this one, and `carry`, which moves on by the sum over all.
// Called by all threads; ends with a barrier.
uint sum_of_earlier_threads(uint value, inout uint carry) {
    uint through = subgroupInclusiveAdd(value);
    uint total;
    uint earlier = sum_of_earlier_subgroups(subgroupShuffle(through, SUBGROUP_SIZE - 1), total);
    earlier += carry + through - value;
    carry += total;
    barrier();
    return earlier;
}

uint count_in_tile(uint b) {
    uint count = 0;
    if (b < ROW)
        for (uint g = 0; g < SUBGROUPS; ++g) count += space[g * ROW + b];
    return count;
}

// Notes where the keys of own bucket k go, of which the tile has `count`, beginning at `begin`;
// and where each subgroup's part of them does begin.
void begin_bucket(uint k, uint b, uint count, uint begin) {
    if (b >= ROW) return;
    bucket_targets[b] = bucket_next[k] - begin;
    bucket_next[k] += count;
    for (uint g = 0; g < SUBGROUPS; ++g) {
        uint held = space[g * ROW + b];
        space[g * ROW + b] = begin;
        begin += held;
    }
}

// Sets bucket_targets, and turns the counters into where each subgroup's keys of a bucket begin in
// the tile. Called by all threads, after a barrier; ends with one.
void sum_over_subgroups() {
    if (BUCKET_BITS <= LANE_BITS) {
        if (gl_SubgroupID == 0) {
            uint count = count_in_tile(gl_SubgroupInvocationID);
            begin_bucket(0, gl_SubgroupInvocationID, count, subgroupExclusiveAdd(count));
        }
    } else {
        uint carry = 0;
        [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
            uint b = own_bucket(k);
            uint count = count_in_tile(b);
            begin_bucket(k, b, count, sum_of_earlier_threads(count, carry));
        }
    }
    barrier();
}

// Turns each rank into a place in the tile.
void place_items() {
    uint row = gl_SubgroupID * ROW;
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) ranked[w] += space[row + item_bucket(w)];
}
