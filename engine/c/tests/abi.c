/*
 * Passes NULL arguments, and structures of other sizes and versions: the library must return error codes and
 * never crash. Other mistakes are tested in misuse.c, correct calls in results.c and threads.c.
 */
#include "suite.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

static void versions_and_names(void) {
    CHECK(multisplit_version() == MULTISPLIT_VERSION);
    CHECK(strcmp(multisplit_version_string(), EXPECTED_VERSION) == 0);
    CHECK(multisplit_last_error() != NULL);
    CHECK(strcmp(multisplit_result_name(MULTISPLIT_ERROR_IN_USE), "MULTISPLIT_ERROR_IN_USE") == 0);
    CHECK(strcmp(multisplit_result_name((MultisplitResult)77), "unknown") == 0);
}

/* Passes NULL for each argument of the functions on requirements. Destroying NULL succeeds. */
static void nulls_without_a_context(const Host *host) {
    MultisplitRequirementsInfo ask = requirements_info(host);
    MultisplitRequirements *requirements = NULL;
    MultisplitRequirementsList list;
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    uint32_t features;
    EXPECT(NULL, multisplit_requirements_create(NULL, &requirements));
    EXPECT(NULL, multisplit_requirements_create(&ask, NULL));
    ask.get_instance_proc_addr = NULL;
    EXPECT(NULL, multisplit_requirements_create(&ask, &requirements));
    ask = requirements_info(host);
    ask.instance = NULL;
    EXPECT(NULL, multisplit_requirements_create(&ask, &requirements));
    ask = requirements_info(host);
    ask.physical_device = NULL;
    EXPECT(NULL, multisplit_requirements_create(&ask, &requirements));
    CHECK(requirements == NULL);
    ask = requirements_info(host);
    EXPECT(NULL, multisplit_requirements_list(NULL, &list));
    EXPECT(NULL, multisplit_requirements_merge(NULL, &create));
    EXPECT(NULL, multisplit_requirements_check(NULL, &create, &features));
    OK(multisplit_requirements_create(&ask, &requirements));
    EXPECT(NULL, multisplit_requirements_list(requirements, NULL));
    EXPECT(NULL, multisplit_requirements_merge(requirements, NULL));
    EXPECT(NULL, multisplit_requirements_check(requirements, NULL, &features));
    EXPECT(NULL, multisplit_requirements_check(requirements, &create, NULL));
    create.enabledExtensionCount = 3;
    EXPECT(NULL, multisplit_requirements_merge(requirements, &create));
    OK(multisplit_requirements_destroy(requirements));
    EXPECT(HANDLE, multisplit_requirements_destroy(requirements));
    OK(multisplit_requirements_destroy(NULL));
    OK(multisplit_context_destroy(NULL));
    OK(multisplit_operation_destroy(NULL));
    OK(multisplit_sssp_destroy(NULL));
}

/* Creates devices in both ways: from the list of requirements, and by merging them into existing parameters. */
static void devices_as_required(const Host *host) {
    MultisplitRequirementsInfo ask = requirements_info(host);
    MultisplitRequirements *requirements = NULL;
    MultisplitRequirementsList list = {0};
    uint32_t features = 0;
    VkDevice device = VK_NULL_HANDLE;
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = host->family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo listed = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue};
    VkDeviceCreateInfo merged = listed;
    OK(multisplit_requirements_create(&ask, &requirements));
    OK(multisplit_requirements_list(requirements, &list));
    CHECK(list.features & MULTISPLIT_FEATURE_SYNCHRONIZATION2);
    listed.pNext = list.feature_chain;
    listed.enabledExtensionCount = list.extension_count;
    listed.ppEnabledExtensionNames = list.extensions;
    OK(multisplit_requirements_check(requirements, &listed, &features));
    CHECK(features == list.features);
    VK(vkCreateDevice(host->physical, &listed, NULL, &device));
    vkDestroyDevice(device, NULL);
    OK(multisplit_requirements_merge(requirements, &merged));
    OK(multisplit_requirements_check(requirements, &merged, &features));
    CHECK(features == list.features && merged.enabledExtensionCount == list.extension_count);
    VK(vkCreateDevice(host->physical, &merged, NULL, &device));
    vkDestroyDevice(device, NULL);
    /* Merging again changes only addresses. */
    OK(multisplit_requirements_merge(requirements, &merged));
    CHECK(merged.enabledExtensionCount == list.extension_count);
    VK(vkCreateDevice(host->physical, &merged, NULL, &device));
    vkDestroyDevice(device, NULL);
    OK(multisplit_requirements_destroy(requirements));
}

