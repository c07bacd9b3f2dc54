#include "platform/vulkan/shim/driver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

namespace xsched::test {
namespace {

// An object that is dispatched. All of one device have the same first word, as from the loader.
struct Dispatched {
    const void* key;
};
int g_instance_key, g_device_key;
Dispatched g_instance{&g_instance_key}, g_physical{&g_instance_key}, g_device{&g_device_key};
Dispatched g_queue_objects[4] = {{&g_device_key}, {&g_device_key}, {&g_device_key}, {&g_device_key}};

template <typename Handle>
Handle handle_of(Dispatched& object) {
    return reinterpret_cast<Handle>(&object);
}

std::mutex g_mutex;
std::condition_variable g_changed;
std::vector<Submit> g_submits;
std::map<VkSemaphore, uint64_t> g_values;  // the value of each semaphore that exists
std::map<VkQueue, std::deque<Submit::Batch>> g_waiting;
VkResult g_answer = VK_SUCCESS;
bool g_blocks = false, g_is_blocked = false;
int g_made = 0;
uintptr_t g_next_semaphore = 1;
uint32_t g_version = 0;  // as the program uses Vulkan
bool g_is_nvidia = false;
std::atomic<int> g_too_new{0};

bool reached(const Submit::Operation& wait) {
    const auto it = g_values.find(wait.semaphore);
    return it == g_values.end() || it->second >= wait.value;
}

// Carries out all batches that can be. Requires the mutex.
void carry_out() {
    for (bool again = true; again;) {
        again = false;
        for (auto& [queue, batches] : g_waiting)
            while (!batches.empty() &&
                   std::all_of(batches.front().waits.begin(), batches.front().waits.end(), reached)) {
                for (const Submit::Operation& signal : batches.front().signals)
                    g_values[signal.semaphore] = signal.value;
                batches.pop_front();
                again = true;
            }
    }
    g_changed.notify_all();
}

template <typename Structure>
const Structure* part_of(const void* chain, VkStructureType type) {
    for (auto* part = static_cast<const VkBaseInStructure*>(chain); part != nullptr; part = part->pNext)
        if (part->sType == type) return reinterpret_cast<const Structure*>(part);
    return nullptr;
}

std::vector<Submit::Operation> operations(const VkSemaphore* semaphores, uint32_t count, const uint64_t* values,
                                          uint32_t value_count, const VkPipelineStageFlags* stages) {
    std::vector<Submit::Operation> all;
    for (uint32_t i = 0; i < count; ++i)
        all.push_back({semaphores[i], i < value_count ? values[i] : 0, stages != nullptr ? stages[i] : 0});
    return all;
}
std::vector<Submit::Operation> operations(const VkSemaphoreSubmitInfo* list, uint32_t count) {
    std::vector<Submit::Operation> all;
    for (uint32_t i = 0; i < count; ++i) all.push_back({list[i].semaphore, list[i].value, list[i].stageMask});
    return all;
}

Submit::Batch read(const VkSubmitInfo& info) {
    const auto* values =
        part_of<VkTimelineSemaphoreSubmitInfo>(info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    const VkTimelineSemaphoreSubmitInfo none{};
    if (values == nullptr) values = &none;
    return {operations(info.pWaitSemaphores, info.waitSemaphoreCount, values->pWaitSemaphoreValues,
                       values->waitSemaphoreValueCount, info.pWaitDstStageMask),
            operations(info.pSignalSemaphores, info.signalSemaphoreCount, values->pSignalSemaphoreValues,
                       values->signalSemaphoreValueCount, nullptr)};
}
Submit::Batch read(const VkSubmitInfo2& info) {
    return {operations(info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount),
            operations(info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount)};
}

std::vector<VkSubmitInfo>& list_of(Submit& submit, const VkSubmitInfo*) { return submit.first; }
std::vector<VkSubmitInfo2>& list_of(Submit& submit, const VkSubmitInfo2*) { return submit.second; }

template <typename Info>
VkResult submit(VkQueue queue, uint32_t count, const Info* batches, VkFence fence) {
    const std::lock_guard lock(g_mutex);
    Submit noted{queue, fence, batches != nullptr, {}, {}, {}};
    for (uint32_t i = 0; i < count; ++i) {
        list_of(noted, batches).push_back(batches[i]);
        noted.batches.push_back(read(batches[i]));
    }
    g_submits.push_back(noted);
    if (g_answer != VK_SUCCESS) return g_answer;
    auto& waiting = g_waiting[queue];
    waiting.insert(waiting.end(), noted.batches.begin(), noted.batches.end());
    carry_out();
    return VK_SUCCESS;
}

VkResult create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks*, VkInstance* made) {
    g_version = info->pApplicationInfo->apiVersion;
    *made = handle_of<VkInstance>(g_instance);
    return VK_SUCCESS;
}
void destroy_instance(VkInstance, const VkAllocationCallbacks*) {}
VkResult enumerate(VkInstance, uint32_t* count, VkPhysicalDevice* devices) {
    if (devices != nullptr) *devices = handle_of<VkPhysicalDevice>(g_physical);
    *count = 1;
    return VK_SUCCESS;
}
VkResult extensions(VkPhysicalDevice, const char*, uint32_t* count, VkExtensionProperties* list) {
    if (list != nullptr) std::strcpy(list->extensionName, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME);
    *count = 1;
    return VK_SUCCESS;
}
void features(VkPhysicalDevice, VkPhysicalDeviceFeatures2* all) {
    const auto* found = part_of<VkPhysicalDeviceTimelineSemaphoreFeatures>(
        all->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
    if (found != nullptr) const_cast<VkPhysicalDeviceTimelineSemaphoreFeatures*>(found)->timelineSemaphore = VK_TRUE;
}
void properties(VkPhysicalDevice, VkPhysicalDeviceProperties* it) {
    it->apiVersion = VK_API_VERSION_1_3;
    it->vendorID = g_is_nvidia ? 0x10de : 0;
    std::strcpy(it->deviceName, "a driver of a test");
}
void properties2(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* it) {
    properties(physical, &it->properties);
    const auto* pci = part_of<VkPhysicalDevicePCIBusInfoPropertiesEXT>(
        it->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
    if (pci != nullptr && g_is_nvidia) const_cast<VkPhysicalDevicePCIBusInfoPropertiesEXT*>(pci)->pciBus = 0x40;
}
VkResult create_device(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*, VkDevice* made) {
    *made = handle_of<VkDevice>(g_device);
    return VK_SUCCESS;
}
void destroy_device(VkDevice, const VkAllocationCallbacks*) {
    const std::lock_guard lock(g_mutex);
    g_waiting.clear();
}

VkResult create_swapchain(VkDevice, const VkSwapchainCreateInfoKHR*, const VkAllocationCallbacks*,
                          VkSwapchainKHR* made) {
    *made = reinterpret_cast<VkSwapchainKHR>(1);
    return VK_SUCCESS;
}
VkResult create_swapchains(VkDevice, uint32_t count, const VkSwapchainCreateInfoKHR*, const VkAllocationCallbacks*,
                           VkSwapchainKHR* made) {
    for (uint32_t number = 0; number < count; ++number) made[number] = reinterpret_cast<VkSwapchainKHR>(number + 1);
    return VK_SUCCESS;
}
void destroy_swapchain(VkDevice, VkSwapchainKHR, const VkAllocationCallbacks*) {}

VkResult create_semaphore(VkDevice, const VkSemaphoreCreateInfo*, const VkAllocationCallbacks*, VkSemaphore* made) {
    std::unique_lock lock(g_mutex);
    ++g_made;
    if (g_blocks && !g_is_blocked) {
        g_is_blocked = true;
        g_changed.wait(lock, [] { return !g_blocks; });
        g_is_blocked = false;
    }
    *made = reinterpret_cast<VkSemaphore>(g_next_semaphore++ << 4);
    g_values[*made] = 0;
    return VK_SUCCESS;
}
void destroy_semaphore(VkDevice, VkSemaphore semaphore, const VkAllocationCallbacks*) {
    const std::lock_guard lock(g_mutex);
    g_values.erase(semaphore);
}
VkResult signal_semaphore(VkDevice, const VkSemaphoreSignalInfo* info) {
    const std::lock_guard lock(g_mutex);
    g_values[info->semaphore] = info->value;
    carry_out();
    return VK_SUCCESS;
}
VkResult counter(VkDevice, VkSemaphore semaphore, uint64_t* value) {
    const std::lock_guard lock(g_mutex);
    *value = g_values[semaphore];
    return VK_SUCCESS;
}
VkResult wait_semaphores(VkDevice, const VkSemaphoreWaitInfo* info, uint64_t timeout_ns) {
    std::unique_lock lock(g_mutex);
    const auto all = [&] {
        for (uint32_t i = 0; i < info->semaphoreCount; ++i)
            if (!reached({info->pSemaphores[i], info->pValues[i], 0})) return false;
        return true;
    };
    const auto most = std::chrono::nanoseconds(std::min<uint64_t>(timeout_ns, 60'000'000'000));
    return g_changed.wait_for(lock, most, all) ? VK_SUCCESS : VK_TIMEOUT;
}

struct Named {
    const char* name;
    PFN_vkVoidFunction function;
};
template <typename Function>
PFN_vkVoidFunction plain(Function* function) {
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

// A function under the name that it has from this version on.
template <uint32_t version, auto function>
struct Since;
template <uint32_t version, typename Result, typename... Arguments, Result (*function)(Arguments...)>
struct Since<version, function> {
    static Result call(Arguments... arguments) {
        if (g_version < version) ++g_too_new;
        return function(arguments...);
    }
};
#define SINCE(version, name, function) \
    {name, plain(Since<version, function>::call)}, { name "KHR", plain(function) }

const Named kFunctions[] = {
    {"vkCreateInstance", plain(create_instance)},
    {"vkDestroyInstance", plain(destroy_instance)},
    {"vkEnumeratePhysicalDevices", plain(enumerate)},
    {"vkEnumerateDeviceExtensionProperties", plain(extensions)},
    SINCE(VK_API_VERSION_1_1, "vkGetPhysicalDeviceFeatures2", features),
    {"vkGetPhysicalDeviceProperties", plain(properties)},
    SINCE(VK_API_VERSION_1_1, "vkGetPhysicalDeviceProperties2", properties2),
    {"vkCreateDevice", plain(create_device)},
    {"vkDestroyDevice", plain(destroy_device)},
    {"vkQueueSubmit", plain(submit<VkSubmitInfo>)},
    SINCE(VK_API_VERSION_1_3, "vkQueueSubmit2", submit<VkSubmitInfo2>),
    {"vkCreateSwapchainKHR", plain(create_swapchain)},
    {"vkCreateSharedSwapchainsKHR", plain(create_swapchains)},
    {"vkDestroySwapchainKHR", plain(destroy_swapchain)},
    {"vkCreateSemaphore", plain(create_semaphore)},
    {"vkDestroySemaphore", plain(destroy_semaphore)},
    SINCE(VK_API_VERSION_1_2, "vkSignalSemaphore", signal_semaphore),
    SINCE(VK_API_VERSION_1_2, "vkGetSemaphoreCounterValue", counter),
    SINCE(VK_API_VERSION_1_2, "vkWaitSemaphores", wait_semaphores),
};

}  // namespace

PFN_vkVoidFunction driver_instance_function(VkInstance, const char* name) {
    if (std::strcmp(name, "vkGetInstanceProcAddr") == 0) return plain(driver_instance_function);
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return plain(driver_device_function);
    for (const Named& it : kFunctions)
        if (std::strcmp(it.name, name) == 0) return it.function;
    return nullptr;
}
PFN_vkVoidFunction driver_device_function(VkDevice, const char* name) {
    return driver_instance_function(nullptr, name);
}

VkQueue driver_queue(int number) { return handle_of<VkQueue>(g_queue_objects[number]); }

std::vector<Submit> driver_submits() {
    const std::lock_guard lock(g_mutex);
    return g_submits;
}
void driver_answer(VkResult result) {
    const std::lock_guard lock(g_mutex);
    g_answer = result;
}
void driver_block_semaphores() {
    const std::lock_guard lock(g_mutex);
    g_blocks = true;
}
bool driver_is_blocked() {
    const std::lock_guard lock(g_mutex);
    return g_is_blocked;
}
void driver_unblock() {
    const std::lock_guard lock(g_mutex);
    g_blocks = false;
    g_changed.notify_all();
}
int driver_semaphores() {
    const std::lock_guard lock(g_mutex);
    return static_cast<int>(g_values.size());
}
int driver_semaphores_made() {
    const std::lock_guard lock(g_mutex);
    return g_made;
}
void driver_is_nvidia(bool is) { g_is_nvidia = is; }
int driver_calls_too_new() { return g_too_new; }
void driver_reset() {
    g_too_new = 0;
    const std::lock_guard lock(g_mutex);
    g_submits.clear();
    g_values.clear();
    g_answer = VK_SUCCESS;
    g_made = 0;
}

}  // namespace xsched::test
