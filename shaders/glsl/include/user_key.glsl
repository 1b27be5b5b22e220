// Converts the bits of a key to the parameter type of a user's function, and back. The type of `tag` selects the
// overload.

#ifndef USER_KEY_GLSL
#define USER_KEY_GLSL

#if KEY_BITS == 64
uint64_t user_key(uint64_t bits, uint64_t tag) { return bits; }
int64_t user_key(uint64_t bits, int64_t tag) { return int64_t(bits); }
uint64_t user_bits(uint64_t key) { return key; }
uint64_t user_bits(int64_t key) { return uint64_t(key); }
#ifdef USER_DOUBLE
double user_key(uint64_t bits, double tag) {
    return packDouble2x32(uvec2(uint(bits), uint(bits >> 32)));
}
uint64_t user_bits(double key) { return packUint2x32(unpackDouble2x32(key)); }
#endif
#else
uint user_key(uint bits, uint tag) { return bits; }
int user_key(uint bits, int tag) { return int(bits); }
float user_key(uint bits, float tag) { return uintBitsToFloat(bits); }
uint user_bits(uint key) { return key; }
uint user_bits(int key) { return uint(key); }
uint user_bits(float key) { return floatBitsToUint(key); }
#endif

#endif
