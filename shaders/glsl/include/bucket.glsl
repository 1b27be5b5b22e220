// The bucket function of a multisplit.
//
// The function is a built-in one, selected by the specialization constant BUCKET_KIND, or the user's `uint
// bucket_of(KEY key)` from the include user_bucket.glsl. Ids out of range are clamped to push.ids - 1. Kernels with
// out_of_range.glsl can count the keys whose ids were clamped. A multisplit with more buckets than one pass supports
// runs several passes, each of which splits by some bits of the id (BY_PART).
//
// Needs: the interface of multisplit.glsl; with USER_BUCKET, USER_KEY_TYPE and the include user_bucket.glsl.
// Gives: bucket_at(), likely_bucket_at(), SEARCHES, and their parts raw_bucket(), likely_raw_bucket() and part_of_id();
// stage_splitters(), which all threads must call before any of these; the buffer `table` at binding 1.

#ifndef BUCKET_GLSL
#define BUCKET_GLSL

#include "multisplit.glsl"
#include "key_order.glsl"

// Push constants of each kind of function. "high" is the upper word of a 64-bit key.
//   delta  `min` is a key converted by ordered(); `reciprocal` is a float slightly below 1 / width
//   even   `min` and `width` are floats; `scale` is about 1 / width
//   range  `min` is a converted key below all splitters (or 0); `span` is the distance from `min` to a key beyond the
//          last splitter (or the largest key); `cells` packs place_shift(), bin_bits() and fraction_bits(), 8 bits each
//
//   member              digit    ordered    delta          even     range
//   shift_or_min        shift    shift      min            min      min
//   min_high                                min, high               min, high
//   width_or_scale                          width          scale    span
//   mask_or_width_high  mask     mask       width, high    width    span, high
//   flip_or_reciprocal           flip       reciprocal              cells

layout(constant_id = ID_BITS_ID) const uint ID_BITS = 8;  // ceil(log2 push.ids), at least 1; steps of a splitter search
// 0: the bucket is the id. 1: the bucket is the BUCKET_BITS bits of the id that start at bit push.part_shift.
layout(constant_id = BY_PART_ID) const uint BY_PART = 0;

// Cells (cells.glsl), then splitters, converted by ordered(). With USER_BUCKET, the buffer that the user's function may
// read.
layout(set = 0, binding = 1, std430) readonly buffer Table { uint at[]; } table;
#if KEY_BITS == 64
layout(set = 0, binding = 1, std430) readonly buffer TableKeys { KEY at[]; } table_keys;
#else
#define table_keys table
#endif

#ifdef USER_BUCKET

void stage_splitters() {}

#include "user_key.glsl"
#include "user_bucket.glsl"

// Returns the id of a key, which may be out of range.
uint raw_bucket(const KEY bits) {
    return bucket_of(user_key(bits, USER_KEY_TYPE(0)));
}

#else

layout(constant_id = CELLS_ID) const uint CELLS = 1;  // 1: no cells; all splitters are searched

uint place_shift() { return push.flip_or_reciprocal & 0xffu; }
uint bin_bits() { return bitfieldExtract(push.flip_or_reciprocal, 8, 8); }
uint fraction_bits() { return bitfieldExtract(push.flip_or_reciprocal, 16, 8); }

#include "cells.glsl"

// If there are at most 2^8 ids, splitters are copied to shared memory. Otherwise they are read from the table.
const uint ROOM = ID_BITS <= 8 ? 1u << ID_BITS : 0u;
const uint SHARED_SPLITTERS = BUCKET_KIND == BUCKET_RANGE || BUCKET_KIND == BUCKET_EVEN_RANGE ? ROOM : 0u;
// The steps of a search are powers of two, so the addresses that lanes read differ by multiples of the step. To
// avoid bank conflicts, one position is skipped after every BANKS elements. apart() returns the padded index.
const uint BANKS = 32 / (KEY_BITS / 32);
uint apart(const uint index) { return index + index / BANKS; }
shared KEY splitters[SHARED_SPLITTERS + SHARED_SPLITTERS / BANKS + 1u];
// Size of the cells at the start of the table, in keys of KEY_BITS bits. CELLS + 1 cells are followed by a padding
// word, which aligns 64-bit splitters.
const uint TABLE_HEAD = CELLS > 1 ? (CELLS + 2) / (KEY_BITS / 32) : 0;

