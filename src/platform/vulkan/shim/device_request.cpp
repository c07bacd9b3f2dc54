#include "platform/vulkan/shim/device_request.h"

#include <cstring>
#include <new>

#include "platform/vulkan/shim/writable.h"

namespace xsched::vulkan {
namespace {

constexpr uint32_t kMostFamilies = 32;

template <typename Structure>
Structure* find_in(const void* chain, VkStructureType type) {
    for (auto* part = static_cast<const VkBaseInStructure*>(chain); part != nullptr; part = part->pNext)
        if (part->sType == type) return reinterpret_cast<Structure*>(const_cast<VkBaseInStructure*>(part));
    return nullptr;
}

// Returns the bit by which the program itself says whether it wants timeline semaphores; nullptr: it says nothing.
VkBool32* bit_in(const void* chain) {
    if (auto* all =
            find_in<VkPhysicalDeviceVulkan12Features>(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES))
        return &all->timelineSemaphore;
    auto* one = find_in<VkPhysicalDeviceTimelineSemaphoreFeatures>(
        chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
    return one != nullptr ? &one->timelineSemaphore : nullptr;
}

}  // namespace

DeviceRequest::DeviceRequest(const Instance& instance, VkPhysicalDevice physical, const VkDeviceCreateInfo& info)
    : instance_(instance),
      physical_(physical),
      info_(info),
      extensions_(info.ppEnabledExtensionNames, info.enabledExtensionCount),
      programs_queues_(info.pQueueCreateInfos) {}

DeviceRequest::~DeviceRequest() {
    if (raised_ != nullptr) write_word(raised_, VK_FALSE);
    delete[] queues_;
    delete[] priorities_;
}

bool DeviceRequest::device_has(const char* extension) const {
    const auto list = instance_.below.get<kEntry_vkEnumerateDeviceExtensionProperties>();
    uint32_t count = 0;
    if (list == nullptr || list(physical_, nullptr, &count, nullptr) != VK_SUCCESS || count == 0) return false;
    auto* all = new (std::nothrow) VkExtensionProperties[count];
    if (all == nullptr) return false;
    bool found = false;
    if (list(physical_, nullptr, &count, all) >= VK_SUCCESS)
        for (uint32_t i = 0; i < count && !found; ++i) found = std::strcmp(all[i].extensionName, extension) == 0;
    delete[] all;
    return found;
}

bool DeviceRequest::has_timelines() const {
    const auto ask = instance_.below.get<kEntry_vkGetPhysicalDeviceFeatures2>();
    if (ask == nullptr) return false;
    VkPhysicalDeviceTimelineSemaphoreFeatures found{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    all.pNext = &found;
    ask(physical_, &all);
    return found.timelineSemaphore == VK_TRUE;
}

bool DeviceRequest::enable_feature() {
    VkBool32* bit = bit_in(info_.pNext);
    if (bit != nullptr) {
        if (*bit == VK_TRUE) return true;
        if (!write_word(bit, VK_TRUE)) return false;
        raised_ = bit;
        return true;
    }
    feature_.timelineSemaphore = VK_TRUE;
    feature_.pNext = const_cast<void*>(info_.pNext);
    info_.pNext = &feature_;
    return true;
}

bool DeviceRequest::add_timelines() {
    VkPhysicalDeviceProperties properties{};
    if (const auto ask = instance_.below.get<kEntry_vkGetPhysicalDeviceProperties>()) ask(physical_, &properties);
    const bool core = instance_.version >= VK_API_VERSION_1_2 && properties.apiVersion >= VK_API_VERSION_1_2;
    constexpr const char* kExtension = VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME;
    if (!has_timelines() || (!core && !device_has(kExtension))) return false;
    if ((!core && !extensions_.add(kExtension)) || !enable_feature()) return false;
    info_.ppEnabledExtensionNames = extensions_.data();
    info_.enabledExtensionCount = extensions_.count();
    return true;
}

// Returns whether all of the families that the program uses have the priority.
bool DeviceRequest::offers(VkQueueGlobalPriorityKHR priority) const {
    const auto ask = instance_.below.get<kEntry_vkGetPhysicalDeviceQueueFamilyProperties2>();
    if (ask == nullptr) return false;
    VkQueueFamilyGlobalPriorityPropertiesKHR offered[kMostFamilies];
    VkQueueFamilyProperties2 families[kMostFamilies];
    for (uint32_t i = 0; i < kMostFamilies; ++i) {
        offered[i] = {VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR, nullptr, 0, {}};
        families[i] = {VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, &offered[i], {}};
    }
    uint32_t count = kMostFamilies;
    ask(physical_, &count, families);
    for (uint32_t i = 0; i < info_.queueCreateInfoCount; ++i) {
        const uint32_t family = programs_queues_[i].queueFamilyIndex;
        bool found = false;
        for (uint32_t j = 0; family < count && j < offered[family].priorityCount; ++j)
            found = found || offered[family].priorities[j] == priority;
        if (!found) return false;
    }
    return true;
}

// Returns the extension by which this device takes priorities and offers this one; nullptr: there is none.
const char* DeviceRequest::extension_for(VkQueueGlobalPriorityKHR priority) const {
    constexpr const char* kNew = VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME;
    constexpr const char* kOld = VK_EXT_GLOBAL_PRIORITY_EXTENSION_NAME;
    if (device_has(kNew)) return offers(priority) ? kNew : nullptr;
    if (!device_has(kOld)) return nullptr;
    const bool tells = device_has(VK_EXT_GLOBAL_PRIORITY_QUERY_EXTENSION_NAME);
    return !tells || offers(priority) ? kOld : nullptr;
}

bool DeviceRequest::has_own_priority() const {
    constexpr VkStructureType kType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR;
    for (uint32_t i = 0; i < info_.queueCreateInfoCount; ++i)
        if (find_in<VkBaseInStructure>(programs_queues_[i].pNext, kType) != nullptr) return true;
    return false;
}

bool DeviceRequest::add_priority(VkQueueGlobalPriorityKHR priority) {
    const char* extension = extension_for(priority);
    if (extension == nullptr || has_own_priority()) return false;
    const uint32_t count = info_.queueCreateInfoCount;
    queues_ = new (std::nothrow) VkDeviceQueueCreateInfo[count];
    priorities_ = new (std::nothrow) VkDeviceQueueGlobalPriorityCreateInfoKHR[count];
    if (queues_ == nullptr || priorities_ == nullptr || !extensions_.add(extension)) return false;
    for (uint32_t i = 0; i < count; ++i) {
        priorities_[i] = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR, programs_queues_[i].pNext,
                          priority};
        queues_[i] = programs_queues_[i];
        queues_[i].pNext = &priorities_[i];
    }
    info_.pQueueCreateInfos = queues_;
    info_.ppEnabledExtensionNames = extensions_.data();
    info_.enabledExtensionCount = extensions_.count();
    return true;
}

void DeviceRequest::drop_priority() { info_.pQueueCreateInfos = programs_queues_; }

}  // namespace xsched::vulkan
