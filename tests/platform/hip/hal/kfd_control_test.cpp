// Suspending queues by KFD's debugger calls, on a driver that fails on purpose: no queue stays suspended, and after
// one failure the way is still used.
#include "platform/hip/hal/kfd_control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <vector>

#include "platform/hip/hal/kfd_api.h"

namespace xsched::hip::kfd {
namespace {

// A driver with queues 0, 1 and 2.
struct Driver {
    std::set<uint32_t> queues{0, 1, 2}, suspended;
    bool attached = false;
    int idle_resumes = 0;  // so many resume calls do nothing, and return 0
    int failing_resumes = 0;  // so many mark all queues as failed, and return their number
    std::vector<uint32_t> ops;
};
Driver* g_driver = nullptr;

int switch_queues(uint32_t* ids, uint32_t count, bool suspend) {
    int done = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (g_driver->queues.count(ids[i]) == 0) {
            ids[i] |= kQueueInvalid;
            continue;
        }
        suspend ? void(g_driver->suspended.insert(ids[i])) : void(g_driver->suspended.erase(ids[i]));
        ++done;
    }
    return done;
}

int fail(uint32_t* ids, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) ids[i] |= kQueueError;
    return static_cast<int>(count);
}

int resume_queues(uint32_t* ids, uint32_t count) {
    if (g_driver->idle_resumes-- > 0) return 0;
    return g_driver->failing_resumes-- > 0 ? fail(ids, count) : switch_queues(ids, count, false);
}

int driver(int, unsigned long request, void* argument) {
    EXPECT_EQ(request, AMDKFD_IOC_DBG_TRAP);
    auto& asked = *static_cast<kfd_ioctl_dbg_trap_args*>(argument);
    g_driver->ops.push_back(asked.op);
    const auto ids = [](uint64_t address) { return reinterpret_cast<uint32_t*>(address); };
    switch (asked.op) {
        case KFD_IOC_DBG_TRAP_DISABLE: g_driver->suspended.clear(); [[fallthrough]];
        case KFD_IOC_DBG_TRAP_ENABLE: g_driver->attached = asked.op == KFD_IOC_DBG_TRAP_ENABLE; return 0;
        case KFD_IOC_DBG_TRAP_SUSPEND_QUEUES:
            return switch_queues(ids(asked.suspend_queues.queue_array_ptr), asked.suspend_queues.num_queues, true);
        case KFD_IOC_DBG_TRAP_RESUME_QUEUES:
            return resume_queues(ids(asked.resume_queues.queue_array_ptr), asked.resume_queues.num_queues);
        default: return 0;
    }
}

class DebuggersWay : public testing::Test {
protected:
    DebuggersWay() { g_driver = &driver_; }
    int suspend_all() { return suspend(Way::kDebugger, driver, debugger_, queues_, 3); }
    int resume_all() { return resume(Way::kDebugger, driver, debugger_, queues_, 3); }

    Driver driver_;
    Debugger debugger_;
    const Queue queues_[3] = {{.fd = 3, .id = 0}, {.fd = 3, .id = 1}, {.fd = 3, .id = 2}};
};

TEST_F(DebuggersWay, SuspendsAndResumes) {
    EXPECT_EQ(suspend_all(), 0);
    EXPECT_EQ(driver_.suspended.size(), 3u);
    EXPECT_EQ(resume_all(), 0);
    EXPECT_EQ(driver_.suspended.size(), 0u);
    EXPECT_TRUE(debugger_.attached) << "attaching costs more than all the rest";
}

TEST_F(DebuggersWay, AResumeThatDidNothingEndsIt) {
    ASSERT_EQ(suspend_all(), 0);
    driver_.idle_resumes = 1;
    EXPECT_EQ(resume_all(), EIO);
    EXPECT_EQ(driver_.suspended.size(), 0u) << "detaching resumes all";
    EXPECT_FALSE(debugger_.attached);
    EXPECT_FALSE(driver_.attached);
}

TEST_F(DebuggersWay, AResumeThatFailedEndsIt) {
    ASSERT_EQ(suspend_all(), 0);
    driver_.failing_resumes = 1;
    EXPECT_EQ(resume_all(), EIO) << "the number is right, but the driver marked the queues";
    EXPECT_EQ(driver_.suspended.size(), 0u);
}

TEST_F(DebuggersWay, AMissingQueueIsLookedForOnceMore) {
    driver_.queues.erase(1);
    EXPECT_EQ(suspend_all(), kQueueMissing);
    EXPECT_EQ(driver_.suspended.size(), 0u) << "all or none";
    EXPECT_TRUE(debugger_.attached) << "the way is not given up";
    EXPECT_EQ(std::count(driver_.ops.begin(), driver_.ops.end(), KFD_IOC_DBG_TRAP_SUSPEND_QUEUES), 2);
    driver_.queues.insert(1);
    EXPECT_EQ(suspend_all(), 0) << "it was only for a moment";
    EXPECT_EQ(resume_all(), 0);
}

TEST_F(DebuggersWay, NothingStaysSuspendedAfterAMissingQueue) {
    driver_.queues.erase(1);
    driver_.idle_resumes = 9;
    EXPECT_EQ(suspend_all(), EBUSY);
    EXPECT_EQ(driver_.suspended.size(), 0u);
    EXPECT_FALSE(debugger_.attached);
}

}  // namespace
}  // namespace xsched::hip::kfd
