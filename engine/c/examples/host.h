/*
 * A minimal engine: an instance, a device with the requirements of multisplit, a queue, buffers, a command
 * buffer. Shared by all examples.
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
    /* API version of the instance. */
    uint32_t api_version;
    /* Enabled features, as bits of MultisplitFeature. */
    uint32_t features;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkDebugUtilsMessengerEXT messenger;
    /* Number of validation messages. */
    unsigned messages;
} Host;

/* A buffer in host-visible memory of its own. */
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
 * Opens a device. Arguments: `--device TEXT` selects the first device whose name contains the text, otherwise
 * the first device is used; `--validate` enables the validation layer, including synchronization validation.
 */
void host_create(Host *host, int argc, char **argv);
/* Like host_create, but with the given Vulkan version instead of 1.3. */
void host_create_version(Host *host, int argc, char **argv, uint32_t api_version);
/* Like host_create, in two steps: host_open before the program creates the device, host_use after that. */
void host_open(Host *host, int argc, char **argv, uint32_t api_version);
void host_use(Host *host, VkDevice device, VkQueue queue, uint32_t features);
/* Destroys the objects of `host`. Returns the exit status: 0, or 3 if there were validation messages. */
int host_destroy(Host *host);

/* The description from which a context is created. */
MultisplitContextInfo host_context_info(const Host *host);

HostBuffer host_buffer(const Host *host, VkDeviceSize size, VkBufferUsageFlags usage);
void host_free(const Host *host, HostBuffer *buffer);

HostPass host_pass(const Host *host, const uint32_t *spirv, size_t bytes, const HostBuffer *buffers,
                   uint32_t count, uint32_t push_bytes);
void host_dispatch(const Host *host, const HostPass *pass, const void *push, uint32_t push_bytes,
                   uint32_t groups);
/* Records a dispatch whose arguments are in a buffer. For passes without push constants. */
void host_dispatch_indirect(const Host *host, const HostPass *pass, VkBuffer arguments, VkDeviceSize offset);
void host_free_pass(const Host *host, HostPass *pass);

/* Begins the command buffer. */
void host_begin(const Host *host);
/* Ends and submits the command buffer, and waits until it has finished. */
void host_submit(const Host *host);

/* Scopes of the engine's own buffer accesses before and after multisplit. */
MultisplitScope host_compute_write(void);
MultisplitScope host_compute_read(void);
MultisplitScope host_host_read(void);
/* Records one barrier between two scopes. */
void host_barrier(const Host *host, MultisplitScope from, MultisplitScope to);

/* Exit with a message if a call failed. */
void host_vk(VkResult result, const char *what);
void host_multisplit(MultisplitResult result, const char *what);
#define VK(call) host_vk((call), #call)
#define MS(call) host_multisplit((call), #call)

#ifdef __cplusplus
}
#endif
#endif
