/*
 * multisplit: GPU sort, split, top-k, histogram, scan, reduction, selection, search, merge and shortest paths,
 * in the caller's own Vulkan device and command buffers.
 *
 * The life of an operation:
 *
 *   1. multisplit_requirements_create, _merge     what to enable, before vkCreateDevice
 *   2. multisplit_context_create                  the caller's device
 *   3. multisplit_sort_create, ...                plans: what buffers and scratch memory it takes
 *   4. multisplit_operation_warm_up               compiles: from here on nothing is created
 *   5. multisplit_record, every frame             into the caller's command buffer
 *   6. multisplit_operation_destroy, multisplit_context_destroy
 *
 * Short functions for a sort: multisplit_device_create for 1, multisplit_sort_pairs_create for 3 and 4,
 * multisplit_record_sort for 5. C++ programs may prefer the classes of multisplit.hpp.
 *
 * Functions return a MultisplitResult, except those that return text or a version;
 * multisplit_last_error returns the message of an error. NULL for an argument is an error, never a
 * crash. Handles are numbers, not addresses: one that was destroyed or never created is an error too.
 *
 * Structures that the caller fills begin with struct_size, which is set to their sizeof. A member with
 * a default says so ("0: ..."); switches are off and choices are their first value where they are 0;
 * members called reserved must be 0. Write
 *
 *   MultisplitSortInfo info = {.struct_size = sizeof info, .key_type = MULTISPLIT_KEY_TYPE_F32};
 *
 * in C, and `MultisplitSortInfo info = {}; info.struct_size = sizeof info;` in C++.
 *
 * Functions may be called from any thread.
 *
 * Generated from the Rust sources: change those. SPDX-License-Identifier: MIT OR Apache-2.0
 */


#ifndef MULTISPLIT_H
#define MULTISPLIT_H

#include <stdint.h>
#include <vulkan/vulkan_core.h>

/// Major version of this header.
#define MULTISPLIT_VERSION_MAJOR 0

/// Minor version of this header.
#define MULTISPLIT_VERSION_MINOR 6

/// Patch version of this header.
#define MULTISPLIT_VERSION_PATCH 0

/// Version of this header in one number, laid out like Vulkan's: what `version` members are set to.
#define MULTISPLIT_VERSION (((MULTISPLIT_VERSION_MAJOR << 22) | (MULTISPLIT_VERSION_MINOR << 12)) | MULTISPLIT_VERSION_PATCH)

/// The distance of a vertex that no path reaches, and the predecessor of one that has none.
#define MULTISPLIT_UNREACHED UINT32_MAX

/// The result of a call. `multisplit_last_error` returns the message of an error.
typedef enum {
  /// The call succeeded.
  MULTISPLIT_SUCCESS = 0,
  /// A pointer or a Vulkan handle that is needed is `NULL`.
  MULTISPLIT_ERROR_NULL = -1,
  /// The caller was compiled for another version of the library.
  MULTISPLIT_ERROR_VERSION = -2,
  /// `struct_size` leaves out members that are needed, or has members that the library does not know
  /// and that are set.
  MULTISPLIT_ERROR_STRUCT_SIZE = -3,
  /// A handle is not valid: it was destroyed, is of another kind, or was never created.
  MULTISPLIT_ERROR_HANDLE = -4,
  /// A context cannot be destroyed while objects that were made from it exist.
  MULTISPLIT_ERROR_IN_USE = -5,
  /// The operation needs `multisplit_operation_warm_up` first.
  MULTISPLIT_ERROR_NOT_READY = -6,
  /// An argument or a member has a value that is not allowed.
  MULTISPLIT_ERROR_INVALID = -7,
  /// A buffer, an array or a workspace is too small.
  MULTISPLIT_ERROR_TOO_SMALL = -8,
  /// An offset does not have the alignment that the device needs.
  MULTISPLIT_ERROR_MISALIGNED = -9,
  /// A number is past a limit of the device or of the method.
  MULTISPLIT_ERROR_TOO_LARGE = -10,
  /// The device lacks a feature, or the library was built without it.
  MULTISPLIT_ERROR_UNSUPPORTED = -11,
  /// The GLSL does not compile; the message names the line.
  MULTISPLIT_ERROR_GLSL = -12,
  /// Out of host or device memory.
  MULTISPLIT_ERROR_OUT_OF_MEMORY = -13,
  /// The device is lost: destroy everything that was created from it.
  MULTISPLIT_ERROR_DEVICE_LOST = -14,
  /// Another Vulkan call failed.
  MULTISPLIT_ERROR_VULKAN = -15,
  /// A bug in the library: please report the message.
  MULTISPLIT_ERROR_INTERNAL = -16,
  /// `value_bytes` is not 4, 8 or 16.
  MULTISPLIT_ERROR_VALUE_SIZE = -17,
  /// `first_bit` and `bit_count` name bits that a key does not have.
  MULTISPLIT_ERROR_SORT_BITS = -18,
  /// `frame` is not one of the frames in flight that the operation was made for.
  MULTISPLIT_ERROR_FRAME = -19,
  /// `profile` is damaged, of another version, device or driver, or has sizes that the device cannot
  /// have; the message says which.
  MULTISPLIT_ERROR_PROFILE = -20,
} MultisplitResult;

/// What the kernels of sorts and splits may rely on. Results never depend on it.
typedef enum {
  /// What the environment variable `MULTISPLIT_RANKING` says, `promised` or `probed`; where it is not
  /// set, as `MULTISPLIT_RANKING_PROBED`.
  MULTISPLIT_RANKING_AUTO = 0,
  /// Only what Vulkan promises. Nothing is tried out.
  MULTISPLIT_RANKING_PROMISED = 1,
  /// Also what the device was seen to do, where a probe has shown it; it is faster. What
  /// the probe finds: `multisplit_context_lane_order`.
  MULTISPLIT_RANKING_PROBED = 2,
} MultisplitRanking;

/// What a key is. Floats are in their total order: -NaN first, -0 before 0, NaN last.
typedef enum {
  /// `uint32_t`.
  MULTISPLIT_KEY_TYPE_U32 = 0,
  /// `int32_t`.
  MULTISPLIT_KEY_TYPE_I32 = 1,
  /// `float`.
  MULTISPLIT_KEY_TYPE_F32 = 2,
  /// `uint64_t`; needs `shaderInt64`.
  MULTISPLIT_KEY_TYPE_U64 = 3,
  /// `int64_t`; needs `shaderInt64`.
  MULTISPLIT_KEY_TYPE_I64 = 4,
  /// `double`; needs `shaderInt64`.
  MULTISPLIT_KEY_TYPE_F64 = 5,
  /// `uint8_t`. Keys of 8 and 16 bits can be sorted, split and searched for the largest, and lie in whole
  /// words: the buffer of a role has a multiple of 4 bytes, of which those past the last key stay as they are.
  MULTISPLIT_KEY_TYPE_U8 = 6,
  /// `int8_t`.
  MULTISPLIT_KEY_TYPE_I8 = 7,
  /// `uint16_t`.
  MULTISPLIT_KEY_TYPE_U16 = 8,
  /// `int16_t`.
  MULTISPLIT_KEY_TYPE_I16 = 9,
  /// A float of 16 bits as in IEEE 754: `_Float16`.
  MULTISPLIT_KEY_TYPE_F16 = 10,
  /// The upper half of a `float`: bfloat16.
  MULTISPLIT_KEY_TYPE_BF16 = 11,
} MultisplitKeyType;

/// What moves along with the keys of a sort.
typedef enum {
  /// Nothing.
  MULTISPLIT_SORT_VALUES_NONE = 0,
  /// One value of `value_bytes` bytes for each key.
  MULTISPLIT_SORT_VALUES_VALUES = 1,
  /// Their number, as a `uint32_t`: the order that sorts the input.
  MULTISPLIT_SORT_VALUES_INDICES = 2,
} MultisplitSortValues;

/// What of an array is sorted on its own.
typedef enum {
  /// All of it, as one.
  MULTISPLIT_SEGMENTS_WHOLE = 0,
  /// Each row of a matrix: `row_length` elements.
  MULTISPLIT_SEGMENTS_ROWS = 1,
  /// Each segment between offsets on the host, which are known when the sort is planned.
  MULTISPLIT_SEGMENTS_HOST_OFFSETS = 2,
  /// Each segment between offsets on the device: the words of `OFFSETS`, read when the commands run. One past
  /// the elements counts as their number, one below an earlier one as that.
  MULTISPLIT_SEGMENTS_DEVICE_OFFSETS = 3,
} MultisplitSegments;

