/*
 * Tests the results of correct calls, with the barriers required by the contract.
 */
#include "running.h"

#include <stdlib.h>
#include <string.h>

enum { N = 3000, BUCKETS = 8 };

/* A scan with a host count and timestamps. */
static void scan(const Host *host, MultisplitContext *context, VkBool32 by_address) {
    static uint32_t numbers[N];
    for (uint32_t i = 0; i < N; ++i) {
        numbers[i] = noise(i) % 100;
    }
    MultisplitOperation *operation = NULL;
    MultisplitScanInfo info = {.struct_size = sizeof info,
                               .common = {.n = N, .caller_workspace = VK_TRUE,
                                          .count = MULTISPLIT_COUNT_RECORDED,
                                          .by_address = by_address}};
    OK(multisplit_scan_create(context, &info, &operation));
    Filled filled[] = {{.role = MULTISPLIT_ROLE_INPUT, .data = numbers, .bytes = sizeof numbers},
                       {.role = MULTISPLIT_ROLE_OUTPUT}};
    VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                     .queryCount = 2};
    VkQueryPool pool;
    uint64_t times[2] = {0, 0};
    VK(vkCreateQueryPool(host->device, &queries, NULL, &pool));
    run(host, operation, filled, 2, (MultisplitRecordInfo){.count = 1000, .query_pool = pool, .frame = 1});
    VK(vkGetQueryPoolResults(host->device, pool, 0, 2, sizeof times, times, sizeof *times,
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    vkDestroyQueryPool(host->device, pool, NULL);
    CHECK(times[0] <= times[1] && times[1] != 0);
    const uint32_t *sums = filled[1].buffer.mapped;
    uint32_t sum = 0;
    int right = 1;
    for (uint32_t i = 0; i < 1000; sum += numbers[i++]) {
        right = right && sums[i] == sum;
    }
    CHECK(right);
    release(host, operation, filled, 2);
}

/* Prefix maxima of 64-bit integers, and the index of the smallest float, with a device count. */
static void maxima_and_index(const Host *host, MultisplitContext *context) {
    static int64_t numbers[N];
    static float floats[N];
    for (uint32_t i = 0; i < N; ++i) {
        numbers[i] = (int64_t)(noise(i) % 1000000007) * 3000000000 - 5;
        floats[i] = (float)(noise(i) % 1000) - 500.0f;
    }
    floats[777] = floats[1777] = -1000.0f;
    MultisplitOperation *operation = NULL;
    MultisplitScanInfo scan = {.struct_size = sizeof scan,
                               .key_type = MULTISPLIT_KEY_TYPE_I64,
                               .op = MULTISPLIT_OPERATOR_MAX,
                               .inclusive = VK_TRUE,
                               .common = {.n = N, .caller_workspace = VK_TRUE}};
    OK(multisplit_scan_create(context, &scan, &operation));
    Filled scanned[] = {{.role = MULTISPLIT_ROLE_INPUT, .data = numbers, .bytes = sizeof numbers},
                        {.role = MULTISPLIT_ROLE_OUTPUT}};
    run(host, operation, scanned, 2, (MultisplitRecordInfo){0});
    const int64_t *maxima = scanned[1].buffer.mapped;
    int64_t most = INT64_MIN;
    int right = 1;
    for (uint32_t i = 0; i < N; ++i) {
        most = numbers[i] > most ? numbers[i] : most;
        right = right && maxima[i] == most;
    }
    CHECK(right);
    release(host, operation, scanned, 2);

    const uint32_t words[] = {99, 2500};
    MultisplitReduceInfo reduce = {
        .struct_size = sizeof reduce,
        .key_type = MULTISPLIT_KEY_TYPE_F32,
        .op = MULTISPLIT_OPERATOR_MIN,
        .index = VK_TRUE,
        .common = {.n = N, .caller_workspace = VK_TRUE, .count = MULTISPLIT_COUNT_DEVICE, .count_index = 1},
    };
    OK(multisplit_reduce_create(context, &reduce, &operation));
    Filled reduced[] = {{.role = MULTISPLIT_ROLE_INPUT, .data = floats, .bytes = sizeof floats},
                        {.role = MULTISPLIT_ROLE_OUTPUT},
                        {.role = MULTISPLIT_ROLE_INDICES},
                        {.role = MULTISPLIT_ROLE_COUNT, .data = words, .bytes = sizeof words}};
    run(host, operation, reduced, 4, (MultisplitRecordInfo){0});
    CHECK(*(const float *)reduced[1].buffer.mapped == -1000.0f);
    CHECK(*(const uint32_t *)reduced[2].buffer.mapped == 777);
    release(host, operation, reduced, 4);
}

/* Selects floats in a range and writes the rejected floats; then sums runs of equal keys, with a device count. */
static void selections(const Host *host, MultisplitContext *context) {
    static float floats[N];
    static uint32_t keys[N];
    static int64_t values[N];
    for (uint32_t i = 0; i < N; ++i) {
        floats[i] = (float)(noise(i) % 1000) - 500.0f;
        keys[i] = i / 7;
        values[i] = (int64_t)noise(i) - 1000000000;
    }
    const float low = -3.5f, high = 250.0f;
    MultisplitOperation *operation = NULL;
    MultisplitSelectInfo select = {.struct_size = sizeof select,
                                   .key_type = MULTISPLIT_KEY_TYPE_F32,
                                   .condition = MULTISPLIT_CONDITION_WITHIN,
                                   .first = multisplit_f32(low),
                                   .last = multisplit_f32(high),
                                   .rejected = VK_TRUE,
                                   .common = {.n = N, .caller_workspace = VK_TRUE}};
    OK(multisplit_select_create(context, &select, &operation));
    Filled selected[] = {{.role = MULTISPLIT_ROLE_INPUT, .data = floats, .bytes = sizeof floats},
                         {.role = MULTISPLIT_ROLE_OUTPUT},
                         {.role = MULTISPLIT_ROLE_FOUND},
                         {.role = MULTISPLIT_ROLE_REJECTED}};
    run(host, operation, selected, 4, (MultisplitRecordInfo){0});
    const float *inside = selected[1].buffer.mapped, *outside = selected[3].buffer.mapped;
    uint32_t found = 0, others = 0;
    int right = 1;
    for (uint32_t i = 0; i < N; ++i) {
        const float kept = floats[i] >= low && floats[i] <= high ? inside[found++] : outside[others++];
        right = right && kept == floats[i];
    }
    CHECK(right);
    CHECK(*(const uint32_t *)selected[2].buffer.mapped == found);
    release(host, operation, selected, 4);

    const uint32_t words[] = {99, 2500};
    MultisplitReduceByKeyInfo reduce = {
        .struct_size = sizeof reduce,
        .value_type = MULTISPLIT_KEY_TYPE_I64,
        .common = {.n = N, .caller_workspace = VK_TRUE, .count = MULTISPLIT_COUNT_DEVICE, .count_index = 1},
    };
    OK(multisplit_reduce_by_key_create(context, &reduce, &operation));
    Filled reduced[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = keys, .bytes = sizeof keys},
                        {.role = MULTISPLIT_ROLE_VALUES, .data = values, .bytes = sizeof values},
                        {.role = MULTISPLIT_ROLE_KEYS_OUT},
                        {.role = MULTISPLIT_ROLE_VALUES_OUT},
                        {.role = MULTISPLIT_ROLE_FOUND},
                        {.role = MULTISPLIT_ROLE_COUNT, .data = words, .bytes = sizeof words}};
    run(host, operation, reduced, 6, (MultisplitRecordInfo){0});
    const uint32_t *runs = reduced[2].buffer.mapped;
    const int64_t *sums = reduced[3].buffer.mapped;
    CHECK(*(const uint32_t *)reduced[4].buffer.mapped == (2500 + 6) / 7);
    right = 1;
    for (uint32_t run_number = 0; run_number < (2500 + 6) / 7; ++run_number) {
        int64_t sum = 0;
        for (uint32_t i = 7 * run_number; i < 2500 && i < 7 * run_number + 7; ++i) {
            sum += values[i];
        }
        right = right && runs[run_number] == run_number && sums[run_number] == sum;
    }
    CHECK(right);
    release(host, operation, reduced, 6);
}

