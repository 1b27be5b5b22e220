/*
 * Sorts particles by depth between an engine's own two compute passes, on the engine's own device, in the
 * engine's own command buffer, with the engine's own scratch memory.
 *
 *   cc particles.c host.c $(pkg-config --cflags --libs multisplit) -lvulkan -lm -o particles
 *
 * The engine records exactly the barriers required by multisplit's contract. Built with -DENTRY_BARRIER=0 or
 * -DEXIT_BARRIER=0 it omits one of them, and the validation layer reports an error: both are necessary.
 */
#include "host.h"

#include "depths.spv.h"
#include "draw.spv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ENTRY_BARRIER
#define ENTRY_BARRIER 1
#endif
#ifndef EXIT_BARRIER
#define EXIT_BARRIER 1
#endif

enum { PARTICLES = 20000, FRAMES = 3, LOCAL_SIZE = 64 };

typedef struct Particle {
    float x, y, z, id;
} Particle;

/* Push constants of both passes. */
typedef struct Push {
    float camera[3];
    uint32_t count;
} Push;

static void scatter(Particle *particles) {
    uint32_t state = 12345;
    for (int i = 0; i < PARTICLES; ++i) {
        float at[3];
        for (int k = 0; k < 3; ++k) {
            state = state * 1664525u + 1013904223u;
            at[k] = (float)(state >> 8) / (float)(1 << 24) * 100.0f;
        }
        particles[i] = (Particle){at[0], at[1], at[2], (float)i};
    }
}

static double depth_of(const Particle *p, const Push *push) {
    double x = p->x - push->camera[0], y = p->y - push->camera[1], z = p->z - push->camera[2];
    return sqrt(x * x + y * y + z * z);
}

/* Checks that every particle is drawn once, and that none is nearer than its successor. */
static int is_right(const Particle *drawn, const Particle *particles, const Push *push) {
    static unsigned char seen[PARTICLES];
    for (int i = 0; i < PARTICLES; ++i) {
        seen[i] = 0;
    }
    for (int i = 0; i < PARTICLES; ++i) {
        int id = (int)drawn[i].id;
        if (id < 0 || id >= PARTICLES || seen[id]++ || drawn[i].x != particles[id].x) {
            fprintf(stderr, "place %d: particle %d does not exist, was drawn before, or has moved\n", i, id);
            return 0;
        }
        /* The device may round square roots differently. */
        if (i > 0 && depth_of(&drawn[i - 1], push) < depth_of(&drawn[i], push) - 1e-3) {
            fprintf(stderr, "the particle at place %d is farther than the one before it\n", i);
            return 0;
        }
    }
    return 1;
}

/* State that persists between frames. */
typedef struct Scene {
    MultisplitContext *context;
    MultisplitOperation *sort;
    /* The sort's requirements for the two buffers that it shares with the engine's passes. */
    MultisplitContract keys, indices;
    HostBuffer particles, depths, order, drawn, scratch;
    HostPass depth_pass, draw_pass;
} Scene;

/* At startup: creates a context for the engine's device and a sort from far to near. */
static void create_sort(const Host *host, Scene *scene) {
    MultisplitContextInfo info = host_context_info(host);
    MS(multisplit_context_create(&info, &scene->context));
    MultisplitSortInfo sort = {
        .struct_size = sizeof sort,
        .key_type = MULTISPLIT_KEY_TYPE_F32,
        .values = MULTISPLIT_SORT_VALUES_INDICES,
        .descending = VK_TRUE,
        .common = {.n = PARTICLES, .frames = 1, .caller_workspace = VK_TRUE},
    };
    MS(multisplit_sort_create(scene->context, &sort, &scene->sort));
    MS(multisplit_operation_warm_up(scene->sort));
    MS(multisplit_operation_contract(scene->sort, MULTISPLIT_ROLE_KEYS, &scene->keys));
    MS(multisplit_operation_contract(scene->sort, MULTISPLIT_ROLE_INDICES, &scene->indices));
}

/* At startup: creates the engine's buffers, including the sort's scratch memory, and its two passes. */
static void create_passes(const Host *host, Scene *scene) {
    MultisplitWorkspace workspace;
    MS(multisplit_operation_workspace(scene->sort, &workspace));
    printf("scratch memory: %llu bytes\n", (unsigned long long)workspace.size);
    scene->particles = host_buffer(host, PARTICLES * sizeof(Particle), 0);
    scene->drawn = host_buffer(host, PARTICLES * sizeof(Particle), 0);
    scene->depths = host_buffer(host, scene->keys.size, scene->keys.usage);
    scene->order = host_buffer(host, scene->indices.size, scene->indices.usage);
    scene->scratch = host_buffer(host, workspace.size, workspace.usage);
    scatter(scene->particles.mapped);
    HostBuffer first[] = {scene->particles, scene->depths};
    HostBuffer second[] = {scene->particles, scene->order, scene->drawn};
    scene->depth_pass = host_pass(host, depths_spirv, sizeof depths_spirv, first, 2, sizeof(Push));
    scene->draw_pass = host_pass(host, draw_spirv, sizeof draw_spirv, second, 3, sizeof(Push));
}

/* Every frame: records the engine's first pass, the sort, and the engine's second pass. */
static void record(const Host *host, const Scene *scene, const Push *push) {
    const uint32_t groups = (PARTICLES + LOCAL_SIZE - 1) / LOCAL_SIZE;
    MultisplitBinding buffers[] = {
        {.role = MULTISPLIT_ROLE_KEYS, .buffer = scene->depths.buffer, .size = scene->depths.size},
        {.role = MULTISPLIT_ROLE_INDICES, .buffer = scene->order.buffer, .size = scene->order.size},
    };
    MultisplitRecordInfo info = {
        .struct_size = sizeof info,
        .binding_count = 2,
        .bindings = buffers,
        .workspace = {.buffer = scene->scratch.buffer, .size = scene->scratch.size},
    };
    host_dispatch(host, &scene->depth_pass, push, sizeof *push, groups);
    if (ENTRY_BARRIER) {
        host_barrier(host, host_compute_write(), scene->keys.first_use);
    }
    MS(multisplit_record(scene->sort, host->commands, &info));
    if (EXIT_BARRIER) {
        host_barrier(host, scene->indices.last_use, host_compute_read());
    }
    host_dispatch(host, &scene->draw_pass, push, sizeof *push, groups);
    host_barrier(host, host_compute_write(), host_host_read());
}

static void destroy(const Host *host, Scene *scene) {
    host_free_pass(host, &scene->draw_pass);
    host_free_pass(host, &scene->depth_pass);
    host_free(host, &scene->scratch);
    host_free(host, &scene->order);
    host_free(host, &scene->depths);
    host_free(host, &scene->drawn);
    host_free(host, &scene->particles);
    MS(multisplit_operation_destroy(scene->sort));
    MS(multisplit_context_destroy(scene->context));
}

int main(int argc, char **argv) {
    Host host;
    Scene scene = {0};
    host_create(&host, argc, argv);
    create_sort(&host, &scene);
    create_passes(&host, &scene);
    int right = 1;
    for (int frame = 0; frame < FRAMES && right; ++frame) {
        Push push = {{50.0f * (float)frame, 20.0f, -30.0f}, PARTICLES};
        host_begin(&host);
        record(&host, &scene, &push);
        host_submit(&host);
        right = is_right(scene.drawn.mapped, scene.particles.mapped, &push);
        printf("frame %d: %s\n", frame, right ? "back to front" : "WRONG");
    }
    destroy(&host, &scene);
    int status = host_destroy(&host);
    return right ? status : 2;
}
