/*
 * Tests resources supplied by the program (pipeline cache, allocation callbacks, device memory, compile threads,
 * log) and further options: pass names, features to leave out, execution dependencies.
 */
#include "suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 50000, MAX_PASSES = 64 };

static VkPipelineCache own_cache;
static unsigned pipelines, pipelines_with_own_cache, caches;

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *callbacks,
                                                       VkPipeline *made) {
    pipelines += count;
    pipelines_with_own_cache += cache == own_cache ? count : 0;
    return vkCreateComputePipelines(device, cache, count, infos, callbacks, made);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_cache(VkDevice device, const VkPipelineCacheCreateInfo *info,
                                                   const VkAllocationCallbacks *callbacks, VkPipelineCache *made) {
    ++caches;
    return vkCreatePipelineCache(device, info, callbacks, made);
}

static int resets_fail;
static unsigned failed_resets;

static VKAPI_ATTR VkResult VKAPI_CALL reset_pool(VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags) {
    if (resets_fail) {
        ++failed_resets;
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    return vkResetCommandPool(device, pool, flags);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name) {
    if (strcmp(name, "vkCreateComputePipelines") == 0) {
        return (PFN_vkVoidFunction)create_pipelines;
    }
    if (strcmp(name, "vkCreatePipelineCache") == 0) {
        return (PFN_vkVoidFunction)create_cache;
    }
    if (strcmp(name, "vkResetCommandPool") == 0) {
        return (PFN_vkVoidFunction)reset_pool;
    }
    return vkGetDeviceProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name) {
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) {
        return (PFN_vkVoidFunction)device_function;
    }
    return vkGetInstanceProcAddr(instance, name);
}

/* Sorts once. */
static void sort_once(const Host *host, MultisplitOperation *sort) {
    HostBuffer buffer = host_buffer(host, N * sizeof(uint32_t), 0);
    uint32_t *keys = buffer.mapped;
    for (uint32_t i = 0; i < N; ++i) {
        keys[i] = N - i;
    }
    host_begin(host);
    OK(multisplit_record_sort(sort, host->commands, buffer.buffer, VK_NULL_HANDLE, VK_NULL_HANDLE));
    host_submit(host);
    int right = 1;
    for (uint32_t i = 0; i < N; ++i) {
        right = right && keys[i] == i + 1;
    }
    CHECK(right);
    host_free(host, &buffer);
}

static void pipeline_cache(const Host *host) {
    MultisplitContext *context = NULL;
    MultisplitOperation *sort = NULL;
    MultisplitContextInfo info = host_context_info(host);
    VkPipelineCacheCreateInfo of = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VK(vkCreatePipelineCache(host->device, &of, NULL, &own_cache));
    info.get_instance_proc_addr = instance_function;
    info.vulkan_pipeline_cache = own_cache;
    info.pipeline_cache = "/tmp";
    EXPECT(INVALID, multisplit_context_create(&info, &context));
    info.pipeline_cache = NULL;
    OK(multisplit_context_create(&info, &context));
    OK(multisplit_sort_keys_create(context, MULTISPLIT_KEY_TYPE_U32, N, MULTISPLIT_COUNT_FIXED, &sort));
    CHECK(pipelines > 0 && pipelines == pipelines_with_own_cache && caches == 0);
    sort_once(host, sort);
    OK(multisplit_operation_destroy(sort));
    OK(multisplit_context_destroy(context));
    /* The cache still exists: the context did not destroy it. */
    size_t bytes = 0;
    VK(vkGetPipelineCacheData(host->device, own_cache, &bytes, NULL));
    vkDestroyPipelineCache(host->device, own_cache, NULL);
}

/* An allocator that counts allocations. It stores the size in front of each allocation. */
typedef struct Counted {
    pthread_mutex_t lock;
    long live, total;
} Counted;

enum { FRONT = 64 };

static void *VKAPI_PTR allocate(void *user, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    (void)scope;
    Counted *counted = user;
    char *memory = alignment <= FRONT ? aligned_alloc(FRONT, (size + 2 * FRONT - 1) / FRONT * FRONT) : NULL;
    if (memory == NULL) {
        return NULL;
    }
    memcpy(memory, &size, sizeof size);
    pthread_mutex_lock(&counted->lock);
    ++counted->live;
    ++counted->total;
    pthread_mutex_unlock(&counted->lock);
    return memory + FRONT;
}

static void VKAPI_PTR release(void *user, void *memory) {
    Counted *counted = user;
    if (memory != NULL) {
        pthread_mutex_lock(&counted->lock);
        --counted->live;
        pthread_mutex_unlock(&counted->lock);
        free((char *)memory - FRONT);
    }
}

static void *VKAPI_PTR reallocate(void *user, void *old, size_t size, size_t alignment,
                                  VkSystemAllocationScope scope) {
    if (old == NULL) {
        return allocate(user, size, alignment, scope);
    }
    size_t before = 0;
    memcpy(&before, (char *)old - FRONT, sizeof before);
    void *made = size > 0 ? allocate(user, size, alignment, scope) : NULL;
    if (made != NULL) {
        memcpy(made, old, before < size ? before : size);
    }
    if (made != NULL || size == 0) {
        release(user, old);
    }
    return made;
}

static void allocation_callbacks(const Host *host) {
    Counted counted = {.lock = PTHREAD_MUTEX_INITIALIZER};
    VkAllocationCallbacks callbacks = {.pUserData = &counted,
                                       .pfnAllocation = allocate,
                                       .pfnReallocation = reallocate,
                                       .pfnFree = release};
    MultisplitContext *context = NULL;
    MultisplitOperation *sort = NULL;
    MultisplitContextInfo info = host_context_info(host);
    info.allocation_callbacks = &callbacks;
    OK(multisplit_context_create(&info, &context));
    OK(multisplit_sort_keys_create(context, MULTISPLIT_KEY_TYPE_U32, N, MULTISPLIT_COUNT_FIXED, &sort));
    CHECK(counted.total > 0 && counted.live > 0);
    sort_once(host, sort);
    OK(multisplit_operation_destroy(sort));
    OK(multisplit_context_destroy(context));
    printf("%ld allocations by the callbacks\n", counted.total);
    CHECK(counted.live == 0);
}

/* A device memory allocator that counts allocations. Each request gets its own VkDeviceMemory. */
typedef struct DeviceMemory {
    const Host *host;
    int fails, misplaces;
    int live, total;
    VkDeviceSize bytes;
    /* If not NULL: an operation that is being warmed up, with which the allocator calls the library. */
    MultisplitOperation *warming;
} DeviceMemory;

static VkResult give(void *user, const VkMemoryRequirements *wanted, VkMemoryAllocateFlags flags,
                     MultisplitMemory *memory) {
    DeviceMemory *all = user;
    VkPhysicalDeviceMemoryProperties types;
    VkMemoryAllocateFlagsInfo with = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = flags};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = &with,
                                 .allocationSize = wanted->size + wanted->alignment};
    if (all->warming != NULL) {
        MultisplitContextInfo none = {0};
        MultisplitContext *context = NULL;
        EXPECT(CALLBACK, multisplit_operation_warm_up(all->warming));
        SAYS("which callbacks must not do");
        EXPECT(CALLBACK, multisplit_context_create(&none, &context));
    }
    if (all->fails) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    vkGetPhysicalDeviceMemoryProperties(all->host->physical, &types);
    while (info.memoryTypeIndex < types.memoryTypeCount && !(wanted->memoryTypeBits >> info.memoryTypeIndex & 1)) {
        ++info.memoryTypeIndex;
    }
    VkResult result = vkAllocateMemory(all->host->device, &info, NULL, &memory->memory);
    memory->offset = all->misplaces ? 1 : wanted->alignment;
    memory->cookie = &all->bytes;
    all->bytes += wanted->size;
    ++all->live;
    ++all->total;
    return result;
}

