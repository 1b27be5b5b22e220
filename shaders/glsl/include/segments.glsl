// What the passes of a sort of segments leave for each other.

#ifndef SEGMENTS_GLSL
#define SEGMENTS_GLSL

// What was found of all segments.
struct Found {
    uint large;        // how many are larger than a tile
    uint large_tiles;  // of how many tiles, those of the large ones, they consist
    uint end;          // where the last one ends
};

// A segment that is larger than a tile: where it begins and ends, and its first tile among those of all
// large ones.
struct LargeSegment {
    uint begin;
    uint end;
    uint first_tile;
    uint number;
};

#endif
