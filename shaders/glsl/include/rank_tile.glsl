// Ranking a tile by bucket across a workgroup: the heart of the block-level and the one-sweep
// multisplit.
//
// A tile is ITEMS windows a subgroup; the order of its keys is (subgroup, window, lane). Each
// subgroup counts its windows into a row of shared counters, one a bucket: the votes on a window
// tell each lane how many earlier lanes share its bucket, the counter how many earlier windows'
// lanes did. Rows are then summed across subgroups (a segmented scan, one thread a bucket), and
// the totals across buckets, which gives every key its place in the tile.

layout(constant_id = 6) const uint ITEMS = 8;

const uint SUBGROUPS = gl_WorkGroupSize.x / SUBGROUP_SIZE;
const uint ROW = 1u << BUCKET_BITS;
const uint TILE = gl_WorkGroupSize.x * ITEMS;

// One row of counters a subgroup.
shared uint counters[SUBGROUPS * ROW];
// Where each bucket begins in the tile, and how many keys it has.
shared uint bucket_begins[ROW];
shared uint bucket_counts[ROW];

KEY own[ITEMS];
uint places[ITEMS];

uint item_index(uint tile_first, uint item) {
    return tile_first + (gl_SubgroupID * ITEMS + item) * SUBGROUP_SIZE + gl_SubgroupInvocationID;
}

void load_items(uint tile_first) {
    if (push.count - tile_first >= TILE) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) own[w] = keys.at[item_index(tile_first, w)];
    } else {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = item_index(tile_first, w);
            own[w] = i < push.count ? keys.at[i] : KEY(0);
        }
    }
}

// The rank of each key among the keys of its subgroup that share its bucket, into `places`; and
// the number of keys of each bucket, into the subgroup's counters.
void rank_in_subgroup(uint tile_first) {
    uint row = gl_SubgroupID * ROW;
    for (uint b = gl_SubgroupInvocationID; b < ROW; b += SUBGROUP_SIZE) counters[row + b] = 0;
    subgroupMemoryBarrierShared();
    subgroupBarrier();
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        bool takes_part = item_index(tile_first, w) < push.count;
        uint bucket = takes_part ? bucket_at(own[w]) : 0;
        vote(bucket, takes_part);
        uvec4 mask = lanes_of_bucket(bucket);
        uint before = lanes_before(mask);
        uint earlier = counters[row + bucket];
        places[w] = earlier + before;
        subgroupMemoryBarrierShared();
        subgroupBarrier();
        if (takes_part && before == 0) counters[row + bucket] = earlier + count_of(mask);
        subgroupMemoryBarrierShared();
        subgroupBarrier();
    }
}

// Turns the counters into the number of keys of the bucket in earlier subgroups, and sets
// bucket_counts. Called by all threads, between barriers.
void sum_over_subgroups() {
    for (uint b = thread_rank(); b < ROW; b += gl_WorkGroupSize.x) {
        uint sum = 0;
        for (uint g = 0; g < SUBGROUPS; ++g) {
            uint held = counters[g * ROW + b];
            counters[g * ROW + b] = sum;
            sum += held;
        }
        bucket_counts[b] = sum;
    }
}

// Turns bucket_counts into bucket_begins. Called by all threads; needs barriers around it.
void begin_buckets() {
    uint carry = 0;
    for (uint first = 0; first < ROW; first += gl_WorkGroupSize.x) {
        uint b = first + thread_rank();
        uint held = b < ROW ? bucket_counts[b] : 0;
        uint through = subgroupInclusiveAdd(held);
        uint total;
        uint earlier = sum_of_earlier_subgroups(subgroupShuffle(through, SUBGROUP_SIZE - 1), total);
        if (b < ROW) bucket_begins[b] = carry + earlier + through - held;
        carry += total;
        barrier();
    }
}

// Adds to each rank where its bucket begins and what earlier subgroups have of it: the place in
// the tile.
void place_items(uint tile_first) {
    uint row = gl_SubgroupID * ROW;
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        if (item_index(tile_first, w) < push.count) {
            uint bucket = bucket_at(own[w]);
            places[w] += bucket_begins[bucket] + counters[row + bucket];
        }
    }
}
