// How large are the values that travel with keys, and are they read at all?

#ifndef VALUES_GLSL
#define VALUES_GLSL

#include "constant_ids.glsl"

layout(constant_id = VALUE_WORDS_ID) const uint VALUE_WORDS = 1;        // 32-bit words of a value: 1, 2 or 4
layout(constant_id = COUNTED_VALUES_ID) const uint COUNTED_VALUES = 0;  // the values are 0, 1, 2, ..., not read

#endif
