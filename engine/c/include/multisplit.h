/*
 * multisplit: GPU sort, split, top-k, histogram, scan, reduction, selection, search, merge and shortest paths,
 * on the caller's own Vulkan device and, except for shortest paths, in the caller's command buffers.
 *
 * Lifecycle of an operation:
 *
 *   1. multisplit_requirements_create, _merge     add required features, before vkCreateDevice
 *   2. multisplit_context_create                  wrap the caller's device
 *   3. multisplit_sort_create, ...                plan: determines buffers and scratch memory
 *   4. multisplit_operation_warm_up               compile pipelines; recording then creates nothing
 *   5. multisplit_record, every frame             record into the caller's command buffer
 *   6. multisplit_operation_destroy, multisplit_context_destroy
 *
 * Convenience functions simplify some of these steps: multisplit_device_create (step 1, and the creation of the
 * device), multisplit_sort_pairs_create (steps 3 and 4), multisplit_record_sort (step 5). C++ programs may prefer
 * the classes of multisplit.hpp.
 *
 * Functions return a MultisplitResult, except those that return text, a version or a number;
 * multisplit_last_error returns the message of an error. Passing NULL for a required pointer is an error, never
 * a crash. Handles are numbers, not addresses: using a handle that was destroyed or never created is an error.
 *
 * Structures that functions take as `info` begin with struct_size, which must be set to their sizeof. Defaults
 * are documented as "0: ..."; for flags, 0 is false, and for enumerations, 0 is the first value. Members
 * called reserved must be 0. Write
 *
 *   MultisplitSortInfo info = {.struct_size = sizeof info, .key_type = MULTISPLIT_KEY_TYPE_F32};
 *
 * in C, and `MultisplitSortInfo info = {}; info.struct_size = sizeof info;` in C++.
 *
 * Functions may be called from any thread.
 *
 * Generated from the Rust sources: edit those instead. SPDX-License-Identifier: MIT OR Apache-2.0
 */


#ifndef MULTISPLIT_H
#define MULTISPLIT_H

#include <stdint.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

/// Major version of this header.
#define MULTISPLIT_VERSION_MAJOR 0

/// Minor version of this header.
#define MULTISPLIT_VERSION_MINOR 7

/// Patch version of this header.
#define MULTISPLIT_VERSION_PATCH 0

/// Version of this header as one number, encoded like Vulkan versions. Use it for members called `version`.
#define MULTISPLIT_VERSION (((MULTISPLIT_VERSION_MAJOR << 22) | (MULTISPLIT_VERSION_MINOR << 12)) | MULTISPLIT_VERSION_PATCH)

/// The distance of an unreachable vertex, and the predecessor of a vertex that has no predecessor.
#define MULTISPLIT_UNREACHED UINT32_MAX

/// Result of a call. `multisplit_last_error` returns the message of an error.
typedef enum {
  /// The call succeeded.
  MULTISPLIT_SUCCESS = 0,
  /// A required pointer or Vulkan handle is `NULL`.
  MULTISPLIT_ERROR_NULL = -1,
  /// The caller was compiled for an incompatible version of the library.
  MULTISPLIT_ERROR_VERSION = -2,
  /// `struct_size` omits required members, or includes members that this version of the library does not
  /// know and that are not zero.
  MULTISPLIT_ERROR_STRUCT_SIZE = -3,
  /// A handle is not valid: it was destroyed, is of another kind, or was never created.
  MULTISPLIT_ERROR_HANDLE = -4,
  /// A context cannot be destroyed while objects created from it exist or calls use it.
  MULTISPLIT_ERROR_IN_USE = -5,
  /// The operation needs `multisplit_operation_warm_up` first.
  MULTISPLIT_ERROR_NOT_READY = -6,
  /// An argument or a member has a value that is not allowed.
  MULTISPLIT_ERROR_INVALID = -7,
  /// A buffer, an array or a workspace is too small.
  MULTISPLIT_ERROR_TOO_SMALL = -8,
  /// An offset or an address does not have the required alignment.
  MULTISPLIT_ERROR_MISALIGNED = -9,
  /// A number exceeds a limit of the device, the algorithm or the operation.
  MULTISPLIT_ERROR_TOO_LARGE = -10,
  /// The device, the operation or this build of the library does not support the request.
  MULTISPLIT_ERROR_UNSUPPORTED = -11,
  /// The GLSL does not compile, or is rejected; the message gives the reason.
  MULTISPLIT_ERROR_GLSL = -12,
  /// Out of host or device memory.
  MULTISPLIT_ERROR_OUT_OF_MEMORY = -13,
  /// The device is lost: destroy all objects created from it.
  MULTISPLIT_ERROR_DEVICE_LOST = -14,
  /// A Vulkan call failed with another error.
  MULTISPLIT_ERROR_VULKAN = -15,
  /// A bug in the library: please report the message.
  MULTISPLIT_ERROR_INTERNAL = -16,
  /// `value_bytes` is not 0, 4, 8 or 16.
  MULTISPLIT_ERROR_VALUE_SIZE = -17,
  /// `first_bit` and `bit_count` select bits that the key type does not have.
  MULTISPLIT_ERROR_SORT_BITS = -18,
  /// `frame` is not less than the number of frames in flight of the operation.
  MULTISPLIT_ERROR_FRAME = -19,
  /// `profile` is damaged, was made for another version, device or driver, or has sizes that the device
  /// does not support; the message gives the reason.
  MULTISPLIT_ERROR_PROFILE = -20,
  /// The library was called by one of the caller's functions (`allocate` and `free` of
  /// `MultisplitMemoryFunctions`, or the log function), which must not call it.
  MULTISPLIT_ERROR_CALLBACK = -21,
} MultisplitResult;

/// Device behaviour that the kernels of sorts and splits may rely on. The choice affects only performance, unless
/// the device later violates the probed behaviour.
typedef enum {
  /// The value of the environment variable `MULTISPLIT_RANKING`, `promised` or `probed`; if it is not set,
  /// same as `MULTISPLIT_RANKING_PROBED`.
  MULTISPLIT_RANKING_AUTO = 0,
  /// Only behaviour that Vulkan guarantees. No probe runs.
  MULTISPLIT_RANKING_PROMISED = 1,
  /// Behaviour that Vulkan guarantees, and on NVIDIA GPUs lane order, if a probe finds that the device preserves
  /// it. Lane order means that atomics on shared memory by one instruction of a subgroup take effect in the order
  /// of the lanes; ranking by lane order is faster. `multisplit_context_lane_order` reports violations.
  MULTISPLIT_RANKING_PROBED = 2,
} MultisplitRanking;

/// Key type. Floats use a total order: -NaN first, -0 before 0, NaN last.
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
  /// `double`; needs `shaderInt64`, and for sums and GLSL functions also `shaderFloat64`.
  MULTISPLIT_KEY_TYPE_F64 = 5,
  /// `uint8_t`. Keys of 8 and 16 bits are supported by sorts, splits and top-k. Their buffers have a
  /// multiple of 4 bytes; the padding bytes after the last key are left unchanged.
  MULTISPLIT_KEY_TYPE_U8 = 6,
  /// `int8_t`.
  MULTISPLIT_KEY_TYPE_I8 = 7,
  /// `uint16_t`.
  MULTISPLIT_KEY_TYPE_U16 = 8,
  /// `int16_t`.
  MULTISPLIT_KEY_TYPE_I16 = 9,
  /// IEEE 754 half-precision float: `_Float16`.
  MULTISPLIT_KEY_TYPE_F16 = 10,
  /// bfloat16: the upper half of a `float`.
  MULTISPLIT_KEY_TYPE_BF16 = 11,
} MultisplitKeyType;

/// Payload of the keys in a sort.
typedef enum {
  /// Keys only.
  MULTISPLIT_SORT_VALUES_NONE = 0,
  /// One value of `value_bytes` bytes per key.
  MULTISPLIT_SORT_VALUES_VALUES = 1,
  /// The input index of each key, as `uint32_t`: the permutation that sorts the input.
  MULTISPLIT_SORT_VALUES_INDICES = 2,
} MultisplitSortValues;

/// Parts of an array that are sorted separately.
typedef enum {
  /// The whole array as one segment.
  MULTISPLIT_SEGMENTS_WHOLE = 0,
  /// The rows of a matrix, with `row_length` elements each.
  MULTISPLIT_SEGMENTS_ROWS = 1,
  /// Segments given by host offsets, which are known when the sort is planned.
  MULTISPLIT_SEGMENTS_HOST_OFFSETS = 2,
  /// Segments given by device offsets: the words of `OFFSETS`, read when the commands execute. Offsets
  /// beyond the element count are clamped to it, and an offset that is less than an earlier offset is
  /// replaced by the largest earlier offset.
  MULTISPLIT_SEGMENTS_DEVICE_OFFSETS = 3,
} MultisplitSegments;

/// Source of the element count.
typedef enum {
  /// The count is always n.
  MULTISPLIT_COUNT_FIXED = 0,
  /// Host count: `count` of each recording. It is an error if it exceeds n.
  MULTISPLIT_COUNT_RECORDED = 1,
  /// Device count: a word of the `MULTISPLIT_ROLE_COUNT` buffer, read when the commands execute. Values
  /// above n are clamped to n.
  MULTISPLIT_COUNT_DEVICE = 2,
} MultisplitCount;

