// First pass of particles.c and particles.cpp: computes the distance of each particle from the camera.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Particles { vec4 at[]; } particles;
layout(set = 0, binding = 1) writeonly buffer Depths { float at[]; } depths;
layout(push_constant) uniform Push { vec3 camera; uint count; } push;

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < push.count) {
        depths.at[i] = distance(particles.at[i].xyz, push.camera);
    }
}
