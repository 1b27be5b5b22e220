// Which bucket does a key belong to?
//
// One of the built-in functions, picked by the specialization constant BUCKET_KIND, or the user's
// own  uint bucket_of(KEY key)  from the include user_bucket.glsl. Whatever a function returns,
// only buckets below m are used: bucket_at() clamps, and the kernels that count buckets also
// count the keys for which it had to.

const uint BUCKET_DIGIT = 0;  // (key >> a) & b; identity is the digit of all bits
const uint BUCKET_DELTA = 1;  // (key - a) / b, where c is 1 / b as a float
const uint BUCKET_EVEN = 2;   // (key - a) * b in floats
const uint BUCKET_RANGE = 3;  // how many splitters are at or below the key

const uint KEY_UNSIGNED = 0;
const uint KEY_SIGNED = 1;
const uint KEY_FLOAT = 2;

// The splitters, as ordered(); or the one buffer that a user's function may read.
layout(set = 0, binding = 1, std430) readonly buffer Table { uint at[]; } table;

// The bits of a 32-bit key as an unsigned number that compares like the key.
uint ordered(uint bits) {
    if (KEY_KIND == KEY_SIGNED) return bits ^ 0x80000000u;
    if (KEY_KIND == KEY_FLOAT) return bits ^ (uint(int(bits) >> 31) | 0x80000000u);
    return bits;
}

#ifdef USER_BUCKET

void stage_splitters() {}

#if KEY_BITS == 64
#define USER_KEY(bits) bits
#else
uint user_key(uint bits, uint tag) { return bits; }
int user_key(uint bits, int tag) { return int(bits); }
float user_key(uint bits, float tag) { return uintBitsToFloat(bits); }
#define USER_KEY(bits) user_key(bits, USER_KEY_TYPE(0))
#endif

#include "user_bucket.glsl"

uint raw_bucket(KEY bits) {
    return bucket_of(USER_KEY(bits));
}

#elif KEY_BITS == 64

void stage_splitters() {}

uint raw_bucket(uint64_t key) {
    return uint(key >> push.parameter_a) & push.parameter_b;
}

#else

shared uint splitters[1u << BUCKET_BITS];

// Called by all threads before the first bucket is asked for.
void stage_splitters() {
    if (BUCKET_KIND != BUCKET_RANGE) return;
    for (uint i = gl_LocalInvocationIndex; i + 1 < push.buckets; i += gl_WorkGroupSize.x)
        splitters[i] = table.at[i];
    barrier();
}

uint delta_bucket(uint key) {
    uint above = key - min(key, push.parameter_a);
    // The float quotient is at most one off: there are at most 2^16 buckets, and floats have
    // 24 bits.
    uint quotient = uint(float(above) * uintBitsToFloat(push.parameter_c));
    uint start = quotient * push.parameter_b;
    if (start > above) return quotient - 1;
    return above - start >= push.parameter_b ? quotient + 1 : quotient;
}

uint even_bucket(float key) {
    precise float above = key - uintBitsToFloat(push.parameter_a);
    precise float scaled = above * uintBitsToFloat(push.parameter_b);
    // Written so that NaN goes to the last bucket.
    if (scaled < 0.0) return 0;
    return scaled < float(push.buckets) ? uint(scaled) : push.buckets - 1;
}

uint range_bucket(uint key) {
    uint below = 0;
    for (uint step = 1u << (BUCKET_BITS - 1); step > 0; step >>= 1) {
        uint probe = below + step;
        if (probe < push.buckets && splitters[probe - 1] <= key) below = probe;
    }
    return below;
}

uint raw_bucket(uint bits) {
    if (BUCKET_KIND == BUCKET_DELTA) return min(delta_bucket(ordered(bits)), push.buckets - 1);
    if (BUCKET_KIND == BUCKET_EVEN) return even_bucket(uintBitsToFloat(bits));
    if (BUCKET_KIND == BUCKET_RANGE) return range_bucket(ordered(bits));
    return (bits >> push.parameter_a) & push.parameter_b;
}

#endif

uint bucket_at(KEY key) {
    return min(raw_bucket(key), push.buckets - 1);
}
