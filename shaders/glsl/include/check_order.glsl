// Checks the ranks of lane-order ranking at run time. Vulkan does not guarantee the order, so some tiles of each
// dispatch check their own ranks and set a status word for the host.
//
// Lane-order ranking assumes that additions to a counter are ordered by lane within an instruction and by program order
// within a subgroup. If so, the rank of a key in the subgroup's first window is the number of earlier lanes with the
// same bucket, which ballots compute independently. The rank is higher if a later lane, or a lane of a later window,
// incremented the counter before. All steps after ranking rely on guaranteed behaviour only.
//
// The first tile is checked, so that even the smallest sort has a check, and one tile in CANARY_PERIOD, different
// ones in each round of a sort. A cause of a different order (another GPU or driver, a compiler that splits an
// instruction) would affect many tiles.
//
// Included by rank_tile.glsl.

#ifndef CHECK_ORDER_GLSL
#define CHECK_ORDER_GLSL

layout(constant_id = CANARY_PERIOD_ID) const uint CANARY_PERIOD = 0;  // 0: tiles are not checked
layout(set = 0, binding = 9, std430) buffer LaneOrder { uint violated; } lane_order;

// Avoids a division by zero if checks are disabled.
const uint PERIOD = CANARY_PERIOD == 0 ? 1 : CANARY_PERIOD;
// Shift of the checked tiles from one round of a sort to the next. Odd, so that rounds check different tiles.
const uint TILES_BETWEEN_ROUNDS = 37;

// Checks the ranks of the first window, if `tile` is one of the tiles to check. Called by all threads with the same
// tile, after ranking and before ranks are converted to positions in the tile. The barrier that follows hides the
// latency of the check.
void check_ranks(uint tile) {
    if (CANARY_PERIOD == 0) return;
    if (tile == 0 || (tile + push.round * TILES_BETWEEN_ROUNDS) % PERIOD == 0) {
        uint before = lanes_before(lanes_sharing(item_bucket(0)));
        if (item_place(0) != before) atomicOr(lane_order.violated, 1);
    }
}

#endif