static void take_back(void *user, const MultisplitMemory *memory) {
    DeviceMemory *all = user;
    CHECK(memory->cookie == &all->bytes);
    vkFreeMemory(all->host->device, memory->memory, NULL);
    --all->live;
}

static void device_memory(const Host *host) {
    DeviceMemory all = {.host = host};
    MultisplitMemoryFunctions functions = {.user = &all, .allocate = give, .free = take_back};
    MultisplitContext *context = NULL;
    MultisplitOperation *sort = NULL;
    MultisplitContextInfo info = host_context_info(host);
    info.ranking = MULTISPLIT_RANKING_PROMISED;
    info.memory_functions = &functions;
    functions.free = NULL;
    EXPECT(NULL, multisplit_context_create(&info, &context));
    functions.free = take_back;
    OK(multisplit_context_create(&info, &context));
    /* The functions were copied. */
    memset(&functions, 0, sizeof functions);
    all.fails = 1;
    EXPECT(OUT_OF_MEMORY, multisplit_sort_keys_create(context, MULTISPLIT_KEY_TYPE_U32, N, MULTISPLIT_COUNT_FIXED, &sort));
    all.fails = 0;
    all.misplaces = 1;
    EXPECT(OUT_OF_MEMORY, multisplit_sort_keys_create(context, MULTISPLIT_KEY_TYPE_U32, N, MULTISPLIT_COUNT_FIXED, &sort));
    all.misplaces = 0;
    CHECK(sort == NULL && all.live == 0);
    all.total = 0;
    OK(multisplit_sort_keys_create(context, MULTISPLIT_KEY_TYPE_U32, N, MULTISPLIT_COUNT_FIXED, &sort));
    /* One allocation per frame in flight. */
    CHECK(all.live == 2 && all.total == 2 && all.bytes >= 2 * N * sizeof(uint32_t));
    sort_once(host, sort);
    OK(multisplit_operation_destroy(sort));
    CHECK(all.live == 0);
    /* An allocator that calls the library gets an error; the library call that runs the allocator succeeds. */
    MultisplitSortInfo planned = {.struct_size = sizeof planned, .common = {.n = N, .frames = 1}};
    OK(multisplit_sort_create(context, &planned, &sort));
    all.warming = sort;
    OK(multisplit_operation_warm_up(sort));
    all.warming = NULL;
    CHECK(all.live == 1);
    OK(multisplit_operation_destroy(sort));
    OK(multisplit_context_destroy(context));
}

