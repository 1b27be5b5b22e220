#version 460
// How many workgroups count, where the elements have a device count: the arguments of their
// dispatch.
layout(local_size_x = 1) in;

layout(set = 0, binding = 0, std430) readonly buffer Elements { uint at[]; } elements;
layout(set = 0, binding = 1, std430) writeonly buffer Arguments { uint at[]; } arguments;

layout(push_constant) uniform Push {
    uint index;         // of the word that has the count
    uint count;         // elements of this piece, at most of the input
    uint piece_start;   // where it begins
    uint tile;          // elements that a workgroup takes at a time
    uint tiles;         // tiles that a workgroup should have
    uint min_groups;    // unless so many workgroups have no tile then
    uint max_groups;
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
