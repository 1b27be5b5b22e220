// Declares the interface of the histogram kernel: constants, push constants and buffers.

#ifndef HISTOGRAM_GLSL
#define HISTOGRAM_GLSL

#include "constant_ids.glsl"

layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;
layout(constant_id = BUCKET_BITS_ID) const uint BUCKET_BITS = 1;  // METHOD_BALLOTS: ceil(log2 m), at least 1; else 1
layout(constant_id = METHOD_ID) const uint METHOD = 0;
layout(constant_id = BIN_KIND_ID) const uint BIN_KIND = 0;
layout(constant_id = SAMPLE_KIND_ID) const uint SAMPLE_KIND = 0;
layout(constant_id = SAMPLE_BYTES_ID) const uint SAMPLE_BYTES = 4;
layout(constant_id = CHANNELS_ID) const uint CHANNELS = 1;        // interleaved samples per element
layout(constant_id = ACTIVE_ID) const uint ACTIVE = 1;            // one bit per channel, set if it is counted
layout(constant_id = PACKED_ID) const uint PACKED = 1;            // whether elements are read 16 bytes at a time
layout(constant_id = LOADS_ID) const uint LOADS = 4;              // 16-byte reads in flight per thread
layout(constant_id = ROOM_ID) const uint ROOM = 64;               // shared counters per counted channel and copy
layout(constant_id = COPIES_ID) const uint COPIES = 1;            // copies of the counters, to reduce contention
layout(constant_id = WEIGHT_ID) const uint WEIGHT = 0;
layout(constant_id = WIDE_ID) const uint WIDE = 0;                // whether counts have 64 bits
layout(constant_id = COUNT_ON_DEVICE_ID) const uint COUNT_ON_DEVICE = 0;
layout(constant_id = SEARCH_ID) const uint SEARCH = 0;            // method to find range bins (range_bins.glsl)
layout(constant_id = CELLS_ID) const uint CELLS = 1;              // number of cells (cells.glsl)
layout(constant_id = SPLITTERS_ID) const uint SPLITTERS = 1;      // room for splitters in shared memory or registers
layout(constant_id = AFFINE_ID) const uint AFFINE = 0;            // cells of equal width: 1: in floats, 0: in ordered()
layout(constant_id = CLOSED_ID) const uint CLOSED = 0;            // whether the last bin includes its upper edge
layout(constant_id = WHOLE_ID) const uint WHOLE = 1;              // whether METHOD_SHARED has one pass and no weights
layout(constant_id = EXACT_ID) const uint EXACT = 0;              // 1: only bin_of(), never likely_bin()

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
    uint index;         // index of the device count in `elements`
    uint count;         // elements in this piece of the input
    uint piece_start;   // first element of the piece, for device counts
    uint bins;          // m: number of bins
    uint first_bin;     // first bin of this pass
    uint window;        // number of bins of this pass
    uint stride;        // bytes between elements
    uint first_byte;    // offset of the first element in bytes
    uint origin_low;    // lowest edge, as a sample
    uint origin_high;
    uint min_low;       // ordered(lowest edge)
    uint min_high;
    uint span_low;      // ordered(highest edge) - ordered(lowest edge); 1 more if floats have a closed end at zero
    uint span_high;
    uint scale_low;     // bins or places (cells.glsl) per unit
    uint scale_high;
    uint bits;          // three 8-bit numbers (see below), packed to leave room for buffer addresses
    uint parameter_0;   // parameters of a user's function; for even floats, the bin width in two words
    uint parameter_1;
    uint parameter_2;   // for even floats: upper bound of the rounding error, in bins, as float bits
} push;

// Shift that maps a distance from the lowest edge to a bin or a place (cells.glsl), if these span a power of two.
uint place_shift() { return push.bits & 0xffu; }
// Number of low bits of a cell's word that contain the number of splitters in earlier cells (cells.glsl).
uint bin_bits() { return bitfieldExtract(push.bits, 8, 8); }
// Number of low bits of a place that are the fraction of its cell (cells.glsl).
uint fraction_bits() { return bitfieldExtract(push.bits, 16, 8); }

layout(set = 0, binding = 0, std430) readonly buffer Samples { uint at[]; } samples;
layout(set = 0, binding = 0, std430) readonly buffer SamplesVec4 { uvec4 at[]; } samples_vec4;
// Cells and splitters. With USER_BUCKET, the buffer that the user's function may read.
layout(set = 0, binding = 1, std430) readonly buffer Table { uint at[]; } table;
layout(set = 0, binding = 2, std430) readonly buffer Weights { uint at[]; } weights;
layout(set = 0, binding = 3, std430) readonly buffer Elements { uint at[]; } elements;
layout(set = 0, binding = 4, std430) buffer Counts { uint at[]; } counts;
layout(set = 0, binding = 5, std430) buffer OutOfRange { uint at[]; } out_of_range;

// Returns the number of elements in this piece.
uint element_count() {
    if (COUNT_ON_DEVICE == 0) return push.count;
    uint all = elements.at[push.index];
    return all > push.piece_start ? min(all - push.piece_start, push.count) : 0;
}

#endif