/* If a command pool cannot be reset, the library must destroy it; otherwise the layer reports a leak. */
static void failing_resets(const Host *host) {
    MultisplitContext *context = NULL;
    MultisplitSssp *sssp = NULL;
    MultisplitContextInfo info = host_context_info(host);
    MultisplitSsspInfo network = sssp_info();
    info.get_instance_proc_addr = instance_function;
    OK(multisplit_context_create(&info, &context));
    resets_fail = 1;
    (void)multisplit_sssp_create(context, &network, &sssp);
    OK(multisplit_sssp_destroy(sssp));
    CHECK(failed_resets > 0);
    OK(multisplit_context_destroy(context));
    resets_fail = 0;
}

/* One compile job per pass, on the program's own threads. */
typedef struct PassToCompile {
    pthread_t thread;
    MultisplitOperation *operation;
    uint32_t pass;
    MultisplitResult result;
} PassToCompile;

static void *compile(void *argument) {
    PassToCompile *job = argument;
    job->result = multisplit_operation_compile_pass(job->operation, job->pass);
    return NULL;
}

static void jobs_and_names(const Host *host) {
    MultisplitContext *context = NULL;
    MultisplitOperation *sort = NULL;
    MultisplitContextInfo info = host_context_info(host);
    MultisplitSortInfo of = {.struct_size = sizeof of,
                             .common = {.n = N, .barriers = MULTISPLIT_BARRIERS_FULL}};
    uint32_t count = 0, timestamps = 0;
    VkBool32 ready = VK_TRUE;
    const char *name = NULL;
    info.get_instance_proc_addr = instance_function;
    info.ranking = MULTISPLIT_RANKING_PROMISED;
    OK(multisplit_context_create(&info, &context));
    OK(multisplit_sort_create(context, &of, &sort));
    EXPECT(NULL, multisplit_operation_is_ready(NULL, &ready));
    EXPECT(NULL, multisplit_operation_is_ready(sort, NULL));
    OK(multisplit_operation_is_ready(sort, &ready));
    CHECK(ready == VK_FALSE);
    EXPECT(NULL, multisplit_operation_pass_count(sort, NULL));
    EXPECT(NULL, multisplit_operation_pass_count(NULL, &count));
    OK(multisplit_operation_pass_count(sort, &count));
    CHECK(count > 1 && count <= MAX_PASSES);
    EXPECT(INVALID, multisplit_operation_compile_pass(sort, count));
    EXPECT(INVALID, multisplit_operation_pass_name(sort, count, &name));
    EXPECT(NULL, multisplit_operation_pass_name(sort, 0, NULL));
    EXPECT(NULL, multisplit_operation_pass_name(NULL, 0, &name));
    EXPECT(NULL, multisplit_operation_compile_pass(NULL, 0));
    PassToCompile jobs[MAX_PASSES];
    for (uint32_t i = 0; i < count && i < MAX_PASSES; ++i) {
        OK(multisplit_operation_pass_name(sort, i, &name));
        CHECK(name != NULL && strchr(name, '.') != NULL);
        jobs[i] = (PassToCompile){.operation = sort, .pass = i};
        CHECK(pthread_create(&jobs[i].thread, NULL, compile, &jobs[i]) == 0);
    }
    for (uint32_t i = 0; i < count && i < MAX_PASSES; ++i) {
        CHECK(pthread_join(jobs[i].thread, NULL) == 0);
        RETURNS(MULTISPLIT_SUCCESS, jobs[i].result);
    }
    /* The warm-up compiles nothing, because all passes are already compiled. */
    const unsigned compiled = pipelines;
    OK(multisplit_operation_warm_up(sort));
    CHECK(pipelines == compiled);
    OK(multisplit_operation_is_ready(sort, &ready));
    CHECK(ready == VK_TRUE);
    OK(multisplit_operation_timestamps(sort, VK_TRUE, &timestamps));
    CHECK(timestamps == count + 1);
    sort_once(host, sort);
    OK(multisplit_operation_destroy(sort));
    OK(multisplit_context_destroy(context));
}