/* A descending sort by 16 of 32 bits, with values and a device count. */
static void sort(const Host *host, MultisplitContext *context) {
    static uint32_t keys[N], values[N], taken[N];
    for (uint32_t i = 0; i < N; ++i) {
        keys[i] = noise(i);
        values[i] = i;
    }
    const uint32_t words[] = {99, 2500};
    MultisplitOperation *operation = NULL;
    MultisplitSortInfo info = {
        .struct_size = sizeof info,
        .values = MULTISPLIT_SORT_VALUES_VALUES,
        .value_bytes = 4,
        .descending = VK_TRUE,
        .first_bit = 8,
        .bit_count = 16,
        .common = {.n = N, .caller_workspace = VK_TRUE, .count = MULTISPLIT_COUNT_DEVICE, .count_index = 1},
    };
    OK(multisplit_sort_create(context, &info, &operation));
    Filled filled[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = keys, .bytes = sizeof keys},
                       {.role = MULTISPLIT_ROLE_VALUES, .data = values, .bytes = sizeof values},
                       {.role = MULTISPLIT_ROLE_COUNT, .data = words, .bytes = sizeof words}};
    run(host, operation, filled, 3, (MultisplitRecordInfo){0});
    const uint32_t *sorted = filled[0].buffer.mapped, *from = filled[1].buffer.mapped;
    int right = 1;
    for (uint32_t i = 0; i < 2500 && right; ++i) {
        right = from[i] < 2500 && !taken[from[i]]++ && sorted[i] == keys[from[i]];
        if (right && i > 0) {
            uint32_t a = sorted[i - 1] >> 8 & 0xffff, b = sorted[i] >> 8 & 0xffff;
            right = a > b || (a == b && from[i - 1] < from[i]);
        }
    }
    CHECK(right && sorted[2500] == keys[2500]);
    release(host, operation, filled, 3);
}