/// Role of a buffer in an operation. Each `Multisplit*Info` lists the roles of its operation;
/// `multisplit_operation_contract` returns the required size and the use of each buffer.
typedef enum {
  /// Sort: the keys, read and written. Split, top-k, reduction by key, scan by key: the keys, read-only.
  /// Merge: the keys of the first array, read-only.
  MULTISPLIT_ROLE_KEYS = 0,
  /// Split: the keys in bucket order. Top-k: the keys found. Reduction by key: the key of each run. Merge:
  /// the merged keys.
  MULTISPLIT_ROLE_KEYS_OUT = 1,
  /// Sort between two buffers: the second key buffer. Merge: the keys of the second array, read-only.
  MULTISPLIT_ROLE_KEYS_OTHER = 2,
  /// Sort: the values, moved with their keys. Split, reduction by key, scan by key: the values, read-only.
  /// Merge: the values of the first array, read-only.
  MULTISPLIT_ROLE_VALUES = 3,
  /// Split, merge: the values in the order of the output keys. Reduction by key: the result of each run.
  /// Scan by key: the results.
  MULTISPLIT_ROLE_VALUES_OUT = 4,
  /// Sort between two buffers: the second value or index buffer. Merge: the values of the second array,
  /// read-only.
  MULTISPLIT_ROLE_VALUES_OTHER = 5,
  /// Output, `uint32_t`. Sort: the input index of the element at each output position. Top-k: the index
  /// within its row of each element found. Reduction: the index of the minimum or maximum.
  MULTISPLIT_ROLE_INDICES = 6,
  /// Output of a sort between two buffers, one word: 0 if the result is in the input buffers, 1 if it is in
  /// `KEYS_OTHER` and `VALUES_OTHER`.
  MULTISPLIT_ROLE_HALF = 7,
  /// Split: the output position of each element, `uint32_t`.
  MULTISPLIT_ROLE_PERMUTATION = 8,
  /// Split: m + 1 words, the start of each bucket, followed by the element count. Sort, scan or reduction of
  /// segments: one word per segment plus one, read-only; the start of each segment, and the end of the last one.
  MULTISPLIT_ROLE_OFFSETS = 9,
  /// Split: one word, the number of keys whose bucket id was m or more. Histogram: one count per counted
  /// channel, the number of samples outside all bins.
  MULTISPLIT_ROLE_OUT_OF_RANGE = 10,
  /// The words that a GLSL function reads as `table.at[]`.
  MULTISPLIT_ROLE_TABLE = 11,
  /// The samples of a histogram, read-only.
  MULTISPLIT_ROLE_SAMPLES = 12,
  /// One weight per element of a histogram, read-only.
  MULTISPLIT_ROLE_WEIGHTS = 13,
  /// The counts of a histogram: m per counted channel.
  MULTISPLIT_ROLE_COUNTS = 14,
  /// m words: the exclusive prefix sums of the counts of a histogram.
  MULTISPLIT_ROLE_CUMULATIVE = 15,
  /// The elements of a scan, a reduction or a selection, read-only.
  MULTISPLIT_ROLE_INPUT = 16,
  /// Scan: the results. Reduction: the result, or one result per segment. Selection: the selected elements.
  MULTISPLIT_ROLE_OUTPUT = 17,
  /// Words that contain the device count.
  MULTISPLIT_ROLE_COUNT = 18,
  /// Selection: one word per element. Scan by key: one word per element; a segment starts where it is not zero.
  /// Read-only.
  MULTISPLIT_ROLE_FLAGS = 19,
  /// One word. Selection: the number of selected elements. Reduction by key: the number of runs.
  MULTISPLIT_ROLE_FOUND = 20,
  /// The elements that were not selected.
  MULTISPLIT_ROLE_REJECTED = 21,
  /// The lengths of runs: one word per selected element.
  MULTISPLIT_ROLE_RUN_LENGTHS = 22,
  /// The sorted array of a search, read-only.
  MULTISPLIT_ROLE_SORTED = 23,
  /// The values that a search looks up, read-only.
  MULTISPLIT_ROLE_NEEDLES = 24,
  /// The insertion position of each needle of a search, `uint32_t`.
  MULTISPLIT_ROLE_POSITIONS = 25,
  /// Words that contain the device count of a second array or of segments.
  MULTISPLIT_ROLE_OTHER_COUNT = 26,
  /// Output, eight words: arguments of indirect dispatches over the elements or runs found. Words 0 to 2 are
  /// the `VkDispatchIndirectCommand` of one workgroup per element, and word 3 is the number of elements. Words
  /// 4 to 6, from byte 16, are the `VkDispatchIndirectCommand` of one workgroup per `dispatch_threads` elements,
  /// and word 7 is the number of these workgroups. A dispatch of more than `maxComputeWorkGroupCount[0]`
  /// workgroups extends in y, with up to y - 1 surplus workgroups.
  MULTISPLIT_ROLE_DISPATCH = 27,
} MultisplitRole;

/// Who records the barriers between an operation and the caller's commands before and after it.
typedef enum {
  /// The caller. If a buffer has a `before` or `after` scope in `scopes`, the operation records that
  /// barrier instead.
  MULTISPLIT_BARRIERS_CALLER = 0,
  /// The operation, for all buffers. Buffers with a scope in `scopes` get a barrier with that scope, and all
  /// others a barrier with all earlier or later commands. Simple, but a few microseconds slower on some
  /// devices.
  MULTISPLIT_BARRIERS_FULL = 1,
} MultisplitBarriers;

/// Mapping from keys to buckets.
typedef enum {
  /// Buckets of `width` integers each, starting at the only edge. Keys below the edge belong to the first
  /// bucket, and keys past the last bucket to the last.
  MULTISPLIT_BUCKET_DELTA = 0,
  /// The bits of the key are its bucket number.
  MULTISPLIT_BUCKET_IDENTITY = 1,
  /// `bits` bits of the key, starting at bit `shift`.
  MULTISPLIT_BUCKET_DIGIT = 2,
  /// m equal parts of the range between two float edges. Keys below the range belong to the first part, and
  /// keys above the range and NaN to the last. Part k begins at `k * ((hi - lo) / m) + lo`, where every
  /// operation is rounded to the type (to `float` for 16-bit floats) and does not overflow, or at `hi` if that
  /// is less.
  MULTISPLIT_BUCKET_EVEN = 3,
  /// m - 1 sorted edges. The bucket of a key is the number of edges less than or equal to the key.
  MULTISPLIT_BUCKET_RANGE = 4,
  /// The function `uint bucket_of(K key)` in `glsl`, where K is `uint`, `int`, `float`, `uint64_t`,
  /// `int64_t` or `double`, depending on the key type; keys of 8 and 16 bits are widened to 32. The function
  /// may use `push.parameter_0`, `_1` and `_2`, and `table.at[]` if `table_words` is not 0.
  MULTISPLIT_BUCKET_GLSL = 5,
} MultisplitBucket;

/// The output of a split.
typedef enum {
  /// The keys in bucket order.
  MULTISPLIT_SPLIT_OUTPUT_KEYS = 0,
  /// The keys in bucket order, and one value of `value_bytes` bytes per key.
  MULTISPLIT_SPLIT_OUTPUT_PAIRS = 1,
  /// The output position of each element.
  MULTISPLIT_SPLIT_OUTPUT_PERMUTATION = 2,
} MultisplitSplitOutput;

/// Sample type of a histogram.
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

/// Mapping from samples to bins.
typedef enum {
  /// m equal bins between the two edges, excluding the upper edge. Bin k of integers begins exactly at
  /// `lo + k * (hi - lo) / m`. Bin k of floats begins at `k * ((hi - lo) / m) + lo`, where every operation
  /// is rounded to the type and does not overflow, or at `hi` if that is less.
  MULTISPLIT_BINS_EVEN = 0,
  /// m + 1 sorted edges; each bin includes its lower edge and excludes its upper edge.
  MULTISPLIT_BINS_RANGE = 1,
  /// The sample is its bin number.
  MULTISPLIT_BINS_IDENTITY = 2,
  /// The function `uint bucket_of(K sample)` in `glsl`, where K is `uint`, `int`, `float`, `uint64_t`,
  /// `int64_t` or `double`, depending on the sample type. It returns the bin of the sample; a result of m or
  /// more is outside all bins. The function may use `push.parameter_0`, `_1` and `_2`, and `table.at[]` if
  /// `table_words` is not 0.
  MULTISPLIT_BINS_GLSL = 3,
} MultisplitBins;

/// Amount that an element adds to its bin.
typedef enum {
  /// Every element adds one.
  MULTISPLIT_WEIGHT_NONE = 0,
  /// A `uint32_t` per element. Sums are modulo 2^32, or 2^64 with `wide_counts`.
  MULTISPLIT_WEIGHT_U32 = 1,
  /// A `float` per element. The order of additions, and so the rounding, may differ from run to run.
  MULTISPLIT_WEIGHT_F32 = 2,
} MultisplitWeight;

/// Operator that combines two elements in a scan or a reduction.
typedef enum {
  /// Sum. Integers wrap around. The order in which floats are added depends on the device and the count,
  /// and is the same in every run.
  MULTISPLIT_OPERATOR_SUM = 0,
  /// Minimum. Floats are ordered as in a sort: -NaN first, -0 before 0, NaN last.
  MULTISPLIT_OPERATOR_MIN = 1,
  /// Maximum, in the same order.
  MULTISPLIT_OPERATOR_MAX = 2,
  /// An associative GLSL function, `K combined(K a, K b)`. It need not be commutative: elements are
  /// combined in array order.
  MULTISPLIT_OPERATOR_GLSL = 3,
} MultisplitOperator;

