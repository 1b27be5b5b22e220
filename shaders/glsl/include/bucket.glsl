// Which bucket does a key belong to?
//
// One of the built-in functions, picked by the specialization constant BUCKET_KIND, or the user's
// own  uint bucket_of(KEY key)  from the include user_bucket.glsl. Whatever a function returns,
// only ids below push.ids are used: bucket_at() clamps, and the kernels that count buckets also
// count the keys for which it had to. More buckets than one split can have are split by a part of
// the id at a time.

#ifndef BUCKET_GLSL
#define BUCKET_GLSL

#include "multisplit.glsl"

const uint BUCKET_DIGIT = 0;     // (key >> shift) & mask
const uint BUCKET_DELTA = 1;     // (ordered(key) - min) / width
const uint BUCKET_EVEN = 2;      // part k of floats of 32 bits begins at k * width + min, each operation rounded
const uint BUCKET_RANGE = 3;     // how many splitters are at or below the key
const uint BUCKET_IDENTITY = 4;  // the key
const uint BUCKET_ORDERED = 5;   // ((ordered(key) >> shift) ^ flip) & mask
const uint BUCKET_EVEN_RANGE = 6;  // as range, but all NaNs are in the last bucket

// Which words each of them reads. `min` and `width` of delta are keys, of two words if these have 64
// bits; its reciprocal is a float, a little less than 1 / width. Those of even are floats, and its scale is
// about 1 / width.
//
//   member              digit    ordered    delta          even     by splitters
//   shift_or_min        shift    shift      min            min      less than all, or 0
//   min_high                                min, high               the same, high
//   width_or_scale                          width          scale    from there past all, or to the end
//   mask_or_width_high  mask     mask       width, high    width    the same, high
//   flip_or_reciprocal           flip       reciprocal              three small numbers, of cells

#include "ordered.glsl"

layout(constant_id = ID_BITS_ID) const uint ID_BITS = 8;  // ceil(log2 push.ids), at least 1, for splitters
// Whether to go by BUCKET_BITS bits of the id from push.part_shift on, and not by all of it.
layout(constant_id = BY_PART_ID) const uint BY_PART = 0;

#ifdef SORT

// A round goes by a digit, and reads no table: what takes buffers by address has no room for one.
void stage_splitters() {}

uint raw_bucket(KEY bits) {
    if (BUCKET_KIND == BUCKET_ORDERED)
        return (uint(ordered(bits) >> push.shift_or_min) ^ push.flip_or_reciprocal) & push.mask_or_width_high;
    return uint(bits >> push.shift_or_min) & push.mask_or_width_high;
}

#else

// Cells and splitters, as ordered(); or the one buffer that a user's function may read.
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

uint raw_bucket(KEY bits) {
    return bucket_of(user_key(bits, USER_KEY_TYPE(0)));
}

#else

layout(constant_id = CELLS_ID) const uint CELLS = 1;  // 1: none, few splitters are searched at once

uint place_shift() { return push.flip_or_reciprocal & 0xffu; }
uint bin_bits() { return bitfieldExtract(push.flip_or_reciprocal, 8, 8); }
uint fraction_bits() { return bitfieldExtract(push.flip_or_reciprocal, 16, 8); }

#include "cells.glsl"

// Few splitters are in shared memory, many where they are.
const uint ROOM = ID_BITS <= 8 ? 1u << ID_BITS : 0u;
const uint SHARED_SPLITTERS = BUCKET_KIND == BUCKET_RANGE || BUCKET_KIND == BUCKET_EVEN_RANGE ? ROOM : 0u;
// Steps of a search are powers of two, and so would be the distances between what lanes read in one: all of
// it in few banks of shared memory. So a place is left out wherever the banks are through.
const uint BANKS = 32 / (KEY_BITS / 32);
uint apart(uint index) { return index + index / BANKS; }
shared KEY splitters[SHARED_SPLITTERS + SHARED_SPLITTERS / BANKS + 1u];
// The table has the cells first, and a word more, so that keys of two words begin at an even one.
const uint TABLE_HEAD = CELLS > 1 ? (CELLS + 2) / (KEY_BITS / 32) : 0;

// Called by all threads before the first bucket is asked for.
void stage_splitters() {
    if (CELLS > 1)
        for (uint i = gl_LocalInvocationIndex; i <= CELLS; i += gl_WorkGroupSize.x) cells[i] = table.at[i];
    // Past the last one there are such as no key is past, so that searches need not ask whether they are.
    for (uint i = gl_LocalInvocationIndex; i < SHARED_SPLITTERS; i += gl_WorkGroupSize.x)
        splitters[apart(i)] = i + 1 < push.ids ? table_keys.at[TABLE_HEAD + i] : ~KEY(0);
    if (CELLS > 1 || SHARED_SPLITTERS > 0) barrier();
}

