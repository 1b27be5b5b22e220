/* A minimal engine: see host.h. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void host_vk(VkResult result, const char *what) {
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s: VkResult %d\n", what, (int)result);
        exit(1);
    }
}

void host_multisplit(MultisplitResult result, const char *what) {
    if (result != MULTISPLIT_SUCCESS) {
        fprintf(stderr, "%s: %s: %s\n", what, multisplit_result_name(result), multisplit_last_error());
        exit(1);
    }
}

static void give_up(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user) {
    (void)severity;
    (void)types;
    fprintf(stderr, "validation: %s: %s\n", data->pMessageIdName, data->pMessage);
    ++((Host *)user)->messages;
    return VK_FALSE;
}

static void create_instance(Host *host, int validate) {
    const char *layer = "VK_LAYER_KHRONOS_validation";
    const char *debug_utils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    /* Also chained into instance creation, to receive the messages of that call. */
    VkDebugUtilsMessengerCreateInfoEXT listen = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = host,
    };
    VkValidationFeatureEnableEXT enable = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &listen,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = &enable,
    };
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = host->api_version,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
    };
    if (validate) {
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &debug_utils;
    }
    VK(vkCreateInstance(&info, NULL, &host->instance));
    if (validate) {
        PFN_vkCreateDebugUtilsMessengerEXT create =
            (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
                host->instance, "vkCreateDebugUtilsMessengerEXT");
        VK(create(host->instance, &listen, NULL, &host->messenger));
    }
}

static void find_device(Host *host, const char *name) {
    enum { MAX_DEVICES = 16, MAX_FAMILIES = 16 };
    VkPhysicalDevice devices[MAX_DEVICES];
    uint32_t count = MAX_DEVICES;
    VkResult result = vkEnumeratePhysicalDevices(host->instance, &count, devices);
    if (result != VK_INCOMPLETE) {
        VK(result);
    }
    for (uint32_t i = 0; i < count && host->physical == VK_NULL_HANDLE; ++i) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        if (strstr(properties.deviceName, name) != NULL) {
            host->physical = devices[i];
        }
    }
    if (host->physical == VK_NULL_HANDLE) {
        give_up("no Vulkan device, or none whose name contains the text of --device");
    }
    VkQueueFamilyProperties families[MAX_FAMILIES];
    count = MAX_FAMILIES;
    vkGetPhysicalDeviceQueueFamilyProperties(host->physical, &count, families);
    for (host->family = 0; host->family < count; ++host->family) {
        if (families[host->family].queueFlags & VK_QUEUE_COMPUTE_BIT) {
            return;
        }
    }
    give_up("the device has no queue with compute");
}

/* The engine creates its own device; multisplit adds its requirements. */
static void create_device(Host *host) {
    MultisplitRequirements *requirements = NULL;
    MultisplitRequirementsInfo ask = {
        .struct_size = sizeof ask,
        .version = MULTISPLIT_VERSION,
        .get_instance_proc_addr = vkGetInstanceProcAddr,
        .instance = host->instance,
        .physical_device = host->physical,
        .api_version = host->api_version,
    };
    MS(multisplit_requirements_create(&ask, &requirements));
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = host->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    /* The engine's own feature structure. */
    VkPhysicalDeviceVulkan13Features own = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .synchronization2 = VK_TRUE,
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = host->api_version >= VK_API_VERSION_1_3 ? &own : NULL,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
    };
    MS(multisplit_requirements_merge(requirements, &info));
    MS(multisplit_requirements_check(requirements, &info, &host->features));
    VK(vkCreateDevice(host->physical, &info, NULL, &host->device));
    MS(multisplit_requirements_destroy(requirements));
    vkGetDeviceQueue(host->device, host->family, 0, &host->queue);
}

void host_create(Host *host, int argc, char **argv) {
    host_create_version(host, argc, argv, VK_API_VERSION_1_3);
}

void host_create_version(Host *host, int argc, char **argv, uint32_t api_version) {
    host_open(host, argc, argv, api_version);
    create_device(host);
    host_use(host, host->device, host->queue, host->features);
}

