// Finds the number of sorted splitters at or below a number, in most cases with a single table read.
//
// A monotonic function maps a number to a place: a cell index in the upper bits and a fraction of the cell in the lower
// fraction_bits() bits. Splitters in earlier cells are below the number, splitters in later cells above it.
// A splitter that equals the smallest number of a cell counts as one of the earlier cells.
// The table has one word per cell. From the lowest bit on, a word contains the number of splitters in earlier cells
// (bin_bits() bits), one bit that is set if the cell has several splitters, and, in the top fraction_bits() + 1 bits,
// the mark of the cell's only splitter. If the splitter is the smallest number with fraction f, the mark is 2 f - 1. If
// smaller numbers have the same fraction f, the mark is 2 f. If the cell has no splitter, all bits of the mark are set.
// A search is needed only in cells with several splitters, and for numbers whose fraction f is half of an even mark.
//
// Needs CELLS, bin_bits() and fraction_bits(). The includer fills the table.

#ifndef CELLS_GLSL
#define CELLS_GLSL

shared uint cells[CELLS + 1];

uint bins_before(uint word) { return word & ((1u << bin_bits()) - 1); }

// Whether the cell of a table word has several splitters.
bool is_crowded(uint word) { return (word & (1u << bin_bits())) != 0; }

// Returns the number of splitters at or below the numbers at `place`. Sets `unsure` if a search is needed; the result
// may then be wrong. `fraction` has the fraction f in its top bits, so 2 f lines up with the mark of the word. The
// lower bits of the word do not affect the comparison with the mark. The code has no branches, so loads for several
// numbers overlap.
uint likely_bin_at(uint place, out bool unsure) {
    uint word = cells[place >> fraction_bits()];
    uint fraction = place << (32 - fraction_bits());
    unsure = (word ^ fraction) < 1u << (31 - fraction_bits()) || is_crowded(word);
    return bins_before(word) + (fraction > word ? 1 : 0);
}

#endif
