#include "compute.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace compute {
namespace {

#include "affine.inc"

constexpr uint32_t kGroup = 64;  // affine.comp's local size
constexpr uint64_t kPatienceNs = 600'000'000'000;

}  // namespace

void check(VkResult result, const char* what) {
    if (result != VK_SUCCESS) throw std::runtime_error(std::string(what) + " fails with " + std::to_string(result));
}

uint32_t after(uint32_t value, const Step& step) {
    for (uint32_t round = 0; round < step.rounds; ++round) value = value * step.multiply + step.add;
    return value;
}

Device::Device(const Wishes& wishes) {
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = wishes.version;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    check(vkCreateInstance(&info, nullptr, &instance_), "vkCreateInstance");
    choose();
    create(wishes);
    make_pipeline();
}

// Takes the first device that is a GPU, otherwise the first one.
void Device::choose() {
    uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> all(count);
    check(vkEnumeratePhysicalDevices(instance_, &count, all.data()), "vkEnumeratePhysicalDevices");
    if (all.empty()) throw std::runtime_error("there is no Vulkan device");
    physical_ = all.front();
    VkPhysicalDeviceProperties properties;
    for (const VkPhysicalDevice one : all) {
        vkGetPhysicalDeviceProperties(one, &properties);
        if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) continue;
        physical_ = one;
        break;
    }
    vkGetPhysicalDeviceProperties(physical_, &properties);
    name_ = properties.deviceName;
}

