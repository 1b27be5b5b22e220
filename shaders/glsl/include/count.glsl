// How many are there? A number that the host pushed, or one that only the device knows.
//
// What the device knows is in records of four words, which count.prepare writes: workgroups in x,
// y and z, as an indirect dispatch reads them, and the number itself. What the host pushes is then
// which record to look at. Kernels with HOST_COUNT know only what is pushed.

#ifdef HOST_COUNT

uint number(uint pushed) {
    return pushed;
}

#else

layout(constant_id = 11) const uint COUNT_ON_DEVICE = 0;

layout(set = 0, binding = 8, std430) readonly buffer Counts { uint at[]; } counts;

uint number(uint pushed) {
    return COUNT_ON_DEVICE != 0 ? counts.at[4 * pushed + 3] : pushed;
}

#endif
