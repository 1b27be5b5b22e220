/*
 * Tests incorrect calls beyond those of abi.c: devices that do not match their description, invalid enumeration
 * values, calls in the wrong order, destroyed handles. They must return error codes and never crash.
 */
#include "suite.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A loader function that finds no function. */
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL knows_nothing(VkInstance instance, const char *name) {
    (void)instance;
    (void)name;
    return NULL;
}

/* Devices that do not match their description. */
static void wrong_devices(const Host *host) {
    MultisplitContext *context;
    MultisplitRequirements *requirements;
    MultisplitContextInfo info = host_context_info(host);
    MultisplitRequirementsInfo ask = requirements_info(host);
    info.get_instance_proc_addr = ask.get_instance_proc_addr = knows_nothing;
    EXPECT(UNSUPPORTED, multisplit_context_create(&info, &context));
    EXPECT(UNSUPPORTED, multisplit_requirements_create(&ask, &requirements));
    info = host_context_info(host);
    ask = requirements_info(host);
    info.api_version = ask.api_version = VK_API_VERSION_1_1;
    EXPECT(UNSUPPORTED, multisplit_context_create(&info, &context));
    EXPECT(UNSUPPORTED, multisplit_requirements_create(&ask, &requirements));
    info = host_context_info(host);
    ask = requirements_info(host);
    ask.leave_out = MULTISPLIT_FEATURE_SYNCHRONIZATION2;
    EXPECT(INVALID, multisplit_requirements_create(&ask, &requirements));
    SAYS("required");
    ask.leave_out = 1u << 31;
    EXPECT(INVALID, multisplit_requirements_create(&ask, &requirements));
    info.features = 0;
    EXPECT(UNSUPPORTED, multisplit_context_create(&info, &context));
    info.features = 1u << 31;
    EXPECT(INVALID, multisplit_context_create(&info, &context));
    info = host_context_info(host);
    info.queue_family = 1000;
    EXPECT(UNSUPPORTED, multisplit_context_create(&info, &context));
    info = host_context_info(host);
    info.pipeline_cache = "\xff\xfe";
    EXPECT(INVALID, multisplit_context_create(&info, &context));
    info = host_context_info(host);
    info.reserved = 1;
    EXPECT(INVALID, multisplit_context_create(&info, &context));
    info = host_context_info(host);
    info.reserved_too = 1;
    EXPECT(INVALID, multisplit_context_create(&info, &context));
    info = host_context_info(host);
    const uint32_t no_ranking = 3;
    memcpy(&info.ranking, &no_ranking, sizeof no_ranking);
    EXPECT(INVALID, multisplit_context_create(&info, &context));
    /* Profiles that are malformed, of another version, or NULL. */
    static const char *const profiles[] = {"fast", "multisplit profile 0\n", "multisplit profile 1\n"};
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; ++i) {
        info = host_context_info(host);
        info.profile = (const uint8_t *)profiles[i];
        info.profile_size = strlen(profiles[i]);
        EXPECT(PROFILE, multisplit_context_create(&info, &context));
        CHECK(strstr(multisplit_last_error(), "profile") != NULL);
    }
    info.profile = NULL;
    EXPECT(NULL, multisplit_context_create(&info, &context));
    /* A profile size that exceeds any memory. */
    info.profile = (const uint8_t *)profiles[0];
    info.profile_size = UINT64_C(1) << 60;
    EXPECT(TOO_LARGE, multisplit_context_create(&info, &context));
    SAYS("profile_size is 1152921504606846976");
    /* Allocation callbacks without the functions that drivers call. */
    VkAllocationCallbacks callbacks = {0};
    info = host_context_info(host);
    info.allocation_callbacks = &callbacks;
    EXPECT(NULL, multisplit_context_create(&info, &context));
    SAYS("allocation_callbacks.pfnAllocation");
    info.device = NULL;
    EXPECT(NULL, multisplit_device_create(&info, NULL));
    CHECK(info.device == NULL);
    /* Device parameters without a required feature: the message names it. */
    VkDeviceCreateInfo bare = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    uint32_t features;
    ask = requirements_info(host);
    OK(multisplit_requirements_create(&ask, &requirements));
    EXPECT(UNSUPPORTED, multisplit_requirements_check(requirements, &bare, &features));
    CHECK(strstr(multisplit_last_error(), "synchronization2") != NULL);
    OK(multisplit_requirements_destroy(requirements));
}

