// A program that uses HSA and no HIP: its queues are scheduled as its doorbells ring, at level 1, and at level 3 where
// the kernel driver lets them be taken off. The program sees the stand-ins as it would see the runtime, by name.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "fake/hsa/fake_hsa.h"
#include "fake/kfd/fake_kfd.h"
#include "platform/hip/hal/hsa_api.h"
#include "platform/hip/hal/kfd_api.h"
#include "queue/abi/queue_abi.h"
#include "support/eventually.h"
#include "xsched/xsched.h"

namespace xsched::test {
namespace {

using namespace xsched::hip::hsa;
using std::chrono::milliseconds;

template <typename Function>
Function* named(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}
template <typename Function>
Function pointer(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

bool interrupts() { return std::getenv("FAKE_KFD") != nullptr && std::getenv("FAKE_KFD_REFUSE") == nullptr; }
unsigned standing() {
    return std::getenv("FAKE_KFD") != nullptr
               ? named<decltype(fake_kfd_standing)>("fake_kfd_standing")(hip::kfd::KFD_IOC_QUEUE_TYPE_COMPUTE_AQL)
               : 0;
}
void run_for(int64_t ns) { named<decltype(fake_hsa_run_for)>("fake_hsa_run_for")(ns); }

// A kernel of the fake device is a host function: it takes a given time and records when it began and ended.
struct Kernel {
    int64_t ns = 0;
    std::atomic<bool> began{false};
    std::atomic<bool> done{false};
    std::atomic<bool>* before = nullptr;  // whether this was done when it began
    bool after = false;
};
void run_kernel(void* argument) {
    Kernel& kernel = **static_cast<Kernel**>(argument);
    if (kernel.before != nullptr) kernel.after = kernel.before->load();
    kernel.began = true;
    run_for(kernel.ns);
    kernel.done = true;
}

class DirectHsa : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(pointer<hsa_status_t (*)()>("hsa_init")(), HSA_STATUS_SUCCESS); }
    void TearDown() override {
        for (hsa_queue_t* queue : queues_) destroy(queue);
        EXPECT_EQ(standing(), 0u) << "left behind";
    }
    hsa_queue_t* make(uint64_t agent = 1) {
        hsa_queue_t* queue = nullptr;
        const auto create = pointer<QueueCreate>("hsa_queue_create");
        EXPECT_EQ(create({agent}, 64, 0, nullptr, nullptr, 0, 0, &queue), HSA_STATUS_SUCCESS);
        queues_.push_back(queue);
        return queue;
    }
    void destroy(hsa_queue_t* queue) {
        EXPECT_EQ(pointer<QueueDestroy>("hsa_queue_destroy")(queue), HSA_STATUS_SUCCESS);
    }
    void destroy_now(hsa_queue_t* queue) {
        std::erase(queues_, queue);
        destroy(queue);
    }
    // Fills a packet as programs do: its header last, then rings the doorbell.
    static void launch(hsa_queue_t* queue, Kernel& kernel, const char* store = "hsa_signal_store_screlease") {
        struct Packet {
            uint16_t header, setup, size[3], reserved0;
            uint32_t grid[3], private_bytes, group_bytes;
            void (*kernel_object)(void*);
            void* arguments;
            uint64_t reserved2, completion_signal;
        };
        static std::atomic<Kernel*> arguments[1024];  // of the process's launches
        static std::atomic<unsigned> next{0};
        const auto add = pointer<uint64_t (*)(const hsa_queue_t*, uint64_t)>("hsa_queue_add_write_index_screlease");
        const uint64_t index = add(queue, 1);
        auto* packet = static_cast<Packet*>(queue->base_address) + index % queue->size;
        auto& argument = arguments[next++ % 1024];
        argument = &kernel;
        packet->kernel_object = run_kernel;
        packet->arguments = &argument;
        packet->completion_signal = 0;
        __atomic_store_n(&packet->header, uint16_t{2}, __ATOMIC_RELEASE);
        pointer<SignalStore>(store)(queue->doorbell_signal, static_cast<int64_t>(index));
    }
    // 0: none.
    static XQueueHandle xqueue_of(const hsa_queue_t* queue) {
        HwQueueHandle hwq = 0;
        XQueueHandle xqueue = 0;
        if (xq_hwq_find(&hwq, kPlatformHIP, reinterpret_cast<uintptr_t>(queue)) != kXSchedSuccess) return 0;
        return XQueueGet(&xqueue, hwq) == kXSchedSuccess ? xqueue : 0;
    }
    XQueueHandle used(hsa_queue_t* queue) {
        Kernel kernel;
        launch(queue, kernel);
        EXPECT_TRUE(eventually([&] { return kernel.done.load(); }));
        return xqueue_of(queue);
    }
    static bool idle(XQueueHandle xqueue) {
        XQueueState state = kQueueStateUnknown;
        return XQueueQuery(xqueue, &state) == kXSchedSuccess && state == kQueueStateIdle;
    }

