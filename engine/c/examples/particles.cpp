// The engine of particles.c in C++: between its own two passes, particles are counted by depth, and
// split into near, middle and far by a GLSL function. This engine declares its own buffer accesses,
// and the operations record the barriers.
//
//   cc -c host.c $(pkg-config --cflags multisplit)
//   c++ particles.cpp host.o $(pkg-config --cflags --libs multisplit) -lvulkan -o particles

#include "host.h"

#include "depths.spv.h"
#include "draw.spv.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ms {

/// Converts an error code to an exception.
inline void check(MultisplitResult result) {
    if (result != MULTISPLIT_SUCCESS) {
        throw std::runtime_error(std::string(multisplit_result_name(result)) + ": " +
                                 multisplit_last_error());
    }
}

/// Destroys the object of a handle.
struct Destroy {
    void operator()(MultisplitContext *context) const { multisplit_context_destroy(context); }
    void operator()(MultisplitOperation *operation) const { multisplit_operation_destroy(operation); }
};

using Context = std::unique_ptr<MultisplitContext, Destroy>;

/// A structure of the C API with all defaults.
template <typename Info> Info info() {
    Info made = {};
    made.struct_size = sizeof made;
    return made;
}

inline Context context(const MultisplitContextInfo &info) {
    MultisplitContext *made = nullptr;
    check(multisplit_context_create(&info, &made));
    return Context(made);
}

/// An operation that is warmed up and has its own scratch memory.
class Operation {
  public:
    template <typename Info>
    Operation(const Context &context,
              MultisplitResult (*create)(const MultisplitContext *, const Info *, MultisplitOperation **),
              Info info, const std::vector<MultisplitRoleScope> &scopes) {
        info.common.scopes = scopes.data();
        info.common.scope_count = static_cast<uint32_t>(scopes.size());
        MultisplitOperation *made = nullptr;
        check(create(context.get(), &info, &made));
        operation.reset(made);
        check(multisplit_operation_warm_up(made));
    }

    MultisplitContract contract(MultisplitRole role) const {
        MultisplitContract contract;
        check(multisplit_operation_contract(operation.get(), role, &contract));
        return contract;
    }

    /// Creates a buffer for one of its roles.
    HostBuffer buffer(const Host &host, MultisplitRole role) const {
        const MultisplitContract needs = contract(role);
        return host_buffer(&host, needs.size, needs.usage);
    }

    void record(VkCommandBuffer commands,
                std::initializer_list<std::pair<MultisplitRole, HostBuffer>> buffers) const {
        std::vector<MultisplitBinding> bindings;
        for (const auto &bound : buffers) {
            MultisplitBinding binding = {};
            binding.role = bound.first;
            binding.buffer = bound.second.buffer;
            binding.size = bound.second.size;
            bindings.push_back(binding);
        }
        MultisplitRecordInfo record = info<MultisplitRecordInfo>();
        record.bindings = bindings.data();
        record.binding_count = static_cast<uint32_t>(bindings.size());
        check(multisplit_record(operation.get(), commands, &record));
    }

  private:
    std::unique_ptr<MultisplitOperation, Destroy> operation;
};

} // namespace ms

namespace {

constexpr uint32_t PARTICLES = 20000, LOCAL_SIZE = 64, BINS = 32, PARTS = 3;
constexpr float FARTHEST = 256.0f, NEAR_UNTIL = 60.0f, MIDDLE_UNTIL = 110.0f;

struct Particle {
    float x, y, z, id;
};

struct Push {
    float camera[3];
    uint32_t count;
};

const MultisplitScope nothing = {0, 0};

uint32_t bits(float number) {
    uint32_t word;
    std::memcpy(&word, &number, sizeof word);
    return word;
}

/// The part (near, middle or far) that a depth belongs to. Must match the GLSL function below.
uint32_t part_of(float depth) { return depth < NEAR_UNTIL ? 0 : depth < MIDDLE_UNTIL ? 1 : 2; }

const char *const PART_OF = "uint bucket_of(float depth) {\n"
                            "    float near = uintBitsToFloat(push.parameter_0);\n"
                            "    float middle = uintBitsToFloat(push.parameter_1);\n"
                            "    return depth < near ? 0u : depth < middle ? 1u : 2u;\n"
                            "}\n";

ms::Operation histogram(const ms::Context &context) {
    const float edges[] = {0.0f, FARTHEST};
    auto info = ms::info<MultisplitHistogramInfo>();
    info.sample_type = MULTISPLIT_SAMPLE_TYPE_F32;
    info.bins = BINS;
    info.function = MULTISPLIT_BINS_EVEN;
    info.edges = edges;
    info.edge_count = 2;
    info.common.n = PARTICLES;
    return ms::Operation(context, multisplit_histogram_create, info,
                         {{MULTISPLIT_ROLE_SAMPLES, 0, host_compute_write(), nothing},
                          {MULTISPLIT_ROLE_COUNTS, 0, nothing, host_host_read()}});
}

ms::Operation split(const ms::Context &context) {
    auto info = ms::info<MultisplitSplitInfo>();
    info.key_type = MULTISPLIT_KEY_TYPE_F32;
    info.buckets = PARTS;
    info.bucket = MULTISPLIT_BUCKET_GLSL;
    info.glsl = PART_OF;
    info.parameters[0] = bits(NEAR_UNTIL);
    info.parameters[1] = bits(MIDDLE_UNTIL);
    info.output = MULTISPLIT_SPLIT_OUTPUT_PAIRS;
    info.value_bytes = 4;
    info.common.n = PARTICLES;
    return ms::Operation(context, multisplit_split_create, info,
                         {{MULTISPLIT_ROLE_KEYS, 0, host_compute_write(), nothing},
                          {MULTISPLIT_ROLE_VALUES_OUT, 0, nothing, host_compute_read()},
                          {MULTISPLIT_ROLE_OFFSETS, 0, nothing, host_host_read()}});
}

void scatter(Particle *particles, uint32_t *ids) {
    uint32_t state = 54321;
    auto next = [&state] {
        state = state * 1664525u + 1013904223u;
        return static_cast<float>(state >> 8) / static_cast<float>(1 << 24) * 100.0f;
    };
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        const float x = next(), y = next(), z = next();
        particles[i] = {x, y, z, static_cast<float>(i)};
        ids[i] = i;
    }
}

