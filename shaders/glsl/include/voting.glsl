// Ballot-based voting (the paper's warp_histogram and warp_offset), for any subgroup width.
//
// A window is one key a lane. Each bit of the bucket ids is put to the vote once; from the votes
// every lane learns which lanes share its bucket (for offsets), and which lanes voted for the
// buckets that it keeps count of (for histograms). Lane l keeps buckets l, l + width, ...: its
// slots. A mask is a uvec4 of which only the words that a subgroup has are ever touched.

const uint LANE_BITS = 2 + (SUBGROUP_SIZE >= 8 ? 1 : 0) + (SUBGROUP_SIZE >= 16 ? 1 : 0) +
                       (SUBGROUP_SIZE >= 32 ? 1 : 0) + (SUBGROUP_SIZE >= 64 ? 1 : 0) +
                       (SUBGROUP_SIZE >= 128 ? 1 : 0);
const uint SLOTS = BUCKET_BITS > LANE_BITS ? 1u << (BUCKET_BITS - LANE_BITS) : 1u;
const uint SLOT_BITS = BUCKET_BITS > LANE_BITS ? BUCKET_BITS - LANE_BITS : 0u;

// The votes on the current window: who takes part, and each bit of their bucket ids.
uvec4 voters;
uvec4 votes[BUCKET_BITS];

void vote(uint bucket, bool takes_part) {
    voters = subgroupBallot(takes_part);
    [[unroll]] for (uint k = 0; k < BUCKET_BITS; ++k)
        votes[k] = subgroupBallot(((bucket >> k) & 1) != 0);
}

// The same where every lane takes part.
void vote_all(uint bucket) {
    voters = uvec4(SUBGROUP_SIZE >= 32 ? ~0u : (1u << (SUBGROUP_SIZE & 31u)) - 1u,
                   SUBGROUP_SIZE >= 64 ? ~0u : 0u, SUBGROUP_SIZE >= 128 ? ~0u : 0u,
                   SUBGROUP_SIZE >= 128 ? ~0u : 0u);
    [[unroll]] for (uint k = 0; k < BUCKET_BITS; ++k)
        votes[k] = subgroupBallot(((bucket >> k) & 1) != 0);
}

// The lanes of `mask` that voted `bit` (0 or 1) on bit k.
uvec4 agreeing(uvec4 mask, uint k, uint bit) {
    return mask & (bit != 0 ? votes[k] : ~votes[k]);
}

uint count_of(uvec4 mask) {
    uint count = bitCount(mask.x);
    if (SUBGROUP_SIZE > 32) count += bitCount(mask.y);
    if (SUBGROUP_SIZE > 64) count += bitCount(mask.z) + bitCount(mask.w);
    return count;
}

// The lanes that voted for this lane's bucket: paper, algorithm warp_offset.
uvec4 lanes_of_bucket(uint bucket) {
    uvec4 mask = voters;
    [[unroll]] for (uint k = 0; k < BUCKET_BITS; ++k) mask = agreeing(mask, k, (bucket >> k) & 1);
    return mask;
}

uint lanes_before(uvec4 mask) {
    return count_of(mask & gl_SubgroupLtMask);
}

// The lanes whose bucket has this lane's number in its low bits; the slot decides on the others.
uvec4 lanes_of_low_bits() {
    uvec4 mask = voters;
    [[unroll]] for (uint k = 0; k < min(BUCKET_BITS, LANE_BITS); ++k)
        mask = agreeing(mask, k, (gl_SubgroupInvocationID >> k) & 1);
    return mask;
}

// How many lanes voted for bucket  slot * width + lane : paper, algorithm warp_histogram.
uint votes_for_slot(uvec4 low, uint slot) {
    [[unroll]] for (uint k = 0; k < SLOT_BITS; ++k)
        low = agreeing(low, LANE_BITS + k, (slot >> k) & 1);
    // With fewer buckets than lanes, lanes past the last bucket keep no count.
    if (BUCKET_BITS < LANE_BITS && gl_SubgroupInvocationID >> BUCKET_BITS != 0) return 0;
    return count_of(low);
}
