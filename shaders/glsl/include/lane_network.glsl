// Bitonic sorting networks over elements in registers: within a lane, which holds ITEMS consecutive elements, and
// across lanes of a subgroup, which exchange elements by shuffles. All comparisons are ascending, because the
// first step of each merge compares mirrored elements, at equal distances from the boundary between the two runs.
//
// Needs, before this file: KEY, KEY_BITS, ITEMS (must be 8), own[] and, with PAIRS, own_source[] and is_later(), a
// strict total order. Without PAIRS, elements are keys that are compared as unsigned numbers.
// Gives: sort_lanes().

#ifndef LANE_NETWORK_GLSL
#define LANE_NETWORK_GLSL

#include "other_key.glsl"

// Expanded by hand: if the driver does not unroll a loop, the arrays indexed in it go to local memory.
#define EACH_PAIR(visit, s) visit(0, s) visit(1, s) visit(2, s) visit(3, s)

// First element of pair t, among pairs with distance `s`.
#define FIRST_OF_PAIR(t, s) ((t) / (s) * 2 * (s) + (t) % (s))

// Puts the smaller of two elements into x and the larger one into y. Loads all values before it selects them by a
// condition; otherwise the GLSL compiler emits branches.
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

// Steps of the network within a lane: compare elements at distance s, or mirrored elements of adjacent runs of s
// elements.
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

// Sorts the lane's elements, which must be bitonic.
void merge_items() {
    exchange_apart_4();
    merge_4();
}

// Sorts the lane's elements.
void sort_items() {
    exchange_apart_1();
    exchange_mirrored_2();
    exchange_apart_1();
    exchange_mirrored_4();
    merge_4();
}

// Compares an element of this lane with one of another lane. Keeps the smaller one if `earlier` is set, otherwise the
// larger one. The other lane keeps the other element.
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

// Steps of the network across lanes. Each lane meets the lane whose index differs in the bits `lanes`. meet_mirrored()
// compares element t with element ITEMS - 1 - t of the other lane; meet() compares elements with equal indices. Called
// by whole subgroups.
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

// Sorts the elements of each group of `lanes` consecutive lanes. `lanes` is a power of two, at most the subgroup
// size, and the same in all lanes. Called by whole subgroups.
void sort_lanes(uint lanes) {
    sort_items();
    for (uint joined = 2; joined <= lanes; joined *= 2) {
        meet_mirrored(joined - 1, (gl_SubgroupInvocationID & joined / 2) == 0);
        for (uint apart = joined / 4; apart > 0; apart /= 2) meet(apart, (gl_SubgroupInvocationID & apart) == 0);
        merge_items();
    }
}

#endif
