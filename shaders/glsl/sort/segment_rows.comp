#version 460
// Sorts rows of equal length that fit a tile, in place. One workgroup handles one tile of TILE / ROW_ROOM rows. In
// the tile, the space of a row is a power of two; missing elements are last.
//
// Steps: load the rows; each subgroup sorts its part of the tile in registers with a sorting network; if a row is
// longer than that part, its sorted parts are merged in pairs in shared memory; store the rows. Networks are not
// stable: with PAIRS, each element has its index in the row, its source, which orders equal keys.
//
// A lane sorts and merges consecutive elements. If rows fill their space (FULL_ROWS), these are consecutive in
// memory too, and are loaded and stored directly: rows that fit a subgroup then need no shared memory.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;
// Whether all bits of the keys are compared. Always the case without PAIRS.
layout(constant_id = ALL_BITS_ID) const uint ALL_BITS = 1;
layout(constant_id = ROW_ROOM_ID) const uint ROW_ROOM = 32;  // tile space per row: a power of two, at least ITEMS

// Whether rows have exactly ROW_ROOM elements of 32 bits, and no values that must be read.
layout(constant_id = FULL_ROWS_ID) const uint FULL_ROWS = 0;

#if KEY_BITS == 64
#define KEY uint64_t
#else
#define KEY uint
#endif

layout(push_constant) uniform Push {
    uint rows;
    uint row_length;  // at most ROW_ROOM
    uvec2 mask;       // the bits to sort by
    uint descending;  // whether the order is descending
} push;

#include "groups.glsl"
#include "key_order.glsl"
#include "values.glsl"

layout(set = 0, binding = 0, std430) buffer Keys { KEY at[]; } keys;
#if KEY_BITS == 32
layout(set = 0, binding = 0, std430) buffer KeysVec4 { uvec4 at[]; } keys_vec4;
#endif
#ifdef PAIRS
layout(set = 0, binding = 1, std430) buffer Values { uint at[]; } values;
layout(set = 0, binding = 1, std430) buffer Values2 { uvec2 at[]; } values_vec2;
layout(set = 0, binding = 1, std430) buffer Values4 { uvec4 at[]; } values_vec4;
#endif

const uint TILE = gl_WorkGroupSize.x * ITEMS;

KEY image(KEY key) { return push.descending != 0 ? ~ordered(key) : ordered(key); }
KEY from_image(KEY bits) { return from_ordered(push.descending != 0 ? ~bits : bits); }

KEY mask;  // the bits to sort by

// Returns the bits of an image to sort by.
KEY compared(KEY x) {
    KEY masked = x & mask;
    return ALL_BITS != 0 ? x : masked;
}

bool is_after(KEY x, KEY y) { return compared(x) > compared(y); }

#include "merge_runs.glsl"

#ifdef PAIRS
// Returns whether element x comes after element y. The source decides between equal keys.
bool is_later(KEY x, uint x_source, KEY y, uint y_source) {
    bool among_equals = x_source > y_source;
    bool by_key = compared(x) > compared(y);
    bool equal = compared(x) == compared(y);
    return equal ? among_equals : by_key;
}
#endif

#include "lane_network.glsl"

// Returns the tile position of this lane's element r for loads and stores; adjacent lanes have adjacent elements. The
// same thread loads and stores an element, so no thread overwrites an element that another has yet to load.
uint tile_place(uint r) {
    return (gl_SubgroupID * ITEMS + r) * gl_SubgroupSize + gl_SubgroupInvocationID;
}

uint first_row;

// Returns the array index of a tile position.
uint element_at(uint place) { return (first_row + place / ROW_ROOM) * push.row_length + place % ROW_ROOM; }

// Returns whether a tile position holds an element of a row.
bool is_there(uint place) { return place % ROW_ROOM < push.row_length && first_row + place / ROW_ROOM < push.rows; }

// Image of missing elements, at least as large as that of every key. A key with the same image still comes first,
// because missing elements have the largest sources.
const KEY MISSING = ~KEY(0);

// Returns the image of the element at a tile position, or MISSING.
KEY load_image(uint place) {
    KEY loaded = MISSING;
    if (is_there(place)) loaded = image(keys.at[element_at(place)]);
    return loaded;
}

