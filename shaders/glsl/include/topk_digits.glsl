// Finds the leading digits of the k-th largest image, for the exact passes of top-k.
//
// Each pass handles one digit: of the elements that begin with the digits found so far, it counts the values of
// the next digit. The next pass determines the digit of the k-th largest from these counts, in every workgroup;
// the first workgroup of a row writes it for the pass after that.
//
// After a filter, these passes only handle rows for which it failed: rows with too few candidates or with more
// than fit. Other rows are skipped.

#ifndef TOPK_DIGITS_GLSL
#define TOPK_DIGITS_GLSL

#include "topk.glsl"

layout(constant_id = UNLESS_FILTERED_ID) const uint UNLESS_FILTERED = 0;

layout(set = 0, binding = 1, std430) readonly buffer State { uint at[]; } state;
layout(set = 0, binding = 2, std430) buffer Digits { uint at[]; } digits;

#define PICK_BINS DIGIT_BINS
#include "topk_pick.glsl"

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

KEY found_prefix;   // the digits before digit `step`
uint found_left;    // number of elements to select among those with this prefix

// Writes the prefix and the number of elements left to select, for the next pass.
void store_pick(uint row, uint step) {
    uint at = pick_of_digit(row, step);
    digits.at[at] = uint(found_prefix);
#if KEY_BITS == 64
    digits.at[at + 1] = uint(found_prefix >> 32);
#endif
    digits.at[at + 2] = found_left;
}

// Loads the prefix and the number of elements left that the previous pass wrote.
void load_pick(uint row, uint step) {
    uint at = pick_of_digit(row, step);
    found_prefix = KEY(digits.at[at]);
#if KEY_BITS == 64
    found_prefix |= KEY(digits.at[at + 1]) << 32;
#endif
    found_left = digits.at[at + 2];
}

// Sets found_prefix and found_left for digit `step`. Called by all threads; ends with a barrier, after which the bins
// may be reused.
void find_prefix(uint row, uint step) {
    found_prefix = KEY(0);
    found_left = wanted_count();
    if (step == 0) return;
    if (step > 1) load_pick(row, step - 1);
    uint from = bins_of_digit(row, step - 1);
    for (uint b = thread_rank(); b < DIGIT_BINS; b += gl_WorkGroupSize.x) bins[b] = digits.at[from + b];
    barrier();
    pick_bin(found_left);
    found_prefix = found_prefix << digit_width(step - 1) | KEY(picked_bin);
    found_left = picked_left;
    barrier();
}

#endif
