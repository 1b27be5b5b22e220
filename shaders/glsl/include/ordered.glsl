// The order of keys in kernels of splits and sorts, which have their keys and constants in multisplit.glsl.

#ifndef ORDERED_GLSL
#define ORDERED_GLSL

#include "multisplit.glsl"
#include "key_order.glsl"

#endif
