// Finds the number of sorted splitters at or below a number, in most cases with a single table read.
//
// A monotonic function maps a number to a place: a cell index in the upper bits and a fraction of the cell in the
// lower fraction_bits() bits. Splitters in earlier cells are below the number, splitters in later cells above it.
// The word of a cell contains the number of splitters in earlier cells (the lowest bin_bits() bits), a bit that is
// set if the cell has several splitters, and the mark of the cell's only splitter in the top bits: its fraction in
// half steps. A search is needed only if a number is at an even mark or in a cell with several splitters.
//
// Needs CELLS, bin_bits() and fraction_bits(). The includer fills the table.

#ifndef CELLS_GLSL
#define CELLS_GLSL

shared uint cells[CELLS + 1];

uint bins_before(uint word) { return word & ((1u << bin_bits()) - 1); }

// Whether the cell of a table word has several splitters.
bool is_crowded(uint word) { return (word & (1u << bin_bits())) != 0; }

// Returns the number of splitters at or below the numbers at `place`. Sets `unsure` if the word of the cell does
// not suffice. An even mark is a place that numbers on both sides of the splitter share. An odd mark lies directly
// before the first place at or above the splitter. The bits below the mark are less than half a step, so the whole
// word can be compared with the fraction. The code has no branches, so loads for several numbers overlap.
uint likely_bin_at(uint place, out bool unsure) {
    uint word = cells[place >> fraction_bits()];
    uint fraction = place << (32 - fraction_bits());
    unsure = (word ^ fraction) < 1u << (31 - fraction_bits()) || is_crowded(word);
    return bins_before(word) + (fraction > word ? 1 : 0);
}

#endif
