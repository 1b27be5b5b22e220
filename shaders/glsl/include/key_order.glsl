// Provides ordered(), which maps a key to an unsigned number that compares like the key, and its inverse. Floats
// compare as in the total order of IEEE 754: -0 is before 0, and NaNs are beyond the infinities.
// Needs KEY, KEY_BITS and KEY_KIND.

#ifndef KEY_ORDER_GLSL
#define KEY_ORDER_GLSL

const uint KEY_UNSIGNED = 0;
const uint KEY_SIGNED = 1;
const uint KEY_FLOAT = 2;

KEY ordered(KEY bits) {
    const KEY top = KEY(1) << (KEY_BITS - 1);
    if (KEY_KIND == KEY_SIGNED) return bits ^ top;
    if (KEY_KIND == KEY_FLOAT) return bits ^ ((bits & top) != 0 ? ~KEY(0) : top);
    return bits;
}

// Inverse of ordered().
KEY from_ordered(KEY bits) {
    const KEY top = KEY(1) << (KEY_BITS - 1);
    if (KEY_KIND == KEY_SIGNED) return bits ^ top;
    if (KEY_KIND == KEY_FLOAT) return bits ^ ((bits & top) != 0 ? top : ~KEY(0));
    return bits;
}

#endif
