/* Check counters and shared fixtures of the C tests: see suite.h. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

static unsigned checks, failures;

void suite_check(int good, const char *what, const char *file, int line) {
    ++checks;
    if (!good) {
        ++failures;
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
    }
}

void suite_expect(MultisplitResult wanted, MultisplitResult got, const char *what, const char *file,
                  int line) {
    ++checks;
    if (got != wanted) {
        ++failures;
        fprintf(stderr, "%s:%d: %s: %s instead of %s (%s)\n", file, line, what,
                multisplit_result_name(got), multisplit_result_name(wanted), multisplit_last_error());
    } else if (got != MULTISPLIT_SUCCESS && multisplit_last_error()[0] == '\0') {
        ++failures;
        fprintf(stderr, "%s:%d: %s: an error without a message\n", file, line, what);
    } else if (got != MULTISPLIT_SUCCESS && strstr(multisplit_last_error(), "::") != NULL) {
        ++failures;
        fprintf(stderr, "%s:%d: %s: a message for Rust programs: %s\n", file, line, what, multisplit_last_error());
    }
}

int suite_end(int host_status) {
    printf("%u checks, %u failed\n", checks, failures);
    return failures > 0 ? 2 : host_status;
}

MultisplitRequirementsInfo requirements_info(const Host *host) {
    MultisplitRequirementsInfo info = {
        .struct_size = sizeof info,
        .version = MULTISPLIT_VERSION,
        .get_instance_proc_addr = vkGetInstanceProcAddr,
        .instance = host->instance,
        .physical_device = host->physical,
        .api_version = VK_API_VERSION_1_3,
    };
    return info;
}

MultisplitScanInfo scan_info(void) {
    MultisplitScanInfo info = {.struct_size = sizeof info, .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitReduceInfo reduce_info(void) {
    MultisplitReduceInfo info = {.struct_size = sizeof info, .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitReduceByKeyInfo reduce_by_key_info(void) {
    MultisplitReduceByKeyInfo info = {
        .struct_size = sizeof info, .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitScanByKeyInfo scan_by_key_info(void) {
    MultisplitScanByKeyInfo info = {
        .struct_size = sizeof info, .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitScanSegmentsInfo scan_segments_info(void) {
    MultisplitScanSegmentsInfo info = {.struct_size = sizeof info,
                                       .segments = {.n = 10},
                                       .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitReduceSegmentsInfo reduce_segments_info(void) {
    MultisplitReduceSegmentsInfo info = {.struct_size = sizeof info,
                                         .segments = {.n = 10},
                                         .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitSearchInfo search_info(void) {
    MultisplitSearchInfo info = {.struct_size = sizeof info,
                                 .sorted = {.n = 500},
                                 .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitMergeInfo merge_info(void) {
    MultisplitMergeInfo info = {.struct_size = sizeof info,
                                .other = {.n = 500},
                                .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitSelectInfo select_info(void) {
    MultisplitSelectInfo info = {.struct_size = sizeof info,
                                 .condition = MULTISPLIT_CONDITION_LESS_THAN,
                                 .first = multisplit_u32(500),
                                 .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitSortInfo sort_info(void) {
    MultisplitSortInfo info = {.struct_size = sizeof info, .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitTopKInfo topk_info(void) {
    MultisplitTopKInfo info = {
        .struct_size = sizeof info, .k = 10, .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE}};
    return info;
}

MultisplitSplitInfo split_info(void) {
    static const uint32_t zero = 0;
    MultisplitSplitInfo info = {
        .struct_size = sizeof info,
        .buckets = 8,
        .bucket = MULTISPLIT_BUCKET_DELTA,
        .edges = &zero,
        .edge_count = 1,
        .width = 100,
        .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE},
    };
    return info;
}

MultisplitHistogramInfo histogram_info(void) {
    static const float edges[] = {0.0f, 1.0f};
    MultisplitHistogramInfo info = {
        .struct_size = sizeof info,
        .sample_type = MULTISPLIT_SAMPLE_TYPE_F32,
        .bins = 16,
        .function = MULTISPLIT_BINS_EVEN,
        .edges = edges,
        .edge_count = 2,
        .common = {.n = 1000, .frames = 1, .caller_workspace = VK_TRUE},
    };
    return info;
}

MultisplitSsspInfo sssp_info(void) {
    static const uint32_t from[] = {0, 1}, to[] = {1, 2};
    MultisplitSsspInfo info = {
        .struct_size = sizeof info,
        .vertices = 3,
        .edge_count = 2,
        .from = from,
        .to = to,
    };
    return info;
}
