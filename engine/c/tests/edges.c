/*
 * Tests splits and histograms whose edges change with each recording, for several element types, and edges that a
 * recording must not have.
 */
#include "running.h"

#include <string.h>

enum { N = 5000, MAX_EDGES = 301, MAX_BYTES = 8 };

/* The numbers of splits and histograms of one type: multiples of `step` below `limit`, which the type represents
 * exactly. */
typedef struct Numbers {
    MultisplitKeyType type;
    uint32_t bytes;
    double limit, step;
} Numbers;

static const Numbers types[] = {
    {MULTISPLIT_KEY_TYPE_U32, 4, 1000, 1}, {MULTISPLIT_KEY_TYPE_I32, 4, 1000, 1},   {MULTISPLIT_KEY_TYPE_F32, 4, 1000, 0.25},
    {MULTISPLIT_KEY_TYPE_U64, 8, 1000, 1}, {MULTISPLIT_KEY_TYPE_F64, 8, 1000, 0.25}, {MULTISPLIT_KEY_TYPE_U8, 1, 250, 1},
    {MULTISPLIT_KEY_TYPE_U16, 2, 1000, 1},
};
enum { TYPES = sizeof types / sizeof *types };

static void store(const Numbers *of, void *to, uint32_t index, double number) {
    uint8_t *at = (uint8_t *)to + (size_t)index * of->bytes;
    if (of->type == MULTISPLIT_KEY_TYPE_F32) {
        float value = (float)number;
        memcpy(at, &value, sizeof value);
    } else if (of->type == MULTISPLIT_KEY_TYPE_F64) {
        memcpy(at, &number, sizeof number);
    } else {
        int64_t value = (int64_t)number;    /* little-endian */
        memcpy(at, &value, of->bytes);
    }
}

/* The edges of one recording, in ascending order. */
typedef struct Edges {
    double at[MAX_EDGES];
    uint32_t count;
    double width;
} Edges;

/* Different edges for each recording, within the numbers of the type. */
static Edges range_edges(const Numbers *of, uint32_t count, uint32_t recording) {
    Edges edges = {.count = count};
    const uint32_t steps = (uint32_t)(of->limit / of->step);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t first = steps * recording / 8, last = steps - steps * recording / 16;
        edges.at[i] = (first + (last - first) * i / count) * of->step;
    }
    return edges;
}

/* The two edges of 16 equal parts. All parts begin at integers. */
static Edges even_edges(uint32_t recording) {
    Edges edges = {.count = 2, .at = {16.0 * recording, 16.0 * recording + 64 + 16 * recording}};
    return edges;
}

/* The part of a range of equal parts that contains a number; negative below the range. */
static int64_t part_of(double number, double first, double width) {
    int64_t part = 0;
    if (number < first) {
        return -1;
    }
    while (number >= first + (double)(part + 1) * width && part < MAX_EDGES) {
        ++part;
    }
    return part;
}

static int64_t edges_up_to(const Edges *edges, double number) {
    int64_t count = 0;
    while (count < edges->count && edges->at[count] <= number) {
        ++count;
    }
    return count;
}

static void numbers_of(const Numbers *of, double *numbers, void *stored) {
    for (uint32_t i = 0; i < N; ++i) {
        numbers[i] = noise(i) % (uint32_t)(of->limit / of->step) * of->step;
        store(of, stored, i, numbers[i]);
    }
}

static void free_all(const Host *host, Filled *filled, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        host_free(host, &filled[i].buffer);
    }
}

static int64_t bucket_of(MultisplitBucket bucket, uint32_t buckets, const Edges *edges, double number) {
    int64_t found = 0;
    if (bucket == MULTISPLIT_BUCKET_RANGE) {
        found = edges_up_to(edges, number);
    } else if (bucket == MULTISPLIT_BUCKET_DELTA) {
        found = part_of(number, edges->at[0], edges->width);
    } else {
        found = part_of(number, edges->at[0], (edges->at[1] - edges->at[0]) / buckets);
    }
    return found < 0 ? 0 : found >= buckets ? buckets - 1 : found;
}