/// Where the number of elements comes from.
typedef enum {
  /// It is always n.
  MULTISPLIT_COUNT_FIXED = 0,
  /// A host count: `count` of each recording. A larger one than n is an error.
  MULTISPLIT_COUNT_RECORDED = 1,
  /// A device count: a word of the buffer of `MULTISPLIT_ROLE_COUNT`, read when the commands run. A
  /// larger number than n counts as n.
  MULTISPLIT_COUNT_DEVICE = 2,
} MultisplitCount;

/// What a buffer is to an operation. Each `Multisplit*Info` lists the roles of its operations;
/// `multisplit_operation_contract` gives the size of each buffer, and how it is used.
typedef enum {
  /// The keys of a sort, sorted in place; the keys of a split, a top-k, a reduction or a scan by key, only
  /// read; the first keys of a merge, only read.
  MULTISPLIT_ROLE_KEYS = 0,
  /// The keys of a split, in the order of their buckets; those that a top-k found; those of the runs of a
  /// reduction by key; all keys of a merge.
  MULTISPLIT_ROLE_KEYS_OUT = 1,
  /// The other keys of a sort between two buffers; the second keys of a merge, only read.
  MULTISPLIT_ROLE_KEYS_OTHER = 2,
  /// The values of a sort, moved along; the values of a split, a reduction or a scan by key, only read; those
  /// of the first keys of a merge, only read.
  MULTISPLIT_ROLE_VALUES = 3,
  /// The values of a split or a merge, in the order of the keys; what those of each run combine to in a
  /// reduction by key; the results of a scan by key.
  MULTISPLIT_ROLE_VALUES_OUT = 4,
  /// The other values, or the other indices, of a sort between two buffers; the values of the second keys of
  /// a merge, only read.
  MULTISPLIT_ROLE_VALUES_OTHER = 5,
  /// Gets, for each place of a sort, which element of the input comes there; of a top-k, which elements
  /// of their row were found; of a reduction, where its result is: `uint32_t`.
  MULTISPLIT_ROLE_INDICES = 6,
  /// One word: 0 where a sort between two buffers has left the result where the input was, else 1.
  MULTISPLIT_ROLE_HALF = 7,
  /// Gets, for each element of a split, where it goes: `uint32_t`.
  MULTISPLIT_ROLE_PERMUTATION = 8,
  /// Of a split m + 1 words: where each bucket begins, and n. Of a sort or a reduction of segments one word
  /// more than there are segments, only read: where each begins, and where the last one ends.
  MULTISPLIT_ROLE_OFFSETS = 9,
  /// What is out of range. Of a split one word: the number of keys whose function gave an id of m or
  /// more. Of a histogram one count for each channel that is counted: of the samples in no bin.
  MULTISPLIT_ROLE_OUT_OF_RANGE = 10,
  /// The words that a function in GLSL reads as `table.at[]`.
  MULTISPLIT_ROLE_TABLE = 11,
  /// The samples of a histogram, only read.
  MULTISPLIT_ROLE_SAMPLES = 12,
  /// A weight for each element of a histogram, only read.
  MULTISPLIT_ROLE_WEIGHTS = 13,
  /// The counts of a histogram: m for each channel that is counted.
  MULTISPLIT_ROLE_COUNTS = 14,
  /// m words: the exclusive prefix sums of the counts of a histogram.
  MULTISPLIT_ROLE_CUMULATIVE = 15,
  /// The elements of a scan, a reduction or a selection, only read.
  MULTISPLIT_ROLE_INPUT = 16,
  /// The results of a scan; the result of a reduction, or of each of its segments; the elements that were
  /// selected.
  MULTISPLIT_ROLE_OUTPUT = 17,
  /// The words one of which is the device count.
  MULTISPLIT_ROLE_COUNT = 18,
  /// A word for each element of a selection, or of a scan in segments that begin where it is not zero; only
  /// read.
  MULTISPLIT_ROLE_FLAGS = 19,
  /// One word: how many elements were selected, or how many runs there are of a reduction by key.
  MULTISPLIT_ROLE_FOUND = 20,
  /// The elements that were not selected.
  MULTISPLIT_ROLE_REJECTED = 21,
  /// The lengths of runs, a word for each element that was selected.
  MULTISPLIT_ROLE_RUN_LENGTHS = 22,
  /// The sorted array of a search, only read.
  MULTISPLIT_ROLE_SORTED = 23,
  /// What a search looks for, only read.
  MULTISPLIT_ROLE_NEEDLES = 24,
  /// Gets, for each needle of a search, where it could be put: `uint32_t`.
  MULTISPLIT_ROLE_POSITIONS = 25,
  /// The words one of which is the device count of a second array, or of segments.
  MULTISPLIT_ROLE_OTHER_COUNT = 26,
} MultisplitRole;

/// Who records the barriers between an operation and what the caller does before and after.
typedef enum {
  /// The caller, but for the buffers and ends for which `scopes` name a scope.
  MULTISPLIT_BARRIERS_CALLER = 0,
  /// The operation, for all buffers: against all commands before and after, but for those for which
  /// `scopes` name a narrower scope. Simple, and on some devices some microseconds slower.
  MULTISPLIT_BARRIERS_FULL = 1,
} MultisplitBarriers;

/// Which bucket a key belongs to.
typedef enum {
  /// Buckets of `width` integers each, from the one edge on. Keys below it belong to the first,
  /// keys past the end to the last.
  MULTISPLIT_BUCKET_DELTA = 0,
  /// The bits of the key are the number of its bucket.
  MULTISPLIT_BUCKET_IDENTITY = 1,
  /// `bits` bits of the key from bit `shift` on.
  MULTISPLIT_BUCKET_DIGIT = 2,
  /// m equal parts of the floats between the two edges. Keys below belong to the first, keys above
  /// and NaN to the last. Part k begins at `k * ((hi - lo) / m) + lo`, with every operation rounded to
  /// the type (to `float` for 16-bit floats) and none overflowing, or at `hi` if that is less.
  MULTISPLIT_BUCKET_EVEN = 3,
  /// The number of edges at or below the key; m - 1 sorted edges.
  MULTISPLIT_BUCKET_RANGE = 4,
  /// The function `uint bucket_of(K key)` in `glsl`, K being `uint`, `int`, `float`, `uint64_t`,
  /// `int64_t` or `double` after the type of the keys, of which those of 8 and 16 bits come as numbers of
  /// 32. It may use `push.parameter_0`, `_1` and `_2`,
  /// and `table.at[]` where `table_words` is not 0.
  MULTISPLIT_BUCKET_GLSL = 5,
} MultisplitBucket;

/// The output of a split.
typedef enum {
  /// The keys, in the order of their buckets.
  MULTISPLIT_SPLIT_OUTPUT_KEYS = 0,
  /// Keys, and a value of `value_bytes` bytes for each.
  MULTISPLIT_SPLIT_OUTPUT_PAIRS = 1,
  /// For each element, where it goes.
  MULTISPLIT_SPLIT_OUTPUT_PERMUTATION = 2,
} MultisplitSplitOutput;

/// What a sample of a histogram is.
typedef enum {
  /// `uint8_t`.
  MULTISPLIT_SAMPLE_TYPE_U8 = 0,
  /// `uint16_t`.
  MULTISPLIT_SAMPLE_TYPE_U16 = 1,
  /// `uint32_t`.
  MULTISPLIT_SAMPLE_TYPE_U32 = 2,
  /// `int32_t`.
  MULTISPLIT_SAMPLE_TYPE_I32 = 3,
  /// `uint64_t`; needs `shaderInt64`.
  MULTISPLIT_SAMPLE_TYPE_U64 = 4,
  /// `float`.
  MULTISPLIT_SAMPLE_TYPE_F32 = 5,
  /// `double`; needs `shaderInt64` and `shaderFloat64`.
  MULTISPLIT_SAMPLE_TYPE_F64 = 6,
  /// `int64_t`; needs `shaderInt64`.
  MULTISPLIT_SAMPLE_TYPE_I64 = 7,
} MultisplitSampleType;

/// Which bin a sample belongs to.
typedef enum {
  /// m equal parts between the two edges, the upper one left out. Part k of integers begins at
  /// `lo + k * (hi - lo) / m`, exactly. Part k of floats begins at `k * ((hi - lo) / m) + lo`, with
  /// every operation rounded to the type and none overflowing, or at `hi` if that is less.
  MULTISPLIT_BINS_EVEN = 0,
  /// A bin between each two neighbours of m + 1 sorted edges, the upper one left out.
  MULTISPLIT_BINS_RANGE = 1,
  /// The sample is the number of its bin.
  MULTISPLIT_BINS_IDENTITY = 2,
  /// The function `uint bucket_of(K sample)` in `glsl`, K being `uint`, `int`, `float`, `uint64_t`,
  /// `int64_t` or `double` after the type of the samples; an id of m or more puts a sample into no bin.
  /// It may use `push.parameter_0`, `_1` and `_2`, and `table.at[]` where `table_words` is not 0.
  MULTISPLIT_BINS_GLSL = 3,
} MultisplitBins;

