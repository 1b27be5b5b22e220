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
const uint BUCKET_EVEN = 2;      // (key - min) * scale in floats; 64 bits wide: by splitters
const uint BUCKET_RANGE = 3;     // how many splitters are at or below the key
const uint BUCKET_IDENTITY = 4;  // the key
const uint BUCKET_ORDERED = 5;   // ((ordered(key) >> shift) ^ flip) & mask

// Which words each of them reads. `min` and `width` of delta are keys, of two words if these have 64
// bits; its reciprocal is a float, a little less than 1 / width. Those of even are floats.
//
//   member              digit    ordered    delta          even
//   shift_or_min        shift    shift      min            min
//   min_high                                min, high
//   width_or_scale                          width          scale
//   mask_or_width_high  mask     mask       width, high
//   flip_or_reciprocal           flip       reciprocal

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

// The splitters, as ordered(); or the one buffer that a user's function may read.
layout(set = 0, binding = 1, std430) readonly buffer Table { uint at[]; } table;
#if KEY_BITS == 64
layout(set = 0, binding = 1, std430) readonly buffer TableKeys { KEY at[]; } table_keys;
#else
#define table_keys table
#endif

#ifdef USER_BUCKET

void stage_splitters() {}

#if KEY_BITS == 64
uint64_t user_key(uint64_t bits, uint64_t tag) { return bits; }
int64_t user_key(uint64_t bits, int64_t tag) { return int64_t(bits); }
#ifdef USER_DOUBLE
double user_key(uint64_t bits, double tag) {
    return packDouble2x32(uvec2(uint(bits), uint(bits >> 32)));
}
#endif
#else
uint user_key(uint bits, uint tag) { return bits; }
int user_key(uint bits, int tag) { return int(bits); }
float user_key(uint bits, float tag) { return uintBitsToFloat(bits); }
#endif

#include "user_bucket.glsl"

uint raw_bucket(KEY bits) {
    return bucket_of(user_key(bits, USER_KEY_TYPE(0)));
}

#else

// Few splitters are searched in shared memory, many where they are.
const uint ROOM = ID_BITS <= 8 ? 1u << ID_BITS : 0u;
#if KEY_BITS == 64
const uint ROOM_FOR_EVEN = BUCKET_KIND == BUCKET_EVEN ? ROOM : 0u;
#else
const uint ROOM_FOR_EVEN = 0u;
#endif
const uint SHARED_SPLITTERS = BUCKET_KIND == BUCKET_RANGE ? ROOM : ROOM_FOR_EVEN;
shared KEY splitters[SHARED_SPLITTERS + 1u];

// Called by all threads before the first bucket is asked for.
void stage_splitters() {
    if (SHARED_SPLITTERS == 0) return;
    for (uint i = gl_LocalInvocationIndex; i + 1 < push.ids; i += gl_WorkGroupSize.x)
        splitters[i] = table_keys.at[i];
    barrier();
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

uint range_bucket(KEY key) {
    uint below = 0;
    for (uint step = 1u << (ID_BITS - 1); step > 0; step >>= 1) {
        uint probe = below + step;
        if (probe < push.ids) {
            KEY splitter = SHARED_SPLITTERS > 0 ? splitters[probe - 1] : table_keys.at[probe - 1];
            if (splitter <= key) below = probe;
        }
    }
    return below;
}

uint even_bucket(KEY bits) {
#if KEY_BITS == 64
    // NaN goes to the last bucket, whatever its sign.
    const KEY infinity = KEY(0x7FF) << 52;
    return (bits << 1) > (infinity << 1) ? push.ids - 1 : range_bucket(ordered(bits));
#else
    precise float above = uintBitsToFloat(bits) - uintBitsToFloat(push.shift_or_min);
    precise float scaled = above * uintBitsToFloat(push.width_or_scale);
    // Written so that NaN goes to the last bucket.
    if (scaled < 0.0) return 0;
    return scaled < float(push.ids) ? uint(scaled) : push.ids - 1;
#endif
}

uint raw_bucket(KEY bits) {
    if (BUCKET_KIND == BUCKET_DELTA) return min(delta_bucket(ordered(bits)), push.ids - 1);
    if (BUCKET_KIND == BUCKET_EVEN) return even_bucket(bits);
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

uint bucket_at(KEY key) {
#ifdef SORT
    return raw_bucket(key);  // the digits of a sort are below push.ids by their mask
#else
    return part_of_id(min(raw_bucket(key), push.ids - 1));
#endif
}

#endif