// Copies cells and splitters to shared memory, if the function needs them there, and then ends with a barrier. Called
// by all threads before the first bucket_at().
void stage_splitters() {
    if (CELLS > 1)
        for (uint i = gl_LocalInvocationIndex; i <= CELLS; i += gl_WorkGroupSize.x) cells[i] = table.at[i];
    // The rest of the array gets the largest key, so that searches need no bounds check.
    for (uint i = gl_LocalInvocationIndex; i < SHARED_SPLITTERS; i += gl_WorkGroupSize.x)
        splitters[apart(i)] = i + 1 < push.ids ? table_keys.at[TABLE_HEAD + i] : ~KEY(0);
    if (CELLS > 1 || SHARED_SPLITTERS > 0) barrier();
}

KEY splitter(const uint index) {
    return SHARED_SPLITTERS > 0 ? splitters[apart(index)] : table_keys.at[TABLE_HEAD + index];
}

#if KEY_BITS == 64
KEY key_of(const uint low, const uint high) { return KEY(high) << 32 | low; }
float approximately(const KEY x) { return float(uint(x >> 32)) * 4294967296.0 + float(uint(x)); }
#else
KEY key_of(const uint low, const uint high) { return low; }
float approximately(const KEY x) { return float(x); }
#endif

uint delta_bucket(const KEY key) {
    KEY above = key - min(key, key_of(push.shift_or_min, push.min_high));
    KEY width = key_of(push.width_or_scale, push.mask_or_width_high);
    // The estimate never exceeds the quotient, so the product does not overflow. Quotients up to the maximum of 2^16
    // buckets are underestimated by at most one, because floats have 24 significant bits. Larger quotients need not
    // be exact, because they are clamped.
    float estimate = approximately(above) * uintBitsToFloat(push.flip_or_reciprocal);
    uint quotient = uint(min(estimate, 131072.0));
    return above - KEY(quotient) * width >= width ? quotient + 1 : quotient;
}

// Returns the place of a key (cells.glsl): its distance from `min`, clamped to `span`, in units of 1 << place_shift().
uint place_of(const KEY key) {
    KEY least = key_of(push.shift_or_min, push.min_high);
    KEY above = min(max(key, least) - least, key_of(push.width_or_scale, push.mask_or_width_high));
    return uint(above >> place_shift());
}

// Returns the number of splitters at or below the key, from one word of the table. Sets `unsure` if that word does
// not suffice.
uint likely_range_bucket(const KEY key, out bool unsure) {
    return likely_bin_at(place_of(key), unsure);
}

// Returns the number of splitters at or below the key, by a binary search among the splitters of its cell.
uint searched_range_bucket(const KEY key) {
    uint cell = place_of(key) >> fraction_bits();
    uint below = bins_before(cells[cell]);
    uint max_below = bins_before(cells[cell + 1]);
    while (below < max_below) {
        uint middle = (below + max_below) / 2;
        if (splitter(middle) <= key) below = middle + 1;
        else max_below = middle;
    }
    return below;
}

// Returns the number of splitters at or below the key, by a binary search among all splitters.
uint halved_range_bucket(const KEY key) {
    uint below = 0;
    if (SHARED_SPLITTERS > 0) {
        // `below` is a padded index. The unpadded index is a multiple of twice the current step, and therefore
        // apart(index + step) == apart(index) + apart(step).
        for (uint step = 1u << (ID_BITS - 1); step > 0; step >>= 1)
            if (splitters[below + apart(step - 1)] <= key) below += apart(step);
        if (SHARED_SPLITTERS > BANKS) below -= below / (BANKS + 1);
        return min(below, push.ids - 1);
    }
    for (uint step = 1u << (ID_BITS - 1); step > 0; step >>= 1) {
        uint probe = below + step;
        if (probe < push.ids && splitter(probe - 1) <= key) below = probe;
    }
    return below;
}

