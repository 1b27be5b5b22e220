#version 460
// Turns a device count, which an earlier pass left, into all that the passes of a primitive need to
// know of it: the count itself, what follows from it, and workgroups for indirect
// dispatches, in the records that include/count.glsl reads.

layout(local_size_x = 1) in;

layout(set = 0, binding = 0, std430) readonly buffer Source { uint at[]; } source;
layout(set = 0, binding = 1, std430) buffer Counts { uint at[]; } counts;

// kernels.txt defines STEPS, which the host reads too.
layout(push_constant) uniform Push {
    uint index;       // where the count is
    uint max_count;   // a larger one counts as this
    uint max_groups;  // maxComputeWorkGroupCount[0]
    uint used;        // steps that there are
    uvec4 steps[STEPS];  // the record it starts from, divisor, factor, summand
} push;

uint div_ceil(uint x, uint by) {
    return x / by + (x % by == 0 ? 0 : 1);
}

// The number, and as many workgroups: as the host folds them, the fewest rows that fit, then the
// shortest rows that hold them all.
void record(uint at, uint number) {
    uint rows = div_ceil(number, push.max_groups);
    counts.at[4 * at] = rows == 0 ? 0 : div_ceil(number, rows);
    counts.at[4 * at + 1] = rows;
    counts.at[4 * at + 2] = 1;
    counts.at[4 * at + 3] = number;
}

// Set in a step's first word: what is divided has at least one part, and be it empty.
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
