// Selects the k-th largest of a list with one workgroup, digit by digit from the top. Long lists are read repeatedly.
//
// Needs:
//   KEY item_image(const List list, uint i)  returns the image of element i of the list
//   in shared memory: `bins`, 256 counters, and `picked` (topk_pick.glsl); uint bits_of_all[KEY_BITS / 32] and
//   uint bits_of_any[KEY_BITS / 32], the AND and OR of all images in words
// Gives select_threshold(), and EACH_NUMBER to process the elements.

#ifndef TOPK_SELECT_GLSL
#define TOPK_SELECT_GLSL

#include "topk.glsl"
#include "topk_pick.glsl"

// A list of elements.
struct List {
    uint first;        // first element in the buffer
    uint count;        // elements
    uint first_index;  // index of the first element, if the list has no buffer of indices
};

KEY item_image(const List list, uint i);

const uint SELECT_BITS = 8;  // maximum bits per digit

// Elements per thread in registers at a time. Lists that fit are loaded once.
const uint HELD = 8;

bool is_held(const List list) {
    return list.count <= HELD * gl_WorkGroupSize.x;
}

// Loads the images of this thread's elements: HELD elements from `first` on, one workgroup size apart. Elements past
// the end get the image 0.
void load_numbers(const List list, uint first, out KEY numbers[HELD]) {
    [[unroll]] for (uint j = 0; j < HELD; ++j) {
        uint i = first + j * gl_WorkGroupSize.x;
        numbers[j] = KEY(0);
        if (i < list.count) numbers[j] = item_image(list, i);
    }
}

// Executes the statement for each element of this thread, with its image `number` and its position `i` in the list.
// `numbers` are the loaded images (load_numbers()); they are replaced unless the list is held.
#define EACH_NUMBER(list, numbers, statement)                                                                        \
    for (uint first_ = thread_rank(); first_ < list.count; first_ += HELD * gl_WorkGroupSize.x) {                    \
        if (!is_held(list)) load_numbers(list, first_, numbers);                                                     \
        [[unroll]] for (uint j_ = 0; j_ < HELD; ++j_) {                                                              \
            uint i = first_ + j_ * gl_WorkGroupSize.x;                                                               \
            KEY number = numbers[j_];                                                                                \
            if (i < list.count) { statement; }                                                                       \
        }                                                                                                            \
    }

#if KEY_BITS == 64
uint word_of(KEY number, uint w) { return uint(number >> 32 * w); }
KEY of_words(uint low, uint high) { return KEY(high) << 32 | low; }
uint highest_bit(KEY number) {
    uint high = uint(number >> 32);
    return high != 0 ? 32 + findMSB(high) : findMSB(uint(number));
}
#else
uint word_of(KEY number, uint w) { return number; }
uint highest_bit(KEY number) { return findMSB(number); }
#endif

// Combines word w across the lanes with scans instead of reductions (lane_totals.glsl explains why). The last lane
// combines the results with those of the workgroup.
void join_bits(uint w, uint all, uint any) {
    uint all_lanes = subgroupInclusiveAnd(all);
    uint any_lane = subgroupInclusiveOr(any);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1) {
        atomicAnd(bits_of_all[w], all_lanes);
        atomicOr(bits_of_any[w], any_lane);
    }
}

// Returns the common prefix of all images, and in `shift` the number of bits after it. Candidates are the largest
// of many elements and mostly have the same leading bits: a digit of these would count all of them in one counter.
// Called by all threads.
KEY common_prefix(const List list, inout KEY numbers[HELD], out uint shift) {
    if (thread_rank() < KEY_BITS / 32) {
        bits_of_all[thread_rank()] = ~0u;
        bits_of_any[thread_rank()] = 0;
    }
    clear_bins();  // ends with a barrier
    KEY all = ~KEY(0);
    KEY any = KEY(0);
    EACH_NUMBER(list, numbers, all &= number; any |= number)
    join_bits(0, word_of(all, 0), word_of(any, 0));
#if KEY_BITS == 64
    join_bits(1, word_of(all, 1), word_of(any, 1));
#endif
    barrier();
#if KEY_BITS == 64
    all = of_words(bits_of_all[0], bits_of_all[1]);
    any = of_words(bits_of_any[0], bits_of_any[1]);
#else
    all = bits_of_all[0];
    any = bits_of_any[0];
#endif
    KEY differing = any & ~all;
    shift = differing == KEY(0) ? 0 : highest_bit(differing) + 1;
    return shift < KEY_BITS ? all >> shift : KEY(0);
}

// For the elements whose bits above the digit equal `prefix`, counts the values of the digit, which has `width` bits
// from bit `shift` on.
void count_image_digits(const List list, inout KEY numbers[HELD], uint shift, uint width, KEY prefix) {
    EACH_NUMBER(list, numbers, KEY digits = number >> shift;
                if (digits >> width == prefix) atomicAdd(bins[uint(digits) & ((1u << width) - 1)], 1))
}

// Selected: if left < same, elements above the threshold and `left` of the `same` equal to it; else all not below it.
struct Selection {
    KEY threshold;
    uint left;
    uint same;
};

// Selects `wanted` elements: at least 1, at most list.count. If the list is held, `numbers` has its images on return.
// The bins are clear afterwards, unless all elements are selected. Called by all threads.
Selection select_threshold(const List list, uint wanted, out KEY numbers[HELD]) {
    if (is_held(list)) load_numbers(list, thread_rank(), numbers);
    Selection found = Selection(KEY(0), wanted, list.count);
    if (wanted < list.count) {
        uint shift;
        KEY prefix = common_prefix(list, numbers, shift);
        while (found.left < found.same && shift != 0) {
            uint width = min(SELECT_BITS, shift);
            shift -= width;
            count_image_digits(list, numbers, shift, width, prefix);
            barrier();
            PickedBin digit = pick_bin(found.left);
            prefix = prefix << width | KEY(digit.bin);
            found.left = digit.left;
            found.same = digit.count;
        }
        found.threshold = prefix << shift;
    }
    return found;
}

#endif
