// Provides ordered() and from_ordered() (key_order.glsl) to multisplit and sort kernels, with the constants of
// multisplit.glsl.

#ifndef ORDERED_GLSL
#define ORDERED_GLSL

#include "multisplit.glsl"
#include "key_order.glsl"

#endif
