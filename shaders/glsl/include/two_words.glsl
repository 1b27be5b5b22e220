// Packs a term into two words. The second word is unused for 32-bit terms.

#ifndef TWO_WORDS_GLSL
#define TWO_WORDS_GLSL

#include "term.glsl"

#if KEY_BITS == 64
uvec2 two_words(TERM x) { return to_words(x); }
TERM from_two_words(uvec2 words) { return from_words(words); }
#else
uvec2 two_words(TERM x) { return uvec2(to_words(x), 0); }
TERM from_two_words(uvec2 words) { return from_words(words.x); }
#endif

#endif
