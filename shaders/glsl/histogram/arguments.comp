#version 460
// Computes the workgroups of the histogram kernel if the number of elements is a device count. A single thread
// reads the count and writes the arguments of an indirect dispatch.
layout(local_size_x = 1) in;

layout(set = 0, binding = 0, std430) readonly buffer Elements { uint at[]; } elements;
layout(set = 0, binding = 1, std430) writeonly buffer Arguments { uint at[]; } arguments;

layout(push_constant) uniform Push {
    uint index;         // index of the count in `elements`
    uint count;         // upper bound: elements in this piece of the input
    uint piece_start;   // first element of the piece
    uint tile;          // elements that a workgroup reads at a time
    uint tiles;         // tiles per workgroup
    uint min_groups;    // minimum number of workgroups, if there are enough tiles
    uint max_groups;    // maximum number of workgroups
} push;

void main() {
    uint all = elements.at[push.index];
    uint count = all > push.piece_start ? min(all - push.piece_start, push.count) : 0;
    uint tiles = count / push.tile + (count % push.tile > 0 ? 1 : 0);
    uint wanted = max(tiles / push.tiles + (tiles % push.tiles > 0 ? 1 : 0), min(tiles, push.min_groups));
    arguments.at[0] = min(wanted, push.max_groups);
    arguments.at[1] = 1;
    arguments.at[2] = 1;
}
