// Provides visit_keys(), which calls VISIT_KEY(key) for a range of keys in any order, with several loads in
// flight. The includer defines VISIT_KEY, and optionally VISIT_FOUR if four keys at a time are faster. By default,
// the whole workgroup shares the keys; otherwise the includer defines this thread's index VISITOR among VISITORS
// threads.

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

// Groups of four keys in flight per thread.
const uint WIDE_LOADS = 4;

// Visits the keys [first, end). `first` must be a multiple of four, except with SEGMENTS.
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
