/*
 * multisplit for C++17: classes that own the objects of multisplit.h, and results that are either a value or
 * an error. Header only; link the same library.
 *
 *   auto sort = multisplit::Operation::sort_pairs(context, MULTISPLIT_KEY_TYPE_U32, n);
 *   if (!sort) { log(sort.message()); return; }          // check the result,
 *   multisplit::Operation sort = ... .value();           // or throw multisplit::Error on failure
 *
 * All functions that can fail return a Result. Its function value() returns the value, or throws an Error if the
 * call failed. In programs compiled without exceptions, value() prints the message and aborts instead.
 *
 * Objects can be moved but not copied, except Context, whose copies share one context. Each operation and each
 * ShortestPaths holds a copy, so the context is destroyed after the last of them, regardless of the order of
 * destruction or assignment. The device must outlive all of them. Objects that were default-constructed or
 * moved from are empty: they convert to false, and their functions return MULTISPLIT_ERROR_NULL.
 *
 * Functions that take a structure set its struct_size. SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef MULTISPLIT_HPP
#define MULTISPLIT_HPP

#include "multisplit.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define MULTISPLIT_HAS_EXCEPTIONS 1
#else
#define MULTISPLIT_HAS_EXCEPTIONS 0
#endif

namespace multisplit {

/* Thrown by Result::value. */
class Error : public std::runtime_error {
public:
    Error(MultisplitResult code, const std::string &message) : std::runtime_error(message), code_(code) {}
    MultisplitResult code() const noexcept { return code_; }

private:
    MultisplitResult code_;
};

namespace detail {

[[noreturn]] inline void fail(MultisplitResult code, const std::string &message) {
    const std::string text = std::string(multisplit_result_name(code)) + ": " + message;
#if MULTISPLIT_HAS_EXCEPTIONS
    throw Error(code, text);
#else
    std::fprintf(stderr, "multisplit: %s\n", text.c_str());
    std::abort();
#endif
}

/* A result code, and its message if it is an error. */
class Status {
public:
    explicit Status(MultisplitResult code)
        : code_(code), message_(code == MULTISPLIT_SUCCESS ? "" : multisplit_last_error()) {}
    MultisplitResult code() const noexcept { return code_; }
    const std::string &message() const noexcept { return message_; }
    explicit operator bool() const noexcept { return code_ == MULTISPLIT_SUCCESS; }

private:
    MultisplitResult code_;
    std::string message_;
};

} // namespace detail

/* A value, or the code and the message of an error. */
template <class T>
class [[nodiscard]] Result : public detail::Status {
public:
    Result(T value) : Status(MULTISPLIT_SUCCESS), value_(std::move(value)) {}
    explicit Result(MultisplitResult error) : Status(error) {}

    /* The value; throws Error if the call failed. std::move(result).value() moves the value out of a variable. */
    T value() && {
        require();
        return std::move(*value_);
    }
    T &value() & {
        require();
        return *value_;
    }
    const T &value() const & {
        require();
        return *value_;
    }
    /* Unchecked access; requires that there is a value. */
    T &operator*() { return *value_; }
    const T &operator*() const { return *value_; }
    T *operator->() { return &*value_; }
    const T *operator->() const { return &*value_; }

private:
    void require() const {
        if (!value_) {
            detail::fail(code(), message());
        }
    }
    std::optional<T> value_;
};

template <>
class [[nodiscard]] Result<void> : public detail::Status {
public:
    explicit Result(MultisplitResult code) : Status(code) {}
    /* Throws Error if the call failed. */
    void value() const {
        if (!*this) {
            detail::fail(code(), message());
        }
    }
};

/* A number of a key type, for `first`, `last` and `identity`. Only numbers of exactly these types convert, so the
 * operand of a comparison of floats must be a float. */
inline MultisplitNumber number(std::uint32_t value) { return multisplit_u32(value); }
inline MultisplitNumber number(std::int32_t value) { return multisplit_i32(value); }
inline MultisplitNumber number(float value) { return multisplit_f32(value); }
inline MultisplitNumber number(std::uint64_t value) { return multisplit_u64(value); }
inline MultisplitNumber number(std::int64_t value) { return multisplit_i64(value); }
inline MultisplitNumber number(double value) { return multisplit_f64(value); }
template <class T>
MultisplitNumber number(T) = delete;