/// What an element of a histogram adds to its bin.
typedef enum {
  /// One.
  MULTISPLIT_WEIGHT_NONE = 0,
  /// A `uint32_t` of its own. Sums are modulo 2^32, or 2^64 where counts are wide.
  MULTISPLIT_WEIGHT_U32 = 1,
  /// A `float` of its own. Sums are rounded in an order that may differ from run to run.
  MULTISPLIT_WEIGHT_F32 = 2,
} MultisplitWeight;

/// How two elements of a scan or of a reduction are combined.
typedef enum {
  /// Their sum. Integers wrap around. Floats are added in an order that depends on the device and the
  /// count, and is the same from run to run.
  MULTISPLIT_OPERATOR_SUM = 0,
  /// The least. Floats are in the order of a sort: -NaN first, -0 before 0, NaN last.
  MULTISPLIT_OPERATOR_MIN = 1,
  /// The greatest, in the same order.
  MULTISPLIT_OPERATOR_MAX = 2,
  /// By a function in GLSL, `K combined(K a, K b)`, which is associative. It need not be commutative:
  /// elements are combined in their order.
  MULTISPLIT_OPERATOR_GLSL = 3,
} MultisplitOperator;

/// Which elements are selected. Comparisons are in the order of a sort; equal are elements with equal bits.
typedef enum {
  /// Those whose flag, a word of `FLAGS`, is not zero.
  MULTISPLIT_CONDITION_FLAGGED = 0,
  /// Those less than `first`.
  MULTISPLIT_CONDITION_LESS_THAN = 1,
  /// Those less than or equal to `first`.
  MULTISPLIT_CONDITION_AT_MOST = 2,
  /// Those greater than `first`.
  MULTISPLIT_CONDITION_GREATER_THAN = 3,
  /// Those greater than or equal to `first`.
  MULTISPLIT_CONDITION_AT_LEAST = 4,
  /// Those equal to `first`.
  MULTISPLIT_CONDITION_EQUAL_TO = 5,
  /// Those not equal to `first`.
  MULTISPLIT_CONDITION_NOT_EQUAL_TO = 6,
  /// Those from `first` to `last`, both included.
  MULTISPLIT_CONDITION_WITHIN = 7,
  /// The first of each run of equal neighbours: of a sorted array, each element once.
  MULTISPLIT_CONDITION_FIRST_OF_RUNS = 8,
  /// Those for which a function in GLSL says so: `bool is_selected(K key)`.
  MULTISPLIT_CONDITION_GLSL = 9,
} MultisplitCondition;

/// What a search finds of each needle, in the order of a sort.
typedef enum {
  /// How many elements are less than the needle: before which element it could be put, at the earliest.
  MULTISPLIT_SEARCH_LOWER_BOUND = 0,
  /// How many elements are less than or equal to the needle: before which element it could be put, at the
  /// latest.
  MULTISPLIT_SEARCH_UPPER_BOUND = 1,
} MultisplitSearch;

/// The weights of a network's edges.
typedef enum {
  /// 1 each.
  MULTISPLIT_EDGE_WEIGHT_ONES = 0,
  /// A `uint32_t` each.
  MULTISPLIT_EDGE_WEIGHT_U32 = 1,
  /// A `float` each: finite, and not negative.
  MULTISPLIT_EDGE_WEIGHT_F32 = 2,
} MultisplitEdgeWeight;

/// How shortest paths are searched for. All find the same distances.
typedef enum {
  /// Chosen by the network.
  MULTISPLIT_SSSP_METHOD_AUTO = 0,
  /// Bellman-Ford.
  MULTISPLIT_SSSP_METHOD_BELLMAN_FORD = 1,
  /// A near set and a far pile.
  MULTISPLIT_SSSP_METHOD_NEAR_FAR = 2,
  /// Buckets of equal width, by a sort.
  MULTISPLIT_SSSP_METHOD_BUCKETING = 3,
  /// Buckets of equal width, by a multisplit of its own passes.
  MULTISPLIT_SSSP_METHOD_MULTISPLIT_PASSES = 4,
  /// Buckets of equal width, split in the kernel that finds what belongs there.
  MULTISPLIT_SSSP_METHOD_MULTISPLIT = 5,
} MultisplitSsspMethod;

/// How much a message matters.
typedef enum {
  /// Something was lost: memory that could not be freed.
  MULTISPLIT_LOG_LEVEL_ERROR = 0,
  /// Something is not as it should be, and the library goes on without it: a damaged file, for instance.
  MULTISPLIT_LOG_LEVEL_WARNING = 1,
  /// What a program may want to know once.
  MULTISPLIT_LOG_LEVEL_INFO = 2,
  /// What happens inside.
  MULTISPLIT_LOG_LEVEL_DEBUG = 3,
} MultisplitLogLevel;

/// Features and extensions that the library uses, one bit each. Only the first is required; the
/// others are used where they are enabled.
typedef enum {
  /// `synchronization2`, of Vulkan 1.3 or `VK_KHR_synchronization2`: required.
  MULTISPLIT_FEATURE_SYNCHRONIZATION2 = 1,
  /// `subgroupSizeControl`, of Vulkan 1.3 or `VK_EXT_subgroup_size_control`.
  MULTISPLIT_FEATURE_SUBGROUP_SIZE_CONTROL = 2,
  /// `computeFullSubgroups`, of the same.
  MULTISPLIT_FEATURE_COMPUTE_FULL_SUBGROUPS = 4,
  /// `VK_KHR_push_descriptor`.
  MULTISPLIT_FEATURE_PUSH_DESCRIPTOR = 8,
  /// `pipelineExecutableInfo`, of `VK_KHR_pipeline_executable_properties`.
  MULTISPLIT_FEATURE_PIPELINE_EXECUTABLE_INFO = 16,
  /// `shaderInt64`: 64-bit keys and samples.
  MULTISPLIT_FEATURE_SHADER_INT64 = 32,
  /// `shaderFloat64`: histograms of 64-bit floats, and functions in GLSL that take them.
  MULTISPLIT_FEATURE_SHADER_FLOAT64 = 64,
  /// `bufferDeviceAddress`, of Vulkan 1.2.
  MULTISPLIT_FEATURE_BUFFER_DEVICE_ADDRESS = 128,
  /// `VK_KHR_portability_subset`, which must be enabled where it exists.
  MULTISPLIT_FEATURE_PORTABILITY_SUBSET = 256,
  /// `shaderMaximalReconvergence`, of `VK_KHR_shader_maximal_reconvergence`.
  MULTISPLIT_FEATURE_SHADER_MAXIMAL_RECONVERGENCE = 512,
  /// `shaderSubgroupUniformControlFlow`, of `VK_KHR_shader_subgroup_uniform_control_flow`.
  MULTISPLIT_FEATURE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW = 1024,
} MultisplitFeature;

/// The caller's device, from which everything else is created. Any number of threads may use it.
typedef struct MultisplitContext MultisplitContext;

/// A sort, split, top-k, histogram, scan, reduction, selection, search or merge: planned, and after
/// `multisplit_operation_warm_up` ready to be recorded. Several threads may record one operation into
/// different command buffers.
typedef struct MultisplitOperation MultisplitOperation;

/// What to enable on a device.
typedef struct MultisplitRequirements MultisplitRequirements;

/// Searches one network for shortest paths, from one source after another.
typedef struct MultisplitSssp MultisplitSssp;

/// Which physical device is asked about.
typedef struct {
  /// `sizeof(MultisplitRequirementsInfo)`.
  uint32_t struct_size;
  /// `MULTISPLIT_VERSION`.
  uint32_t version;
  /// That of the Vulkan loader.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  /// The instance.
  VkInstance instance;
  /// The physical device.
  VkPhysicalDevice physical_device;
  /// The `apiVersion` that the instance was created with: 1.2 or later.
  uint32_t api_version;
  /// Features that are left out although the device has them: bits of `MultisplitFeature`, but for the one
  /// that is required. 0: all are used that the device has.
  uint32_t leave_out;
} MultisplitRequirementsInfo;