/// Condition for selecting an element. Comparisons use the order of sorts; elements are equal if their bits
/// are equal.
typedef enum {
  /// The element's flag, a word of `FLAGS`, is not zero.
  MULTISPLIT_CONDITION_FLAGGED = 0,
  /// The element is less than `first`.
  MULTISPLIT_CONDITION_LESS_THAN = 1,
  /// The element is less than or equal to `first`.
  MULTISPLIT_CONDITION_AT_MOST = 2,
  /// The element is greater than `first`.
  MULTISPLIT_CONDITION_GREATER_THAN = 3,
  /// The element is greater than or equal to `first`.
  MULTISPLIT_CONDITION_AT_LEAST = 4,
  /// The element is equal to `first`.
  MULTISPLIT_CONDITION_EQUAL_TO = 5,
  /// The element is not equal to `first`.
  MULTISPLIT_CONDITION_NOT_EQUAL_TO = 6,
  /// The element is between `first` and `last`, inclusive.
  MULTISPLIT_CONDITION_WITHIN = 7,
  /// The element is the first of a run of equal adjacent elements. In a sorted array, this selects each
  /// distinct element once.
  MULTISPLIT_CONDITION_FIRST_OF_RUNS = 8,
  /// A GLSL function returns true: `bool is_selected(K key)`.
  MULTISPLIT_CONDITION_GLSL = 9,
} MultisplitCondition;

/// Result of a search for each needle. Elements are compared as in sorts.
typedef enum {
  /// The number of elements less than the needle: its first possible insertion position.
  MULTISPLIT_SEARCH_LOWER_BOUND = 0,
  /// The number of elements less than or equal to the needle: its last possible insertion position.
  MULTISPLIT_SEARCH_UPPER_BOUND = 1,
} MultisplitSearch;

/// Weights of a network's edges.
typedef enum {
  /// 1 for each edge.
  MULTISPLIT_EDGE_WEIGHT_ONES = 0,
  /// A `uint32_t` per edge.
  MULTISPLIT_EDGE_WEIGHT_U32 = 1,
  /// A `float` per edge: finite, and not negative.
  MULTISPLIT_EDGE_WEIGHT_F32 = 2,
} MultisplitEdgeWeight;

/// Shortest path algorithm. All algorithms find the same distances.
typedef enum {
  /// The method that was fastest in measurements: `MULTISPLIT`.
  MULTISPLIT_SSSP_METHOD_AUTO = 0,
  /// Bellman-Ford.
  MULTISPLIT_SSSP_METHOD_BELLMAN_FORD = 1,
  /// Near-far: vertices of a near set are expanded; vertices at larger distances wait in a far pile.
  MULTISPLIT_SSSP_METHOD_NEAR_FAR = 2,
  /// Buckets of equal width, formed by a sort.
  MULTISPLIT_SSSP_METHOD_BUCKETING = 3,
  /// Buckets of equal width, formed by a multisplit in separate passes.
  MULTISPLIT_SSSP_METHOD_MULTISPLIT_PASSES = 4,
  /// Buckets of equal width, formed by a multisplit within the kernel that relaxes the edges.
  MULTISPLIT_SSSP_METHOD_MULTISPLIT = 5,
} MultisplitSsspMethod;

/// Severity of a log message.
typedef enum {
  /// A failure that no call reports, for example memory that could not be freed.
  MULTISPLIT_LOG_LEVEL_ERROR = 0,
  /// A problem that the library works around, for example a damaged cache file that it ignores.
  MULTISPLIT_LOG_LEVEL_WARNING = 1,
  /// Information of interest once per run.
  MULTISPLIT_LOG_LEVEL_INFO = 2,
  /// Internal details.
  MULTISPLIT_LOG_LEVEL_DEBUG = 3,
} MultisplitLogLevel;

/// Features and extensions used by the library, one bit each. Those that are not documented as required are used
/// if they are enabled.
typedef enum {
  /// `synchronization2`, from Vulkan 1.3 or `VK_KHR_synchronization2`: required.
  MULTISPLIT_FEATURE_SYNCHRONIZATION2 = 1,
  /// `subgroupSizeControl`, from Vulkan 1.3 or `VK_EXT_subgroup_size_control`.
  MULTISPLIT_FEATURE_SUBGROUP_SIZE_CONTROL = 2,
  /// `computeFullSubgroups`, from Vulkan 1.3 or `VK_EXT_subgroup_size_control`: required, except on Vulkan 1.3 if
  /// `SUBGROUP_SIZE_CONTROL` is enabled or the device has only one subgroup size.
  MULTISPLIT_FEATURE_COMPUTE_FULL_SUBGROUPS = 4,
  /// `VK_KHR_push_descriptor`.
  MULTISPLIT_FEATURE_PUSH_DESCRIPTOR = 8,
  /// `pipelineExecutableInfo`, from `VK_KHR_pipeline_executable_properties`.
  MULTISPLIT_FEATURE_PIPELINE_EXECUTABLE_INFO = 16,
  /// `shaderInt64`: 64-bit keys and samples, and most operations on other 64-bit elements.
  MULTISPLIT_FEATURE_SHADER_INT64 = 32,
  /// `shaderFloat64`: sums, histograms and GLSL functions of 64-bit floats.
  MULTISPLIT_FEATURE_SHADER_FLOAT64 = 64,
  /// `bufferDeviceAddress`, from Vulkan 1.2.
  MULTISPLIT_FEATURE_BUFFER_DEVICE_ADDRESS = 128,
  /// `VK_KHR_portability_subset`: required if the device has it.
  MULTISPLIT_FEATURE_PORTABILITY_SUBSET = 256,
  /// `shaderMaximalReconvergence`, from `VK_KHR_shader_maximal_reconvergence`.
  MULTISPLIT_FEATURE_SHADER_MAXIMAL_RECONVERGENCE = 512,
  /// `shaderSubgroupUniformControlFlow`, from `VK_KHR_shader_subgroup_uniform_control_flow`.
  MULTISPLIT_FEATURE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW = 1024,
} MultisplitFeature;

/// The caller's device, from which all other objects are created. May be used from any number of threads.
typedef struct MultisplitContext MultisplitContext;

/// A planned sort, split, top-k, histogram, scan, reduction, selection, search or merge. After
/// `multisplit_operation_warm_up` it can be recorded. Several threads may record one operation into different
/// command buffers.
typedef struct MultisplitOperation MultisplitOperation;

/// Features and extensions to enable on a device.
typedef struct MultisplitRequirements MultisplitRequirements;

/// Finds shortest paths in one network, from one source at a time.
typedef struct MultisplitSssp MultisplitSssp;

/// The physical device to query.
typedef struct {
  /// `sizeof(MultisplitRequirementsInfo)`.
  uint32_t struct_size;
  /// `MULTISPLIT_VERSION`.
  uint32_t version;
  /// The Vulkan loader's `vkGetInstanceProcAddr`.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  /// The instance.
  VkInstance instance;
  /// The physical device.
  VkPhysicalDevice physical_device;
  /// The `apiVersion` that the instance was created with: 1.2 or later.
  uint32_t api_version;
  /// Features not to enable even if the device supports them: bits of `MultisplitFeature`, except
  /// `SYNCHRONIZATION2` and `PORTABILITY_SUBSET`. 0: use everything that the device supports.
  uint32_t leave_out;
} MultisplitRequirementsInfo;

/// Features and extensions to enable on a device. The pointers are valid until the requirements are
/// destroyed.
typedef struct {
  /// Extensions to enable.
  const char *const *extensions;
  /// Number of extensions.
  uint32_t extension_count;
  /// The features to enable, all supported by the device: bits of `MultisplitFeature`.
  uint32_t features;
  /// Structures with these features, including a `VkPhysicalDeviceFeatures2`: for the `pNext` of a
  /// `VkDeviceCreateInfo` that has no other feature structures.
  const void *feature_chain;
} MultisplitRequirementsList;

/// A device memory allocation made by the caller's allocator.
typedef struct {
  /// The memory object.
  VkDeviceMemory memory;
  /// Start of the allocation within the memory object: a multiple of the required alignment.
  VkDeviceSize offset;
  /// The allocator's own identifier; the library passes it back unchanged.
  void *cookie;
} MultisplitMemory;

/// Allocates memory for a buffer, preferably device-local, with the size and alignment in `requirements` and
/// with `flags`. Returns a Vulkan error on failure. The function may be called from any thread that calls the
/// library, and must not call the library: such calls return `MULTISPLIT_ERROR_CALLBACK`.
typedef VkResult (*MultisplitAllocateFunction)(void *user,
                                               const VkMemoryRequirements *requirements,
                                               VkMemoryAllocateFlags flags,
                                               MultisplitMemory *memory);

/// Frees an allocation. Like `MultisplitAllocateFunction`, it must not call the library.
typedef void (*MultisplitFreeFunction)(void *user, const MultisplitMemory *memory);

/// The caller's device memory allocator, for buffers of the library that the host does not access.
typedef struct {
  /// First argument of both functions.
  void *user;
  /// Allocates memory.
  MultisplitAllocateFunction allocate;
  /// Frees memory.
  MultisplitFreeFunction free;
} MultisplitMemoryFunctions;

