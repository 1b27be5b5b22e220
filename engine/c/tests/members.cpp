/*
 * Tests every special member of the classes of multisplit.hpp. Each operation and each search owns a context that
 * nothing else holds, so an assignment or a destruction in the wrong order leaves a context behind, with all its
 * Vulkan objects: the validation layer reports them when the device is destroyed.
 */
#include "host.h"

#include <multisplit.hpp>

#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

/* Drivers and layers leak host memory of their own, so leaks do not fail the program: the test searches the
 * report for leaks of the library. */
extern "C" const char *__lsan_default_options() { return "exitcode=0"; }

namespace {

namespace ms = multisplit;

int failures = 0;

void check(bool good, const char *what, int line) {
    if (!good) {
        std::fprintf(stderr, "line %d: %s\n", line, what);
        ++failures;
    }
}
#define CHECK(condition) check(static_cast<bool>(condition), #condition, __LINE__)

template <class T>
constexpr bool only_moves = std::is_nothrow_default_constructible_v<T> && !std::is_copy_constructible_v<T> &&
                            !std::is_copy_assignable_v<T> && std::is_nothrow_move_constructible_v<T> &&
                            std::is_move_assignable_v<T> && std::is_nothrow_destructible_v<T>;
static_assert(only_moves<ms::Operation> && only_moves<ms::ShortestPaths> && only_moves<ms::Requirements>);
static_assert(std::is_nothrow_default_constructible_v<ms::Context> && std::is_copy_assignable_v<ms::Context> &&
              std::is_nothrow_move_assignable_v<ms::Context>);

ms::Context make_context(const Host &host) { return ms::Context::create(host_context_info(&host)).value(); }

/* A warmed-up operation, which owns pipelines, memory and descriptors. */
ms::Operation make(const Host &host, ms::Operation *) {
    return ms::Operation::sort_pairs(make_context(host), MULTISPLIT_KEY_TYPE_U32, 5000).value();
}

ms::ShortestPaths make(const Host &host, ms::ShortestPaths *) {
    const std::uint32_t from[] = {0, 1}, to[] = {1, 2};
    MultisplitSsspInfo info = {};
    info.vertices = 3;
    info.edge_count = 2;
    info.from = from;
    info.to = to;
    return ms::ShortestPaths::create(make_context(host), info).value();
}

ms::Requirements make(const Host &host, ms::Requirements *) {
    MultisplitRequirementsInfo ask = {};
    ask.get_instance_proc_addr = vkGetInstanceProcAddr;
    ask.instance = host.instance;
    ask.physical_device = host.physical;
    ask.api_version = VK_API_VERSION_1_3;
    return ms::Requirements::create(ask).value();
}

ms::Context make(const Host &host, ms::Context *) { return make_context(host); }

template <class T>
void moves(const Host &host) {
    const auto made = [&host] { return make(host, static_cast<T *>(nullptr)); };
    T empty, other;
    CHECK(!empty && empty.get() == nullptr);
    empty = T();
    CHECK(!empty);
    T first = made();
    const auto *handle = first.get();
    CHECK(first && handle != nullptr);
    T moved(std::move(first)); /* move construction; the source is empty */
    CHECK(!first && moved.get() == handle);
    other = std::move(moved); /* to an empty object */
    CHECK(!moved && other.get() == handle);
    T second = made();
    other = std::move(second); /* to an object with another context, which is destroyed */
    CHECK(!second && other && other.get() != handle);
    other = made(); /* from a temporary */
    T &same = other;
    other = std::move(same); /* to itself */
    std::swap(other, empty);
    CHECK(empty);
    empty = T(); /* from an empty object: destroys */
    CHECK(!empty);
    std::vector<T> several;
    for (int i = 0; i < 3; ++i) {
        several.push_back(made()); /* grows, and moves its elements */
    }
    several.erase(several.begin()); /* assigns each element to the one before it */
    CHECK(several.size() == 2 && several[0] && several[1]);
    ms::Result<T> result(made());
    T taken = std::move(result.value()); /* of an lvalue */
    CHECK(taken);
    const ms::Result<T> constant(std::move(taken));
    CHECK(constant.value().get() != nullptr);
}

/* Copies share the context; the last one destroys it. */
void copies(const Host &host) {
    ms::Context first = make_context(host), second = make_context(host), copy(first);
    CHECK(copy.get() == first.get());
    copy = second;
    CHECK(copy.get() == second.get());
    second = ms::Context();
    first = copy;
    CHECK(first.keeps_lane_order().value() && !second.keeps_lane_order());
    /* The operation keeps the last copy. */
    ms::Operation sort = ms::Operation::sort_keys(first, MULTISPLIT_KEY_TYPE_U32, 100).value();
    first = copy = ms::Context();
    CHECK(sort.is_ready().value());
}

/* Calls on empty objects return errors. */
void empty_objects(const Host &host) {
    ms::Operation none;
    CHECK(none.warm_up().code() == MULTISPLIT_ERROR_NULL && none.workspace().code() == MULTISPLIT_ERROR_NULL);
    CHECK(none.record_sort(host.commands, VK_NULL_HANDLE).code() == MULTISPLIT_ERROR_NULL);
    CHECK(ms::Operation::sort_keys(ms::Context(), MULTISPLIT_KEY_TYPE_U32, 9).code() == MULTISPLIT_ERROR_NULL);
    std::uint32_t distance = 0;
    CHECK(ms::ShortestPaths().solve(0, &distance, 1).code() == MULTISPLIT_ERROR_NULL);
    CHECK(ms::Requirements().check({}).code() == MULTISPLIT_ERROR_NULL);
}

} // namespace

int main(int argc, char **argv) {
    Host host;
    host_create(&host, argc, argv);
    moves<ms::Operation>(host);
    moves<ms::ShortestPaths>(host);
    moves<ms::Requirements>(host);
    moves<ms::Context>(host);
    copies(host);
    empty_objects(host);
    const int status = host_destroy(&host);
    std::printf("%d failed, %u messages\n", failures, host.messages);
    return failures > 0 ? 2 : status;
}
