#version 460
// Tests what the kernels rely on and what some devices get wrong: the number and order of the lanes of a subgroup,
// ballots, shuffles, subgroup arithmetic, atomics with colliding addresses, and barriers of a workgroup.
//
// Each thread writes a record without atomics: the failed tests, the number of lanes by a ballot and by the built-in
// variable, and a ticket from a counter in device memory. The host checks the records and the totals.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
// The size that the driver reports.
layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;
// Whether to leave out the tests of ballots, shuffles and subgroup arithmetic.
layout(constant_id = ONLY_WORKGROUPS_ID) const bool ONLY_WORKGROUPS = false;

// One record per thread: failed tests, number of lanes by a ballot, gl_SubgroupSize, ticket.
layout(set = 0, binding = 0, std430) writeonly buffer Records { uvec4 of_thread[]; } records;
layout(set = 0, binding = 1, std430) buffer Totals {
    uint tickets;
    uint sum;
    uint least;
    uint greatest;
    uint any;
} totals;

layout(push_constant) uniform Push {
    uint first;  // threads of earlier dispatches
    // Numbers of iterations. Compilers do not know them, so they do not unroll the loops. (Unrolled, creating the
    // pipeline takes much longer than running it.)
    uint lanes;  // SUBGROUP_SIZE
    uint bits;   // bits of a lane index, for the largest subgroups
    uint rounds;
} push;

// One bit per test. The values must match TESTS in execute/device_probe.rs.
const uint SIZE = 1;
const uint BALLOTS = 2;
const uint NUMBERS = 4;
const uint SHUFFLES = 8;
const uint ARITHMETIC = 16;
const uint SHARED_ATOMICS = 32;
const uint BARRIERS = 64;

#include "groups.glsl"

shared uint words[gl_WorkGroupSize.x];
// Number of threads, and of those with odd indices; sum of the indices; minimum and maximum of index + 5; bits (OR).
shared uint counters[6];

const uint THREADS = gl_WorkGroupSize.x;

// Index of this thread in the workgroup. Unlike thread_rank(), it does not depend on the subgroup and lane indices.
uint own() { return gl_LocalInvocationIndex; }

uint mixed(uint x) {
    x = (x ^ x >> 16) * 0x7FEB352Du;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    return x ^ x >> 16;
}

// Returns the mask of the first `count` lanes.
uvec4 first_lanes(uint count) {
    uvec4 mask;
    [[unroll]] for (uint k = 0; k < 4; ++k) {
        uint here = count <= 32 * k ? 0 : min(count - 32 * k, 32);
        mask[k] = here == 32 ? ~0u : (1u << here) - 1;
    }
    return mask;
}

// Returns the lanes whose index has bit k set.
uvec4 lanes_with_bit(uint k) {
    const uint PATTERNS[5] = {0xAAAAAAAAu, 0xCCCCCCCCu, 0xF0F0F0F0u, 0xFF00FF00u, 0xFFFF0000u};
    if (k < 5) return uvec4(PATTERNS[k]);
    return k == 5 ? uvec4(0, ~0u, 0, ~0u) : uvec4(0, 0, ~0u, ~0u);
}

uint count_of(uvec4 mask) {
    ivec4 counts = bitCount(mask);
    return counts.x + counts.y + counts.z + counts.w;
}

// The failed tests of this thread.
uint failed = 0;

// Unless `holds`, records a failure. Subgroup operations must not follow && or ||: only some lanes would execute them.
void require(bool holds, uint test) {
    if (!holds) failed |= test;
}

void test_ballots() {
    uint lane = gl_SubgroupInvocationID;
    uvec4 all = first_lanes(SUBGROUP_SIZE);
    uvec4 before = first_lanes(lane);
    uvec4 through = first_lanes(lane + 1);
    require(gl_SubgroupLtMask == before && gl_SubgroupLeMask == through, BALLOTS);
    require(gl_SubgroupGtMask == (all & ~through), BALLOTS);
    for (uint k = 0; k < push.bits; ++k) {
        uvec4 votes = subgroupBallot((lane >> k & 1) != 0);
        uvec4 expected = lanes_with_bit(k) & all;
        require(votes == expected, BALLOTS);
        require(subgroupBallotBitCount(votes) == count_of(expected), BALLOTS);
        require(subgroupBallotExclusiveBitCount(votes) == count_of(expected & before), BALLOTS);
    }
    uint chosen = (group_index() * 7 + gl_SubgroupID) % SUBGROUP_SIZE;
    uvec4 vote = subgroupBallot(lane == chosen);
    require(subgroupBallotFindLSB(vote) == chosen, BALLOTS);
    require(subgroupBallotFindMSB(vote) == chosen, BALLOTS);
    require(subgroupAny(lane == chosen), BALLOTS);
    require(!subgroupAny(lane >= SUBGROUP_SIZE), BALLOTS);
}

// Returns the test value of a lane of this subgroup.
uint value_of(uint lane) {
    return mixed((group_index() * THREADS + gl_SubgroupID * SUBGROUP_SIZE + lane) * 2 + 1);
}

