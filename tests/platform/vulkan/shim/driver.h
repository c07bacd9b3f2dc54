// A Vulkan driver for tests of the layer: it notes each submit as it gets it. Timeline semaphores work: a queue's
// batches wait for values and signal values, and nothing else happens on the device. Any thread.
#pragma once

#include <vulkan/vulkan.h>

#include <string>
#include <vector>

namespace xsched::test {

// A submit as the driver got it. The structures are copies; the pointers in them are the caller's.
struct Submit {
    VkQueue queue = nullptr;
    VkFence fence = VK_NULL_HANDLE;
    bool has_list = false;  // a list of batches was given, not nullptr
    std::vector<VkSubmitInfo> first;
    std::vector<VkSubmitInfo2> second;
    // The waits and signals of each batch, read while the call lasts.
    struct Operation {
        VkSemaphore semaphore;
        uint64_t value;
        VkPipelineStageFlags2 stages;  // that a wait keeps back; 0 of vkQueueSubmit's signals
    };
    struct Batch {
        std::vector<Operation> waits, signals;
    };
    std::vector<Batch> batches;
};

// Answers for the layer as the next one below it.
PFN_vkVoidFunction driver_instance_function(VkInstance instance, const char* name);
PFN_vkVoidFunction driver_device_function(VkDevice device, const char* name);

// Returns the queue of that number; all are of the device that was made last.
VkQueue driver_queue(int number);
std::vector<Submit> driver_submits();
// Devices that are asked about from now on are NVIDIA's, at the fake kernel driver's first address, or not.
void driver_is_nvidia(bool is);
// Submits that come now return this, and are not carried out.
void driver_answer(VkResult result);
// The next vkCreateSemaphore does not return until the block is gone.
void driver_block_semaphores();
bool driver_is_blocked();  // a thread stands in the call
void driver_unblock();
// How many semaphores exist, and how many calls of vkCreateSemaphore there were.
int driver_semaphores();
int driver_semaphores_made();
// How many calls there were of functions that the program's version of Vulkan does not have under that name.
int driver_calls_too_new();
// Forgets all submits and semaphores.
void driver_reset();

}  // namespace xsched::test