void host_open(Host *host, int argc, char **argv, uint32_t api_version) {
    const char *name = "";
    int validate = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--validate") == 0) {
            validate = 1;
        } else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
            name = argv[++i];
        } else {
            give_up("usage: [--validate] [--device TEXT]");
        }
    }
    memset(host, 0, sizeof *host);
    host->api_version = api_version;
    create_instance(host, validate);
    find_device(host, name);
}

void host_use(Host *host, VkDevice device, VkQueue queue, uint32_t features) {
    host->device = device;
    host->queue = queue;
    host->features = features;
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = host->family,
    };
    VK(vkCreateCommandPool(host->device, &pool, NULL, &host->pool));
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = host->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VK(vkAllocateCommandBuffers(host->device, &commands, &host->commands));
}

int host_destroy(Host *host) {
    vkDestroyCommandPool(host->device, host->pool, NULL);
    vkDestroyDevice(host->device, NULL);
    if (host->messenger != VK_NULL_HANDLE) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy =
            (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
                host->instance, "vkDestroyDebugUtilsMessengerEXT");
        destroy(host->instance, host->messenger, NULL);
    }
    vkDestroyInstance(host->instance, NULL);
    return host->messages == 0 ? 0 : 3;
}

MultisplitContextInfo host_context_info(const Host *host) {
    MultisplitContextInfo info = {
        .struct_size = sizeof info,
        .version = MULTISPLIT_VERSION,
        .get_instance_proc_addr = vkGetInstanceProcAddr,
        .instance = host->instance,
        .physical_device = host->physical,
        .device = host->device,
        .queue = host->queue,
        .queue_family = host->family,
        .api_version = host->api_version,
        .features = host->features,
        .debug_utils = host->messenger != VK_NULL_HANDLE,
    };
    return info;
}

static uint32_t memory_type(const Host *host, uint32_t allowed) {
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(host->physical, &types);
    for (uint32_t i = 0; i < types.memoryTypeCount; ++i) {
        if ((allowed >> i & 1) && (types.memoryTypes[i].propertyFlags & wanted) == wanted) {
            return i;
        }
    }
    give_up("the buffer has no memory type that is host-visible and host-coherent");
    return 0;
}

HostBuffer host_buffer(const Host *host, VkDeviceSize size, VkBufferUsageFlags usage) {
    HostBuffer made = {.size = size > 0 ? size : 4};
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = made.size,
        .usage = usage | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
    };
    VK(vkCreateBuffer(host->device, &info, NULL, &made.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(host->device, made.buffer, &needs);
    VkMemoryAllocateFlagsInfo addressed = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT ? &addressed : NULL,
        .allocationSize = needs.size,
        .memoryTypeIndex = memory_type(host, needs.memoryTypeBits),
    };
    VK(vkAllocateMemory(host->device, &memory, NULL, &made.memory));
    VK(vkBindBufferMemory(host->device, made.buffer, made.memory, 0));
    VK(vkMapMemory(host->device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.mapped));
    return made;
}

void host_free(const Host *host, HostBuffer *buffer) {
    vkDestroyBuffer(host->device, buffer->buffer, NULL);
    vkFreeMemory(host->device, buffer->memory, NULL);
    memset(buffer, 0, sizeof *buffer);
}

enum { MAX_BUFFERS = 4 };

static void create_layouts(const Host *host, HostPass *pass, uint32_t count, uint32_t push_bytes) {
    VkDescriptorSetLayoutBinding bindings[MAX_BUFFERS];
    for (uint32_t i = 0; i < count; ++i) {
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    }
    VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = bindings,
    };
    VK(vkCreateDescriptorSetLayout(host->device, &set_layout, NULL, &pass->set_layout));
    VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = push_bytes};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &pass->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    VK(vkCreatePipelineLayout(host->device, &layout, NULL, &pass->layout));
}

static void create_pipeline(const Host *host, HostPass *pass, const uint32_t *spirv, size_t bytes) {
    VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = bytes,
        .pCode = spirv,
    };
    VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
        .layout = pass->layout,
    };
    VK(vkCreateShaderModule(host->device, &code, NULL, &pipeline.stage.module));
    VK(vkCreateComputePipelines(host->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &pass->pipeline));
    vkDestroyShaderModule(host->device, pipeline.stage.module, NULL);
}

