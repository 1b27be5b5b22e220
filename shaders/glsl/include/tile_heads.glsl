// Finds the segment of an element within a tile, in a few steps for any segment length.
//
// Needs: TILE, a multiple of 32, defined before this file; the kernel sets tile_heads[] and filled[].
// Gives: the shared arrays `tile_heads` and `filled`, is_head(), head_before(), head_after().

#ifndef TILE_HEADS_GLSL
#define TILE_HEADS_GLSL

const uint HEAD_WORDS = TILE / 32;
const uint FILLED_WORDS = (HEAD_WORDS + 31) / 32;

// One bit per element, set for the first element of each segment.
shared uint tile_heads[HEAD_WORDS];
// One bit per word of tile_heads, set if the word is not zero.
shared uint filled[FILLED_WORDS];

bool is_head(uint i) {
    return (tile_heads[i / 32] >> (i % 32) & 1) != 0;
}

// Returns the last head at or before element i. There always is one, because element 0 of a tile is a head.
uint head_before(uint i) {
    uint word = i / 32;
    uint bits = tile_heads[word] & (~0u >> (31 - i % 32));
    if (bits == 0) {
        uint above = word / 32;
        uint words = filled[above] & ((1u << (word % 32)) - 1);
        while (words == 0 && above > 0) words = filled[--above];
        word = words == 0 ? 0 : above * 32 + findMSB(words);
        bits = tile_heads[word];
    }
    return bits == 0 ? 0 : word * 32 + findMSB(bits);
}

// Returns the first head after element i, or `end`.
uint head_after(uint i, uint end) {
    uint word = i / 32;
    uint bits = tile_heads[word] & ~(~0u >> (31 - i % 32));
    if (bits == 0) {
        uint above = word / 32;
        uint words = filled[above] & ~(~0u >> (31 - word % 32));
        while (words == 0 && above + 1 < FILLED_WORDS) words = filled[++above];
        if (words == 0) return end;
        word = above * 32 + findLSB(words);
        bits = tile_heads[word];
    }
    return word * 32 + findLSB(bits);
}

#endif
