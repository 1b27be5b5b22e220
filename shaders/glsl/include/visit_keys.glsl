// Going over keys whose order does not matter, with several loads on their way at a time. What is
// done with a key is the macro VISIT_KEY(key), which the includer defines, and with four keys VISIT_FOUR,
// if it can do better than with each of them; by whom it is done, if not by the whole workgroup, are
// VISITOR of VISITORS threads.

#ifndef VISIT_KEYS_GLSL
#define VISIT_KEYS_GLSL

#include "multisplit.glsl"
#include "groups.glsl"
#include "key_at.glsl"

#ifndef VISITOR
#define VISITOR thread_rank()
#define VISITORS gl_WorkGroupSize.x
#endif

#ifndef VISIT_FOUR
#define VISIT_FOUR(four) [[unroll]] for (uint c = 0; c < 4; ++c) VISIT_KEY(four[c]);
#endif

// Groups of four keys that a thread has on their way at a time.
const uint WIDE_LOADS = 4;

// Keys [first, end); `first` is a multiple of four, except in segments, which begin anywhere.
void visit_keys(uint first, uint end) {
    uint i = first;
#if KEY_BITS == 32 && !defined(SEGMENTS)
    const uint row = 4 * VISITORS;
    while (end - i >= row) {
        uint rows = min((end - i) / row, WIDE_LOADS);
        uvec4 loaded[WIDE_LOADS];
        [[unroll]] for (uint k = 0; k < WIDE_LOADS; ++k)
            if (k < rows) loaded[k] = four_keys_at(i / 4 + k * VISITORS + VISITOR);
        [[unroll]] for (uint k = 0; k < WIDE_LOADS; ++k) {
            if (k < rows) {
                VISIT_FOUR(loaded[k])
            }
        }
        i += rows * row;
    }
#endif
    for (i += VISITOR; i < end; i += VISITORS) VISIT_KEY(key_at(i));
}

#endif
