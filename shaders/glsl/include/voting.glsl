// Ballot-based voting (warp_histogram and warp_offset in the paper), for subgroups of 4 to 128 lanes.
//
// A window is one key per lane. One ballot per bit of the bucket ids tells every lane which lanes share its bucket (for
// offsets) and which lanes have keys in the buckets that it counts (for histograms). Lane l counts buckets l,
// l + SUBGROUP_SIZE, ... All functions that vote are called by whole subgroups.
//
// Needs SUBGROUP_SIZE and BUCKET_BITS.
//
// Loops over bits are expanded by hand: if the driver does not unroll a loop with ballots, all arrays indexed in
// it go to local memory.

#ifndef VOTING_GLSL
#define VOTING_GLSL

#include "lane_masks.glsl"

const uint MAX_BUCKET_BITS = 8;
#define EACH_BIT(visit)           \
    if (BUCKET_BITS > 0) visit(0) \
    if (BUCKET_BITS > 1) visit(1) \
    if (BUCKET_BITS > 2) visit(2) \
    if (BUCKET_BITS > 3) visit(3) \
    if (BUCKET_BITS > 4) visit(4) \
    if (BUCKET_BITS > 5) visit(5) \
    if (BUCKET_BITS > 6) visit(6) \
    if (BUCKET_BITS > 7) visit(7)

const uint LANE_BITS = 2 + (SUBGROUP_SIZE >= 8 ? 1 : 0) + (SUBGROUP_SIZE >= 16 ? 1 : 0) +
                       (SUBGROUP_SIZE >= 32 ? 1 : 0) + (SUBGROUP_SIZE >= 64 ? 1 : 0) +
                       (SUBGROUP_SIZE >= 128 ? 1 : 0);
const uint BUCKETS_PER_LANE = BUCKET_BITS > LANE_BITS ? 1u << (BUCKET_BITS - LANE_BITS) : 1u;

// Lane masks are uvec4. Words beyond the subgroup size are the constant 0, so compilers drop the operations on
// them: with up to 32 lanes, a mask is one word.
uvec4 ballot(bool yes) {
    uvec4 mask = subgroupBallot(yes);
    return SUBGROUP_SIZE <= 32 ? uvec4(mask.x, 0, 0, 0)
                               : SUBGROUP_SIZE <= 64 ? uvec4(mask.xy, 0, 0) : mask;
}

uvec4 all_lanes() {
    return uvec4(SUBGROUP_SIZE >= 32 ? ~0u : (1u << (SUBGROUP_SIZE & 31u)) - 1u,
                 SUBGROUP_SIZE >= 64 ? ~0u : 0u, SUBGROUP_SIZE >= 128 ? ~0u : 0u,
                 SUBGROUP_SIZE >= 128 ? ~0u : 0u);
}

uint count_of(uvec4 mask) {
    uint count = bitCount(mask.x);
    if (SUBGROUP_SIZE > 32) count += bitCount(mask.y);
    if (SUBGROUP_SIZE > 64) count += bitCount(mask.z) + bitCount(mask.w);
    return count;
}

// Returns the number of lanes in `mask` before this one.
uint lanes_before(uvec4 mask) {
    return count_of(mask & gl_SubgroupLtMask);
}

// Returns whether no lane of `mask` follows this one.
bool is_last_lane(uvec4 mask) {
    if (SUBGROUP_SIZE <= 32) return (mask.x & gl_SubgroupGtMask.x) == 0;
    return (mask & gl_SubgroupGtMask) == uvec4(0);
}

uint last_lane(uvec4 mask) {
    return SUBGROUP_SIZE <= 32 ? findMSB(mask.x) : last_lane_of(mask);
}

// Returns the lanes of `mask` that voted `bit` (0 or 1).
uvec4 agreeing(uvec4 mask, uvec4 voted, uint bit) {
    return mask & (bit != 0 ? voted : ~voted);
}

uint bit_of(uint x, uint k) {
    return (x >> k) & 1;
}

// Returns the lanes with the same bucket as this lane, if all lanes take part. Does not set `votes`. `differing`
// collects the lanes that voted differently, which takes one instruction less per bit than collecting those that agree.
uvec4 lanes_sharing(uint bucket) {
    uvec4 differing = uvec4(0);
#define FOLD(k)                                              \
    {                                                        \
        bool own_vote = bit_of(bucket, k) != 0;              \
        differing |= ballot(own_vote) ^ uvec4(own_vote ? ~0u : 0u); \
    }
    EACH_BIT(FOLD)
#undef FOLD
    return all_lanes() & ~differing;
}

// Results of vote() for the current window: the lanes that take part, and one ballot per bit of the bucket ids.
uvec4 voters;
uvec4 votes[MAX_BUCKET_BITS];

// Votes for `bucket` in the lanes in which `takes_part` is set.
void vote(uint bucket, bool takes_part) {
    voters = ballot(takes_part);
#define KEEP(k) votes[k] = ballot(bit_of(bucket, k) != 0);
    EACH_BIT(KEEP)
#undef KEEP
}

// Like vote(), if all lanes take part.
void vote_all(uint bucket) {
    voters = all_lanes();
#define KEEP(k) votes[k] = ballot(bit_of(bucket, k) != 0);
    EACH_BIT(KEEP)
#undef KEEP
}

// Returns the lanes that voted for `bucket` (algorithm warp_offset in the paper).
uvec4 lanes_of_bucket(uint bucket) {
    uvec4 mask = voters;
#define FOLD(k) mask = agreeing(mask, votes[k], bit_of(bucket, k));
    EACH_BIT(FOLD)
#undef FOLD
    return mask;
}

// Returns the lanes whose bucket has the same low LANE_BITS bits as this lane's index. votes_for() compares the other
// bits.
uvec4 lanes_of_low_bits() {
    uvec4 mask = voters;
#define FOLD(k) if (k < LANE_BITS) mask = agreeing(mask, votes[k], bit_of(gl_SubgroupInvocationID, k));
    EACH_BIT(FOLD)
#undef FOLD
    return mask;
}

// Returns the number of lanes that voted for bucket row * SUBGROUP_SIZE + lane (algorithm warp_histogram in the
// paper). `low` is the result of lanes_of_low_bits().
uint votes_for(uvec4 low, uint row) {
#define FOLD(k) if (k >= LANE_BITS) low = agreeing(low, votes[k], bit_of(row, k - LANE_BITS));
    EACH_BIT(FOLD)
#undef FOLD
    // With fewer buckets than lanes, the lanes past the last bucket do not count.
    if (BUCKET_BITS < LANE_BITS && gl_SubgroupInvocationID >> BUCKET_BITS != 0) return 0;
    return count_of(low);
}

#endif
