// Defines the terms of scans and reductions: their type, the operator that combines them, scans over the lanes of a
// subgroup with that operator, and the conversion between elements in memory and terms.
//
// Each kernel is compiled for one kind of term (see the axes in kernels.txt; the host defines USER_OPERATOR):
//   (default)  sums of integers modulo 2^KEY_BITS, signed or unsigned
//   FLOAT  sums of floats. The functions here add in a fixed order.
//   ORDER  minima of unsigned numbers that compare like the elements; complemented numbers for maxima.
//       LOADED_AS and STORED_AS specify the conversion of inputs and outputs; intermediate results are not
//       converted.
//   USER_OPERATOR  a user's function; terms are the bits of elements. The function is only assumed to be
//       associative, so terms are combined in element order.
//
// Subgroup operations use 32-bit words only, because 64-bit subgroup operations are an optional feature.

#ifndef TERM_GLSL
#define TERM_GLSL

#include "constant_ids.glsl"

// TERM_ROW is a vector of 16 bytes (tile.glsl), the unit of loads and stores of a lane.
#if defined(FLOAT) && KEY_BITS == 64
#define TERM double
#define TERM_ROW dvec2
#elif defined(FLOAT)
#define TERM float
#define TERM_ROW vec4
#elif KEY_BITS == 64
#define TERM uint64_t
#define TERM_ROW u64vec2
#else
#define TERM uint
#define TERM_ROW uvec4
#endif

// Words per element. The low word of a 64-bit element comes first.
#if KEY_BITS == 64
#define TERM_WORDS 2
#define WORDS uvec2
#else
#define TERM_WORDS 1
#define WORDS uint
#endif
#define ROW_TERMS (4 / TERM_WORDS)

#if defined(USER_OPERATOR)
#include "user_key.glsl"
#include "user_operator.glsl"

layout(constant_id = IDENTITY_LOW_ID) const uint IDENTITY_LOW = 0;
layout(constant_id = IDENTITY_HIGH_ID) const uint IDENTITY_HIGH = 0;

TERM identity() {
#if KEY_BITS == 64
    return packUint2x32(uvec2(IDENTITY_LOW, IDENTITY_HIGH));
#else
    return IDENTITY_LOW;
#endif
}

#define IDENTITY identity()

TERM combine(TERM a, TERM b) {
    return user_bits(combined(user_key(a, USER_KEY_TYPE(0)), user_key(b, USER_KEY_TYPE(0))));
}

TERM_ROW combine(TERM a, TERM_ROW b) {
    [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c) b[c] = combine(a, b[c]);
    return b;
}
#elif defined(ORDER)
const TERM IDENTITY = ~TERM(0);

TERM combine(TERM a, TERM b) {
    return min(a, b);
}

TERM_ROW combine(TERM a, TERM_ROW b) {
    return min(TERM_ROW(a), b);
}
#else
const TERM IDENTITY = TERM(0);
TERM combine(TERM a, TERM b) {
    return a + b;
}

TERM_ROW combine(TERM a, TERM_ROW b) {
    return a + b;
}
#endif

// Returns the combination of the elements of a vector.
TERM total_of(TERM_ROW x) {
    TERM total = x[0];
    [[unroll]] for (uint c = 1; c < ROW_TERMS; ++c) total = combine(total, x[c]);
    return total;
}

TERM from_words(WORDS words) {
#if defined(FLOAT) && KEY_BITS == 64
    return packDouble2x32(words);
#elif defined(FLOAT)
    return uintBitsToFloat(words);
#elif KEY_BITS == 64
    return packUint2x32(words);
#else
    return words;
#endif
}

WORDS to_words(TERM x) {
#if defined(FLOAT) && KEY_BITS == 64
    return unpackDouble2x32(x);
#elif defined(FLOAT)
    return floatBitsToUint(x);
#elif KEY_BITS == 64
    return unpackUint2x32(x);
#else
    return x;
#endif
}

TERM from_lane(TERM x, uint lane) {
    return from_words(subgroupShuffle(to_words(x), lane));
}

// Inclusive scan over the lanes of a subgroup. Called by whole subgroups.
TERM combine_lanes(TERM x) {
#if KEY_BITS == 32 && defined(ORDER)
    return subgroupInclusiveMin(x);
#elif KEY_BITS == 32 && !defined(FLOAT) && !defined(USER_OPERATOR)
    return subgroupInclusiveAdd(x);
#else
    uint lane = gl_SubgroupInvocationID;
    for (uint distance = 1; distance < gl_SubgroupSize; distance *= 2) {
        TERM other = from_lane(x, lane >= distance ? lane - distance : lane);
        if (lane >= distance) x = combine(other, x);
    }
    return x;
#endif
}

// Exclusive scan over the lanes, given this lane's term `own` and its inclusive scan `through`.
TERM lanes_before(TERM through, TERM own) {
#if defined(ORDER) || defined(FLOAT) || defined(USER_OPERATOR)
    TERM before = from_lane(through, max(gl_SubgroupInvocationID, 1) - 1);
    return gl_SubgroupInvocationID == 0 ? IDENTITY : before;
#else
    return through - own;
#endif
}

// Returns the combination of all lanes in every lane. Called by whole subgroups. Except with USER_OPERATOR, must not be
// called in a loop (lane_totals.glsl explains why): use last_lane(combine_lanes(x)) there.
TERM all_lanes(TERM x) {
#if KEY_BITS == 32 && defined(ORDER)
    return subgroupMin(x);
#elif KEY_BITS == 32 && !defined(FLOAT) && !defined(USER_OPERATOR)
    return subgroupAdd(x);
#else
    return from_lane(combine_lanes(x), gl_SubgroupSize - 1);
#endif
}

// Returns the last lane's term in every lane.
TERM last_lane(TERM through) {
    return from_lane(through, gl_SubgroupSize - 1);
}

#ifdef ORDER
layout(constant_id = LOADED_AS_ID) const uint LOADED_AS = 0;
layout(constant_id = STORED_AS_ID) const uint STORED_AS = 0;

// Bits of LOADED_AS and STORED_AS: the lower two are the element type, unsigned (0), signed or float. Must match
// operations/shared/terms.rs.
const uint KIND = 3;
const uint SIGNED = 1;
const uint FLOATING = 2;
const uint REVERSED = 4;
const TERM TOP = TERM(1) << (KEY_BITS - 1);

// Converts a loaded element to a term.
TERM term_of(WORDS words) {
    TERM x = from_words(words);
    if ((LOADED_AS & KIND) == SIGNED) x ^= TOP;
    if ((LOADED_AS & KIND) == FLOATING) x ^= (x & TOP) != 0 ? ~TERM(0) : TOP;
    if ((LOADED_AS & REVERSED) != 0) x = ~x;
    return x;
}

// Converts a term to an element of the output; inverse of term_of() if LOADED_AS equals STORED_AS.
WORDS element_of(TERM x) {
    if ((STORED_AS & REVERSED) != 0) x = ~x;
    if ((STORED_AS & KIND) == SIGNED) x ^= TOP;
    if ((STORED_AS & KIND) == FLOATING) x ^= (x & TOP) != 0 ? TOP : ~TERM(0);
    return to_words(x);
}
#else
TERM term_of(WORDS words) {
    return from_words(words);
}

WORDS element_of(TERM x) {
    return to_words(x);
}
#endif

#endif
