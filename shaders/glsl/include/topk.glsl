// Interface of the top-k kernels: push constants, key order, and the layout of the data that passes exchange. The
// passes, their invariants and barriers are described in docs/kernels.md, "Top-k".
//
// All kernels work on rows of equal length; an array is one row. The image of a key is an unsigned number; the
// largest images are selected. For the smallest keys, images are complemented.
//
// Needs KEY_BITS. Gives KEY, `push`, image() and its inverse, and the sizes and positions of the data of a row.

#ifndef TOPK_GLSL
#define TOPK_GLSL

#include "constant_ids.glsl"
#include "groups.glsl"

layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;
#define MIN_LANES SUBGROUP_SIZE
layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;

layout(push_constant) uniform Push {
    uint count;     // elements per row
    uint rows;      // rows
    uint parts;     // workgroups per row
    uint k;         // elements to select per row
    uint smallest;  // whether to select the smallest ones
    uint capacity;  // elements per row of the output, or of the candidates
    uint samples;   // sampled elements per row
    uint maxima;    // groups of samples per row; the maximum of each group is kept
    uint step;      // digit, counted from the top
    uint cut;       // parts into which a row is divided; each first selects up to k elements; 1: not divided
} push;

#include "count.glsl"

#if KEY_BITS == 64
#define KEY uint64_t
#else
#define KEY uint
#endif

uint row_length() {
    return resolved_count(push.count);
}

// Returns the number of elements to select: fewer than k if the device count is smaller.
uint wanted_count() {
    return min(push.k, row_length());
}

const uint KEY_SIGNED = 1;
const uint KEY_FLOAT = 2;

KEY flipped(KEY number) {
    return push.smallest != 0 ? ~number : number;
}

KEY image(KEY bits) {
    const KEY top = KEY(1) << (KEY_BITS - 1);
    if (KEY_KIND == KEY_SIGNED) bits ^= top;
    if (KEY_KIND == KEY_FLOAT) bits ^= (bits & top) != 0 ? ~KEY(0) : top;
    return flipped(bits);
}

// Inverse of image().
KEY from_image(KEY number) {
    const KEY top = KEY(1) << (KEY_BITS - 1);
    KEY bits = flipped(number);
    if (KEY_KIND == KEY_SIGNED) return bits ^ top;
    if (KEY_KIND == KEY_FLOAT) return bits ^ ((bits & top) != 0 ? top : ~KEY(0));
    return bits;
}

// Words of `state` per row. Rows are padded, so that atomics on different rows do not contend.
const uint STATE_WORDS = 32;
const uint STATE_CANDIDATES = 0;  // number of candidates; exceeds the capacity if some did not fit

// Layout of `digits` for a row: the bins of three digits, which later digits reuse in rotation, then one pick per
// digit (topk_digits.glsl).
const uint DIGIT_BITS = 11;
const uint DIGIT_BINS = 1 << DIGIT_BITS;
const uint DIGIT_COUNT = (KEY_BITS + DIGIT_BITS - 1) / DIGIT_BITS;
const uint PICK_WORDS = 4;
const uint MAX_PICKS = 8;
const uint DIGITS_WORDS = 3 * DIGIT_BINS + MAX_PICKS * PICK_WORDS;

uint bins_of_digit(uint row, uint step) {
    return row * DIGITS_WORDS + step % 3 * DIGIT_BINS;
}

uint pick_of_digit(uint row, uint step) {
    return row * DIGITS_WORDS + 3 * DIGIT_BINS + step * PICK_WORDS;
}

// The result of pick_bin() (topk_pick.glsl), which kernels that call it declare in shared memory.
struct PickedBin {
    uint bin;
    uint left;   // elements of the bin to select
    uint count;  // elements of the bin
};

// Returns the range [x, y) of the elements of part `part` in its row, which has push.parts parts. The length is a
// multiple of `granule`, except at the end of the row.
uvec2 part_of_row(uint part, uint granule) {
    uint n = row_length();
    uint granules = n / granule + (n % granule != 0 ? 1 : 0);
    uint share = (granules / push.parts + (granules % push.parts != 0 ? 1 : 0)) * granule;
    uint begin = part >= n / share + 1 ? n : part * share;
    return uvec2(begin, n - begin > share ? begin + share : n);
}

#endif
