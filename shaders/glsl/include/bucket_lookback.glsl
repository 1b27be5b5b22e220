// Decoupled look-back over one count a bucket: how a workgroup learns where each bucket's keys of
// its own tile go, while the tiles before it are still being worked on.
//
// A tile publishes a word a bucket: first its own count, later the place where the next tile's
// keys of that bucket begin. The state is in the two top bits of the word, so that one plain load
// sees both. One thread looks after one bucket. A thread that looks in vain SPIN_LIMIT times gives
// up, and then the whole workgroup counts the missing tile again from the keys: progress never
// depends on another workgroup being scheduled.

const uint STATE_COUNT = 1u << 30;
const uint STATE_PLACE = 2u << 30;
const uint STATE_BITS = 3u << 30;

layout(set = 0, binding = 7, std430) volatile buffer Status {
    uint ticket;  // tiles are taken in this order, so that a tile's predecessors have all started
    uint pad[3];
    uint at[];
} status;

shared uint tile_ticket;
shared uint missing_tile;  // one more than the last tile that somebody misses; 0 if nobody does

void publish_counts(uint tile) {
    for (uint b = thread_rank(); b < push.buckets; b += gl_WorkGroupSize.x)
        status.at[tile * push.buckets + b] = bucket_counts[b] | STATE_COUNT;
}

// Where bucket b begins in the output: for the first tile, and for whoever counted it again.
uint global_begin(uint b) {
    uint sum = 0;
    for (uint other = 0; other < b; ++other) sum += histogram.at[other];
    return sum;
}

// Adds up words from tile end - 1 down; `end` is where it stopped. True when a place was found.
bool look_back(uint b, inout uint end, inout uint sum) {
    bool found = false;
    uint spins = 0;
    while (!found && spins <= SPIN_LIMIT) {
        uint word = status.at[(end - 1) * push.buckets + b];
        uint state = word & STATE_BITS;
        if (state == 0) {
            ++spins;
        } else {
            sum += word & ~STATE_BITS;
            found = state == STATE_PLACE;
            if (!found) --end;
            spins = 0;
        }
    }
    return found;
}

// Counts the keys of a full tile again, into the first row of counters, which is no longer needed
// once place_items() is over. Called by all threads.
void count_tile_again(uint tile) {
    barrier();
    for (uint b = thread_rank(); b < ROW; b += gl_WorkGroupSize.x) counters[b] = 0;
    barrier();
    for (uint i = thread_rank(); i < TILE; i += gl_WorkGroupSize.x)
        atomicAdd(counters[bucket_at(keys.at[tile * TILE + i])], 1);
    barrier();
}

// Sets bucket_targets for scatter_tile(), publishes the places for the next tile, and (the first
// tile) writes the offsets of the buckets. Called by all threads; ends with a barrier.
void find_targets(uint tile) {
    for (uint first = 0; first < push.buckets; first += gl_WorkGroupSize.x) {
        uint b = first + thread_rank();
        bool mine = b < push.buckets;
        uint sum = 0;
        uint end = tile;
        bool found = !mine;
        if (thread_rank() == 0) missing_tile = 0;
        if (mine && tile == 0) {
            sum = global_begin(b);
            offsets.at[b] = sum;
            found = true;
        }
        barrier();
        if (!found) found = look_back(b, end, sum);
        if (!found) atomicMax(missing_tile, end);
        barrier();
        uint missing = missing_tile;
        while (missing > 0) {
            count_tile_again(missing - 1);
            if (!found && end == missing) {
                sum += counters[b];
                --end;
                if (end == 0) {
                    sum += global_begin(b);
                    found = true;
                } else {
                    found = look_back(b, end, sum);
                }
            }
            if (thread_rank() == 0) missing_tile = 0;
            barrier();
            if (!found) atomicMax(missing_tile, end);
            barrier();
            missing = missing_tile;
        }
        if (mine) {
            status.at[tile * push.buckets + b] = (sum + bucket_counts[b]) | STATE_PLACE;
            bucket_targets[b] = sum - bucket_begins[b];
        }
    }
    if (tile == 0 && thread_rank() == 0) offsets.at[push.buckets] = element_count();
    barrier();
}