/* One operation; the first recording has the edges of the operation, the others have their own. */
static void splits(const Host *host, MultisplitContext *context, const Numbers *of, MultisplitBucket bucket, uint32_t buckets) {
    static double numbers[N];
    static uint8_t keys[N * MAX_BYTES], expected[N * MAX_BYTES], stored[3][MAX_EDGES * MAX_BYTES];
    static Edges edges[3];
    MultisplitOperation *operation = NULL;
    numbers_of(of, numbers, keys);
    for (uint32_t i = 0; i < 3; ++i) {
        edges[i] = bucket == MULTISPLIT_BUCKET_EVEN ? even_edges(i)
                   : range_edges(of, bucket == MULTISPLIT_BUCKET_RANGE ? buckets - 1 : 1, i);
        edges[i].width = i == 0 ? 8 : 5 * i;
        for (uint32_t edge = 0; edge < edges[i].count; ++edge) {
            store(of, stored[i], edge, edges[i].at[edge]);
        }
    }
    MultisplitSplitInfo info = {
        .struct_size = sizeof info, .key_type = of->type, .buckets = buckets, .bucket = bucket,
        .edges = stored[0], .edge_count = edges[0].count, .width = (uint64_t)edges[0].width,
        .settable_edges = VK_TRUE, .common = {.n = N},
    };
    OK(multisplit_split_create(context, &info, &operation));
    for (uint32_t i = 0; i < 3; ++i) {
        MultisplitValues values = {.edges = stored[i], .edge_count = edges[i].count, .width = (uint64_t)edges[i].width};
        MultisplitRecordInfo record = {.values = i == 0 ? NULL : &values, .frame = i % 2};
        Filled filled[] = {{.role = MULTISPLIT_ROLE_KEYS, .data = keys, .bytes = (size_t)N * of->bytes},
                           {.role = MULTISPLIT_ROLE_KEYS_OUT},
                           {.role = MULTISPLIT_ROLE_OFFSETS}};
        run(host, operation, filled, 3, record);
        const uint32_t *offsets = filled[2].buffer.mapped;
        uint32_t place = 0;
        int right = 1;
        for (uint32_t k = 0; k < buckets; ++k) {
            right = right && offsets[k] == place;
            for (uint32_t key = 0; key < N; ++key) {
                if (bucket_of(bucket, buckets, &edges[i], numbers[key]) == k) {
                    store(of, expected, place++, numbers[key]);
                }
            }
        }
        CHECK(right && place == N && offsets[buckets] == N);
        CHECK(memcmp(filled[1].buffer.mapped, expected, (size_t)N * of->bytes) == 0);
        free_all(host, filled, 3);
    }
    OK(multisplit_operation_destroy(operation));
}

static int64_t bin_of(MultisplitBins function, uint32_t bins, const Edges *edges, VkBool32 closed, double number) {
    const double last = edges->at[edges->count - 1];
    int64_t found = 0;
    if (function == MULTISPLIT_BINS_RANGE) {
        found = edges_up_to(edges, number) - 1;
    } else {
        found = part_of(number, edges->at[0], (last - edges->at[0]) / bins);
    }
    if (number > last || (number == last && !closed)) {
        return -1;
    }
    return found >= bins ? bins - 1 : found;
}

static void histograms(const Host *host, MultisplitContext *context, MultisplitSampleType type, const Numbers *of,
                       MultisplitBins function, uint32_t bins, VkBool32 closed) {
    static double numbers[N];
    static uint8_t samples[N * MAX_BYTES], stored[3][MAX_EDGES * MAX_BYTES];
    static Edges edges[3];
    MultisplitOperation *operation = NULL;
    numbers_of(of, numbers, samples);
    for (uint32_t i = 0; i < 3; ++i) {
        edges[i] = function == MULTISPLIT_BINS_EVEN ? even_edges(i) : range_edges(of, bins + 1, i);
        for (uint32_t edge = 0; edge < edges[i].count; ++edge) {
            store(of, stored[i], edge, edges[i].at[edge]);
        }
    }
    MultisplitHistogramInfo info = {
        .struct_size = sizeof info, .sample_type = type, .bins = bins, .function = function,
        .edges = stored[0], .edge_count = edges[0].count, .closed = closed, .count_out_of_range = VK_TRUE,
        .settable_edges = VK_TRUE, .common = {.n = N},
    };
    OK(multisplit_histogram_create(context, &info, &operation));
    for (uint32_t i = 0; i < 3; ++i) {
        MultisplitValues values = {.edges = stored[i], .edge_count = edges[i].count};
        MultisplitRecordInfo record = {.values = i == 0 ? NULL : &values, .frame = i % 2};
        Filled filled[] = {{.role = MULTISPLIT_ROLE_SAMPLES, .data = samples, .bytes = (size_t)N * of->bytes},
                           {.role = MULTISPLIT_ROLE_COUNTS},
                           {.role = MULTISPLIT_ROLE_OUT_OF_RANGE}};
        run(host, operation, filled, 3, record);
        uint32_t counts[MAX_EDGES] = {0}, out = 0;
        for (uint32_t sample = 0; sample < N; ++sample) {
            const int64_t bin = bin_of(function, bins, &edges[i], closed, numbers[sample]);
            *(bin < 0 ? &out : &counts[bin]) += 1;
        }
        CHECK(memcmp(filled[1].buffer.mapped, counts, bins * sizeof *counts) == 0);
        CHECK(*(const uint32_t *)filled[2].buffer.mapped == out);
        free_all(host, filled, 3);
    }
    OK(multisplit_operation_destroy(operation));
}

