// What the first pass of a one-sweep sort leaves for its rounds: the histogram of each digit, and which
// rounds are idle because all keys have the same digit.
//
// Many keys have one histogram per digit, to which the workgroups of the first pass add their counts by
// atomics; another pass has cleared it. A dispatch more is what few keys can do without: each of
// HISTOGRAM_PARTS workgroups then writes histograms of its own, which rounds add up, and says in one word
// per round whether all of its keys have the same digit.

#ifndef HISTOGRAM_PARTS_GLSL
#define HISTOGRAM_PARTS_GLSL

#include "constant_ids.glsl"

// 0: one histogram for all. Else a multiple of four.
layout(constant_id = HISTOGRAM_PARTS_ID) const uint HISTOGRAM_PARTS = 0;

// Where the part's histogram of a digit begins; `row` is how many values the digit has.
uint part_begin(uint round, uint part, uint row) {
    return (round * HISTOGRAM_PARTS + part) * row;
}

// What all keys of a part have in common in a round: in the lowest byte the bits that all digits have, in the
// next one those that any has. They are the same where all keys have the same digit; if not, it says
// as much. Parts without keys change nothing where lower bytes are combined by and, upper ones by or.
const uint DIFFERENT_DIGITS = 0xFF00u;
const uint NO_DIGITS = 0x00FFu;

uint one_digit(uint d) {
    return d | d << 8;
}

// Whether the keys of all parts have one digit; given are the words of all, by and and by or.
bool have_one_digit(uint all, uint any) {
    return ((all ^ any >> 8) & 0xFFu) == 0;
}

#endif
