// Vulkan for programs that compute: a device with its queues, a buffer of numbers that the host sees, and command
// buffers that change all of them (affine.comp). Throws std::runtime_error with a sentence.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>
#include <vector>

namespace compute {

void check(VkResult result, const char* what);

struct Step {  // v = v * multiply + add, so many times
    uint32_t multiply = 1;
    uint32_t add = 0;
    uint32_t rounds = 1;
};
uint32_t after(uint32_t value, const Step& step);

// The features that a program asks for.
struct Wishes {
    uint32_t version = VK_API_VERSION_1_3;
    bool timelines = true;  // with 1.3: timeline semaphores and vkQueueSubmit2
    uint32_t queues = 1;    // as many as there are, at most
};

class Device {
public:
    explicit Device(const Wishes& wishes = {});
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    VkDevice handle() const { return device_; }
    VkQueue queue(uint32_t i) const { return queues_[i % queues_.size()]; }
    uint32_t queues() const { return static_cast<uint32_t>(queues_.size()); }
    uint32_t family() const { return family_; }
    const std::string& name() const { return name_; }
    uint32_t host_memory_type(uint32_t allowed) const;

    VkSemaphore semaphore(VkSemaphoreType type) const;
    VkFence fence() const;
    // Waits up to ten minutes.
    void wait(VkFence fence) const;
    void wait(VkSemaphore timeline, uint64_t value) const;
    void destroy(VkSemaphore semaphore) const { vkDestroySemaphore(device_, semaphore, nullptr); }
    void destroy(VkFence fence) const { vkDestroyFence(device_, fence, nullptr); }

private:
    friend class Numbers;
    void choose();
    void create(const Wishes& wishes);
    void make_pipeline();

    VkInstance instance_ = nullptr;
    VkPhysicalDevice physical_ = nullptr;
    VkDevice device_ = nullptr;
    uint32_t family_ = 0;
    std::vector<VkQueue> queues_;
    std::string name_;
    VkDescriptorSetLayout set_layout_ = nullptr;
    VkPipelineLayout layout_ = nullptr;
    VkPipeline pipeline_ = nullptr;
};

// The numbers, and command buffers over them. One thread at a time; destroyed when no command of it is in flight.
class Numbers {
public:
    Numbers(Device& device, uint32_t count, uint32_t first_value);
    ~Numbers();
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;

    // Returns a new command buffer. It is free again after reset(), when none is in use any more.
    VkCommandBuffer record(const Step& step);
    void reset();
    uint32_t count() const { return count_; }
    const volatile uint32_t* values() const { return values_; }
    // Returns how many are not `value`.
    uint32_t wrong(uint32_t value) const;

private:
    Device& device_;
    const uint32_t count_;
    VkBuffer buffer_ = nullptr;
    VkDeviceMemory memory_ = nullptr;
    uint32_t* values_ = nullptr;
    VkDescriptorPool descriptors_ = nullptr;
    VkDescriptorSet set_ = nullptr;
    VkCommandPool pool_ = nullptr;
    std::vector<VkCommandBuffer> buffers_;
    uint32_t recorded_ = 0;
};

// Submits one command buffer, or none.
void submit(VkQueue queue, VkCommandBuffer commands, VkFence fence);

}  // namespace compute