/// What to enable on a device. The pointers are valid until the requirements are destroyed.
typedef struct {
  /// Extensions to enable.
  const char *const *extensions;
  /// Their number.
  uint32_t extension_count;
  /// The features to enable, all of which the device has: bits of `MultisplitFeature`.
  uint32_t features;
  /// Structures with these features, a `VkPhysicalDeviceFeatures2` among them: for the `pNext` of a
  /// `VkDeviceCreateInfo` that has no feature structures of its own.
  const void *feature_chain;
} MultisplitRequirementsList;

/// A piece of device memory that the caller's allocator has given.
typedef struct {
  /// The memory.
  VkDeviceMemory memory;
  /// Where in it the piece begins: a multiple of the alignment that was asked for.
  VkDeviceSize offset;
  /// What the allocator knows the piece by; the library gives it back as it is.
  void *cookie;
} MultisplitMemory;

/// Gives memory for a buffer, on the device where there is some, as large and aligned as `requirements` say
/// and allocated with `flags`, or an error of Vulkan's. It may be called from any thread that calls the
/// library.
typedef VkResult (*MultisplitAllocateFunction)(void *user,
                                               const VkMemoryRequirements *requirements,
                                               VkMemoryAllocateFlags flags,
                                               MultisplitMemory *memory);

/// Takes a piece back.
typedef void (*MultisplitFreeFunction)(void *user, const MultisplitMemory *memory);

/// The caller's allocator of device memory: operations that have their own scratch memory place it there.
typedef struct {
  /// What the functions are given first.
  void *user;
  /// Gives memory.
  MultisplitAllocateFunction allocate;
  /// Takes it back.
  MultisplitFreeFunction free;
} MultisplitMemoryFunctions;

/// The device that a context is created for. The library destroys none of it.
typedef struct {
  /// `sizeof(MultisplitContextInfo)`.
  uint32_t struct_size;
  /// `MULTISPLIT_VERSION`.
  uint32_t version;
  /// That of the Vulkan loader.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  /// The instance.
  VkInstance instance;
  /// The physical device.
  VkPhysicalDevice physical_device;
  /// The device.
  VkDevice device;
  /// A queue with compute. Creating a context and recording do not use it. Creating the first operation
  /// may submit to it and wait, which `ranking` can forbid; shortest paths submit and wait. Nobody
  /// else may use the queue during those calls.
  VkQueue queue;
  /// Its family.
  uint32_t queue_family;
  /// The `apiVersion` that the instance was created with: 1.2 or later.
  uint32_t api_version;
  /// What is enabled on the device, extensions included: bits of `MultisplitFeature`.
  uint32_t features;
  /// Whether `VK_EXT_debug_utils` is enabled on the instance: passes then have labels.
  VkBool32 debug_utils;
  /// A folder in which compiled pipelines are kept between runs; `NULL`: they are not. It is
  /// copied.
  const char *pipeline_cache;
  /// What ranking may rely on. To find out what the device does, creating the first operation of a
  /// context may submit to the queue and wait, once for a device and its driver where `pipeline_cache`
  /// names a folder. `MULTISPLIT_RANKING_PROMISED` forbids it: then only shortest paths submit.
  MultisplitRanking ranking;
  /// Must be 0.
  uint32_t reserved;
  /// A profile: the text that `multisplit tune` writes, with the sizes of kernels that are the fastest
  /// on this device; `NULL`: the built-in sizes. It is copied. One that is damaged or of another device
  /// or driver is `MULTISPLIT_ERROR_PROFILE`. Results never depend on it.
  const uint8_t *profile;
  /// Its bytes.
  uint64_t profile_size;
  /// The caller's pipeline cache, with which pipelines are created; it outlives the context.
  /// `VK_NULL_HANDLE`: one of the context's own. Not together with `pipeline_cache`.
  VkPipelineCache vulkan_pipeline_cache;
  /// What host memory of the Vulkan objects is allocated with, that of `vkAllocateMemory` excepted; `NULL`:
  /// by the driver. It is copied; its functions may be called from any thread that calls the library.
  const VkAllocationCallbacks *allocation_callbacks;
  /// The caller's allocator of device memory, for the scratch memory of operations that have their own;
  /// `NULL`: the library's. It is copied, and used until the context is destroyed.
  const MultisplitMemoryFunctions *memory_functions;
  /// For `multisplit_device_create`: features that are left out although the device has them, as of
  /// `MultisplitRequirementsInfo`.
  uint32_t leave_out;
  /// Must be 0.
  uint32_t reserved_too;
} MultisplitContextInfo;

/// How many elements a second array has, or how many segments there are.
typedef struct {
  /// The number, or its maximum. Buffers are sized by it.
  uint64_t n;
  /// Where the number comes from; 0: it is always n. Recordings have it as `other_count`, and a device
  /// count is a word of the buffer of `MULTISPLIT_ROLE_OTHER_COUNT`.
  MultisplitCount count;
  /// For a device count: which word of that buffer it is.
  uint32_t count_index;
} MultisplitOtherCount;

/// Pipeline stages, and what they do with a buffer.
typedef struct {
  /// Bits of `VkPipelineStageFlagBits2`; 0 for no scope.
  uint64_t stages;
  /// Bits of `VkAccessFlagBits2`; 0, with stages: an execution dependency, for a caller that has only
  /// read there.
  uint64_t access;
} MultisplitScope;

/// What the caller does with a buffer before and after an operation. Where it is given, the operation
/// records the barrier; otherwise the caller does, by the scopes of `multisplit_operation_contract`.
typedef struct {
  /// Which buffer.
  MultisplitRole role;
  /// Must be 0.
  uint32_t reserved;
  /// The caller's last use before; no stages: the caller records that barrier.
  MultisplitScope before;
  /// The caller's first use after; no stages: the caller records that barrier.
  MultisplitScope after;
} MultisplitRoleScope;

/// What all operations have in common. Every member but `n` may be 0, which is its default.
typedef struct {
  /// The number of elements, or its maximum: at most 2^30 - 1, in arrays of at most
  /// `maxStorageBufferRange` bytes each. Buffers are sized by it.
  uint64_t n;
  /// Where the number of elements comes from; 0: it is always n.
  MultisplitCount count;
  /// For a device count: which word of the buffer of `MULTISPLIT_ROLE_COUNT` it is.
  uint32_t count_index;
  /// What the caller does before and after; may be `NULL` if `scope_count` is 0. Copied.
  const MultisplitRoleScope *scopes;
  /// Number of scopes.
  uint32_t scope_count;
  /// Frames in flight: how many recordings of the operation may be recorded and yet to run. Threads
  /// that record at the same time have frames of their own. At most 1024; 0: 2.
  uint32_t frames;
  /// Whether each recording is given scratch memory (`workspace` of `MultisplitRecordInfo`); otherwise
  /// the operation allocates its own, one piece for each frame.
  VkBool32 caller_workspace;
  /// Whether kernels take addresses instead of descriptors, for engines that have no descriptors to
  /// spare: buffers are then created with `VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT`, and may be bound
  /// by address. Needs `MULTISPLIT_FEATURE_BUFFER_DEVICE_ADDRESS`. An address has no length: a GLSL function
  /// of yours must not read past the end of its table then, which is clamped otherwise.
  VkBool32 by_address;
  /// Who records barriers that `scopes` do not ask for; 0: the caller.
  MultisplitBarriers barriers;
  /// Must be 0.
  uint32_t reserved;
} MultisplitCommonInfo;

/// A radix sort of up to 2^30 - 1 elements, in arrays of at most `maxStorageBufferRange` bytes each: of the
/// whole array, or of each of its segments. It is stable in either direction. Indices count from where their
/// segment begins.
///
/// Roles: `KEYS`; `VALUES` or `INDICES`. Between two buffers also `KEYS_OTHER`, `VALUES_OTHER` where
/// there are values or indices, and `HALF`. `OFFSETS` where segments have offsets on the device.
typedef struct {
  /// `sizeof(MultisplitSortInfo)`.
  uint32_t struct_size;
  /// What a key is; 0: `uint32_t`.
  MultisplitKeyType key_type;
  /// What moves along with the keys; 0: nothing.
  MultisplitSortValues values;
  /// Bytes of a value: 4, 8 or 16; 0: 4.
  uint32_t value_bytes;
  /// Whether the largest key comes first.
  VkBool32 descending;
  /// The lowest bit that is sorted by, of the number that compares like the key.
  uint32_t first_bit;
  /// How many bits are sorted by; 0: all from `first_bit` on. Fewer bits take fewer rounds.
  uint32_t bit_count;
  /// Whether it sorts between two buffers of each kind, which makes the scratch memory smaller: the
  /// result is then in one of the two, and the word of `HALF` says in which. Otherwise the result is
  /// where the input was.
  VkBool32 two_buffers;
  /// What is sorted on its own; 0: the whole array. Segments are sorted where they are.
  MultisplitSegments segments;
  /// Must be 0.
  uint32_t reserved;
  /// The length of a row, of which there is a whole number, for `ROWS`. Only for a fixed count.
  uint64_t row_length;
  /// For `HOST_OFFSETS`: where each segment begins, the first at 0, and where the last one ends, which is at
  /// n: one more than there are segments. They do not fall. Copied. Only for a fixed count.
  const uint32_t *offsets;
  /// How many segments there are between offsets; a fixed number of them on the host.
  MultisplitOtherCount segment_count;
  /// How many elements, and what the caller does around the sort.
  MultisplitCommonInfo common;
} MultisplitSortInfo;

