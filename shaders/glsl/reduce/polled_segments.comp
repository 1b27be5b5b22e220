#version 460
// Reduces long segments in one pass. As in reduce.long_segments, a worker is a subgroup or a workgroup, there is one
// worker per chunk of the array and one per segment, and a segment's worker reduces the first `chunk` elements of its
// segment.
//
// Chunk workers publish their totals (tile_status.glsl). The worker of a segment that exceeds a chunk polls the totals
// of its other chunks. Polling is bounded: after more than SPIN_LIMIT failed polls, it recomputes missing totals from
// the elements. Progress therefore never depends on the scheduling of other workgroups.
//
// Offsets beyond the elements are clamped. A segment that ends at or before its start is empty. If offsets
// decrease, totals of nonempty segments are unspecified; all accesses stay in bounds.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "src_dst.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Offsets { uint at[]; } offsets;
layout(push_constant) uniform Push {
    uint segments;
    uint groups;          // workgroups; folding may add more
    uint max_chunks;      // number of chunk workers, whose indices precede those of the segment workers
    uint elements;        // element count of `src`, or its upper bound
    uint elements_index;  // index of the device count of elements
    uint chunk;           // elements per chunk, a multiple of four
    uint row_length;      // row length, if segments are rows of a matrix
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "worker_total.glsl"
#include "segment_offsets.glsl"

#define LOOKBACK_BINDING 3
#include "tile_status.glsl"

layout(constant_id = SPIN_LIMIT_ID) const uint SPIN_LIMIT = 1024;

// Returns the elements [x, y) of chunk `chunk` that belong to a segment with the elements [begin, end), without the
// first push.chunk elements of the segment. If there are none, x is at least y.
uvec2 range_in_chunk(uint chunk, uint begin, uint end) {
    uint first = chunk * push.chunk;
    return uvec2(max(first, begin + push.chunk), min(end, first + push.chunk));
}

// Returns the elements that a chunk worker reduces: those of the segment that contains the chunk's first element. If
// that segment does not exceed a chunk, there are none. Called by all threads of the worker.
uvec2 range_of_chunk_worker(uint chunk, uint segments) {
    uint first = chunk * push.chunk;
    uint found = offsets_up_to(first, segments + 1);
    if (found == 0 || found > segments) return uvec2(first);
    uint begin = offset_at(found - 1);
    uint end = max(offset_at(found), begin);
    if (end - begin <= push.chunk) return uvec2(first);
    uvec2 range = range_in_chunk(chunk, begin, end);
    return uvec2(range.x, max(range.x, range.y));
}

// The lowest chunk whose total is missing, if a worker is a workgroup. NO_CHUNK outside of lowest_missing().
shared uint shared_missing;
const uint NO_CHUNK = ~0u;

// Returns the lowest chunk whose total is missing in a thread of the worker, or NO_CHUNK. Threads have consecutive
// chunks. Called by all threads of the worker; a barrier() is required before the next call unless the result is
// NO_CHUNK.
uint lowest_missing(uint chunk, bool is_missing) {
    if (BY_SUBGROUPS != 0) {
        uvec4 lanes = subgroupBallot(is_missing);
        return lanes == uvec4(0) ? NO_CHUNK : subgroupShuffle(chunk, subgroupBallotFindLSB(lanes));
    }
    if (is_missing) atomicMin(shared_missing, chunk);
    barrier();
    uint lowest = shared_missing;
    barrier();
    if (lowest != NO_CHUNK && thread_rank() == 0) shared_missing = NO_CHUNK;
    return lowest;
}

// Returns the combination of the terms of all threads of the worker, in order, in every thread. Called by all of them;
// a barrier() is required before the next call.
TERM total_of_threads(TERM own) {
    TERM of_subgroup = last_lane(combine_lanes(own));
    if (BY_SUBGROUPS != 0) return of_subgroup;
    TERM all;
    earlier_subgroups(of_subgroup, all);
    return all;
}

// Returns the total of the elements [begin, end) of a segment past its first push.chunk elements: polls the totals of
// their chunks, and recomputes those that are not published in time. Called by all threads of the worker.
TERM total_of_chunks(uint begin, uint end, uint state) {
    uint width = BY_SUBGROUPS != 0 ? gl_SubgroupSize : gl_WorkGroupSize.x;
    uint rank = BY_SUBGROUPS != 0 ? gl_SubgroupInvocationID : thread_rank();
    uint chunks_end = (end - 1) / push.chunk + 1;
    TERM total = IDENTITY;
    for (uint first = begin / push.chunk + 1; first < chunks_end; first += width) {
        uint chunk = first + rank;
        TERM own = IDENTITY;
        bool is_done = chunk >= chunks_end;
        uint spins = 0;
        bool polls = !is_done;
        while (polls) {
            PUBLISHED words = status.at[chunk];
            is_done = (words >> STATE_SHIFT) == PUBLISHED(state);
            if (is_done) own = published(words);
            spins += 1;
            polls = !is_done && spins <= SPIN_LIMIT;
        }
        uint lowest = lowest_missing(chunk, !is_done);
        while (lowest != NO_CHUNK) {
            uvec2 range = range_in_chunk(lowest, begin, end);
            TERM again = total_of_worker(range.x, max(range.x, range.y));
            if (chunk == lowest) {
                own = again;
                is_done = true;
            }
            if (BY_SUBGROUPS == 0) barrier();  // subgroup_terms is reused
            lowest = lowest_missing(chunk, !is_done);
        }
        total = combine(total, total_of_threads(own));
        if (BY_SUBGROUPS == 0) barrier();  // subgroup_terms is reused
    }
    return total;
}

shared bool shared_is_odd_run;

void main() {
    uint segments = resolved_count(push.segments);
    elements = resolved_other(push.elements, push.elements_index);
    if (group_index() >= push.groups) return;
    bool is_odd_run = false;  // at first valid in the first thread only
    if (thread_rank() == 0) {
        // Every run publishes the total of every chunk, as a kept status requires (tile_status.glsl).
        is_odd_run = take_ticket(push.groups) >= push.groups;
        shared_is_odd_run = is_odd_run;
        shared_missing = NO_CHUNK;
    }
    uint worker = BY_SUBGROUPS != 0 ? group_index() * gl_NumSubgroups + gl_SubgroupID : group_index();
    bool writes = BY_SUBGROUPS != 0 ? subgroupElect() : thread_rank() == 0;
    // Chunk workers have the lower indices, so that they usually start first: they must search for their segment
    // before they load.
    bool is_chunk = worker < push.max_chunks;
    uint segment = worker - push.max_chunks;
    uint begin = 0;
    uint end = 0;
    uint first_end = 0;  // end of the elements that this worker reduces first
    if (is_chunk) {
        // The array may have fewer chunks than max_chunks.
        if (segments > 0 && worker * push.chunk < elements) {
            uvec2 range = range_of_chunk_worker(worker, segments);
            begin = range.x;
            end = range.y;
        }
        first_end = end;
    } else if (segment < segments) {
        begin = offset_at(segment);
        end = max(offset_at(segment + 1), begin);
        first_end = end - begin <= push.chunk ? end : begin + push.chunk;
    }
    TERM total = total_of_worker(begin, first_end);
    bool exceeds_chunk = first_end != end;
    if (BY_SUBGROUPS != 0 || exceeds_chunk) {
        barrier();
        is_odd_run = shared_is_odd_run;
    }
    States states = states_of(Tile(0, is_odd_run));
    if (exceeds_chunk) total = combine(total, total_of_chunks(begin, end, states.own));
    if (!writes) return;
    if (is_chunk) publish(worker, states.own, total);
    else if (segment < segments) store_term(segment, total);
}
