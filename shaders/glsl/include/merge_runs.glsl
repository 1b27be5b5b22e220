// Merges two adjacent sorted runs in shared memory. Each thread finds the sources of its ITEMS consecutive output
// elements by binary search (merge path) and then merges sequentially.
//
// Needs KEY, ITEMS, TILE (the elements of all threads) and is_after(), the order of the elements in shared memory.
// With PAIRS, each element is accompanied by its source index.

#ifndef MERGE_RUNS_GLSL
#define MERGE_RUNS_GLSL

#include "groups.glsl"

// Returns the index of element i in shared memory. One position is skipped after every 32 elements: each thread
// accesses consecutive elements, which would otherwise cause bank conflicts.
uint room_of(uint i) { return i + i / 32; }

const uint ROOM = TILE + TILE / 32;
shared KEY room[ROOM];
#ifdef PAIRS
shared uint sources[ROOM];  // original index of each element, in the tile or in its row
#endif

// Elements of this thread.
KEY own[ITEMS];
#ifdef PAIRS
uint own_source[ITEMS];
#endif

// Writes this thread's elements to shared memory. The caller must call barrier() before and after.
void put_items() {
    uint p = thread_rank() * ITEMS;
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        room[room_of(p + k)] = own[k];
#ifdef PAIRS
        sources[room_of(p + k)] = own_source[k];
#endif
    }
}

// Returns the number of elements of the first run among the first `diagonal` elements of the merged runs.
uint of_first_run(uint first, uint second, uint end, uint diagonal) {
    uint low = diagonal > end - second ? diagonal - (end - second) : 0;
    uint high = min(diagonal, second - first);
    while (low < high) {
        uint middle = (low + high) / 2;
        // Among equal elements, those of the first run come first.
        if (is_after(room[room_of(first + middle)], room[room_of(second + diagonal - 1 - middle)])) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Merges the runs [first, second) and [second, end) into own[], for the output positions of this thread. Called
// between barriers, by all threads with output positions in the runs.
void merge_runs(uint first, uint second, uint end) {
    uint p = thread_rank() * ITEMS;
    uint diagonal = max(p, first) - first;
    uint taken = of_first_run(first, second, end, diagonal);
    uint a = first + taken;
    uint b = second + diagonal - taken;
    KEY key_a = room[room_of(min(a, second - 1))];
    KEY key_b = room[room_of(min(b, end - 1))];
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        if (p + k >= first && p + k < end) {
            bool from_a = a < second && (b >= end || !is_after(key_a, key_b));
            uint at = from_a ? a : b;
            own[k] = from_a ? key_a : key_b;
#ifdef PAIRS
            own_source[k] = sources[room_of(at)];
#endif
            KEY next = room[room_of(min(at + 1, end - 1))];
            if (from_a) {
                ++a;
                key_a = next;
            } else {
                ++b;
                key_b = next;
            }
        }
    }
}

#endif