    std::vector<hsa_queue_t*> queues_;
};

TEST_F(DirectHsa, TheFirstRingMakesAnXQueue) {
    hsa_queue_t* queue = make();
    EXPECT_EQ(xqueue_of(queue), 0u);
    EXPECT_NE(used(queue), 0u);
    destroy_now(queue);
    EXPECT_EQ(xqueue_of(queue), 0u);
}

TEST_F(DirectHsa, EachKindOfStoreToTheDoorbellIsACommand) {
    hsa_queue_t* queue = make();
    const XQueueHandle xqueue = used(queue);
    Kernel first, second;
    XQueueSuspend(xqueue, kQueueSuspendFlagNone);
    std::thread one([&] { launch(queue, first, "hsa_signal_store_relaxed"); });
    std::thread other([&] { launch(queue, second); });
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_FALSE(first.began) << "its thread waits";
    EXPECT_FALSE(second.began);
    XQueueResume(xqueue, kQueueResumeFlagNone);
    one.join();
    other.join();
    EXPECT_TRUE(eventually([&] { return first.done && second.done; }));
}

TEST_F(DirectHsa, OtherSignalsAreLeftAlone) {
    hsa_queue_t* queue = make();
    const XQueueHandle xqueue = used(queue);
    XQueueSuspend(xqueue, kQueueSuspendFlagNone);
    hsa_signal_t signal{};
    pointer<hsa_status_t (*)(int64_t, uint32_t, const hsa_agent_t*, hsa_signal_t*)>("hsa_signal_create")(1, 0, nullptr,
                                                                                                         &signal);
    pointer<SignalStore>("hsa_signal_store_screlease")(signal, 5);
    EXPECT_EQ(pointer<int64_t (*)(hsa_signal_t)>("hsa_signal_load_scacquire")(signal), 5);
    EXPECT_EQ(pointer<hsa_status_t (*)(hsa_signal_t)>("hsa_signal_destroy")(signal), HSA_STATUS_SUCCESS);
    XQueueResume(xqueue, kQueueResumeFlagNone);
}

// The end of the queue's work is known without a call of the program: the queue's own indices in memory tell it.
TEST_F(DirectHsa, TheEndIsKnownWithoutACall) {
    hsa_queue_t* queue = make();
    const XQueueHandle xqueue = used(queue);
    Kernel kernels[5];
    for (Kernel& kernel : kernels) {
        kernel.ns = 2'000'000;
        launch(queue, kernel);
    }
    EXPECT_FALSE(idle(xqueue));
    EXPECT_TRUE(eventually([&] { return kernels[4].done.load(); }));
    EXPECT_TRUE(eventually([&] { return idle(xqueue); }));
}

TEST_F(DirectHsa, ARunningKernelIsSuspendedAndGoesOn) {
    if (!interrupts()) GTEST_SKIP() << "without the fake kernel driver";
    hsa_queue_t* queue = make();
    hsa_queue_t* other = make();
    const XQueueHandle xqueue = used(queue);
    ASSERT_NE(used(other), 0u);
    ASSERT_EQ(XQueueSetPreemptLevel(xqueue, kPreemptLevelInterrupt), kXSchedSuccess);
    Kernel kernel, meanwhile;
    kernel.ns = 30'000'000;
    launch(queue, kernel);
    ASSERT_TRUE(eventually([&] { return kernel.began.load(); }));
    XQueueSuspend(xqueue, kQueueSuspendFlagNone);
    EXPECT_EQ(standing(), 1u) << "its own queue, and no other";
    launch(other, meanwhile);
    EXPECT_TRUE(eventually([&] { return meanwhile.done.load(); }));
    std::this_thread::sleep_for(milliseconds(60));
    EXPECT_FALSE(kernel.done);
    XQueueResume(xqueue, kQueueResumeFlagNone);
    EXPECT_TRUE(eventually([&] { return kernel.done.load(); }));
}

TEST_F(DirectHsa, AQueueThatGoesWhileSuspendedLeavesNothing) {
    hsa_queue_t* queue = make();
    const XQueueHandle xqueue = used(queue);
    XQueueSetPreemptLevel(xqueue, kPreemptLevelInterrupt);
    Kernel kernel;
    kernel.ns = 10'000'000;
    launch(queue, kernel);
    ASSERT_TRUE(eventually([&] { return kernel.began.load(); }));
    XQueueSuspend(xqueue, kQueueSuspendFlagNone);
    destroy_now(queue);
    EXPECT_EQ(standing(), 0u);
    for (int i = 0; i < 20; ++i) {  // its number and its memory are used again
        hsa_queue_t* next = make();
        EXPECT_NE(used(next), 0u);
        destroy_now(next);
    }
}

// With the local scheduler, an urgent and a less urgent queue of one program: once the urgent queue's only kernel is
// complete, the other queue gets the device at once, without any call of the program.
TEST_F(DirectHsa, TheUrgentQueueGoesFirst) {
    if (std::string(std::getenv("XSCHED_SCHEDULER")) != "local") GTEST_SKIP() << "without a scheduler";
    hsa_queue_t* low = make();
    hsa_queue_t* high = make();
    ASSERT_EQ(XHintPriority(used(low), 0), kXSchedSuccess);
    ASSERT_EQ(XHintPriority(used(high), 10), kXSchedSuccess);
    const auto in_order = [&] {
        Kernel urgent, behind;
        urgent.ns = 5'000'000;
        behind.before = &urgent.done;
        launch(high, urgent);
        launch(low, behind);
        EXPECT_TRUE(eventually([&] { return urgent.done && behind.done; }));
        return behind.after;
    };
    // The order is tried several times: the scheduler may decide a moment after a doorbell, and gives a waiting queue
    // of the same process a turn after 20 ms. Without the scheduler both would always run at once.
    EXPECT_TRUE(eventually([&] { return in_order() && in_order() && in_order(); }));
}

constexpr uint32_t kOfDriver[] = {0, 7, 11};  // of hsa_amd_queue_priority_t

uint32_t hardware_priority(const hsa_queue_t* queue) {
    const uint32_t id = named<decltype(fake_hsa_kfd_queue)>("fake_hsa_kfd_queue")(queue) - 1;
    return named<decltype(fake_kfd_priority)>("fake_kfd_priority")(id);
}
void set_priority(hsa_queue_t* queue, uint32_t priority) {
    EXPECT_EQ(pointer<QueueSetPriority>("hsa_amd_queue_set_priority")(queue, priority), HSA_STATUS_SUCCESS);
}

TEST_F(DirectHsa, TheProgramsOwnPriorityIsTheXQueues) {
    if (!interrupts()) GTEST_SKIP() << "without the fake kernel driver, or it refuses";
    hsa_queue_t* queue = make();
    set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH);
    const XQueueHandle xqueue = used(queue);
    const auto priority = [&] { return xq_priority(xq_from_handle(xqueue)); };
    EXPECT_EQ(priority(), 1);
    EXPECT_EQ(hardware_priority(queue), kOfDriver[HSA_AMD_QUEUE_PRIORITY_HIGH]) << "as the program set it";
    set_priority(queue, HSA_AMD_QUEUE_PRIORITY_LOW);
    EXPECT_EQ(priority(), -1);
    XHintPriority(xqueue, 5);
    set_priority(queue, HSA_AMD_QUEUE_PRIORITY_NORMAL);
    EXPECT_EQ(priority(), 5) << "somebody has set another";
}

