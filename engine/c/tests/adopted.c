/*
 * Tests devices that do not match their description (another Vulkan version, missing functions), a device
 * without 64-bit integers, and two copies of the library in one process. Also checks the amount of allocated
 * memory.
 */
#include "suite.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3000, MAX_NAMES = 2048 };

/* Device functions that the library has looked up. */
static const char *asked[MAX_NAMES];
static unsigned char needed[MAX_NAMES];
static unsigned asked_count;
static const char *hidden;
static int hide_unneeded;
static unsigned allocations;
static VkDeviceSize allocated, largest;

static VKAPI_ATTR VkResult VKAPI_CALL counting_allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                                        const VkAllocationCallbacks *callbacks,
                                                        VkDeviceMemory *memory) {
    ++allocations;
    allocated += info->allocationSize;
    largest = info->allocationSize > largest ? info->allocationSize : largest;
    return vkAllocateMemory(device, info, callbacks, memory);
}

static unsigned number_of(const char *name) {
    unsigned i = 0;
    while (i < asked_count && strcmp(asked[i], name) != 0) {
        ++i;
    }
    if (i == asked_count && i < MAX_NAMES) {
        char *copy = malloc(strlen(name) + 1);
        asked[asked_count++] = copy != NULL ? strcpy(copy, name) : "";
    }
    return i;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name) {
    unsigned number = number_of(name);
    if ((hidden != NULL && strcmp(hidden, name) == 0) || (hide_unneeded && !needed[number])) {
        return NULL;
    }
    if (strcmp(name, "vkAllocateMemory") == 0) {
        return (PFN_vkVoidFunction)counting_allocate;
    }
    return vkGetDeviceProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name) {
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)device_function;
    }
    return vkGetInstanceProcAddr(instance, name);
}

/* Checks that a context created from `info` sorts descending numbers. */
static void sorts(const Host *host, const MultisplitContextInfo *info) {
    MultisplitContext *context = NULL;
    MultisplitOperation *sort = NULL;
    MultisplitSortInfo of = {.struct_size = sizeof of, .common = {.n = N}};
    MultisplitContract keys;
    OK(multisplit_context_create(info, &context));
    OK(multisplit_sort_create(context, &of, &sort));
    OK(multisplit_operation_warm_up(sort));
    OK(multisplit_operation_contract(sort, MULTISPLIT_ROLE_KEYS, &keys));
    HostBuffer buffer = host_buffer(host, keys.size, keys.usage);
    uint32_t *numbers = buffer.mapped;
    for (uint32_t i = 0; i < N; ++i) {
        numbers[i] = N - i;
    }
    MultisplitBinding bound = {.role = MULTISPLIT_ROLE_KEYS, .buffer = buffer.buffer, .size = buffer.size};
    MultisplitRecordInfo record = {.struct_size = sizeof record, .binding_count = 1, .bindings = &bound};
    host_begin(host);
    OK(multisplit_record(sort, host->commands, &record));
    host_barrier(host, keys.last_use, host_host_read());
    host_submit(host);
    int right = 1;
    for (uint32_t i = 0; i < N; ++i) {
        right = right && numbers[i] == i + 1;
    }
    CHECK(right);
    host_free(host, &buffer);
    OK(multisplit_operation_destroy(sort));
    OK(multisplit_context_destroy(context));
}

/* A wrong api_version is tolerated: the library finds the barrier function under either of its names. */
static void versions(int argc, char **argv) {
    static const uint32_t made[] = {VK_API_VERSION_1_3, VK_API_VERSION_1_2};
    static const uint32_t said[] = {VK_API_VERSION_1_2, VK_API_VERSION_1_3};
    for (int i = 0; i < 2; ++i) {
        Host host;
        host_create_version(&host, argc, argv, made[i]);
        MultisplitContextInfo info = host_context_info(&host);
        info.api_version = said[i];
        sorts(&host, &info);
        CHECK(host_destroy(&host) == 0);
    }
}

/*
 * A missing function either makes context creation fail or is never called: a device that lacks all functions
 * but the required ones still sorts.
 */
