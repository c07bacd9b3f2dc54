// Level 3 in one program, on the fake kernel driver: whose channels are disabled when which of its queues are
// suspended, and that nothing of it outlives queues, streams and contexts. The program suspends by itself; what xserver
// does is tested in tests/system.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "fake/rm/fake_rm.h"
#include "platform/cuda/shim/program.h"

namespace xsched::test {
namespace {

using fake::rm::State;

class Interrupts : public CudaTest {
protected:
    void SetUp() override {
        const char* directory = std::getenv("FAKE_RM_DIR");
        if (directory == nullptr) GTEST_SKIP() << "without the fake kernel driver";
        CudaTest::SetUp();
        ASSERT_EQ(cu().cuModuleGetFunction(&spin_, module_, "spin"), CUDA_SUCCESS);
        const std::string path = std::string(directory) + "/" + std::to_string(getpid()) + "-0";
        const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
        void* memory = mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        ASSERT_NE(memory, MAP_FAILED) << path;
        rm_ = static_cast<State*>(memory);
        enables_before_ = rm_->enables;
    }
    void TearDown() override {
        if (rm_ == nullptr) return;
        EXPECT_EQ(disabled(), 0u) << "left behind";
        munmap(rm_, sizeof(State));
        CudaTest::TearDown();
    }
    unsigned disabled() const {
        unsigned count = 0;
        for (const auto& object : rm_->objects) count += object.used != 0 && object.disabled.load() != 0 ? 1 : 0;
        return count;
    }
    // Makes a stream of the current context whose queue has level 3.
    CUstream stream_at_level_3(XQueueHandle* xqueue) {
        const CUstream stream = new_stream();
        record(stream);
        *xqueue = xqueue_of(stream);
        EXPECT_EQ(XQueueSetPreemptLevel(*xqueue, kPreemptLevelInterrupt), kXSchedSuccess);
        EXPECT_EQ(cu().cuStreamSynchronize(stream), CUDA_SUCCESS);
        return stream;
    }
    // Two of them.
    struct Two {
        explicit Two(Interrupts& test) : one(test.stream_at_level_3(&first)), other(test.stream_at_level_3(&second)) {}
        Two(const Two&) = delete;
        Two& operator=(const Two&) = delete;
        ~Two() {
            for (const CUstream stream : {one, other})
                if (stream != nullptr) cu().cuStreamDestroy_v2(stream);
        }

