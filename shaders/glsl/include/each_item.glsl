// Provides EACH_ITEM(visit), which calls visit(i) for each of a thread's ITEMS items, without a loop. If the
// driver does not unroll a loop that contains ballots, all arrays indexed in it go to local memory.
//
// ITEMS is at most 32. `% ITEMS` leaves valid indices unchanged; it prevents the GLSL compiler from rejecting
// indices in branches that are never taken.

#ifndef EACH_ITEM_GLSL
#define EACH_ITEM_GLSL

#define EACH_ITEM(visit)                                                               \
    ITEMS_FROM(visit, 0) ITEMS_FROM(visit, 4) ITEMS_FROM(visit, 8) ITEMS_FROM(visit, 12) \
    ITEMS_FROM(visit, 16) ITEMS_FROM(visit, 20) ITEMS_FROM(visit, 24) ITEMS_FROM(visit, 28)
#define ITEMS_FROM(visit, first)                            \
    if ((first) < ITEMS) { visit((first) % ITEMS); }         \
    if ((first) + 1 < ITEMS) { visit(((first) + 1) % ITEMS); } \
    if ((first) + 2 < ITEMS) { visit(((first) + 2) % ITEMS); } \
    if ((first) + 3 < ITEMS) { visit(((first) + 3) % ITEMS); }

#endif
