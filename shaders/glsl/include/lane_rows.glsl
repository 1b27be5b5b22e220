// A tile in rows of one element per lane. Each subgroup has a contiguous part of the tile, row by row, so that
// a ballot over a row tells its order. The including file has ITEMS, the rows of a subgroup.

#ifndef LANE_ROWS_GLSL
#define LANE_ROWS_GLSL

// Index of this lane's element of a row.
uint element_index(uint first, uint row) {
    return first + (gl_SubgroupID * ITEMS + row) * gl_SubgroupSize + gl_SubgroupInvocationID;
}

bool is_last_lane() {
    return gl_SubgroupInvocationID == gl_SubgroupSize - 1;
}

// The lane that has the element before this one's: of the first lane the last one, in the row before.
uint lane_before() {
    return (gl_SubgroupInvocationID == 0 ? gl_SubgroupSize : gl_SubgroupInvocationID) - 1;
}

#endif