static void nulls_of_a_context(const Host *host) {
    MultisplitContext *context = NULL;
    MultisplitContextInfo whole = host_context_info(host), info = whole;
    EXPECT(NULL, multisplit_context_create(NULL, &context));
    EXPECT(NULL, multisplit_context_create(&info, NULL));
    info.get_instance_proc_addr = NULL;
    EXPECT(NULL, multisplit_context_create(&info, &context));
    info = whole;
    info.instance = NULL;
    EXPECT(NULL, multisplit_context_create(&info, &context));
    info = whole;
    info.physical_device = NULL;
    EXPECT(NULL, multisplit_context_create(&info, &context));
    info = whole;
    info.device = NULL;
    EXPECT(NULL, multisplit_context_create(&info, &context));
    info = whole;
    info.queue = NULL;
    EXPECT(NULL, multisplit_context_create(&info, &context));
    CHECK(context == NULL);
}

/* Lane order is reported as kept, because no operation of these contexts has run. */
static void lane_order_of_a_context(const Host *host) {
    static const MultisplitRanking choices[] = {MULTISPLIT_RANKING_AUTO, MULTISPLIT_RANKING_PROMISED,
                                                MULTISPLIT_RANKING_PROBED};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i) {
        MultisplitContext *context;
        MultisplitContextInfo info = host_context_info(host);
        info.ranking = choices[i];
        OK(multisplit_context_create(&info, &context));
        VkBool32 kept = VK_FALSE;
        OK(multisplit_context_lane_order(context, &kept));
        CHECK(kept == VK_TRUE);
        EXPECT(NULL, multisplit_context_lane_order(context, NULL));
        OK(multisplit_context_destroy(context));
        EXPECT(HANDLE, multisplit_context_lane_order(context, &kept));
    }
    EXPECT(NULL, multisplit_context_lane_order(NULL, NULL));
}

