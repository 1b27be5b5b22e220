// Finds the bucket of a position in the ordered tile with one read of shared memory. Used when keys are written,
// if recomputing the bucket function would be too expensive.
//
// A border is the position of the first key of a bucket, except for the first bucket in the tile. The number of
// borders at or before a position is therefore the index of its bucket among the buckets that have keys. Each word
// covers 16 positions: one bit per position in the lower half, the number of borders in earlier words in the upper
// half. Adjacent threads mostly read the same word.
//
// The functions contain no barriers. For each tile, all threads call, in this order:
//     clear_borders()   before the barrier after which the counters are complete;
//     begin_at()        sets border bits, once the bucket starts are known; before the next barrier;
//     sum_borders()     counts the borders in the words of this subgroup; before the next barrier;
//     number_borders()  adds the counts of earlier subgroups and writes the words; before the next barrier.
//
// Included by rank_tile.glsl.

#ifndef BUCKET_BORDERS_GLSL
#define BUCKET_BORDERS_GLSL

const uint PLACES_OF_WORD = 16;
const uint BORDER_WORDS = (TILE + PLACES_OF_WORD - 1) / PLACES_OF_WORD;
// Words per thread. A thread has consecutive words, so that sums follow the thread order.
const uint OWN_BORDERS = (BORDER_WORDS + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
shared uint borders[BORDER_WORDS];
uint own_borders[OWN_BORDERS];
uint borders_before;  // borders in the subgroup's words before the thread's first word

// For each bucket of this thread, its index among the buckets that have keys in the tile.
uint bucket_number[OWN_BUCKETS];

uint border_word(uint k) {
    return thread_rank() * OWN_BORDERS + k;
}

void clear_borders() {
    [[unroll]] for (uint k = 0; k < OWN_BORDERS; ++k)
        if (border_word(k) < BORDER_WORDS) borders[border_word(k)] = 0;
}

// Returns the summand of a bucket with `count` keys. A single sum over buckets then yields the number of keys in the
// lower half (a tile has fewer than 2^16) and the number of nonempty buckets in the upper half.
#define SUMMED(count) (count) + ((count) > 0 ? 0x10000u : 0u)

// Sets the start and the index of own bucket k, given the sum of SUMMED over all earlier buckets, and sets the bucket's
// border bit.
void begin_at(uint k, uint sum) {
    bucket_begin[k] = sum & 0xFFFFu;
    bucket_number[k] = sum >> 16;
    if (bucket_count[k] > 0 && bucket_number[k] > 0)
        atomicOr(borders[bucket_begin[k] / PLACES_OF_WORD], 1u << bucket_begin[k] % PLACES_OF_WORD);
}

// Sets the output position of the tile's first key in own bucket k.
void set_target(uint k, uint target) {
    if (own_bucket(k) < ROW && bucket_count[k] > 0) bucket_targets[bucket_number[k]] = target - bucket_begin[k];
}

// Counts the borders in this thread's words and sums them over the subgroup. Called by all threads, when
// subgroup_sums is free for reuse.
void sum_borders() {
    uint here = 0;
    [[unroll]] for (uint k = 0; k < OWN_BORDERS; ++k) {
        own_borders[k] = border_word(k) < BORDER_WORDS ? borders[border_word(k)] : 0;
        here += bitCount(own_borders[k]);
    }
    uint through = subgroupInclusiveAdd(here);
    borders_before = through - here;
    if (gl_SubgroupInvocationID == SUBGROUP_SIZE - 1) subgroup_sums[gl_SubgroupID] = through;
}

// Returns the number of borders in the words of earlier subgroups. Called by whole subgroups.
uint borders_of_earlier_subgroups() {
    uint sum = 0;
    // Each iteration reads one sum per lane, because there may be more subgroups than lanes.
    for (uint first = 0; first < gl_SubgroupID; first += SUBGROUP_SIZE) {
        uint other = first + gl_SubgroupInvocationID;
        uint held = other < gl_SubgroupID ? subgroup_sums[other] : 0;
        sum += subgroupShuffle(subgroupInclusiveAdd(held), SUBGROUP_SIZE - 1);
    }
    return sum;
}

void number_borders() {
    uint before = borders_before + borders_of_earlier_subgroups();
    [[unroll]] for (uint k = 0; k < OWN_BORDERS; ++k) {
        if (border_word(k) < BORDER_WORDS) borders[border_word(k)] = own_borders[k] | before << 16;
        before += bitCount(own_borders[k]);
    }
}

// Returns the index, among the buckets that have keys, of the bucket of item w that this thread writes.
uint written_bucket(uint w) {
    const bool whole_words = gl_WorkGroupSize.x % PLACES_OF_WORD == 0;
    uint place = thread_rank();
    uint word = w * (gl_WorkGroupSize.x / PLACES_OF_WORD);
    if (!whole_words) {
        place += w * gl_WorkGroupSize.x;
        word = 0;
    }
    uint found = borders[word + place / PLACES_OF_WORD];
    return (found >> 16) + bitCount(bitfieldExtract(found, 0, int(place % PLACES_OF_WORD + 1)));
}

#endif
