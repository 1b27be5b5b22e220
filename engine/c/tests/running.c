/* Helpers that run an operation once: see running.h. */
#include "running.h"

#include <string.h>

enum { MAX_BUFFERS = 8 };

/* Binds a buffer: by device address if the contract's usage asks for device addresses, otherwise by handle. */
static MultisplitBinding binding(const Host *host, const Filled *filled, VkBufferUsageFlags usage) {
    MultisplitBinding bound = {.role = filled->role, .size = filled->buffer.size};
    if (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) {
        VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                          .buffer = filled->buffer.buffer};
        bound.address = vkGetBufferDeviceAddress(host->device, &info);
    } else {
        bound.buffer = filled->buffer.buffer;
    }
    return bound;
}

void run(const Host *host, MultisplitOperation *operation, Filled *filled, uint32_t count,
         MultisplitRecordInfo record) {
    MultisplitBinding bindings[MAX_BUFFERS];
    MultisplitContract contracts[MAX_BUFFERS];
    MultisplitWorkspace needs = {0};
    OK(multisplit_operation_warm_up(operation));
    OK(multisplit_operation_workspace(operation, &needs));
    HostBuffer scratch = host_buffer(host, needs.size, needs.usage);
    for (uint32_t i = 0; i < count; ++i) {
        MS(multisplit_operation_contract(operation, filled[i].role, &contracts[i]));
        filled[i].buffer = host_buffer(host, contracts[i].size, contracts[i].usage);
        if (filled[i].data != NULL) {
            memcpy(filled[i].buffer.mapped, filled[i].data, filled[i].bytes);
        }
        bindings[i] = binding(host, &filled[i], contracts[i].usage);
    }
    record.struct_size = sizeof record;
    record.binding_count = count;
    record.bindings = bindings;
    if (needs.size > 0) {
        record.workspace = (MultisplitBinding){.buffer = scratch.buffer, .size = VK_WHOLE_SIZE};
    }
    host_begin(host);
    if (record.query_pool != VK_NULL_HANDLE) {
        vkCmdResetQueryPool(host->commands, record.query_pool, 0, 2);
    }
    OK(multisplit_record(operation, host->commands, &record));
    for (uint32_t i = 0; i < count; ++i) {
        if (contracts[i].used) {
            host_barrier(host, contracts[i].last_use, host_host_read());
        }
    }
    host_submit(host);
    host_free(host, &scratch);
}

void release(const Host *host, MultisplitOperation *operation, Filled *filled, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        host_free(host, &filled[i].buffer);
    }
    OK(multisplit_operation_destroy(operation));
}

uint32_t noise(uint32_t i) {
    i = (i ^ 61) ^ (i >> 16);
    i *= 0x27d4eb2d;
    return i ^ (i >> 15);
}
