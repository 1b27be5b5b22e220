// Data that the first pass of a one-sweep sort writes for its rounds: the histogram of each digit, and the no-op
// rounds, in which all keys have the same digit.
//
// Large sorts have one histogram per digit, which another pass clears. The workgroups of the first pass add their
// counts to it atomically. Small sorts (HISTOGRAM_PARTS > 0) avoid the dispatch that clears. Each of HISTOGRAM_PARTS
// workgroups writes separate histograms, which the rounds add up, and one word per round, which indicates whether all
// its keys have the same digit.
//
// Gives: HISTOGRAM_PARTS, part_begin(), DIFFERENT_DIGITS, NO_DIGITS, one_digit(), have_one_digit().

#ifndef HISTOGRAM_PARTS_GLSL
#define HISTOGRAM_PARTS_GLSL

#include "constant_ids.glsl"

// 0: one histogram for all keys. Otherwise a multiple of four.
layout(constant_id = HISTOGRAM_PARTS_ID) const uint HISTOGRAM_PARTS = 0;

// Returns the index of the first counter of a part's histogram for a round. `row` is the number of counters per
// histogram.
uint part_begin(const uint round, const uint part, const uint row) {
    return (round * HISTOGRAM_PARTS + part) * row;
}

// A part has one word per round: one_digit(d) if all its keys have digit d, NO_DIGITS if it has no keys, and otherwise
// DIFFERENT_DIGITS. The lowest bytes of all parts are combined with AND, the next bytes with OR. The results are equal
// if all keys have the same digit. NO_DIGITS is neutral.
const uint DIFFERENT_DIGITS = 0xFF00u;
const uint NO_DIGITS = 0x00FFu;

// Returns the word of a part if all its keys have digit d.
uint one_digit(const uint d) {
    return d | d << 8;
}

// Returns whether the keys of all parts have the same digit, given the AND and the OR of the words of all parts.
bool have_one_digit(const uint all, const uint any) {
    return ((all ^ any >> 8) & 0xFFu) == 0;
}

#endif
