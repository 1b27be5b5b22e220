// Finds the bucket of a position in the ordered tile with one read of shared memory. Used when keys are written,
// if recomputing the bucket function would be too expensive.
//
// A border is the position of the first key of a bucket, except for the first bucket in the tile. The number of
// borders at or before a position is therefore the number of its bucket among the buckets that have keys. Each word
// covers 16 positions: one bit per position in the lower half, the number of borders in earlier words in the upper
// half. Adjacent threads mostly read the same word.
//
// docs/kernels-sort.md shows when each step is called. With PERMUTATION, keys are not ordered in shared memory, so
// there are no borders, and the number of a bucket is the bucket itself.
//
// Needs: rank_tile.glsl.
// Gives: the steps for each tile. All threads call all steps; at least one barrier is required between two of them.
//     clear_borders()   before the counts are known
//     number_buckets()  instead of scan_own_buckets(); also marks the borders
//     sum_borders()     counts the borders in the words of this subgroup
//     number_borders()  adds the counts of earlier subgroups and completes the words
//     written_bucket()  returns the number of the bucket of a position

#ifndef BUCKET_BORDERS_GLSL
#define BUCKET_BORDERS_GLSL

#include "rank_tile.glsl"

#ifdef PERMUTATION

struct Borders {
    uint none;
};

void clear_borders() {}

void number_buckets(in uint counts[OWN_BUCKETS], out uint numbers[OWN_BUCKETS], out uint starts[OWN_BUCKETS]) {
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) numbers[k] = own_bucket(k);
    scan_own_buckets(counts, starts);
}

void sum_borders(out Borders part) {}
void number_borders(in Borders part) {}

#else

const uint PLACES_OF_WORD = 16;
const uint BORDER_WORDS = (TILE + PLACES_OF_WORD - 1) / PLACES_OF_WORD;
// Words per thread. A thread has consecutive words, so that sums follow the thread order.
const uint OWN_BORDERS = (BORDER_WORDS + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
shared uint borders[BORDER_WORDS];

// A thread's part of the words.
struct Borders {
    uint words[OWN_BORDERS];
    uint before;  // borders in the subgroup's words before the thread's first word
};

uint border_word(const uint k) {
    return thread_rank() * OWN_BORDERS + k;
}

void clear_borders() {
    [[unroll]] for (uint k = 0; k < OWN_BORDERS; ++k)
        if (border_word(k) < BORDER_WORDS) borders[border_word(k)] = 0;
}

// Sets the number of each own bucket among the buckets that have keys, and its start in the ordered tile. Marks their
// starts, except the first one, by border bits; atomically, because a word may have borders of several threads.
void number_buckets(in uint counts[OWN_BUCKETS], out uint numbers[OWN_BUCKETS], out uint starts[OWN_BUCKETS]) {
    // A single sum over buckets yields the number of keys in the lower half (a tile has fewer than 2^16) and the number
    // of nonempty buckets in the upper half.
    uint summands[OWN_BUCKETS];
    uint sums[OWN_BUCKETS];
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) summands[k] = counts[k] + (counts[k] > 0 ? 0x10000u : 0u);
    scan_own_buckets(summands, sums);
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        starts[k] = sums[k] & 0xFFFFu;
        numbers[k] = sums[k] >> 16;
        if (counts[k] > 0 && numbers[k] > 0)
            atomicOr(borders[starts[k] / PLACES_OF_WORD], 1u << starts[k] % PLACES_OF_WORD);
    }
}

// Loads this thread's words, counts their borders and sums them over the subgroup. Called by all threads, when
// subgroup_sums is free for reuse.
void sum_borders(out Borders part) {
    uint here = 0;
    [[unroll]] for (uint k = 0; k < OWN_BORDERS; ++k) {
        part.words[k] = border_word(k) < BORDER_WORDS ? borders[border_word(k)] : 0;
        here += bitCount(part.words[k]);
    }
    uint through = subgroupInclusiveAdd(here);
    part.before = through - here;
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

// Completes this thread's words.
void number_borders(in Borders part) {
    uint before = part.before + borders_of_earlier_subgroups();
    [[unroll]] for (uint k = 0; k < OWN_BORDERS; ++k) {
        if (border_word(k) < BORDER_WORDS) borders[border_word(k)] = part.words[k] | before << 16;
        before += bitCount(part.words[k]);
    }
}

// Returns the number, among the buckets that have keys, of the bucket of item w that this thread writes.
uint written_bucket(const uint w) {
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

#endif
