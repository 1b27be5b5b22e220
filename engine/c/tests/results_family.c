/*
 * Tests the results of searches, merges and segmented sorts, with host and device counts, and with invalid
 * device offsets.
 */
#include "running.h"

#include <string.h>

enum { N = 3000, M = 2000 };

static const uint32_t past[] = {UINT32_MAX, 7, UINT32_MAX};

/* The number of elements less than a needle, or with `upper` at most equal to it, in an ascending array. */
static uint32_t bound(const int32_t *sorted, uint32_t count, int32_t needle, int upper) {
    uint32_t found = 0;
    while (found < count && (sorted[found] < needle || (upper && sorted[found] == needle))) {
        ++found;
    }
    return found;
}

/* Both bounds, with recorded counts and with device counts, some of which exceed the capacity. */
static void search(const Host *host, MultisplitContext *context, VkBool32 by_address) {
    static int32_t sorted[N], needles[M];
    for (uint32_t i = 0; i < N; ++i) {
        sorted[i] = (int32_t)(i / 3) * 7 - 3000;
    }
    for (uint32_t i = 0; i < M; ++i) {
        needles[i] = (int32_t)(noise(i) % 9000) - 4000;
    }
    for (int upper = 0; upper < 2; ++upper) {
        const uint32_t words[] = {1500, 99, 1111};
        for (int device = 0; device < 3; ++device) {
            MultisplitOperation *operation = NULL;
            MultisplitSearchInfo info = {
                .struct_size = sizeof info,
                .key_type = MULTISPLIT_KEY_TYPE_I32,
                .search = upper ? MULTISPLIT_SEARCH_UPPER_BOUND : MULTISPLIT_SEARCH_LOWER_BOUND,
                .sorted = {.n = N, .count = MULTISPLIT_COUNT_RECORDED},
                .common = {.n = M, .count = MULTISPLIT_COUNT_RECORDED, .caller_workspace = VK_TRUE,
                           .by_address = by_address},
            };
            uint32_t elements = 1500, count = 1111;
            MultisplitRecordInfo record = {.count = 1111, .other_count = 1500};
            if (device) {
                info.sorted = (MultisplitOtherCount){.n = N, .count = MULTISPLIT_COUNT_DEVICE, .count_index = 0};
                info.common.count = MULTISPLIT_COUNT_DEVICE;
                info.common.count_index = 2;
                record = (MultisplitRecordInfo){0};
            }
            const void *counts = device == 2 ? (const void *)past : (const void *)words;
            if (device == 2) {
                elements = N;
                count = M;
            }
            OK(multisplit_search_create(context, &info, &operation));
            Filled filled[] = {{.role = MULTISPLIT_ROLE_SORTED, .data = sorted, .bytes = sizeof sorted},
                               {.role = MULTISPLIT_ROLE_NEEDLES, .data = needles, .bytes = sizeof needles},
                               {.role = MULTISPLIT_ROLE_POSITIONS},
                               {.role = MULTISPLIT_ROLE_COUNT, .data = counts, .bytes = 12},
                               {.role = MULTISPLIT_ROLE_OTHER_COUNT, .data = counts, .bytes = 4}};
            const uint32_t buffers = device ? 5 : 3;
            run(host, operation, filled, buffers, record);
            const uint32_t *positions = filled[2].buffer.mapped;
            int right = 1;
            for (uint32_t i = 0; i < count; ++i) {
                right = right && positions[i] == bound(sorted, elements, needles[i], upper);
            }
            CHECK(right);
            release(host, operation, filled, buffers);
        }
    }
}

