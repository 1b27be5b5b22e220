#version 460
/* The pass of cull.c over the selected objects: one workgroup per 64 objects. Surplus invocations return. */
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Visible { float at[]; } visible;
layout(set = 0, binding = 1, std430) readonly buffer Arguments { uint at[8]; } arguments;
layout(set = 0, binding = 2, std430) buffer Drawn { uint at[]; } drawn;

void main() {
    uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationID.x;
    if (i < arguments.at[3]) drawn.at[i] = floatBitsToUint(visible.at[i]);
}
