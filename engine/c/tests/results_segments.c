/*
 * Tests the results of scans and reductions of segments and of rows, of scans by key, and of a reduction, with
 * GLSL operators, with host and device counts, and with invalid device offsets.
 */
#include "running.h"

enum { N = 3000 };

/* Scans with device counts of elements and segments, and offsets in any order, some beyond the count; products
 * by a GLSL function. */
static void scan_segments(const Host *host, MultisplitContext *context) {
    static uint32_t numbers[N];
    for (uint32_t i = 0; i < N; ++i) {
        numbers[i] = noise(i) | 1;
    }
    const uint32_t offsets[] = {900, 7, 7, 2000, UINT32_MAX, 5, 11}, counts[] = {2500, 5};
    for (int glsl = 0; glsl < 2; ++glsl) {
        MultisplitOperation *operation = NULL;
        MultisplitScanSegmentsInfo info = {
            .struct_size = sizeof info,
            .inclusive = glsl,
            .segments = {.n = 6, .count = MULTISPLIT_COUNT_DEVICE, .count_index = 1},
            .common = {.n = N, .count = MULTISPLIT_COUNT_DEVICE, .caller_workspace = VK_TRUE},
        };
        if (glsl) {
            info.op = MULTISPLIT_OPERATOR_GLSL;
            info.glsl = "uint combined(uint a, uint b) { return a * b; }";
            info.identity = multisplit_u32(1);
        }
        OK(multisplit_scan_segments_create(context, &info, &operation));
        Filled filled[] = {{.role = MULTISPLIT_ROLE_INPUT, .data = numbers, .bytes = sizeof numbers},
                           {.role = MULTISPLIT_ROLE_OFFSETS, .data = offsets, .bytes = sizeof offsets},
                           {.role = MULTISPLIT_ROLE_OUTPUT},
                           {.role = MULTISPLIT_ROLE_COUNT, .data = counts, .bytes = sizeof *counts},
                           {.role = MULTISPLIT_ROLE_OTHER_COUNT, .data = counts, .bytes = sizeof counts}};
        run(host, operation, filled, 5, (MultisplitRecordInfo){0});
        const uint32_t *found = filled[2].buffer.mapped;
        uint32_t through = 0;
        int right = 1;
        for (uint32_t i = 0; i < 2500; ++i) {
            /* Five segments have six offsets; the seventh is not read. */
            if (i == 0 || i == 5 || i == 7 || i == 900 || i == 2000) {
                through = (uint32_t)glsl;
            }
            right = right && found[i] == (glsl ? through * numbers[i] : through);
            through = glsl ? through * numbers[i] : through + numbers[i];
        }
        CHECK(right);
        release(host, operation, filled, 5);
    }
    /* Short and long rows, with a recorded count that ends within a row. */
    static const uint32_t lengths[] = {3, N / 4};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
        MultisplitOperation *operation = NULL;
        MultisplitScanSegmentsInfo info = {
            .struct_size = sizeof info,
            .op = MULTISPLIT_OPERATOR_MAX,
            .inclusive = VK_TRUE,
            .row_length = lengths[k],
            .common = {.n = N, .count = MULTISPLIT_COUNT_RECORDED, .caller_workspace = VK_TRUE},
        };
        OK(multisplit_scan_segments_create(context, &info, &operation));
        Filled filled[] = {{.role = MULTISPLIT_ROLE_INPUT, .data = numbers, .bytes = sizeof numbers},
                           {.role = MULTISPLIT_ROLE_OUTPUT}};
        run(host, operation, filled, 2, (MultisplitRecordInfo){.count = 2501});
        const uint32_t *found = filled[1].buffer.mapped;
        uint32_t highest = 0;
        int right = 1;
        for (uint32_t i = 0; i < 2501; ++i) {
            highest = i % lengths[k] == 0 || numbers[i] > highest ? numbers[i] : highest;
            right = right && found[i] == highest;
        }
        CHECK(right);
        release(host, operation, filled, 2);
    }
}

/* Segment sums with device counts of elements and segments, and offsets that decrease or exceed the count;
 * products by a GLSL function. */
