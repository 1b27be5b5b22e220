#version 460
// First pass of a segmented reduction. One workgroup handles one tile of elements, regardless of the number of segments
// in it, and a share of the empty segments. Steps: load the tile; write the identity for the share of the empty
// segments; find the offsets inside the tile; scan the tile with restarts at segment starts; write the totals of
// segments that lie within the tile. The parts of segments that span several tiles go to `parts`, which reduce.join
// combines.
//
// Offsets beyond the elements are clamped. A segment that ends at or before its start is empty. If offsets
// decrease, the tile of a segment's last element may not find the segment. Such a segment gets the identity, from
// this pass if there is only one tile, otherwise from reduce.join.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "src_dst.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 3, std430) writeonly buffer Parts { uvec4 at[]; } parts;
// For each workgroup, whether an offset decreases in its share of the segments.
layout(set = 0, binding = 4, std430) writeonly buffer Falls { uint at[]; } falls;

layout(push_constant) uniform Push {
    uint segments;
    uint elements;        // element count of `src`, or its upper bound
    uint elements_index;  // index of the device count of elements
    uint groups;          // required workgroups; folding may add more
    uint row_length;      // row length, if segments are rows of a matrix
} push;

#define TILE_STORES
#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"
#include "open_tile.glsl"
#include "segment_parts.glsl"
#include "segment_offsets.glsl"

// For each element of the tile: whether it ends a segment, and the segment that it ends.
shared uint last_bits[TILE / 32];
shared uint segment_at[TILE];
// Range of offsets that may end a segment in this tile.
shared uint bounds[2];
shared uint shared_closed;
shared TERM shared_closing;
shared uint shared_falls;

// Records that `segment` ends with the element at `place`.
void mark_last(uint place, uint segment) {
    uint bit = 1u << place % 32;
    if ((atomicOr(last_bits[place / 32], bit) & bit) == 0) segment_at[place] = segment;
    // If offsets decrease, two segments may end at the same element. Only one of them is reduced, and the other one
    // gets the identity.
    else if (segment != NO_SEGMENT) store_term(segment, IDENTITY);
}

// Marks the segment ends in the tile that starts at `first`, given the range of offsets [begin, end). Offset k ends
// segment k - 1. Offset 0 ends the elements before the first segment (NO_SEGMENT). Called by all threads.
void mark_offsets(uint first, uint begin, uint end) {
    if (end - begin <= MAX_WALK * TILE) {
        for (uint k = begin + thread_rank(); k < end; k += gl_WorkGroupSize.x) {
            uint offset = offset_at(k);
            bool is_end = k == 0 || offset_at(k - 1) < offset;
            if (is_end && offset > first && offset - first <= TILE) mark_last(offset - first - 1, k - 1);
        }
    } else {
        for (uint place = thread_rank(); place < TILE; place += gl_WorkGroupSize.x) {
            uint low = first_above(first + place, begin, end);
            if (low < end && offset_at(low) == first + place + 1) mark_last(place, low - 1);
        }
    }
}

// Returns 1 if the element at `place` ends a segment, otherwise 0.
uint is_last(uint place) {
    return last_bits[place / 32] >> place % 32 & 1;
}

// Returns whether all elements fit one tile. If so, the tile looks for segment ends among all offsets.
bool is_one_tile() { return push.elements <= TILE; }

// Writes the identity for empty segments, in this workgroup's share of all segments. Returns whether an offset
// decreases.
bool reduce_empty_segments(uint segments) {
    uint group = group_index();
    bool is_searched = is_one_tile() && segments >= MAX_WALK * TILE;
    bool fell = false;
    uint share = (segments - 1) / push.groups + 1;
    for (uint k = thread_rank(); k < share; k += gl_WorkGroupSize.x) {
        uint segment = group * share + k;
        if (segment < segments) {
            uint begin = offset_at(segment);
            uint end = offset_at(segment + 1);
            bool is_found = end > begin;
            if (is_found && is_searched) is_found = first_above(end - 1, 0, segments + 1) == segment + 1;
            if (!is_found) store_term(segment, IDENTITY);
            fell = fell || end < begin;
        }
    }
    return fell;
}

void main() {
    uint segments = resolved_count(push.segments);
    // Surplus workgroups (from folding) return: they have no word in `falls`.
    if (segments == 0 || group_index() >= push.groups) return;
    elements = resolved_other(push.elements, push.elements_index);
    uint tile = group_index();
    uint first = tile * TILE;
    bool has_elements = tile < elements / TILE + (elements % TILE != 0 ? 1 : 0);

    TERM_ROW rows[TILE_ROWS];
    if (has_elements) load_tile(first, elements, rows);
    bool fell = reduce_empty_segments(segments);

    // Segment ends in this tile have offsets above `first` and at most `first + TILE`.
    for (uint k = gl_SubgroupID; has_elements && k < 2; k += gl_NumSubgroups) {
        uint found = k == 0 ? 0 : segments + 1;
        if (!is_one_tile()) found = offsets_up_to(k == 0 ? first : first + TILE, segments + 1);
        if (subgroupElect()) bounds[k] = found;
    }
    for (uint k = thread_rank(); k < TILE / 32; k += gl_WorkGroupSize.x) last_bits[k] = 0;
    if (thread_rank() == 0) {
        shared_closed = NO_SEGMENT;
        shared_closing = IDENTITY;
        shared_falls = 0;
    }
    barrier();
    if (fell) atomicOr(shared_falls, 1);
    if (!has_elements) {
        barrier();
        if (thread_rank() == 0) falls.at[tile] = shared_falls;
        return;
    }
    uint begin = bounds[0];
    uint end = bounds[1];
    uint begins_here = first == 0 || (begin > 0 && offset_at(begin - 1) == first) ? 1 : 0;

    Open here;
    if (begin == end) {
        // No segment ends in this tile: all elements belong to one segment, or to none.
        earlier_subgroups(Open(0, total_of_subgroup(rows)), here);
        here.heads = begins_here;
    } else {
        mark_offsets(first, begin, end);
        barrier();
        uint bits[TILE_ROWS];
        uint lasts[TILE_ROWS];
        uint carried[TILE_ROWS];
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
            uint place = ROW_TERMS * row_index(0, r);
            lasts[r] = last_bits[place / 32] >> place % 32 & ROW_BITS;
            uint before = place == 0 ? begins_here : is_last(place - 1);
            bits[r] = (lasts[r] << 1 | before) & ROW_BITS;
        }
        Open before = earlier_subgroups(scan_open_subgroup(rows, bits, carried), here);
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
            [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c) {
                TERM through = combine(before.total, rows[r][c]);
                if ((lasts[r] >> c & 1) != 0) {
                    bool goes_on = c < carried[r];
                    TERM total = goes_on ? through : rows[r][c];
                    uint segment = segment_at[ROW_TERMS * row_index(0, r) + c];
                    if (goes_on && before.heads == 0) {
                        shared_closed = segment;
                        shared_closing = total;
                    } else if (segment != NO_SEGMENT) {
                        store_term(segment, total);
                    }
                }
            }
        }
    }
    barrier();
    if (thread_rank() == 0) {
        parts.at[2 * tile] = uvec4(shared_closed, here.heads, two_words(shared_closing));
        parts.at[2 * tile + 1] = uvec4(two_words(here.total), begin, end);
        falls.at[tile] = shared_falls;
    }
}