/* A selection of n elements by a comparison. K is the type of the elements and of the operands. */
template <class K>
MultisplitSelectInfo select_info(std::uint64_t n, MultisplitCondition condition, K first = {}, K last = {}) {
    MultisplitSelectInfo info = {};
    info.struct_size = sizeof info;
    info.key_type = number(K{}).key_type;
    info.condition = condition;
    info.first = number(first);
    info.last = number(last);
    info.common.n = n;
    return info;
}

/* A context description without device, queue and features, which create_device() sets. */
inline MultisplitContextInfo context_info(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                          VkPhysicalDevice physical_device, std::uint32_t queue_family,
                                          std::uint32_t api_version) {
    MultisplitContextInfo info = {};
    info.struct_size = sizeof info;
    info.version = MULTISPLIT_VERSION;
    info.get_instance_proc_addr = get_instance_proc_addr;
    info.instance = instance;
    info.physical_device = physical_device;
    info.queue_family = queue_family;
    info.api_version = api_version;
    return info;
}

/* Creates the caller's device, and sets device, queue and features of `info`: multisplit_device_create. */
inline Result<void> create_device(MultisplitContextInfo &info, const VkDeviceCreateInfo *create_info = nullptr) {
    info.struct_size = sizeof info;
    info.version = MULTISPLIT_VERSION;
    return Result<void>(multisplit_device_create(&info, create_info));
}

/* Features and extensions to enable, for callers that create the device themselves. */
class Requirements {
public:
    Requirements() = default;
    static Result<Requirements> create(MultisplitRequirementsInfo info) {
        info.struct_size = sizeof info;
        info.version = MULTISPLIT_VERSION;
        MultisplitRequirements *made = nullptr;
        const MultisplitResult code = multisplit_requirements_create(&info, &made);
        return code == MULTISPLIT_SUCCESS ? Result<Requirements>(Requirements(made)) : Result<Requirements>(code);
    }
    MultisplitRequirements *get() const noexcept { return handle_.get(); }
    explicit operator bool() const noexcept { return handle_ != nullptr; }
    Result<void> merge(VkDeviceCreateInfo &create_info) const {
        return Result<void>(multisplit_requirements_merge(get(), &create_info));
    }
    /* Returns the value for `features` of MultisplitContextInfo. */
    Result<std::uint32_t> check(const VkDeviceCreateInfo &create_info) const {
        std::uint32_t features = 0;
        const MultisplitResult code = multisplit_requirements_check(get(), &create_info, &features);
        return code == MULTISPLIT_SUCCESS ? Result<std::uint32_t>(features) : Result<std::uint32_t>(code);
    }

private:
    struct Destroy {
        void operator()(MultisplitRequirements *handle) const noexcept { multisplit_requirements_destroy(handle); }
    };
    explicit Requirements(MultisplitRequirements *handle) : handle_(handle) {}
    std::unique_ptr<MultisplitRequirements, Destroy> handle_;
};

/* The caller's device. Copies share the same context. */
class Context {
public:
    Context() = default;
    static Result<Context> create(MultisplitContextInfo info) {
        info.struct_size = sizeof info;
        info.version = MULTISPLIT_VERSION;
        MultisplitContext *made = nullptr;
        const MultisplitResult code = multisplit_context_create(&info, &made);
        return code == MULTISPLIT_SUCCESS ? Result<Context>(Context(made)) : Result<Context>(code);
    }
    MultisplitContext *get() const noexcept { return handle_.get(); }
    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /* Whether the device still preserves lane order: multisplit_context_lane_order. */
    Result<bool> keeps_lane_order() const {
        VkBool32 kept = VK_TRUE;
        const MultisplitResult code = multisplit_context_lane_order(get(), &kept);
        return code == MULTISPLIT_SUCCESS ? Result<bool>(kept != VK_FALSE) : Result<bool>(code);
    }

private:
    explicit Context(MultisplitContext *handle)
        : handle_(handle, [](MultisplitContext *it) { multisplit_context_destroy(it); }) {}
    std::shared_ptr<MultisplitContext> handle_;
};

namespace detail {

/* The deleter of a handle. It holds the context, so a std::unique_ptr destroys the handle before it releases the
 * context, also on assignment. */
template <class Handle, MultisplitResult (*destroy)(Handle *)>
struct Destroy {
    Context context;
    void operator()(Handle *handle) const noexcept { destroy(handle); }
};
template <class Handle, MultisplitResult (*destroy)(Handle *)>
using Owned = std::unique_ptr<Handle, Destroy<Handle, destroy>>;

} // namespace detail