KEY splitter(uint index) {
    return SHARED_SPLITTERS > 0 ? splitters[apart(index)] : table_keys.at[TABLE_HEAD + index];
}

#if KEY_BITS == 64
KEY key_of(uint low, uint high) { return KEY(high) << 32 | low; }
float approximately(KEY x) { return float(uint(x >> 32)) * 4294967296.0 + float(uint(x)); }
#else
KEY key_of(uint low, uint high) { return low; }
float approximately(KEY x) { return float(x); }
#endif

uint delta_bucket(KEY key) {
    KEY above = key - min(key, key_of(push.shift_or_min, push.min_high));
    KEY width = key_of(push.width_or_scale, push.mask_or_width_high);
    // Never more than the quotient, so that nothing overflows; and at most one less, up to as many
    // buckets as there can be (2^16, and floats have 24 bits). What is past them may be anything
    // that is past them.
    float estimate = approximately(above) * uintBitsToFloat(push.flip_or_reciprocal);
    uint quotient = uint(min(estimate, 131072.0));
    return above - KEY(quotient) * width >= width ? quotient + 1 : quotient;
}

// Keys less than all splitters have the first place, keys past all of them the last.
uint place_of(KEY key) {
    KEY least = key_of(push.shift_or_min, push.min_high);
    KEY above = min(max(key, least) - least, key_of(push.width_or_scale, push.mask_or_width_high));
    return uint(above >> place_shift());
}

// How many splitters are at or below the key, from one word of the table; and whether that is not enough to
// be sure.
uint likely_range_bucket(KEY key, out bool unsure) {
    return likely_bin_at(place_of(key), unsure);
}

// The same by a search among those of its cell, for a key of which one word is not enough.
uint searched_range_bucket(KEY key) {
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

// By halves among all of them.
uint halved_range_bucket(KEY key) {
    uint below = 0;
    if (SHARED_SPLITTERS > 0) {
        // A step past `below` never passes more places left out than it would from 0 on, so that sums of
        // steps can be kept as they lie in memory.
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

uint range_bucket(KEY key) {
    if (CELLS == 1) return halved_range_bucket(key);
    bool unsure;
    uint bucket = likely_range_bucket(key, unsure);
    return unsure ? searched_range_bucket(key) : bucket;
}

bool is_nan(KEY bits) {
#if KEY_BITS == 64
    const KEY infinity = KEY(0x7FF) << 52;
#else
    const KEY infinity = 0x7F800000u;
#endif
    return (bits << 1) > (infinity << 1);
}

#if KEY_BITS == 32
// Scaled to parts, an edge is a whole number but for rounding, which the host knows to be less than half a
// part. So the nearest edge decides. It is compared by bits: floats may be flushed to zero.
uint even_bucket(uint bits) {
    float least = uintBitsToFloat(push.shift_or_min);
    precise float above = uintBitsToFloat(bits) - least;
    precise float scaled = above * uintBitsToFloat(push.width_or_scale);
    float nearest = roundEven(is_nan(bits) ? float(push.ids) : clamp(scaled, 0.0, float(push.ids)));
    precise float edge_above = nearest * uintBitsToFloat(push.mask_or_width_high);
    precise float edge = edge_above + least;
    // Both zeros are at or above an edge at zero, and -0 is the lower one.
    bool below_edge = ordered(bits) < ordered(edge == 0.0 ? 0x80000000u : floatBitsToUint(edge));
    uint bucket = uint(nearest);
    if (bucket > 0 && bucket < push.ids && below_edge) bucket -= 1;
    return min(bucket, push.ids - 1);
}
#endif

uint raw_bucket(KEY bits) {
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

#endif

uint part_of_id(uint id) {
    return BY_PART == 0 ? id : (id >> push.part_shift) & ((1u << BUCKET_BITS) - 1);
}

// A search is a loop, and a loop for each of several keys keeps these from being loaded together. So
// kernels with many keys first take what is likely, which is all that most keys need, and then search
// for the others, one at a time.
#if defined(SORT) || defined(USER_BUCKET)
const bool SEARCHES = false;
uint likely_raw_bucket(KEY bits, out bool unsure) {
    unsure = false;
    return raw_bucket(bits);
}
#else
const bool SEARCHES = CELLS > 1;
uint likely_raw_bucket(KEY bits, out bool unsure) {
    if (SEARCHES && BUCKET_KIND == BUCKET_RANGE) return likely_range_bucket(ordered(bits), unsure);
    unsure = false;
    return raw_bucket(bits);
}
#endif

uint likely_bucket_at(KEY key, out bool unsure) {
    return part_of_id(min(likely_raw_bucket(key, unsure), push.ids - 1));
}

uint bucket_at(KEY key) {
#ifdef SORT
    return raw_bucket(key);  // the digits of a sort are below push.ids by their mask
#else
    return part_of_id(min(raw_bucket(key), push.ids - 1));
#endif
}

#endif
