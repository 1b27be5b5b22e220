// Sorting networks over elements in registers: of a lane, which has ITEMS neighbouring ones, and of several lanes of a
// subgroup, which exchange them by shuffles. Every comparison has its elements in ascending order afterwards, since the
// first step of a merge compares elements that lie the same way from the middle of the two runs.
//
// The includer has KEY, KEY_BITS, ITEMS, which is 8, own[] and with PAIRS own_source[], and is_later(), by which no two
// elements are equal. Without PAIRS elements are their keys, and are ordered as numbers.

#ifndef LANE_NETWORK_GLSL
#define LANE_NETWORK_GLSL

#include "other_key.glsl"

// Written out: an array that is indexed by a loop that the driver does not unroll goes to local memory.
#define EACH_PAIR(visit, s) visit(0, s) visit(1, s) visit(2, s) visit(3, s)

// The first element of pair t, of those that are `s` apart.
#define FIRST_OF_PAIR(t, s) ((t) / (s) * 2 * (s) + (t) % (s))

// (What conditions choose from is loaded before: a compiler of GLSL makes branches of others.)
#ifdef PAIRS
void exchange(inout KEY x, inout uint x_source, inout KEY y, inout uint y_source) {
    bool later = is_later(x, x_source, y, y_source);
    KEY key = x;
    uint source = x_source;
    x = later ? y : key;
    y = later ? key : y;
    x_source = later ? y_source : source;
    y_source = later ? source : y_source;
}
#define EXCHANGE(a, b) exchange(own[a], own_source[a], own[b], own_source[b]);
#else
void exchange(inout KEY x, inout KEY y) {
    KEY key = x;
    x = min(key, y);
    y = max(key, y);
}
#define EXCHANGE(a, b) exchange(own[a], own[b]);
#endif

// A step of the network: pairs of the lane's elements that are so far apart, or that lie the same way from the middle
// of runs of so many.
#define APART(t, s) EXCHANGE(FIRST_OF_PAIR(t, s), (FIRST_OF_PAIR(t, s) + (s)))
#define MIRRORED(t, s) EXCHANGE(FIRST_OF_PAIR(t, s), (FIRST_OF_PAIR(t, s) ^ (2 * (s) - 1)))
void exchange_apart_1() { EACH_PAIR(APART, 1) }
void exchange_apart_2() { EACH_PAIR(APART, 2) }
void exchange_apart_4() { EACH_PAIR(APART, 4) }
void exchange_mirrored_2() { EACH_PAIR(MIRRORED, 2) }
void exchange_mirrored_4() { EACH_PAIR(MIRRORED, 4) }

void merge_4() {
    exchange_apart_2();
    exchange_apart_1();
}

// Sorts the lane's elements, which rise and then fall, or fall and then rise.
void merge_items() {
    exchange_apart_4();
    merge_4();
}

void sort_items() {
    exchange_apart_1();
    exchange_mirrored_2();
    exchange_apart_1();
    exchange_mirrored_4();
    merge_4();
}

// Keeps the earlier or the later of an own element and one of another lane, which keeps the other.
#ifdef PAIRS
void keep(inout KEY key, inout uint source, KEY other, uint other_source, bool earlier) {
    bool taken = is_later(key, source, other, other_source) == earlier;
    key = taken ? other : key;
    source = taken ? other_source : source;
}
#define KEEP(t, other, other_source) keep(own[t], own_source[t], other, other_source, earlier);
#define OTHER_SOURCE(t) subgroupShuffleXor(own_source[t], lanes)
#else
void keep(inout KEY key, KEY other, bool earlier) {
    KEY small = min(key, other);
    KEY large = max(key, other);
    key = earlier ? small : large;
}
#define KEEP(t, other, other_source) keep(own[t], other, earlier);
#define OTHER_SOURCE(t) 0
#endif

#define MEET_MIRRORED(t, s)                                     \
    {                                                           \
        KEY key = other_key(own[t], lanes);                     \
        KEY mirrored_key = other_key(own[ITEMS - 1 - t], lanes); \
        uint source = OTHER_SOURCE(t);                          \
        uint mirrored_source = OTHER_SOURCE(ITEMS - 1 - t);     \
        KEEP(t, mirrored_key, mirrored_source)                  \
        KEEP(ITEMS - 1 - t, key, source)                        \
    }
#define MEET(t, s)                                                                \
    {                                                                             \
        KEEP(t, other_key(own[t], lanes), OTHER_SOURCE(t))                        \
        KEEP(t + ITEMS / 2, other_key(own[t + ITEMS / 2], lanes), OTHER_SOURCE(t + ITEMS / 2)) \
    }

void meet_mirrored(uint lanes, bool earlier) { EACH_PAIR(MEET_MIRRORED, 0) }
void meet(uint lanes, bool earlier) { EACH_PAIR(MEET, 0) }

// Sorts the elements of every `lanes` lanes that follow each other: a power of two, the same in all lanes, and no more
// than the subgroup has.
void sort_lanes(uint lanes) {
    sort_items();
    for (uint joined = 2; joined <= lanes; joined *= 2) {
        meet_mirrored(joined - 1, (gl_SubgroupInvocationID & joined / 2) == 0);
        for (uint apart = joined / 4; apart > 0; apart /= 2) meet(apart, (gl_SubgroupInvocationID & apart) == 0);
        merge_items();
    }
}

#endif
