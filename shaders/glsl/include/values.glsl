// Constants for the values that accompany keys.

#ifndef VALUES_GLSL
#define VALUES_GLSL

#include "constant_ids.glsl"

layout(constant_id = VALUE_WORDS_ID) const uint VALUE_WORDS = 1;        // 32-bit words per value: 0, 1, 2 or 4
layout(constant_id = COUNTED_VALUES_ID) const uint COUNTED_VALUES = 0;  // values are 0, 1, ... per segment; not read

#endif
