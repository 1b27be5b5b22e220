// Decoupled look-back over one count a bucket: how a workgroup learns where each bucket's keys of
// its own strip go, while the strips before it are still being worked on.
//
// A strip publishes a word a bucket: first its own count, later the place where the next strip's
// keys of that bucket begin. The state is in the two top bits of the word, so that one plain load
// sees both. One thread looks after one bucket. A thread that looks in vain SPIN_LIMIT times gives
// up, and then the whole workgroup counts the missing strip again from the keys: progress never
// depends on another workgroup being scheduled.
//
// Strips are counted before any of their keys is ranked. That reads the keys twice, the second
// time from a cache; but counts are published early, and looking back, which takes as long as
// ranking a tile, is done once a strip instead of once a tile.

const uint STATE_COUNT = 1u << 30;
const uint STATE_PLACE = 2u << 30;
const uint STATE_BITS = 3u << 30;

layout(set = 0, binding = 7, std430) volatile buffer Status {
    uint ticket;  // strips are taken in this order, so that a strip's predecessors have all started
    uint pad[3];
    uint at[];
} status;

shared uint strip_ticket;
shared uint missing_strip;  // one more than the last strip that somebody misses; 0 if nobody does

// Counts go into the subgroup's row of `space`, which no tile needs yet.
#define VISIT_KEY(key) atomicAdd(space[gl_SubgroupID * ROW + bucket_at(key)], 1)
#include "visit_keys.glsl"

uint strip_first(uint strip) {
    return strip * push.parts * TILE;
}

uint strip_end(uint strip) {
    return min(strip_first(strip) + push.parts * TILE, element_count());
}

// How many keys of each own bucket a strip has. Called by all threads; begins and ends with a
// barrier.
void count_strip(uint strip, out uint counts[OWN_BUCKETS]) {
    barrier();
    for (uint i = thread_rank(); i < COUNTER_WORDS; i += gl_WorkGroupSize.x) space[i] = 0;
    barrier();
    visit_keys(strip_first(strip), strip_end(strip));
    barrier();
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) counts[k] = count_in_tile(own_bucket(k));
    barrier();
}

uint total_of(uint b) {
    return histogram.at[push.round * ROW + b];
}

// Where bucket b begins in the output, for whoever has counted the first strip again.
uint global_begin(uint b) {
    uint sum = 0;
    for (uint other = 0; other < b; ++other) sum += total_of(other);
    return sum;
}

// Adds up words from strip end - 1 down; `end` is where it stopped. True when a place was found.
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

// Where the keys of bucket b go, own bucket k of this thread. Called by all threads.
uint look_for_place(uint strip, uint k, uint b) {
    uint sum = 0;
    uint end = strip;
    bool found = b >= push.buckets;
    if (thread_rank() == 0) missing_strip = 0;
    barrier();
    if (!found) found = look_back(b, end, sum);
    if (!found) atomicMax(missing_strip, end);
    barrier();
    uint missing = missing_strip;
    while (missing > 0) {
        uint again[OWN_BUCKETS];
        count_strip(missing - 1, again);
        if (!found && end == missing) {
            sum += again[k];
            --end;
            if (end == 0) {
                sum += global_begin(b);
                found = true;
            } else {
                found = look_back(b, end, sum);
            }
        }
        if (thread_rank() == 0) missing_strip = 0;
        barrier();
        if (!found) atomicMax(missing_strip, end);
        barrier();
        missing = missing_strip;
    }
    return sum;
}

// Sets bucket_next for split_strip(), and publishes what later strips look for. Called by all
// threads; `counts` are those of the strip.
void find_places(uint strip, uint counts[OWN_BUCKETS]) {
    uint carry = 0;
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        uint b = own_bucket(k);
        bool mine = b < push.buckets;
        if (strip == 0) {
            bucket_next[k] = sum_of_earlier_threads(mine ? total_of(b) : 0, carry);
        } else {
            if (mine) status.at[strip * push.buckets + b] = counts[k] | STATE_COUNT;
            bucket_next[k] = look_for_place(strip, k, b);
        }
        if (mine) status.at[strip * push.buckets + b] = (bucket_next[k] + counts[k]) | STATE_PLACE;
    }
}
