#version 460
// Starts a search: a single thread resets the state, sets the source's distance to 0, puts the source into the
// near queue, and writes the dispatch arguments of the first round. All other distances were set to UNREACHED
// before.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "constant_ids.glsl"

layout(local_size_x = 64, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "sssp_state.glsl"
#include "sssp_advance.glsl"
layout(set = 0, binding = 3, std430) writeonly buffer Queues { uvec2 at[]; } queues;
layout(set = 0, binding = 4, std430) readonly buffer Request { uint source; } request;
layout(set = 0, binding = 6, std430) writeonly buffer Distances { uint at[]; } distances;

void main() {
    if (gl_LocalInvocationIndex != 0) return;
    control.done = 0;
    control.rest_out = 0;
    control.pieces_out = 0;
    control.near_out = 1;
    control.base = 0;
    control.bucket = 0;
    control.threshold = widths_past(0, 1);
    control.nearest_rest = UNREACHED;
    control.lost = 0;
    control.overflowed = 0;
    control.finished = 0;
    control.arrived = 0;
    control.generation = 0;
    control.aborted = 0;
    control.rounds = 0;
    control.splits = 0;
    control.dense = 0;
    control.relaxations_low = 0;
    control.relaxations_high = 0;
    control.expansions_low = 0;
    control.expansions_high = 0;
    control.piled = 0;
    control.kept = 0;
    control.kept_words = 0;
    control.low = 0;
    control.before = 0;
    control.ends[0] = 0;  // read even in rounds that take a single queue
    clear_counts();
    distances.at[request.source] = 0;
    queues.at[NEAR * push.capacity] = uvec2(request.source, 0);
    COUNT(NEAR) = 1;
    control.taken = NEAR;
    control.count = 1;
    control.pieces = 0;
    control.chunk = 1;
    control.groups = 1;
    control.more_first = 1;
    control.more_last = 0;
    // The first dispatch is the round, with one workgroup; the second one, which filters the pile, has no workgroups.
    for (uint i = 0; i < 6; ++i) groups.at[i] = i == 3 ? 0 : 1;
}
