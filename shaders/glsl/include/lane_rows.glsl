// Index arithmetic for tiles with rows of one element per lane. Each subgroup has a contiguous part of the tile,
// row by row, so a ballot over a row follows the element order. Needs ITEMS, the rows per subgroup.

#ifndef LANE_ROWS_GLSL
#define LANE_ROWS_GLSL

// Returns the index of this lane's element of a row.
uint element_index(uint first, uint row) {
    return first + (gl_SubgroupID * ITEMS + row) * gl_SubgroupSize + gl_SubgroupInvocationID;
}

// Returns the index of the subgroup's first element.
uint first_of_part(uint first) {
    return first + gl_SubgroupID * ITEMS * gl_SubgroupSize;
}

// Returns one bit per row, set if this lane's element of the row is below the count.
uint rows_below(uint first, uint count) {
    uint own = element_index(first, 0);
    uint rows = own < count ? (count - own - 1) / gl_SubgroupSize + 1 : 0;
    return rows < 32 ? (1u << rows) - 1 : ~0u;
}

bool is_last_lane() {
    return gl_SubgroupInvocationID == gl_SubgroupSize - 1;
}

// Returns the lane that holds the preceding element. For the first lane, that is the last lane, in the row before.
uint lane_before() {
    return (gl_SubgroupInvocationID == 0 ? gl_SubgroupSize : gl_SubgroupInvocationID) - 1;
}

#endif