/// A split of up to 2^30 - 1 elements, in arrays of at most `maxStorageBufferRange` bytes each, into m
/// contiguous buckets: ordered by bucket, stable within each.
///
/// Roles: `KEYS` and `OFFSETS`; `KEYS_OUT` for keys and pairs; `VALUES` and `VALUES_OUT` for pairs;
/// `PERMUTATION` for a permutation; `OUT_OF_RANGE` where `count_out_of_range` is set; `TABLE` where `table_words`
/// is not 0.
typedef struct {
  /// `sizeof(MultisplitSplitInfo)`.
  uint32_t struct_size;
  /// What a key is.
  MultisplitKeyType key_type;
  /// m, the number of buckets: 1 to 65,536.
  uint32_t buckets;
  /// Which bucket a key belongs to.
  MultisplitBucket bucket;
  /// Edges, of the type of the keys: 1 for `DELTA`, 2 for `EVEN`, m - 1 for `RANGE`. Copied.
  const void *edges;
  /// Number of edges.
  uint32_t edge_count;
  /// For `DIGIT`: the lowest bit.
  uint32_t shift;
  /// For `DELTA`: how many keys a bucket spans.
  uint64_t width;
  /// For `DIGIT`: how many bits; 0: as many as the numbers of m buckets have.
  uint32_t bits;
  /// For `GLSL`: words of the buffer `TABLE`.
  uint32_t table_words;
  /// For `GLSL`: the function. Copied.
  const char *glsl;
  /// For `GLSL`: `push.parameter_0`, `_1` and `_2`.
  uint32_t parameters[3];
  /// The output.
  MultisplitSplitOutput output;
  /// For pairs: bytes of a value, 4, 8 or 16; 0: 4.
  uint32_t value_bytes;
  /// Whether `OUT_OF_RANGE` gets the number of keys whose function gave an id of m or more. They
  /// are put into the last bucket; where it is not zero, the output means nothing.
  VkBool32 count_out_of_range;
  /// How many elements, and what the caller does around the split.
  MultisplitCommonInfo common;
} MultisplitSplitInfo;

/// A top-k of up to 2^30 - 1 elements, in an array of at most `maxStorageBufferRange` bytes: the k largest
/// or smallest with their indices, of the whole array or of each of its rows. Of equal elements those with
/// lower indices come first.
///
/// Roles: `KEYS`, only read; `KEYS_OUT` and `INDICES`, k elements of each row, row after row.
typedef struct {
  /// `sizeof(MultisplitTopKInfo)`.
  uint32_t struct_size;
  /// What a key is; 0: `uint32_t`.
  MultisplitKeyType key_type;
  /// How many elements of each row: at most its length. Of a count below k, only as many are written.
  uint64_t k;
  /// The length of a row, of which there is a whole number; 0: the whole array is one. Only for a fixed
  /// count.
  uint64_t row_length;
  /// Whether the smallest elements are wanted, from small to large; otherwise the largest, from large
  /// to small.
  VkBool32 smallest;
  /// Whether they may come in any order, which takes less time.
  VkBool32 unsorted;
  /// How many elements, and what the caller does around the operation.
  MultisplitCommonInfo common;
} MultisplitTopKInfo;

/// A histogram of up to 2^20 bins.
///
/// Roles: `SAMPLES` and `COUNTS`; `WEIGHTS` where there are weights; `OUT_OF_RANGE` and `CUMULATIVE`
/// where they are asked for; `TABLE` where `table_words` is not 0.
typedef struct {
  /// `sizeof(MultisplitHistogramInfo)`.
  uint32_t struct_size;
  /// What a sample is.
  MultisplitSampleType sample_type;
  /// m, the number of bins: 1 to 2^20.
  uint32_t bins;
  /// Which bin a sample belongs to.
  MultisplitBins function;
  /// Edges, of the type of the samples: 2 for `EVEN`, m + 1 for `RANGE`. Copied.
  const void *edges;
  /// Number of edges.
  uint32_t edge_count;
  /// For `GLSL`: words of the buffer `TABLE`.
  uint32_t table_words;
  /// For `GLSL`: the function. Copied.
  const char *glsl;
  /// For `GLSL`: `push.parameter_0`, `_1` and `_2`.
  uint32_t parameters[3];
  /// What an element adds to its bin.
  MultisplitWeight weight;
  /// Bytes before the first element.
  uint64_t first_byte;
  /// Bytes from element to element; 0: they lie side by side.
  uint32_t stride;
  /// Samples of an element, 1 to 4, side by side; 0: 1.
  uint32_t channels;
  /// A bit for each channel that is counted, with bins of its own; 0: all.
  uint32_t active_channels;
  /// Whether counts have 64 bits, the low word first; otherwise they have 32.
  VkBool32 wide_counts;
  /// Whether counts are added to what the buffer holds; otherwise it is cleared first.
  VkBool32 accumulate;
  /// Whether `OUT_OF_RANGE` gets, for each channel that is counted, how many samples are in no bin, in
  /// the type of the counts.
  VkBool32 count_out_of_range;
  /// Whether `CUMULATIVE` gets the exclusive prefix sums of the counts: of one channel, of 32
  /// bits.
  VkBool32 cumulative;
  /// For `EVEN` and `RANGE`: whether the last bin has its upper edge too; otherwise samples there
  /// are in no bin.
  VkBool32 closed;
  /// How many elements, and what the caller does around the histogram.
  MultisplitCommonInfo common;
} MultisplitHistogramInfo;

/// A scan of a whole array: of each element, what those before it combine to, and with `inclusive` the
/// element itself as well. All zero but `common`: exclusive prefix sums of `uint32_t`, modulo 2^32.
///
/// Roles: `INPUT` and `OUTPUT`.
typedef struct {
  /// `sizeof(MultisplitScanInfo)`.
  uint32_t struct_size;
  /// What an element is.
  MultisplitKeyType key_type;
  /// How elements are combined.
  MultisplitOperator op;
  /// Whether an element is combined with those before it; otherwise they are alone, and the first result is
  /// what changes nothing: 0 of a sum, the last value in order of a minimum, the first of a maximum.
  VkBool32 inclusive;
  /// The function for `MULTISPLIT_OPERATOR_GLSL`: a C string. Copied.
  const char *glsl;
  /// The element that changes nothing on either side of another, for that function: the bits of an element,
  /// the low ones of 32-bit types.
  uint64_t identity;
  /// How many elements, and what the caller does around the scan.
  MultisplitCommonInfo common;
} MultisplitScanInfo;

/// A reduction of a whole array to one element. Of no elements it is what changes nothing: 0 of a sum, the
/// last value in order of a minimum, the first of a maximum.
///
/// Roles: `INPUT`; `OUTPUT`, one element; `INDICES`, one word, where `index` says so.
typedef struct {
  /// `sizeof(MultisplitReduceInfo)`.
  uint32_t struct_size;
  /// What an element is.
  MultisplitKeyType key_type;
  /// How elements are combined.
  MultisplitOperator op;
  /// Whether `INDICES` gets where the minimum or the maximum is, the lowest index of equals, and 2^32 - 1
  /// of no elements; an error of sums, and of functions in GLSL.
  VkBool32 index;
  /// The function for `MULTISPLIT_OPERATOR_GLSL`: a C string. Copied.
  const char *glsl;
  /// The element that changes nothing on either side of another, for that function: the bits of an element,
  /// the low ones of 32-bit types.
  uint64_t identity;
  /// How many elements, and what the caller does around the reduction.
  MultisplitCommonInfo common;
} MultisplitReduceInfo;