void Device::create(const Wishes& wishes) {
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
    while (family_ < count && (families[family_].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family_;
    if (family_ == count) throw std::runtime_error("no queue of the device computes");
    const uint32_t queues = std::min(wishes.queues, families[family_].queueCount);
    const std::vector<float> priorities(queues, 1.0F);
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = family_;
    queue.queueCount = queues;
    queue.pQueuePriorities = priorities.data();
    VkPhysicalDeviceVulkan13Features newer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    newer.synchronization2 = VK_TRUE;
    VkPhysicalDeviceVulkan12Features features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &newer};
    features.timelineSemaphore = VK_TRUE;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    if (wishes.timelines && wishes.version >= VK_API_VERSION_1_3) info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    check(vkCreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");
    queues_.resize(queues);
    for (uint32_t i = 0; i < queues; ++i) vkGetDeviceQueue(device_, family_, i, &queues_[i]);
}

void Device::make_pipeline() {
    VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set.bindingCount = 1;
    set.pBindings = &binding;
    check(vkCreateDescriptorSetLayout(device_, &set, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
    VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Step)};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &set_layout_;
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &constants;
    check(vkCreatePipelineLayout(device_, &layout, nullptr, &layout_), "vkCreatePipelineLayout");
    VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = sizeof kAffine;
    code.pCode = kAffine;
    VkComputePipelineCreateInfo pipeline{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    pipeline.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline.stage.pName = "main";
    pipeline.layout = layout_;
    check(vkCreateShaderModule(device_, &code, nullptr, &pipeline.stage.module), "vkCreateShaderModule");
    const VkResult made = vkCreateComputePipelines(device_, nullptr, 1, &pipeline, nullptr, &pipeline_);
    vkDestroyShaderModule(device_, pipeline.stage.module, nullptr);
    check(made, "vkCreateComputePipelines");
}

Device::~Device() {
    if (device_ != nullptr) {
        vkDeviceWaitIdle(device_);
        vkDestroyPipeline(device_, pipeline_, nullptr);
        vkDestroyPipelineLayout(device_, layout_, nullptr);
        vkDestroyDescriptorSetLayout(device_, set_layout_, nullptr);
        vkDestroyDevice(device_, nullptr);
    }
    vkDestroyInstance(instance_, nullptr);
}

uint32_t Device::host_memory_type(uint32_t allowed) const {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
    constexpr uint32_t kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((allowed >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & kWanted) == kWanted) return i;
    throw std::runtime_error("the device has no memory that the host sees");
}

VkSemaphore Device::semaphore(VkSemaphoreType type) const {
    VkSemaphoreTypeCreateInfo kind{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    kind.semaphoreType = type;
    VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    if (type == VK_SEMAPHORE_TYPE_TIMELINE) info.pNext = &kind;
    VkSemaphore made = nullptr;
    check(vkCreateSemaphore(device_, &info, nullptr, &made), "vkCreateSemaphore");
    return made;
}

VkFence Device::fence() const {
    VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence made = nullptr;
    check(vkCreateFence(device_, &info, nullptr, &made), "vkCreateFence");
    return made;
}

void Device::wait(VkFence fence) const {
    check(vkWaitForFences(device_, 1, &fence, VK_TRUE, kPatienceNs), "vkWaitForFences");
    check(vkResetFences(device_, 1, &fence), "vkResetFences");
}

void Device::wait(VkSemaphore timeline, uint64_t value) const {
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline;
    info.pValues = &value;
    check(vkWaitSemaphores(device_, &info, kPatienceNs), "vkWaitSemaphores");
}

Numbers::Numbers(Device& device, uint32_t count, uint32_t first_value)
    : device_(device), count_(std::max(kGroup, count / kGroup * kGroup)) {
    const VkDevice handle = device.handle();
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = count_ * sizeof(uint32_t);
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    check(vkCreateBuffer(handle, &info, nullptr, &buffer_), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(handle, buffer_, &needs);
    VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = device.host_memory_type(needs.memoryTypeBits);
    check(vkAllocateMemory(handle, &allocation, nullptr, &memory_), "vkAllocateMemory");
    check(vkBindBufferMemory(handle, buffer_, memory_, 0), "vkBindBufferMemory");
    check(vkMapMemory(handle, memory_, 0, VK_WHOLE_SIZE, 0, reinterpret_cast<void**>(&values_)), "vkMapMemory");
    std::fill_n(values_, count_, first_value);

    VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    check(vkCreateDescriptorPool(handle, &pool, nullptr, &descriptors_), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    set.descriptorPool = descriptors_;
    set.descriptorSetCount = 1;
    set.pSetLayouts = &device.set_layout_;
    check(vkAllocateDescriptorSets(handle, &set, &set_), "vkAllocateDescriptorSets");
    VkDescriptorBufferInfo whole{buffer_, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set_;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &whole;
    vkUpdateDescriptorSets(handle, 1, &write, 0, nullptr);

    VkCommandPoolCreateInfo commands{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    commands.queueFamilyIndex = device.family();
    check(vkCreateCommandPool(handle, &commands, nullptr, &pool_), "vkCreateCommandPool");
}

Numbers::~Numbers() {
    const VkDevice handle = device_.handle();
    vkDestroyCommandPool(handle, pool_, nullptr);
    vkDestroyDescriptorPool(handle, descriptors_, nullptr);
    vkDestroyBuffer(handle, buffer_, nullptr);
    vkFreeMemory(handle, memory_, nullptr);
}

VkCommandBuffer Numbers::record(const Step& step) {
    if (recorded_ == buffers_.size()) {
        VkCommandBufferAllocateInfo more{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        more.commandPool = pool_;
        more.commandBufferCount = 1;
        check(vkAllocateCommandBuffers(device_.handle(), &more, &buffers_.emplace_back()), "vkAllocateCommandBuffers");
    }
    const VkCommandBuffer commands = buffers_[recorded_++];
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                         &barrier, 0, nullptr, 0, nullptr);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, device_.pipeline_);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, device_.layout_, 0, 1, &set_, 0, nullptr);
    vkCmdPushConstants(commands, device_.layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof step, &step);
    vkCmdDispatch(commands, count_ / kGroup, 1, 1);
    barrier.dstAccessMask |= VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr,
                         0, nullptr);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    return commands;
}

void Numbers::reset() {
    check(vkResetCommandPool(device_.handle(), pool_, 0), "vkResetCommandPool");
    recorded_ = 0;
}

uint32_t Numbers::wrong(uint32_t value) const {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count_; ++i) found += static_cast<const volatile uint32_t*>(values_)[i] != value;
    return found;
}

void submit(VkQueue queue, VkCommandBuffer commands, VkFence fence) {
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    check(vkQueueSubmit(queue, commands != nullptr ? 1 : 0, &info, fence), "vkQueueSubmit");
}

}  // namespace compute