TEST_F(DirectHsa, TheHardwareFollowsTheXQueuesPriority) {
    if (!interrupts()) GTEST_SKIP() << "without the fake kernel driver, or it refuses";
    hsa_queue_t* queue = make();
    const XQueueHandle xqueue = used(queue);
    EXPECT_EQ(hardware_priority(queue), kOfDriver[HSA_AMD_QUEUE_PRIORITY_NORMAL]);
    const std::pair<int32_t, uint32_t> cases[] = {
        {10, HSA_AMD_QUEUE_PRIORITY_HIGH}, {-3, HSA_AMD_QUEUE_PRIORITY_LOW}, {0, HSA_AMD_QUEUE_PRIORITY_NORMAL}};
    for (const auto& [priority, hardware] : cases) {
        XHintPriority(xqueue, priority);
        for (int i = 0; i < 16; ++i) used(queue);  // it is looked at now and then
        EXPECT_EQ(hardware_priority(queue), kOfDriver[hardware]) << priority;
    }
}

// The runtime updates a queue's properties (its priority) while the queue is suspended. The update must not let it
// run.
TEST_F(DirectHsa, ASuspendedQueueGetsItsPriorityAndStaysSuspended) {
    if (!interrupts()) GTEST_SKIP() << "without the fake kernel driver";
    hsa_queue_t* queue = make();
    const XQueueHandle xqueue = used(queue);
    ASSERT_EQ(XQueueSetPreemptLevel(xqueue, kPreemptLevelInterrupt), kXSchedSuccess);
    Kernel kernel;
    kernel.ns = 20'000'000;
    launch(queue, kernel);
    ASSERT_TRUE(eventually([&] { return kernel.began.load(); }));
    XQueueSuspend(xqueue, kQueueSuspendFlagNone);
    set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH);
    EXPECT_EQ(hardware_priority(queue), kOfDriver[HSA_AMD_QUEUE_PRIORITY_HIGH]);
    EXPECT_EQ(standing(), 1u);
    XQueueResume(xqueue, kQueueResumeFlagNone);
    EXPECT_TRUE(eventually([&] { return kernel.done.load(); }));
}

