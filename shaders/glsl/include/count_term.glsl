// Defines TERM for selections, whose look-back adds up the number of selected elements. With RUNS, a term has a second
// word: one more than the index of the last run head, or 0 if there is none.
//
// Provides those functions of term.glsl that lookback.glsl and subgroup_terms.glsl call.

#ifndef COUNT_TERM_GLSL
#define COUNT_TERM_GLSL

#ifdef RUNS

#define TERM uvec2
#define TERM_WORDS 2
#define WORDS uvec2

TERM combine(TERM a, TERM b) {
    return TERM(a.x + b.x, max(a.y, b.y));
}

TERM combine_lanes(TERM x) {
    return TERM(subgroupInclusiveAdd(x.x), subgroupInclusiveMax(x.y));
}

uint selected_of(TERM x) {
    return x.x;
}

#else

#define TERM uint
#define TERM_WORDS 1
#define WORDS uint

TERM combine(TERM a, TERM b) {
    return a + b;
}

TERM combine_lanes(TERM x) {
    return subgroupInclusiveAdd(x);
}

uint selected_of(TERM x) {
    return x;
}

#endif

const TERM IDENTITY = TERM(0);

TERM from_lane(TERM x, uint lane) {
    return subgroupShuffle(x, lane);
}

TERM lanes_before(TERM through, TERM own) {
    TERM before = from_lane(through, max(gl_SubgroupInvocationID, 1) - 1);
    return gl_SubgroupInvocationID == 0 ? IDENTITY : before;
}

TERM last_lane(TERM through) {
    return from_lane(through, gl_SubgroupSize - 1);
}

WORDS to_words(TERM x) {
    return x;
}

TERM from_words(WORDS words) {
    return words;
}

#endif
