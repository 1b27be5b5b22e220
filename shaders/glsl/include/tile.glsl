// A tile of u32: how a workgroup reads one into registers, scans it there and writes it back.
//
// Each subgroup owns a contiguous part of the tile and reads it row by row, a row being one uvec4
// per lane: every access is 16 bytes wide and coalesced, and the order of the elements is (subgroup,
// row, lane, component). The including kernel says where elements come from and go to:
//   uvec4 load_vec4(uint v)          four elements from index 4 v on, all below the count
//   uint  load_one(uint i)           one element
//   void  store_vec4(uint v, uvec4), store_one(uint i, uint)    (kernels that write)
// ROWS, the rows of each thread, is defined in kernels.txt, where the host reads it too.

#ifndef TILE_GLSL
#define TILE_GLSL

#include "src_dst.glsl"

const uint TILE = gl_WorkGroupSize.x * ROWS * 4;

// Index, in units of uvec4, of this thread's part of row `row` of the tile that starts at
// element `first`.
uint row_index(uint first, uint row) {
    return first / 4 + (gl_SubgroupID * ROWS + row) * gl_SubgroupSize + gl_SubgroupInvocationID;
}

// Whether four elements from index 4 v on are below the count.
bool is_whole(uint v, uint count) {
    return 4 * v < count && count - 4 * v >= 4;
}

uvec4 load_partial(uint v, uint count) {
    if (is_whole(v, count)) return load_vec4(v);
    uvec4 x = uvec4(0);
    for (uint c = 0; c < 4; ++c)
        if (4 * v + c < count) x[c] = load_one(4 * v + c);
    return x;
}

// Elements at or past `count` read as zero.
void load_tile(uint first, uint count, out uvec4 rows[ROWS]) {
    if (count - first >= TILE) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = load_vec4(row_index(first, r));
    } else {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = load_partial(row_index(first, r), count);
    }
}

uint sum_of(uvec4 x) {
    return x.x + x.y + x.z + x.w;
}

uint sum_of_subgroup(uvec4 rows[ROWS]) {
    uint sum = 0;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) sum += sum_of(rows[r]);
    return subgroupAdd(sum);
}

#ifdef TILE_STORES
// Turns a row into the exclusive sums of its elements, the first being `before`.
uvec4 exclusive_sums(uvec4 x, uint before) {
    uint second = before + x.x;
    uint third = second + x.y;
    return uvec4(before, second, third, third + x.z);
}

// Turns the rows of this subgroup into exclusive sums over the subgroup's part of the tile, and
// gives the sum of that part.
uint scan_subgroup(inout uvec4 rows[ROWS]) {
    uint carry = 0;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        uint own = sum_of(rows[r]);
        uint through = subgroupInclusiveAdd(own);
        rows[r] = exclusive_sums(rows[r], carry + through - own);
        carry += subgroupShuffle(through, gl_SubgroupSize - 1);
    }
    return carry;
}

void store_partial(uint v, uint count, uvec4 x) {
    if (is_whole(v, count)) {
        store_vec4(v, x);
    } else {
        for (uint c = 0; c < 4; ++c)
            if (4 * v + c < count) store_one(4 * v + c, x[c]);
    }
}

// Writes rows + `before`, leaving out what lies at or past `count`.
void store_tile(uint first, uint count, uvec4 rows[ROWS], uint before) {
    if (count - first >= TILE) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            store_vec4(row_index(first, r), rows[r] + before);
    } else {
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            store_partial(row_index(first, r), count, rows[r] + before);
    }
}
#endif

#endif