/// A reduction by key: of each run of equal neighbours of the keys, the key and what its values combine to.
///
/// Roles: `KEYS` and `VALUES`, only read; `KEYS_OUT` and `VALUES_OUT`, with room for all, of which what is
/// past the count stays as it is; `FOUND`, one word: how many runs there are.
typedef struct {
  /// `sizeof(MultisplitReduceByKeyInfo)`.
  uint32_t struct_size;
  /// What a key is. Equal are keys with equal bits.
  MultisplitKeyType key_type;
  /// What a value is.
  MultisplitKeyType value_type;
  /// How values are combined.
  MultisplitOperator op;
  /// The function for `MULTISPLIT_OPERATOR_GLSL`: a C string. Copied.
  const char *glsl;
  /// The element that changes nothing on either side of another, for that function: the bits of an element,
  /// the low ones of 32-bit types.
  uint64_t identity;
  /// How many elements, and what the caller does around the reduction.
  MultisplitCommonInfo common;
} MultisplitReduceByKeyInfo;

/// A scan in segments: each run of equal neighbours of the keys is scanned on its own. All zero but `common`:
/// exclusive prefix sums of `uint32_t` by keys of `uint32_t`.
///
/// Roles: `KEYS`, or `FLAGS` where `heads` says so, and `VALUES`, only read; `VALUES_OUT`.
typedef struct {
  /// `sizeof(MultisplitScanByKeyInfo)`.
  uint32_t struct_size;
  /// What a key is. Equal are keys with equal bits. Not looked at with `heads`.
  MultisplitKeyType key_type;
  /// What a value is.
  MultisplitKeyType value_type;
  /// How values are combined.
  MultisplitOperator op;
  /// Whether a value is combined with those before it; otherwise they are alone, and the first result of a
  /// segment is what changes nothing.
  VkBool32 inclusive;
  /// Whether segments begin where a word of `FLAGS` is not zero, and at the first element, instead of where
  /// a key differs from the one before.
  VkBool32 heads;
  /// The function for `MULTISPLIT_OPERATOR_GLSL`: a C string. Copied.
  const char *glsl;
  /// The element that changes nothing on either side of another, for that function: the bits of an element,
  /// the low ones of 32-bit types.
  uint64_t identity;
  /// How many elements, and what the caller does around the scan.
  MultisplitCommonInfo common;
} MultisplitScanByKeyInfo;

/// A reduction of each segment of an array. Segment s has the elements from `OFFSETS[s]` up to, but not
/// including, `OFFSETS[s + 1]`; or it is row s of a matrix. Of no elements it is what changes nothing: 0 of a sum,
/// the last value in order of a minimum, the first of a maximum.
///
/// Roles: `INPUT` and, unless segments are rows, `OFFSETS`, only read; `OUTPUT`, an element for each segment. An
/// offset past the elements counts as their number, a segment that ends at or before its beginning is empty, and every
/// result is written. If an offset is below the one before it, a segment that is not empty gets a combination of some
/// elements, or what it would be without elements. Nothing else is read or written. Rows past the elements are empty; a row in which they end has those before.
typedef struct {
  /// `sizeof(MultisplitReduceSegmentsInfo)`.
  uint32_t struct_size;
  /// What an element is.
  MultisplitKeyType key_type;
  /// How elements are combined.
  MultisplitOperator op;
  /// Elements of each row, where segments are the rows of a matrix: a divisor of `common.n`. 0: segments have
  /// offsets.
  uint32_t row_length;
  /// How many segments there are.
  MultisplitOtherCount segments;
  /// The function for `MULTISPLIT_OPERATOR_GLSL`: a C string. Copied.
  const char *glsl;
  /// The element that changes nothing on either side of another, for that function: the bits of an element,
  /// the low ones of 32-bit types.
  uint64_t identity;
  /// How many elements, and what the caller does around the reduction.
  MultisplitCommonInfo common;
} MultisplitReduceSegmentsInfo;

/// A selection: the elements for which a condition holds, in their order, and how many they are.
///
/// Roles: `INPUT`; `OUTPUT`, with room for all, of which what is past the count stays as it is; `FOUND`, one
/// word; `FLAGS`, a word for each element, for `FLAGGED`; `REJECTED` and `RUN_LENGTHS`, with room for all,
/// where `rejected` and `run_lengths` say so; `TABLE` for a function that reads one.
typedef struct {
  /// `sizeof(MultisplitSelectInfo)`.
  uint32_t struct_size;
  /// What an element is.
  MultisplitKeyType key_type;
  /// What is asked of an element.
  MultisplitCondition condition;
  /// Whether the elements that are not selected are kept, in their order, in `REJECTED`.
  VkBool32 rejected;
  /// What elements are compared with: the bits of an element, the low ones of 32-bit types.
  uint64_t first;
  /// The end of `WITHIN`.
  uint64_t last;
  /// Whether `RUN_LENGTHS` gets the length of each run, a word for each; only for `FIRST_OF_RUNS`, and not
  /// with `rejected`.
  VkBool32 run_lengths;
  /// How many words the function in GLSL reads as `table.at[]`; 0: none.
  uint32_t table_words;
  /// The function for `GLSL`: a C string. Copied.
  const char *glsl;
  /// What the function reads as `push.parameter_0`, `_1` and `_2`.
  uint32_t parameters[3];
  /// Must be 0.
  uint32_t reserved;
  /// How many elements, and what the caller does around the selection.
  MultisplitCommonInfo common;
} MultisplitSelectInfo;

/// A search in a sorted array for many needles.
///
/// Roles: `SORTED`, in ascending order, and `NEEDLES`, only read; `POSITIONS`, a word for each needle. Of an
/// array that is not sorted, positions are some from 0 to its count.
typedef struct {
  /// `sizeof(MultisplitSearchInfo)`.
  uint32_t struct_size;
  /// What an element is, and a needle.
  MultisplitKeyType key_type;
  /// What is found; 0: the lower bound.
  MultisplitSearch search;
  /// Must be 0.
  uint32_t reserved;
  /// How many elements the sorted array has.
  MultisplitOtherCount sorted;
  /// How many needles, and what the caller does around the search.
  MultisplitCommonInfo common;
} MultisplitSearchInfo;

/// A merge of two sorted arrays into one. Of equal keys those of the first array come first, and each array's
/// keep their order.
///
/// Roles: `KEYS` and `KEYS_OTHER`, the two arrays, only read; `KEYS_OUT`, with room for both. With values also
/// `VALUES`, `VALUES_OTHER` and `VALUES_OUT`. Of arrays that are not sorted, the output has all elements or
/// some twice, in some order.
typedef struct {
  /// `sizeof(MultisplitMergeInfo)`.
  uint32_t struct_size;
  /// What a key is; 0: `uint32_t`.
  MultisplitKeyType key_type;
  /// Whether each key takes a value of `value_bytes` bytes along.
  VkBool32 values;
  /// Bytes of a value: 4, 8 or 16; 0: 4.
  uint32_t value_bytes;
  /// Whether both arrays are in descending order, and the result is.
  VkBool32 descending;
  /// Must be 0.
  uint32_t reserved;
  /// How many elements the second array has.
  MultisplitOtherCount other;
  /// How many elements the first array has, and what the caller does around the merge.
  MultisplitCommonInfo common;
} MultisplitMergeInfo;

/// What the scratch memory of an operation has to be like.
typedef struct {
  /// Bytes; 0 where recordings need none.
  VkDeviceSize size;
  /// Its offset in its buffer is a multiple of this.
  VkDeviceSize alignment;
  /// The usages that its buffer has at least.
  VkBufferUsageFlags usage;
  /// The memory types that such a buffer may be bound to, a bit for each.
  uint32_t memory_type_bits;
  /// What the operation does with it. Two recordings that share it need a barrier with this on
  /// both sides between them, or a semaphore, or a fence.
  MultisplitScope scope;
} MultisplitWorkspace;

/// What an operation needs of one of its buffers, and how the two sides synchronise.
///
/// Where the operation was given a scope `before`, the recording begins with the barrier; otherwise
/// `first_use` is the second scope of the caller's barrier. Where it was given a scope `after`, the
/// recording ends with the barrier; otherwise `last_use` is the first scope of the caller's barrier.
typedef struct {
  /// Bytes that it has at least, from its offset on.
  VkDeviceSize size;
  /// Its offset is a multiple of this.
  VkDeviceSize alignment;
  /// The usages that it has at least.
  VkBufferUsageFlags usage;
  /// Whether the operation uses it at all; where not, it need not be bound.
  VkBool32 used;
  /// What the operation does with it first.
  MultisplitScope first_use;
  /// What the operation does with it last.
  MultisplitScope last_use;
} MultisplitContract;

/// A piece of one of the caller's buffers.
typedef struct {
  /// What it is to the operation; ignored in the binding of a workspace.
  MultisplitRole role;
  /// Must be 0.
  uint32_t reserved;
  /// The buffer; `VK_NULL_HANDLE` where an address is given.
  VkBuffer buffer;
  /// Where in it the piece begins: a multiple of the alignment that the contract, or the
  /// workspace, asks for.
  VkDeviceSize offset;
  /// Bytes from there on; `VK_WHOLE_SIZE`: not checked.
  VkDeviceSize size;
  /// Instead of a buffer, for operations that take addresses: a multiple of 16. Not for a workspace.
  VkDeviceAddress address;
} MultisplitBinding;