/* Edges that cannot be set, and recordings with wrong edges. */
static void wrong_edges(const Host *host, MultisplitContext *context) {
    static const uint32_t sorted[] = {1, 2, 3}, unsorted[] = {1, 3, 2};
    MultisplitOperation *operation = NULL;
    MultisplitSplitInfo info = split_info();
    info.settable_edges = VK_TRUE;
    info.bucket = MULTISPLIT_BUCKET_IDENTITY;
    EXPECT(INVALID, multisplit_split_create(context, &info, &operation));
    info.bucket = MULTISPLIT_BUCKET_DELTA;
    info.buckets = 257;
    EXPECT(INVALID, multisplit_split_create(context, &info, &operation));
    MultisplitHistogramInfo counted = histogram_info();
    counted.settable_edges = VK_TRUE;
    counted.common.caller_workspace = VK_FALSE;
    counted.function = MULTISPLIT_BINS_IDENTITY;
    counted.sample_type = MULTISPLIT_SAMPLE_TYPE_U32;
    EXPECT(INVALID, multisplit_histogram_create(context, &counted, &operation));
    counted = histogram_info();
    counted.settable_edges = VK_TRUE;
    counted.common.caller_workspace = VK_FALSE;
    counted.bins = 0;
    EXPECT(INVALID, multisplit_histogram_create(context, &counted, &operation));
    counted.bins = UINT32_MAX;
    EXPECT(TOO_LARGE, multisplit_histogram_create(context, &counted, &operation));
    counted.bins = 16;

    info = split_info();
    info.common.caller_workspace = VK_FALSE;
    info.bucket = MULTISPLIT_BUCKET_RANGE;
    info.buckets = 4;
    info.edges = sorted;
    info.edge_count = 3;
    MultisplitValues values = {.edges = sorted, .edge_count = 3};
    MultisplitRecordInfo record = {.struct_size = sizeof record, .values = &values};
    for (VkBool32 settable = VK_FALSE; settable <= VK_TRUE; ++settable) {
        info.settable_edges = settable;
        OK(multisplit_split_create(context, &info, &operation));
        OK(multisplit_operation_warm_up(operation));
        host_begin(host);
        if (!settable) {
            EXPECT(INVALID, multisplit_record(operation, host->commands, &record));
            SAYS("settable");
        } else {
            values.edges = unsorted;
            EXPECT(INVALID, multisplit_record(operation, host->commands, &record));
            values.edges = NULL;
            EXPECT(NULL, multisplit_record(operation, host->commands, &record));
            values.edges = sorted;
            values.edge_count = 2;
            EXPECT(INVALID, multisplit_record(operation, host->commands, &record));
            SAYS("splitters");
        }
        host_submit(host);
        OK(multisplit_operation_destroy(operation));
    }

    /* A range of subnormal numbers needs another kernel than 0 to 1. */
    static const float subnormal[] = {0.0f, 1e-40f}, empty[] = {1.0f, 1.0f};
    OK(multisplit_histogram_create(context, &counted, &operation));
    OK(multisplit_operation_warm_up(operation));
    host_begin(host);
    values = (MultisplitValues){.edges = subnormal, .edge_count = 2};
    EXPECT(UNSUPPORTED, multisplit_record(operation, host->commands, &record));
    SAYS("another kernel");
    values.edges = empty;
    EXPECT(INVALID, multisplit_record(operation, host->commands, &record));
    host_submit(host);
    OK(multisplit_operation_destroy(operation));
}

void changing_edges(const Host *host, MultisplitContext *context) {
    const VkBool32 wide = (host->features & MULTISPLIT_FEATURE_SHADER_INT64) != 0;
    for (uint32_t i = 0; i < TYPES; ++i) {
        const Numbers *of = &types[i];
        const int is_float = of->type == MULTISPLIT_KEY_TYPE_F32 || of->type == MULTISPLIT_KEY_TYPE_F64;
        if (of->bytes == 8 && !wide) {
            continue;
        }
        splits(host, context, of, MULTISPLIT_BUCKET_RANGE, i % 2 ? 200 : 7);
        splits(host, context, of, is_float ? MULTISPLIT_BUCKET_EVEN : MULTISPLIT_BUCKET_DELTA, 16);
    }
    static const MultisplitSampleType samples[] = {MULTISPLIT_SAMPLE_TYPE_U32, MULTISPLIT_SAMPLE_TYPE_I32,
                                                   MULTISPLIT_SAMPLE_TYPE_F32, MULTISPLIT_SAMPLE_TYPE_U64,
                                                   MULTISPLIT_SAMPLE_TYPE_F64, MULTISPLIT_SAMPLE_TYPE_U8,
                                                   MULTISPLIT_SAMPLE_TYPE_U16};
    for (uint32_t i = 0; i < TYPES; ++i) {
        if (types[i].bytes == 8 && !wide) {
            continue;
        }
        histograms(host, context, samples[i], &types[i], MULTISPLIT_BINS_RANGE, i % 2 ? 300 : 20, i % 2);
        histograms(host, context, samples[i], &types[i], MULTISPLIT_BINS_EVEN, 16, VK_FALSE);
    }
    wrong_edges(host, context);
}