/// The device for which a context is created. The library does not destroy any of these objects.
typedef struct {
  /// `sizeof(MultisplitContextInfo)`.
  uint32_t struct_size;
  /// `MULTISPLIT_VERSION`.
  uint32_t version;
  /// The Vulkan loader's `vkGetInstanceProcAddr`.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  /// The instance.
  VkInstance instance;
  /// The physical device.
  VkPhysicalDevice physical_device;
  /// The device.
  VkDevice device;
  /// A queue with compute support. Creating a context and recording do not use it. Creating the first
  /// operation may submit to it and wait, unless `ranking` prevents that; `multisplit_operation_warm_up` may
  /// too, and shortest paths do. The caller must not use the queue during those calls.
  VkQueue queue;
  /// Family of the queue.
  uint32_t queue_family;
  /// The `apiVersion` that the instance was created with: 1.2 or later.
  uint32_t api_version;
  /// Features and extensions enabled on the device: bits of `MultisplitFeature`.
  uint32_t features;
  /// Whether `VK_EXT_debug_utils` is enabled on the instance; if so, passes are labelled.
  VkBool32 debug_utils;
  /// Folder for storing compiled pipelines between runs; `NULL`: they are not stored. The path is copied.
  const char *pipeline_cache;
  /// Device behaviour that ranking may rely on. Unless it is `MULTISPLIT_RANKING_PROMISED`, creating the
  /// first operation of a context may submit a probe to the queue and wait for it; if `pipeline_cache` is
  /// set, the result is stored, so each device and driver is probed only once.
  MultisplitRanking ranking;
  /// Must be 0.
  uint32_t reserved;
  /// A profile: the text written by `multisplit tune`, with the fastest kernel sizes for this device;
  /// `NULL`: the built-in sizes. Copied. A profile that is damaged or made for another device or driver is
  /// rejected with `MULTISPLIT_ERROR_PROFILE`. Profiles never affect results.
  const uint8_t *profile;
  /// Size of the profile in bytes: at most 2^20.
  uint64_t profile_size;
  /// The caller's pipeline cache, used to create pipelines; it must outlive the context. `VK_NULL_HANDLE`:
  /// the context creates one. Must not be combined with `pipeline_cache`.
  VkPipelineCache vulkan_pipeline_cache;
  /// Host memory allocation callbacks for Vulkan objects other than those of `vkAllocateMemory`; `NULL`:
  /// the driver's. `pfnAllocation`, `pfnReallocation` and `pfnFree` are required. The structure is copied;
  /// its functions may be called from any thread that calls the library, and must not call the library.
  const VkAllocationCallbacks *allocation_callbacks;
  /// The caller's device memory allocator, for buffers of the library that the host does not access; `NULL`:
  /// the library's. The structure is copied, and used until the context is destroyed.
  const MultisplitMemoryFunctions *memory_functions;
  /// For `multisplit_device_create`: features not to enable even if the device supports them, as in
  /// `MultisplitRequirementsInfo`.
  uint32_t leave_out;
  /// Must be 0.
  uint32_t reserved_too;
} MultisplitContextInfo;

/// Length of a second array, or number of segments.
typedef struct {
  /// The count, or its maximum. Determines buffer sizes.
  uint64_t n;
  /// Source of the count; 0: always n. A host count is `other_count` of each recording; a device count is a
  /// word of the `MULTISPLIT_ROLE_OTHER_COUNT` buffer.
  MultisplitCount count;
  /// For a device count: its word index in that buffer.
  uint32_t count_index;
} MultisplitOtherCount;

/// Pipeline stages and their accesses to a buffer.
typedef struct {
  /// Bits of `VkPipelineStageFlagBits2`; 0, like `access`, for no scope.
  uint64_t stages;
  /// Bits of `VkAccessFlagBits2`. If `stages` is not 0, 0 means an execution dependency only, which is
  /// sufficient if the caller only reads the buffer in these stages.
  uint64_t access;
} MultisplitScope;

/// The caller's use of a buffer before and after an operation. If a scope is given, the operation records the
/// barrier; otherwise the caller records it, using the scopes from `multisplit_operation_contract`.
typedef struct {
  /// The buffer's role.
  MultisplitRole role;
  /// Must be 0.
  uint32_t reserved;
  /// The caller's last use of the buffer before the operation. If it has no stages, the caller records that
  /// barrier.
  MultisplitScope before;
  /// The caller's first use of the buffer after the operation. If it has no stages, the caller records that
  /// barrier.
  MultisplitScope after;
} MultisplitRoleScope;

/// Members shared by all operations. Every member except `n` may be 0, its default.
typedef struct {
  /// The element count, or its maximum: for sorts, splits and top-k at most 2^30 - 1. Determines buffer sizes.
  /// Arrays have at most `maxStorageBufferRange` bytes. Histograms, and scans and reductions of a whole array
  /// with a host count, also support larger arrays.
  uint64_t n;
  /// Source of the element count; 0: always n.
  MultisplitCount count;
  /// For a device count: its word index in the `MULTISPLIT_ROLE_COUNT` buffer.
  uint32_t count_index;
  /// The caller's uses of buffers before and after the operation; may be `NULL` if `scope_count` is 0.
  /// Copied.
  const MultisplitRoleScope *scopes;
  /// Number of scopes.
  uint32_t scope_count;
  /// Frames in flight: the maximum number of recordings of this operation that have not finished executing.
  /// Threads that record concurrently need separate frames. At most 1024; 0: 2.
  uint32_t frames;
  /// Whether the caller provides scratch memory for each recording (`workspace` of `MultisplitRecordInfo`).
  /// If 0, the operation allocates one workspace per frame.
  VkBool32 caller_workspace;
  /// Whether kernels use buffer addresses instead of descriptors, for engines that have no descriptors to
  /// spare. Buffers must then be created with `VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT`, and may be bound
  /// by address. Needs `MULTISPLIT_FEATURE_BUFFER_DEVICE_ADDRESS`. An address has no length, so table
  /// accesses are not clamped: a GLSL function must not read past the end of its table.
  VkBool32 by_address;
  /// Who records the barriers not covered by `scopes`; 0: the caller.
  MultisplitBarriers barriers;
  /// Must be 0.
  uint32_t reserved;
} MultisplitCommonInfo;

