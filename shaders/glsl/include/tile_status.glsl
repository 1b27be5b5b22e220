// Status of the tiles of a look-back (in reduce.polled_segments: of chunks): totals that workgroups publish while
// others are still being computed. docs/kernels.md, "Look-back scan", has the data flow, invariants and barriers.
//
// A term is split into 16-bit halves, and each half is stored in a word with the state in the upper 16 bits. Each word
// is therefore valid by itself: plain volatile loads and stores suffice, without 64-bit atomics or an order between
// words. A reader that finds different states in the words of a tile polls again. Segmented terms (open_term.glsl) use
// words with a 2-bit state.
//
// The status is either cleared before each run, or kept from run to run (KEEPS_STATUS). In the second case, successive
// runs alternate between two pairs of states. Every run publishes every tile, so a run finds only its own states and
// those of the previous run, which mean "missing". A counter of the workgroups that have started shows whether a run is
// even or odd.
//
// Tiles are assigned by tickets, in the order in which workgroups start, or by workgroup index (TICKETS == 0). The
// index saves a memory round trip before the first load and is faster on devices that start workgroups in index
// order. Both are correct, because polling is bounded.
//
// Needs: the file of the terms, included first (term.glsl, open_term.glsl or count_term.glsl); LOOKBACK_BINDING. Gives
// take_tile(), publish() and the buffer `status`.

#ifndef TILE_STATUS_GLSL
#define TILE_STATUS_GLSL

#include "constant_ids.glsl"
#include "groups.glsl"

layout(constant_id = TICKETS_ID) const uint TICKETS = 1;
layout(constant_id = KEEPS_STATUS_ID) const uint KEEPS_STATUS = 0;

// Two-bit states of a published total. The status is zero before the first run, which is even.
struct States {
    uint own;     // the tile's own total; ordered_lookback.glsl uses it for prefixes too
    uint prefix;  // the total of all tiles up to and including this one
};
const States EVEN_RUN = States(1, 2);
const States ODD_RUN = States(3, 0);
const uint NO_STATE = 4;

#ifdef OPEN_TERM_GLSL

#define TILE_TERM Open
#define PUBLISHED uvec4
const uint STATE_SHIFT = 30;

PUBLISHED to_published(uint state, TILE_TERM total) {
    return in_30_bits(total) | (state << STATE_SHIFT);
}

TILE_TERM published(PUBLISHED words) {
    return from_30_bits(words & ((1u << STATE_SHIFT) - 1));
}

TILE_TERM no_tiles() {
    return nothing_open();
}

#else

#define TILE_TERM TERM
// The 16-bit halves of a term.
#if TERM_WORDS == 2
#define PUBLISHED uvec4
#else
#define PUBLISHED uvec2
#endif
const uint STATE_SHIFT = 16;

PUBLISHED to_published(uint state, TILE_TERM total) {
    WORDS words = to_words(total);
    return PUBLISHED(words & 0xFFFFu, words >> 16) | (state << STATE_SHIFT);
}

TILE_TERM published(PUBLISHED halves) {
#if TERM_WORDS == 2
    return from_words((halves.xy & 0xFFFFu) | (halves.zw << 16));
#else
    return from_words((halves.x & 0xFFFFu) | (halves.y << 16));
#endif
}

TILE_TERM no_tiles() {
    return IDENTITY;
}

#endif

layout(set = 0, binding = LOOKBACK_BINDING, std430) volatile buffer Status {
    // Number of tickets taken, that is the next ticket. If the status is kept, it counts over two runs.
    uint started;
#if defined(OPEN_TERM_GLSL) || TERM_WORDS == 2
    uint pad[3];
#else
    uint pad;
#endif
    PUBLISHED at[];
} status;

shared uint shared_ticket;

// The tile of a workgroup.
struct Tile {
    uint index;
    bool is_odd_run;  // valid in the first thread; with tickets, in all threads
};

// Returns the states with which a tile publishes in its run. Valid in the threads in which tile.is_odd_run is valid.
States states_of(Tile tile) {
    return States(tile.is_odd_run ? ODD_RUN.own : EVEN_RUN.own, tile.is_odd_run ? ODD_RUN.prefix : EVEN_RUN.prefix);
}

// Returns the number of workgroups that took their ticket before this one. In an odd run that keeps the status, these
// include the `tiles` workgroups of the previous run. The last workgroup of an odd run resets the counter. Called by
// one thread.
uint take_ticket(uint tiles) {
    uint ticket = atomicAdd(status.started, 1);
    if (KEEPS_STATUS != 0 && ticket == 2 * tiles - 1) status.started = 0;
    return ticket;
}

// Returns the tile of this workgroup. `tiles` is the number of tiles of the dispatch, and `first` the index of the
// first one; if the status is kept, there is only one dispatch. Called by all threads, and by exactly `tiles`
// workgroups; with tickets, contains a barrier.
Tile take_tile(uint first, uint tiles) {
    bool by_ticket = TICKETS != 0;
    uint ticket = 0;
    if (thread_rank() == 0 && (by_ticket || KEEPS_STATUS != 0)) ticket = take_ticket(tiles);
    if (by_ticket) {
        if (thread_rank() == 0) shared_ticket = ticket;
        barrier();
        ticket = shared_ticket;
    }
    bool is_odd_run = KEEPS_STATUS != 0 && ticket >= tiles;
    return Tile(by_ticket ? ticket - (is_odd_run ? tiles : 0) : first + group_index(), is_odd_run);
}

void publish(uint tile, uint state, TILE_TERM total) {
    status.at[tile] = to_published(state, total);
}

#endif
