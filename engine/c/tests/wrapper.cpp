/*
 * Tests multisplit.hpp with and without exceptions: errors are returned or thrown, and the context is
 * destroyed after the objects created from it, in whatever order a program destroys them.
 */
#include "host.h"

#include <multisplit.hpp>

#include <cstdio>
#include <cstring>
#include <optional>
#include <type_traits>

namespace {

namespace ms = multisplit;

static_assert(!std::is_copy_constructible_v<ms::Operation> && std::is_move_constructible_v<ms::Operation>);
static_assert(std::is_copy_constructible_v<ms::Context>);

int failures = 0;

void check(bool good, const char *what, int line) {
    if (!good) {
        std::fprintf(stderr, "line %d: %s\n", line, what);
        ++failures;
    }
}
#define CHECK(condition) check((condition), #condition, __LINE__)

void results(const ms::Context &context) {
    auto refused = ms::Operation::sort_pairs(context, MULTISPLIT_KEY_TYPE_U32, UINT64_MAX);
    CHECK(!refused && refused.code() == MULTISPLIT_ERROR_TOO_LARGE && !refused.message().empty());
#if MULTISPLIT_HAS_EXCEPTIONS
    bool thrown = false;
    try {
        std::move(refused).value();
    } catch (const ms::Error &error) {
        thrown = error.code() == MULTISPLIT_ERROR_TOO_LARGE &&
                 std::strstr(error.what(), "MULTISPLIT_ERROR_TOO_LARGE") != nullptr;
    }
    CHECK(thrown);
#endif
    MultisplitScanInfo scan = {};
    scan.common.n = 100;
    auto planned = ms::Operation::scan(context, scan);
    CHECK(!planned->is_ready().value() && planned->pass_count().value() > 0 && planned->compile_pass(0));
    CHECK(planned->pass_name(0).value()[0] != '\0' && !planned->pass_name(1000));
    CHECK(planned && !planned->timestamps(true) && planned->warm_up() && planned->timestamps(true));
    CHECK(planned->contract(MULTISPLIT_ROLE_INPUT).value().size == 400);
    CHECK(!planned->contract(MULTISPLIT_ROLE_KEYS));
    CHECK(planned->workspace().value().size == 0);
    CHECK(context.keeps_lane_order().value());
    MultisplitSplitInfo split = {};
    CHECK(ms::Operation::split(context, split).code() == MULTISPLIT_ERROR_INVALID);
    MultisplitHistogramInfo histogram = {};
    CHECK(ms::Operation::histogram(context, histogram).code() == MULTISPLIT_ERROR_INVALID);
    MultisplitSearchInfo search = {};
    search.sorted.n = 50;
    search.common.n = 100;
    CHECK(ms::Operation::search(context, search)->contract(MULTISPLIT_ROLE_SORTED).value().size == 200);
    MultisplitMergeInfo merge = {};
    merge.other.n = 50;
    merge.common.n = 100;
    CHECK(ms::Operation::merge(context, merge)->contract(MULTISPLIT_ROLE_KEYS_OUT).value().size == 600);
    MultisplitScanSegmentsInfo rows = {};
    rows.row_length = 20;
    rows.common.n = 100;
    CHECK(ms::Operation::scan_segments(context, rows)->contract(MULTISPLIT_ROLE_OUTPUT).value().size == 400);
    MultisplitReduceSegmentsInfo segments = {};
    segments.segments.n = 9;
    segments.common.n = 100;
    CHECK(ms::Operation::reduce_segments(context, segments)->contract(MULTISPLIT_ROLE_OFFSETS).value().size == 40);
    MultisplitScanByKeyInfo by_key = {};
    by_key.common.n = 100;
    CHECK(ms::Operation::scan_by_key(context, by_key)->contract(MULTISPLIT_ROLE_VALUES_OUT).value().size == 400);
}

void paths(const ms::Context &context) {
    const std::uint32_t from[] = {0, 1}, to[] = {1, 2};
    MultisplitSsspInfo info = {};
    info.vertices = 3;
    info.edge_count = 2;
    info.from = from;
    info.to = to;
    auto search = ms::ShortestPaths::create(context, info).value();
    std::uint32_t distances[3] = {};
    CHECK(search.solve(0, distances, 3) && distances[2] == 2);
    CHECK(!search.solve(9, distances, 3));
}

/* The program releases the context first, but it is destroyed last; the layer would report leaked objects. */
void context_outlives_operations(const Host &host) {
    std::optional<ms::Context> context = ms::Context::create(host_context_info(&host)).value();
    std::optional<ms::Operation> sort =
        ms::Operation::sort_keys(*context, MULTISPLIT_KEY_TYPE_U32, 1000).value();
    context.reset();
    ms::Operation moved = std::move(*sort);
    sort.reset();
    HostBuffer keys = host_buffer(&host, 4000, 0);
    auto *key = static_cast<std::uint32_t *>(keys.mapped);
    for (std::uint32_t i = 0; i < 1000; ++i) {
        key[i] = 1000 - i;
    }
    host_begin(&host);
    CHECK(moved.record_sort(host.commands, VK_NULL_HANDLE).code() == MULTISPLIT_ERROR_NULL);
    CHECK(static_cast<bool>(moved.record_sort(host.commands, keys.buffer)));
    host_submit(&host);
    CHECK(key[0] == 1 && key[999] == 1000);
    host_free(&host, &keys);
}

/* A recording sets other edges than those of the histogram. */
void other_edges(const Host &host, const ms::Context &context) {
    const std::uint32_t planned[] = {0, 5, 10}, edges[] = {0, 2, 10};
    MultisplitHistogramInfo info = {};
    info.sample_type = MULTISPLIT_SAMPLE_TYPE_U32;
    info.bins = 2;
    info.function = MULTISPLIT_BINS_RANGE;
    info.edges = planned;
    info.edge_count = 3;
    info.settable_edges = VK_TRUE;
    info.common.n = 10;
    info.common.barriers = MULTISPLIT_BARRIERS_FULL;
    ms::Operation histogram = ms::Operation::histogram(context, info).value();
    CHECK(static_cast<bool>(histogram.warm_up()));
    HostBuffer samples = host_buffer(&host, 40, 0), counts = host_buffer(&host, 8, 0);
    for (std::uint32_t i = 0; i < 10; ++i) {
        static_cast<std::uint32_t *>(samples.mapped)[i] = i;
    }
    MultisplitValues values = {};
    values.edges = edges;
    values.edge_count = 3;
    MultisplitRecordInfo with_values = {};
    with_values.values = &values;
    host_begin(&host);
    CHECK(static_cast<bool>(histogram.record(host.commands,
                                             {ms::bind(MULTISPLIT_ROLE_SAMPLES, samples.buffer),
                                              ms::bind(MULTISPLIT_ROLE_COUNTS, counts.buffer)},
                                             with_values)));
    host_submit(&host);
    const auto *count = static_cast<const std::uint32_t *>(counts.mapped);
    CHECK(count[0] == 2 && count[1] == 8);
    host_free(&host, &samples);
    host_free(&host, &counts);
}

void requirements(const Host &host) {
    MultisplitRequirementsInfo ask = {};
    ask.get_instance_proc_addr = vkGetInstanceProcAddr;
    ask.instance = host.instance;
    ask.physical_device = host.physical;
    ask.api_version = VK_API_VERSION_1_3;
    auto wanted = ms::Requirements::create(ask).value();
    VkDeviceCreateInfo create = {};
    create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    CHECK(!wanted.check(create));
    CHECK(wanted.merge(create) && wanted.check(create));
}

} // namespace

int main(int argc, char **argv) {
    Host host;
    host_create(&host, argc, argv);
    {
        ms::Context context = ms::Context::create(host_context_info(&host)).value();
        results(context);
        paths(context);
        other_edges(host, context);
    }
    context_outlives_operations(host);
    requirements(host);
    std::printf("%d failed\n", failures);
    const int status = host_destroy(&host);
    return failures > 0 ? 2 : status;
}
