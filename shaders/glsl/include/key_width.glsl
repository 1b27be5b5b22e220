// Enables 64-bit integers for 64-bit keys.

#ifndef KEY_WIDTH_GLSL
#define KEY_WIDTH_GLSL

#if KEY_BITS == 64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif

#endif
