#version 460
// Clamps the workgroup counts of an indirect dispatch to the device limits, because devices do not check them. A single
// thread reads three words of the caller's buffer and writes the three clamped words.

layout(local_size_x = 1) in;

layout(set = 0, binding = 0, std430) readonly buffer Source { uint at[]; } source;
layout(set = 0, binding = 1, std430) writeonly buffer Groups { uint at[]; } groups;

layout(push_constant) uniform Push {
    uint max_x;  // maxComputeWorkGroupCount
    uint max_y;
    uint max_z;
} push;

void main() {
    groups.at[0] = min(source.at[0], push.max_x);
    groups.at[1] = min(source.at[1], push.max_y);
    groups.at[2] = min(source.at[2], push.max_z);
}