// Loads the rows into registers. If a row spans at least a subgroup, its elements may be loaded in any order;
// otherwise each lane needs elements of a single row, which are exchanged through shared memory. Called by all
// threads.
void load_items() {
    if (ROW_ROOM >= gl_SubgroupSize * ITEMS) {
        [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
            own[k] = load_image(tile_place(k));
#ifdef PAIRS
            own_source[k] = tile_place(k) % ROW_ROOM;
#endif
        }
    } else {
        [[unroll]] for (uint k = 0; k < ITEMS; ++k) room[room_of(tile_place(k))] = load_image(tile_place(k));
        barrier();
        [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
            uint place = thread_rank() * ITEMS + k;
            own[k] = room[room_of(place)];
#ifdef PAIRS
            own_source[k] = place % ROW_ROOM;
#endif
        }
    }
}

// Merges the sorted parts of rows in pairs, from registers through shared memory to registers. Called by all
// threads.
void merge_parts() {
    uint p = thread_rank() * ITEMS;
    for (uint width = gl_SubgroupSize * ITEMS; width < ROW_ROOM; width *= 2) {
        put_items();
        barrier();
        uint pair = p & ~(2 * width - 1);
        merge_runs(pair, pair + width, pair + 2 * width);
        barrier();
    }
}

#ifdef PAIRS
#define PUT_VALUES(buffer_)                                                                             \
    {                                                                                                   \
        [[unroll]] for (uint k = 0; k < ITEMS; ++k) {                                                   \
            uint place = tile_place(k);                                                                 \
            uint source = place / ROW_ROOM * ROW_ROOM + sources[room_of(place)];                        \
            if (is_there(place)) held_values[k] = buffer_.at[element_at(source)];                       \
        }                                                                                               \
        memoryBarrierBuffer();  /* barrier() alone orders shared memory only */                         \
        barrier();                                                                                      \
        [[unroll]] for (uint k = 0; k < ITEMS; ++k) {                                                   \
            uint place = tile_place(k);                                                                 \
            if (is_there(place)) buffer_.at[element_at(place)] = held_values[k];                        \
        }                                                                                               \
    }

// Moves the values in place: reads all from their sources into registers, and writes them after a barrier. Called
// by all threads.
void put_values() {
    if (COUNTED_VALUES != 0) {
        [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
            uint place = tile_place(k);
            if (is_there(place)) values.at[element_at(place)] = sources[room_of(place)];
        }
    } else if (VALUE_WORDS == 1) {
        uint held_values[ITEMS];
        PUT_VALUES(values)
    } else if (VALUE_WORDS == 2) {
        uvec2 held_values[ITEMS];
        PUT_VALUES(values_vec2)
    } else if (VALUE_WORDS == 4) {
        uvec4 held_values[ITEMS];
        PUT_VALUES(values_vec4)
    }
}
#endif

#if KEY_BITS == 32
void load_four(uint from, uint v) {
    uvec4 four = keys_vec4.at[v];
    [[unroll]] for (uint c = 0; c < 4; ++c) own[from + c] = image(four[c]);
}

void store_four(uint from, uint v) {
    uvec4 four;
    [[unroll]] for (uint c = 0; c < 4; ++c) four[c] = from_image(own[from + c]);
    keys_vec4.at[v] = four;
#ifdef PAIRS
    if (COUNTED_VALUES != 0)
        values_vec4.at[v] = uvec4(own_source[from], own_source[from + 1], own_source[from + 2], own_source[from + 3]);
#endif
}

// Loads consecutive elements of full rows directly into registers.
void load_neighbours() {
    uint place = thread_rank() * ITEMS;
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        own[k] = MISSING;
#ifdef PAIRS
        own_source[k] = (place + k) % ROW_ROOM;
#endif
    }
    if (!is_there(place)) return;
    load_four(0, element_at(place) / 4);
    load_four(4, element_at(place) / 4 + 1);
}

void store_neighbours() {
    uint place = thread_rank() * ITEMS;
    if (!is_there(place)) return;
    store_four(0, element_at(place) / 4);
    store_four(4, element_at(place) / 4 + 1);
}
#else
void load_neighbours() {}
void store_neighbours() {}
#endif

// Stores keys and values through shared memory. Called by all threads.
void store_items() {
    put_items();
    barrier();
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint place = tile_place(k);
        if (is_there(place)) keys.at[element_at(place)] = from_image(room[room_of(place)]);
    }
#ifdef PAIRS
    put_values();
#endif
}

void main() {
    first_row = group_index() * (TILE / ROW_ROOM);
    if (first_row >= push.rows) return;
#if KEY_BITS == 64
    mask = packUint2x32(push.mask);
#else
    mask = push.mask.x;
#endif
    if (FULL_ROWS != 0) load_neighbours();
    else load_items();
    sort_lanes(min(ROW_ROOM / ITEMS, gl_SubgroupSize));
    merge_parts();
    if (FULL_ROWS != 0) store_neighbours();
    else store_items();
}