/// Compares the results with those that the CPU computes from the same depths.
bool is_right(const float *depths, const uint32_t *counts, const uint32_t *offsets,
              const Particle *drawn) {
    std::vector<uint32_t> bins(BINS), order(PARTICLES), begins(PARTS + 1);
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        ++bins[static_cast<uint32_t>(depths[i] * (BINS / FARTHEST))];
        order[i] = i;
        for (uint32_t part = part_of(depths[i]); part < PARTS; ++part) {
            ++begins[part + 1];
        }
    }
    std::stable_sort(order.begin(), order.end(), [depths](uint32_t a, uint32_t b) {
        return part_of(depths[a]) < part_of(depths[b]);
    });
    const bool counted = std::equal(bins.begin(), bins.end(), counts);
    const bool parted = std::equal(begins.begin(), begins.end(), offsets);
    bool ordered = true;
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        ordered = ordered && drawn[i].id == static_cast<float>(order[i]);
    }
    std::printf("counted %d, parted %d, ordered %d: %u near, %u in the middle, %u far\n", counted,
                parted, ordered, offsets[1], offsets[2] - offsets[1], offsets[3] - offsets[2]);
    return counted && parted && ordered;
}

bool frame(const Host &host) {
    const ms::Context context = ms::context(host_context_info(&host));
    const ms::Operation count = histogram(context), part = split(context);

    const VkBufferUsageFlags none = 0;
    HostBuffer particles = host_buffer(&host, PARTICLES * sizeof(Particle), none);
    HostBuffer drawn = host_buffer(&host, PARTICLES * sizeof(Particle), none);
    HostBuffer depths = part.buffer(host, MULTISPLIT_ROLE_KEYS);
    HostBuffer ids = part.buffer(host, MULTISPLIT_ROLE_VALUES);
    HostBuffer depths_out = part.buffer(host, MULTISPLIT_ROLE_KEYS_OUT);
    HostBuffer order = part.buffer(host, MULTISPLIT_ROLE_VALUES_OUT);
    HostBuffer offsets = part.buffer(host, MULTISPLIT_ROLE_OFFSETS);
    HostBuffer counts = count.buffer(host, MULTISPLIT_ROLE_COUNTS);
    scatter(static_cast<Particle *>(particles.mapped), static_cast<uint32_t *>(ids.mapped));

    const HostBuffer first[] = {particles, depths}, second[] = {particles, order, drawn};
    HostPass depth_pass = host_pass(&host, depths_spirv, sizeof depths_spirv, first, 2, sizeof(Push));
    HostPass draw_pass = host_pass(&host, draw_spirv, sizeof draw_spirv, second, 3, sizeof(Push));
    const uint32_t groups = (PARTICLES + LOCAL_SIZE - 1) / LOCAL_SIZE;
    const Push push = {{10.0f, 20.0f, -30.0f}, PARTICLES};

    host_begin(&host);
    host_dispatch(&host, &depth_pass, &push, sizeof push, groups);
    count.record(host.commands,
                 {{MULTISPLIT_ROLE_SAMPLES, depths}, {MULTISPLIT_ROLE_COUNTS, counts}});
    part.record(host.commands, {{MULTISPLIT_ROLE_KEYS, depths},
                                {MULTISPLIT_ROLE_VALUES, ids},
                                {MULTISPLIT_ROLE_KEYS_OUT, depths_out},
                                {MULTISPLIT_ROLE_VALUES_OUT, order},
                                {MULTISPLIT_ROLE_OFFSETS, offsets}});
    host_dispatch(&host, &draw_pass, &push, sizeof push, groups);
    host_barrier(&host, host_compute_write(), host_host_read()); // for the results of the engine's own passes
    host_submit(&host);
    const bool right =
        is_right(static_cast<float *>(depths.mapped), static_cast<uint32_t *>(counts.mapped),
                 static_cast<uint32_t *>(offsets.mapped), static_cast<Particle *>(drawn.mapped));

    host_free_pass(&host, &draw_pass);
    host_free_pass(&host, &depth_pass);
    for (HostBuffer *buffer : {&particles, &drawn, &depths, &ids, &depths_out, &order, &offsets, &counts}) {
        host_free(&host, buffer);
    }
    return right;
}

} // namespace

int main(int argc, char **argv) {
    Host host;
    host_create(&host, argc, argv);
    bool right = false;
    try {
        right = frame(host);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    const int status = host_destroy(&host);
    return right ? status : 2;
}
