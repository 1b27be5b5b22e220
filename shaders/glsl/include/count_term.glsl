// What the tiles of a selection have before them: how many elements are selected; and of runs where the last
// one began, plus one, or 0 where none did.

#ifndef COUNT_TERM_GLSL
#define COUNT_TERM_GLSL

#ifdef RUNS

#define TERM uvec2
#define TERM_WORDS 2
#define WORDS uvec2
const TERM IDENTITY = TERM(0);

TERM combine(TERM a, TERM b) {
    return TERM(a.x + b.x, max(a.y, b.y));
}

TERM combine_lanes(TERM x) {
    return TERM(subgroupInclusiveAdd(x.x), subgroupInclusiveMax(x.y));
}

#else

#define TERM uint
#define TERM_WORDS 1
#define WORDS uint
const TERM IDENTITY = TERM(0);

TERM combine(TERM a, TERM b) {
    return a + b;
}

TERM combine_lanes(TERM x) {
    return subgroupInclusiveAdd(x);
}

#endif

TERM last_lane(TERM through) {
    return subgroupShuffle(through, gl_SubgroupSize - 1);
}

WORDS to_words(TERM x) {
    return x;
}

TERM from_words(WORDS words) {
    return words;
}

#endif
