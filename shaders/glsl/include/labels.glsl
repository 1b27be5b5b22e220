// Layout of labels. A label is the bucket of a key, stored in a byte, four per word.
//
// A stretch is the part of a tile that one subgroup handles: ITEMS consecutive windows of one key per lane. A word
// holds the labels of one lane in four consecutive windows. A lane therefore reads few words, and adjacent lanes read
// adjacent words. If ITEMS is not a multiple of four, the last word of a lane is partly used.
//
// Needs: ITEMS, defined before this file; SUBGROUP_SIZE (split_constants.glsl).
// Gives: LABEL_WORDS, LABELS_OF_WORD, label_word(), label_of().

#ifndef LABELS_GLSL
#define LABELS_GLSL

#include "split_constants.glsl"

const uint LABELS_OF_WORD = 4;
const uint LABEL_WORDS = (ITEMS + LABELS_OF_WORD - 1) / LABELS_OF_WORD;  // per lane

// Returns the index, in the label buffer, of label word number `word` of this lane in a stretch.
uint label_word(const uint stretch, const uint word) {
    return (stretch * LABEL_WORDS + word) * SUBGROUP_SIZE + gl_SubgroupInvocationID;
}

// Returns the label of window w from the word that contains it.
uint label_of(const uint word, const uint w) {
    return bitfieldExtract(word, int(w % LABELS_OF_WORD * 8), 8);
}

#endif