/* Descending pairs with 8-byte values; the second count is recorded, or exceeds the capacity. */
static void merge(const Host *host, MultisplitContext *context) {
    static uint32_t first[N], second[M];
    static uint64_t first_values[N], second_values[M];
    for (uint32_t i = 0; i < N; ++i) {
        first[i] = 2 * (N - i);
        first_values[i] = i;
    }
    for (uint32_t i = 0; i < M; ++i) {
        second[i] = 3 * (M - i);
        second_values[i] = 1000000 + i;
    }
    for (int device = 0; device < 2; ++device) {
        MultisplitOperation *operation = NULL;
        MultisplitMergeInfo info = {
            .struct_size = sizeof info,
            .values = VK_TRUE,
            .value_bytes = 8,
            .descending = VK_TRUE,
            .other = {.n = M, .count = device ? MULTISPLIT_COUNT_DEVICE : MULTISPLIT_COUNT_RECORDED},
            .common = {.n = N, .caller_workspace = VK_TRUE},
        };
        const uint32_t b = device ? M : 777;
        OK(multisplit_merge_create(context, &info, &operation));
        Filled filled[] = {
            {.role = MULTISPLIT_ROLE_KEYS, .data = first, .bytes = sizeof first},
            {.role = MULTISPLIT_ROLE_KEYS_OTHER, .data = second, .bytes = sizeof second},
            {.role = MULTISPLIT_ROLE_KEYS_OUT},
            {.role = MULTISPLIT_ROLE_VALUES, .data = first_values, .bytes = sizeof first_values},
            {.role = MULTISPLIT_ROLE_VALUES_OTHER, .data = second_values, .bytes = sizeof second_values},
            {.role = MULTISPLIT_ROLE_VALUES_OUT},
            {.role = MULTISPLIT_ROLE_OTHER_COUNT, .data = past, .bytes = 4},
        };
        const uint32_t buffers = device ? 7 : 6;
        run(host, operation, filled, buffers, (MultisplitRecordInfo){.other_count = device ? 0 : b});
        const uint32_t *keys = filled[2].buffer.mapped;
        const uint64_t *values = filled[5].buffer.mapped;
        uint32_t i = 0, j = 0;
        int right = 1;
        while (i < N || j < b) {
            const int one = j == b || (i < N && first[i] >= second[j]);
            right = right && keys[i + j] == (one ? first[i] : second[j]);
            right = right && values[i + j] == (one ? first_values[i] : second_values[j]);
            i += one;
            j += !one;
        }
        CHECK(right);
        release(host, operation, filled, buffers);
    }
}