static void nulls_with_a_context(MultisplitContext *context) {
    MultisplitOperation *operation = NULL;
    MultisplitSssp *sssp = NULL;
    MultisplitScanInfo scan = scan_info();
    MultisplitReduceInfo reduce = reduce_info();
    MultisplitSortInfo sort = sort_info();
    MultisplitSplitInfo split = split_info();
    MultisplitHistogramInfo histogram = histogram_info();
    MultisplitSsspInfo search = sssp_info();
    EXPECT(NULL, multisplit_scan_create(NULL, &scan, &operation));
    EXPECT(NULL, multisplit_scan_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_scan_create(context, &scan, NULL));
    EXPECT(NULL, multisplit_reduce_create(NULL, &reduce, &operation));
    EXPECT(NULL, multisplit_reduce_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_reduce_create(context, &reduce, NULL));
    MultisplitReduceByKeyInfo by_key = reduce_by_key_info();
    EXPECT(NULL, multisplit_reduce_by_key_create(NULL, &by_key, &operation));
    EXPECT(NULL, multisplit_reduce_by_key_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_reduce_by_key_create(context, &by_key, NULL));
    MultisplitScanByKeyInfo scan_by_key = scan_by_key_info();
    EXPECT(NULL, multisplit_scan_by_key_create(NULL, &scan_by_key, &operation));
    EXPECT(NULL, multisplit_scan_by_key_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_scan_by_key_create(context, &scan_by_key, NULL));
    MultisplitScanSegmentsInfo scan_segments = scan_segments_info();
    EXPECT(NULL, multisplit_scan_segments_create(NULL, &scan_segments, &operation));
    EXPECT(NULL, multisplit_scan_segments_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_scan_segments_create(context, &scan_segments, NULL));
    MultisplitReduceSegmentsInfo segments = reduce_segments_info();
    EXPECT(NULL, multisplit_reduce_segments_create(NULL, &segments, &operation));
    EXPECT(NULL, multisplit_reduce_segments_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_reduce_segments_create(context, &segments, NULL));
    MultisplitSearchInfo bounds = search_info();
    EXPECT(NULL, multisplit_search_create(NULL, &bounds, &operation));
    EXPECT(NULL, multisplit_search_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_search_create(context, &bounds, NULL));
    MultisplitMergeInfo merge = merge_info();
    EXPECT(NULL, multisplit_merge_create(NULL, &merge, &operation));
    EXPECT(NULL, multisplit_merge_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_merge_create(context, &merge, NULL));
    /* Operators without GLSL source, and host offsets that are NULL. */
    scan.op = reduce.op = by_key.op = scan_by_key.op = MULTISPLIT_OPERATOR_GLSL;
    scan_segments.op = segments.op = MULTISPLIT_OPERATOR_GLSL;
    EXPECT(NULL, multisplit_scan_create(context, &scan, &operation));
    EXPECT(NULL, multisplit_reduce_create(context, &reduce, &operation));
    EXPECT(NULL, multisplit_reduce_by_key_create(context, &by_key, &operation));
    EXPECT(NULL, multisplit_scan_by_key_create(context, &scan_by_key, &operation));
    EXPECT(NULL, multisplit_scan_segments_create(context, &scan_segments, &operation));
    EXPECT(NULL, multisplit_reduce_segments_create(context, &segments, &operation));
    sort.segments = MULTISPLIT_SEGMENTS_HOST_OFFSETS;
    EXPECT(NULL, multisplit_sort_create(context, &sort, &operation));
    sort = sort_info();
    MultisplitSelectInfo selection = select_info();
    EXPECT(NULL, multisplit_select_create(NULL, &selection, &operation));
    EXPECT(NULL, multisplit_select_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_select_create(context, &selection, NULL));
    selection.condition = MULTISPLIT_CONDITION_GLSL;
    EXPECT(NULL, multisplit_select_create(context, &selection, &operation));
    MultisplitTopKInfo topk = topk_info();
    EXPECT(NULL, multisplit_topk_create(NULL, &topk, &operation));
    EXPECT(NULL, multisplit_topk_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_topk_create(context, &topk, NULL));
    EXPECT(NULL, multisplit_sort_create(NULL, &sort, &operation));
    EXPECT(NULL, multisplit_sort_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_sort_create(context, &sort, NULL));
    EXPECT(NULL, multisplit_split_create(NULL, &split, &operation));
    EXPECT(NULL, multisplit_split_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_split_create(context, &split, NULL));
    EXPECT(NULL, multisplit_histogram_create(NULL, &histogram, &operation));
    EXPECT(NULL, multisplit_histogram_create(context, NULL, &operation));
    EXPECT(NULL, multisplit_histogram_create(context, &histogram, NULL));
    EXPECT(NULL, multisplit_sssp_create(NULL, &search, &sssp));
    EXPECT(NULL, multisplit_sssp_create(context, NULL, &sssp));
    EXPECT(NULL, multisplit_sssp_create(context, &search, NULL));
    sort.common.scope_count = 2;
    EXPECT(NULL, multisplit_sort_create(context, &sort, &operation));
    split.edges = NULL;
    EXPECT(NULL, multisplit_split_create(context, &split, &operation));
    split.bucket = MULTISPLIT_BUCKET_GLSL;
    split.edge_count = 0;
    EXPECT(NULL, multisplit_split_create(context, &split, &operation));
    histogram.edges = NULL;
    EXPECT(NULL, multisplit_histogram_create(context, &histogram, &operation));
    histogram.function = MULTISPLIT_BINS_GLSL;
    histogram.edge_count = 0;
    EXPECT(NULL, multisplit_histogram_create(context, &histogram, &operation));
    search.from = NULL;
    EXPECT(NULL, multisplit_sssp_create(context, &search, &sssp));
    search = sssp_info();
    search.to = NULL;
    EXPECT(NULL, multisplit_sssp_create(context, &search, &sssp));
    search = sssp_info();
    search.weight = MULTISPLIT_EDGE_WEIGHT_F32;
    EXPECT(NULL, multisplit_sssp_create(context, &search, &sssp));
    CHECK(operation == NULL && sssp == NULL);
}

