// Second pass of particles.c and particles.cpp: "draws" the particles in the order computed by multisplit.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Particles { vec4 at[]; } particles;
layout(set = 0, binding = 1) readonly buffer Order { uint at[]; } order;
layout(set = 0, binding = 2) writeonly buffer Drawn { vec4 at[]; } drawn;
layout(push_constant) uniform Push { vec3 camera; uint count; } push;

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < push.count) {
        drawn.at[i] = particles.at[order.at[i]];
    }
}
