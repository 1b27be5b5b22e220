// Has ranking by lane order given the order that it stands for? Vulkan does not promise it, so some
// tiles of each dispatch look at their own result, and set a status word that the host sees.
//
// A tile is in order if its keys, by their places, ascend by bucket and then by where they were in the
// tile. Each key leaves both, in one word, at its place in shared memory; neighbours are compared. A
// tile of several turns looks at one of them, another one in another tile.
//
// Which tiles: the first, so that the smallest sort has one; and one in CANARY_PERIOD, others in each
// round of a sort. Whatever would make lanes come in another order (another GPU, another driver, a
// compiler that splits an instruction) would do so in many tiles.

#ifndef CHECK_ORDER_GLSL
#define CHECK_ORDER_GLSL

#include "rank_tile.glsl"

layout(constant_id = CANARY_PERIOD_ID) const uint CANARY_PERIOD = 0;  // 0: no tile is checked
layout(set = 0, binding = 9, std430) buffer LaneOrder { uint violated; } lane_order;

// Nothing is divided by 0, not even where nothing is checked.
const uint PERIOD = CANARY_PERIOD == 0 ? 1 : CANARY_PERIOD;
// Any odd number: rounds then check different tiles.
const uint TILES_BETWEEN_ROUNDS = 37;

// What comes out of registers here is needed again when the tile is written, and a compiler that sees
// the same value twice keeps it in between: 50 registers more for all tiles, and a fifth less speed.
// So it is made to look like another value, by one that is 0 until it does not matter.
#define CHECKED_PLACE(item)                                                             \
    ((packs_places() ? (places[(item) / 2] ^ zero) >> ((item) & 1) * 16 : ranked[item] ^ zero) & 0xFFFFu)
#ifdef BUCKET_FROM_KEY
#define CHECKED_BUCKET(item) bucket_at(own[item] ^ zero)
#else
#define CHECKED_BUCKET(item) (packs_places() ? item_buckets[item] : (ranked[item] ^ zero) >> 16)
#endif

// Called by all threads when every item has its place; the next use of shared memory comes after a
// barrier. `tile` is the same for all of them.
void check_order(uint tile) {
    if (RANK_BY_LANE_ORDER && CANARY_PERIOD != 0) {
        if (tile == 0 || (tile + push.round * TILES_BETWEEN_ROUNDS) % PERIOD == 0) {
            uint turn_begin = tile / PERIOD % TURNS * TURN;
            uint zero = lane_order.violated;
            barrier();  // the counters have been read
            [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
                uint place = CHECKED_PLACE(w) - turn_begin;
                if (place < TURN) space[place] = CHECKED_BUCKET(w) << 16 | item_index(0, w);
            }
            barrier();
            bool in_order = true;
            for (uint i = thread_rank(); i + 1 < TURN; i += gl_WorkGroupSize.x)
                in_order = in_order && space[i] < space[i + 1];
            if (!in_order) atomicOr(lane_order.violated, 1);
        }
    }
}

#undef CHECKED_PLACE
#undef CHECKED_BUCKET

#endif
