/*
 * Tests recordings with buffers that overlap the scratch memory, and with counts that are too large.
 */
#include "suite.h"

#include <string.h>

/* Keys given by address, which overlap the scratch memory, given by buffer. */
static void overlaps_by_address(const Host *host, MultisplitContext *context) {
    if ((host->features & MULTISPLIT_FEATURE_BUFFER_DEVICE_ADDRESS) == 0) {
        return;
    }
    MultisplitOperation *sort = NULL;
    MultisplitSortInfo info = sort_info();
    MultisplitWorkspace workspace;
    /* Use more keys than one workgroup sorts, since a sort by one workgroup needs no scratch memory. */
    enum { KEYS = 50000, BYTES = 4 * KEYS, SCRATCH_AT = (BYTES / 256 + 1) * 256 };
    info.common.n = KEYS;
    info.common.by_address = VK_TRUE;
    OK(multisplit_sort_create(context, &info, &sort));
    OK(multisplit_operation_warm_up(sort));
    OK(multisplit_operation_workspace(sort, &workspace));
    HostBuffer both = host_buffer(host, SCRATCH_AT + workspace.size + BYTES, workspace.usage);
    VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                    .buffer = both.buffer};
    const VkDeviceAddress base = vkGetBufferDeviceAddress(host->device, &of);
    MultisplitBinding keys = {.role = MULTISPLIT_ROLE_KEYS, .size = BYTES};
    MultisplitRecordInfo record = {.struct_size = sizeof record,
                                   .binding_count = 1,
                                   .bindings = &keys,
                                   .workspace = {.buffer = both.buffer, .offset = SCRATCH_AT, .size = VK_WHOLE_SIZE}};
    host_begin(host);
    CHECK(workspace.size > 0);
    for (VkDeviceSize offset = 256; offset < SCRATCH_AT + workspace.size; offset += 16384) {
        keys.address = base + offset;
        EXPECT(INVALID, multisplit_record(sort, host->commands, &record));
        SAYS("the workspace overlaps import");
    }
    keys.address = base;
    OK(multisplit_record(sort, host->commands, &record));
    host_submit(host);
    OK(multisplit_operation_destroy(sort));
    host_free(host, &both);
}

/* Counts set by recordings. */
static void wrong_counts(const Host *host, MultisplitContext *context) {
    static const uint64_t wrong[] = {1001, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
    MultisplitOperation *scan = NULL;
    MultisplitScanInfo info = scan_info();
    MultisplitRecordInfo record = {.struct_size = sizeof record};
    info.common.count = MULTISPLIT_COUNT_RECORDED;
    info.common.caller_workspace = VK_FALSE;
    OK(multisplit_scan_create(context, &info, &scan));
    OK(multisplit_operation_warm_up(scan));
    HostBuffer in = host_buffer(host, 4000, 0), out = host_buffer(host, 4000, 0);
    MultisplitBinding bindings[] = {
        {.role = MULTISPLIT_ROLE_INPUT, .buffer = in.buffer, .size = in.size},
        {.role = MULTISPLIT_ROLE_OUTPUT, .buffer = out.buffer, .size = out.size},
    };
    record.binding_count = 2;
    record.bindings = bindings;
    host_begin(host);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        record.count = wrong[i];
        EXPECT(TOO_LARGE, multisplit_record(scan, host->commands, &record));
        SAYS("at most 1000 supported");
    }
    record.count = 0;
    /* The operation has its own workspace, so another one is a mistake. */
    record.workspace = (MultisplitBinding){.buffer = out.buffer, .size = out.size};
    EXPECT(INVALID, multisplit_record(scan, host->commands, &record));
    SAYS("create the operation with caller_workspace");
    record.workspace = (MultisplitBinding){0};
    OK(multisplit_record(scan, host->commands, &record));
    host_submit(host);
    OK(multisplit_operation_destroy(scan));
    host_free(host, &in);
    host_free(host, &out);
}

void ranges(const Host *host, MultisplitContext *context) {
    overlaps_by_address(host, context);
    wrong_counts(host, context);
}
