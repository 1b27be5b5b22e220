#version 460
// Sorts all segments that fit a tile, in place. One workgroup handles the segments that begin in its stride: it
// loads them into shared memory and merge-sorts them there, all at once if they fit a tile together.
//
// Steps: each thread sorts its ITEMS consecutive elements, separately per segment. Then runs of ITEMS elements are
// merged in pairs, then runs of twice as many, and so on. At most one segment crosses the middle of a pair; other
// elements do not move, and only threads with elements of that segment have work. Levels at which no segment
// crosses a middle are skipped. The algorithm does not depend on the subgroup size.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;
layout(constant_id = ALL_BITS_ID) const uint ALL_BITS = 1;  // whether all bits of the keys are compared

#if KEY_BITS == 64
#define KEY uint64_t
#else
#define KEY uint
#endif

layout(push_constant) uniform Push {
    uint count;       // elements
    uint stride;      // elements from which a workgroup takes segments; a multiple of 32
    uvec2 mask;       // the bits to sort by
    uint descending;  // whether the order is descending
} push;

#include "count.glsl"
#include "groups.glsl"
#include "key_order.glsl"
#include "segments.glsl"
#include "values.glsl"

layout(set = 0, binding = 0, std430) buffer Keys { KEY at[]; } keys;
layout(set = 0, binding = 1, std430) readonly buffer Heads { uint at[]; } heads;
layout(set = 0, binding = 3, std430) readonly buffer FoundSegments { Found of; } found;
#ifdef PAIRS
layout(set = 0, binding = 2, std430) buffer Values { uint at[]; } values;
layout(set = 0, binding = 2, std430) buffer Values2 { uvec2 at[]; } values_vec2;
layout(set = 0, binding = 2, std430) buffer Values4 { uvec4 at[]; } values_vec4;
#endif

// A thread has ITEMS elements (kernels.txt). Must match operations/sort/segments.rs; merge_levels() requires 8.
const uint TILE = gl_WorkGroupSize.x * ITEMS;

#include "tile_heads.glsl"

shared uint levels;  // bit l: runs of ITEMS << l elements must be merged

KEY image(KEY key) { return push.descending != 0 ? ~ordered(key) : ordered(key); }
KEY from_image(KEY bits) { return from_ordered(push.descending != 0 ? ~bits : bits); }

bool is_after(KEY x, KEY y) {
    if (ALL_BITS != 0) return x > y;
#if KEY_BITS == 64
    KEY mask = packUint2x32(push.mask);
#else
    KEY mask = push.mask.x;
#endif
    return (x & mask) > (y & mask);
}

#include "merge_runs.glsl"

// Returns word number `word` of the tile's head bits. The tile begins at element `first` and has `held` elements.
uint heads_of(uint first, uint held, uint word) {
    uint from = word * 32;
    if (from >= held) return 0;
    uint at = (first + from) / 32;
    uint shift = first % 32;
    uint bits = heads.at[at] >> shift;
    // The next word exists if an element needs it.
    if (shift != 0 && held - from > 32 - shift) bits |= heads.at[at + 1] << (32 - shift);
    return held - from >= 32 ? bits : bits & ((1u << (held - from)) - 1);
}

// Returns the merge levels, as bits of `levels`, that word number `word` of the head bits requires. Two adjacent runs
// must be merged if no segment begins at the boundary between them. A boundary is the first element of a thread, that
// is bit 0, 8, 16 or 24 of a word: bits 8 and 24 are boundaries of level 0, bit 16 of level 1, and bit 0 of a higher
// level, which depends on the word's number.
uint merge_levels(uint word, uint bits, uint held) {
    uint from = word * 32;
    if (from >= held) return 0;
    uint open = ~bits & 0x01010101u;
    if (held - from < 32) open &= (1u << (held - from)) - 1;
    uint merged = 0;
    if ((open & 0x01000100u) != 0) merged |= 1;
    if ((open & 0x00010000u) != 0) merged |= 2;
    if ((open & 1u) != 0 && word > 0) merged |= 4u << findLSB(word);
    return merged;
}

// Loads the head bits of the tile and determines the merge levels. Called by all threads; a barrier must follow.
void find_heads(uint first, uint held) {
    if (thread_rank() == 0) levels = 0;
    for (uint i = thread_rank(); i < FILLED_WORDS; i += gl_WorkGroupSize.x) filled[i] = 0;
    barrier();
    for (uint word = thread_rank(); word < HEAD_WORDS; word += gl_WorkGroupSize.x) {
        uint bits = heads_of(first, held, word);
        tile_heads[word] = bits;
        if (bits != 0) atomicOr(filled[word / 32], 1u << (word % 32));
        uint merged = merge_levels(word, bits, held);
        if (merged != 0) atomicOr(levels, merged);
    }
}

void swap_items(uint k) {
    KEY key = own[k];
    own[k] = own[k - 1];
    own[k - 1] = key;
#ifdef PAIRS
    uint source = own_source[k];
    own_source[k] = own_source[k - 1];
    own_source[k - 1] = source;
#endif
}