/* The smallest floats of each row, and the largest with a host count; then invalid parameters. */
static void topk(const Host *host, MultisplitContext *context, VkBool32 by_address) {
    enum { K = 20, ROWS = 3 };
    static float keys[N];
    for (uint32_t i = 0; i < N; ++i) {
        keys[i] = (float)(noise(i) % 500) - 250.0f;
    }
    MultisplitOperation *operation = NULL;
    MultisplitTopKInfo info = {
        .struct_size = sizeof info,
        .key_type = MULTISPLIT_KEY_TYPE_F32,
        .k = K,
        .row_length = N / ROWS,
        .smallest = VK_TRUE,
        .common = {.n = N, .caller_workspace = VK_TRUE, .by_address = by_address},
    };
    OK(multisplit_topk_create(context, &info, &operation));
    Filled filled[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = keys, .bytes = sizeof keys},
                       {.role = MULTISPLIT_ROLE_KEYS_OUT},
                       {.role = MULTISPLIT_ROLE_INDICES}};
    run(host, operation, filled, 3, (MultisplitRecordInfo){0});
    const float *found = filled[1].buffer.mapped;
    const uint32_t *from = filled[2].buffer.mapped;
    int right = 1;
    for (uint32_t i = 0; i < ROWS * K && right; ++i) {
        const float *row = keys + i / K * (N / ROWS);
        /* The rank of this element in its row must equal its output position. */
        uint32_t before = 0;
        for (uint32_t j = 0; j < N / ROWS; ++j) {
            before += row[j] < found[i] || (row[j] == found[i] && j < from[i]);
        }
        right = from[i] < N / ROWS && row[from[i]] == found[i] && before == i % K;
    }
    CHECK(right);
    release(host, operation, filled, 3);

    info.row_length = 0;
    info.smallest = VK_FALSE;
    info.common.count = MULTISPLIT_COUNT_RECORDED;
    OK(multisplit_topk_create(context, &info, &operation));
    Filled fewer[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = keys, .bytes = sizeof keys},
                      {.role = MULTISPLIT_ROLE_KEYS_OUT},
                      {.role = MULTISPLIT_ROLE_INDICES}};
    run(host, operation, fewer, 3, (MultisplitRecordInfo){.count = 1});
    CHECK(*(const float *)fewer[1].buffer.mapped == keys[0]);
    CHECK(*(const uint32_t *)fewer[2].buffer.mapped == 0);
    release(host, operation, fewer, 3);

    info = topk_info();
    info.k = 1001;
    EXPECT(TOO_LARGE, multisplit_topk_create(context, &info, &operation));
    info.k = 1;
    info.row_length = 999;
    EXPECT(INVALID, multisplit_topk_create(context, &info, &operation));
    SAYS("row length 999");
}