static void wrong_operations(MultisplitContext *context) {
    MultisplitOperation *operation = NULL;
#define WRONG_SORT(code, change)                                          \
    do {                                                                  \
        MultisplitSortInfo info = sort_info();                            \
        change;                                                           \
        RETURNS(MULTISPLIT_ERROR_##code, multisplit_sort_create(context, &info, &operation)); \
    } while (0)
    WRONG_SORT(INVALID, info.key_type = (MultisplitKeyType)12);
    WRONG_SORT(INVALID, info.key_type = (MultisplitKeyType)-1);
    WRONG_SORT(INVALID, info.values = (MultisplitSortValues)9);
    WRONG_SORT(INVALID, info.common.count = (MultisplitCount)3);
    WRONG_SORT(VALUE_SIZE, (info.values = MULTISPLIT_SORT_VALUES_VALUES, info.value_bytes = 1));
    WRONG_SORT(VALUE_SIZE, (info.values = MULTISPLIT_SORT_VALUES_VALUES, info.value_bytes = 12));
    SAYS("values of 12 bytes are not supported; use values of 4, 8 or 16 bytes");
    WRONG_SORT(SORT_BITS, info.first_bit = 33);
    WRONG_SORT(SORT_BITS, info.first_bit = 32);
    SAYS("first_bit is 32; the bits of a u32 key are 0 to 31");
    WRONG_SORT(SORT_BITS, info.bit_count = 33);
    SAYS("cannot sort u32 keys by bits 0..33; the range must be within 0..32");
    WRONG_SORT(SORT_BITS, (info.first_bit = UINT32_MAX, info.bit_count = UINT32_MAX));
    WRONG_SORT(TOO_LARGE, info.common.n = 1u << 30);
    WRONG_SORT(TOO_LARGE, info.common.n = UINT64_MAX);
    /* Values of 8 GiB, which exceed the binding limit of any device. */
    WRONG_SORT(TOO_LARGE, (info.values = MULTISPLIT_SORT_VALUES_VALUES, info.value_bytes = 16,
                           info.common.n = 1u << 29));
    WRONG_SORT(TOO_LARGE, (info.common.n = UINT64_MAX, info.common.count = MULTISPLIT_COUNT_DEVICE));
    MultisplitRoleScope scope = {.role = MULTISPLIT_ROLE_OFFSETS,
                                 .before = {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                            VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT}};
    WRONG_SORT(INVALID, (info.common.scopes = &scope, info.common.scope_count = 1));
    scope.role = (MultisplitRole)99;
    WRONG_SORT(INVALID, (info.common.scopes = &scope, info.common.scope_count = 1));
    scope.role = MULTISPLIT_ROLE_KEYS;
    scope.reserved = 1;
    WRONG_SORT(INVALID, (info.common.scopes = &scope, info.common.scope_count = 1));
    SAYS("MultisplitRoleScope: a reserved member is 1; it must be 0");
    scope.reserved = 0;
    scope.before.stages = VK_PIPELINE_STAGE_2_TRANSFER_BIT;
    WRONG_SORT(INVALID, (info.common.scopes = &scope, info.common.scope_count = 1));
    WRONG_SORT(INVALID, (info.common.scopes = (const void *)((const char *)&scope + 1),
                         info.common.scope_count = 1));

#define WRONG_SPLIT(code, change)                                          \
    do {                                                                   \
        MultisplitSplitInfo info = split_info();                           \
        change;                                                            \
        RETURNS(MULTISPLIT_ERROR_##code, multisplit_split_create(context, &info, &operation)); \
    } while (0)
    static const uint32_t falling[] = {7, 6, 5, 4, 3, 2, 1};
    WRONG_SPLIT(INVALID, info.buckets = 0);
    WRONG_SPLIT(TOO_LARGE, info.buckets = 65537);
    WRONG_SPLIT(TOO_LARGE, info.buckets = UINT32_MAX);
    WRONG_SPLIT(INVALID, info.bucket = (MultisplitBucket)6);
    WRONG_SPLIT(INVALID, info.output = (MultisplitSplitOutput)3);
    WRONG_SPLIT(INVALID, info.width = 0);
    WRONG_SPLIT(INVALID, info.edge_count = 0);
    WRONG_SPLIT(INVALID, info.bucket = MULTISPLIT_BUCKET_EVEN);
    WRONG_SPLIT(INVALID, info.bucket = MULTISPLIT_BUCKET_RANGE);
    WRONG_SPLIT(INVALID, (info.bucket = MULTISPLIT_BUCKET_RANGE, info.edges = falling, info.edge_count = 7));
    WRONG_SPLIT(INVALID, (info.bucket = MULTISPLIT_BUCKET_DIGIT, info.bits = 33));
    WRONG_SPLIT(INVALID, (info.bucket = MULTISPLIT_BUCKET_DIGIT, info.shift = 30));
    WRONG_SPLIT(VALUE_SIZE, (info.output = MULTISPLIT_SPLIT_OUTPUT_PAIRS, info.value_bytes = 32));
    WRONG_SPLIT(VALUE_SIZE, (info.output = MULTISPLIT_SPLIT_OUTPUT_PAIRS, info.value_bytes = 12));
    WRONG_SPLIT(TOO_LARGE, info.common.n = 1u << 30);
    WRONG_SPLIT(INVALID, (info.bucket = MULTISPLIT_BUCKET_GLSL, info.glsl = "\xff"));
    WRONG_SPLIT(GLSL, (info.bucket = MULTISPLIT_BUCKET_GLSL,
                       info.glsl = "uint bucket_of(uint key) {\n    return kez;\n}\n"));
    CHECK(strstr(multisplit_last_error(), "kez") != NULL && strstr(multisplit_last_error(), ":2") != NULL);
    WRONG_SPLIT(GLSL, (info.bucket = MULTISPLIT_BUCKET_GLSL, info.glsl = ""));

#define WRONG_HISTOGRAM(code, change)                                          \
    do {                                                                       \
        MultisplitHistogramInfo info = histogram_info();                       \
        change;                                                                \
        RETURNS(MULTISPLIT_ERROR_##code, multisplit_histogram_create(context, &info, &operation)); \
    } while (0)
    WRONG_HISTOGRAM(INVALID, info.bins = 0);
    WRONG_HISTOGRAM(TOO_LARGE, info.bins = (1u << 20) + 1);
    WRONG_HISTOGRAM(TOO_LARGE, info.bins = UINT32_MAX);
    WRONG_HISTOGRAM(INVALID, info.sample_type = (MultisplitSampleType)8);
    WRONG_HISTOGRAM(INVALID, info.function = (MultisplitBins)4);
    WRONG_HISTOGRAM(INVALID, info.weight = (MultisplitWeight)3);
    WRONG_HISTOGRAM(INVALID, info.edge_count = 1);
    WRONG_HISTOGRAM(INVALID, info.function = MULTISPLIT_BINS_RANGE);
    WRONG_HISTOGRAM(INVALID, info.function = MULTISPLIT_BINS_IDENTITY);
    WRONG_HISTOGRAM(INVALID, info.channels = 5);
    WRONG_HISTOGRAM(INVALID, info.channels = UINT32_MAX);
    WRONG_HISTOGRAM(INVALID, info.active_channels = 2);
    WRONG_HISTOGRAM(INVALID, info.stride = 3);
    WRONG_HISTOGRAM(INVALID, (info.cumulative = 1, info.wide_counts = 1));
    WRONG_HISTOGRAM(INVALID, (info.weight = MULTISPLIT_WEIGHT_F32, info.wide_counts = 1));
    WRONG_HISTOGRAM(INVALID, (info.sample_type = MULTISPLIT_SAMPLE_TYPE_U32, info.edge_count = 0, info.closed = VK_TRUE,
                              info.function = MULTISPLIT_BINS_IDENTITY));
    WRONG_HISTOGRAM(TOO_LARGE, info.common.n = UINT64_MAX);

    MultisplitScanInfo scan = scan_info();
    scan.common.n = UINT64_MAX;
    EXPECT(TOO_LARGE, multisplit_scan_create(context, &scan, &operation));
    CHECK(operation == NULL);
    scan = scan_info();
    scan.op = (MultisplitOperator)4;
    EXPECT(INVALID, multisplit_scan_create(context, &scan, &operation));
    scan = scan_info();
    scan.key_type = (MultisplitKeyType)12;
    EXPECT(INVALID, multisplit_scan_create(context, &scan, &operation));
    MultisplitReduceInfo reduce = reduce_info();
    reduce.index = VK_TRUE;
    EXPECT(INVALID, multisplit_reduce_create(context, &reduce, &operation));
    reduce = reduce_info();
    reduce.op = (MultisplitOperator)-1;
    EXPECT(INVALID, multisplit_reduce_create(context, &reduce, &operation));
    reduce = reduce_info();
    reduce.common.n = UINT64_MAX;
    EXPECT(TOO_LARGE, multisplit_reduce_create(context, &reduce, &operation));
    MultisplitReduceByKeyInfo by_key = reduce_by_key_info();
    by_key.value_type = (MultisplitKeyType)12;
    EXPECT(INVALID, multisplit_reduce_by_key_create(context, &by_key, &operation));
    by_key = reduce_by_key_info();
    by_key.common.n = UINT64_MAX;
    EXPECT(TOO_LARGE, multisplit_reduce_by_key_create(context, &by_key, &operation));
    MultisplitSelectInfo selection = select_info();
    selection.condition = (MultisplitCondition)10;
    EXPECT(INVALID, multisplit_select_create(context, &selection, &operation));
    selection = select_info();
    selection.run_lengths = VK_TRUE;
    EXPECT(INVALID, multisplit_select_create(context, &selection, &operation));
    scan = scan_info();
    scan.common.frames = UINT32_MAX;
    EXPECT(TOO_LARGE, multisplit_scan_create(context, &scan, &operation));
    scan.common.frames = 1025;
    EXPECT(TOO_LARGE, multisplit_scan_create(context, &scan, &operation));
    SAYS("number of frames in flight: 1025 given, at most 1024 supported");
    /* Numbers whose type differs from the element type. */
    selection = select_info();
    selection.key_type = MULTISPLIT_KEY_TYPE_F32;
    EXPECT(INVALID, multisplit_select_create(context, &selection, &operation));
    SAYS("first is a number of type u32, but the elements have type f32; use multisplit_f32");
    selection.first = multisplit_f32(0.5f);
    selection.condition = MULTISPLIT_CONDITION_WITHIN;
    selection.last = multisplit_f64(0.5);
    EXPECT(INVALID, multisplit_select_create(context, &selection, &operation));
    SAYS("last is a number of type f64");
    selection = select_info();
    selection.first.bits = UINT64_C(1) << 32;
    EXPECT(INVALID, multisplit_select_create(context, &selection, &operation));
    selection = select_info();
    selection.first.reserved = 1;
    EXPECT(INVALID, multisplit_select_create(context, &selection, &operation));
    by_key = reduce_by_key_info();
    by_key.reserved = 1;
    EXPECT(INVALID, multisplit_reduce_by_key_create(context, &by_key, &operation));
    scan = scan_info();
    scan.op = MULTISPLIT_OPERATOR_GLSL;
    scan.glsl = "uint combined(uint a, uint b) { return a * b; }";
    scan.identity = multisplit_i32(1);
    EXPECT(INVALID, multisplit_scan_create(context, &scan, &operation));
    CHECK(operation == NULL);
}

/* The address of the message is the same after every error of a thread, and a long message is truncated. */
static void messages(MultisplitContext *context) {
    MultisplitOperation *operation = NULL;
    EXPECT(NULL, multisplit_context_create(NULL, NULL));
    const char *message = multisplit_last_error();
    static char glsl[20000];
    memset(glsl, 'x', sizeof glsl - 1);
    MultisplitSplitInfo info = split_info();
    info.bucket = MULTISPLIT_BUCKET_GLSL;
    info.glsl = glsl;
    EXPECT(GLSL, multisplit_split_create(context, &info, &operation));
    CHECK(message == multisplit_last_error() && strlen(message) < 8192);
}

static void wrong_networks(MultisplitContext *context) {
    MultisplitSssp *sssp = NULL;
    const float not_a_number[] = {1.0f, -1.0f};
#define WRONG_NETWORK(code, change)                                   \
    do {                                                              \
        MultisplitSsspInfo info = sssp_info();                        \
        change;                                                       \
        RETURNS(MULTISPLIT_ERROR_##code, multisplit_sssp_create(context, &info, &sssp));  \
    } while (0)
    WRONG_NETWORK(INVALID, info.reserved = 1);
    WRONG_NETWORK(INVALID, info.vertices = 0);
    WRONG_NETWORK(INVALID, info.vertices = 2);
    WRONG_NETWORK(TOO_LARGE, info.vertices = UINT32_MAX);
    WRONG_NETWORK(TOO_LARGE, info.edge_count = UINT64_MAX);
    WRONG_NETWORK(TOO_LARGE, info.edge_count = UINT64_C(1) << 60);
    WRONG_NETWORK(TOO_LARGE, info.edge_count = UINT64_C(1) << 30);
    WRONG_NETWORK(INVALID, info.method = (MultisplitSsspMethod)6);
    WRONG_NETWORK(INVALID, info.weight = (MultisplitEdgeWeight)3);
    WRONG_NETWORK(INVALID, (info.weight = MULTISPLIT_EDGE_WEIGHT_F32, info.weights = not_a_number));
    CHECK(sssp == NULL);

    MultisplitSsspInfo info = sssp_info();
    uint32_t distances[3], predecessors[3];
    OK(multisplit_sssp_create(context, &info, &sssp));
    EXPECT(NULL, multisplit_sssp_solve(NULL, 0, distances, NULL, 3));
    EXPECT(NULL, multisplit_sssp_solve(sssp, 0, NULL, NULL, 3));
    EXPECT(TOO_SMALL, multisplit_sssp_solve(sssp, 0, distances, NULL, 2));
    EXPECT(INVALID, multisplit_sssp_solve(sssp, 0, distances, predecessors, 3));
    EXPECT(INVALID, multisplit_sssp_solve(sssp, 3, distances, NULL, 3));
    EXPECT(IN_USE, multisplit_context_destroy(context));
    OK(multisplit_sssp_destroy(sssp));
    EXPECT(HANDLE, multisplit_sssp_destroy(sssp));
    EXPECT(HANDLE, multisplit_sssp_solve(sssp, 0, distances, NULL, 3));
}

/* Calls in the wrong order, and recordings with invalid arguments. */
static void wrong_recordings(const Host *host, MultisplitContext *context) {
    MultisplitOperation *sort = NULL;
    MultisplitSortInfo info = sort_info();
    MultisplitContract contract;
    MultisplitWorkspace workspace;
    uint32_t count;
    MultisplitRecordInfo record = {.struct_size = sizeof record};
    OK(multisplit_sort_create(context, &info, &sort));
    EXPECT(NULL, multisplit_operation_workspace(NULL, &workspace));
    EXPECT(NULL, multisplit_operation_workspace(sort, NULL));
    OK(multisplit_operation_workspace(sort, &workspace));
    OK(multisplit_operation_contract(sort, MULTISPLIT_ROLE_KEYS, &contract));
    EXPECT(NOT_READY, multisplit_operation_timestamps(sort, VK_TRUE, &count));
    host_begin(host);
    EXPECT(NOT_READY, multisplit_record(sort, host->commands, &record));
    EXPECT(NULL, multisplit_operation_warm_up(NULL));
    OK(multisplit_operation_warm_up(sort));
    OK(multisplit_operation_warm_up(sort));
    EXPECT(NULL, multisplit_operation_contract(NULL, MULTISPLIT_ROLE_KEYS, &contract));
    EXPECT(NULL, multisplit_operation_contract(sort, MULTISPLIT_ROLE_KEYS, NULL));
    EXPECT(INVALID, multisplit_operation_contract(sort, MULTISPLIT_ROLE_OFFSETS, &contract));
    EXPECT(INVALID, multisplit_operation_contract(sort, (MultisplitRole)99, &contract));
    EXPECT(NULL, multisplit_operation_timestamps(NULL, VK_TRUE, &count));
    EXPECT(NULL, multisplit_operation_timestamps(sort, VK_TRUE, NULL));
    OK(multisplit_operation_timestamps(sort, VK_FALSE, &count));
    CHECK(count == 2);
    OK(multisplit_operation_contract(sort, MULTISPLIT_ROLE_KEYS, &contract));
    CHECK(contract.used && contract.size == 4000 && contract.first_use.stages != 0);

    HostBuffer keys = host_buffer(host, contract.size, contract.usage);
    HostBuffer scratch = host_buffer(host, workspace.size, workspace.usage);
    const MultisplitBinding bound = {.buffer = keys.buffer, .size = keys.size};
    const MultisplitBinding memory = {.buffer = scratch.buffer, .size = scratch.size};
    EXPECT(NULL, multisplit_record(NULL, host->commands, &record));
    EXPECT(NULL, multisplit_record(sort, NULL, &record));
    EXPECT(NULL, multisplit_record(sort, host->commands, NULL));
#define WRONG_RECORD(code, change)                                            \
    do {                                                                      \
        MultisplitBinding bindings[40];                                       \
        for (int i = 0; i < 40; ++i) {                                        \
            bindings[i] = bound;                                              \
        }                                                                     \
        record = (MultisplitRecordInfo){.struct_size = sizeof record,         \
                                        .binding_count = 1,                   \
                                        .bindings = bindings,                 \
                                        .workspace = memory};                 \
        change;                                                               \
        RETURNS(MULTISPLIT_ERROR_##code, multisplit_record(sort, host->commands, &record));       \
    } while (0)
    WRONG_RECORD(STRUCT_SIZE, record.struct_size = 0);
    WRONG_RECORD(STRUCT_SIZE, record.struct_size = offsetof(MultisplitRecordInfo, workspace) - 4);
    WRONG_RECORD(NULL, record.bindings = NULL);
    WRONG_RECORD(INVALID, record.binding_count = 0);
    WRONG_RECORD(INVALID, record.binding_count = 2);
    WRONG_RECORD(INVALID, record.binding_count = 40);
    WRONG_RECORD(INVALID, bindings[0].role = (MultisplitRole)-7);
    WRONG_RECORD(INVALID, bindings[0].role = MULTISPLIT_ROLE_SAMPLES);
    WRONG_RECORD(NULL, bindings[0].buffer = VK_NULL_HANDLE);
    WRONG_RECORD(TOO_SMALL, bindings[0].size = 3999);
    WRONG_RECORD(TOO_SMALL, bindings[0].size = 0);
    WRONG_RECORD(MISALIGNED, bindings[0].offset = 2);
    WRONG_RECORD(INVALID, bindings[0].address = 4096);
    WRONG_RECORD(INVALID, (bindings[0].buffer = VK_NULL_HANDLE, bindings[0].address = 4096));
    WRONG_RECORD(TOO_LARGE, (bindings[0].offset = UINT64_MAX - 255, bindings[0].size = 4096));
    SAYS("exceed 2^64 - 1");
    WRONG_RECORD(TOO_LARGE, (bindings[0].offset = UINT64_MAX - 255, bindings[0].size = VK_WHOLE_SIZE));
    WRONG_RECORD(TOO_LARGE, (bindings[0].buffer = VK_NULL_HANDLE, bindings[0].address = UINT64_MAX - 255));
    MultisplitValues values = {.edge_count = 0};
    WRONG_RECORD(INVALID, record.values = &values);
    SAYS("neither comparison limits, nor settable edges, nor GLSL parameters");
    WRONG_RECORD(INVALID, record.values = (const void *)((const char *)&values + 1));
    WRONG_RECORD(INVALID, record.count = 10);
    WRONG_RECORD(INVALID, record.other_count = 10);
    SAYS("other_count is 10");
    WRONG_RECORD(FRAME, record.frame = 1);
    SAYS("frame 1 does not exist");
    WRONG_RECORD(FRAME, record.frame = UINT32_MAX);
    WRONG_RECORD(INVALID, record.reserved = 1);
    WRONG_RECORD(INVALID, bindings[0].reserved = 1);
    WRONG_RECORD(INVALID, record.workspace.reserved = 1);
    WRONG_RECORD(INVALID, record.workspace = ((MultisplitBinding){.address = 4096}));
    if (workspace.size > 0) {
        WRONG_RECORD(NULL, record.workspace.buffer = VK_NULL_HANDLE);
        WRONG_RECORD(TOO_SMALL, record.workspace.size = workspace.size - 1);
        WRONG_RECORD(MISALIGNED, record.workspace.offset = 2);
        WRONG_RECORD(TOO_LARGE, record.workspace.offset = UINT64_MAX - 255);
        /* Scratch memory and keys overlap in one buffer, at the same offset or at different offsets. */
        WRONG_RECORD(INVALID, record.workspace = bindings[0]; record.workspace.size = VK_WHOLE_SIZE);
        SAYS("the workspace overlaps import");
        WRONG_RECORD(INVALID, bindings[0].buffer = scratch.buffer);
        WRONG_RECORD(INVALID, (bindings[0].buffer = scratch.buffer, bindings[0].size = VK_WHOLE_SIZE,
                               bindings[0].offset = workspace.size / 256 * 256 - 256));
    }
    EXPECT(IN_USE, multisplit_context_destroy(context));
    OK(multisplit_operation_destroy(sort));
    EXPECT(HANDLE, multisplit_operation_destroy(sort));
    EXPECT(HANDLE, multisplit_operation_warm_up(sort));
    EXPECT(HANDLE, multisplit_operation_contract(sort, MULTISPLIT_ROLE_KEYS, &contract));
    EXPECT(HANDLE, multisplit_record(sort, host->commands, &record));
    host_submit(host);
    host_free(host, &keys);
    host_free(host, &scratch);
}

/* Handles of another kind, and handles that were never created. */
static void wrong_handles(MultisplitContext *context) {
    MultisplitOperation *operation = NULL;
    MultisplitWorkspace workspace;
    MultisplitScanInfo info = scan_info();
    const uintptr_t never[] = {1, 8, 0x7fff0000, UINTPTR_MAX};
    for (size_t i = 0; i < sizeof never / sizeof *never; ++i) {
        EXPECT(HANDLE, multisplit_scan_create((MultisplitContext *)never[i], &info, &operation));
        EXPECT(HANDLE, multisplit_operation_workspace((MultisplitOperation *)never[i], &workspace));
        EXPECT(HANDLE, multisplit_context_destroy((MultisplitContext *)never[i]));
    }
    EXPECT(HANDLE, multisplit_operation_destroy((MultisplitOperation *)context));
    OK(multisplit_scan_create(context, &info, &operation));
    EXPECT(HANDLE, multisplit_context_destroy((MultisplitContext *)operation));
    OK(multisplit_operation_destroy(operation));
}

static void *message_of_another_thread(void *unused) {
    (void)unused;
    CHECK(multisplit_last_error()[0] == '\0');
    EXPECT(NULL, multisplit_context_create(NULL, NULL));
    return NULL;
}

static void messages_belong_to_threads(void) {
    char before[256];
    pthread_t thread;
    EXPECT(NULL, multisplit_record(NULL, NULL, NULL));
    snprintf(before, sizeof before, "%s", multisplit_last_error());
    CHECK(pthread_create(&thread, NULL, message_of_another_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(strcmp(before, multisplit_last_error()) == 0);
}

void misuse(const Host *host, MultisplitContext *context) {
    wrong_devices(host);
    wrong_operations(context);
    misuse_family(context);
    wrong_networks(context);
    wrong_recordings(host, context);
    ranges(host, context);
    wrong_handles(context);
    messages(context);
    messages_belong_to_threads();
}