/* Passes structures of another size or version. */
static void sizes_and_versions(const Host *host, MultisplitContext *context) {
    static const uint32_t wrong[] = {0, 4, 8, 4097, INT_MAX, UINT32_MAX};
    MultisplitOperation *operation;
    MultisplitRequirements *requirements;
    MultisplitContext *other;
    MultisplitSssp *sssp;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
#define WRONG_SIZE(Type, whole, call)              \
    do {                                           \
        Type info = whole;                         \
        info.struct_size = wrong[i];               \
        EXPECT(STRUCT_SIZE, call);                 \
    } while (0)
        WRONG_SIZE(MultisplitRequirementsInfo, requirements_info(host),
                   multisplit_requirements_create(&info, &requirements));
        WRONG_SIZE(MultisplitContextInfo, host_context_info(host),
                   multisplit_context_create(&info, &other));
        WRONG_SIZE(MultisplitScanInfo, scan_info(), multisplit_scan_create(context, &info, &operation));
        WRONG_SIZE(MultisplitReduceInfo, reduce_info(), multisplit_reduce_create(context, &info, &operation));
        WRONG_SIZE(MultisplitReduceByKeyInfo, reduce_by_key_info(),
                   multisplit_reduce_by_key_create(context, &info, &operation));
        WRONG_SIZE(MultisplitScanByKeyInfo, scan_by_key_info(),
                   multisplit_scan_by_key_create(context, &info, &operation));
        WRONG_SIZE(MultisplitScanSegmentsInfo, scan_segments_info(),
                   multisplit_scan_segments_create(context, &info, &operation));
        WRONG_SIZE(MultisplitReduceSegmentsInfo, reduce_segments_info(),
                   multisplit_reduce_segments_create(context, &info, &operation));
        WRONG_SIZE(MultisplitSearchInfo, search_info(), multisplit_search_create(context, &info, &operation));
        WRONG_SIZE(MultisplitMergeInfo, merge_info(), multisplit_merge_create(context, &info, &operation));
        WRONG_SIZE(MultisplitSelectInfo, select_info(), multisplit_select_create(context, &info, &operation));
        WRONG_SIZE(MultisplitSortInfo, sort_info(), multisplit_sort_create(context, &info, &operation));
        WRONG_SIZE(MultisplitTopKInfo, topk_info(), multisplit_topk_create(context, &info, &operation));
        WRONG_SIZE(MultisplitSplitInfo, split_info(),
                   multisplit_split_create(context, &info, &operation));
        WRONG_SIZE(MultisplitHistogramInfo, histogram_info(),
                   multisplit_histogram_create(context, &info, &operation));
        WRONG_SIZE(MultisplitSsspInfo, sssp_info(), multisplit_sssp_create(context, &info, &sssp));
    }
    static const uint32_t versions[] = {0, MULTISPLIT_VERSION + (1u << 12), MULTISPLIT_VERSION + (1u << 22),
                                        UINT32_MAX};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; ++i) {
        MultisplitRequirementsInfo ask = requirements_info(host);
        MultisplitContextInfo info = host_context_info(host);
        ask.version = info.version = versions[i];
        EXPECT(VERSION, multisplit_requirements_create(&ask, &requirements));
        EXPECT(VERSION, multisplit_context_create(&info, &other));
    }
}

/* Acts as callers that were compiled with fewer members, or with additional members that are zero. */
static void older_and_newer_callers(const Host *host, MultisplitContext *context) {
    MultisplitContext *other = NULL;
    MultisplitOperation *sort = NULL;
    struct Newer {
        MultisplitSortInfo info;
        uint64_t later[2];
    } newer = {.info = sort_info()};
    MultisplitContextInfo info = host_context_info(host);
    info.struct_size = offsetof(MultisplitContextInfo, debug_utils);
    /* Bytes past the given size are not read. */
    memset((char *)&info + info.struct_size, 0xFF, sizeof info - info.struct_size);
    OK(multisplit_context_create(&info, &other));
    OK(multisplit_context_destroy(other));
    info.struct_size -= 4;
    EXPECT(STRUCT_SIZE, multisplit_context_create(&info, &other));
    MultisplitSortInfo older = sort_info();
    older.struct_size = offsetof(MultisplitSortInfo, common) + sizeof older.common.n;
    memset((char *)&older + older.struct_size, 0xFF, sizeof older - older.struct_size);
    OK(multisplit_sort_create(context, &older, &sort));
    OK(multisplit_operation_destroy(sort));
    newer.info.struct_size = sizeof newer;
    OK(multisplit_sort_create(context, &newer.info, &sort));
    OK(multisplit_operation_destroy(sort));
    newer.later[1] = 1;
    EXPECT(STRUCT_SIZE, multisplit_sort_create(context, &newer.info, &sort));
    CHECK(strstr(multisplit_last_error(), "must be 0") != NULL);
}

#ifdef __SANITIZE_ADDRESS__
/*
 * Drivers, layers and the GLSL compiler keep memory that the test cannot free, and the stack traces do not
 * identify its owner. The validation layer reports leaked Vulkan objects.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }
#endif

int main(int argc, char **argv) {
    Host host;
    MultisplitContext *context = NULL;
    versions_and_names();
    host_create(&host, argc, argv);
    nulls_without_a_context(&host);
    devices_as_required(&host);
    nulls_of_a_context(&host);
    lane_order_of_a_context(&host);
    MultisplitContextInfo info = host_context_info(&host);
    OK(multisplit_context_create(&info, &context));
    nulls_with_a_context(context);
    sizes_and_versions(&host, context);
    older_and_newer_callers(&host, context);
    misuse(&host, context);
    results(&host, context);
    threads(&host, context);
    OK(multisplit_context_destroy(context));
    EXPECT(HANDLE, multisplit_context_destroy(context));
    int status = host_destroy(&host);
    return suite_end(status);
}
