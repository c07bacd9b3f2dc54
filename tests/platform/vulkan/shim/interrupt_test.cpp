// Level 3 of a Vulkan program on the fake kernel driver of NVIDIA's: CUDA's shim sees the channels that Vulkan's driver
// allocates, and the layer takes them off. The program suspends its queues by itself.
#include <sys/ioctl.h>

#include <vector>

#include "fake/rm/fake_rm.h"
#include "host/rm_api.h"
#include "platform/nvidia/hal/interrupts_abi.h"
#include "platform/vulkan/shim/program.h"

namespace xsched::test {
namespace {

using namespace cuda::rm;

// The objects of a process's Vulkan driver in the kernel driver: one group of two channels for graphics and kernels.
class Channels {
public:
    explicit Channels(uint32_t gpu = 0) : file_(open_file()) {
        client_ = allocate(0, NV01_ROOT_CLIENT);
        const uint32_t ordinal[16] = {gpu};
        device_ = allocate(client_, NV01_DEVICE_0, ordinal);
        allocate(device_, NV20_SUBDEVICE_0);
        const NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS graphics{0, 0, 0, NV2080_ENGINE_TYPE_GR0};
        const uint32_t group = allocate(device_, KEPLER_CHANNEL_GROUP_A, &graphics);
        for (uint32_t& channel : channels_) channel = allocate(group, 0xc86f);
    }
    // Frees the client, as the driver does when the program's instance is destroyed.
    ~Channels() {
        NVOS00_PARAMETERS request{client_, 0, client_, 0};
        call(NV_ESC_RM_FREE, request);
    }
    Channels(const Channels&) = delete;
    Channels& operator=(const Channels&) = delete;

    uint32_t disabled() const {
        uint32_t count = 0;
        for (const uint32_t channel : channels_)
            count += of_fake<decltype(fake_rm_disabled)>("fake_rm_disabled")(file_, client_, channel)->load() != 0;
        return count;
    }

private:
    template <typename Function>
    static Function* of_fake(const char* name) {
        return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
    }
    static int open_file() { return of_fake<decltype(fake_rm_open)>("fake_rm_open")(); }
    template <typename Request>
    void call(unsigned number, Request& request) const {
        ioctl(file_, _IOC(_IOC_READ | _IOC_WRITE, 'F', number, sizeof request), &request);
    }
    uint32_t allocate(uint32_t parent, uint32_t object_class, const void* parameters = nullptr) const {
        NVOS21_PARAMETERS request{client_, parent, 0, object_class, reinterpret_cast<uintptr_t>(parameters), 0, 0};
        call(NV_ESC_RM_ALLOC, request);
        return request.hObjectNew;
    }

    const int file_;
    uint32_t client_ = 0;
    uint32_t device_ = 0;
    uint32_t channels_[2] = {};
};

class VulkanInterrupts : public Program {
protected:
    void SetUp() override {
        driver_is_nvidia(true);
        Program::SetUp();
    }
    void TearDown() override {
        EXPECT_EQ(channels_.disabled(), 0u);
        Program::TearDown();
        driver_is_nvidia(false);
    }
    // Returns a queue that has had a command, at level 3.
    XQueueHandle queue_at_level_3(int number = 0) {
        const VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        EXPECT_EQ(submit(1, &work, VK_NULL_HANDLE, number), VK_SUCCESS);
        const XQueueHandle queue = xqueue(number);
        EXPECT_EQ(XQueueSetPreemptLevel(queue, kPreemptLevelInterrupt), kXSchedSuccess);
        return queue;
    }
    VkSwapchainKHR make_swapchain() const {
        const VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
        VkSwapchainKHR made = VK_NULL_HANDLE;
        EXPECT_EQ(function<PFN_vkCreateSwapchainKHR>("vkCreateSwapchainKHR")(device(), &info, nullptr, &made),
                  VK_SUCCESS);
        return made;
    }
    void destroy_swapchain(VkSwapchainKHR swapchain) const {
        function<PFN_vkDestroySwapchainKHR>("vkDestroySwapchainKHR")(device(), swapchain, nullptr);
    }

