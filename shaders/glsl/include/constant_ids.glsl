// Numbers of all specialization constants. A name has the same number in every kernel. No two names share a number,
// because the host sets constants by name, and two constants with the same number would get the same value. The
// headings name the main users of the constants; other kernels may use them too.
// compile-kernels copies the names from here into the host's list, which lets the host reject misspelled names.

#ifndef CONSTANT_IDS_GLSL
#define CONSTANT_IDS_GLSL

// Kernels of any kind.
#define LOCAL_SIZE_X_ID 0
#define SUBGROUP_SIZE_ID 1
#define SPIN_LIMIT_ID 2
#define COUNT_ON_DEVICE_ID 3
#define OTHER_ON_DEVICE_ID 62
#define TICKETS_ID 54
#define KEEPS_STATUS_ID 80

// Multisplit and sort.
#define BUCKET_BITS_ID 4
#define BUCKET_KIND_ID 5
#define KEY_KIND_ID 6
#define ID_BITS_ID 7
#define BY_PART_ID 8
#define ITEMS_ID 9
#define TURNS_ID 10
#define RANKING_ID 11
#define TILES_AT_A_TIME_ID 12
#define VALUE_WORDS_ID 13
#define VALUES_AFTER_ID 14
#define COUNTED_VALUES_ID 15
#define COUNT_BY_ATOMICS_ID 16
#define COUNTER_COPIES_ID 17
#define SUBPROBLEM_ID 18
#define SIDE_BY_SIDE_ID 19
#define SORTED_BY_KEY_ID 47
#define COUNT_OUT_OF_RANGE_ID 55

// ROUNDS is the number of digits per key in the histogram of a sort, the maximum number of rounds per dispatch in
// shortest paths, and the number of batches per workgroup in binary searches.
#define ROUNDS_ID 20
// The histogram and the rounds of a sort.
#define HISTOGRAM_PARTS_ID 72

// Histograms.
#define METHOD_ID 21
#define BIN_KIND_ID 22
#define SAMPLE_KIND_ID 23
#define SAMPLE_BYTES_ID 24
#define CHANNELS_ID 25
#define ACTIVE_ID 26
#define PACKED_ID 27
#define LOADS_ID 28
#define ROOM_ID 29
#define COPIES_ID 30
#define WEIGHT_ID 31
#define WIDE_ID 32
#define SEARCH_ID 33
#define CELLS_ID 34
#define SPLITTERS_ID 35
#define AFFINE_ID 36
#define WHOLE_ID 37
#define CLOSED_ID 46
#define EXACT_ID 58
// Shortest paths.
#define BUCKETS_ID 38
#define FLOATS_ID 39
#define STAGE_ID 40
#define SPREAD_ID 41
#define SORTED_ID 42
#define PARENTS_ID 43

// Multisplit and sort with lane-order ranking.
#define CANARY_PERIOD_ID 44
#define REVERSED_LANES_ID 45
// Scans and reductions.
#define LOADED_AS_ID 48
#define STORED_AS_ID 49
#define INCLUSIVE_ID 50
#define ONE_GROUP_ID 51
#define UNALIGNED_ROWS_ID 77
#define IDENTITY_LOW_ID 56
#define IDENTITY_HIGH_ID 57

// Top-k.
#define GROUP_ELEMENTS_ID 60
#define UNLESS_FILTERED_ID 61
// Segmented sorts.
#define ALL_BITS_ID 63
#define ROW_ROOM_ID 74
#define FULL_ROWS_ID 75
// Narrow keys.
#define NARROW_BITS_ID 64
#define FORM_ID 65
#define NARROW_KIND_ID 66
#define SEPARATE_HISTOGRAMS_ID 81
// Selections.
#define PREDICATE_ID 52
// Segmented scans and reductions.
#define HEADS_ID 53
#define BY_SUBGROUPS_ID 70
#define LOADED_ROWS_ID 71
#define OF_ROWS_ID 73
#define ROW_LANES_ID 76
// The device probe.
#define ONLY_WORKGROUPS_ID 82

#endif