/// A stable radix sort, ascending or descending, of up to 2^30 - 1 elements in arrays of at most
/// `maxStorageBufferRange` bytes each: of the whole array or of each segment. Indices are relative to the
/// start of their segment.
///
/// Roles: `KEYS`; `VALUES` or `INDICES`; `OFFSETS` for device offsets. With `two_buffers`, also `KEYS_OTHER`,
/// `HALF`, and `VALUES_OTHER` if there are values or indices.
typedef struct {
  /// `sizeof(MultisplitSortInfo)`.
  uint32_t struct_size;
  /// Key type; 0: `uint32_t`.
  MultisplitKeyType key_type;
  /// Payload of the keys; 0: none.
  MultisplitSortValues values;
  /// Bytes per value: 4, 8 or 16; 0: 4.
  uint32_t value_bytes;
  /// Whether to sort in descending order.
  VkBool32 descending;
  /// The lowest bit to sort by. Bits are numbered in the order-preserving unsigned representation of the
  /// key.
  uint32_t first_bit;
  /// Number of bits to sort by; 0: all from `first_bit` up. Fewer bits need fewer passes.
  uint32_t bit_count;
  /// Whether to sort between two buffers of each kind, which needs less scratch memory. The word of `HALF`
  /// then reports which of the two contains the result. Otherwise the result replaces the input.
  VkBool32 two_buffers;
  /// Parts of the array that are sorted separately; 0: the whole array. Segments are sorted in place.
  MultisplitSegments segments;
  /// Must be 0.
  uint32_t reserved;
  /// For `ROWS`: the row length, a divisor of the count. Only for a fixed count.
  uint64_t row_length;
  /// For `HOST_OFFSETS`: the start of each segment, followed by the end of the last segment. The first
  /// offset is 0, the last is n, and offsets must not decrease. Copied. Only for a fixed count.
  const uint32_t *offsets;
  /// Number of segments given by offsets; must be fixed for host offsets.
  MultisplitOtherCount segment_count;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitSortInfo;

/// A split of up to 2^30 - 1 elements, in arrays of at most `maxStorageBufferRange` bytes each, into m
/// contiguous buckets. Elements are ordered by bucket and keep their order within each bucket.
///
/// Roles: `KEYS` and `OFFSETS`; `KEYS_OUT` for keys and pairs; `VALUES` and `VALUES_OUT` for pairs;
/// `PERMUTATION` for a permutation; `OUT_OF_RANGE` if `count_out_of_range` is set; `TABLE` if `table_words`
/// is not 0.
typedef struct {
  /// `sizeof(MultisplitSplitInfo)`.
  uint32_t struct_size;
  /// Key type.
  MultisplitKeyType key_type;
  /// m, the number of buckets: 1 to 65,536.
  uint32_t buckets;
  /// Mapping from keys to buckets.
  MultisplitBucket bucket;
  /// Edges, of the key type: 1 for `DELTA`, 2 for `EVEN`, m - 1 for `RANGE`. Copied.
  const void *edges;
  /// Number of edges.
  uint32_t edge_count;
  /// For `DIGIT`: the lowest bit.
  uint32_t shift;
  /// For `DELTA`: the number of integers per bucket.
  uint64_t width;
  /// For `DIGIT`: the number of bits; 0: enough bits for the number m - 1.
  uint32_t bits;
  /// For `GLSL`: size of the `TABLE` buffer in words.
  uint32_t table_words;
  /// For `GLSL`: source of the function. Copied.
  const char *glsl;
  /// For `GLSL`: `push.parameter_0`, `_1` and `_2`.
  uint32_t parameters[3];
  /// The output.
  MultisplitSplitOutput output;
  /// For pairs: bytes per value, 4, 8 or 16; 0: 4.
  uint32_t value_bytes;
  /// Whether to write to `OUT_OF_RANGE` the number of keys whose bucket id is m or more. These keys are put
  /// into the last bucket. If there are any such keys, the other outputs must not be used.
  VkBool32 count_out_of_range;
  /// For `DELTA`, `EVEN` and `RANGE`, with at most 256 buckets: whether each recording may set other edges
  /// (`MultisplitValues`).
  VkBool32 settable_edges;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitSplitInfo;

/// A top-k of up to 2^30 - 1 elements, in an array of at most `maxStorageBufferRange` bytes: the k largest or
/// smallest elements with their indices, of the whole array or of each row. Among equal
/// elements, those with lower indices are selected, and come first unless `unsorted` is set.
///
/// Roles: `KEYS`, read-only; `KEYS_OUT` and `INDICES`, k elements per row, row after row.
typedef struct {
  /// `sizeof(MultisplitTopKInfo)`.
  uint32_t struct_size;
  /// Key type; 0: `uint32_t`.
  MultisplitKeyType key_type;
  /// Number of elements to find per row: at most the row length. If the element count is less than k, only
  /// as many elements as the count are written.
  uint64_t k;
  /// Row length, a divisor of the count; 0: the whole array is one row. Only for a fixed count.
  uint64_t row_length;
  /// Whether to find the smallest elements, in ascending order; otherwise the largest, in descending order.
  VkBool32 smallest;
  /// Whether the output may be in any order, which is faster.
  VkBool32 unsorted;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitTopKInfo;

/// A histogram of up to 2^20 bins.
///
/// Roles: `SAMPLES` and `COUNTS`; `WEIGHTS` if there are weights; `OUT_OF_RANGE` if `count_out_of_range` is
/// set; `CUMULATIVE` if `cumulative` is set; `TABLE` if `table_words` is not 0.
typedef struct {
  /// `sizeof(MultisplitHistogramInfo)`.
  uint32_t struct_size;
  /// Sample type.
  MultisplitSampleType sample_type;
  /// m, the number of bins: 1 to 2^20.
  uint32_t bins;
  /// Mapping from samples to bins.
  MultisplitBins function;
  /// Edges, of the sample type: 2 for `EVEN`, m + 1 for `RANGE`. Copied.
  const void *edges;
  /// Number of edges.
  uint32_t edge_count;
  /// For `GLSL`: size of the `TABLE` buffer in words.
  uint32_t table_words;
  /// For `GLSL`: source of the function. Copied.
  const char *glsl;
  /// For `GLSL`: `push.parameter_0`, `_1` and `_2`.
  uint32_t parameters[3];
  /// Amount that an element adds to its bin.
  MultisplitWeight weight;
  /// Byte offset of the first element.
  uint64_t first_byte;
  /// Byte distance between elements; 0: tightly packed.
  uint32_t stride;
  /// Samples per element, 1 to 4, adjacent in memory; 0: 1.
  uint32_t channels;
  /// Bit mask of the counted channels, each with its own bins; 0: all channels.
  uint32_t active_channels;
  /// Whether counts have 64 bits, low word first; otherwise 32.
  VkBool32 wide_counts;
  /// Whether to add to the counts in the buffer; otherwise the buffer is cleared first.
  VkBool32 accumulate;
  /// Whether to write to `OUT_OF_RANGE`, for each counted channel, the number of samples outside all bins,
  /// in the type of the counts.
  VkBool32 count_out_of_range;
  /// Whether to write the exclusive prefix sums of the counts to `CUMULATIVE`; requires a single counted
  /// channel and 32-bit integer counts.
  VkBool32 cumulative;
  /// For `EVEN` and `RANGE`: whether the last bin includes its upper edge; otherwise samples equal to it
  /// are out of range.
  VkBool32 closed;
  /// For `EVEN` and `RANGE`: whether each recording may set other edges (`MultisplitValues`).
  VkBool32 settable_edges;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitHistogramInfo;

/// A number of a key type, made by `multisplit_u32(7)`, `multisplit_f32(0.5f)` and so on, or by
/// `multisplit::number` in C++. Calls reject numbers that do not have the required type. A structure of zeros is
/// accepted as the number 0 of any type.
typedef struct {
  /// Its type.
  MultisplitKeyType key_type;
  /// Must be 0.
  uint32_t reserved;
  /// Its bits, zero-extended to 64.
  uint64_t bits;
} MultisplitNumber;

/// A scan of a whole array: each result combines all elements before it, and with `inclusive` also the
/// element itself. With all members except `common` zero: exclusive prefix sums of `uint32_t`, modulo 2^32.
///
/// Roles: `INPUT` and `OUTPUT`.
typedef struct {
  /// `sizeof(MultisplitScanInfo)`.
  uint32_t struct_size;
  /// Element type.
  MultisplitKeyType key_type;
  /// Operator that combines elements.
  MultisplitOperator op;
  /// Whether a result includes its own element. Otherwise it combines only the elements before it, and the
  /// first result is the identity element: 0 for a sum, the last value in sort order for a minimum, the
  /// first one for a maximum.
  VkBool32 inclusive;
  /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
  const char *glsl;
  /// The identity element of the function in `glsl`: a number of the type that the function combines.
  MultisplitNumber identity;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitScanInfo;

/// A reduction of a whole array to one element. The result for an empty array is the identity element: 0 for
/// a sum, the last value in sort order for a minimum, the first one for a maximum.
///
/// Roles: `INPUT`; `OUTPUT`, one element; `INDICES`, one word, if `index` is set.
typedef struct {
  /// `sizeof(MultisplitReduceInfo)`.
  uint32_t struct_size;
  /// Element type.
  MultisplitKeyType key_type;
  /// Operator that combines elements.
  MultisplitOperator op;
  /// Whether to write the index of the minimum or maximum to `INDICES`: the lowest index among equal
  /// elements, or 2^32 - 1 for an empty array. An error for sums and GLSL functions.
  VkBool32 index;
  /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
  const char *glsl;
  /// The identity element of the function in `glsl`: a number of the type that the function combines.
  MultisplitNumber identity;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitReduceInfo;

/// A reduction by key: for each run of equal adjacent keys, outputs the key and the combined values.
///
/// Roles: `KEYS` and `VALUES`, read-only; `KEYS_OUT` and `VALUES_OUT`, each with room for n elements,
/// unchanged past the number of runs; `FOUND`, one word, the number of runs; `DISPATCH`, eight words, if
/// `dispatch_threads` is not 0.
typedef struct {
  /// `sizeof(MultisplitReduceByKeyInfo)`.
  uint32_t struct_size;
  /// Key type. Keys are equal if their bits are equal.
  MultisplitKeyType key_type;
  /// Value type.
  MultisplitKeyType value_type;
  /// Operator that combines values.
  MultisplitOperator op;
  /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
  const char *glsl;
  /// The identity element of the function in `glsl`: a number of the type that the function combines.
  MultisplitNumber identity;
  /// Number of runs per workgroup of an indirect dispatch over the runs, whose arguments are written to
  /// `DISPATCH`; 0: they are not written.
  uint32_t dispatch_threads;
  /// Must be 0.
  uint32_t reserved;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitReduceByKeyInfo;

/// A segmented scan: each run of equal adjacent keys is scanned separately. With all members except `common`
/// zero: exclusive prefix sums of `uint32_t` with `uint32_t` keys.
///
/// Roles: `KEYS`, or `FLAGS` if `heads` is set, and `VALUES`, read-only; `VALUES_OUT`.
typedef struct {
  /// `sizeof(MultisplitScanByKeyInfo)`.
  uint32_t struct_size;
  /// Key type. Keys are equal if their bits are equal. Ignored if `heads` is set.
  MultisplitKeyType key_type;
  /// Value type.
  MultisplitKeyType value_type;
  /// Operator that combines values.
  MultisplitOperator op;
  /// Whether a result includes its own value. Otherwise it combines only the values before it, and the
  /// first result of a segment is the identity element.
  VkBool32 inclusive;
  /// Whether segments begin at the first element and at each non-zero word of `FLAGS`, instead of at each
  /// key that differs from the previous one.
  VkBool32 heads;
  /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
  const char *glsl;
  /// The identity element of the function in `glsl`: a number of the type that the function combines.
  MultisplitNumber identity;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitScanByKeyInfo;

/// A scan of each segment of an array, or of each row of a matrix. Segment s has the elements from
/// `OFFSETS[s]` up to, but not including, `OFFSETS[s + 1]`. The result of an element combines the elements of
/// its segment before it, and with `inclusive` also the element itself.
///
/// Roles: `INPUT` and, unless segments are rows, `OFFSETS`, read-only; `OUTPUT`, one element per element of
/// `INPUT`. Offsets may have any value: a segment begins at each offset, in whatever order they are, and
/// offsets at or beyond the element count have no effect. Elements before the first segment, and elements
/// after the last one, are scanned as segments of their own. Accesses never leave the buffers.
typedef struct {
  /// `sizeof(MultisplitScanSegmentsInfo)`.
  uint32_t struct_size;
  /// Element type.
  MultisplitKeyType key_type;
  /// Operator that combines elements.
  MultisplitOperator op;
  /// Whether a result includes its own element. Otherwise it combines only the elements before it, and the
  /// first result of a segment is the identity element.
  VkBool32 inclusive;
  /// For rows of a matrix: elements per row, a divisor of `common.n`. 0: segments have offsets.
  uint64_t row_length;
  /// Number of segments with offsets. Must be 0 for rows.
  MultisplitOtherCount segments;
  /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
  const char *glsl;
  /// The identity element of the function in `glsl`: a number of the type that the function combines.
  MultisplitNumber identity;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitScanSegmentsInfo;

/// A reduction of each segment of an array. Segment s has the elements from `OFFSETS[s]` up to, but not
/// including, `OFFSETS[s + 1]`; or it is row s of a matrix. The result for an empty segment is the identity
/// element: 0 for a sum, the last value in sort order for a minimum, the first one for a maximum.
///
/// Roles: `INPUT` and, unless segments are rows, `OFFSETS`, read-only; `OUTPUT`, one element per segment.
/// Every result is written. Offsets beyond the element count are clamped to it, and a segment that ends at or
/// before its start is empty. If offsets decrease anywhere, the results of non-empty segments are
/// unspecified: a combination of some elements, or the identity element. Accesses never leave the buffers.
/// With rows, rows beyond the element count are empty, and a row that contains the end of the elements has
/// only those before it.
typedef struct {
  /// `sizeof(MultisplitReduceSegmentsInfo)`.
  uint32_t struct_size;
  /// Element type.
  MultisplitKeyType key_type;
  /// Operator that combines elements.
  MultisplitOperator op;
  /// For rows of a matrix: elements per row, a divisor of `common.n`. 0: segments have offsets.
  uint32_t row_length;
  /// Number of segments.
  MultisplitOtherCount segments;
  /// GLSL source of the function for `MULTISPLIT_OPERATOR_GLSL`. Copied.
  const char *glsl;
  /// The identity element of the function in `glsl`: a number of the type that the function combines.
  MultisplitNumber identity;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitReduceSegmentsInfo;

/// A selection: the elements that satisfy a condition, in their original order, and their number.
///
/// Roles: `INPUT`; `OUTPUT`, with room for n elements, unchanged past the number of selected elements;
/// `FOUND`, one word; `FLAGS`, one word per element, for `FLAGGED`; `REJECTED` and `RUN_LENGTHS`, each with
/// room for n elements, if `rejected` or `run_lengths` is set; `DISPATCH`, eight words, if `dispatch_threads` is
/// not 0; `TABLE` if `table_words` is not 0.
typedef struct {
  /// `sizeof(MultisplitSelectInfo)`.
  uint32_t struct_size;
  /// Element type.
  MultisplitKeyType key_type;
  /// Condition for selecting an element.
  MultisplitCondition condition;
  /// Whether to write the elements that are not selected to `REJECTED`, in their original order.
  VkBool32 rejected;
  /// The operand of comparisons: a number of the element type, such as `multisplit_f32(0.5f)`. Each recording
  /// may replace it (`MultisplitValues`).
  MultisplitNumber first;
  /// The upper bound for `WITHIN`.
  MultisplitNumber last;
  /// Whether to write the length of each run to `RUN_LENGTHS`, one word each. Only for `FIRST_OF_RUNS`;
  /// must not be combined with `rejected`.
  VkBool32 run_lengths;
  /// Number of words that the GLSL function reads as `table.at[]`; 0: none.
  uint32_t table_words;
  /// GLSL source of the function for `GLSL`. Copied.
  const char *glsl;
  /// Values that the function reads as `push.parameter_0`, `_1` and `_2`.
  uint32_t parameters[3];
  /// Number of elements per workgroup of an indirect dispatch over the selected elements, whose arguments
  /// are written to `DISPATCH`; 0: they are not written.
  uint32_t dispatch_threads;
  /// Members shared by all operations; `n` is the element count.
  MultisplitCommonInfo common;
} MultisplitSelectInfo;

/// A search for many needles in a sorted array.
///
/// Roles: `SORTED`, in ascending order, and `NEEDLES`, read-only; `POSITIONS`, one word per needle. If the
/// array is not sorted, positions are arbitrary values from 0 to its length.
typedef struct {
  /// `sizeof(MultisplitSearchInfo)`.
  uint32_t struct_size;
  /// Type of elements and needles.
  MultisplitKeyType key_type;
  /// The bound to find; 0: the lower bound.
  MultisplitSearch search;
  /// Must be 0.
  uint32_t reserved;
  /// Length of the sorted array.
  MultisplitOtherCount sorted;
  /// Members shared by all operations; `n` is the number of needles.
  MultisplitCommonInfo common;
} MultisplitSearchInfo;

/// A stable merge of two sorted arrays: equal keys of the first array come before those of the second, and
/// keys from the same array keep their order.
///
/// Roles: `KEYS` and `KEYS_OTHER`, the two arrays, read-only; `KEYS_OUT`, with room for both. With values
/// also `VALUES`, `VALUES_OTHER` and `VALUES_OUT`. If an array is not sorted, the order of the output is
/// undefined, and elements may be duplicated or missing.
typedef struct {
  /// `sizeof(MultisplitMergeInfo)`.
  uint32_t struct_size;
  /// Key type; 0: `uint32_t`.
  MultisplitKeyType key_type;
  /// Whether each key has a value of `value_bytes` bytes.
  VkBool32 values;
  /// Bytes per value: 4, 8 or 16; 0: 4.
  uint32_t value_bytes;
  /// Whether both arrays and the result are in descending order.
  VkBool32 descending;
  /// Must be 0.
  uint32_t reserved;
  /// Length of the second array.
  MultisplitOtherCount other;
  /// Members shared by all operations; `n` is the length of the first array.
  MultisplitCommonInfo common;
} MultisplitMergeInfo;

/// Requirements for the scratch memory of an operation.
typedef struct {
  /// Size in bytes; 0 if recordings need no scratch memory.
  VkDeviceSize size;
  /// Required alignment of the offset of the scratch memory in its buffer.
  VkDeviceSize alignment;
  /// Required buffer usage flags.
  VkBufferUsageFlags usage;
  /// Memory types that a buffer for the scratch memory may be bound to, one bit each.
  uint32_t memory_type_bits;
  /// The operation's accesses to the scratch memory. Two recordings that use the same memory must be
  /// separated by a barrier with this scope on both sides, by a semaphore, or by a fence.
  MultisplitScope scope;
} MultisplitWorkspace;

/// Requirements of an operation for one of its buffers, and the scopes for synchronisation.
///
/// If the operation was given a `before` scope, the recording begins with the barrier; otherwise `first_use`
/// is the second scope of the caller's barrier. If it was given an `after` scope, the recording ends with the
/// barrier; otherwise `last_use` is the first scope of the caller's barrier.
typedef struct {
  /// Minimum size in bytes, counted from the offset of the binding.
  VkDeviceSize size;
  /// Required alignment of the offset of the binding.
  VkDeviceSize alignment;
  /// Required buffer usage flags.
  VkBufferUsageFlags usage;
  /// Whether the operation uses the buffer; if not, it need not be bound.
  VkBool32 used;
  /// The first accesses of the operation to the buffer.
  MultisplitScope first_use;
  /// The last accesses of the operation to the buffer.
  MultisplitScope last_use;
} MultisplitContract;

/// A range of one of the caller's buffers.
typedef struct {
  /// The buffer's role; ignored in a workspace binding.
  MultisplitRole role;
  /// Must be 0.
  uint32_t reserved;
  /// The buffer; `VK_NULL_HANDLE` if an address is given.
  VkBuffer buffer;
  /// Start of the range in the buffer: a multiple of the alignment required by the contract or the
  /// workspace.
  VkDeviceSize offset;
  /// Bytes available from `offset`; `VK_WHOLE_SIZE`: the size is not checked.
  VkDeviceSize size;
  /// For operations with `by_address`: the address of the range, a multiple of 16, instead of a buffer. Not
  /// allowed for a workspace.
  VkDeviceAddress address;
} MultisplitBinding;

/// Values for one recording, which replace those that the operation was created with. All members that the
/// operation uses must be set; other members are ignored.
typedef struct {
  /// For a selection by comparison: `first` of `MultisplitSelectInfo`.
  MultisplitNumber first;
  /// For `WITHIN`: `last` of `MultisplitSelectInfo`.
  MultisplitNumber last;
  /// For a GLSL function of a split, histogram or selection: `push.parameter_0`, `_1` and `_2`.
  uint32_t parameters[3];
  /// For a split or histogram with `settable_edges`: the number of edges, which is that of the operation.
  uint32_t edge_count;
  /// For a split or histogram with `settable_edges`: the edges, as in its structure. Copied.
  const void *edges;
  /// For a split by `DELTA` with `settable_edges`: the number of integers per bucket.
  uint64_t width;
} MultisplitValues;

/// Parameters of one recording.
typedef struct {
  /// `sizeof(MultisplitRecordInfo)`.
  uint32_t struct_size;
  /// Number of bindings.
  uint32_t binding_count;
  /// The buffers, one for each role in use, in any order.
  const MultisplitBinding *bindings;
  /// The scratch memory, for operations created with `caller_workspace`; the buffer is `VK_NULL_HANDLE` if
  /// none is needed.
  MultisplitBinding workspace;
  /// The number of elements for `MULTISPLIT_COUNT_RECORDED`; otherwise 0.
  uint64_t count;
  /// Index of the frame in flight, from 0. Earlier recordings of the same frame must have finished
  /// executing.
  uint32_t frame;
  /// Index of the first query written.
  uint32_t first_query;
  /// The caller's timestamp queries, already reset. One is written before the first pass and one after the
  /// last. `NULL`: none are written.
  VkQueryPool query_pool;
  /// Whether a timestamp is written after each pass; `multisplit_operation_timestamps` returns their
  /// number.
  VkBool32 each_pass;
  /// Must be 0.
  uint32_t reserved;
  /// Length of the second array, or number of segments, for `MULTISPLIT_COUNT_RECORDED`; otherwise 0.
  uint64_t other_count;
  /// Values for this recording; `NULL`: those that the operation was created with.
  const MultisplitValues *values;
} MultisplitRecordInfo;

/// A network, and the search parameters. Everything is copied.
typedef struct {
  /// `sizeof(MultisplitSsspInfo)`.
  uint32_t struct_size;
  /// Number of vertices: 1 to 2^30 - 1.
  uint32_t vertices;
  /// Number of edges: at most 2^30 - 1, or 2^29 - 1 if `undirected` is set.
  uint64_t edge_count;
  /// Start vertex of each edge.
  const uint32_t *from;
  /// End vertex of each edge.
  const uint32_t *to;
  /// Weight of each edge, `uint32_t` or `float`; `NULL` for `ONES`.
  const void *weights;
  /// Type of the weights.
  MultisplitEdgeWeight weight;
  /// Whether edges can be followed in both directions.
  VkBool32 undirected;
  /// Algorithm.
  MultisplitSsspMethod method;
  /// Whether to compute predecessors too.
  VkBool32 predecessors;
  /// Bucket width, as a distance; 0: chosen from the weights and degrees.
  double delta;
  /// Number of buckets, for methods that use them; 0: 10.
  uint32_t buckets;
  /// Must be 0.
  uint32_t reserved;
} MultisplitSsspInfo;

/// Receives a log message, which is valid only during the call. The function may be called from any thread
/// that calls the library, and must not call the library: such calls return `MULTISPLIT_ERROR_CALLBACK`.
typedef void (*MultisplitLogFunction)(void *user, MultisplitLogLevel level, const char *message);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// Returns the version of the library, encoded like `MULTISPLIT_VERSION`. It may be newer than the header.
uint32_t multisplit_version(void);

/// Returns the version of the library as text. Never `NULL`; must not be freed.
const char *multisplit_version_string(void);

/// Returns the message of the last error on this thread, or an empty string. Never `NULL`. The address is
/// the same in all calls of a thread and valid until the thread ends; the next call that fails on this thread
/// replaces the text. Copy the text to keep it. Texts of more than 8191 bytes are shortened.
const char *multisplit_last_error(void);

/// Returns the name of a result code, such as `"MULTISPLIT_ERROR_NULL"`. Never `NULL`; must not be freed.
const char *multisplit_result_name(MultisplitResult result);

/// Determines the features and extensions to enable on a physical device. An error lists everything that the
/// device lacks.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitRequirementsInfo`. Its handles are `NULL` or valid, and belong
/// together; the instance outlives the requirements. `requirements` is `NULL` or writable.
MultisplitResult multisplit_requirements_create(const MultisplitRequirementsInfo *info,
                                                MultisplitRequirements **requirements);

/// Lists the features and extensions to enable, for callers that fill in their own structures.
///
/// The caller guarantees:
/// `list` is `NULL` or writable.
MultisplitResult multisplit_requirements_list(const MultisplitRequirements *requirements,
                                              MultisplitRequirementsList *list);

/// Adds the required features and extensions to the caller's device creation parameters: sets features in
/// existing structures of the chain, links missing structures, and adds the extensions. The additions are
/// valid until the requirements are destroyed.
///
/// The caller guarantees:
/// `create_info` is `NULL` or acceptable to `vkCreateDevice`; it and its chain are writable.
MultisplitResult multisplit_requirements_merge(const MultisplitRequirements *requirements,
                                               VkDeviceCreateInfo *create_info);

/// Determines which features a device is created with, for `features` of `MultisplitContextInfo`. An error
/// lists everything that is missing.
///
/// The caller guarantees:
/// `create_info` is `NULL` or was accepted by `vkCreateDevice`. `features` is `NULL` or writable.
MultisplitResult multisplit_requirements_check(const MultisplitRequirements *requirements,
                                               const VkDeviceCreateInfo *create_info,
                                               uint32_t *features);

/// Destroys requirements. `NULL` is allowed and ignored.
///
/// The caller guarantees:
/// Pointers that were obtained from these requirements are not used any more.
MultisplitResult multisplit_requirements_destroy(MultisplitRequirements *requirements);

/// Creates a context for the caller's device. An error lists everything the device lacks, including missing
/// functions. Does not submit anything.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitContextInfo`. Its handles are `NULL` or valid, belong together,
/// and outlive the context. The instance was created with `api_version`, the device with `features`, and the
/// queue belongs to `queue_family`. `context` is `NULL` or writable.
MultisplitResult multisplit_context_create(const MultisplitContextInfo *info,
                                           MultisplitContext **context);

/// Reports whether the device has preserved lane order (see `MULTISPLIT_RANKING_PROBED`), which Vulkan does
/// not guarantee, in all tiles that checked it. At least one tile in 256 of the sorts and splits that rely on it
/// checks it, and sets the status word of the context on a violation. This call neither submits nor waits. Wait
/// for the fence of a recording first: only then is a violation in that recording reported.
///
/// If `kept` is `VK_FALSE`, results of existing operations may be in the wrong order. Operations created from
/// then on do not rely on lane order: destroy the existing ones and create them again. With
/// `MULTISPLIT_RANKING_PROMISED`, `kept` is always `VK_TRUE`.
///
/// The caller guarantees:
/// `kept` is `NULL` or writable.
MultisplitResult multisplit_context_lane_order(const MultisplitContext *context,
                                               VkBool32 *kept);

/// Destroys a context, but not the device. Fails with `MULTISPLIT_ERROR_IN_USE` while objects created from
/// the context exist, or another call uses it. `NULL` is allowed and ignored.
///
/// The caller guarantees:
/// The device is valid.
MultisplitResult multisplit_context_destroy(MultisplitContext *context);

/// Plans a sort. Pipelines are compiled later, by `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitSortInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
MultisplitResult multisplit_sort_create(const MultisplitContext *context,
                                        const MultisplitSortInfo *info,
                                        MultisplitOperation **operation);

/// Plans a split. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitSplitInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
MultisplitResult multisplit_split_create(const MultisplitContext *context,
                                         const MultisplitSplitInfo *info,
                                         MultisplitOperation **operation);

/// Plans a top-k. Pipelines are compiled later, by `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitTopKInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
MultisplitResult multisplit_topk_create(const MultisplitContext *context,
                                        const MultisplitTopKInfo *info,
                                        MultisplitOperation **operation);

/// Plans a histogram. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitHistogramInfo` whose pointers are `NULL` or valid. `operation`
/// is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
MultisplitResult multisplit_histogram_create(const MultisplitContext *context,
                                             const MultisplitHistogramInfo *info,
                                             MultisplitOperation **operation);

/// Plans a scan. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitScanInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
MultisplitResult multisplit_scan_create(const MultisplitContext *context,
                                        const MultisplitScanInfo *info,
                                        MultisplitOperation **operation);

/// Plans a reduction. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitReduceInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
MultisplitResult multisplit_reduce_create(const MultisplitContext *context,
                                          const MultisplitReduceInfo *info,
                                          MultisplitOperation **operation);

/// Plans a reduction by key. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitReduceByKeyInfo` whose pointers are `NULL` or valid.
/// `operation` is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its
/// queue is not used by anything else during the call.
MultisplitResult multisplit_reduce_by_key_create(const MultisplitContext *context,
                                                 const MultisplitReduceByKeyInfo *info,
                                                 MultisplitOperation **operation);

/// Plans a scan by key. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitScanByKeyInfo` whose pointers are `NULL` or valid. `operation`
/// is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
MultisplitResult multisplit_scan_by_key_create(const MultisplitContext *context,
                                               const MultisplitScanByKeyInfo *info,
                                               MultisplitOperation **operation);

/// Plans a scan of segments or rows. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitScanSegmentsInfo` whose pointers are `NULL` or valid.
/// `operation` is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its
/// queue is not used by anything else during the call.
MultisplitResult multisplit_scan_segments_create(const MultisplitContext *context,
                                                 const MultisplitScanSegmentsInfo *info,
                                                 MultisplitOperation **operation);

/// Plans a reduction of segments. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitReduceSegmentsInfo` whose pointers are `NULL` or valid.
/// `operation` is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its
/// queue is not used by anything else during the call.
MultisplitResult multisplit_reduce_segments_create(const MultisplitContext *context,
                                                   const MultisplitReduceSegmentsInfo *info,
                                                   MultisplitOperation **operation);

/// Plans a selection. A GLSL function is compiled here; pipelines are compiled later, by
/// `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitSelectInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
MultisplitResult multisplit_select_create(const MultisplitContext *context,
                                          const MultisplitSelectInfo *info,
                                          MultisplitOperation **operation);

/// Plans a search. Pipelines are compiled later, by `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitSearchInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
MultisplitResult multisplit_search_create(const MultisplitContext *context,
                                          const MultisplitSearchInfo *info,
                                          MultisplitOperation **operation);

/// Plans a merge. Pipelines are compiled later, by `multisplit_operation_warm_up`.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitMergeInfo` whose pointers are `NULL` or valid. `operation` is
/// `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its queue is not
/// used by anything else during the call.
MultisplitResult multisplit_merge_create(const MultisplitContext *context,
                                         const MultisplitMergeInfo *info,
                                         MultisplitOperation **operation);

/// Creates everything that recording needs: pipelines, which may take the driver a while to compile,
/// descriptors, constants, and the workspaces if the operation allocates its own. May submit to the context's
/// queue and wait, to clear memory that kernels keep from recording to recording. Further calls have no effect.
///
/// If the driver cannot create a pipeline, the context plans operations that are created from then on with
/// smaller tiles, or without look-back: destroy the operation and create it again. The message says whether this
/// may help.
///
/// The caller guarantees:
/// The device of the operation's context is valid, and its queue is not used by anything else during the call.
MultisplitResult multisplit_operation_warm_up(const MultisplitOperation *operation);

/// Reports whether an operation can be recorded, that is, whether `multisplit_operation_warm_up` has
/// completed. It does not wait, so a program may poll it every frame while another thread warms up the
/// operation.
///
/// The caller guarantees:
/// `ready` is `NULL` or writable.
MultisplitResult multisplit_operation_is_ready(const MultisplitOperation *operation,
                                               VkBool32 *ready);

/// Returns the number of passes of a recording. `multisplit_operation_pass_name` and
/// `multisplit_operation_compile_pass` number the passes from 0. The operation need not be warmed up.
///
/// The caller guarantees:
/// `count` is `NULL` or writable.
MultisplitResult multisplit_operation_pass_count(const MultisplitOperation *operation,
                                                 uint32_t *count);

/// Returns the name of a pass, such as `"sort.histogram"`. If timestamps are written after each pass, pass k
/// ends at query `first_query + k + 1`. The text is valid until the operation is destroyed.
///
/// The caller guarantees:
/// `name` is `NULL` or writable.
MultisplitResult multisplit_operation_pass_name(const MultisplitOperation *operation,
                                                uint32_t pass,
                                                const char **name);

/// Compiles the pipeline of one pass on the calling thread, so that a program with its own job system can run
/// one job per pass. Passes may be compiled in any order and concurrently. A pass without a pipeline returns
/// immediately. `multisplit_operation_warm_up` compiles the remaining pipelines. A pipeline that the driver
/// cannot create has the same effect as there.
///
/// The caller guarantees:
/// The device of the operation's context is valid.
MultisplitResult multisplit_operation_compile_pass(const MultisplitOperation *operation,
                                                   uint32_t pass);

/// Returns the requirements for the scratch memory of recordings. The operation need not be warmed up.
///
/// The caller guarantees:
/// `workspace` is `NULL` or writable.
MultisplitResult multisplit_operation_workspace(const MultisplitOperation *operation,
                                                MultisplitWorkspace *workspace);

/// Returns the requirements of an operation for one of its buffers, and the scopes for synchronisation. The
/// operation need not be warmed up.
///
/// The caller guarantees:
/// `contract` is `NULL` or writable.
MultisplitResult multisplit_operation_contract(const MultisplitOperation *operation,
                                               MultisplitRole role,
                                               MultisplitContract *contract);

/// Returns the number of timestamps that a recording with a query pool writes. The operation must be warmed
/// up.
///
/// The caller guarantees:
/// `count` is `NULL` or writable.
MultisplitResult multisplit_operation_timestamps(const MultisplitOperation *operation,
                                                 VkBool32 each_pass,
                                                 uint32_t *count);

/// Records an operation into the caller's command buffer. Does not submit or create anything, and allocates
/// nothing except host memory for new edges.
///
/// The recorded commands change the compute pipeline, descriptor set 0 and the push constants of the compute
/// bind point: bind yours again afterwards.
///
/// The caller guarantees:
/// `commands` is in the recording state, outside a render pass, and belongs to the context's device and a
/// queue family with compute support. Buffers satisfy `multisplit_operation_contract`, are synchronised
/// accordingly, and stay valid until the commands have finished, as do the operation, the workspace and the
/// queries. No other recording of the same frame, or with the same workspace, executes at the same time.
MultisplitResult multisplit_record(const MultisplitOperation *operation,
                                   VkCommandBuffer commands,
                                   const MultisplitRecordInfo *info);

/// Destroys an operation. `NULL` is allowed and ignored.
///
/// The caller guarantees:
/// All recordings of the operation have finished executing, and the device is valid.
MultisplitResult multisplit_operation_destroy(MultisplitOperation *operation);

/// Uploads a network to the device and prepares the search. Submits to the context's queue.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a `MultisplitSsspInfo` whose pointers are `NULL` or valid. `sssp` is `NULL`
/// or writable. The context's queue is not used by anything else during the call.
MultisplitResult multisplit_sssp_create(const MultisplitContext *context,
                                        const MultisplitSsspInfo *info,
                                        MultisplitSssp **sssp);

/// Finds the shortest paths from `source`. Submits to the context's queue and waits.
///
/// Both arrays have `count` words, at least one per vertex. `distances` receives `uint32_t` or, if the
/// weights are floats, `float`; for unreachable vertices, the bits are `MULTISPLIT_UNREACHED`. `predecessors`
/// is `NULL`, or receives the predecessor of each vertex on a shortest path; the search must then have been
/// created with `predecessors`.
///
/// The caller guarantees:
/// The arrays are `NULL` or have `count` writable words. The context's queue is not used by anything else
/// during the call.
MultisplitResult multisplit_sssp_solve(const MultisplitSssp *sssp,
                                       uint32_t source,
                                       void *distances,
                                       uint32_t *predecessors,
                                       uint64_t count);

/// Destroys a search. `NULL` is allowed and ignored.
///
/// The caller guarantees:
/// The device is valid.
MultisplitResult multisplit_sssp_destroy(MultisplitSssp *sssp);

/// Creates a device with the caller's features and extensions plus those required by multisplit, and sets
/// `device`, `features` and `queue` of `info`; the queue is the first of `queue_family`. All other members of
/// `info` must be set beforehand, as for `multisplit_context_create`. The caller destroys the device, using
/// `allocation_callbacks` if given.
///
/// `create_info` contains the caller's own creation parameters; `NULL`: one queue of `queue_family`, no
/// extensions and no features. Features are set in the structures of its chain; nothing else is changed.
///
/// The caller guarantees:
/// `info` is `NULL` or points to a writable `MultisplitContextInfo` whose handles, except the device and the
/// queue, are `NULL` or valid and belong together. `create_info` is `NULL` or acceptable to `vkCreateDevice`,
/// and its chain is writable.
MultisplitResult multisplit_device_create(MultisplitContextInfo *info,
                                          const VkDeviceCreateInfo *create_info);

/// Creates an ascending sort of n pairs: keys of the given type with one 4-byte value each. The sort is
/// warmed up, allocates its own scratch memory for two frames in flight, and records full barriers before and
/// after. `count` is `MULTISPLIT_COUNT_FIXED` to sort exactly n pairs, or `MULTISPLIT_COUNT_DEVICE` to read the
/// number of pairs, at most n, from a word on the device. Record the sort with `multisplit_record_sort`, or with
/// `multisplit_record` and the roles `KEYS`, `VALUES` and `COUNT`. For other sorts, use `multisplit_sort_create`.
///
/// The caller guarantees:
/// `operation` is `NULL` or writable. Unless the context was created with `MULTISPLIT_RANKING_PROMISED`, its
/// queue is not used by anything else during the call.
MultisplitResult multisplit_sort_pairs_create(const MultisplitContext *context,
                                              MultisplitKeyType key_type,
                                              uint64_t n,
                                              MultisplitCount count,
                                              MultisplitOperation **operation);

/// Creates an ascending sort of n keys, otherwise like `multisplit_sort_pairs_create`.
///
/// The caller guarantees:
/// As for `multisplit_sort_pairs_create`.
MultisplitResult multisplit_sort_keys_create(const MultisplitContext *context,
                                             MultisplitKeyType key_type,
                                             uint64_t n,
                                             MultisplitCount count,
                                             MultisplitOperation **operation);

/// Records a sort created by `multisplit_sort_pairs_create` or `multisplit_sort_keys_create`, from the start
/// of the buffers. `values` is `VK_NULL_HANDLE` for a sort of keys. `count` is the buffer whose first word is
/// the device count, or `VK_NULL_HANDLE` if the count is fixed. The two frames in flight alternate: before
/// recording n, recording n - 2 must have finished executing.
///
/// The caller guarantees:
/// As for `multisplit_record`. The buffers were created with `VK_BUFFER_USAGE_STORAGE_BUFFER_BIT`, are not
/// used on other queues at the same time, and contain n keys and n values.
MultisplitResult multisplit_record_sort(const MultisplitOperation *operation,
                                        VkCommandBuffer commands,
                                        VkBuffer keys,
                                        VkBuffer values,
                                        VkBuffer count);

/// Sets the log function for messages of the given level and of higher severity. `NULL`, the initial state,
/// disables logging. The setting is global.
///
/// The caller guarantees:
/// `function` is `NULL` or may be called with `user` from any thread until another function is set and all
/// earlier calls of the library have returned.
MultisplitResult multisplit_set_log(MultisplitLogFunction function,
                                    void *user,
                                    MultisplitLogLevel level);

/// Constructors of numbers, one for each key type.
static inline MultisplitNumber multisplit_u32(uint32_t value) {
  const MultisplitNumber number = {MULTISPLIT_KEY_TYPE_U32, 0, value};
  return number;
}
static inline MultisplitNumber multisplit_i32(int32_t value) {
  const MultisplitNumber number = {MULTISPLIT_KEY_TYPE_I32, 0, (uint32_t)value};
  return number;
}
static inline MultisplitNumber multisplit_f32(float value) {
  MultisplitNumber number = {MULTISPLIT_KEY_TYPE_F32, 0, 0};
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  number.bits = bits;
  return number;
}
static inline MultisplitNumber multisplit_u64(uint64_t value) {
  const MultisplitNumber number = {MULTISPLIT_KEY_TYPE_U64, 0, value};
  return number;
}
static inline MultisplitNumber multisplit_i64(int64_t value) {
  const MultisplitNumber number = {MULTISPLIT_KEY_TYPE_I64, 0, (uint64_t)value};
  return number;
}
static inline MultisplitNumber multisplit_f64(double value) {
  MultisplitNumber number = {MULTISPLIT_KEY_TYPE_F64, 0, 0};
  memcpy(&number.bits, &value, sizeof value);
  return number;
}
static inline MultisplitNumber multisplit_u8(uint8_t value) {
  const MultisplitNumber number = {MULTISPLIT_KEY_TYPE_U8, 0, value};
  return number;
}
static inline MultisplitNumber multisplit_i8(int8_t value) {
  const MultisplitNumber number = {MULTISPLIT_KEY_TYPE_I8, 0, (uint8_t)value};
  return number;
}
static inline MultisplitNumber multisplit_u16(uint16_t value) {
  const MultisplitNumber number = {MULTISPLIT_KEY_TYPE_U16, 0, value};
  return number;
}
static inline MultisplitNumber multisplit_i16(int16_t value) {
  const MultisplitNumber number = {MULTISPLIT_KEY_TYPE_I16, 0, (uint16_t)value};
  return number;
}
/// From the bits of a half-precision float.
static inline MultisplitNumber multisplit_f16(uint16_t bits) {
  const MultisplitNumber number = {MULTISPLIT_KEY_TYPE_F16, 0, bits};
  return number;
}
/// From the bits of a bfloat16.
static inline MultisplitNumber multisplit_bf16(uint16_t bits) {
  const MultisplitNumber number = {MULTISPLIT_KEY_TYPE_BF16, 0, bits};
  return number;
}

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MULTISPLIT_H */
