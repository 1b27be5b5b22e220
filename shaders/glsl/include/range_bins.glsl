// Finds the range bin of a sample: how many of the m - 1 inner splitters are at or below the sample.
//
// SEARCH selects the method: a binary search in registers, which is fastest for few bins, a binary search in
// memory, or a lookup in a table of cells (cells.glsl).

#ifndef RANGE_BINS_GLSL
#define RANGE_BINS_GLSL

#include "histogram.glsl"
#include "sample.glsl"

const uint SEARCH_BINARY = 0;
const uint SEARCH_LOOKUP = 1;
const uint SEARCH_REGISTERS = 2;

#include "cells.glsl"
shared SAMPLE splitters[SEARCH == SEARCH_REGISTERS ? 1 : SPLITTERS];
// Number of splitters in registers: one less than a power of two.
const uint HELD = SEARCH == SEARCH_REGISTERS ? SPLITTERS : 1;
const uint LEVELS = 1 + (HELD >= 3 ? 1 : 0) + (HELD >= 7 ? 1 : 0) + (HELD >= 15 ? 1 : 0) + (HELD >= 31 ? 1 : 0);
SAMPLE held[HELD];

// Number of words before the splitters in the table.
const uint TABLE_HEAD = SEARCH == SEARCH_LOOKUP ? CELLS + 1 : 0;

SAMPLE table_splitter(uint index) {
#if SAMPLE_BITS == 64
    return sample_of(table.at[TABLE_HEAD + 2 * index], table.at[TABLE_HEAD + 2 * index + 1]);
#else
    return table.at[TABLE_HEAD + index];
#endif
}

// Returns an inner splitter. SPLITTERS > 1 means that all splitters are in shared memory; otherwise none of them is.
SAMPLE splitter(uint index) {
    return SPLITTERS > 1 ? splitters[index] : table_splitter(index);
}

// Copies cells and splitters to shared memory or registers. Called by all threads before the first search; a
// barrier must follow.
void stage_range() {
    if (SEARCH == SEARCH_REGISTERS) {
        [[unroll]] for (uint i = 0; i < HELD; ++i) held[i] = table_splitter(i);
        return;
    }
    if (SEARCH == SEARCH_LOOKUP)
        for (uint i = gl_LocalInvocationIndex; i <= CELLS; i += gl_WorkGroupSize.x) cells[i] = table.at[i];
    if (SPLITTERS > 1)
        for (uint i = gl_LocalInvocationIndex; i + 1 < push.bins; i += gl_WorkGroupSize.x)
            splitters[i] = table_splitter(i);
}

// Returns the number of splitters at or below `key`. This number must be at least `below` and at most `max_below`.
uint search(SAMPLE key, uint below, uint max_below) {
    while (below < max_below) {
        uint middle = (below + max_below) / 2;
        if (splitter(middle) <= key) below = middle + 1;
        else max_below = middle;
    }
    return below;
}

// Returns the place of a sample (cells.glsl). For a sample out of range, the result is arbitrary.
uint place_of(SAMPLE bits, SAMPLE above) {
#ifdef REAL
    if (AFFINE != 0) {
        precise REAL from_origin = real_of(bits) - real_of(sample_of(push.origin_low, push.origin_high));
        precise REAL scaled = from_origin * real_of(sample_of(push.scale_low, push.scale_high));
        return uint(scaled);
    }
#endif
    return uint(above >> place_shift());
}

// Returns the bin of a sample from one word of the table. Sets `unsure` if that word does not suffice.
uint likely_range_bin(SAMPLE bits, SAMPLE above, bool in_range, out bool unsure) {
    uint place = place_of(bits, above);
    uint bin = likely_bin_at(in_range ? place : 0, unsure);
    unsure = unsure && in_range;
    return bin;
}

// Returns the bin of a key, by a binary search among the splitters in registers. Each level compares the key with the
// middle splitter and keeps the half above or below it, so that all array indices are constants.
uint held_bin(SAMPLE key) {
    SAMPLE left[HELD];
    [[unroll]] for (uint i = 0; i < HELD; ++i) left[i] = held[i];
    uint bin = 0;
    [[unroll]] for (uint level = 0; level < LEVELS; ++level) {
        uint middle = HELD >> (level + 1);
        bool above = left[middle] <= key;
        bin = 2 * bin + (above ? 1 : 0);
        [[unroll]] for (uint i = 0; i < middle; ++i) left[i] = above ? left[middle + 1 + i] : left[i];
    }
    return bin;
}

// Returns the bin of a sample. `key` is the sample as ordered(), `above` its distance from the lowest edge. For a
// sample out of range, the result is arbitrary.
uint range_bin(SAMPLE bits, SAMPLE key, SAMPLE above, bool in_range) {
    if (SEARCH == SEARCH_REGISTERS) return held_bin(key);
    if (SEARCH == SEARCH_BINARY) return search(key, 0, in_range ? push.bins - 1 : 0);
    uint cell = in_range ? place_of(bits, above) >> fraction_bits() : 0;
    return search(key, bins_before(cells[cell]), bins_before(cells[cell + 1]));
}

#endif
