// Provides store_term(), which writes a term as an element of `dst`.

#ifndef STORE_TERM_GLSL
#define STORE_TERM_GLSL

#include "src_dst.glsl"
#include "term.glsl"

void store_term(uint i, TERM x) {
    WORDS words = element_of(x);
#if KEY_BITS == 64
    store_one(2 * i, words.x);
    store_one(2 * i + 1, words.y);
#else
    store_one(i, words);
#endif
}

#endif
