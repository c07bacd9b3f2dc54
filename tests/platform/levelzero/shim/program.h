// An ordinary Level Zero program's objects, on the stand-in: a context, and immediate lists or command queues together
// with the XQueues that the shim made for them.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "fake/levelzero/fake_ze.h"
#include "support/eventually.h"
#include "xsched/levelzero/hal.h"
#include "xsched/xsched.h"

namespace xsched::test {

constexpr uint64_t kForever = UINT64_MAX;
constexpr uint64_t kShortNs = 30'000'000;  // in which a command that nothing keeps back would long have run

// At the end of each test the driver's rules were kept.
class KeepsRules : public ::testing::Test {
protected:
    void TearDown() override {
        EXPECT_EQ(fake_ze_misuses(), 0);
        EXPECT_EQ(fake_ze_alive(), 0) << "an object of ours or of the test is not destroyed";
    }
};

class Program {
public:
    // `device`: 0 is a GPU, 1 an NPU.
    explicit Program(uint32_t device = 0) {
        EXPECT_EQ(zeInit(0), ZE_RESULT_SUCCESS);
        ze_driver_handle_t driver = nullptr;
        uint32_t count = 1;
        EXPECT_EQ(zeDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
        ze_device_handle_t devices[2];
        count = 2;
        EXPECT_EQ(zeDeviceGet(driver, &count, devices), ZE_RESULT_SUCCESS);
        device_ = devices[device];
        ze_context_desc_t desc{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        EXPECT_EQ(zeContextCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
        ze_event_pool_desc_t pool{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 32};
        zeEventPoolCreate(context, &pool, 1, &device_, &pool_);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() {
        for (ze_event_handle_t event : events_) EXPECT_EQ(zeEventDestroy(event), ZE_RESULT_SUCCESS);
        if (pool_ != nullptr) {
            EXPECT_EQ(zeEventPoolDestroy(pool_), ZE_RESULT_SUCCESS);
        }
        EXPECT_EQ(zeContextDestroy(context), ZE_RESULT_SUCCESS);
    }

    ze_event_handle_t event() {
        ze_event_desc_t desc{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, static_cast<uint32_t>(events_.size()), 0, 0};
        EXPECT_EQ(zeEventCreate(pool_, &desc, &events_.emplace_back()), ZE_RESULT_SUCCESS);
        return events_.back();
    }
    ze_command_list_handle_t immediate(uint32_t flags = kFakeZeInOrder,
                                       ze_command_queue_priority_t priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL) const {
        ze_command_queue_desc_t desc = description(flags, priority);
        ze_command_list_handle_t made = nullptr;
        EXPECT_EQ(zeCommandListCreateImmediate(context, device_, &desc, &made), ZE_RESULT_SUCCESS);
        return made;
    }
    // Returns a list whose functions return when the command is complete.
    ze_command_list_handle_t synchronous() const {
        ze_command_queue_desc_t desc = description(kFakeZeInOrder, ZE_COMMAND_QUEUE_PRIORITY_NORMAL);
        desc.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
        ze_command_list_handle_t made = nullptr;
        EXPECT_EQ(zeCommandListCreateImmediate(context, device_, &desc, &made), ZE_RESULT_SUCCESS);
        return made;
    }
    ze_command_queue_handle_t queue(ze_command_queue_priority_t priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL) const {
        ze_command_queue_desc_t desc = description(0, priority);
        ze_command_queue_handle_t made = nullptr;
        EXPECT_EQ(zeCommandQueueCreate(context, device_, &desc, &made), ZE_RESULT_SUCCESS);
        return made;
    }
    // Returns a closed list that signals the event.
    ze_command_list_handle_t closed(ze_event_handle_t signal) const {
        ze_command_list_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
        ze_command_list_handle_t made = nullptr;
        EXPECT_EQ(zeCommandListCreate(context, device_, &desc, &made), ZE_RESULT_SUCCESS);
        EXPECT_EQ(zeCommandListAppendBarrier(made, signal, 0, nullptr), ZE_RESULT_SUCCESS);
        EXPECT_EQ(zeCommandListClose(made), ZE_RESULT_SUCCESS);
        return made;
    }

    ze_device_handle_t device() const { return device_; }

    ze_context_handle_t context = nullptr;

private:
    static ze_command_queue_desc_t description(uint32_t flags, ze_command_queue_priority_t priority) {
        ze_command_queue_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
        desc.flags = flags;
        desc.priority = priority;
        return desc;
    }

    ze_device_handle_t device_ = nullptr;
    ze_event_pool_handle_t pool_ = nullptr;
    std::vector<ze_event_handle_t> events_;
};

// The XQueue of a list or queue; 0: there is none.
inline XQueueHandle xqueue_of(HwQueueHandle hwq) {
    XQueueHandle queue = 0;
    EXPECT_EQ(XQueueGet(&queue, hwq), kXSchedSuccess);
    return queue;
}
inline XQueueHandle xqueue_of(ze_command_list_handle_t list) {
    HwQueueHandle hwq = 0;
    EXPECT_EQ(ZeListGet(&hwq, list), kXSchedSuccess) << "the shim is not loaded, or did not wrap the list";
    return xqueue_of(hwq);
}
inline XQueueHandle xqueue_of(ze_command_queue_handle_t queue) {
    HwQueueHandle hwq = 0;
    EXPECT_EQ(ZeQueueGet(&hwq, queue), kXSchedSuccess) << "the shim is not loaded, or did not wrap the queue";
    return xqueue_of(hwq);
}
inline bool becomes_idle(XQueueHandle queue) {
    return eventually([queue] {
        XQueueState now = kQueueStateUnknown;
        return XQueueQuery(queue, &now) == kXSchedSuccess && now == kQueueStateIdle;
    });
}
// Creates an immediate command list and uses it once, so that the shim has made an XQueue for it.
inline ze_command_list_handle_t used_list(const Program& program, uint32_t flags) {
    const ze_command_list_handle_t list = program.immediate(flags);
    uint32_t from = 1, to = 0;
    EXPECT_EQ(zeCommandListAppendMemoryCopy(list, &to, &from, sizeof to, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListHostSynchronize(list, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(to, 1u);
    return list;
}
inline void suspend(XQueueHandle queue) { EXPECT_EQ(XQueueSuspend(queue, kQueueSuspendFlagNone), kXSchedSuccess); }
inline void resume(XQueueHandle queue) { EXPECT_EQ(XQueueResume(queue, kQueueResumeFlagNone), kXSchedSuccess); }

}  // namespace xsched::test
