/*
 * Two threads repeatedly record one operation into their own command buffers, while they create and destroy
 * other operations and make invalid calls.
 */
#include "suite.h"

#include <pthread.h>

enum { N = 3000, ROUNDS = 50, THREADS = 2 };

typedef struct Worker {
    /* The threads share the device; each has its own command pool and command buffer. */
    Host host;
    MultisplitContext *context;
    MultisplitOperation *scan;
    pthread_mutex_t *queue;
    uint32_t frame;
    /* Number of rounds in which all calls and results were as expected. */
    int good;
} Worker;

static void create_commands(Host *host) {
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = host->family,
    };
    VK(vkCreateCommandPool(host->device, &pool, NULL, &host->pool));
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = host->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VK(vkAllocateCommandBuffers(host->device, &commands, &host->commands));
}

/* Creates and destroys another operation while the other thread records. */
static int distract(MultisplitContext *context) {
    MultisplitOperation *other = NULL;
    MultisplitScanInfo info = scan_info();
    return multisplit_scan_create(context, &info, &other) == MULTISPLIT_SUCCESS &&
           multisplit_operation_warm_up(other) == MULTISPLIT_SUCCESS &&
           multisplit_operation_destroy(other) == MULTISPLIT_SUCCESS &&
           multisplit_operation_destroy(other) == MULTISPLIT_ERROR_HANDLE;
}

static int one_round(Worker *worker, const HostBuffer *in, const HostBuffer *out, uint32_t round) {
    const uint32_t count = N - round;
    uint32_t *numbers = in->mapped;
    const uint32_t *sums = out->mapped;
    MultisplitBinding bindings[] = {
        {.role = MULTISPLIT_ROLE_INPUT, .buffer = in->buffer, .size = in->size},
        {.role = MULTISPLIT_ROLE_OUTPUT, .buffer = out->buffer, .size = out->size},
    };
    MultisplitRecordInfo record = {
        .struct_size = sizeof record,
        .binding_count = 2,
        .bindings = bindings,
        .count = count,
        .frame = worker->frame,
    };
    MultisplitContract contract;
    for (uint32_t i = 0; i < N; ++i) {
        numbers[i] = i + round * (worker->frame + 3);
    }
    host_begin(&worker->host);
    int good = multisplit_record(worker->scan, worker->host.commands, &record) == MULTISPLIT_SUCCESS;
    good &= multisplit_operation_contract(worker->scan, MULTISPLIT_ROLE_OUTPUT, &contract) == 0;
    host_barrier(&worker->host, contract.last_use, host_host_read());
    pthread_mutex_lock(worker->queue);
    host_submit(&worker->host);
    pthread_mutex_unlock(worker->queue);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; sum += numbers[i++]) {
        good &= sums[i] == sum;
    }
    return good;
}

static void *work(void *argument) {
    Worker *worker = argument;
    create_commands(&worker->host);
    HostBuffer in = host_buffer(&worker->host, N * sizeof(uint32_t), 0);
    HostBuffer out = host_buffer(&worker->host, N * sizeof(uint32_t), 0);
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        worker->good += one_round(worker, &in, &out, round) && distract(worker->context);
    }
    host_free(&worker->host, &in);
    host_free(&worker->host, &out);
    vkDestroyCommandPool(worker->host.device, worker->host.pool, NULL);
    return NULL;
}

void threads(const Host *host, MultisplitContext *context) {
    MultisplitOperation *scan = NULL;
    MultisplitScanInfo info = scan_info();
    info.common = (MultisplitCommonInfo){.n = N,
                                         .count = MULTISPLIT_COUNT_RECORDED,
                                         .frames = THREADS};
    OK(multisplit_scan_create(context, &info, &scan));
    OK(multisplit_operation_warm_up(scan));
    pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
    pthread_t started[THREADS];
    Worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; ++i) {
        workers[i] = (Worker){*host, context, scan, &queue, i, 0};
        CHECK(pthread_create(&started[i], NULL, work, &workers[i]) == 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i) {
        CHECK(pthread_join(started[i], NULL) == 0);
        CHECK(workers[i].good == ROUNDS);
    }
    OK(multisplit_operation_destroy(scan));
}
