// First and last lane of a ballot mask that may differ between lanes, such as the lanes with the same bucket.
//
// These replace subgroupBallotFindLSB() and subgroupBallotFindMSB() for such masks: with subgroups of 64, AMD's
// compiler in Mesa 22.3 has no code for the first one and prints "Unimplemented NIR instr bit size: find_lsb". Masks
// that are the same in all lanes do not need them.

#ifndef LANE_MASKS_GLSL
#define LANE_MASKS_GLSL

// Returns the first lane of a mask, which must not be empty. A compiler that knows that subgroups have at most 32 or 64
// lanes removes the words that are not needed.
uint first_lane_of(uvec4 mask) {
    uint of_first_64 = mask.x != 0 || gl_SubgroupSize <= 32 ? findLSB(mask.x) : 32 + findLSB(mask.y);
    uint of_last_64 = mask.z != 0 ? 64 + findLSB(mask.z) : 96 + findLSB(mask.w);
    return gl_SubgroupSize <= 64 || (mask.x | mask.y) != 0 ? of_first_64 : of_last_64;
}

// Returns the last lane of a mask, which must not be empty.
uint last_lane_of(uvec4 mask) {
    uint of_first_64 = mask.y == 0 || gl_SubgroupSize <= 32 ? findMSB(mask.x) : 32 + findMSB(mask.y);
    uint of_last_64 = mask.w != 0 ? 96 + findMSB(mask.w) : 64 + findMSB(mask.z);
    return gl_SubgroupSize <= 64 || (mask.z | mask.w) == 0 ? of_first_64 : of_last_64;
}

#endif
