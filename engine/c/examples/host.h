/*
 * What a small engine has before it meets multisplit: an instance, a device, a queue, buffers, a
 * command buffer. The examples share it; nothing in it is particular to one of them.
 */
#ifndef HOST_H
#define HOST_H

#include <multisplit.h>
#include <vulkan/vulkan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Host {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    /* The version that the instance is created for. */
    uint32_t api_version;
    /* What is enabled of multisplit's requirements. */
    uint32_t features;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkDebugUtilsMessengerEXT messenger;
    /* How often the validation layers have spoken. */
    unsigned messages;
} Host;

/* Memory that both sides see, with a buffer over all of it. */
typedef struct HostBuffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size;
    void *mapped;
} HostBuffer;

/* A compute pass with up to four storage buffers. */
typedef struct HostPass {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet set;
} HostPass;

/*
 * Opens the first device whose name contains a text. Arguments: `--device TEXT`, any device without;
 * `--validate` turns on the validation layers, synchronization included.
 */
void host_create(Host *host, int argc, char **argv);
/* The same for another version of Vulkan than 1.3. */
void host_create_version(Host *host, int argc, char **argv, uint32_t api_version);
/* The same in parts: everything before the device; and, with one that was created, the rest. */
void host_open(Host *host, int argc, char **argv, uint32_t api_version);
void host_use(Host *host, VkDevice device, VkQueue queue, uint32_t features);
/* Destroys everything, and gives the exit status: 3 where the layers have spoken. */
int host_destroy(Host *host);

/* Everything that a context is made from. */
MultisplitContextInfo host_context_info(const Host *host);

HostBuffer host_buffer(const Host *host, VkDeviceSize size, VkBufferUsageFlags usage);
void host_free(const Host *host, HostBuffer *buffer);

HostPass host_pass(const Host *host, const uint32_t *spirv, size_t bytes, const HostBuffer *buffers,
                   uint32_t count, uint32_t push_bytes);
void host_dispatch(const Host *host, const HostPass *pass, const void *push, uint32_t push_bytes,
                   uint32_t groups);
void host_free_pass(const Host *host, HostPass *pass);

/* Begins the command buffer; ends it, submits it and waits. */
void host_begin(const Host *host);
void host_submit(const Host *host);

/* What the engine does with buffers around multisplit. */
MultisplitScope host_compute_write(void);
MultisplitScope host_compute_read(void);
MultisplitScope host_host_read(void);
/* One barrier, from scope to scope. */
void host_barrier(const Host *host, MultisplitScope from, MultisplitScope to);

/* End the program with a message where a call has failed. */
void host_vk(VkResult result, const char *what);
void host_multisplit(MultisplitResult result, const char *what);
#define VK(call) host_vk((call), #call)
#define MS(call) host_multisplit((call), #call)

#ifdef __cplusplus
}
#endif
#endif
