// The common part of the tests of the shims for CUDA and HIP: an ordinary program with streams, work whose effect can
// be looked at, and the XQueues that the shim made for its streams.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>
#include <type_traits>

#include "support/child.h"
#include "support/eventually.h"
#include "xsched/xsched.h"

namespace xsched::test {

inline bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '1';
}
inline bool gates() { return !is_set("FAKE_CUDA_NO_MEMOPS"); }

// The vendor's functions that the programs need. Result{} is success.
template <typename StreamType, typename ResultType, typename ModuleType, typename KernelType, typename PointerType>
struct StreamCalls {
    using Stream = StreamType;
    using Result = ResultType;
    using Module = ModuleType;
    using Kernel = KernelType;
    using Pointer = PointerType;  // memory's address as the device knows it

    Result (*create)(Stream*, unsigned flags, int priority);
    Result (*synchronize)(Stream);
    Result (*destroy)(Stream);
    Result (*synchronize_all)();
    Result (*load)(Module*, const void*);
    Result (*unload)(Module);
    Result (*find)(Kernel*, Module, const char*);
    Result (*allocate)(void**, size_t, unsigned flags);
    Result (*pointer)(Pointer*, void*, unsigned flags);
    Result (*release)(void*);
    Result (*launch)(Kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**,
                     void**);
    XResult (*queue_get)(HwQueueHandle*, Stream);
    XResult (*queue_create)(HwQueueHandle*, Stream);
    long (*errors)();  // how often the driver was misused
    const char* image;
};

// Test fixture: the first device, current to this thread, with a kernel and a word that the kernel changes. kCalls: a
// function that returns the vendor's StreamCalls.
template <auto kCalls>
class StreamTest : public testing::Test {
protected:
    using Calls = std::remove_cvref_t<decltype(kCalls())>;
    using Stream = typename Calls::Stream;
    using Result = typename Calls::Result;
    static constexpr Result kSuccess{};
    static constexpr unsigned kMapped = 2, kNonBlocking = 1;

