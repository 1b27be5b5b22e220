/* An external CMake project: sorts once, and tries a GLSL function. */
#include "host.h"

#include <stdio.h>

#ifndef EXPECT_GLSL
#define EXPECT_GLSL 0
#endif

enum { N = 5000 };

int main(int argc, char **argv) {
    Host host;
    MultisplitContext *context;
    MultisplitOperation *sort, *split;
    host_create(&host, argc, argv);
    MultisplitContextInfo info = host_context_info(&host);
    MS(multisplit_context_create(&info, &context));
    MS(multisplit_sort_keys_create(context, MULTISPLIT_KEY_TYPE_U32, N, MULTISPLIT_COUNT_FIXED, &sort));
    HostBuffer keys = host_buffer(&host, N * sizeof(uint32_t), 0);
    uint32_t *key = keys.mapped;
    for (uint32_t i = 0; i < N; ++i) {
        key[i] = N - i;
    }
    host_begin(&host);
    MS(multisplit_record_sort(sort, host.commands, keys.buffer, VK_NULL_HANDLE, VK_NULL_HANDLE));
    host_submit(&host);
    int right = 1;
    for (uint32_t i = 0; i < N; ++i) {
        right = right && key[i] == i + 1;
    }
    MultisplitSplitInfo parity = {
        .struct_size = sizeof parity,
        .buckets = 2,
        .bucket = MULTISPLIT_BUCKET_GLSL,
        .glsl = "uint bucket_of(uint key) { return key & 1u; }",
        .common = {.n = N},
    };
    MultisplitResult glsl = multisplit_split_create(context, &parity, &split);
    right = right && glsl == (EXPECT_GLSL ? MULTISPLIT_SUCCESS : MULTISPLIT_ERROR_UNSUPPORTED);
    MS(multisplit_operation_destroy(split));
    MS(multisplit_operation_destroy(sort));
    MS(multisplit_context_destroy(context));
    host_free(&host, &keys);
    printf("%s, %s GLSL\n", right ? "sorted" : "WRONG", glsl == MULTISPLIT_SUCCESS ? "with" : "without");
    int status = host_destroy(&host);
    return right ? status : 2;
}
