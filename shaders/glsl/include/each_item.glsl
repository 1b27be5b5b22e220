// What is done to each of a thread's items, written out. Where a loop that holds ballots is not unrolled by the
// driver, every array that it indexes goes to local memory.
//
// ITEMS is at most 32. The remainder is the number itself where there is such an item, and hides from the
// compiler of GLSL that there may be none.

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