/// What one recording is given.
typedef struct {
  /// `sizeof(MultisplitRecordInfo)`.
  uint32_t struct_size;
  /// How many buffers are bound.
  uint32_t binding_count;
  /// The buffers, one for each role that is used, in any order.
  const MultisplitBinding *bindings;
  /// The scratch memory; without a buffer where none is needed.
  MultisplitBinding workspace;
  /// The number of elements for `MULTISPLIT_COUNT_RECORDED`; otherwise 0.
  uint64_t count;
  /// Which of the frames in flight it is, from 0. No other recording of this frame is yet to run.
  uint32_t frame;
  /// The first query that is written.
  uint32_t first_query;
  /// The caller's timestamp queries, already reset: one is written before the first pass and one
  /// after the last. `NULL`: none.
  VkQueryPool query_pool;
  /// Whether one is written after each pass; `multisplit_operation_timestamps` returns their number.
  VkBool32 each_pass;
  /// Must be 0.
  uint32_t reserved;
  /// The number of elements of the second array, or of segments, where it is
  /// `MULTISPLIT_COUNT_RECORDED`; otherwise 0.
  uint64_t other_count;
} MultisplitRecordInfo;

/// A network, and how it is searched. Everything is copied.
typedef struct {
  /// `sizeof(MultisplitSsspInfo)`.
  uint32_t struct_size;
  /// Number of vertices: 1 to 2^30 - 1.
  uint32_t vertices;
  /// Number of edges.
  uint64_t edge_count;
  /// Where each edge begins.
  const uint32_t *from;
  /// Where each edge ends.
  const uint32_t *to;
  /// What each edge costs: `uint32_t` or `float`; `NULL` for `ONES`.
  const void *weights;
  /// What the weights are.
  MultisplitEdgeWeight weight;
  /// Whether edges lead both ways.
  VkBool32 undirected;
  /// How to search.
  MultisplitSsspMethod method;
  /// Whether predecessors are wanted too.
  VkBool32 predecessors;
  /// The width of a bucket in distance; 0: chosen from the weights and degrees.
  double delta;
  /// Buckets of the methods that have them; 0: 10.
  uint32_t buckets;
  /// Must be 0.
  uint32_t reserved;
} MultisplitSsspInfo;

/// Gets a message, which is valid until it returns. It may be called from any thread that calls the
/// library, and must not call the library itself.
typedef void (*MultisplitLogFunction)(void *user, MultisplitLogLevel level, const char *message);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The version of the library, which may be newer than that of the header: like
/// `MULTISPLIT_VERSION`.
uint32_t multisplit_version(void);

/// The version of the library as text. Never `NULL`, never freed.
const char *multisplit_version_string(void);

/// The message of the last error of this thread; an empty string if there was none.
/// Never `NULL`. It stays valid until another call of this thread fails.
const char *multisplit_last_error(void);

/// The name of a result code, such as `"MULTISPLIT_ERROR_NULL"`. Never `NULL`, never freed.
const char *multisplit_result_name(MultisplitResult result);

/// Finds what to enable on a physical device. An error names everything that it lacks.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitRequirementsInfo`. Handles in it are `NULL` or alive, and
/// belong together; the instance outlives the requirements. `requirements` is `NULL` or may be written.
MultisplitResult multisplit_requirements_create(const MultisplitRequirementsInfo *info,
                                                MultisplitRequirements **requirements);

/// Lists what to enable, for callers that fill structures of their own.
///
/// The caller's part:
/// `list` is `NULL` or may be written.
MultisplitResult multisplit_requirements_list(const MultisplitRequirements *requirements,
                                              MultisplitRequirementsList *list);

/// Adds what is to be enabled to how the caller creates its device: sets features in the structures
/// that the chain has, chains those that it lacks, and adds the extensions. What is added is valid
/// until the requirements are destroyed.
///
/// The caller's part:
/// `create_info` is `NULL` or one that `vkCreateDevice` would accept, and it and its chain may be
/// written.
MultisplitResult multisplit_requirements_merge(const MultisplitRequirements *requirements,
                                               VkDeviceCreateInfo *create_info);

/// Finds which features a device is created with, for `features` of `MultisplitContextInfo`. An error
/// names everything that is missing.
///
/// The caller's part:
/// `create_info` is `NULL` or one that `vkCreateDevice` accepted. `features` is `NULL` or may be
/// written.
MultisplitResult multisplit_requirements_check(const MultisplitRequirements *requirements,
                                               const VkDeviceCreateInfo *create_info,
                                               uint32_t *features);

/// Destroys requirements. `NULL` is allowed and does nothing.
///
/// The caller's part:
/// Nobody uses pointers that came from them any more.
MultisplitResult multisplit_requirements_destroy(MultisplitRequirements *requirements);

/// Creates a context for the caller's device. An error names everything that the device lacks, functions
/// that it does not have included. Nothing is submitted.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitContextInfo`. Handles in it are `NULL` or alive, belong
/// together, and outlive the context. The instance was created with `api_version`, the device with
/// `features`, and the queue is one of `queue_family`. `context` is `NULL` or may be written.
MultisplitResult multisplit_context_create(const MultisplitContextInfo *info,
                                           MultisplitContext **context);

/// Whether the device has kept lane order, which Vulkan does not promise, wherever a sort or a split
/// relied on it: one tile in 256 looks, and sets the status word of the context. Reading it is a look at
/// host memory, which neither submits nor waits. It tells of a recording once the fence of its
/// submission was waited for.
///
/// Where `kept` is `VK_FALSE`, results of operations that were created before may be in the wrong order.
/// Those created from then on do not rely on it: destroy the others, and create them again. It stays
/// `VK_TRUE` with `MULTISPLIT_RANKING_PROMISED`.
///
/// The caller's part:
/// `kept` is `NULL` or may be written.
MultisplitResult multisplit_context_lane_order(const MultisplitContext *context,
                                               VkBool32 *kept);

/// Destroys a context, not the device. `MULTISPLIT_ERROR_IN_USE` while objects that were created from
/// it exist. `NULL` is allowed and does nothing.
///
/// The caller's part:
/// The device is alive.
MultisplitResult multisplit_context_destroy(MultisplitContext *context);

/// Plans a sort. Nothing is compiled yet: see `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitSortInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_sort_create(const MultisplitContext *context,
                                        const MultisplitSortInfo *info,
                                        MultisplitOperation **operation);

/// Plans a split. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitSplitInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_split_create(const MultisplitContext *context,
                                         const MultisplitSplitInfo *info,
                                         MultisplitOperation **operation);

/// Plans a top-k. Nothing is compiled yet: see `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitTopKInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_topk_create(const MultisplitContext *context,
                                        const MultisplitTopKInfo *info,
                                        MultisplitOperation **operation);

/// Plans a histogram. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitHistogramInfo` whose pointers are `NULL` or what they
/// say they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_histogram_create(const MultisplitContext *context,
                                             const MultisplitHistogramInfo *info,
                                             MultisplitOperation **operation);

/// Plans a scan. Nothing is compiled yet, a function in GLSL excepted: see `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitScanInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_scan_create(const MultisplitContext *context,
                                        const MultisplitScanInfo *info,
                                        MultisplitOperation **operation);

/// Plans a reduction. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitReduceInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_reduce_create(const MultisplitContext *context,
                                          const MultisplitReduceInfo *info,
                                          MultisplitOperation **operation);

/// Plans a reduction by key. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitReduceByKeyInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_reduce_by_key_create(const MultisplitContext *context,
                                                 const MultisplitReduceByKeyInfo *info,
                                                 MultisplitOperation **operation);

/// Plans a scan by key. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitScanByKeyInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_scan_by_key_create(const MultisplitContext *context,
                                               const MultisplitScanByKeyInfo *info,
                                               MultisplitOperation **operation);

/// Plans a reduction of segments. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitReduceSegmentsInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_reduce_segments_create(const MultisplitContext *context,
                                                   const MultisplitReduceSegmentsInfo *info,
                                                   MultisplitOperation **operation);

/// Plans a selection. Nothing is compiled yet, a function in GLSL excepted: see
/// `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitSelectInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_select_create(const MultisplitContext *context,
                                          const MultisplitSelectInfo *info,
                                          MultisplitOperation **operation);

