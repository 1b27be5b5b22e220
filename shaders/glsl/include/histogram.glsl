// What the histogram's counting kernel is told: its constants, its push block, and its buffers.

#ifndef HISTOGRAM_GLSL
#define HISTOGRAM_GLSL

#include "constant_ids.glsl"

layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;
layout(constant_id = BUCKET_BITS_ID) const uint BUCKET_BITS = 1;  // ceil(log2 m) where ballots count, else 1
layout(constant_id = METHOD_ID) const uint METHOD = 0;
layout(constant_id = BIN_KIND_ID) const uint BIN_KIND = 0;
layout(constant_id = SAMPLE_KIND_ID) const uint SAMPLE_KIND = 0;
layout(constant_id = SAMPLE_BYTES_ID) const uint SAMPLE_BYTES = 4;
layout(constant_id = CHANNELS_ID) const uint CHANNELS = 1;        // interleaved samples of an element
layout(constant_id = ACTIVE_ID) const uint ACTIVE = 1;            // a bit for each channel that is counted
layout(constant_id = PACKED_ID) const uint PACKED = 1;            // whether elements are read 16 bytes at a time
layout(constant_id = LOADS_ID) const uint LOADS = 4;              // such reads that a thread has on their way
layout(constant_id = ROOM_ID) const uint ROOM = 64;               // shared counters of a channel
layout(constant_id = COPIES_ID) const uint COPIES = 1;            // of them, so that subgroups meet less often
layout(constant_id = WEIGHT_ID) const uint WEIGHT = 0;
layout(constant_id = WIDE_ID) const uint WIDE = 0;                // whether counts have 64 bits
layout(constant_id = COUNT_ON_DEVICE_ID) const uint COUNT_ON_DEVICE = 0;
layout(constant_id = SEARCH_ID) const uint SEARCH = 0;            // how range bins are found
layout(constant_id = CELLS_ID) const uint CELLS = 1;
layout(constant_id = SPLITTERS_ID) const uint SPLITTERS = 1;      // splitters that shared memory has room for
layout(constant_id = AFFINE_ID) const uint AFFINE = 0;            // whether cells are equal parts of the values
layout(constant_id = CLOSED_ID) const uint CLOSED = 0;            // whether the last bin has its upper edge
layout(constant_id = WHOLE_ID) const uint WHOLE = 1;              // one pass, no weights: out of range is a counter

const uint METHOD_SHARED = 0;
const uint METHOD_BALLOTS = 1;
const uint METHOD_GLOBAL = 2;

const uint WEIGHT_NONE = 0;
const uint WEIGHT_UINT = 1;
const uint WEIGHT_FLOAT = 2;

const uint MAX_CHANNELS = 4;
const uint ACTIVE_CHANNELS = (ACTIVE & 1) + ((ACTIVE >> 1) & 1) + ((ACTIVE >> 2) & 1) + ((ACTIVE >> 3) & 1);

// 64-bit numbers are two words, the low one first.
layout(push_constant) uniform Push {
    uint index;         // of the word that has the count of elements, where that is a device count
    uint count;         // elements of this piece of the input
    uint piece_start;   // where it begins, in that case
    uint bins;          // m: bins
    uint first_bin;     // the bins that this pass counts
    uint window;
    uint stride;        // bytes from element to element
    uint first_byte;    // where the first one begins
    uint origin_low;    // the first edge: a sample
    uint origin_high;
    uint min_low;       // the same as ordered()
    uint min_high;
    uint span_low;      // the last edge less the first, both as ordered()
    uint span_high;
    uint scale_low;     // bins or cells to the unit
    uint scale_high;
    uint bits;          // three small numbers, so that addresses of buffers fit as well
    uint parameter_0;   // what a function of the user's reads; of even floats the width of a bin, two words
    uint parameter_1;
    uint parameter_2;   // of even floats how far from an edge, in bins, a sample is sure to be on its own side
} push;

// Bits of a bin or a place, where that is a power of two.
uint place_shift() { return push.bits & 0xffu; }
// Of a word of the lookup table, the lowest ones.
uint bin_bits() { return bitfieldExtract(push.bits, 8, 8); }
// Of a place within a cell.
uint fraction_bits() { return bitfieldExtract(push.bits, 16, 8); }

layout(set = 0, binding = 0, std430) readonly buffer Samples { uint at[]; } samples;
layout(set = 0, binding = 0, std430) readonly buffer SamplesVec4 { uvec4 at[]; } samples_vec4;
// Cells and splitters; or the one buffer that a user's function may read.
layout(set = 0, binding = 1, std430) readonly buffer Table { uint at[]; } table;
layout(set = 0, binding = 2, std430) readonly buffer Weights { uint at[]; } weights;
layout(set = 0, binding = 3, std430) readonly buffer Elements { uint at[]; } elements;
layout(set = 0, binding = 4, std430) buffer Counts { uint at[]; } counts;
layout(set = 0, binding = 5, std430) buffer OutOfRange { uint at[]; } out_of_range;

// The elements of this piece.
uint element_count() {
    if (COUNT_ON_DEVICE == 0) return push.count;
    uint all = elements.at[push.index];
    return all > push.piece_start ? min(all - push.piece_start, push.count) : 0;
}

#endif