/* A sort of signed keys with 16-byte values between two buffers; a word reports which one holds the result. */
static void sort_between_two_buffers(const Host *host, MultisplitContext *context) {
    typedef struct Value {
        uint32_t from, words[3];
    } Value;
    static int32_t keys[N];
    static Value values[N];
    for (uint32_t i = 0; i < N; ++i) {
        keys[i] = (int32_t)(noise(i) % 2000) - 1000;
        values[i] = (Value){i, {noise(i), i * 3, ~i}};
    }
    MultisplitOperation *operation = NULL;
    MultisplitSortInfo info = {
        .struct_size = sizeof info,
        .key_type = MULTISPLIT_KEY_TYPE_I32,
        .values = MULTISPLIT_SORT_VALUES_VALUES,
        .value_bytes = sizeof(Value),
        .two_buffers = VK_TRUE,
        .common = {.n = N},
    };
    OK(multisplit_sort_create(context, &info, &operation));
    Filled filled[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = keys, .bytes = sizeof keys},
                       {.role = MULTISPLIT_ROLE_KEYS_OTHER},
                       {.role = MULTISPLIT_ROLE_VALUES, .data = values, .bytes = sizeof values},
                       {.role = MULTISPLIT_ROLE_VALUES_OTHER},
                       {.role = MULTISPLIT_ROLE_HALF}};
    run(host, operation, filled, 5, (MultisplitRecordInfo){0});
    const uint32_t half = *(const uint32_t *)filled[4].buffer.mapped;
    CHECK(half <= 1);
    const int32_t *sorted = filled[half & 1].buffer.mapped;
    const Value *moved = filled[2 + (half & 1)].buffer.mapped;
    int right = 1;
    for (uint32_t i = 0; i < N && right; ++i) {
        const uint32_t from = moved[i].from;
        right = from < N && sorted[i] == keys[from] && memcmp(&moved[i], &values[from], sizeof *moved) == 0;
        if (right && i > 0) {
            right = sorted[i - 1] < sorted[i] || (sorted[i - 1] == sorted[i] && moved[i - 1].from < from);
        }
    }
    CHECK(right);
    release(host, operation, filled, 5);
}

/* For empty inputs, a sort does nothing and a split writes its offsets. */
static void empty_inputs(const Host *host, MultisplitContext *context) {
    const uint32_t ones[BUCKETS + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, zeros[BUCKETS + 1] = {0};
    MultisplitOperation *operation = NULL;
    MultisplitSortInfo sort = sort_info();
    sort.common.n = 0;
    sort.common.count = MULTISPLIT_COUNT_RECORDED;
    OK(multisplit_sort_create(context, &sort, &operation));
    Filled keys[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = ones, .bytes = sizeof *ones}};
    run(host, operation, keys, 1, (MultisplitRecordInfo){0});
    CHECK(*(const uint32_t *)keys[0].buffer.mapped == 1);
    release(host, operation, keys, 1);

    MultisplitSplitInfo split = split_info();
    split.common.n = 0;
    OK(multisplit_split_create(context, &split, &operation));
    Filled filled[] = {{.role = MULTISPLIT_ROLE_KEYS},
                       {.role = MULTISPLIT_ROLE_KEYS_OUT},
                       {.role = MULTISPLIT_ROLE_OFFSETS, .data = ones, .bytes = sizeof ones}};
    run(host, operation, filled, 3, (MultisplitRecordInfo){0});
    CHECK(memcmp(filled[2].buffer.mapped, zeros, sizeof zeros) == 0);
    release(host, operation, filled, 3);
}

