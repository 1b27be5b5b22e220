// What the kernels of top-k share: their push block, keys as numbers that compare like them, and the
// words that passes leave for each other.
//
// Every kernel works on rows of equal length; one array is one row. A key becomes an unsigned number, its
// image, of which the largest are wanted: that of the smallest keys is flipped.

#ifndef TOPK_GLSL
#define TOPK_GLSL

#include "constant_ids.glsl"
#include "groups.glsl"

layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;
#define MIN_LANES SUBGROUP_SIZE
layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;

layout(push_constant) uniform Push {
    uint count;     // elements of a row
    uint rows;      // rows
    uint parts;     // workgroups of a row
    uint k;         // elements wanted of each row
    uint smallest;  // whether they are the smallest
    uint capacity;  // elements of a row of the output, or of the candidates
    uint samples;   // elements of a row that are looked at first
    uint maxima;    // groups of these
    uint step;      // which digit, from the top
    uint cut;       // parts of a row, each of which puts its own k largest aside; 1: the row is not cut
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

// The elements wanted: of a device count there may be fewer than k.
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

// The key of which image() makes this.
KEY from_image(KEY number) {
    const KEY top = KEY(1) << (KEY_BITS - 1);
    KEY bits = flipped(number);
    if (KEY_KIND == KEY_SIGNED) return bits ^ top;
    if (KEY_KIND == KEY_FLOAT) return bits ^ ((bits & top) != 0 ? top : ~KEY(0));
    return bits;
}

// Words of `state` for each row. Rows are apart, so that atomics on different rows do not meet.
const uint STATE_WORDS = 32;
const uint STATE_CANDIDATES = 0;  // how many were found, those that had no room included

// Words of a row's `digits`: bins of three digits in turn, then what was picked by each digit.
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

// The elements of one workgroup, of those of its row: [x, y), counted from the row's beginning.
uvec2 part_of_row(uint part, uint granule) {
    uint n = row_length();
    uint granules = n / granule + (n % granule != 0 ? 1 : 0);
    uint share = (granules / push.parts + (granules % push.parts != 0 ? 1 : 0)) * granule;
    uint begin = part >= n / share + 1 ? n : part * share;
    return uvec2(begin, n - begin > share ? begin + share : n);
}

#endif
