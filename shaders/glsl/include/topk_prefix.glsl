// Finds the leading digits of the k-th largest image, for topk/digits.comp and topk/count.comp.
//
// Each pass of digits.comp handles one digit: of the elements that begin with the digits found so far, it counts the
// values of the next digit. The next pass determines the digit of the k-th largest from these counts, in every
// workgroup; the first workgroup of a row writes it for the pass after that.
//
// Needs the shared memory of topk_pick.glsl, with DIGIT_BINS bins. Gives find_pick().

#ifndef TOPK_PREFIX_GLSL
#define TOPK_PREFIX_GLSL

#include "topk_digits.glsl"
#include "topk_pick.glsl"

// Returns the pick of digit `step`, from that of the digit before and its counts. Called by all threads. After it, the
// bins may be reused: if it uses them (`step` > 0), it ends with a barrier.
Pick find_pick(uint row, uint step) {
    Pick pick = Pick(KEY(0), wanted_count());
    if (step == 0) return pick;
    if (step > 1) pick = load_pick(row, step - 1);
    uint from = bins_of_digit(row, step - 1);
    for (uint b = thread_rank(); b < DIGIT_BINS; b += gl_WorkGroupSize.x) bins[b] = digits.at[from + b];
    barrier();
    PickedBin digit = pick_bin(pick.left);
    barrier();
    return Pick(pick.prefix << digit_width(step - 1) | KEY(digit.bin), digit.left);
}

#endif
