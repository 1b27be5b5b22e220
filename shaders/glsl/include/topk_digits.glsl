// Data of the exact passes of top-k, which find the k-th largest image digit by digit (topk/digits.comp).
//
// After a filter, these passes only handle rows for which it failed: rows with too few candidates or with more
// than fit. Other rows are skipped.
//
// Gives is_done(), which tells whether a row is skipped, the position of digits in an image, and picks.

#ifndef TOPK_DIGITS_GLSL
#define TOPK_DIGITS_GLSL

#include "topk.glsl"

layout(constant_id = UNLESS_FILTERED_ID) const uint UNLESS_FILTERED = 0;

layout(set = 0, binding = 1, std430) readonly buffer State { uint at[]; } state;
layout(set = 0, binding = 2, std430) buffer Digits { uint at[]; } digits;

// Returns whether the exact passes can skip the row.
bool is_done(uint row) {
    if (wanted_count() == 0) return true;
    if (UNLESS_FILTERED == 0) return false;
    uint found = state.at[row * STATE_WORDS + STATE_CANDIDATES];
    return wanted_count() <= found && found <= push.capacity;
}

// Returns the lowest bit of a digit.
uint digit_shift(uint step) {
    uint above = DIGIT_BITS * (step + 1);
    return above < KEY_BITS ? KEY_BITS - above : 0;
}

uint digit_width(uint step) {
    return min(DIGIT_BITS, KEY_BITS - DIGIT_BITS * step);
}

// The pick of digit `step`: the earlier digits of the k-th largest image, and the number of elements to select among
// those that begin with them.
struct Pick {
    KEY prefix;
    uint left;
};

// Writes the pick of digit `step`, for the next pass.
void store_pick(uint row, uint step, const Pick pick) {
    uint at = pick_of_digit(row, step);
    digits.at[at] = uint(pick.prefix);
#if KEY_BITS == 64
    digits.at[at + 1] = uint(pick.prefix >> 32);
#endif
    digits.at[at + 2] = pick.left;
}

// Returns the pick of digit `step`, which an earlier pass wrote.
Pick load_pick(uint row, uint step) {
    uint at = pick_of_digit(row, step);
    KEY prefix = KEY(digits.at[at]);
#if KEY_BITS == 64
    prefix |= KEY(digits.at[at + 1]) << 32;
#endif
    return Pick(prefix, digits.at[at + 2]);
}

#endif
