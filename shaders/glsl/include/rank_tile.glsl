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

// One row of counters a subgroup: first its counts, then where its keys of a bucket begin.
shared uint counters[SUBGROUPS * ROW];
// Where each bucket begins in the tile, and how many keys it has.
shared uint bucket_begins[ROW];
shared uint bucket_counts[ROW];

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

void load_items(uint tile_first) {
    if (element_count() - tile_first >= TILE) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) own[w] = keys.at[item_index(tile_first, w)];
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) ranked[w] = bucket_at(own[w]);
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = item_index(tile_first, w);
            own[w] = i < element_count() ? keys.at[i] : KEY(0);
            ranked[w] = i < element_count() ? bucket_at(own[w]) : push.buckets - 1;
        }
    }
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
        if (gl_SubgroupInvocationID < ROW) counters[row + gl_SubgroupInvocationID] = held;
    } else {
        // More buckets than lanes: the first lane of each bucket adds to a counter for all.
        for (uint b = gl_SubgroupInvocationID; b < ROW; b += SUBGROUP_SIZE) counters[row + b] = 0;
        subgroupBarrier();
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint bucket = ranked[w];
            vote_all(bucket);
            uvec4 mask = lanes_of_bucket(bucket);
            uint before = lanes_before(mask);
            uint earlier = 0;
            if (before == 0) earlier = atomicAdd(counters[row + bucket], count_of(mask));
            // The next window's additions come after this one's.
            if (LOCKSTEP == 0) subgroupBarrier();
            earlier = subgroupShuffle(earlier, subgroupBallotFindLSB(mask));
            ranked[w] = bucket << 16 | (earlier + before);
        }
    }
}

// Notes how many keys bucket b has and where it begins, and where each subgroup's part of it does.
void begin_bucket(uint b, uint count, uint begin) {
    bucket_counts[b] = count;
    bucket_begins[b] = begin;
    for (uint g = 0; g < SUBGROUPS; ++g) {
        uint held = counters[g * ROW + b];
        counters[g * ROW + b] = begin;
        begin += held;
    }
}

// Sets bucket_counts and bucket_begins, and turns the counters into where each subgroup's keys of
// a bucket begin in the tile. Called by all threads, after a barrier; ends with one.
void sum_over_subgroups() {
    if (BUCKET_BITS <= LANE_BITS) {
        if (gl_SubgroupID == 0) {
            uint b = gl_SubgroupInvocationID;
            uint sum = 0;
            if (b < ROW)
                for (uint g = 0; g < SUBGROUPS; ++g) sum += counters[g * ROW + b];
            uint begin = subgroupExclusiveAdd(sum);
            if (b < ROW) begin_bucket(b, sum, begin);
        }
        barrier();
        return;
    }
    uint carry = 0;
    for (uint first = 0; first < ROW; first += gl_WorkGroupSize.x) {
        uint b = first + thread_rank();
        uint sum = 0;
        if (b < ROW)
            for (uint g = 0; g < SUBGROUPS; ++g) sum += counters[g * ROW + b];
        uint through = subgroupInclusiveAdd(sum);
        uint total;
        uint earlier = sum_of_earlier_subgroups(subgroupShuffle(through, SUBGROUP_SIZE - 1), total);
        if (b < ROW) begin_bucket(b, sum, carry + earlier + through - sum);
        carry += total;
        barrier();
    }
}

// Turns each rank into a place in the tile.
void place_items() {
    uint row = gl_SubgroupID * ROW;
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) ranked[w] += counters[row + item_bucket(w)];
}