/* Binds a buffer, or a range of it, to a role. */
inline MultisplitBinding bind(MultisplitRole role, VkBuffer buffer, VkDeviceSize offset = 0,
                              VkDeviceSize size = VK_WHOLE_SIZE) {
    MultisplitBinding binding = {};
    binding.role = role;
    binding.buffer = buffer;
    binding.offset = offset;
    binding.size = size;
    return binding;
}

/* A sort, split, top-k, histogram, scan, reduction, selection, search or merge. Destroy it only after
 * everything recorded with it has finished executing. */
class Operation {
public:
    Operation() = default;
    /* Create sorts that are already warmed up: multisplit_sort_pairs_create, multisplit_sort_keys_create. */
    static Result<Operation> sort_pairs(const Context &context, MultisplitKeyType key_type, std::uint64_t n,
                                        MultisplitCount count = MULTISPLIT_COUNT_FIXED) {
        MultisplitOperation *made = nullptr;
        const MultisplitResult code = multisplit_sort_pairs_create(context.get(), key_type, n, count, &made);
        return wrap(context, code, made);
    }
    static Result<Operation> sort_keys(const Context &context, MultisplitKeyType key_type, std::uint64_t n,
                                       MultisplitCount count = MULTISPLIT_COUNT_FIXED) {
        MultisplitOperation *made = nullptr;
        const MultisplitResult code = multisplit_sort_keys_create(context.get(), key_type, n, count, &made);
        return wrap(context, code, made);
    }
    /* Create operations that are only planned: call warm_up() before recording. */
    static Result<Operation> sort(const Context &context, MultisplitSortInfo info) {
        return plan(context, info, multisplit_sort_create);
    }
    static Result<Operation> split(const Context &context, MultisplitSplitInfo info) {
        return plan(context, info, multisplit_split_create);
    }
    static Result<Operation> histogram(const Context &context, MultisplitHistogramInfo info) {
        return plan(context, info, multisplit_histogram_create);
    }
    static Result<Operation> topk(const Context &context, MultisplitTopKInfo info) {
        return plan(context, info, multisplit_topk_create);
    }
    static Result<Operation> scan(const Context &context, MultisplitScanInfo info) {
        return plan(context, info, multisplit_scan_create);
    }
    static Result<Operation> reduce(const Context &context, MultisplitReduceInfo info) {
        return plan(context, info, multisplit_reduce_create);
    }
    static Result<Operation> reduce_by_key(const Context &context, MultisplitReduceByKeyInfo info) {
        return plan(context, info, multisplit_reduce_by_key_create);
    }
    static Result<Operation> scan_by_key(const Context &context, MultisplitScanByKeyInfo info) {
        return plan(context, info, multisplit_scan_by_key_create);
    }
    static Result<Operation> scan_segments(const Context &context, MultisplitScanSegmentsInfo info) {
        return plan(context, info, multisplit_scan_segments_create);
    }
    static Result<Operation> reduce_segments(const Context &context, MultisplitReduceSegmentsInfo info) {
        return plan(context, info, multisplit_reduce_segments_create);
    }
    static Result<Operation> select(const Context &context, MultisplitSelectInfo info) {
        return plan(context, info, multisplit_select_create);
    }
    static Result<Operation> search(const Context &context, MultisplitSearchInfo info) {
        return plan(context, info, multisplit_search_create);
    }
    static Result<Operation> merge(const Context &context, MultisplitMergeInfo info) {
        return plan(context, info, multisplit_merge_create);
    }

