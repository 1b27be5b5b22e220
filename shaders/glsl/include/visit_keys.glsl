// Going over keys whose order does not matter, with several loads on their way at a time. What is
// done with a key is the macro VISIT_KEY(key), which the includer defines.

// Groups of four keys that a thread has on their way at a time.
const uint WIDE_LOADS = 4;

#define LOAD_WIDE(source)                            \
    [[unroll]] for (uint k = 0; k < WIDE_LOADS; ++k) \
        loaded[k] = source.at[i / 4 + k * gl_WorkGroupSize.x + thread_rank()];
#define VISIT_SINGLY(source) \
    for (i += thread_rank(); i < end; i += gl_WorkGroupSize.x) VISIT_KEY(source.at[i]);

// Keys [first, end), by the whole workgroup; `first` is a multiple of four.
void visit_keys(uint first, uint end) {
    const uint step = 4 * WIDE_LOADS * gl_WorkGroupSize.x;
    uint i = first;
#if KEY_BITS == 32
    for (; end - i >= step; i += step) {
        uvec4 loaded[WIDE_LOADS];
        FROM_FOUR_KEYS(LOAD_WIDE)
        [[unroll]] for (uint k = 0; k < WIDE_LOADS; ++k) {
            [[unroll]] for (uint c = 0; c < 4; ++c) VISIT_KEY(loaded[k][c]);
        }
    }
#endif
    FROM_KEYS(VISIT_SINGLY)
}
