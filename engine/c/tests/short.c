/*
 * Tests the convenience functions, with correct and incorrect calls: device creation, sort creation and
 * recording in one call each. The guide contains a complete program.
 */
#include "suite.h"

#include <string.h>

enum { N = 4000, FRAMES = 5 };

static void devices(int argc, char **argv) {
    Host host;
    host_open(&host, argc, argv, VK_API_VERSION_1_3);
    MultisplitContextInfo info = host_context_info(&host), wrong;
    const float priority = 0.5f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = host.family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkPhysicalDeviceVulkan12Features own = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            .timelineSemaphore = VK_TRUE};
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .pNext = &own,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue};
    EXPECT(NULL, multisplit_device_create(NULL, NULL));
    wrong = info;
    wrong.struct_size = 8;
    EXPECT(STRUCT_SIZE, multisplit_device_create(&wrong, NULL));
    wrong = info;
    wrong.version = 0;
    EXPECT(VERSION, multisplit_device_create(&wrong, NULL));
    wrong = info;
    wrong.physical_device = NULL;
    EXPECT(NULL, multisplit_device_create(&wrong, NULL));
    wrong = info;
    wrong.api_version = VK_API_VERSION_1_1;
    EXPECT(UNSUPPORTED, multisplit_device_create(&wrong, NULL));
    wrong = info;
    wrong.queue_family = 1000;
    EXPECT(INVALID, multisplit_device_create(&wrong, NULL));
    create.queueCreateInfoCount = 0;
    EXPECT(INVALID, multisplit_device_create(&info, &create));
    CHECK(strstr(multisplit_last_error(), "pQueueCreateInfos") != NULL);
    create.queueCreateInfoCount = 1;
    create.enabledExtensionCount = 1;
    EXPECT(NULL, multisplit_device_create(&info, &create));
    const char *no_extension = "VK_MULTISPLIT_no_such_extension";
    create.ppEnabledExtensionNames = &no_extension;
    EXPECT(VULKAN, multisplit_device_create(&info, &create));
    create.enabledExtensionCount = 0;
    OK(multisplit_device_create(&info, &create));
    CHECK(info.device != NULL && info.queue != NULL && (info.features & MULTISPLIT_FEATURE_SYNCHRONIZATION2));
    CHECK(create.enabledExtensionCount == 0 && create.pNext == &own && own.pNext == NULL);
    host_use(&host, info.device, info.queue, info.features);
    (void)host_destroy(&host);
}