/* A split by a GLSL function that reads a table; some keys get an invalid id. */
static void split(const Host *host, MultisplitContext *context) {
    static uint32_t keys[N];
    uint32_t ids[16], begins[BUCKETS + 1] = {0}, out_of_range = 0;
    for (uint32_t i = 0; i < 16; ++i) {
        ids[i] = i * 5 % 9; /* 8 is out of range */
    }
    for (uint32_t i = 0; i < N; ++i) {
        keys[i] = noise(i);
        uint32_t id = ids[keys[i] & 15];
        out_of_range += id >= BUCKETS;
        for (uint32_t b = id < BUCKETS ? id : BUCKETS - 1; b < BUCKETS; ++b) {
            ++begins[b + 1];
        }
    }
    MultisplitOperation *operation = NULL;
    MultisplitSplitInfo info = {
        .struct_size = sizeof info,
        .buckets = BUCKETS,
        .bucket = MULTISPLIT_BUCKET_GLSL,
        .glsl = "uint bucket_of(uint key) { return table.at[key & push.parameter_0]; }",
        .parameters = {15},
        .table_words = 16,
        .output = MULTISPLIT_SPLIT_OUTPUT_PERMUTATION,
        .count_out_of_range = VK_TRUE,
        .common = {.n = N},
    };
    OK(multisplit_split_create(context, &info, &operation));
    Filled filled[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = keys, .bytes = sizeof keys},
                       {.role = MULTISPLIT_ROLE_TABLE, .data = ids, .bytes = sizeof ids},
                       {.role = MULTISPLIT_ROLE_PERMUTATION},
                       {.role = MULTISPLIT_ROLE_OFFSETS},
                       {.role = MULTISPLIT_ROLE_OUT_OF_RANGE}};
    run(host, operation, filled, 5, (MultisplitRecordInfo){0});
    CHECK(memcmp(filled[3].buffer.mapped, begins, sizeof begins) == 0);
    CHECK(out_of_range > 0 && *(const uint32_t *)filled[4].buffer.mapped == out_of_range);
    const uint32_t *to = filled[2].buffer.mapped;
    int right = 1;
    for (uint32_t i = 0; i < N; ++i) {
        uint32_t id = ids[keys[i] & 15];
        right = right && to[i] == begins[id < BUCKETS ? id : BUCKETS - 1]++;
    }
    CHECK(right);
    release(host, operation, filled, 5);
}

/* A weighted histogram of bytes with one of two channels counted, with prefix sums and the out-of-range
 * count; the last bin with or without its upper edge. */
static void histogram(const Host *host, MultisplitContext *context, VkBool32 closed) {
    enum { BINS = 4 };
    static const uint8_t edges[BINS + 1] = {10, 20, 50, 100, 200};
    static uint8_t samples[2 * N];
    static uint32_t weights[N];
    uint32_t counts[BINS] = {0}, sums[BINS] = {0}, out_of_range = 0;
    for (uint32_t i = 0; i < N; ++i) {
        samples[2 * i] = (uint8_t)noise(i);
        samples[2 * i + 1] = (uint8_t)noise(N + i);
        weights[i] = i % 7;
        if (i == 1) {
            samples[2 * i + 1] = edges[BINS];
        }
        uint32_t bin = 0;
        while (bin < BINS && samples[2 * i + 1] >= edges[bin + 1]) {
            ++bin;
        }
        if (closed && samples[2 * i + 1] == edges[BINS]) {
            bin = BINS - 1;
        }
        if (samples[2 * i + 1] < edges[0] || bin == BINS) {
            ++out_of_range;
        } else {
            counts[bin] += weights[i];
        }
    }
    for (uint32_t i = 1; i < BINS; ++i) {
        sums[i] = sums[i - 1] + counts[i - 1];
    }
    MultisplitOperation *operation = NULL;
    MultisplitHistogramInfo info = {
        .struct_size = sizeof info,
        .sample_type = MULTISPLIT_SAMPLE_TYPE_U8,
        .bins = BINS,
        .function = MULTISPLIT_BINS_RANGE,
        .edges = edges,
        .edge_count = BINS + 1,
        .weight = MULTISPLIT_WEIGHT_U32,
        .channels = 2,
        .active_channels = 2,
        .count_out_of_range = VK_TRUE,
        .cumulative = VK_TRUE,
        .closed = closed,
        .common = {.n = N},
    };
    OK(multisplit_histogram_create(context, &info, &operation));
    Filled filled[] = {{.role = MULTISPLIT_ROLE_SAMPLES, .data = samples, .bytes = sizeof samples},
                       {.role = MULTISPLIT_ROLE_WEIGHTS, .data = weights, .bytes = sizeof weights},
                       {.role = MULTISPLIT_ROLE_COUNTS},
                       {.role = MULTISPLIT_ROLE_CUMULATIVE},
                       {.role = MULTISPLIT_ROLE_OUT_OF_RANGE}};
    run(host, operation, filled, 5, (MultisplitRecordInfo){0});
    CHECK(memcmp(filled[2].buffer.mapped, counts, sizeof counts) == 0);
    CHECK(memcmp(filled[3].buffer.mapped, sums, sizeof sums) == 0);
    CHECK(out_of_range > 0 && *(const uint32_t *)filled[4].buffer.mapped == out_of_range);
    release(host, operation, filled, 5);
}