/// Plans a search. Nothing is compiled yet: see `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitSearchInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_search_create(const MultisplitContext *context,
                                          const MultisplitSearchInfo *info,
                                          MultisplitOperation **operation);

/// Plans a merge. Nothing is compiled yet: see `multisplit_operation_warm_up`.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitMergeInfo` whose pointers are `NULL` or what they say
/// they are. `operation` is `NULL` or may be written. Unless the context was
/// created with `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_merge_create(const MultisplitContext *context,
                                         const MultisplitMergeInfo *info,
                                         MultisplitOperation **operation);

/// Creates everything that recording needs: pipelines, which the driver may take a while to compile,
/// descriptors, constants, and the workspace where the operation has its own. A second call does nothing. After
/// it, recording creates and allocates nothing.
///
/// The caller's part:
/// The device of the operation's context is alive.
MultisplitResult multisplit_operation_warm_up(const MultisplitOperation *operation);

/// Whether an operation can be recorded: whether `multisplit_operation_warm_up` has been called and has
/// returned. It does not wait, so that a program may ask every frame while another thread warms up.
///
/// The caller's part:
/// `ready` is `NULL` or may be written.
MultisplitResult multisplit_operation_is_ready(const MultisplitOperation *operation,
                                               VkBool32 *ready);

/// How many passes a recording has: what `multisplit_operation_pass_name` and
/// `multisplit_operation_compile_pass` count. The operation need not be warmed up.
///
/// The caller's part:
/// `count` is `NULL` or may be written.
MultisplitResult multisplit_operation_pass_count(const MultisplitOperation *operation,
                                                 uint32_t *count);

/// The name of a pass, such as `"sort.histogram"`: where timestamps are written after each pass, pass k ends
/// at query `first_query + k + 1`. The text is valid until the operation is destroyed.
///
/// The caller's part:
/// `name` is `NULL` or may be written.
MultisplitResult multisplit_operation_pass_name(const MultisplitOperation *operation,
                                                uint32_t pass,
                                                const char **name);

/// Compiles the pipeline of one pass, on the calling thread: for a program with a job system of its own, a job
/// for each pass. Passes may be compiled in any order and at the same time; a pass that has no pipeline of
/// its own is done at once. `multisplit_operation_warm_up` then compiles what is left.
///
/// The caller's part:
/// The device of the operation's context is alive.
MultisplitResult multisplit_operation_compile_pass(const MultisplitOperation *operation,
                                                   uint32_t pass);

/// What the scratch memory of recordings has to be like. The operation need not be warmed up.
///
/// The caller's part:
/// `workspace` is `NULL` or may be written.
MultisplitResult multisplit_operation_workspace(const MultisplitOperation *operation,
                                                MultisplitWorkspace *workspace);

/// What an operation needs of one of its buffers, and how the two sides synchronise. The operation
/// need not be warmed up.
///
/// The caller's part:
/// `contract` is `NULL` or may be written.
MultisplitResult multisplit_operation_contract(const MultisplitOperation *operation,
                                               MultisplitRole role,
                                               MultisplitContract *contract);

/// How many timestamps a recording writes, where it is given queries. The operation must be warmed
/// up.
///
/// The caller's part:
/// `count` is `NULL` or may be written.
MultisplitResult multisplit_operation_timestamps(const MultisplitOperation *operation,
                                                 VkBool32 each_pass,
                                                 uint32_t *count);

/// Records an operation into the caller's command buffer. Submits, creates and allocates nothing.
///
/// It binds other compute pipelines, another descriptor set 0 and other push constants at the compute
/// bind point: bind yours again afterwards.
///
/// The caller's part:
/// `commands` is recording, outside a render pass, of the context's device and of a family with
/// compute. Buffers are as `multisplit_operation_contract` says, are synchronised as it says, and live
/// until the commands have run, as do the operation, the workspace and the queries. No other recording
/// of the same frame, or with the same workspace, runs at the same time.
MultisplitResult multisplit_record(const MultisplitOperation *operation,
                                   VkCommandBuffer commands,
                                   const MultisplitRecordInfo *info);

/// Destroys an operation. `NULL` is allowed and does nothing.
///
/// The caller's part:
/// Everything that was recorded with it has run, and the device is alive.
MultisplitResult multisplit_operation_destroy(MultisplitOperation *operation);

/// Copies a network to the device and prepares to search it. Submits to the context's queue.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitSsspInfo` whose pointers are `NULL` or what they say
/// they are. `sssp` is `NULL` or may be written. Nobody else uses the context's queue meanwhile.
MultisplitResult multisplit_sssp_create(const MultisplitContext *context,
                                        const MultisplitSsspInfo *info,
                                        MultisplitSssp **sssp);

/// Finds the shortest paths from `source`. Submits to the context's queue and waits.
///
/// Both arrays have room for `count` words, at least one for each vertex. `distances` gets
/// `uint32_t` or, where weights are floats, `float`; `MULTISPLIT_UNREACHED` as bits where there is no
/// path. `predecessors` may be `NULL`; otherwise it gets for each vertex the one before it on a
/// shortest path, and the search must have been created with `predecessors`.
///
/// The caller's part:
/// The arrays are `NULL` or have `count` words that may be written. Nobody else uses the context's
/// queue meanwhile.
MultisplitResult multisplit_sssp_solve(const MultisplitSssp *sssp,
                                       uint32_t source,
                                       void *distances,
                                       uint32_t *predecessors,
                                       uint64_t count);

/// Destroys a search. `NULL` is allowed and does nothing.
///
/// The caller's part:
/// The device is alive.
MultisplitResult multisplit_sssp_destroy(MultisplitSssp *sssp);

/// Creates the caller's device, with what multisplit needs added to how the caller wants it, and sets
/// `device`, `features` and `queue` of `info`: the first queue of `queue_family`. The other members of
/// `info` are set before, as for `multisplit_context_create`. The device is the caller's to destroy, with
/// `allocation_callbacks` where they are given.
///
/// `create_info` is how the caller would create the device; `NULL`: with one queue of `queue_family`, and
/// nothing else. Features are set in the structures that its chain has; nothing else of it is changed.
///
/// The caller's part:
/// `info` is `NULL` or points to a `MultisplitContextInfo` that may be written, whose handles, but for
/// the device and the queue, are `NULL` or alive and belong together. `create_info` is `NULL` or one that
/// `vkCreateDevice` would accept, and its chain may be written.
MultisplitResult multisplit_device_create(MultisplitContextInfo *info,
                                          const VkDeviceCreateInfo *create_info);

/// A sort of n pairs in ascending order: keys of a type, and a value of 4 bytes for each. It is warmed
/// up, has its own scratch memory for two frames in flight, and records the barriers against everything
/// before and after. `multisplit_record_sort` records it, as does `multisplit_record`; its roles are `KEYS`
/// and `VALUES`. `multisplit_sort_create` makes any other sort.
///
/// The caller's part:
/// `operation` is `NULL` or may be written. Unless the context was created with
/// `MULTISPLIT_RANKING_PROMISED`, nobody else uses its queue meanwhile.
MultisplitResult multisplit_sort_pairs_create(const MultisplitContext *context,
                                              MultisplitKeyType key_type,
                                              uint64_t n,
                                              MultisplitOperation **operation);

/// A sort of n keys in ascending order, otherwise like `multisplit_sort_pairs_create`.
///
/// The caller's part:
/// As for `multisplit_sort_pairs_create`.
MultisplitResult multisplit_sort_keys_create(const MultisplitContext *context,
                                             MultisplitKeyType key_type,
                                             uint64_t n,
                                             MultisplitOperation **operation);

/// Records a sort of `multisplit_sort_pairs_create` or `multisplit_sort_keys_create`, of the buffers from
/// their beginning on. `values` is `VK_NULL_HANDLE` for keys alone. Frames in flight take turns: when a
/// sort is recorded the third time, the commands of the first have run.
///
/// The caller's part:
/// As for `multisplit_record`. The buffers were created with `VK_BUFFER_USAGE_STORAGE_BUFFER_BIT`, are on no
/// other queue meanwhile, and hold n keys and n values.
MultisplitResult multisplit_record_sort(const MultisplitOperation *operation,
                                        VkCommandBuffer commands,
                                        VkBuffer keys,
                                        VkBuffer values);

/// Sets where messages of the library go, of a level and of those that matter more; `NULL`: nowhere, as it
/// is at first. It is one for the whole library.
///
/// The caller's part:
/// `function` is `NULL` or a function that may be called with `user` from any thread, until another one is
/// set and calls of the library that were made before have returned.
MultisplitResult multisplit_set_log(MultisplitLogFunction function,
                                    void *user,
                                    MultisplitLogLevel level);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MULTISPLIT_H */
