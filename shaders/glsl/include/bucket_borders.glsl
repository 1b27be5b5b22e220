// Which bucket does a place of a tile in order belong to? Asked when keys are written that were put in
// order, and whose bucket functions cost too much to be asked again.
//
// A border is a place at which a bucket begins, but for the first one, so that the borders at or before a
// place number the buckets that have keys. A word of shared memory has a bit for each of 16 places, and in
// its upper half the number of borders in words before. Every question is then one read, which is the
// same for neighbouring places.
//
// It takes no barrier of its own. In the order of a tile:
//     clear_borders()   before the barrier at which the counters are complete;
//     begin_at()        marks borders when the places are known at which buckets begin, before the next;
//     sum_borders()     adds up what is in the words of this subgroup, before the next;
//     number_borders()  and what is in those before, before the next.
//
// Included by rank_tile.glsl.

#ifndef BUCKET_BORDERS_GLSL
#define BUCKET_BORDERS_GLSL

const uint PLACES_OF_WORD = 16;
const uint BORDER_WORDS = (TILE + PLACES_OF_WORD - 1) / PLACES_OF_WORD;
// Words of one thread: one after another, so that sums go in the order of the threads.
const uint OWN_BORDERS = (BORDER_WORDS + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
shared uint borders[BORDER_WORDS];
uint own_borders[OWN_BORDERS];
uint borders_before;  // the first of them, in this subgroup

// Which of the buckets that have keys an own bucket is.
uint bucket_number[OWN_BUCKETS];

uint border_word(uint k) {
    return thread_rank() * OWN_BORDERS + k;
}

void clear_borders() {
    [[unroll]] for (uint k = 0; k < OWN_BORDERS; ++k)
        if (border_word(k) < BORDER_WORDS) borders[border_word(k)] = 0;
}

// One sum for both: keys in the lower half, of which a tile has fewer than 2^16, and buckets that have some.
#define SUMMED(count) (count) + ((count) > 0 ? 0x10000u : 0u)

// Takes apart the sum over the buckets before own bucket k.
void begin_at(uint k, uint sum) {
    bucket_begin[k] = sum & 0xFFFFu;
    bucket_number[k] = sum >> 16;
    if (bucket_count[k] > 0 && bucket_number[k] > 0)
        atomicOr(borders[bucket_begin[k] / PLACES_OF_WORD], 1u << bucket_begin[k] % PLACES_OF_WORD);
}

// Says where the tile's keys of own bucket k go.
void aim(uint k, uint target) {
    if (own_bucket(k) < ROW && bucket_count[k] > 0) bucket_targets[bucket_number[k]] = target - bucket_begin[k];
}

// Called by all threads, when nobody needs subgroup_sums any more.
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

uint borders_of_earlier_subgroups() {
    uint sum = 0;
    // One sum per lane at a time: there may be more subgroups than lanes.
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

// The bucket of the key that this thread writes as item w, as a number among those that have keys.
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