    Channels channels_;
};

TEST_F(VulkanInterrupts, ASuspendedProgramIsTakenOff) {
    const XQueueHandle queue = queue_at_level_3();
    EXPECT_EQ(channels_.disabled(), 0u);
    suspend(queue);
    EXPECT_EQ(channels_.disabled(), 2u);
    resume(queue);
    EXPECT_EQ(channels_.disabled(), 0u);
}

TEST_F(VulkanInterrupts, ItsQueuesDoNotStopEachOther) {
    const XQueueHandle first = queue_at_level_3(0);
    const XQueueHandle second = queue_at_level_3(1);
    suspend(first);
    EXPECT_EQ(channels_.disabled(), 0u);
    suspend(second);
    EXPECT_EQ(channels_.disabled(), 2u);
    resume(first);
    EXPECT_EQ(channels_.disabled(), 0u);
    resume(second);
}

TEST_F(VulkanInterrupts, ADeviceThatIsDestroyedLeavesNothingOff) {
    suspend(queue_at_level_3());
    EXPECT_EQ(channels_.disabled(), 2u);
    renew_device();
    EXPECT_EQ(channels_.disabled(), 0u);
}

// A desktop may wait for the frames of a program with a swapchain.
TEST_F(VulkanInterrupts, AProgramWithASwapchainIsNotTakenOff) {
    const XQueueHandle queue = queue_at_level_3();
    suspend(queue);
    EXPECT_EQ(channels_.disabled(), 2u);
    const VkSwapchainKHR first = make_swapchain();
    EXPECT_EQ(channels_.disabled(), 0u) << "it runs before its first frame";
    resume(queue);
    const VkSwapchainKHR second = make_swapchain();
    destroy_swapchain(first);
    suspend(queue);
    EXPECT_EQ(channels_.disabled(), 0u) << "it has one more";
    resume(queue);
    destroy_swapchain(second);
    suspend(queue);
    EXPECT_EQ(channels_.disabled(), 2u);
    resume(queue);
}

// On displays without a desktop several are made by one call (VK_KHR_display_swapchain).
TEST_F(VulkanInterrupts, EachOfSeveralSwapchainsCounts) {
    const XQueueHandle queue = queue_at_level_3();
    const VkSwapchainCreateInfoKHR infos[2] = {{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR},
                                               {VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR}};
    VkSwapchainKHR made[2] = {};
    const auto create = function<PFN_vkCreateSharedSwapchainsKHR>("vkCreateSharedSwapchainsKHR");
    ASSERT_EQ(create(device(), 2, infos, nullptr, made), VK_SUCCESS);
    destroy_swapchain(made[0]);
    suspend(queue);
    EXPECT_EQ(channels_.disabled(), 0u) << "it has one more";
    resume(queue);
    destroy_swapchain(made[1]);
    suspend(queue);
    EXPECT_EQ(channels_.disabled(), 2u);
    resume(queue);
}

TEST_F(VulkanInterrupts, AQueueThatIsMadeBehindTheSwapchainIsNotTakenOff) {
    const VkSwapchainKHR swapchain = make_swapchain();
    const XQueueHandle queue = queue_at_level_3();
    suspend(queue);
    EXPECT_EQ(channels_.disabled(), 0u);
    resume(queue);
    destroy_swapchain(swapchain);
    suspend(queue);
    EXPECT_EQ(channels_.disabled(), 2u);
    resume(queue);
}

TEST_F(VulkanInterrupts, ADestroyedDevicesSwapchainsAreForgotten) {
    make_swapchain();
    renew_device();
    const XQueueHandle queue = queue_at_level_3();
    suspend(queue);
    EXPECT_EQ(channels_.disabled(), 2u);
    resume(queue);
}

// Takes a queue of the fake kernel driver's GPU of that number off again and again. Returns what the calls cost, in us.
uint32_t cost_of_calls(uint32_t number, bool whole_workgroups) {
    const Channels channels(number);
    const auto all = reinterpret_cast<XcuInterrupts*>(dlsym(RTLD_DEFAULT, "xcu_interrupts"))();
    stream::Interruptible queue;
    const XDevice gpu = static_cast<XDevice>(kDeviceTypeGPU) << 32 | (0x40 + number) << 8;
    queue.interruptible =
        all->join(queue, {.gpu = gpu, .name = "a GPU", .shared = false, .whole_workgroups = whole_workgroups});
    EXPECT_TRUE(queue.interruptible);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(all->interrupt(queue, kXqTakeOff), kXSchedSuccess);
        EXPECT_EQ(channels.disabled(), 2u);
        all->restore(queue);
    }
    const uint32_t us = all->stop_state(queue).calls_us;
    all->leave(queue);
    return us;
}

// The call returns when the running workgroups have ended: the program has the device until then.
TEST(CallsCost, NothingThatAWorkgroupGoesOnFor) {
    EXPECT_GT(cost_of_calls(1, false), 0u);
    EXPECT_EQ(cost_of_calls(2, true), 0u);
}

// The channels of this process are NVIDIA's, but its Vulkan device is not.
class OtherVendor : public VulkanInterrupts {
protected:
    void SetUp() override { Program::SetUp(); }
};

TEST_F(OtherVendor, HasLevelOneAlone) {
    const VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    EXPECT_EQ(submit(1, &work), VK_SUCCESS);
    EXPECT_EQ(XQueueSetPreemptLevel(xqueue(), kPreemptLevelInterrupt), kXSchedErrorNotSupported);
    suspend(xqueue());
    EXPECT_EQ(channels_.disabled(), 0u);
    resume(xqueue());
}

}  // namespace
}  // namespace xsched::test
