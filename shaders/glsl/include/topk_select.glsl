// How one workgroup finds the k-th largest of a list that it can read as often as it likes: digit by
// digit, from the top. Elements with the same key are told apart by their index, the lower one first.
//
// The includer says what the list has, for i below its length:
//   KEY  item_image(uint i)
//   uint item_index(uint i)    (with SELECT_INDICES)

#ifndef TOPK_SELECT_GLSL
#define TOPK_SELECT_GLSL

#define PICK_BINS 256
#include "topk_pick.glsl"

const uint SELECT_BITS = 8;

// Elements of a thread that are on their way at a time.
const uint SIDE_BY_SIDE = 4;
KEY numbers[SIDE_BY_SIDE];

// The images of elements from `first` on, a workgroup apart; zero past the end.
void load_numbers(uint first, uint count) {
    [[unroll]] for (uint j = 0; j < SIDE_BY_SIDE; ++j) {
        uint i = first + j * gl_WorkGroupSize.x;
        numbers[j] = i < count ? item_image(i) : KEY(0);
    }
}

// An element is wanted whose image is above the bound, or at it with an index of `last_index` or less.
KEY bound;
uint last_index;

// Of the elements whose image has the digits `prefix` above bit `shift` + 8, how many have which digit.
void count_image_digits(uint count, uint shift, KEY prefix) {
    for (uint first = thread_rank(); first < count; first += SIDE_BY_SIDE * gl_WorkGroupSize.x) {
        load_numbers(first, count);
        [[unroll]] for (uint j = 0; j < SIDE_BY_SIDE; ++j) {
            KEY number = numbers[j] >> shift;
            bool counts = first + j * gl_WorkGroupSize.x < count && number >> SELECT_BITS == prefix;
            if (counts) atomicAdd(bins[uint(number) & (PICK_BINS - 1)], 1);
        }
    }
}

#ifdef SELECT_INDICES
// The same for the indices of the elements at the bound; low ones come first.
void count_index_digits(uint count, uint shift, uint prefix) {
    for (uint i = thread_rank(); i < count; i += gl_WorkGroupSize.x) {
        if (item_image(i) == bound) {
            uint number = ~item_index(i) >> shift;
            if (number >> SELECT_BITS == prefix) atomicAdd(bins[number & (PICK_BINS - 1)], 1);
        }
    }
}

// Of `same` elements at the bound, `left` are wanted.
void select_index(uint count, uint left, uint same) {
    uint prefix = 0;
    uint shift = 32;
    while (left < same && shift != 0) {
        shift -= SELECT_BITS;
        clear_bins();
        count_index_digits(count, shift, prefix);
        barrier();
        pick_bin(left);
        prefix = prefix << SELECT_BITS | picked_bin;
        left = picked_left;
        same = picked_count;
        barrier();  // bins are cleared again
    }
    if (shift != 32) last_index = ~(prefix << shift);
}
#endif

// Sets the bound so that `wanted` of `count` elements are above it or at it; `wanted` is from 1 to
// `count`. Called by all threads.
void select_bound(uint count, uint wanted) {
    bound = KEY(0);
    last_index = ~0u;
    KEY prefix = KEY(0);
    uint left = wanted;
    uint same = count;
    uint shift = KEY_BITS;
    while (left < same && shift != 0) {
        shift -= SELECT_BITS;
        clear_bins();
        count_image_digits(count, shift, prefix);
        barrier();
        pick_bin(left);
        prefix = prefix << SELECT_BITS | KEY(picked_bin);
        left = picked_left;
        same = picked_count;
        barrier();  // bins are cleared again
    }
    if (shift != KEY_BITS) bound = prefix << shift;
#ifdef SELECT_INDICES
    select_index(count, left, same);
#endif
}

#endif