// Sorts this thread's items by odd-even transposition, in ITEMS turns.
void sort_items(uint held) {
    uint p = thread_rank() * ITEMS;
    // Items that are not compared with the preceding item: heads and missing items.
    uint apart = tile_heads[p / 32] >> (p % 32);
    if (held < p + ITEMS) apart |= held <= p ? ~0u : ~0u << (held - p);
    [[unroll]] for (uint turn = 0; turn < ITEMS; ++turn)
        [[unroll]] for (uint k = 1; k < ITEMS; ++k)
            if ((k & 1) != (turn & 1) && (apart >> k & 1) == 0 && is_after(own[k - 1], own[k])) swap_items(k);
}

// Merges pairs of runs of `width` elements where a segment crosses the middle. Called by all threads; ends with a
// barrier.
void merge_level(uint width, uint held) {
    uint p = thread_rank() * ITEMS;
    uint pair = p & ~(2 * width - 1);
    uint middle = pair + width;
    bool merges = false;
    if (middle < held && !is_head(middle)) {
        uint first = max(head_before(middle), pair);
        uint end = min(head_after(middle, held), pair + 2 * width);
        merges = p < end && p + ITEMS > first;
        if (merges) merge_runs(first, middle, end);
    }
    barrier();
    if (merges) put_items();
    barrier();
}

#ifdef PAIRS
#define PUT_VALUES(buffer_)                                                                         \
    {                                                                                               \
        [[unroll]] for (uint k = 0; k < ITEMS; ++k) {                                               \
            uint i = k * gl_WorkGroupSize.x + thread_rank();                                        \
            if (i < held) held_values[k] = buffer_.at[first + sources[room_of(i)]];                 \
        }                                                                                           \
        memoryBarrierBuffer();  /* barrier() alone orders shared memory only */                     \
        barrier();                                                                                  \
        [[unroll]] for (uint k = 0; k < ITEMS; ++k) {                                               \
            uint i = k * gl_WorkGroupSize.x + thread_rank();                                        \
            if (i < held) buffer_.at[first + i] = held_values[k];                                   \
        }                                                                                           \
    }

// Moves the values in place: reads all from their sources into registers, and writes them after a barrier. Called
// by all threads.
void put_values(uint first, uint held) {
    if (COUNTED_VALUES != 0) {
        for (uint i = thread_rank(); i < held; i += gl_WorkGroupSize.x)
            values.at[first + i] = sources[room_of(i)] - head_before(i);
    } else if (VALUE_WORDS == 1) {
        uint held_values[ITEMS];
        PUT_VALUES(values)
    } else if (VALUE_WORDS == 2) {
        uvec2 held_values[ITEMS];
        PUT_VALUES(values_vec2)
    } else {
        uvec4 held_values[ITEMS];
        PUT_VALUES(values_vec4)
    }
}
#endif

// Sorts the segments in elements [first, first + held), at most a tile. Called by all threads.
void sort_tile(uint first, uint held) {
    barrier();  // the previous contents of shared memory have been read
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = k * gl_WorkGroupSize.x + thread_rank();
        room[room_of(i)] = i < held ? image(keys.at[first + i]) : KEY(0);
    }
    find_heads(first, held);
    barrier();
    uint p = thread_rank() * ITEMS;
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        own[k] = room[room_of(p + k)];
#ifdef PAIRS
        own_source[k] = p + k;
#endif
    }
    sort_items(held);
    put_items();
    barrier();
    uint wanted = levels;
    for (uint width = ITEMS; width < held; width *= 2) {
        if ((wanted & 1) != 0) merge_level(width, held);
        wanted >>= 1;
    }
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = k * gl_WorkGroupSize.x + thread_rank();
        if (i < held) keys.at[first + i] = from_image(room[room_of(i)]);
    }
#ifdef PAIRS
    put_values(first, held);
#endif
}

// First and last head in the stride, and first head after the stride.
shared uint first_head;
shared uint last_head;
shared uint next_head;
const uint NONE = 0xFFFFFFFFu;

// Sets first_head, last_head and next_head. Called by all threads; ends with a barrier.
void find_stride(uint begin, uint end) {
    if (thread_rank() == 0) {
        first_head = NONE;
        last_head = 0;
        next_head = end;
    }
    barrier();
    // Segments that begin in the stride and fit a tile end at most one tile after the stride.
    uint words = (min(push.stride + TILE, end - begin) + 31) / 32;
    for (uint word = thread_rank(); word < words; word += gl_WorkGroupSize.x) {
        uint bits = heads.at[begin / 32 + word];
        if (bits == 0) continue;
        uint at = begin + word * 32;
        if (word * 32 < push.stride) {
            atomicMin(first_head, at + findLSB(bits));
            atomicMax(last_head, at + findMSB(bits));
        } else {
            atomicMin(next_head, at + findLSB(bits));
        }
    }
    barrier();
}

void main() {
    uint count = resolved_count(push.count);
    uint end = min(found.of.end, count);
    uint begin = group_index() * push.stride;
    if (begin >= end) return;
    find_stride(begin, end);
    if (first_head == NONE) return;
    // All segments but the last end in the stride. The last one is sorted together with the others, separately, or
    // not at all if it exceeds a tile.
    uint first = first_head;
    uint last = last_head;
    uint next = next_head;
    bool together = next - first <= TILE;
    for (uint part = 0; part < 2; ++part) {
        uint from = part == 0 ? first : last;
        uint to = part == 0 && !together ? last : next;
        if (part == 1 && together) continue;
        if (to == from || to - from > TILE) continue;
        sort_tile(from, to - from);
    }
}
