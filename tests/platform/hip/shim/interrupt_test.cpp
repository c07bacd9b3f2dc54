// Level 3 in one program, on the fake kernel driver: which of its queues are off when which of its streams are
// suspended, in every way that such a driver may offer. Nothing of it outlives streams, queues and fork.
#include "platform/hip/shim/interrupts.h"
#include "support/child.h"

namespace xsched::test {
namespace {

TEST_F(HipInterrupts, ARunningKernelIsSuspendedAndGoesOn) {
    XQueueHandle xqueue = 0;
    const hipStream_t stream = suspended_in_long_work(&xqueue, 7);
    EXPECT_EQ(standing(), refuses_all() ? 0u : queues()) << "all for kernels";
    EXPECT_EQ(standing(1), 0u) << "those for copies go on";
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    if (!refuses_all()) {
        EXPECT_EQ(word(), 0u) << "it ended while it was suspended";
    }
    resume(xqueue);
    EXPECT_EQ(standing(), 0u);
    expect_at_end(stream, 7u);
}

TEST_F(HipInterrupts, RefusalFallsToTheNextWay) {
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    const unsigned updates = calls(0x07), debugs = calls(0x26), preempts = calls(0x87);
    suspend(xqueue);
    resume(xqueue);
    // With few queues UPDATE_QUEUE is chosen first, since the debugger's way would disturb all GPUs.
    ASSERT_GT(queues(), 1u);
    const bool chosen = std::getenv("XSCHED_HIP_INTERRUPT") != nullptr;
    const bool update = !chosen && !refuses("07:");
    const bool debugger = !chosen && !update && !refuses("26:") && !is_set("FAKE_KFD_NO_RUNTIME");
    EXPECT_EQ(calls(0x26) > debugs, debugger);
    EXPECT_EQ(calls(0x07) > updates, update);
    EXPECT_EQ(calls(0x87) > preempts, !debugger && !update && !refuses("87:"));
    EXPECT_EQ(calls(0x1a), 0u) << "few compute units are for those who choose them";
    // If the driver refuses all ways of level 3, level 2 holds the commands back.
    suspend(xqueue);
    EXPECT_EQ(append(stream, 3), hipSuccess);
    let_time_pass();
    EXPECT_EQ(word(), 0u);
    resume_to_the_end(xqueue, stream, 3u);
}

// All queues of a program are taken off the hardware by one ioctl. UPDATE_QUEUE would take one call per queue, each
// of which takes all queues off and puts them back.
TEST_F(HipInterrupts, ManyQueuesGoOffByOneCall) {
    if (refuses("26:") || is_set("FAKE_KFD_NO_RUNTIME") || std::getenv("XSCHED_HIP_INTERRUPT") != nullptr)
        GTEST_SKIP() << "the driver or XSCHED_HIP_INTERRUPT leaves no way of one call here";
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    std::vector<uint32_t> more;
    while (queues() <= 5) more.push_back(create(100));
    const unsigned updates = calls(0x07), debugs = calls(0x26);
    suspend(xqueue);
    EXPECT_EQ(standing(), queues());
    EXPECT_GT(calls(0x26), debugs);
    EXPECT_EQ(calls(0x07), updates);
    resume(xqueue);
    for (const uint32_t id : more) destroy(id);
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

// XSched attaches as a debugger once, and detaches when the last stream is gone.
TEST_F(HipInterrupts, TheDebuggerStaysAttached) {
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    suspend(xqueue);
    resume(xqueue);
    const unsigned before = calls(0x26);
    for (int i = 0; i < 10; ++i) {
        suspend(xqueue);
        resume(xqueue);
    }
    EXPECT_LE(calls(0x26) - before, 20u) << "a call to stop and one to go on";
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

TEST_F(HipInterrupts, TwoStreamsOfAProcessDoNotStopEachOther) {
    XQueueHandle first = 0, second = 0;
    const hipStream_t one = stream_at_level_3(&first), other = stream_at_level_3(&second);
    suspend(first);
    EXPECT_EQ(standing(), observed() ? 1u : 0u);
    ASSERT_EQ(append(other, 3), hipSuccess);
    EXPECT_EQ(hip().hipStreamSynchronize(other), hipSuccess);
    EXPECT_EQ(word(), 3u);
    ASSERT_EQ(append(one, 4), hipSuccess);
    let_time_pass();
    EXPECT_EQ(word(), 3u) << "its gate is closed meanwhile";
    suspend(second);
    EXPECT_EQ(standing(), refuses_all() ? 0u : queues());
    resume(first);
    EXPECT_EQ(standing(), observed() ? 1u : 0u) << "one wants it again";
    EXPECT_EQ(hip().hipStreamSynchronize(one), hipSuccess);
    resume(second);
    destroy({one, other});
}

// If XSched observes the HSA runtime's queues, a stream that has a hardware queue for itself is suspended without the
// other streams.
TEST_F(HipInterrupts, AStreamWithAQueueOfItsOwnIsSuspendedAlone) {
    if (!observed()) GTEST_SKIP() << "without the HSA stand-in";
    XQueueHandle first = 0, second = 0;
    const hipStream_t one = stream_at_level_3(&first), other = stream_at_level_3(&second);
    launch_long_work(one, 7);
    suspend(first);
    EXPECT_EQ(standing(), 1u);
    ASSERT_EQ(append(other, 3), hipSuccess);
    EXPECT_EQ(hip().hipStreamSynchronize(other), hipSuccess) << "the device is free for it";
    EXPECT_EQ(word(), 3u);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_EQ(hip().hipStreamQuery(one), hipErrorNotReady);
    resume(first);
    EXPECT_EQ(standing(), 0u);
    EXPECT_EQ(hip().hipStreamSynchronize(one), hipSuccess);
    EXPECT_EQ(word(), 3u * 31 + 7);
    // If all streams are suspended, queues of the runtime that no stream uses are taken off as well.
    suspend(first);
    suspend(second);
    EXPECT_EQ(standing(), queues());
    resume(second);
    EXPECT_EQ(standing(), 1u);
    resume(first);
    destroy({one, other});
}

TEST_F(HipInterrupts, ADestroyedQueueIsForgotten) {
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    destroy(create(100));
    suspend(xqueue);
    if (!refuses_all()) {
        EXPECT_EQ(standing(), queues()) << "no call about the one that is gone";
    }
    resume(xqueue);
    // Destroys a stream while all are off.
    const uint32_t late = create(100);
    suspend(xqueue);
    destroy(late);
    resume(xqueue);
    EXPECT_EQ(standing(), 0u);
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

TEST_F(HipInterrupts, ThePercentageIsTheRuntimesOwn) {
    if (refuses("07:")) GTEST_SKIP() << "without UPDATE_QUEUE";
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    const uint32_t id = create(0);  // the runtime's own suspension stays
    suspend(xqueue);
    resume(xqueue);
    EXPECT_EQ(standing(), 1u);
    // If the runtime changes a queue that is off the hardware, the change takes effect only when the queue is
    // resumed.
    suspend(xqueue);
    kfd_ioctl_update_queue_args request{0, id, 0x1000, 50, 3};
    EXPECT_EQ(ioctl(file(), AMDKFD_IOC_UPDATE_QUEUE, &request), 0);
    EXPECT_EQ(request.queue_percentage, 50u) << "the program's memory";
    EXPECT_EQ(standing(), queues());
    resume(xqueue);
    EXPECT_EQ(standing(), 0u);
    destroy(id);
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

TEST_F(HipInterrupts, AStreamThatEndsWhileSuspendedLeavesNothing) {
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    suspend(xqueue);
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
    EXPECT_TRUE(eventually([] { return standing() == 0; }));
}

TEST_F(HipInterrupts, ForksChildTouchesNothing) {
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    const auto strangers = fake<decltype(fake_kfd_strangers)>("fake_kfd_strangers");
    expect_deaf_to_child(
        xqueue, [&] { return strangers() == 0; },
        [&] { return strangers() == 0 && standing() == (refuses_all() ? 0u : queues()); });
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

// A process that names another process's queue, or itself as another's debugger, is refused, as by AMD's kernel
// driver (kfd_ioctl, kfd_ioctl_set_debug_trap). So no process can be made to act on others' queues.
TEST_F(HipInterrupts, QueuesOfAnotherProcessAreNotItsToChange) {
    const uint32_t id = create(50);
    const auto owner = static_cast<uint32_t>(getpid());
    const auto suspend_as_debugger_of = [id](uint32_t pid) {
        uint32_t ids[] = {id};
        kfd_ioctl_dbg_trap_args request{};
        request.pid = pid;
        request.op = KFD_IOC_DBG_TRAP_SUSPEND_QUEUES;
        request.suspend_queues = {0, reinterpret_cast<uintptr_t>(ids), 1, 0};
        return ioctl(file(), AMDKFD_IOC_DBG_TRAP, &request) == -1 ? errno : 0;
    };
    const int error = suspend_as_debugger_of(static_cast<uint32_t>(getppid()));
    if (refuses("26:"))
        EXPECT_NE(error, 0) << "no process is debugged there";
    else
        EXPECT_EQ(error, EPERM) << "it traces no such process";
    // A forked child that uses the inherited descriptor is refused, too: for UPDATE_QUEUE of the owner's queue, and
    // for suspending it as the owner's debugger.
    EXPECT_EQ(in_child([&] {
                  kfd_ioctl_update_queue_args update{0, id, 0x1000, 0, 7};
                  if (ioctl(file(), AMDKFD_IOC_UPDATE_QUEUE, &update) != -1 || errno != EBADF) return 1;
                  return suspend_as_debugger_of(owner) == EBADF ? 0 : 2;
              }),
              0);
    EXPECT_EQ(standing(), 0u);
    destroy(id);
}

TEST_F(HipInterrupts, ErrorsOfTheKernelDriverReachTheRuntime) {
    kfd_ioctl_destroy_queue_args request{63, 0};
    errno = 0;
    EXPECT_EQ(ioctl(file(), AMDKFD_IOC_DESTROY_QUEUE, &request), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(ioctl(file(), _IOR('K', 0x7f, uint64_t), &request), -1);
    EXPECT_EQ(errno, ENOTTY);
}

// After the kernel driver has answered with a fault, no further way to suspend queues is tried. The emulator ends a
// process that makes such a call again.
TEST_F(HipInterrupts, AfterAFaultNoWayIsTried) {
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    for (int i = 0; i < 3; ++i) {
        suspend(xqueue);
        EXPECT_EQ(append(stream, static_cast<uint32_t>(i + 1)), hipSuccess);
        resume(xqueue);
        EXPECT_EQ(hip().hipStreamSynchronize(stream), hipSuccess);
    }
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

TEST_F(HipInterrupts, AResumeThatDoesNothingIsNotBelieved) {
    if (!is_set("FAKE_KFD_IDLE_RESUME")) GTEST_SKIP() << "on a driver whose first resume does nothing";
    XQueueHandle xqueue = 0;
    const hipStream_t stream = suspended_in_long_work(&xqueue, 7);
    EXPECT_EQ(standing(), queues());
    const unsigned preempts = calls(0x87);
    resume(xqueue);
    EXPECT_EQ(standing(), 0u) << "they hang for good";
    suspend(xqueue);
    EXPECT_EQ(standing(), queues());
    EXPECT_GT(calls(0x87), preempts) << "the next way is used";
    resume_to_the_end(xqueue, stream, 7u);
}

// A failure or two are made good at once. After more, what stands is let go later, and level 3 is over.
TEST_F(HipInterrupts, AResumeThatFailsIsTriedAgain) {
    if (std::getenv("FAKE_KFD_UPDATE_ERRORS") == nullptr) GTEST_SKIP() << "on a driver whose first resumes fail";
    const bool once = std::string(std::getenv("FAKE_KFD_UPDATE_ERRORS")) == "1";
    XQueueHandle xqueue = 0;
    const hipStream_t stream = suspended_in_long_work(&xqueue, 7);
    EXPECT_EQ(standing(), queues());
    resume(xqueue);
    EXPECT_EQ(standing(), once ? 0u : 1u);
    EXPECT_TRUE(eventually([] { return standing() == 0; })) << "it hangs for good";
    suspend(xqueue);
    EXPECT_EQ(standing(), once ? queues() : 0u);
    resume_to_the_end(xqueue, stream, 7u);
}

TEST_F(HipInterrupts, ASlowCallIsTheLast) {
    if (std::getenv("FAKE_KFD_COST_US") == nullptr || std::getenv("FAKE_KFD_EVICT_US") != nullptr)
        GTEST_SKIP() << "on a driver that takes 1.1 s";
    XQueueHandle xqueue = 0;
    const hipStream_t stream = suspended_in_long_work(&xqueue, 7);
    EXPECT_GE(standing(), 1u);
    resume(xqueue);
    EXPECT_EQ(standing(), 0u);
    const unsigned updates = calls(0x07);
    suspend(xqueue);
    EXPECT_EQ(standing(), 0u) << "its gate has to do";
    EXPECT_EQ(calls(0x07), updates);
    resume_to_the_end(xqueue, stream, 7u);
}

TEST_F(HipInterrupts, AQueueThatIsMissingOnceRefusesNothing) {
    if (!is_set("FAKE_KFD_MISSES")) GTEST_SKIP() << "on a driver that does not find one of the queues at first";
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    const unsigned preempts = calls(0x87);
    suspend(xqueue);
    EXPECT_EQ(standing(), 0u) << "its gate keeps it off this time";
    resume(xqueue);
    suspend(xqueue);
    EXPECT_EQ(standing(), queues());
    EXPECT_EQ(calls(0x87), preempts) << "the debugger's way goes on";
    resume_to_the_end(xqueue, stream, 0u);
}

// The last test: the other GPU's queues stay.
TEST_F(HipInterrupts, AGpuWhoseStreamsAllAskIsLeftWithoutTheOther) {
    if (!observed()) GTEST_SKIP() << "without the HSA stand-in";
    XQueueHandle first = 0, second = 0;
    const hipStream_t one = stream_at_level_3(&first);
    const unsigned of_first = queues();
    ASSERT_EQ(hip().hipSetDevice(1), hipSuccess);
    hipModule_t module = nullptr;
    ASSERT_EQ(hip().hipModuleLoadData(&module, ::cuda::kKernels), hipSuccess);
    ASSERT_EQ(hip().hipModuleGetFunction(&noop_, module, "noop"), hipSuccess);
    const hipStream_t other = stream_at_level_3(&second);
    ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
    ASSERT_GT(queues(), of_first);
    suspend(first);
    EXPECT_EQ(standing(), of_first);
    suspend(second);
    EXPECT_EQ(standing(), queues());
    resume(first);
    resume(second);
    destroy({one, other});
}

}  // namespace
}  // namespace xsched::test
