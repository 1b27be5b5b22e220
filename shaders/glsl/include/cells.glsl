// One read of a table instead of a search: how many of sorted splitters are at or below a number?
//
// A monotonic function of the number gives it a place, a cell above and a fraction of it below, so that
// a splitter in an earlier cell is below the number, and one in a later cell above. One word per cell says
// how many lie before, and the place of the one within. Only numbers at that very place, and those in
// cells of several splitters, have to be searched for.
//
// The includer has CELLS, bin_bits() and fraction_bits(), and fills the table.

#ifndef CELLS_GLSL
#define CELLS_GLSL

// The bit of a cell's word that says that it has several splitters. Below it are the mark, where its
// own one is, and how many lie before.
const uint CROWDED = 0x80000000u;

shared uint cells[CELLS + 1];

uint bins_before(uint word) { return bitfieldExtract(word, 0, int(bin_bits())); }

// How many splitters are at or below what has this place; and whether one word is not enough to be sure.
// An even mark is a place that numbers on both sides of the splitter have; an odd one comes right before
// the first place at or above the splitter. Without branches: loads for several numbers then overlap.
uint likely_bin_at(uint place, out bool unsure) {
    uint word = cells[place >> fraction_bits()];
    uint fraction = place & ((1u << fraction_bits()) - 2);
    uint mark = word >> bin_bits();
    unsure = fraction == mark || word >= CROWDED;
    return bins_before(word) + (fraction > mark ? 1 : 0);
}

#endif