/* Incorrect calls, one sort of pairs, and several frames that each sort the output of the previous one. */
static void sorts(const Host *host, MultisplitContext *context) {
    MultisplitOperation *pairs = NULL, *keys = NULL, *other = NULL;
    EXPECT(NULL, multisplit_sort_pairs_create(NULL, MULTISPLIT_KEY_TYPE_U32, N, MULTISPLIT_COUNT_FIXED, &pairs));
    EXPECT(NULL, multisplit_sort_pairs_create(context, MULTISPLIT_KEY_TYPE_U32, N, MULTISPLIT_COUNT_FIXED, NULL));
    EXPECT(INVALID, multisplit_sort_pairs_create(context, (MultisplitKeyType)12, N, MULTISPLIT_COUNT_FIXED, &pairs));
    EXPECT(TOO_LARGE, multisplit_sort_keys_create(context, MULTISPLIT_KEY_TYPE_U32, UINT64_MAX, MULTISPLIT_COUNT_FIXED, &keys));
    CHECK(pairs == NULL && keys == NULL);
    OK(multisplit_sort_pairs_create(context, MULTISPLIT_KEY_TYPE_I32, N, MULTISPLIT_COUNT_FIXED, &pairs));
    OK(multisplit_sort_keys_create(context, MULTISPLIT_KEY_TYPE_U32, N, MULTISPLIT_COUNT_FIXED, &keys));
    MultisplitSortInfo info = sort_info();
    info.common.reserved = 1;
    EXPECT(INVALID, multisplit_sort_create(context, &info, &other));
    info = sort_info();
    info.common.barriers = (MultisplitBarriers)2;
    EXPECT(INVALID, multisplit_sort_create(context, &info, &other));
    info = sort_info();
    info.common.n = 1 << 18;
    OK(multisplit_sort_create(context, &info, &other));
    HostBuffer key = host_buffer(host, N * 4, 0), value = host_buffer(host, N * 4, 0);
    int32_t *numbers = key.mapped;
    uint32_t *from = value.mapped;
    for (int32_t i = 0; i < N; ++i) {
        numbers[i] = (i * 7919) % 1000 - 500;
        from[i] = (uint32_t)i;
    }
    host_begin(host);
    EXPECT(NULL, multisplit_record_sort(NULL, host->commands, key.buffer, value.buffer, VK_NULL_HANDLE));
    EXPECT(NULL, multisplit_record_sort(pairs, NULL, key.buffer, value.buffer, VK_NULL_HANDLE));
    EXPECT(NULL, multisplit_record_sort(pairs, host->commands, VK_NULL_HANDLE, value.buffer, VK_NULL_HANDLE));
    EXPECT(NULL, multisplit_record_sort(pairs, host->commands, key.buffer, VK_NULL_HANDLE, VK_NULL_HANDLE));
    EXPECT(INVALID, multisplit_record_sort(pairs, host->commands, key.buffer, key.buffer, VK_NULL_HANDLE));
    EXPECT(INVALID, multisplit_record_sort(keys, host->commands, key.buffer, value.buffer, VK_NULL_HANDLE));
    EXPECT(NOT_READY, multisplit_record_sort(other, host->commands, key.buffer, VK_NULL_HANDLE, VK_NULL_HANDLE));
    OK(multisplit_operation_warm_up(other));
    EXPECT(INVALID, multisplit_record_sort(other, host->commands, key.buffer, VK_NULL_HANDLE, VK_NULL_HANDLE));
    OK(multisplit_record_sort(pairs, host->commands, key.buffer, value.buffer, VK_NULL_HANDLE));
    host_submit(host);
    int right = 1;
    for (uint32_t i = 0; i < N; ++i) {
        const int32_t was = ((int32_t)from[i] * 7919) % 1000 - 500;
        right = right && numbers[i] == was;
        right = right && (i == 0 || numbers[i - 1] < was || (numbers[i - 1] == was && from[i - 1] < from[i]));
    }
    CHECK(right);
    /* The two frames alternate, and each is waited for before it is reused. */
    for (int frame = 0; frame < FRAMES; ++frame) {
        host_begin(host);
        OK(multisplit_record_sort(keys, host->commands, key.buffer, VK_NULL_HANDLE, VK_NULL_HANDLE));
        OK(multisplit_record_sort(keys, host->commands, value.buffer, VK_NULL_HANDLE, VK_NULL_HANDLE));
        host_submit(host);
    }
    for (uint32_t i = 0; i < N; ++i) {
        right = right && from[i] == i && (i == 0 || (uint32_t)numbers[i - 1] <= (uint32_t)numbers[i]);
    }
    CHECK(right);
    OK(multisplit_operation_destroy(pairs));
    OK(multisplit_operation_destroy(keys));
    OK(multisplit_operation_destroy(other));
    EXPECT(HANDLE, multisplit_record_sort(pairs, host->commands, key.buffer, value.buffer, VK_NULL_HANDLE));
    host_free(host, &key);
    host_free(host, &value);
}

int main(int argc, char **argv) {
    Host host;
    MultisplitContext *context = NULL;
    devices(argc, argv);
    host_create(&host, argc, argv);
    MultisplitContextInfo info = host_context_info(&host);
    OK(multisplit_context_create(&info, &context));
    sorts(&host, context);
    OK(multisplit_context_destroy(context));
    return suite_end(host_destroy(&host));
}
