// Sizes of a tile that a workgroup ranks and orders in shared memory.
//
// A window is one key per lane. Each subgroup of the workgroup has ITEMS consecutive windows of the tile, so the order
// of the keys in memory is (subgroup, window, lane).
//
// Needs: KEY_BITS; PAIRS, if keys have values.
// Gives: the constants below, ranks_in_registers(), counts_first(), own_bucket(), item_index(), and what
// split_constants.glsl, groups.glsl and voting.glsl give.

#ifndef TILE_SHAPE_GLSL
#define TILE_SHAPE_GLSL

#include "split_constants.glsl"
#include "groups.glsl"
#include "voting.glsl"

layout(constant_id = ITEMS_ID) const uint ITEMS = 8;  // keys per thread, at most MAX_ITEMS
const uint MAX_ITEMS = 32;
// Number of turns in which a tile passes through shared memory, with ITEMS / TURNS keys per thread in each. A tile
// may thus be larger than shared memory.
layout(constant_id = TURNS_ID) const uint TURNS = 1;
const uint TILE = gl_WorkGroupSize.x * ITEMS;
const uint TURN = TILE / TURNS;
const uint TURN_WORDS = TURN * (KEY_BITS / 32);

// 0: ballot ranking. 1: lane-order ranking, which relies on behaviour that Vulkan does not guarantee and that the
// host must probe: shared-memory atomics of a subgroup execute in program order, and those of one instruction on
// the same address in lane order.
layout(constant_id = RANKING_ID) const uint RANKING = 0;
const uint RANKING_BY_LANE_ORDER = 1;
// Minimum BUCKET_BITS for lane-order ranking. With fewer, contention makes atomics slower than ballots.
const uint MIN_BITS_BY_LANE_ORDER = 3;
const bool RANK_BY_LANE_ORDER = RANKING == RANKING_BY_LANE_ORDER && BUCKET_BITS >= MIN_BITS_BY_LANE_ORDER;
// Minimum BUCKET_BITS for counters in shared memory, if there are fewer buckets than lanes.
const uint MIN_BITS_BY_COUNTERS = 3;

// Returns whether counts are kept in registers, one bucket per lane. That is faster than shared counters if there are
// so few buckets that many lanes would contend for a counter, or if there are as many buckets as lanes. This and
// counts_first() are functions, because glslang emits invalid SPIR-V if they are constants: a constant before its
// definition.
bool ranks_in_registers() {
    if (RANK_BY_LANE_ORDER) return false;
    return BUCKET_BITS == LANE_BITS || (BUCKET_BITS < LANE_BITS && BUCKET_BITS < MIN_BITS_BY_COUNTERS);
}

// Returns whether keys are counted before they are ranked.
bool counts_first() {
    return !RANK_BY_LANE_ORDER && !ranks_in_registers();
}

// Each subgroup has a set of warp counters, one per bucket. With PAIRED_SETS, two subgroups share the words of a set,
// and each has one half of every word. This saves shared memory, but costs an instruction or two per key. Used if there
// are more buckets than lanes, and either subgroups are narrow and sets therefore many, or ranking is by lane order, in
// which case kernels have instructions to spare. 16 bits suffice, because a tile has fewer than 2^16 keys.
const uint SUBGROUPS = gl_WorkGroupSize.x / SUBGROUP_SIZE;
const uint COUNTERS = 1u << BUCKET_BITS;
const uint MIN_LANES_UNPAIRED = 32;
const uint NEVER = 32;  // always exceeds BUCKET_BITS
const bool PAIRED_SETS =
    BUCKET_BITS > (RANKING == RANKING_BY_LANE_ORDER || SUBGROUP_SIZE < MIN_LANES_UNPAIRED ? LANE_BITS : NEVER);
const uint COUNTER_SETS = PAIRED_SETS ? (SUBGROUPS + 1) / 2 : SUBGROUPS;
const uint COUNTER_WORDS = COUNTER_SETS * COUNTERS;

// Words of the shared array `space`, which has two contents in turn, because shared memory limits the number of
// resident workgroups: the warp counters while the tile is ranked, then the keys, or the values, of one turn.
const uint SPACE_WORDS = COUNTER_WORDS > TURN_WORDS ? COUNTER_WORDS : TURN_WORDS;

// Whether the kernel has separate code for full tiles. Only small kernels do: compilers duplicate the whole
// kernel, which in larger ones costs more than a comparison per key.
#ifdef PAIRS
const bool TWO_WAYS = BUCKET_BITS == 1;
#else
const bool TWO_WAYS = !RANK_BY_LANE_ORDER && BUCKET_BITS <= LANE_BITS;
#endif

// Number of buckets for which a thread is responsible: thread_rank(), thread_rank() + workgroup size, ...
const uint OWN_BUCKETS = (COUNTERS + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;

// Returns this thread's k-th bucket. It may be past the last one.
uint own_bucket(const uint k) {
    return k * gl_WorkGroupSize.x + thread_rank();
}

// Returns the index of this thread's key of a window, in the tile that starts at element `tile_first`.
uint item_index(const uint tile_first, const uint window) {
    return tile_first + (gl_SubgroupID * ITEMS + window) * SUBGROUP_SIZE + gl_SubgroupInvocationID;
}

#endif
