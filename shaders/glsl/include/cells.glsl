// One read of a table instead of a search: how many of sorted splitters are at or below a number?
//
// A monotonic function of the number gives it a place, a cell above and a fraction of it below, so that
// a splitter in an earlier cell is below the number, and one in a later cell above. One word per cell says
// how many lie before, and where the one within is: its mark, at the top of the word, in half steps of the
// fraction. Only numbers at an even mark, and those in cells of several splitters, have to be searched for.
//
// The includer has CELLS, bin_bits() and fraction_bits(), and fills the table.

#ifndef CELLS_GLSL
#define CELLS_GLSL

shared uint cells[CELLS + 1];

uint bins_before(uint word) { return word & ((1u << bin_bits()) - 1); }

// Of the cells' words: the bit above those that say how many lie before.
bool is_crowded(uint word) { return (word & (1u << bin_bits())) != 0; }

// How many splitters are at or below what has this place; and whether one word is not enough to be sure.
// An even mark is a place that numbers on both sides of the splitter have; an odd one comes right before
// the first place at or above the splitter. What is below the mark in a word is less than half a step, so
// that the whole word can be compared. Without branches: loads for several numbers then overlap.
uint likely_bin_at(uint place, out bool unsure) {
    uint word = cells[place >> fraction_bits()];
    uint fraction = place << (32 - fraction_bits());
    unsure = (word ^ fraction) < 1u << (31 - fraction_bits()) || is_crowded(word);
    return bins_before(word) + (fraction > word ? 1 : 0);
}

#endif
