// What the first pass of a one-sweep sort leaves for its rounds: the histogram of each digit, and which
// rounds are idle because all keys have the same digit.
//
// Many keys have one histogram per digit, to which the workgroups of the first pass add their counts by
// atomics; another pass has cleared it. A dispatch more is what few keys can do without: each of
// HISTOGRAM_PARTS workgroups then writes histograms of its own, which rounds add up, and says in one word
// per pair of rounds which digits all of its keys share.

#ifndef HISTOGRAM_PARTS_GLSL
#define HISTOGRAM_PARTS_GLSL

#include "constant_ids.glsl"

// 0: one histogram for all. Else a multiple of four.
layout(constant_id = HISTOGRAM_PARTS_ID) const uint HISTOGRAM_PARTS = 0;

// Where the part's histogram of a digit begins; `row` is how many values the digit has.
uint part_begin(uint round, uint part, uint row) {
    return (round * HISTOGRAM_PARTS + part) * row;
}

// A round has half a word: in its lower byte the bits that all digits have, in its upper byte those that
// any has. They are the same where all keys have the same digit; if not, it says as much. Parts without keys
// change nothing when lower bytes are combined by and, upper ones by or.
const uint SHARED_BITS = 16;
const uint DIFFERENT_DIGITS = 0xFF00FF00u;
const uint NO_DIGITS = 0x00FF00FFu;

uint shared_shift(uint round) {
    return (round & 1) * SHARED_BITS;
}

uint one_digit(uint d) {
    return d | d << 8;
}

// Whether all parts together have one digit in the round; given are their words, by and and by or.
bool has_one_digit(uint all, uint any, uint round) {
    return ((all ^ any >> 8) >> shared_shift(round) & 0xFFu) == 0;
}

#endif
