// A tile in rows of one element per lane. Each subgroup has a contiguous part of the tile, row by row, so that
// a ballot over a row tells its order. The including file has ITEMS, the rows of a subgroup.

#ifndef LANE_ROWS_GLSL
#define LANE_ROWS_GLSL

// Index of this lane's element of a row.
uint element_index(uint first, uint row) {
    return first + (gl_SubgroupID * ITEMS + row) * gl_SubgroupSize + gl_SubgroupInvocationID;
}

// Index of the first element of this subgroup.
uint first_of_part(uint first) {
    return first + gl_SubgroupID * ITEMS * gl_SubgroupSize;
}

// A bit for each row in which this lane's element is below the count.
uint rows_below(uint first, uint count) {
    uint own = element_index(first, 0);
    uint rows = own < count ? (count - own - 1) / gl_SubgroupSize + 1 : 0;
    return rows < 32 ? (1u << rows) - 1 : ~0u;
}

bool is_last_lane() {
    return gl_SubgroupInvocationID == gl_SubgroupSize - 1;
}

// The lane that has the element before this one's: of the first lane the last one, in the row before.
uint lane_before() {
    return (gl_SubgroupInvocationID == 0 ? gl_SubgroupSize : gl_SubgroupInvocationID) - 1;
}

#endif
