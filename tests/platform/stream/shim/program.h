// What the tests of the shims for CUDA and HIP have in common: an ordinary program with streams, work whose effect can
// be looked at, and the XQueues that the shim made for its streams.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include "support/eventually.h"
#include "xsched/xsched.h"

namespace xsched::test {

inline bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '1';
}
inline bool gates() { return !is_set("FAKE_CUDA_NO_MEMOPS"); }

// Vendor: its Stream, Result and kSuccess; new_stream, synchronize and destroy; queue_get and queue_create of the C
// API.
template <typename Vendor>
class StreamTest : public testing::Test {
protected:
    using Stream = typename Vendor::Stream;
    using Result = typename Vendor::Result;
    static constexpr Result kSuccess = Vendor::kSuccess;

    // Appends `value` to the word, in stream order.
    virtual Result append(Stream stream, uint32_t value) = 0;
    virtual Result noop(Stream stream) = 0;
    // On another thread of the program, before it works.
    virtual void begin_thread() {}

    uint32_t word() const { return *const_cast<volatile uint32_t*>(word_); }

    // The XQueue of a stream; 0: it has none.
    static XQueueHandle xqueue_of(Stream stream) {
        HwQueueHandle hwq = 0;
        XQueueHandle xqueue = 0;
        if (Vendor::queue_get(&hwq, stream) != kXSchedSuccess) return 0;
        return XQueueGet(&xqueue, hwq) == kXSchedSuccess ? xqueue : 0;
    }
    // The same, made by a first use.
    XQueueHandle used_xqueue_of(Stream stream) {
        EXPECT_EQ(noop(stream), kSuccess);
        const XQueueHandle xqueue = xqueue_of(stream);
        EXPECT_NE(xqueue, 0u) << "stream " << stream << " is not scheduled";
        return xqueue;
    }
    static int64_t commands_of(XQueueHandle xqueue) {
        int64_t count = -1;
        EXPECT_EQ(XQueueProfileHwCommandCount(xqueue, &count), kXSchedSuccess);
        return count;
    }
    static XQueueState state_of(XQueueHandle xqueue) {
        XQueueState state = kQueueStateUnknown;
        EXPECT_EQ(XQueueQuery(xqueue, &state), kXSchedSuccess);
        return state;
    }
    static bool becomes_idle(XQueueHandle xqueue) {
        return eventually([&] { return state_of(xqueue) == kQueueStateIdle; });
    }

    // The call is one command of that queue, however the driver does it inside.
    static void expect_command(XQueueHandle xqueue, const char* name, const std::function<Result()>& call) {
        const int64_t before = commands_of(xqueue);
        EXPECT_EQ(call(), kSuccess) << name;
        EXPECT_EQ(commands_of(xqueue), before + 1) << name;
    }
    void expect_held_while_suspended(XQueueHandle xqueue, Stream stream) {
        const uint32_t before = word();
        ASSERT_EQ(Vendor::synchronize(stream), kSuccess);
        ASSERT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagNone), kXSchedSuccess);
        std::atomic<bool> launched{false};
        std::thread program([&] {  // where there are no gates it waits
            begin_thread();
            for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(append(stream, i), kSuccess);
            launched = true;
        });
        let_time_pass();
        EXPECT_EQ(word(), before);
        if (gates()) {
            EXPECT_TRUE(eventually([&] { return launched.load(); })) << "nobody waits";
        } else {
            EXPECT_FALSE(launched);
        }
        ASSERT_EQ(XQueueResume(xqueue, kQueueResumeFlagNone), kXSchedSuccess);
        program.join();
        ASSERT_EQ(Vendor::synchronize(stream), kSuccess);
        EXPECT_EQ(word(), (((before * 31) + 0) * 31 + 1) * 31 + 2);
    }
    // `copy` fetches the word to its argument, on the NULL stream, and waits.
    void expect_copy_waits(XQueueHandle null, const std::function<Result(uint32_t*)>& copy) {
        ASSERT_EQ(Vendor::synchronize(nullptr), kSuccess);
        ASSERT_EQ(XQueueSuspend(null, kQueueSuspendFlagNone), kXSchedSuccess);
        std::atomic<bool> copied{false};
        std::thread program([&] {
            begin_thread();
            EXPECT_EQ(append(nullptr, 9), kSuccess);
            uint32_t seen = 0;
            EXPECT_EQ(copy(&seen), kSuccess);
            EXPECT_EQ(seen, 9u);
            copied = true;
        });
        let_time_pass();
        EXPECT_FALSE(copied);
        ASSERT_EQ(XQueueResume(null, 0), kXSchedSuccess);
        program.join();
        EXPECT_TRUE(becomes_idle(null));
    }
    void expect_works(XQueueHandle xqueue, Stream stream) {
        ASSERT_EQ(append(stream, 3), kSuccess);
        ASSERT_EQ(Vendor::synchronize(stream), kSuccess);
        EXPECT_EQ(word(), 3u);
        EXPECT_TRUE(becomes_idle(xqueue));
    }
    // The program's own XQueue is used, and replaced when it goes; the hardware queue's handle.
    HwQueueHandle expect_own_xqueue_used() {
        const Stream stream = Vendor::new_stream();
        HwQueueHandle hwq = 0;
        XQueueHandle own = 0;
        EXPECT_EQ(Vendor::queue_create(&hwq, stream), kXSchedSuccess);
        EXPECT_EQ(Vendor::queue_create(&hwq, stream), kXSchedErrorNotAllowed);
        EXPECT_EQ(XQueueCreate(&own, hwq, kPreemptLevelUnknown, kQueueCreateFlagNone), kXSchedSuccess);
        EXPECT_EQ(used_xqueue_of(stream), own);
        EXPECT_EQ(commands_of(own), 1);
        EXPECT_EQ(XQueueDestroy(own), kXSchedSuccess);
        const XQueueHandle next = used_xqueue_of(stream);
        EXPECT_NE(next, own);
        EXPECT_EQ(commands_of(next), 1);
        EXPECT_EQ(Vendor::destroy(stream), kSuccess);
        return hwq;
    }

    uint32_t* word_ = nullptr;
};

}  // namespace xsched::test