/* Negative 64-bit integers are outside the identity bins. */
static void signed_histogram(const Host *host, MultisplitContext *context) {
    enum { COUNT = 8, BINS = 4 };
    static const int64_t samples[COUNT] = {0, -1, 3, 3, INT64_MIN, 1, INT64_MAX, 4};
    static const uint32_t counts[BINS] = {1, 1, 0, 2};
    MultisplitOperation *operation = NULL;
    MultisplitHistogramInfo info = {
        .struct_size = sizeof info,
        .sample_type = MULTISPLIT_SAMPLE_TYPE_I64,
        .bins = BINS,
        .function = MULTISPLIT_BINS_IDENTITY,
        .count_out_of_range = VK_TRUE,
        .common = {.n = COUNT},
    };
    OK(multisplit_histogram_create(context, &info, &operation));
    Filled filled[] = {{.role = MULTISPLIT_ROLE_SAMPLES, .data = samples, .bytes = sizeof samples},
                       {.role = MULTISPLIT_ROLE_COUNTS},
                       {.role = MULTISPLIT_ROLE_OUT_OF_RANGE}};
    run(host, operation, filled, 3, (MultisplitRecordInfo){0});
    CHECK(memcmp(filled[1].buffer.mapped, counts, sizeof counts) == 0);
    CHECK(*(const uint32_t *)filled[2].buffer.mapped == 4);
    release(host, operation, filled, 3);
}

/* A sort of bytes, a sort of 16-bit keys with values, and a top-k. Padding after the last key stays
 * unchanged. */
static void narrow(const Host *host, MultisplitContext *context, VkBool32 by_address) {
    enum { COUNT = N - 1, K = 5 };
    static int8_t bytes[N];
    static uint16_t shorts[N];
    static uint32_t values[N], taken[N];
    memset(taken, 0, sizeof taken);
    for (uint32_t i = 0; i < N; ++i) {
        bytes[i] = (int8_t)noise(i);
        shorts[i] = (uint16_t)(noise(i) % 1000);
        values[i] = i;
    }
    MultisplitOperation *operation = NULL;
    MultisplitSortInfo info = {
        .struct_size = sizeof info,
        .key_type = MULTISPLIT_KEY_TYPE_I8,
        .common = {.n = COUNT, .caller_workspace = VK_TRUE, .by_address = by_address},
    };
    OK(multisplit_sort_create(context, &info, &operation));
    MultisplitContract contract;
    OK(multisplit_operation_contract(operation, MULTISPLIT_ROLE_KEYS, &contract));
    CHECK(contract.size == N);
    Filled alone[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = bytes, .bytes = sizeof bytes}};
    run(host, operation, alone, 1, (MultisplitRecordInfo){0});
    const int8_t *sorted = alone[0].buffer.mapped;
    int sum = 0, right = sorted[COUNT] == bytes[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i) {
        right = right && (i == 0 || sorted[i - 1] <= sorted[i]);
        sum += sorted[i] - bytes[i];
    }
    CHECK(right && sum == 0);
    release(host, operation, alone, 1);

    info.key_type = MULTISPLIT_KEY_TYPE_U16;
    info.values = MULTISPLIT_SORT_VALUES_VALUES;
    info.descending = VK_TRUE;
    OK(multisplit_sort_create(context, &info, &operation));
    Filled pairs[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = shorts, .bytes = sizeof shorts},
                      {.role = MULTISPLIT_ROLE_VALUES, .data = values, .bytes = COUNT * sizeof *values}};
    run(host, operation, pairs, 2, (MultisplitRecordInfo){0});
    const uint16_t *keys = pairs[0].buffer.mapped;
    const uint32_t *from = pairs[1].buffer.mapped;
    right = keys[COUNT] == shorts[COUNT];
    for (uint32_t i = 0; i < COUNT && right; ++i) {
        right = from[i] < COUNT && !taken[from[i]]++ && keys[i] == shorts[from[i]];
        right = right && (i == 0 || keys[i - 1] > keys[i] || (keys[i - 1] == keys[i] && from[i - 1] < from[i]));
    }
    CHECK(right);

    MultisplitTopKInfo top = {
        .struct_size = sizeof top,
        .key_type = MULTISPLIT_KEY_TYPE_U16,
        .k = K,
        .common = {.n = COUNT, .caller_workspace = VK_TRUE, .by_address = by_address},
    };
    MultisplitOperation *largest = NULL;
    OK(multisplit_topk_create(context, &top, &largest));
    Filled found[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = shorts, .bytes = sizeof shorts},
                      {.role = MULTISPLIT_ROLE_KEYS_OUT},
                      {.role = MULTISPLIT_ROLE_INDICES}};
    run(host, largest, found, 3, (MultisplitRecordInfo){0});
    CHECK(memcmp(found[1].buffer.mapped, keys, K * sizeof *keys) == 0);
    CHECK(memcmp(found[2].buffer.mapped, from, K * sizeof *from) == 0);
    release(host, largest, found, 3);
    release(host, operation, pairs, 2);

    MultisplitReduceInfo reduce = {.struct_size = sizeof reduce,
                                   .key_type = MULTISPLIT_KEY_TYPE_I8,
                                   .common = {.n = N}};
    CHECK(multisplit_reduce_create(context, &reduce, &operation) != MULTISPLIT_SUCCESS);
    SAYS("u32, i32, f32, u64, i64 or f64");
}

