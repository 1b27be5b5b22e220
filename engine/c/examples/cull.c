/*
 * Selects the visible objects, sorts them by depth, and runs a pass over them, without a round trip to the
 * host. The selection writes the number of selected objects (FOUND), which is the count of the sort, and the
 * arguments of an indirect dispatch over these objects (DISPATCH). The limit of the selection changes every
 * frame, without a new operation.
 */
#include "host.h"

#include "cull.spv.h"

#include <stdio.h>

enum { OBJECTS = 100000, FRAMES = 3, LOCAL_SIZE = 64 };

typedef struct Scene {
    MultisplitContext *context;
    MultisplitOperation *select, *sort;
    HostBuffer depths, visible, found, arguments, drawn;
    HostPass pass;
} Scene;

static void create(const Host *host, Scene *scene) {
    MultisplitContextInfo info = host_context_info(host);
    MS(multisplit_context_create(&info, &scene->context));
    MultisplitSelectInfo near_enough = {
        .struct_size = sizeof near_enough,
        .key_type = MULTISPLIT_KEY_TYPE_F32,
        .condition = MULTISPLIT_CONDITION_LESS_THAN,
        .dispatch_threads = LOCAL_SIZE,
        .common = {.n = OBJECTS, .barriers = MULTISPLIT_BARRIERS_FULL},
    };
    MS(multisplit_select_create(scene->context, &near_enough, &scene->select));
    MS(multisplit_operation_warm_up(scene->select));
    MS(multisplit_sort_keys_create(scene->context, MULTISPLIT_KEY_TYPE_F32, OBJECTS, MULTISPLIT_COUNT_DEVICE,
                                   &scene->sort));
    scene->depths = host_buffer(host, OBJECTS * sizeof(float), 0);
    scene->visible = host_buffer(host, OBJECTS * sizeof(float), 0);
    scene->drawn = host_buffer(host, OBJECTS * sizeof(float), 0);
    scene->found = host_buffer(host, sizeof(uint32_t), 0);
    scene->arguments = host_buffer(host, 8 * sizeof(uint32_t), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    float *depth = scene->depths.mapped;
    for (uint32_t i = 0; i < OBJECTS; ++i) {
        depth[i] = (float)(i * 2654435761u % 1000003u) / 1000.0f;
    }
    HostBuffer buffers[] = {scene->visible, scene->arguments, scene->drawn};
    scene->pass = host_pass(host, cull_spirv, sizeof cull_spirv, buffers, 3, 4);
}

/* Every frame: records the selection of objects nearer than `limit`, their sort, and the pass over them. */
static void record(const Host *host, const Scene *scene, float limit) {
    MultisplitBinding buffers[] = {
        {.role = MULTISPLIT_ROLE_INPUT, .buffer = scene->depths.buffer, .size = scene->depths.size},
        {.role = MULTISPLIT_ROLE_OUTPUT, .buffer = scene->visible.buffer, .size = scene->visible.size},
        {.role = MULTISPLIT_ROLE_FOUND, .buffer = scene->found.buffer, .size = scene->found.size},
        {.role = MULTISPLIT_ROLE_DISPATCH, .buffer = scene->arguments.buffer, .size = scene->arguments.size},
    };
    MultisplitValues values = {.first = multisplit_f32(limit)};
    MultisplitRecordInfo info = {
        .struct_size = sizeof info, .binding_count = 4, .bindings = buffers, .values = &values};
    MS(multisplit_record(scene->select, host->commands, &info));
    MS(multisplit_record_sort(scene->sort, host->commands, scene->visible.buffer, VK_NULL_HANDLE,
                              scene->found.buffer));
    host_dispatch_indirect(host, &scene->pass, scene->arguments.buffer, 4 * sizeof(uint32_t));
    host_barrier(host, host_compute_write(), host_host_read());
}

static int is_right(const Scene *scene, float limit) {
    const float *depth = scene->depths.mapped, *drawn = scene->drawn.mapped;
    const uint32_t found = *(const uint32_t *)scene->found.mapped, *arguments = scene->arguments.mapped;
    uint32_t expected = 0;
    for (uint32_t i = 0; i < OBJECTS; ++i) {
        expected += depth[i] < limit;
    }
    const uint32_t groups = (found + LOCAL_SIZE - 1) / LOCAL_SIZE;
    int right = found == expected && arguments[3] == found && arguments[7] == groups &&
                arguments[4] * arguments[5] >= groups && arguments[6] == 1;
    for (uint32_t i = 0; i < found && right; ++i) {
        right = drawn[i] < limit && (i == 0 || drawn[i - 1] <= drawn[i]);
    }
    for (uint32_t i = found; i < OBJECTS && right; ++i) {
        right = drawn[i] == -1.0f;
    }
    return right;
}

int main(int argc, char **argv) {
    Host host;
    Scene scene = {0};
    host_create(&host, argc, argv);
    create(&host, &scene);
    int right = 1;
    for (int frame = 0; frame < FRAMES && right; ++frame) {
        const float limit = 400.0f * (float)frame;
        float *drawn = scene.drawn.mapped;
        for (uint32_t i = 0; i < OBJECTS; ++i) {
            drawn[i] = -1.0f;
        }
        host_begin(&host);
        record(&host, &scene, limit);
        host_submit(&host);
        right = is_right(&scene, limit);
        printf("nearer than %.0f: %u, %s\n", limit, *(uint32_t *)scene.found.mapped, right ? "in order" : "WRONG");
    }
    host_free_pass(&host, &scene.pass);
    HostBuffer *buffers[] = {&scene.depths, &scene.visible, &scene.found, &scene.arguments, &scene.drawn};
    for (int i = 0; i < 5; ++i) {
        host_free(&host, buffers[i]);
    }
    MS(multisplit_operation_destroy(scene.select));
    MS(multisplit_operation_destroy(scene.sort));
    MS(multisplit_context_destroy(scene.context));
    int status = host_destroy(&host);
    return right ? status : 2;
}
