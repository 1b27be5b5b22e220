// Data that the kernels of a segmented sort pass to each other.
//
// Gives: struct Found, struct LargeSegment.

#ifndef SEGMENTS_GLSL
#define SEGMENTS_GLSL

// Statistics of all segments.
struct Found {
    uint large;        // segments that exceed a tile
    uint large_tiles;  // total number of tiles of these segments
    uint end;          // end of the last segment
};

// A segment that exceeds a tile. `first_tile` is its first tile among the tiles of all large segments, `number`
// its index among these segments.
struct LargeSegment {
    uint begin;
    uint end;
    uint first_tile;
    uint number;
};

#endif