void test_shuffles() {
    uint lane = gl_SubgroupInvocationID;
    uint value = value_of(lane);
    uint last = SUBGROUP_SIZE - 1;
    uint previous = max(lane, 1) - 1;
    require(subgroupShuffle(value, last - lane) == value_of(last - lane), SHUFFLES);
    require(subgroupShuffle(value, last) == value_of(last), SHUFFLES);
    require(subgroupShuffle(value, previous) == value_of(previous), SHUFFLES);
    require(subgroupBroadcastFirst(value) == value_of(0), SHUFFLES);
    require(subgroupElect() == (lane == 0), SHUFFLES);
    for (uint k = 0; k < push.bits; ++k) {
        // 0 if 1 << k is not less than the subgroup size.
        uint distance = (1u << k) & last;
        uint other = value_of(lane ^ distance);
        require(subgroupShuffle(value, lane ^ distance) == other, SHUFFLES);
        require(subgroupShuffleXor(value, distance) == other, SHUFFLES);
    }
}

void test_arithmetic() {
    uint lane = gl_SubgroupInvocationID;
    uint value = value_of(lane);
    uint sum = 0, least = ~0u, greatest = 0, all = ~0u, any = 0;
    uint whole_sum = 0, whole_least = ~0u;
    for (uint other = 0; other < push.lanes; ++other) {
        uint found = value_of(other);
        whole_sum += found;
        whole_least = min(whole_least, found);
        if (other <= lane) {
            sum += found;
            least = min(least, found);
            greatest = max(greatest, found);
            all &= found;
            any |= found;
        }
    }
    require(subgroupInclusiveAdd(value) == sum, ARITHMETIC);
    require(subgroupExclusiveAdd(value) == sum - value, ARITHMETIC);
    require(subgroupInclusiveMin(value) == least, ARITHMETIC);
    require(subgroupInclusiveMax(value) == greatest, ARITHMETIC);
    require(subgroupInclusiveAnd(value) == all, ARITHMETIC);
    require(subgroupInclusiveOr(value) == any, ARITHMETIC);
    require(subgroupAdd(value) == whole_sum, ARITHMETIC);
    require(subgroupMin(value) == whole_least, ARITHMETIC);
}

// Tests that subgroup and lane indices number the threads of the workgroup without gaps. Contains barriers.
void test_numbers() {
    uint rank = gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID;
    require(gl_NumSubgroups * SUBGROUP_SIZE == THREADS && rank < THREADS, NUMBERS);
    if (rank < THREADS) words[rank] = own();
    barrier();
    require(words[min(rank, THREADS - 1)] == own(), NUMBERS);
    barrier();
}

// Tests that atomics of all threads on the same words of shared memory are exact, and that a counter gives each thread
// a different ticket. Contains barriers.
void test_shared_atomics() {
    if (own() < counters.length()) counters[own()] = own() == 3 ? ~0u : 0;
    words[own()] = ~0u;
    barrier();
    uint ticket = atomicAdd(counters[0], 1);
    if (own() % 2 == 1) atomicAdd(counters[1], 1);
    atomicAdd(counters[2], own());
    atomicMin(counters[3], own() + 5);
    atomicMax(counters[4], own() + 5);
    atomicOr(counters[5], 1u << own() % 32);
    // Each word has one writer if the tickets are distinct.
    uint before = ticket < THREADS ? atomicExchange(words[ticket], own()) : 0;
    barrier();
    require(before == ~0u, SHARED_ATOMICS);
    require(counters[0] == THREADS && counters[1] == THREADS / 2, SHARED_ATOMICS);
    require(counters[2] == THREADS * (THREADS - 1) / 2, SHARED_ATOMICS);
    require(counters[3] == 5 && counters[4] == THREADS + 4, SHARED_ATOMICS);
    require(counters[5] == ~0u, SHARED_ATOMICS);
    barrier();
}

// Returns the word that a thread writes. Threads take different times, so that a missing barrier is noticed.
uint word_of(uint thread, uint round) {
    uint word = thread;
    for (uint k = 0; k < (thread / 4 * 5 + round) % 7; ++k) word = mixed(word);
    return word + round;
}

// Tests that barrier() waits for all threads of the workgroup and makes their writes visible.
void test_barriers() {
    for (uint round = 0; round < push.rounds; ++round) {
        words[own()] = word_of(own(), round);
        barrier();
        uint next = (own() + 1) % THREADS;
        uint far = (own() + THREADS / 2 + round) % THREADS;
        require(words[next] == word_of(next, round), BARRIERS);
        require(words[far] == word_of(far, round), BARRIERS);
        barrier();
    }
}

void main() {
    uint thread = group_index() * THREADS + own();
    uint lanes = count_of(subgroupBallot(true));
    require(lanes == SUBGROUP_SIZE && gl_SubgroupSize == SUBGROUP_SIZE, SIZE);
    if (!ONLY_WORKGROUPS) {
        test_ballots();
        test_shuffles();
        test_arithmetic();
    }
    test_numbers();
    test_shared_atomics();
    test_barriers();
    uint ticket = atomicAdd(totals.tickets, 1);
    uint number = mixed(push.first + thread);
    atomicAdd(totals.sum, number);
    atomicMin(totals.least, number);
    atomicMax(totals.greatest, number);
    atomicOr(totals.any, 1u << (push.first + thread) % 32);
    records.of_thread[thread] = uvec4(failed, lanes, gl_SubgroupSize, ticket);
}