/* A device without the features that the program leaves out. */
static void without_features(int argc, char **argv) {
    Host host;
    MultisplitContext *context = NULL;
    MultisplitOperation *sort = NULL;
    host_open(&host, argc, argv, VK_API_VERSION_1_3);
    MultisplitContextInfo info = host_context_info(&host);
    info.leave_out = MULTISPLIT_FEATURE_SYNCHRONIZATION2;
    EXPECT(INVALID, multisplit_device_create(&info, NULL));
    info.leave_out = MULTISPLIT_FEATURE_PUSH_DESCRIPTOR | MULTISPLIT_FEATURE_BUFFER_DEVICE_ADDRESS |
                     MULTISPLIT_FEATURE_SUBGROUP_SIZE_CONTROL;
    OK(multisplit_device_create(&info, NULL));
    CHECK((info.features & info.leave_out) == 0);
    host_use(&host, info.device, info.queue, info.features);
    OK(multisplit_context_create(&info, &context));
    OK(multisplit_sort_keys_create(context, MULTISPLIT_KEY_TYPE_U32, N, MULTISPLIT_COUNT_FIXED, &sort));
    sort_once(&host, sort);
    OK(multisplit_operation_destroy(sort));
    OK(multisplit_context_destroy(context));
    CHECK(host_destroy(&host) == 0);
}

/* The caller has only read the buffer before: the scope has stages but no accesses. */
static void execution_dependency(const Host *host) {
    MultisplitContext *context = NULL;
    MultisplitOperation *sort = NULL;
    MultisplitContextInfo info = host_context_info(host);
    MultisplitRoleScope around = {.role = MULTISPLIT_ROLE_KEYS,
                                  .before = {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, 0},
                                  .after = {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT}};
    MultisplitSortInfo of = {.struct_size = sizeof of, .common = {.n = N, .scopes = &around, .scope_count = 1}};
    OK(multisplit_context_create(&info, &context));
    OK(multisplit_sort_create(context, &of, &sort));
    OK(multisplit_operation_warm_up(sort));
    sort_once(host, sort);
    OK(multisplit_operation_destroy(sort));
    OK(multisplit_context_destroy(context));
}

typedef struct Heard {
    unsigned count;
    char last[512];
} Heard;

static void hear(void *user, MultisplitLogLevel level, const char *message) {
    Heard *heard = user;
    EXPECT(CALLBACK, multisplit_set_log(NULL, NULL, MULTISPLIT_LOG_LEVEL_ERROR));
    CHECK(level <= MULTISPLIT_LOG_LEVEL_DEBUG);
    ++heard->count;
    snprintf(heard->last, sizeof heard->last, "%s", message);
}

/* A cache folder that is not writable causes a warning, if a log function is set. */
static void warn(const Host *host) {
    MultisplitContext *context = NULL;
    MultisplitOperation *sort = NULL;
    MultisplitContextInfo info = host_context_info(host);
    info.pipeline_cache = "/dev/null/multisplit";
    info.ranking = MULTISPLIT_RANKING_PROMISED;
    OK(multisplit_context_create(&info, &context));
    OK(multisplit_sort_keys_create(context, MULTISPLIT_KEY_TYPE_U32, 1000, MULTISPLIT_COUNT_FIXED, &sort));
    OK(multisplit_operation_destroy(sort));
    OK(multisplit_context_destroy(context));
}

static void logging(const Host *host) {
    Heard heard = {0};
    EXPECT(INVALID, multisplit_set_log(hear, &heard, (MultisplitLogLevel)4));
    OK(multisplit_set_log(hear, &heard, MULTISPLIT_LOG_LEVEL_ERROR));
    warn(host);
    CHECK(heard.count == 0);
    OK(multisplit_set_log(hear, &heard, MULTISPLIT_LOG_LEVEL_WARNING));
    warn(host);
    CHECK(heard.count > 0 && strstr(heard.last, "/dev/null/multisplit") != NULL);
    printf("log: %s\n", heard.last);
    const unsigned before = heard.count;
    OK(multisplit_set_log(NULL, NULL, MULTISPLIT_LOG_LEVEL_ERROR));
    warn(host);
    CHECK(heard.count == before);
}

int main(int argc, char **argv) {
    Host host;
    host_create(&host, argc, argv);
    pipeline_cache(&host);
    allocation_callbacks(&host);
    device_memory(&host);
    failing_resets(&host);
    jobs_and_names(&host);
    execution_dependency(&host);
    logging(&host);
    int status = host_destroy(&host);
    without_features(argc, argv);
    return suite_end(status);
}
