// An ordinary Vulkan program's device under XSched's layer, over the tests' driver. The layer is asked as the loader
// asks it.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <vulkan/vk_layer.h>

#include "platform/vulkan/shim/driver.h"
#include "support/eventually.h"
#include "xsched/vulkan/hal.h"
#include "xsched/xsched.h"

namespace xsched::test {

class Program : public ::testing::Test {
protected:
    explicit Program(uint32_t version = VK_API_VERSION_1_3) : version_(version) {}
    void SetUp() override {
        driver_reset();
        void* library = dlopen(XSCHED_LAYER, RTLD_NOW);
        ASSERT_NE(library, nullptr) << dlerror();
        const auto negotiate = reinterpret_cast<PFN_vkNegotiateLoaderLayerInterfaceVersion>(
            dlsym(library, "vkNegotiateLoaderLayerInterfaceVersion"));
        ASSERT_NE(negotiate, nullptr);
        VkNegotiateLayerInterface layer{LAYER_NEGOTIATE_INTERFACE_STRUCT, nullptr, 2, nullptr, nullptr, nullptr};
        ASSERT_EQ(negotiate(&layer), VK_SUCCESS);
        make_instance(layer.pfnGetInstanceProcAddr);
        layer_ = layer.pfnGetInstanceProcAddr;
        ask_ = layer.pfnGetDeviceProcAddr;
        make_device();
    }
    void TearDown() override {
        destroy_device();
        destroy_instance_(instance_, nullptr);
        EXPECT_EQ(driver_calls_too_new(), 0);
        EXPECT_EQ(driver_semaphores(), semaphores_) << "the layer has not destroyed its semaphores";
    }

    void renew_device() {
        destroy_device();
        make_device();
    }
    VkDevice device() const { return device_; }

    // Returns the layer's function.
    template <typename Function>
    Function function(const char* name) const {
        return reinterpret_cast<Function>(ask_(device_, name));
    }
    VkResult submit(uint32_t count, const VkSubmitInfo* batches, VkFence fence = VK_NULL_HANDLE, int queue = 0) const {
        return function<PFN_vkQueueSubmit>("vkQueueSubmit")(driver_queue(queue), count, batches, fence);
    }
    VkResult submit(uint32_t count, const VkSubmitInfo2* batches, VkFence fence = VK_NULL_HANDLE, int queue = 0) const {
        return function<PFN_vkQueueSubmit2>("vkQueueSubmit2")(driver_queue(queue), count, batches, fence);
    }
    // Returns a semaphore of the program's.
    VkSemaphore semaphore(VkSemaphoreType type) {
        VkSemaphoreTypeCreateInfo kind{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, type, 0};
        VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &kind, 0};
        VkSemaphore made = VK_NULL_HANDLE;
        EXPECT_EQ(function<PFN_vkCreateSemaphore>("vkCreateSemaphore")(device_, &info, nullptr, &made), VK_SUCCESS);
        ++semaphores_;
        return made;
    }
    uint64_t value_of(VkSemaphore semaphore) const {
        uint64_t value = 0;
        EXPECT_EQ(function<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue")(device_, semaphore, &value),
                  VK_SUCCESS);
        return value;
    }
    bool becomes(VkSemaphore semaphore, uint64_t value) const {
        return eventually([&] { return value_of(semaphore) == value; });
    }

    static XResult find(HwQueueHandle* hwq, int queue = 0) { return VulkanQueueGet(hwq, driver_queue(queue)); }
    static XQueueHandle xqueue(int queue = 0) {
        HwQueueHandle hwq = 0;
        XQueueHandle found = 0;
        EXPECT_EQ(find(&hwq, queue), kXSchedSuccess);
        EXPECT_EQ(XQueueGet(&found, hwq), kXSchedSuccess);
        return found;
    }
    static void suspend(XQueueHandle queue) { EXPECT_EQ(XQueueSuspend(queue, kQueueSuspendFlagNone), kXSchedSuccess); }
    static void resume(XQueueHandle queue) { EXPECT_EQ(XQueueResume(queue, kQueueResumeFlagNone), kXSchedSuccess); }
    static bool becomes_idle(XQueueHandle queue) {
        return eventually([queue] {
            XQueueState now = kQueueStateUnknown;
            return XQueueQuery(queue, &now) == kXSchedSuccess && now == kQueueStateIdle;
        });
    }

private:
    void make_instance(PFN_vkGetInstanceProcAddr layer) {
        VkLayerInstanceLink below{nullptr, driver_instance_function, nullptr};
        VkLayerInstanceCreateInfo link{VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, nullptr, VK_LAYER_LINK_INFO, {}};
        link.u.pLayerInfo = &below;
        VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
        application.apiVersion = version_;
        VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &link};
        info.pApplicationInfo = &application;
        const auto create = reinterpret_cast<PFN_vkCreateInstance>(layer(nullptr, "vkCreateInstance"));
        ASSERT_EQ(create(&info, nullptr, &instance_), VK_SUCCESS);
        destroy_instance_ = reinterpret_cast<PFN_vkDestroyInstance>(layer(instance_, "vkDestroyInstance"));
    }
    void destroy_device() const { function<PFN_vkDestroyDevice>("vkDestroyDevice")(device_, nullptr); }
    void make_device() {
        VkLayerDeviceLink below{nullptr, driver_instance_function, driver_device_function};
        VkLayerDeviceCreateInfo link{VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, nullptr, VK_LAYER_LINK_INFO, {}};
        link.u.pLayerInfo = &below;
        VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &link};
        uint32_t count = 1;
        VkPhysicalDevice physical = nullptr;
        reinterpret_cast<PFN_vkEnumeratePhysicalDevices>(layer_(instance_, "vkEnumeratePhysicalDevices"))(
            instance_, &count, &physical);
        const auto create = reinterpret_cast<PFN_vkCreateDevice>(layer_(instance_, "vkCreateDevice"));
        ASSERT_EQ(create(physical, &info, nullptr, &device_), VK_SUCCESS);
    }

    const uint32_t version_;
    VkInstance instance_ = nullptr;
    VkDevice device_ = nullptr;
    PFN_vkDestroyInstance destroy_instance_ = nullptr;
    PFN_vkGetInstanceProcAddr layer_ = nullptr;
    PFN_vkGetDeviceProcAddr ask_ = nullptr;
    int semaphores_ = 0;  // of the program's
};

}  // namespace xsched::test