// Checks the fake KFD itself: if two kernels want the same compute units, the one of the queue with the higher
// priority gets them.
TEST_F(DirectHsa, TheHigherPriorityHasTheUnits) {
    if (std::getenv("FAKE_KFD_UNITS") == nullptr) GTEST_SKIP() << "one kernel after the other";
    hsa_queue_t* low = make();
    hsa_queue_t* high = make();
    used(low), used(high);
    set_priority(high, HSA_AMD_QUEUE_PRIORITY_HIGH);
    Kernel slow, quick;
    slow.ns = quick.ns = 40'000'000;
    quick.before = &slow.done;
    launch(low, slow);
    ASSERT_TRUE(eventually([&] { return slow.began.load(); }));
    launch(high, quick);
    EXPECT_TRUE(eventually([&] { return quick.done.load(); }));
    EXPECT_FALSE(slow.done) << "it had the device while the other ran";
    EXPECT_TRUE(eventually([&] { return slow.done.load(); }));
}

// Checks the fake device itself: on 16 of 32 compute units a kernel takes twice as long, and queues with different
// masks run at the same time.
TEST_F(DirectHsa, KernelsRunSideBySideOnTheirUnits) {
    if (std::getenv("FAKE_KFD_UNITS") == nullptr) GTEST_SKIP() << "one kernel after the other";
    constexpr int64_t kNs = 30'000'000;
    const auto set_mask = pointer<QueueSetMask>("hsa_amd_queue_cu_set_mask");
    hsa_queue_t* one = make();
    hsa_queue_t* other = make();
    used(one), used(other);
    const auto time_of = [&](std::vector<hsa_queue_t*> queues) {
        Kernel kernels[2];
        const auto began = std::chrono::steady_clock::now();
        for (size_t i = 0; i < queues.size(); ++i) {
            kernels[i].ns = kNs;
            launch(queues[i], kernels[i]);
        }
        for (size_t i = 0; i < queues.size(); ++i) EXPECT_TRUE(eventually([&] { return kernels[i].done.load(); }));
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    };
    EXPECT_GE(time_of({one}), 29);
    const uint32_t lower = 0xffff, upper = 0xffff0000;
    ASSERT_EQ(set_mask(one, 32, &lower), HSA_STATUS_SUCCESS);
    EXPECT_GE(time_of({one}), 59);
    ASSERT_EQ(set_mask(other, 32, &upper), HSA_STATUS_SUCCESS);
    EXPECT_TRUE(eventually([&] { return time_of({one, other}) < 90; })) << "120 ms in turns";
    ASSERT_EQ(set_mask(other, 32, &lower), HSA_STATUS_SUCCESS);
    EXPECT_GE(time_of({one, other}), 110) << "on the same units they share them";
}

}  // namespace
}  // namespace xsched::test
