// Selects the k-th largest of a list with one workgroup, digit by digit from the top. The list is read repeatedly.
// Equal keys are ordered by index, lower first.
//
// Needs access to the list, for i below its length:
//   KEY  item_image(uint i)
//   uint item_index(uint i)    (with SELECT_INDICES)

#ifndef TOPK_SELECT_GLSL
#define TOPK_SELECT_GLSL

#define PICK_BINS 256
#include "topk_pick.glsl"

const uint SELECT_BITS = 8;  // maximum bits per digit

// Elements per thread in registers at a time. Lists that fit are loaded once.
const uint HELD = 8;
KEY numbers[HELD];
bool all_held;

// Loads the images of this thread's elements: HELD elements from `first` on, one workgroup size apart. Elements past
// the end get the image 0.
void load_numbers(uint first, uint count) {
    [[unroll]] for (uint j = 0; j < HELD; ++j) {
        uint i = first + j * gl_WorkGroupSize.x;
        numbers[j] = i < count ? item_image(i) : KEY(0);
    }
}

// Executes the statement for each element of this thread, with its image `number` and its index `i`.
#define EACH_NUMBER(count, statement)                                                                          \
    for (uint first_ = thread_rank(); first_ < count; first_ += HELD * gl_WorkGroupSize.x) {                    \
        if (!all_held) load_numbers(first_, count);                                                            \
        [[unroll]] for (uint j_ = 0; j_ < HELD; ++j_) {                                                        \
            uint i = first_ + j_ * gl_WorkGroupSize.x;                                                         \
            KEY number = numbers[j_];                                                                          \
            if (i < count) { statement; }                                                                      \
        }                                                                                                      \
    }

// Prepares EACH_NUMBER for a list of `count` elements. Called before the first EACH_NUMBER.
void hold_numbers(uint count) {
    all_held = count <= HELD * gl_WorkGroupSize.x;
    if (all_held) load_numbers(thread_rank(), count);
}

// Selected elements: images above `bound`, or equal to it with an index of at most `last_index`.
KEY bound;
uint last_index;

// AND and OR of all images, in words.
shared uint bits_of_all[KEY_BITS / 32];
shared uint bits_of_any[KEY_BITS / 32];

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

// Combines word w across the lanes with scans instead of reductions (lane_totals.glsl explains why). The last lane adds
// the result to that of the workgroup.
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
KEY common_prefix(uint count, out uint shift) {
    if (thread_rank() < KEY_BITS / 32) {
        bits_of_all[thread_rank()] = ~0u;
        bits_of_any[thread_rank()] = 0;
    }
    clear_bins();  // ends with a barrier
    KEY all = ~KEY(0);
    KEY any = KEY(0);
    EACH_NUMBER(count, all &= number; any |= number)
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
void count_image_digits(uint count, uint shift, uint width, KEY prefix) {
    EACH_NUMBER(count, KEY digits = number >> shift;
                if (digits >> width == prefix) atomicAdd(bins[uint(digits) & ((1u << width) - 1)], 1))
}

#ifdef SELECT_INDICES
// Counts the digits of the complemented indices of elements equal to the bound, so that lower indices come first.
void count_index_digits(uint count, uint shift, uint prefix) {
    EACH_NUMBER(count, if (number == bound) {
        uint digits = ~item_index(i) >> shift;
        if (digits >> SELECT_BITS == prefix) atomicAdd(bins[digits & (PICK_BINS - 1)], 1);
    })
}

// Sets last_index by comparing all pairs of the `same` elements equal to the bound, which must fit into `bins`. The
// last selected element is the one with exactly `left` - 1 lower indices. Called by all threads.
shared uint found_ties;

void select_index_of_few(uint count, uint left, uint same) {
    if (thread_rank() == 0) found_ties = 0;
    barrier();
    EACH_NUMBER(count, if (number == bound) bins[atomicAdd(found_ties, 1)] = item_index(i))
    barrier();
    for (uint t = thread_rank(); t < same; t += gl_WorkGroupSize.x) {
        uint before = 0;
        for (uint other = 0; other < same; ++other)
            if (bins[other] < bins[t]) ++before;
        if (before == left - 1) picked_left = bins[t];
    }
    barrier();
    last_index = picked_left;
}

// Sets last_index such that `left` of the `same` elements equal to the bound are selected. Called by all threads.
void select_index(uint count, uint left, uint same) {
    if (left == same) return;
    if (same <= PICK_BINS) {
        select_index_of_few(count, left, same);
        return;
    }
    uint prefix = 0;
    uint shift = 32;
    while (left < same && shift != 0) {
        shift -= SELECT_BITS;
        count_index_digits(count, shift, prefix);
        barrier();
        pick_bin(left);
        prefix = prefix << SELECT_BITS | picked_bin;
        left = picked_left;
        same = picked_count;
    }
    if (shift != 32) last_index = ~(prefix << shift);
}
#endif

// Sets `bound` (and `last_index`) such that `wanted` of `count` elements are selected; `wanted` is between 1 and
// `count`. Called by all threads.
void select_bound(uint count, uint wanted) {
    bound = KEY(0);
    last_index = ~0u;
    hold_numbers(count);
    if (wanted >= count) return;
    uint shift;
    KEY prefix = common_prefix(count, shift);
    uint left = wanted;
    uint same = count;
    while (left < same && shift != 0) {
        uint width = min(SELECT_BITS, shift);
        shift -= width;
        count_image_digits(count, shift, width, prefix);
        barrier();
        pick_bin(left);
        prefix = prefix << width | KEY(picked_bin);
        left = picked_left;
        same = picked_count;
    }
    bound = prefix << shift;
#ifdef SELECT_INDICES
    select_index(count, left, same);
#endif
}

#endif
