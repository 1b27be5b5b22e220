/*
 * Tests incorrect searches, merges, segments and operators: they must return error codes and never crash.
 */
#include "suite.h"

#include <stddef.h>
#include <string.h>

/* Segments that are invalid, or that contradict other members. */
static void wrong_segments(MultisplitContext *context) {
    static const uint32_t right[] = {0, 10, 10, 1000}, falling[] = {0, 500, 400, 1000},
                          past[] = {0, 500, 1001}, before[] = {0, 500, 900}, late[] = {1, 1000};
    MultisplitOperation *operation = NULL;
#define WRONG_SORT(code, change)                                                              \
    do {                                                                                      \
        MultisplitSortInfo info = sort_info();                                                \
        change;                                                                               \
        RETURNS(MULTISPLIT_ERROR_##code, multisplit_sort_create(context, &info, &operation)); \
    } while (0)
#define HOST_OFFSETS(array, count)                                                            \
    (info.segments = MULTISPLIT_SEGMENTS_HOST_OFFSETS, info.offsets = (array), info.segment_count.n = (count))
    WRONG_SORT(INVALID, info.segments = (MultisplitSegments)4);
    WRONG_SORT(INVALID, info.reserved = 1);
    WRONG_SORT(INVALID, HOST_OFFSETS(falling, 3));
    SAYS("less than the previous one");
    WRONG_SORT(INVALID, HOST_OFFSETS(past, 2));
    SAYS("equal to the last offset");
    WRONG_SORT(INVALID, HOST_OFFSETS(before, 2));
    WRONG_SORT(INVALID, HOST_OFFSETS(late, 1));
    SAYS("the first offset must be 0");
    WRONG_SORT(INVALID, HOST_OFFSETS((const uint32_t *)((const char *)right + 1), 2));
    WRONG_SORT(INVALID, HOST_OFFSETS(right, UINT64_MAX));
    WRONG_SORT(INVALID, (HOST_OFFSETS(right, 3), info.common.count = MULTISPLIT_COUNT_RECORDED));
    WRONG_SORT(INVALID, (HOST_OFFSETS(right, 3), info.segment_count.count = MULTISPLIT_COUNT_DEVICE));
    WRONG_SORT(INVALID, (HOST_OFFSETS(right, 3), info.two_buffers = VK_TRUE));
    SAYS("sorted in place");
    WRONG_SORT(INVALID, (HOST_OFFSETS(right, 3), info.segments = MULTISPLIT_SEGMENTS_DEVICE_OFFSETS));
    WRONG_SORT(INVALID, (HOST_OFFSETS(right, 3), info.row_length = 10));
    WRONG_SORT(INVALID, info.row_length = 10);
    SAYS("MULTISPLIT_SEGMENTS_ROWS");
    WRONG_SORT(INVALID, info.segment_count.n = 3);
    WRONG_SORT(INVALID, info.segment_count.count = MULTISPLIT_COUNT_DEVICE);
    WRONG_SORT(INVALID, info.segment_count.count = (MultisplitCount)9);
    WRONG_SORT(INVALID, info.segments = MULTISPLIT_SEGMENTS_ROWS);
    WRONG_SORT(INVALID, (info.segments = MULTISPLIT_SEGMENTS_ROWS, info.row_length = 999));
    SAYS("999");
    WRONG_SORT(INVALID, (info.segments = MULTISPLIT_SEGMENTS_ROWS, info.row_length = 10,
                         info.common.count = MULTISPLIT_COUNT_DEVICE));
    WRONG_SORT(TOO_LARGE, (info.segments = MULTISPLIT_SEGMENTS_DEVICE_OFFSETS,
                           info.segment_count.n = UINT64_MAX));

#define WRONG_SCAN(code, change)                                                                       \
    do {                                                                                               \
        MultisplitScanSegmentsInfo info = scan_segments_info();                                        \
        change;                                                                                        \
        RETURNS(MULTISPLIT_ERROR_##code, multisplit_scan_segments_create(context, &info, &operation)); \
    } while (0)
#define ROWS(length) (info.segments.n = 0, info.row_length = (length))
    WRONG_SCAN(INVALID, info.key_type = (MultisplitKeyType)-1);
    WRONG_SCAN(INVALID, info.op = (MultisplitOperator)4);
    WRONG_SCAN(INVALID, ROWS(info.common.n - 1));
    SAYS("999");
    WRONG_SCAN(INVALID, ROWS(UINT64_MAX));
    WRONG_SCAN(INVALID, info.row_length = 10);
    SAYS("set segments or row_length to 0");
    WRONG_SCAN(INVALID, (ROWS(10), info.segments.count = MULTISPLIT_COUNT_DEVICE));
    WRONG_SCAN(INVALID, info.segments.count = (MultisplitCount)3);
    WRONG_SCAN(TOO_LARGE, info.segments.n = UINT64_MAX);
    WRONG_SCAN(TOO_LARGE, info.common.n = UINT64_MAX);
    WRONG_SCAN(GLSL, (info.op = MULTISPLIT_OPERATOR_GLSL, info.glsl = "uint combined(uint a) { return a; }"));

#define WRONG_REDUCE(code, change)                                                                       \
    do {                                                                                                 \
        MultisplitReduceSegmentsInfo info = reduce_segments_info();                                      \
        change;                                                                                          \
        RETURNS(MULTISPLIT_ERROR_##code, multisplit_reduce_segments_create(context, &info, &operation)); \
    } while (0)
    WRONG_REDUCE(INVALID, info.key_type = (MultisplitKeyType)-1);
    WRONG_REDUCE(INVALID, info.op = (MultisplitOperator)4);
    WRONG_REDUCE(INVALID, info.row_length = (uint32_t)info.common.n - 1);
    WRONG_REDUCE(INVALID, info.segments.count = (MultisplitCount)3);
    WRONG_REDUCE(TOO_LARGE, info.segments.n = UINT64_MAX);
    WRONG_REDUCE(TOO_LARGE, info.common.n = UINT64_MAX);
    WRONG_REDUCE(GLSL, (info.op = MULTISPLIT_OPERATOR_GLSL, info.glsl = "uint combined(uint a) { return a; }"));
}

static void wrong_searches_and_merges(MultisplitContext *context) {
    MultisplitOperation *operation = NULL;
#define WRONG_SEARCH(code, change)                                                              \
    do {                                                                                        \
        MultisplitSearchInfo info = search_info();                                              \
        change;                                                                                 \
        RETURNS(MULTISPLIT_ERROR_##code, multisplit_search_create(context, &info, &operation)); \
    } while (0)
    WRONG_SEARCH(INVALID, info.key_type = (MultisplitKeyType)-1);
    WRONG_SEARCH(INVALID, info.search = (MultisplitSearch)2);
    WRONG_SEARCH(INVALID, info.reserved = 1);
    WRONG_SEARCH(INVALID, info.sorted.count = (MultisplitCount)-1);
    WRONG_SEARCH(TOO_LARGE, info.sorted.n = UINT64_MAX);
    WRONG_SEARCH(TOO_LARGE, info.common.n = UINT64_C(1) << 32);

#define WRONG_MERGE(code, change)                                                              \
    do {                                                                                       \
        MultisplitMergeInfo info = merge_info();                                               \
        change;                                                                                \
        RETURNS(MULTISPLIT_ERROR_##code, multisplit_merge_create(context, &info, &operation)); \
    } while (0)
    WRONG_MERGE(INVALID, info.key_type = (MultisplitKeyType)-1);
    WRONG_MERGE(INVALID, info.reserved = 1);
    WRONG_MERGE(VALUE_SIZE, (info.values = VK_TRUE, info.value_bytes = 12));
    WRONG_MERGE(INVALID, info.other.count = (MultisplitCount)7);
    WRONG_MERGE(TOO_LARGE, info.other.n = UINT64_MAX);
    WRONG_MERGE(TOO_LARGE, (info.common.n = UINT64_MAX, info.common.count = MULTISPLIT_COUNT_DEVICE));
}

static void wrong_operators(MultisplitContext *context) {
    MultisplitOperation *operation = NULL;
    MultisplitScanByKeyInfo scan = scan_by_key_info();
    scan.op = (MultisplitOperator)4;
    EXPECT(INVALID, multisplit_scan_by_key_create(context, &scan, &operation));
    scan = scan_by_key_info();
    scan.value_type = (MultisplitKeyType)-1;
    EXPECT(INVALID, multisplit_scan_by_key_create(context, &scan, &operation));
    scan = scan_by_key_info();
    scan.common.n = UINT64_MAX;
    EXPECT(TOO_LARGE, multisplit_scan_by_key_create(context, &scan, &operation));
    scan = scan_by_key_info();
    scan.op = MULTISPLIT_OPERATOR_GLSL;
    scan.glsl = "int combined(int a, int b) { return a; }";
    EXPECT(GLSL, multisplit_scan_by_key_create(context, &scan, &operation));
    MultisplitReduceInfo reduce = reduce_info();
    reduce.op = MULTISPLIT_OPERATOR_GLSL;
    reduce.glsl = "uint combined(uint a, uint b) { return a * b; }";
    reduce.index = VK_TRUE;
    EXPECT(INVALID, multisplit_reduce_create(context, &reduce, &operation));
    reduce.index = VK_FALSE;
    reduce.glsl = "\xff";
    EXPECT(INVALID, multisplit_reduce_create(context, &reduce, &operation));
    CHECK(operation == NULL);
}

void misuse_family(MultisplitContext *context) {
    wrong_segments(context);
    wrong_searches_and_merges(context);
    wrong_operators(context);
}
