// Where is the label of a key, which is the number of its bucket?
//
// A label has a byte, and four are a word. A stretch is what a subgroup takes of a tile, ITEMS windows one
// after another, and a word has the labels of one lane in four windows in a row. So a lane finds those of
// its keys in few words, and neighbouring lanes in neighbouring ones. Where windows are no multiple of
// four, the last word of a lane is not full.
//
// The includer has ITEMS.

#ifndef LABELS_GLSL
#define LABELS_GLSL

#include "multisplit.glsl"

const uint LABELS_OF_WORD = 4;
const uint LABEL_WORDS = (ITEMS + LABELS_OF_WORD - 1) / LABELS_OF_WORD;  // of a lane

uint label_word(uint stretch, uint word) {
    return (stretch * LABEL_WORDS + word) * SUBGROUP_SIZE + gl_SubgroupInvocationID;
}

// The label of window w in the word that has it.
uint label_of(uint word, uint w) {
    return bitfieldExtract(word, int(w % LABELS_OF_WORD * 8), 8);
}

#endif