        XQueueHandle first = 0, second = 0;
        CUstream one, other;
    };
    // Work that belongs to no context's module.
    static void record(CUstream stream) {
        CUevent event = nullptr;
        EXPECT_EQ(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuEventRecord(event, stream), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuEventDestroy_v2(event), CUDA_SUCCESS);
    }
    static void resume_and_destroy(XQueueHandle xqueue, CUstream stream) {
        resume(xqueue);
        EXPECT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    }
    CUresult spin(CUstream stream, uint32_t us) {
        void* parameters[] = {&us};
        return cu().cuLaunchKernel(spin_, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
    }

    CUfunction spin_ = nullptr;
    State* rm_ = nullptr;
    uint32_t enables_before_ = 0;
};

TEST_F(Interrupts, ARunningKernelIsSuspendedAndGoesOn) {
    XQueueHandle xqueue = 0;
    const CUstream stream = stream_at_level_3(&xqueue);
    ASSERT_EQ(spin(stream, 30'000), CUDA_SUCCESS);
    ASSERT_EQ(append(stream, 7), CUDA_SUCCESS);
    suspend(xqueue);
    EXPECT_EQ(disabled(), 4u);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_EQ(word(), 0u) << "it ended while it was suspended";
    resume(xqueue);
    EXPECT_EQ(disabled(), 0u);
    expect_at_end(stream, 7);
}

TEST_F(Interrupts, TwoQueuesOfAProcessDoNotStopEachOther) {
    const Two two(*this);
    suspend(two.first);
    EXPECT_EQ(disabled(), 0u);
    ASSERT_EQ(append(two.other, 3), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamSynchronize(two.other), CUDA_SUCCESS);
    EXPECT_EQ(word(), 3u);
    suspend(two.second);
    EXPECT_EQ(disabled(), 4u) << "nobody of this process wants the device";
    suspend(two.second);
    resume(two.first);
    EXPECT_EQ(disabled(), 0u) << "one wants it again";
    suspend(two.first);
    EXPECT_EQ(disabled(), 4u);
    resume(two.second);
    resume(two.first);
}

TEST_F(Interrupts, AQueueOfTheSameProcessAtLevelTwoKeepsTheDevice) {
    const Two two(*this);
    ASSERT_EQ(XQueueSetPreemptLevel(two.second, kPreemptLevelDeactivate), kXSchedSuccess);
    suspend(two.first);
    suspend(two.second);
    EXPECT_EQ(disabled(), 0u);
    resume(two.second);
    resume(two.first);
}

// If a program with the automatic level suspends its own queue, only the gate acts. Level 3 would stop the whole
// process, and only a program that asked for level 3 expects that.
TEST_F(Interrupts, TheAutomaticLevelLeavesAProgramsOwnSuspensionToTheGate) {
    const CUstream stream = new_stream();
    const XQueueHandle xqueue = used_xqueue_of(stream);
    suspend(xqueue);
    EXPECT_EQ(disabled(), 0u);
    ASSERT_EQ(append(stream, 3), CUDA_SUCCESS);
    let_time_pass();
    EXPECT_EQ(word(), 0u);
    resume_and_destroy(xqueue, stream);
}

TEST_F(Interrupts, AnotherDevicesWorkGoesOn) {
    XQueueHandle xqueue = 0;
    const CUstream stream = stream_at_level_3(&xqueue);
    CUcontext second = nullptr;
    ASSERT_EQ(cu().cuDevicePrimaryCtxRetain(&second, 1), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxSetCurrent(second), CUDA_SUCCESS);
    XQueueHandle there = 0;
    const CUstream elsewhere = stream_at_level_3(&there);
    suspend(xqueue);
    EXPECT_EQ(disabled(), 4u);
    record(elsewhere);
    EXPECT_EQ(cu().cuStreamSynchronize(elsewhere), CUDA_SUCCESS);
    suspend(there);
    EXPECT_EQ(disabled(), 8u);
    resume(xqueue);
    EXPECT_EQ(disabled(), 4u);
    resume(there);
    EXPECT_EQ(cu().cuStreamDestroy_v2(elsewhere), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuDevicePrimaryCtxRelease_v2(1), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(Interrupts, ADestroyedQueueOrStreamLeavesNothingDisabled) {
    Two two(*this);
    suspend(two.first);
    suspend(two.second);
    EXPECT_EQ(disabled(), 4u);
    ASSERT_EQ(XQueueDestroy(two.second), kXSchedSuccess);
    EXPECT_EQ(disabled(), 0u);
    resume(two.first);
    EXPECT_EQ(cu().cuStreamDestroy_v2(std::exchange(two.other, nullptr)), CUDA_SUCCESS);
    suspend(two.first);
    EXPECT_EQ(disabled(), 4u);
    EXPECT_EQ(cu().cuStreamDestroy_v2(std::exchange(two.one, nullptr)), CUDA_SUCCESS);
    EXPECT_TRUE(eventually([&] { return disabled() == 0; }));
}

TEST_F(Interrupts, ContextsComeAndGoWhileWorkIsSuspended) {
    for (int round = 0; round < 3; ++round) {
        CUcontext second = nullptr;
        ASSERT_EQ(cu().cuCtxCreate_v2(&second, 0, 0), CUDA_SUCCESS);
        XQueueHandle xqueue = 0;
        stream_at_level_3(&xqueue);
        suspend(xqueue);
        EXPECT_EQ(disabled(), 8u) << "both contexts of the process, round " << round;
        EXPECT_EQ(cu().cuCtxDestroy_v2(second), CUDA_SUCCESS);
        EXPECT_EQ(disabled(), 0u);
        ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
    }
    XQueueHandle xqueue = 0;
    const CUstream stream = stream_at_level_3(&xqueue);
    suspend(xqueue);
    EXPECT_EQ(disabled(), 4u);
    resume_and_destroy(xqueue, stream);
}

// Many green contexts, each of which has a channel group of its own, as ordinary contexts have.
class ManyContexts : public Interrupts {
protected:
    void add(size_t count) {
        for (; count > 0; --count) {
            contexts_.push_back(nullptr);
            ASSERT_EQ(cu().cuCtxCreate_v2(&contexts_.back(), 0, 0), CUDA_SUCCESS);
        }
        ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
    }
    void remove(size_t count) {
        for (; count > 0 && !contexts_.empty(); --count) {
            EXPECT_EQ(cu().cuCtxDestroy_v2(contexts_.back()), CUDA_SUCCESS);
            contexts_.pop_back();
        }
        ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
    }
    unsigned disabled_while_suspended(XQueueHandle xqueue) const {
        suspend(xqueue);
        const unsigned count = disabled();
        resume(xqueue);
        EXPECT_EQ(disabled(), 0u);
        return count;
    }

    static constexpr size_t kMost = 128;  // groups (ChannelSet::kMostGroups), of which each context here has one
    std::vector<CUcontext> contexts_;
};

TEST_F(ManyContexts, KeepLevelThree) {
    XQueueHandle xqueue = 0;
    const CUstream stream = stream_at_level_3(&xqueue);
    add(40);
    EXPECT_EQ(disabled_while_suspended(xqueue), 4 * 41u);
    remove(40);
    EXPECT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(ManyContexts, LoseLevelThreeOnlyAsLongAsThereAreTooMany) {
    XQueueHandle xqueue = 0;
    const CUstream stream = stream_at_level_3(&xqueue);
    add(kMost);
    EXPECT_EQ(disabled_while_suspended(xqueue), 0u) << "a part of its channels would be of no use";
    suspend(xqueue);
    ASSERT_EQ(append(stream, 3), CUDA_SUCCESS);
    let_time_pass();
    EXPECT_EQ(word(), 0u) << "the gate acts";
    resume(xqueue);
    EXPECT_EQ(cu().cuStreamSynchronize(stream), CUDA_SUCCESS);
    remove(1);
    EXPECT_EQ(disabled_while_suspended(xqueue), 4 * kMost);
    add(1);
    EXPECT_EQ(disabled_while_suspended(xqueue), 0u);
    remove(kMost);
    EXPECT_EQ(disabled_while_suspended(xqueue), 4u);
    expect_at_end(stream, 3);
}

// After a resumption no channel stays disabled, even if the process made more contexts meanwhile than level 3 can
// handle.
TEST_F(ManyContexts, ThatComeWhileTheProcessIsOffLeaveNothingDisabled) {
    XQueueHandle xqueue = 0;
    const CUstream stream = stream_at_level_3(&xqueue);
    suspend(xqueue);
    EXPECT_EQ(disabled(), 4u);
    add(kMost);
    const CUstream other = new_stream();
    record(other);  // its queue asks what there is
    resume(xqueue);
    EXPECT_EQ(disabled(), 0u);
    EXPECT_EQ(cu().cuStreamDestroy_v2(other), CUDA_SUCCESS);
    remove(kMost);
    EXPECT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(Interrupts, ForksChildLeavesItsParentsChannelsAlone) {
    XQueueHandle xqueue = 0;
    const CUstream stream = stream_at_level_3(&xqueue);
    expect_deaf_to_child(
        xqueue, [this] { return disabled() == 4 && rm_->last_pid == getppid(); }, [this] { return disabled() == 4; });
    EXPECT_EQ(disabled(), 0u);
    EXPECT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

// The program's own calls of ioctl, with and without an argument, reach the C library.
TEST_F(Interrupts, OtherIoctlsPass) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], "abc", 3), 3);
    int bytes = 0;
    EXPECT_EQ(ioctl(ends[0], FIONREAD, &bytes), 0);
    EXPECT_EQ(bytes, 3);
    EXPECT_EQ(ioctl(ends[0], FIOCLEX), 0);
    EXPECT_NE(fcntl(ends[0], F_GETFD) & FD_CLOEXEC, 0);
    errno = 0;
    EXPECT_EQ(ioctl(-1, FIONREAD, &bytes), -1);
    EXPECT_EQ(errno, EBADF);
    close(ends[0]);
    close(ends[1]);
}

}  // namespace
}  // namespace xsched::test