    MultisplitOperation *get() const noexcept { return handle_.get(); }
    explicit operator bool() const noexcept { return handle_ != nullptr; }
    Result<void> warm_up() const { return Result<void>(multisplit_operation_warm_up(get())); }
    Result<bool> is_ready() const {
        VkBool32 ready = VK_FALSE;
        const MultisplitResult code = multisplit_operation_is_ready(get(), &ready);
        return wrap(code, ready != VK_FALSE);
    }
    /* To compile with a job system, run one job per pass, then call warm_up(). */
    Result<std::uint32_t> pass_count() const {
        std::uint32_t found = 0;
        const MultisplitResult code = multisplit_operation_pass_count(get(), &found);
        return wrap(code, found);
    }
    Result<void> compile_pass(std::uint32_t pass) const {
        return Result<void>(multisplit_operation_compile_pass(get(), pass));
    }
    Result<const char *> pass_name(std::uint32_t pass) const {
        const char *found = "";
        const MultisplitResult code = multisplit_operation_pass_name(get(), pass, &found);
        return wrap(code, found);
    }
    Result<MultisplitWorkspace> workspace() const {
        MultisplitWorkspace found = {};
        const MultisplitResult code = multisplit_operation_workspace(get(), &found);
        return wrap(code, found);
    }
    Result<MultisplitContract> contract(MultisplitRole role) const {
        MultisplitContract found = {};
        const MultisplitResult code = multisplit_operation_contract(get(), role, &found);
        return wrap(code, found);
    }
    Result<std::uint32_t> timestamps(bool each_pass) const {
        std::uint32_t found = 0;
        const MultisplitResult code = multisplit_operation_timestamps(get(), each_pass ? VK_TRUE : VK_FALSE, &found);
        return wrap(code, found);
    }

    /* Records an operation created by sort_pairs or sort_keys: multisplit_record_sort. */
    Result<void> record_sort(VkCommandBuffer commands, VkBuffer keys, VkBuffer values = VK_NULL_HANDLE,
                             VkBuffer count = VK_NULL_HANDLE) const {
        return Result<void>(multisplit_record_sort(get(), commands, keys, values, count));
    }
    /* Records any operation: multisplit_record with these bindings and the other members of `info`. */
    Result<void> record(VkCommandBuffer commands, std::initializer_list<MultisplitBinding> bindings,
                        MultisplitRecordInfo info = {}) const {
        info.bindings = bindings.begin();
        info.binding_count = static_cast<std::uint32_t>(bindings.size());
        return record(commands, info);
    }
    Result<void> record(VkCommandBuffer commands, MultisplitRecordInfo info) const {
        info.struct_size = sizeof info;
        return Result<void>(multisplit_record(get(), commands, &info));
    }

private:
    Operation(const Context &context, MultisplitOperation *handle) : handle_(handle, {context}) {}

    template <class Info>
    static Result<Operation> plan(const Context &context, Info info,
                                  MultisplitResult (*create)(const MultisplitContext *, const Info *,
                                                             MultisplitOperation **)) {
        info.struct_size = sizeof info;
        MultisplitOperation *made = nullptr;
        const MultisplitResult code = create(context.get(), &info, &made);
        return wrap(context, code, made);
    }
    /* Takes the results of a completed call. The call must not be an argument itself, because the evaluation
    * order of arguments is unspecified. */
    static Result<Operation> wrap(const Context &context, MultisplitResult code, MultisplitOperation *made) {
        return code == MULTISPLIT_SUCCESS ? Result<Operation>(Operation(context, made)) : Result<Operation>(code);
    }
    template <class T>
    static Result<T> wrap(MultisplitResult code, T found) {
        return code == MULTISPLIT_SUCCESS ? Result<T>(std::move(found)) : Result<T>(code);
    }

    detail::Owned<MultisplitOperation, multisplit_operation_destroy> handle_;
};

/* Shortest paths in one network. */
class ShortestPaths {
public:
    ShortestPaths() = default;
    static Result<ShortestPaths> create(const Context &context, MultisplitSsspInfo info) {
        info.struct_size = sizeof info;
        MultisplitSssp *made = nullptr;
        const MultisplitResult code = multisplit_sssp_create(context.get(), &info, &made);
        return code == MULTISPLIT_SUCCESS ? Result<ShortestPaths>(ShortestPaths(context, made))
                                          : Result<ShortestPaths>(code);
    }
    MultisplitSssp *get() const noexcept { return handle_.get(); }
    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /* Writes one distance per vertex: std::uint32_t, or float if the weights are floats. `count` is the length of
     * the array, and also of `predecessors` unless that is NULL: at least the number of vertices. */
    template <class T>
    Result<void> solve(std::uint32_t source, T *distances, std::uint64_t count,
                       std::uint32_t *predecessors = nullptr) const {
        static_assert(sizeof(T) == sizeof(std::uint32_t), "distances have four bytes");
        return Result<void>(multisplit_sssp_solve(get(), source, distances, predecessors, count));
    }

private:
    ShortestPaths(const Context &context, MultisplitSssp *handle) : handle_(handle, {context}) {}
    detail::Owned<MultisplitSssp, multisplit_sssp_destroy> handle_;
};

} // namespace multisplit

#endif
