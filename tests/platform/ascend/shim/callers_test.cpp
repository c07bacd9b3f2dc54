// A suspended stream keeps every kind of command back: the caller waits, and the device gets nothing.
#include <atomic>
#include <functional>
#include <thread>

#include "platform/ascend/shim/program.h"

namespace xsched::test {
namespace {

struct Command {
    const char* name;
    std::function<aclError(const Program&, AclStream)> give;
};

uint32_t g_filled = 0;

const Command kCommands[] = {
    {"aclrtLaunchKernel", [](const Program& it, AclStream stream) { return it.append(stream, 7); }},
    {"rtKernelLaunch", [](const Program& it, AclStream stream) { return it.append_below(stream, 7); }},
    {"aclrtMemsetAsync",
     [](const Program& it, AclStream stream) { return aclrtMemsetAsync(it.words(), 64, 7, 64, stream); }},
    {"rtMemsetAsync", [](const Program& it, AclStream stream) { return rtMemsetAsync(it.words(), 64, 7, 64, stream); }},
    {"aclrtMemcpyAsync",
     [](const Program& it, AclStream stream) { return aclrtMemcpyAsync(it.words(), 64, &g_filled, 4, 1, stream); }},
    {"rtMemcpyAsync",
     [](const Program& it, AclStream stream) { return rtMemcpyAsync(it.words(), 64, &g_filled, 4, 1, stream); }},
    {"aclmdlExecuteAsync",
     [](const Program& it, AclStream stream) { return aclmdlExecuteAsync(7, nullptr, it.words(), stream); }},
};

TEST(Callers, WaitWhileTheStreamIsSuspended) {
    for (const Command& command : kCommands) {
        SCOPED_TRACE(command.name);
        Program program;
        g_filled = 42;
        const AclStream stream = program.stream_in_use();
        const XQueueHandle queue = xqueue_of(stream);
        suspend(queue);
        std::atomic<bool> returned{false};
        aclrtContext context = nullptr;
        ACL_OK(aclrtGetCurrentContext(&context));
        std::thread caller([&] {
            ACL_OK(aclrtSetCurrentContext(context));
            ACL_OK(command.give(program, stream));
            returned = true;
        });
        let_time_pass();
        EXPECT_FALSE(returned);
        EXPECT_EQ(program.word(), appended({1})) << "the device has got work that it may not run";
        resume(queue);
        caller.join();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_NE(program.word(), appended({1}));
        EXPECT_TRUE(is_idle(queue));
    }
}

TEST(Callers, KeepTheOrderOfTheirCommands) {
    Program program;
    const AclStream one = program.stream(), two = program.stream();
    aclrtEvent event = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&event, 0));
    uint32_t expected = 0;
    for (uint32_t i = 1; i < 50; ++i) {
        const AclStream from = i % 2 != 0 ? one : two, to = i % 2 != 0 ? two : one;
        ACL_OK(i % 3 != 0 ? program.append(from, i) : program.append_below(from, i));
        ACL_OK(aclrtRecordEvent(event, from));
        ACL_OK(aclrtStreamWaitEvent(to, event));
        expected = expected * 31 + i;
    }
    ACL_OK(aclrtSynchronizeStream(two));
    EXPECT_EQ(program.word(), expected);
    ACL_OK(aclrtDestroyEvent(event));
}

// A call of acl ends in one of rt, which is hooked as well.
TEST(Callers, GiveOneCommandByCallsWithinCalls) {
    Program program;
    const AclStream stream = program.stream_in_use();
    const XQueueHandle queue = xqueue_of(stream);
    int64_t before = 0, after = 0;
    EXPECT_EQ(XQueueProfileHwCommandCount(queue, &before), kXSchedSuccess);
    ACL_OK(aclrtMemsetAsync(program.words(), 64, 0, 0, stream));
    ACL_OK(program.append(stream, 2));
    EXPECT_EQ(XQueueProfileHwCommandCount(queue, &after), kXSchedSuccess);
    EXPECT_EQ(after - before, 2);
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(program.word(), appended({1, 2}));
}

TEST(Callers, AreRefusedAsByTheRuntime) {
    Program program;
    const AclStream stream = program.stream();
    EXPECT_NE(aclrtMemcpyAsync(program.words(), 4, &g_filled, 8, 1, stream), ACL_SUCCESS);
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(is_idle(xqueue_of(stream)));
}

TEST(Off, NothingIsScheduled) {
    Program program;
    const AclStream stream = program.stream_in_use();
    EXPECT_EQ(find_xqueue(stream), 0u);
    EXPECT_EQ(program.word(), appended({1}));
}

}  // namespace
}  // namespace xsched::test
