// What a tile of a segmented reduction leaves for the pass that joins segments across tiles: eight words.

#ifndef SEGMENT_PARTS_GLSL
#define SEGMENT_PARTS_GLSL

#include "open_term.glsl"

const uint NO_SEGMENT = 0xFFFFFFFFu;

// A tile's first four words are the segment that ends in it and began before it, or NO_SEGMENT, how many
// segments begin in it, and what the elements of the former combine to; the others are what its elements
// from the last beginning on combine to.
#if KEY_BITS == 64
uvec2 two_words(TERM x) { return to_words(x); }
TERM from_two_words(uvec2 words) { return from_words(words); }
#else
uvec2 two_words(TERM x) { return uvec2(to_words(x), 0); }
TERM from_two_words(uvec2 words) { return from_words(words.x); }
#endif

#endif
