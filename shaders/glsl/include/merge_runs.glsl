// Merging two sorted runs that lie in shared memory one behind the other, by all threads of a workgroup:
// each finds by binary search where its ITEMS neighbouring elements come from, and takes them one by one.
//
// The includer has KEY, ITEMS, TILE (what all threads have) and is_after(), the order of what is in shared
// memory. With PAIRS each element has a number that goes along.

#ifndef MERGE_RUNS_GLSL
#define MERGE_RUNS_GLSL

#include "groups.glsl"

// Threads have neighbouring elements, and would meet in the same banks: each row of 32 is moved on by one.
uint room_of(uint i) { return i + i / 32; }

const uint ROOM = TILE + TILE / 32;
shared KEY room[ROOM];
#ifdef PAIRS
shared uint sources[ROOM];  // which element of the tile each was
#endif

// The elements of this thread.
KEY own[ITEMS];
#ifdef PAIRS
uint own_source[ITEMS];
#endif

void put_items() {
    uint p = thread_rank() * ITEMS;
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        room[room_of(p + k)] = own[k];
#ifdef PAIRS
        sources[room_of(p + k)] = own_source[k];
#endif
    }
}

// How many of the first `diagonal` elements of two merged runs are of the first one.
uint of_first_run(uint first, uint second, uint end, uint diagonal) {
    uint low = diagonal > end - second ? diagonal - (end - second) : 0;
    uint high = min(diagonal, second - first);
    while (low < high) {
        uint middle = (low + high) / 2;
        // Of equal elements, those of the first run come first.
        if (is_after(room[room_of(first + middle)], room[room_of(second + diagonal - 1 - middle)])) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Merges [first, second) and [second, end), as far as this thread has elements of it.
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