static void functions(const Host *host) {
    MultisplitContextInfo info = host_context_info(host);
    MultisplitContext *context = NULL;
    unsigned refused = 0;
    info.get_instance_proc_addr = instance_function;
    OK(multisplit_context_create(&info, &context));
    OK(multisplit_context_destroy(context));
    const unsigned count = asked_count;
    CHECK(count > 100 && count < MAX_NAMES);
    for (unsigned i = 0; i < count; ++i) {
        hidden = asked[i];
        MultisplitResult result = multisplit_context_create(&info, &context);
        if (result == MULTISPLIT_SUCCESS) {
            OK(multisplit_context_destroy(context));
        } else {
            CHECK(result == MULTISPLIT_ERROR_UNSUPPORTED && strstr(multisplit_last_error(), hidden) != NULL);
            needed[i] = 1;
            ++refused;
        }
    }
    hidden = NULL;
    printf("%u of %u functions are needed\n", refused, count);
    CHECK(refused > 40);
    /* The barrier function has two names, and either is sufficient. Keep the first. */
    needed[number_of("vkCmdPipelineBarrier2")] = 1;
    hide_unneeded = 1;
    sorts(host, &info);
    hide_unneeded = 0;
}

/* Creating an operation on 64-bit elements fails; on 32-bit elements, it is created and warmed up. */
#define NEEDS_INT64(kind, member, wide, narrow) \
    do { \
        kind.member = wide; \
        EXPECT(UNSUPPORTED, multisplit_##kind##_create(context, &kind, &operation)); \
        SAYS("shaderInt64"); \
        CHECK(operation == NULL); \
        kind.member = narrow; \
        OK(multisplit_##kind##_create(context, &kind, &operation)); \
        OK(multisplit_operation_warm_up(operation)); \
        OK(multisplit_operation_destroy(operation)); \
        operation = NULL; \
    } while (0)

/* On a device without 64-bit integers, operations that need them are rejected when they are created. */
static void without_int64(int argc, char **argv) {
    Host host;
    MultisplitContext *context = NULL;
    MultisplitOperation *operation = NULL;
    host_open(&host, argc, argv, VK_API_VERSION_1_3);
    MultisplitContextInfo info = host_context_info(&host);
    info.leave_out = MULTISPLIT_FEATURE_SHADER_INT64;
    OK(multisplit_device_create(&info, NULL));
    host_use(&host, info.device, info.queue, info.features);
    OK(multisplit_context_create(&info, &context));
    MultisplitSortInfo sort = sort_info();
    NEEDS_INT64(sort, key_type, MULTISPLIT_KEY_TYPE_U64, MULTISPLIT_KEY_TYPE_U32);
    NEEDS_INT64(sort, key_type, MULTISPLIT_KEY_TYPE_F64, MULTISPLIT_KEY_TYPE_F32);
    MultisplitSplitInfo split = split_info();
    split.bucket = MULTISPLIT_BUCKET_IDENTITY;
    NEEDS_INT64(split, key_type, MULTISPLIT_KEY_TYPE_I64, MULTISPLIT_KEY_TYPE_I32);
    MultisplitHistogramInfo histogram = histogram_info();
    histogram.function = MULTISPLIT_BINS_IDENTITY;
    NEEDS_INT64(histogram, sample_type, MULTISPLIT_SAMPLE_TYPE_I64, MULTISPLIT_SAMPLE_TYPE_I32);
    MultisplitTopKInfo topk = topk_info();
    NEEDS_INT64(topk, key_type, MULTISPLIT_KEY_TYPE_U64, MULTISPLIT_KEY_TYPE_U32);
    MultisplitScanInfo scan = scan_info();
    NEEDS_INT64(scan, key_type, MULTISPLIT_KEY_TYPE_I64, MULTISPLIT_KEY_TYPE_I32);
    MultisplitReduceInfo reduce = reduce_info();
    NEEDS_INT64(reduce, key_type, MULTISPLIT_KEY_TYPE_U64, MULTISPLIT_KEY_TYPE_U32);
    MultisplitSelectInfo select = select_info();
    select.condition = MULTISPLIT_CONDITION_FIRST_OF_RUNS;
    NEEDS_INT64(select, key_type, MULTISPLIT_KEY_TYPE_U64, MULTISPLIT_KEY_TYPE_U32);
    MultisplitSearchInfo search = search_info();
    NEEDS_INT64(search, key_type, MULTISPLIT_KEY_TYPE_I64, MULTISPLIT_KEY_TYPE_I32);
    MultisplitMergeInfo merge = merge_info();
    NEEDS_INT64(merge, key_type, MULTISPLIT_KEY_TYPE_U64, MULTISPLIT_KEY_TYPE_U32);
    OK(multisplit_context_destroy(context));
    CHECK(host_destroy(&host) == 0);
}

/* An operation allocates its workspaces, and at most three blocks of 4 MiB more. */
static void memory(const Host *host) {
    MultisplitContextInfo info = host_context_info(host);
    MultisplitContext *context = NULL;
    MultisplitOperation *sort = NULL;
    MultisplitWorkspace needs;
    MultisplitSortInfo of = {.struct_size = sizeof of, .common = {.n = 1u << 20, .caller_workspace = VK_TRUE}};
    info.get_instance_proc_addr = instance_function;
    info.ranking = MULTISPLIT_RANKING_PROMISED;
    OK(multisplit_context_create(&info, &context));
    OK(multisplit_sort_create(context, &of, &sort));
    OK(multisplit_operation_workspace(sort, &needs));
    OK(multisplit_operation_destroy(sort));
    of.common.caller_workspace = VK_FALSE;
    OK(multisplit_sort_create(context, &of, &sort));
    allocations = 0;
    allocated = largest = 0;
    OK(multisplit_operation_warm_up(sort));
    const VkDeviceSize two_frames = 2 * needs.size, block = 4 << 20;
    printf("%u allocations, %llu bytes for 2 workspaces of %llu\n", allocations,
           (unsigned long long)allocated, (unsigned long long)needs.size);
    CHECK(allocated >= two_frames && allocated <= two_frames + 3 * block);
    CHECK(largest <= needs.size + block);
    OK(multisplit_operation_destroy(sort));
    OK(multisplit_context_destroy(context));
}

#ifdef SECOND_COPY
/* A copy of the library rejects handles of another copy. */
static void two_copies(const Host *host) {
    typedef MultisplitResult (*Create)(const MultisplitContextInfo *, MultisplitContext **);
    typedef MultisplitResult (*Destroy)(MultisplitContext *);
    MultisplitContextInfo info = host_context_info(host);
    MultisplitContext *here = NULL, *there = NULL;
    MultisplitOperation *sort = NULL;
    MultisplitSortInfo of = sort_info();
    void *library = dlopen(SECOND_COPY, RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    if (library == NULL) {
        return;
    }
    Create create;
    Destroy destroy;
    /* ISO C does not allow casting an object pointer to a function pointer. */
    void *found = dlsym(library, "multisplit_context_create");
    memcpy(&create, &found, sizeof create);
    found = dlsym(library, "multisplit_context_destroy");
    memcpy(&destroy, &found, sizeof destroy);
    CHECK(create != multisplit_context_create);
    for (int i = 0; i < 100; ++i) {
        OK(multisplit_context_create(&info, &here));
        OK(create(&info, &there));
        EXPECT(HANDLE, multisplit_sort_create(there, &of, &sort));
        EXPECT(HANDLE, multisplit_context_destroy(there));
        CHECK(destroy(here) == MULTISPLIT_ERROR_HANDLE);
        OK(multisplit_context_destroy(here));
        CHECK(destroy(there) == MULTISPLIT_SUCCESS);
    }
    dlclose(library);
}
#endif

int main(int argc, char **argv) {
    Host host;
    versions(argc, argv);
    host_create(&host, argc, argv);
    functions(&host);
    memory(&host);
#ifdef SECOND_COPY
    two_copies(&host);
#endif
    int status = host_destroy(&host);
    without_int64(argc, argv);
    return suite_end(status);
}
