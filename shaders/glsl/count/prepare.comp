#version 460
// Prepares a device count for the passes of an operation. A single thread reads the count, clamps it and writes
// record 0 with it. Each step then derives another number from an earlier record, for example the number of tiles,
// and writes the next record. Records (include/count.glsl) contain the number and the workgroups of an indirect
// dispatch.

layout(local_size_x = 1) in;

layout(set = 0, binding = 0, std430) readonly buffer Source { uint at[]; } source;
layout(set = 0, binding = 1, std430) buffer Counts { uint at[]; } counts;

// kernels.txt defines STEPS, which must match STEPS of operations/shared/count.rs.
layout(push_constant) uniform Push {
    uint index;       // index of the count in `source`
    uint max_count;   // upper bound; larger counts are clamped
    uint max_groups;  // maxComputeWorkGroupCount[0]
    uint used;        // number of steps in use
    // Source record, divisor, factor, addend: the new number is ceil(number of the source / divisor) * factor + addend.
    uvec4 steps[STEPS];
} push;

uint div_ceil(uint x, uint by) {
    return x / by + (x % by == 0 ? 0 : 1);
}

// Writes record `at`: `number`, and a dispatch of at least that many workgroups. Folds the dispatch like the host: the
// smallest y that satisfies the limit in x, then the smallest x.
void record(uint at, uint number) {
    uint rows = div_ceil(number, push.max_groups);
    counts.at[4 * at] = rows == 0 ? 0 : div_ceil(number, rows);
    counts.at[4 * at + 1] = rows;
    counts.at[4 * at + 2] = 1;
    counts.at[4 * at + 3] = number;
}

// Flag in the first word of a step: a quotient of 0 becomes 1, so that an empty array has one workgroup.
const uint AT_LEAST_ONE = 1u << 31;

void main() {
    record(0, min(source.at[push.index], push.max_count));
    for (uint s = 0; s < push.used; ++s) {
        uvec4 step = push.steps[s];
        uint parts = div_ceil(counts.at[4 * (step.x & ~AT_LEAST_ONE) + 3], step.y);
        if ((step.x & AT_LEAST_ONE) != 0) parts = max(parts, 1);
        record(s + 1, parts * step.z + step.w);
    }
}