static void reduce_segments(const Host *host, MultisplitContext *context) {
    static uint32_t numbers[N];
    for (uint32_t i = 0; i < N; ++i) {
        numbers[i] = noise(i) | 1;
    }
    const uint32_t offsets[] = {0, 7, 7, 2000, 2900, UINT32_MAX, 5}, counts[] = {2500, 6};
    for (int glsl = 0; glsl < 2; ++glsl) {
        MultisplitOperation *operation = NULL;
        MultisplitReduceSegmentsInfo info = {
            .struct_size = sizeof info,
            .segments = {.n = 6, .count = MULTISPLIT_COUNT_DEVICE, .count_index = 1},
            .common = {.n = N, .count = MULTISPLIT_COUNT_DEVICE, .caller_workspace = VK_TRUE},
        };
        if (glsl) {
            info.op = MULTISPLIT_OPERATOR_GLSL;
            info.glsl = "uint combined(uint a, uint b) { return a * b; }";
            info.identity = multisplit_u32(1);
        }
        OK(multisplit_reduce_segments_create(context, &info, &operation));
        Filled filled[] = {{.role = MULTISPLIT_ROLE_INPUT, .data = numbers, .bytes = sizeof numbers},
                           {.role = MULTISPLIT_ROLE_OFFSETS, .data = offsets, .bytes = sizeof offsets},
                           {.role = MULTISPLIT_ROLE_OUTPUT},
                           {.role = MULTISPLIT_ROLE_COUNT, .data = counts, .bytes = sizeof *counts},
                           {.role = MULTISPLIT_ROLE_OTHER_COUNT, .data = counts, .bytes = sizeof counts}};
        run(host, operation, filled, 5, (MultisplitRecordInfo){0});
        const uint32_t *found = filled[2].buffer.mapped;
        /* Only the last offset decreases, so the segments before it have exact results. */
        int right = 1;
        for (uint32_t s = 0; s < 5; ++s) {
            uint32_t total = glsl ? 1 : 0;
            for (uint32_t i = offsets[s]; i < offsets[s + 1] && i < 2500; ++i) {
                total = glsl ? total * numbers[i] : total + numbers[i];
            }
            right = right && found[s] == total;
        }
        CHECK(right && found[5] == (glsl ? 1u : 0u));
        release(host, operation, filled, 5);
    }
    /* Short and long rows, which have no offsets. */
    static const uint32_t lengths[] = {8, N / 4};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
        MultisplitOperation *operation = NULL;
        MultisplitReduceSegmentsInfo info = {
            .struct_size = sizeof info,
            .row_length = lengths[k],
            .segments = {.n = N / lengths[k]},
            .common = {.n = N, .caller_workspace = VK_TRUE},
        };
        OK(multisplit_reduce_segments_create(context, &info, &operation));
        Filled filled[] = {{.role = MULTISPLIT_ROLE_INPUT, .data = numbers, .bytes = sizeof numbers},
                           {.role = MULTISPLIT_ROLE_OUTPUT}};
        run(host, operation, filled, 2, (MultisplitRecordInfo){0});
        const uint32_t *found = filled[1].buffer.mapped;
        int right = 1;
        for (uint32_t row = 0; row < N / lengths[k]; ++row) {
            uint32_t total = 0;
            for (uint32_t i = 0; i < lengths[k]; ++i) {
                total += numbers[row * lengths[k] + i];
            }
            right = right && found[row] == total;
        }
        CHECK(right);
        release(host, operation, filled, 2);
    }
}

/* Sums of runs of equal keys, products of segments given by flags, and a reduction by a GLSL function. */
static void scan_by_key(const Host *host, MultisplitContext *context) {
    static uint32_t values[N], keys[N], flags[N];
    for (uint32_t i = 0; i < N; ++i) {
        values[i] = noise(i) | 1;
        keys[i] = i / 7 % 2;
        flags[i] = noise(N + i) % 50 == 0;
    }
    for (int heads = 0; heads < 2; ++heads) {
        MultisplitOperation *operation = NULL;
        MultisplitScanByKeyInfo info = {
            .struct_size = sizeof info,
            .inclusive = heads,
            .heads = heads,
            .common = {.n = N, .count = MULTISPLIT_COUNT_RECORDED, .caller_workspace = VK_TRUE},
        };
        if (heads) {
            info.op = MULTISPLIT_OPERATOR_GLSL;
            info.glsl = "uint combined(uint a, uint b) { return a * b; }";
            info.identity = multisplit_u32(1);
        }
        OK(multisplit_scan_by_key_create(context, &info, &operation));
        Filled filled[] = {{.role = heads ? MULTISPLIT_ROLE_FLAGS : MULTISPLIT_ROLE_KEYS,
                            .data = heads ? flags : keys,
                            .bytes = sizeof keys},
                           {.role = MULTISPLIT_ROLE_VALUES, .data = values, .bytes = sizeof values},
                           {.role = MULTISPLIT_ROLE_VALUES_OUT}};
        run(host, operation, filled, 3, (MultisplitRecordInfo){.count = 2500});
        const uint32_t *found = filled[2].buffer.mapped;
        uint32_t through = heads;
        int right = 1;
        for (uint32_t i = 0; i < 2500; ++i) {
            if (i > 0 && (heads ? flags[i] : keys[i] != keys[i - 1])) {
                through = (uint32_t)heads;
            }
            right = right && found[i] == (heads ? through * values[i] : through);
            through = heads ? through * values[i] : through + values[i];
        }
        CHECK(right);
        release(host, operation, filled, 3);
    }

    MultisplitOperation *operation = NULL;
    MultisplitReduceInfo reduce = {.struct_size = sizeof reduce,
                                   .op = MULTISPLIT_OPERATOR_GLSL,
                                   .glsl = "uint combined(uint a, uint b) { return a ^ b; }",
                                   .common = {.n = N, .caller_workspace = VK_TRUE}};
    OK(multisplit_reduce_create(context, &reduce, &operation));
    Filled filled[] = {{.role = MULTISPLIT_ROLE_INPUT, .data = values, .bytes = sizeof values},
                       {.role = MULTISPLIT_ROLE_OUTPUT}};
    run(host, operation, filled, 2, (MultisplitRecordInfo){0});
    uint32_t all = 0;
    for (uint32_t i = 0; i < N; ++i) {
        all ^= values[i];
    }
    CHECK(*(const uint32_t *)filled[1].buffer.mapped == all);
    release(host, operation, filled, 2);
}

void results_segments(const Host *host, MultisplitContext *context) {
    scan_segments(host, context);
    reduce_segments(host, context);
    scan_by_key(host, context);
}
