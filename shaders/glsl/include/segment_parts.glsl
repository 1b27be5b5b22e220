// Describes the eight words per tile that a segmented reduction writes for reduce.join, which completes the
// segments that span several tiles:
//   word 0: the segment that began in an earlier tile and ends in this one, or NO_SEGMENT
//   word 1: nonzero if an element of this tile directly follows a segment boundary, or starts the array
//   words 2-3: total of this tile's elements of the segment in word 0
//   words 4-5: total of the elements from the last such element on (all elements, if there is none)
//   words 6-7: range of offsets among which the tile looked for segment ends

#ifndef SEGMENT_PARTS_GLSL
#define SEGMENT_PARTS_GLSL

#include "open_term.glsl"
#include "two_words.glsl"

const uint NO_SEGMENT = 0xFFFFFFFFu;
// If the range of a tile has more offsets per element than this, the tile does a binary search for each element instead
// of reading every offset.
const uint MAX_WALK = 4;

#endif
