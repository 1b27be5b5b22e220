// Which bucket does a key belong to?
//
// The built-in functions, of which the specialization constant BUCKET_KIND picks one, or the
// user's own `uint bucket_of(KEY key)`, included under the name user_bucket.glsl.
// Whatever a function returns, no bucket past the last is ever used: bucket_at() clamps, and the
// kernel that counts says how many keys were out of range.

const uint BUCKET_DIGIT = 0;       // (key >> parameter 0) & parameter 1; identity is a digit too
const uint BUCKET_DELTA = 1;       // (key - parameter 0) / parameter 1
const uint BUCKET_EVEN = 2;        // (float(key) - parameter 0) * parameter 1
const uint BUCKET_RANGE = 3;       // how many splitters are at or below the key

const uint KEY_UNSIGNED = 0;
const uint KEY_SIGNED = 1;
const uint KEY_FLOAT = 2;

// Splitters, in the order of ordered(); or the one buffer that a user's function may read.
layout(set = 0, binding = 1, std430) readonly buffer Table { uint at[]; } table;

// The bits of a 32-bit key as an unsigned number that sorts like the key.
uint ordered(uint bits) {
    if (KEY_KIND == KEY_SIGNED) return bits ^ 0x80000000u;
    if (KEY_KIND == KEY_FLOAT) return bits ^ (uint(int(bits) >> 31) | 0x80000000u);
    return bits;
}

#ifdef USER_BUCKET
#include "user_bucket.glsl"
#elif KEY_BITS == 64
uint bucket_of(uint64_t key) {
    return uint(key >> push.bucket_parameter_0) & push.bucket_parameter_1;
}
#else
uint bucket_of_delta(uint key) {
    uint above = key - min(key, push.bucket_parameter_0);
    // A float quotient is at most one off, because there are at most 2^16 buckets.
    uint quotient = uint(float(above) * uintBitsToFloat(push.bucket_parameter_2));
    int rest = int(above - quotient * push.bucket_parameter_1);
    // The rest is below twice the width in magnitude, but a width may need all 32 bits.
    if (quotient * push.bucket_parameter_1 > above) return quotient - 1;
    return above - quotient * push.bucket_parameter_1 >= push.bucket_parameter_1 ? quotient + 1 : quotient;
}

uint bucket_of_even(float key) {
    precise float scaled = (key - uintBitsToFloat(push.bucket_parameter_0)) * uintBitsToFloat(push.bucket_parameter_1);
    return uint(clamp(scaled, 0.0, float(push.buckets - 1)));
}

#ifdef SHARED_SPLITTERS
shared uint splitters[1u << BUCKET_BITS];
#endif

// The number of splitters (of m - 1) that are at or below the key.
uint bucket_of_range(uint key) {
    uint below = 0;
    for (uint step = 1u << (BUCKET_BITS - 1); step > 0; step >>= 1) {
        uint probe = below + step;
        if (probe < push.buckets && table.at[probe - 1] <= key) below = probe;
    }
    return below;
}

uint bucket_of(uint bits) {
    if (BUCKET_KIND == BUCKET_DELTA) return min(bucket_of_delta(ordered(bits)), push.buckets - 1);
    if (BUCKET_KIND == BUCKET_EVEN) return bucket_of_even(uintBitsToFloat(bits));
    if (BUCKET_KIND == BUCKET_RANGE) return bucket_of_range(ordered(bits));
    return (bits >> push.bucket_parameter_0) & push.bucket_parameter_1;
}
#endif

uint bucket_at(KEY key) {
    return min(bucket_of(key), push.buckets - 1);
}