    static void suspend(XQueueHandle xqueue) {
        EXPECT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagNone), kXSchedSuccess);
    }
    static void resume(XQueueHandle xqueue) { EXPECT_EQ(XQueueResume(xqueue, kQueueResumeFlagNone), kXSchedSuccess); }
    // A forked child tries to resume its parent's suspended queue, which must have no effect. `untouched` checks that
    // in the child, `suspended` afterwards in the parent.
    template <typename Untouched, typename Suspended>
    static void expect_deaf_to_child(XQueueHandle xqueue, Untouched untouched, Suspended suspended) {
        suspend(xqueue);
        EXPECT_EQ(in_child([&] {
                      XQueueResume(xqueue, kQueueResumeFlagNone);
                      XQueueSuspend(xqueue, kQueueSuspendFlagNone);
                      XQueueResume(xqueue, kQueueResumeFlagNone);
                      return untouched() ? 0 : 1;
                  }),
                  0);
        EXPECT_TRUE(suspended());
        resume(xqueue);
    }

    // Makes the device current to this thread.
    virtual void begin_thread() = 0;

    void SetUp() override {
        ASSERT_NO_FATAL_FAILURE(begin_thread());
        ASSERT_EQ(kCalls().load(&module_, kCalls().image), kSuccess);
        ASSERT_EQ(kCalls().find(&append_, module_, "append"), kSuccess);
        ASSERT_EQ(kCalls().find(&noop_, module_, "noop"), kSuccess);
        ASSERT_EQ(kCalls().allocate(reinterpret_cast<void**>(&word_), sizeof *word_, kMapped), kSuccess);
        ASSERT_EQ(kCalls().pointer(&device_word_, word_, 0), kSuccess);
        *word_ = 0;
        errors_before_ = kCalls().errors();
    }
    void TearDown() override {
        if (word_ == nullptr) return;
        begin_thread();
        EXPECT_EQ(kCalls().synchronize_all(), kSuccess);
        EXPECT_EQ(kCalls().release(word_), kSuccess);
        EXPECT_EQ(kCalls().unload(module_), kSuccess);
        EXPECT_EQ(kCalls().errors(), errors_before_) << "the driver was misused";
    }

    static Stream new_stream(unsigned flags = kNonBlocking, int priority = 0) {
        Stream stream{};
        EXPECT_EQ(kCalls().create(&stream, flags, priority), kSuccess);
        return stream;
    }
    static void synchronize(Stream stream) { EXPECT_EQ(kCalls().synchronize(stream), kSuccess); }
    static void destroy(Stream stream) { EXPECT_EQ(kCalls().destroy(stream), kSuccess); }
    // Waits for the stream, compares the word and destroys the stream.
    void expect_at_end(Stream stream, uint32_t value) {
        synchronize(stream);
        EXPECT_EQ(word(), value);
        destroy(stream);
    }
    // Appends `value` to the word, in stream order.
    Result append(Stream stream, uint32_t value) {
        uint32_t count = 1;
        void* arguments[] = {&device_word_, &value, &count};
        return kCalls().launch(append_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
    }
    Result noop(Stream stream) { return kCalls().launch(noop_, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr); }

    uint32_t word() const { return *const_cast<volatile uint32_t*>(word_); }

    // Returns the XQueue of a stream; 0: it has none.
    static XQueueHandle xqueue_of(Stream stream) {
        HwQueueHandle hwq = 0;
        XQueueHandle xqueue = 0;
        if (kCalls().queue_get(&hwq, stream) != kXSchedSuccess) return 0;
        return XQueueGet(&xqueue, hwq) == kXSchedSuccess ? xqueue : 0;
    }
    // Returns the XQueue of a stream, after a first use that makes it.
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

    // Expects that the call counts as one command of this XQueue, whatever the driver makes of it.
    static void expect_command(XQueueHandle xqueue, const char* name, const std::function<Result()>& call) {
        const int64_t before = commands_of(xqueue);
        EXPECT_EQ(call(), kSuccess) << name;
        EXPECT_EQ(commands_of(xqueue), before + 1) << name;
    }
    void expect_held_while_suspended(XQueueHandle xqueue, Stream stream) {
        const uint32_t before = word();
        ASSERT_EQ(kCalls().synchronize(stream), kSuccess);
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
        ASSERT_EQ(kCalls().synchronize(stream), kSuccess);
        EXPECT_EQ(word(), (((before * 31) + 0) * 31 + 1) * 31 + 2);
    }
    // Checks that a copy on the NULL stream waits while the queue is suspended. `copy` copies the word to its
    // argument.
    void expect_copy_waits(XQueueHandle null, const std::function<Result(uint32_t*)>& copy) {
        ASSERT_EQ(kCalls().synchronize(nullptr), kSuccess);
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
    // A thread that has not used the device makes an XQueue for the stream and uses it. `after` then checks what that
    // changed in the thread.
    static void expect_queue_from_thread(Stream stream, const std::function<void()>& after) {
        std::thread([&] {
            HwQueueHandle hwq = 0;
            XQueueHandle xqueue = 0;
            ASSERT_EQ(kCalls().queue_create(&hwq, stream), kXSchedSuccess);
            ASSERT_EQ(XQueueCreate(&xqueue, hwq, kPreemptLevelUnknown, kQueueCreateFlagNone), kXSchedSuccess);
            EXPECT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagSyncHwQueue), kXSchedSuccess);
            EXPECT_EQ(XQueueResume(xqueue, 0), kXSchedSuccess);
            EXPECT_EQ(XQueueWaitAll(xqueue), kXSchedSuccess);
            EXPECT_EQ(XQueueDestroy(xqueue), kXSchedSuccess);
            EXPECT_EQ(HwQueueDestroy(hwq), kXSchedSuccess);
            after();
        }).join();
        EXPECT_EQ(kCalls().destroy(stream), kSuccess);
    }
    // Demands that a launch by a function that the program got elsewhere is a command of that queue.
    template <typename Launch>
    void expect_launch_scheduled(XQueueHandle xqueue, Launch launch) {
        ASSERT_NE(launch, nullptr);
        expect_command(xqueue, "a launch",
                       [&] { return launch(noop_, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr); });
    }
    void expect_works(XQueueHandle xqueue, Stream stream) {
        ASSERT_EQ(append(stream, 3), kSuccess);
        ASSERT_EQ(kCalls().synchronize(stream), kSuccess);
        EXPECT_EQ(word(), 3u);
        EXPECT_TRUE(becomes_idle(xqueue));
    }
    // `legacy` is the NULL stream's other name.
    void expect_null_stream_scheduled(Stream legacy) {
        const XQueueHandle xqueue = used_xqueue_of(nullptr);
        const int64_t before = commands_of(xqueue);
        for (int i = 0; i < 5; ++i) ASSERT_EQ(noop(nullptr), kSuccess);
        EXPECT_EQ(noop(legacy), kSuccess) << "the same stream";
        EXPECT_EQ(commands_of(xqueue), before + 6);
    }
    void expect_default_stream_of_each_thread(Stream per_thread) {
        const XQueueHandle mine = used_xqueue_of(per_thread);
        const int64_t before = commands_of(mine);
        XQueueHandle other = 0;
        std::thread([&] {
            begin_thread();
            EXPECT_EQ(xqueue_of(per_thread), 0u);
            other = used_xqueue_of(per_thread);
            EXPECT_NE(other, mine);
            EXPECT_EQ(commands_of(other), 1);
        }).join();
        int64_t count = 0;
        EXPECT_TRUE(eventually([&] { return XQueueProfileHwCommandCount(other, &count) == kXSchedErrorNotFound; }))
            << "its thread has ended";
        EXPECT_EQ(commands_of(mine), before);
    }
    // Checks that the shim uses an XQueue that the program made itself, and makes another one when that is destroyed.
    // Returns the hardware queue's handle.
    HwQueueHandle expect_own_xqueue_used() {
        const Stream stream = new_stream();
        HwQueueHandle hwq = 0;
        XQueueHandle own = 0;
        EXPECT_EQ(kCalls().queue_create(&hwq, stream), kXSchedSuccess);
        EXPECT_EQ(kCalls().queue_create(&hwq, stream), kXSchedErrorNotAllowed);
        EXPECT_EQ(XQueueCreate(&own, hwq, kPreemptLevelUnknown, kQueueCreateFlagNone), kXSchedSuccess);
        EXPECT_EQ(used_xqueue_of(stream), own);
        EXPECT_EQ(commands_of(own), 1);
        EXPECT_EQ(XQueueDestroy(own), kXSchedSuccess);
        const XQueueHandle next = used_xqueue_of(stream);
        EXPECT_NE(next, own);
        EXPECT_EQ(commands_of(next), 1);
        EXPECT_EQ(kCalls().destroy(stream), kSuccess);
        return hwq;
    }

    typename Calls::Module module_{};
    typename Calls::Kernel append_{};
    typename Calls::Kernel noop_{};
    typename Calls::Pointer device_word_{};
    uint32_t* word_ = nullptr;
    long errors_before_ = 0;
};

// A StreamTest with a stream whose XQueue exists.
template <typename Test>
class WithStream : public Test {
protected:
    void SetUp() override {
        Test::SetUp();
        if (Test::HasFatalFailure()) return;
        stream_ = Test::new_stream();
        xqueue_ = Test::used_xqueue_of(stream_);
    }
    void TearDown() override {
        if (stream_ != nullptr) Test::destroy(stream_);
        Test::TearDown();
    }

    typename Test::Stream stream_ = nullptr;
    XQueueHandle xqueue_ = 0;
};

}  // namespace xsched::test