static void create_set(const Host *host, HostPass *pass, const HostBuffer *buffers, uint32_t count) {
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    VK(vkCreateDescriptorPool(host->device, &pool, NULL, &pass->pool));
    VkDescriptorSetAllocateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pass->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &pass->set_layout,
    };
    VK(vkAllocateDescriptorSets(host->device, &set, &pass->set));
    for (uint32_t i = 0; i < count; ++i) {
        VkDescriptorBufferInfo info = {buffers[i].buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = pass->set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &info,
        };
        vkUpdateDescriptorSets(host->device, 1, &write, 0, NULL);
    }
}

HostPass host_pass(const Host *host, const uint32_t *spirv, size_t bytes, const HostBuffer *buffers,
                   uint32_t count, uint32_t push_bytes) {
    HostPass pass = {0};
    if (count > MAX_BUFFERS) {
        give_up("a pass has at most four storage buffers");
    }
    create_layouts(host, &pass, count, push_bytes);
    create_pipeline(host, &pass, spirv, bytes);
    create_set(host, &pass, buffers, count);
    return pass;
}

void host_dispatch(const Host *host, const HostPass *pass, const void *push, uint32_t push_bytes,
                   uint32_t groups) {
    VkCommandBuffer commands = host->commands;
    const VkPipelineBindPoint compute = VK_PIPELINE_BIND_POINT_COMPUTE;
    vkCmdBindPipeline(commands, compute, pass->pipeline);
    vkCmdBindDescriptorSets(commands, compute, pass->layout, 0, 1, &pass->set, 0, NULL);
    vkCmdPushConstants(commands, pass->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, push);
    vkCmdDispatch(commands, groups, 1, 1);
}

void host_dispatch_indirect(const Host *host, const HostPass *pass, VkBuffer arguments, VkDeviceSize offset) {
    const VkPipelineBindPoint compute = VK_PIPELINE_BIND_POINT_COMPUTE;
    vkCmdBindPipeline(host->commands, compute, pass->pipeline);
    vkCmdBindDescriptorSets(host->commands, compute, pass->layout, 0, 1, &pass->set, 0, NULL);
    vkCmdDispatchIndirect(host->commands, arguments, offset);
}

void host_free_pass(const Host *host, HostPass *pass) {
    vkDestroyDescriptorPool(host->device, pass->pool, NULL);
    vkDestroyPipeline(host->device, pass->pipeline, NULL);
    vkDestroyPipelineLayout(host->device, pass->layout, NULL);
    vkDestroyDescriptorSetLayout(host->device, pass->set_layout, NULL);
    memset(pass, 0, sizeof *pass);
}

void host_begin(const Host *host) {
    VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    VK(vkBeginCommandBuffer(host->commands, &info));
}

void host_submit(const Host *host) {
    VK(vkEndCommandBuffer(host->commands));
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &host->commands,
    };
    VK(vkQueueSubmit(host->queue, 1, &info, VK_NULL_HANDLE));
    VK(vkQueueWaitIdle(host->queue));
}

MultisplitScope host_compute_write(void) {
    MultisplitScope scope = {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};
    return scope;
}

MultisplitScope host_compute_read(void) {
    MultisplitScope scope = {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT};
    return scope;
}

MultisplitScope host_host_read(void) {
    MultisplitScope scope = {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT};
    return scope;
}

void host_barrier(const Host *host, MultisplitScope from, MultisplitScope to) {
    VkMemoryBarrier2 memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = from.stages,
        .srcAccessMask = from.access,
        .dstStageMask = to.stages,
        .dstAccessMask = to.access,
    };
    VkDependencyInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
        .memoryBarrierCount = 1,
        .pMemoryBarriers = &memory,
    };
    /* Before Vulkan 1.3 this is an extension function, which the loader does not export. */
    PFN_vkCmdPipelineBarrier2 barrier = (PFN_vkCmdPipelineBarrier2)vkGetDeviceProcAddr(
        host->device,
        host->api_version >= VK_API_VERSION_1_3 ? "vkCmdPipelineBarrier2" : "vkCmdPipelineBarrier2KHR");
    barrier(host->commands, &info);
}
