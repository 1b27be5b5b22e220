// What the exact passes of a top-k know: which digits the k-th largest image begins with.
//
// A pass for each digit counts, of the elements that begin with the digits found so far, how many have
// which digit next. Which of these is the k-th's the next pass finds out, every workgroup for itself;
// the first one of a row leaves it for the pass behind.
//
// After a filter these passes are there for what it could not do: rows with too few candidates, or with
// more than there is room for. The others are left alone.

#ifndef TOPK_DIGITS_GLSL
#define TOPK_DIGITS_GLSL

#include "topk.glsl"

layout(constant_id = UNLESS_FILTERED_ID) const uint UNLESS_FILTERED = 0;

layout(set = 0, binding = 1, std430) readonly buffer State { uint at[]; } state;
layout(set = 0, binding = 2, std430) buffer Digits { uint at[]; } digits;

#define PICK_BINS DIGIT_BINS
#include "topk_pick.glsl"

// Whether this row has nothing for these passes to do.
bool is_done(uint row) {
    if (wanted_count() == 0) return true;
    if (UNLESS_FILTERED == 0) return false;
    uint found = state.at[row * STATE_WORDS + STATE_CANDIDATES];
    return wanted_count() <= found && found <= push.capacity;
}

// The lowest bit of a digit.
uint digit_shift(uint step) {
    uint above = DIGIT_BITS * (step + 1);
    return above < KEY_BITS ? KEY_BITS - above : 0;
}

uint digit_width(uint step) {
    return min(DIGIT_BITS, KEY_BITS - DIGIT_BITS * step);
}

KEY found_prefix;   // the digits before digit `step`
uint found_left;    // how many elements are wanted of those that begin so

void leave_pick(uint row, uint step) {
    uint at = pick_of_digit(row, step);
    digits.at[at] = uint(found_prefix);
#if KEY_BITS == 64
    digits.at[at + 1] = uint(found_prefix >> 32);
#endif
    digits.at[at + 2] = found_left;
}

void load_pick(uint row, uint step) {
    uint at = pick_of_digit(row, step);
    found_prefix = KEY(digits.at[at]);
#if KEY_BITS == 64
    found_prefix |= KEY(digits.at[at + 1]) << 32;
#endif
    found_left = digits.at[at + 2];
}

// Finds the digits before digit `step`. Called by all threads; the bins may be used again behind it.
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