// Returns the number of splitters at or below the key.
uint range_bucket(const KEY key) {
    if (CELLS == 1) return halved_range_bucket(key);
    bool unsure;
    uint bucket = likely_range_bucket(key, unsure);
    return unsure ? searched_range_bucket(key) : bucket;
}

bool is_nan(const KEY bits) {
#if KEY_BITS == 64
    const KEY infinity = KEY(0x7FF) << 52;
#else
    const KEY infinity = 0x7F800000u;
#endif
    return (bits << 1) > (infinity << 1);
}

#if KEY_BITS == 32
// Returns the bucket of a float: rounds the scaled key to the nearest edge, then compares the key with that edge. The
// host ensures that the rounding error of a scaled edge is less than half a bucket. Keys and edges are compared by
// ordered(), because float comparisons may flush subnormals to zero.
uint even_bucket(const uint bits) {
    float least = uintBitsToFloat(push.shift_or_min);
    precise float above = uintBitsToFloat(bits) - least;
    precise float scaled = above * uintBitsToFloat(push.width_or_scale);
    float nearest = roundEven(is_nan(bits) ? float(push.ids) : clamp(scaled, 0.0, float(push.ids)));
    precise float edge_above = nearest * uintBitsToFloat(push.mask_or_width_high);
    precise float edge = edge_above + least;
    // Both zeros belong to the bucket above an edge at zero. -0 has the smaller ordered() value.
    bool below_edge = ordered(bits) < ordered(edge == 0.0 ? 0x80000000u : floatBitsToUint(edge));
    uint bucket = uint(nearest);
    if (bucket > 0 && bucket < push.ids && below_edge) bucket -= 1;
    return min(bucket, push.ids - 1);
}
#endif

// Returns the id of a key, which may be out of range.
uint raw_bucket(const KEY bits) {
    if (BUCKET_KIND == BUCKET_DELTA) return min(delta_bucket(ordered(bits)), push.ids - 1);
#if KEY_BITS == 32
    if (BUCKET_KIND == BUCKET_EVEN) return even_bucket(bits);
#endif
    if (BUCKET_KIND == BUCKET_EVEN_RANGE) return is_nan(bits) ? push.ids - 1 : range_bucket(ordered(bits));
    if (BUCKET_KIND == BUCKET_RANGE) return range_bucket(ordered(bits));
    if (BUCKET_KIND == BUCKET_IDENTITY) return uint(min(bits, KEY(0xFFFFFFFFu)));
    if (BUCKET_KIND == BUCKET_ORDERED)
        return (uint(ordered(bits) >> push.shift_or_min) ^ push.flip_or_reciprocal) & push.mask_or_width_high;
    return uint(bits >> push.shift_or_min) & push.mask_or_width_high;
}

#endif

// Returns the bucket that this pass assigns to keys with this id (BY_PART).
uint part_of_id(const uint id) {
    return BY_PART == 0 ? id : (id >> push.part_shift) & ((1u << BUCKET_BITS) - 1);
}

// Searches contain loops, and a loop per key prevents the loads of several keys from overlapping. If SEARCHES, kernels
// with many keys per thread therefore first call likely_bucket_at(), which suffices for most keys. They then search for
// the remaining keys one at a time.
#ifdef USER_BUCKET
const bool SEARCHES = false;  // whether likely_bucket_at() may set `unsure`
uint likely_raw_bucket(const KEY bits, out bool unsure) {
    unsure = false;
    return raw_bucket(bits);
}
#else
const bool SEARCHES = CELLS > 1;
uint likely_raw_bucket(const KEY bits, out bool unsure) {
    if (SEARCHES && BUCKET_KIND == BUCKET_RANGE) return likely_range_bucket(ordered(bits), unsure);
    unsure = false;
    return raw_bucket(bits);
}
#endif

// Like bucket_at(), but does not search if BUCKET_RANGE has cells: sets `unsure` instead; the result may then be wrong.
uint likely_bucket_at(const KEY key, out bool unsure) {
    return part_of_id(min(likely_raw_bucket(key, unsure), push.ids - 1));
}

// Returns the bucket of a key in this pass. Ids out of range are clamped to the last id.
uint bucket_at(const KEY key) {
    return part_of_id(min(raw_bucket(key), push.ids - 1));
}

#endif
