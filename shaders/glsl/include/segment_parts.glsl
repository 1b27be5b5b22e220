// What a tile of a segmented reduction leaves for the pass that joins segments across tiles: eight words.

#ifndef SEGMENT_PARTS_GLSL
#define SEGMENT_PARTS_GLSL

#include "open_term.glsl"
#include "two_words.glsl"

const uint NO_SEGMENT = 0xFFFFFFFFu;
// A tile examines one by one at most this many offsets per element; if there are more, it searches for each element.
const uint MAX_WALK = 4;

// A tile's first four words are the segment that ends in it and began before it, or NO_SEGMENT, how many
// segments begin in it, and what the elements of the former combine to; the others are what its elements
// from the last beginning on combine to, and the range of offsets in which the tile looked for ends of segments.

#endif
