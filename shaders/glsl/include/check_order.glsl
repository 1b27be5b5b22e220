// Has ranking by lane order given the order that it stands for? Vulkan does not promise it, so some
// tiles of each dispatch look at their own ranks, and set a status word that the host sees.
//
// What is not promised is the order of additions to a counter: those of one instruction by lane, those of
// one subgroup by program. If they came in order, the rank of a key of a subgroup's first window is the
// number of lanes before its own that have the same bucket, which ballots tell; it is more if a lane
// further on, or one of a later window, came first. Everything behind the ranks is promised.
//
// Which tiles: the first, so that the smallest sort has one; and one in CANARY_PERIOD, others in each
// round of a sort. Whatever would make lanes come in another order (another GPU, another driver, a
// compiler that splits an instruction) would do so in many tiles.
//
// Included by rank_tile.glsl.

#ifndef CHECK_ORDER_GLSL
#define CHECK_ORDER_GLSL

layout(constant_id = CANARY_PERIOD_ID) const uint CANARY_PERIOD = 0;  // 0: no tile is checked
layout(set = 0, binding = 9, std430) buffer LaneOrder { uint violated; } lane_order;

// Nothing is divided by 0, not even where nothing is checked.
const uint PERIOD = CANARY_PERIOD == 0 ? 1 : CANARY_PERIOD;
// Any odd number: rounds then check different tiles.
const uint TILES_BETWEEN_ROUNDS = 37;

// Called by all threads when items have ranks, and not yet places; a barrier comes next, so that there is
// nothing that could not be done at the same time. `tile` is the same for all of them.
void check_ranks(uint tile) {
    if (CANARY_PERIOD == 0) return;
    if (tile == 0 || (tile + push.round * TILES_BETWEEN_ROUNDS) % PERIOD == 0) {
        uint before = lanes_before(lanes_sharing(item_bucket(0)));
        if (item_place(0) != before) atomicOr(lane_order.violated, 1);
    }
}

#endif