/* Whether each segment of `sorted` is sorted, and `from` holds the index of each key in its segment. */
static int is_sorted(const float *keys, const float *sorted, const uint32_t *from, const uint32_t *offsets,
                     uint32_t segments, int descending) {
    static uint32_t taken[N];
    memset(taken, 0, sizeof taken);
    for (uint32_t s = 0; s < segments; ++s) {
        for (uint32_t i = offsets[s]; i < offsets[s + 1]; ++i) {
            const uint32_t at = offsets[s] + from[i];
            if (at >= offsets[s + 1] || taken[at]++ || sorted[i] != keys[at]) {
                return 0;
            }
            if (i > offsets[s]) {
                const float a = descending ? sorted[i] : sorted[i - 1], b = descending ? sorted[i - 1] : sorted[i];
                if (a > b || (a == b && from[i - 1] >= from[i])) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

/* Sorts of rows, of segments with host offsets, and of segments with device offsets. */
static void sort_segments(const Host *host, MultisplitContext *context) {
    static float keys[N];
    for (uint32_t i = 0; i < N; ++i) {
        keys[i] = (float)(noise(i) % 500) - 250.0f;
    }
    uint32_t rows[31];
    for (uint32_t s = 0; s <= 30; ++s) {
        rows[s] = 100 * s;
    }
    const uint32_t host_offsets[] = {0, 5, 5, 2600, 2601, N};
    /* One offset is less than its predecessor, and another exceeds the count. `taken` has the clamped offsets. */
    const uint32_t device_offsets[] = {10, 700, 650, 2000, UINT32_MAX, 99}, taken[] = {10, 700, 700, 2000, N};
    const uint32_t segments_word = 4;
    for (int kind = 1; kind <= 3; ++kind) {
        MultisplitOperation *operation = NULL;
        MultisplitSortInfo info = {
            .struct_size = sizeof info,
            .key_type = MULTISPLIT_KEY_TYPE_F32,
            .values = MULTISPLIT_SORT_VALUES_INDICES,
            .descending = kind == 1,
            .segments = (MultisplitSegments)kind,
            .common = {.n = N, .caller_workspace = VK_TRUE},
        };
        const uint32_t *offsets = rows;
        uint32_t segments = 30, buffers = 2;
        if (kind == 1) {
            info.row_length = 100;
        } else if (kind == 2) {
            info.offsets = offsets = host_offsets;
            info.segment_count.n = segments = 5;
        } else {
            info.segment_count = (MultisplitOtherCount){.n = 5, .count = MULTISPLIT_COUNT_DEVICE};
            offsets = taken;
            segments = 4;
            buffers = 4;
        }
        OK(multisplit_sort_create(context, &info, &operation));
        Filled filled[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = keys, .bytes = sizeof keys},
                           {.role = MULTISPLIT_ROLE_INDICES},
                           {.role = MULTISPLIT_ROLE_OFFSETS, .data = device_offsets, .bytes = sizeof device_offsets},
                           {.role = MULTISPLIT_ROLE_OTHER_COUNT, .data = &segments_word, .bytes = 4}};
        run(host, operation, filled, buffers, (MultisplitRecordInfo){0});
        const float *sorted = filled[0].buffer.mapped;
        CHECK(is_sorted(keys, sorted, filled[1].buffer.mapped, offsets, segments, kind == 1));
        CHECK(memcmp(sorted, keys, offsets[0] * sizeof *keys) == 0);
        release(host, operation, filled, buffers);
    }
}

/* A search uses the count that a selection wrote on the device, in one command buffer. */
static void counts_stay_on_the_device(const Host *host, MultisplitContext *context) {
    static uint32_t numbers[N], sorted[M];
    for (uint32_t i = 0; i < N; ++i) {
        numbers[i] = noise(i) % 10000;
    }
    for (uint32_t i = 0; i < M; ++i) {
        sorted[i] = 5 * i;
    }
    MultisplitOperation *select = NULL, *search = NULL;
    MultisplitSelectInfo select_info = {.struct_size = sizeof select_info,
                                        .condition = MULTISPLIT_CONDITION_LESS_THAN,
                                        .first = multisplit_u32(4000),
                                        .common = {.n = N, .barriers = MULTISPLIT_BARRIERS_FULL}};
    MultisplitSearchInfo search_info = {
        .struct_size = sizeof search_info,
        .sorted = {.n = M},
        .common = {.n = N, .count = MULTISPLIT_COUNT_DEVICE, .barriers = MULTISPLIT_BARRIERS_FULL}};
    OK(multisplit_select_create(context, &select_info, &select));
    OK(multisplit_search_create(context, &search_info, &search));
    OK(multisplit_operation_warm_up(select));
    OK(multisplit_operation_warm_up(search));
    HostBuffer input = host_buffer(host, sizeof numbers, 0), kept = host_buffer(host, sizeof numbers, 0),
               found = host_buffer(host, sizeof *numbers, 0),
               among = host_buffer(host, sizeof sorted, 0), positions = host_buffer(host, sizeof numbers, 0);
    memcpy(input.mapped, numbers, sizeof numbers);
    memcpy(among.mapped, sorted, sizeof sorted);
    const MultisplitBinding selects[] = {
        {.role = MULTISPLIT_ROLE_INPUT, .buffer = input.buffer, .size = VK_WHOLE_SIZE},
        {.role = MULTISPLIT_ROLE_OUTPUT, .buffer = kept.buffer, .size = VK_WHOLE_SIZE},
        {.role = MULTISPLIT_ROLE_FOUND, .buffer = found.buffer, .size = VK_WHOLE_SIZE}};
    const MultisplitBinding searches[] = {
        {.role = MULTISPLIT_ROLE_SORTED, .buffer = among.buffer, .size = VK_WHOLE_SIZE},
        {.role = MULTISPLIT_ROLE_NEEDLES, .buffer = kept.buffer, .size = VK_WHOLE_SIZE},
        {.role = MULTISPLIT_ROLE_POSITIONS, .buffer = positions.buffer, .size = VK_WHOLE_SIZE},
        {.role = MULTISPLIT_ROLE_COUNT, .buffer = found.buffer, .size = VK_WHOLE_SIZE}};
    MultisplitRecordInfo record = {.struct_size = sizeof record, .binding_count = 3, .bindings = selects};
    host_begin(host);
    OK(multisplit_record(select, host->commands, &record));
    record.binding_count = 4;
    record.bindings = searches;
    OK(multisplit_record(search, host->commands, &record));
    const MultisplitScope written = {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT};
    host_barrier(host, written, host_host_read());
    host_submit(host);
    const uint32_t count = *(const uint32_t *)found.mapped, *needles = kept.mapped, *places = positions.mapped;
    uint32_t expected = 0;
    int right = 1;
    for (uint32_t i = 0; i < N; ++i) {
        if (numbers[i] < 4000) {
            right = right && needles[expected] == numbers[i] && places[expected] == (numbers[i] + 4) / 5;
            ++expected;
        }
    }
    CHECK(right && count == expected);
    HostBuffer *all[] = {&input, &kept, &found, &among, &positions};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        host_free(host, all[i]);
    }
    OK(multisplit_operation_destroy(select));
    OK(multisplit_operation_destroy(search));
}

void results_family(const Host *host, MultisplitContext *context) {
    search(host, context, VK_FALSE);
    if (host->features & MULTISPLIT_FEATURE_BUFFER_DEVICE_ADDRESS) {
        search(host, context, VK_TRUE);
    }
    merge(host, context);
    sort_segments(host, context);
    counts_stay_on_the_device(host, context);
}