/* A ring, an additional edge that is shorter than the path along the ring, and an unreachable vertex. */
static void shortest_paths(MultisplitContext *context) {
    enum { RING = 50 };
    uint32_t from[RING + 1], to[RING + 1], before[RING + 1];
    float weights[RING + 1], distances[RING + 1];
    for (uint32_t i = 0; i < RING; ++i) {
        from[i] = i;
        to[i] = (i + 1) % RING;
        weights[i] = 0.5f;
    }
    from[RING] = 0;
    to[RING] = 40;
    weights[RING] = 8.0f;
    MultisplitSssp *sssp = NULL;
    MultisplitSsspInfo info = {
        .struct_size = sizeof info,
        .vertices = RING + 1,
        .edge_count = RING + 1,
        .from = from,
        .to = to,
        .weights = weights,
        .weight = MULTISPLIT_EDGE_WEIGHT_F32,
        .predecessors = VK_TRUE,
    };
    OK(multisplit_sssp_create(context, &info, &sssp));
    OK(multisplit_sssp_solve(sssp, 0, distances, before, RING + 1));
    int right = before[0] == MULTISPLIT_UNREACHED && before[40] == 0 && before[RING] == MULTISPLIT_UNREACHED;
    for (uint32_t i = 0; i < RING; ++i) {
        right = right && distances[i] == (i < 40 ? 0.5f * (float)i : 8.0f + 0.5f * (float)(i - 40));
    }
    uint32_t unreached;
    memcpy(&unreached, &distances[RING], sizeof unreached);
    CHECK(right && unreached == MULTISPLIT_UNREACHED);
    OK(multisplit_sssp_solve(sssp, 10, distances, NULL, RING + 1));
    CHECK(distances[9] == 0.5f * 40 + 4.5f);
    OK(multisplit_sssp_destroy(sssp));
}

void results(const Host *host, MultisplitContext *context) {
    scan(host, context, VK_FALSE);
    if (host->features & MULTISPLIT_FEATURE_BUFFER_DEVICE_ADDRESS) {
        scan(host, context, VK_TRUE);
        topk(host, context, VK_TRUE);
        narrow(host, context, VK_TRUE);
    }
    narrow(host, context, VK_FALSE);
    topk(host, context, VK_FALSE);
    if (host->features & MULTISPLIT_FEATURE_SHADER_INT64) {
        maxima_and_index(host, context);
        selections(host, context);
    }
    sort(host, context);
    sort_between_two_buffers(host, context);
    empty_inputs(host, context);
    split(host, context);
    histogram(host, context, VK_FALSE);
    histogram(host, context, VK_TRUE);
    signed_histogram(host, context);
    shortest_paths(context);
    results_family(host, context);
    changing_edges(host, context);
    results_segments(host, context);
}
