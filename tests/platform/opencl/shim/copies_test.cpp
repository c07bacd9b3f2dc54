// Large reads, writes and copies of buffers go to the driver in pieces while a more urgent program may need room, and
// only then; contents, order, events and errors are as without.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "platform/opencl/shim/scheduled_queue.h"

namespace xsched::test {
namespace {

constexpr size_t kLarge = size_t{6} << 20;
constexpr int64_t kPieces = 3;

class OpenClCopies : public testing::Test {
protected:
    void SetUp() override {
        if (std::getenv("XSCHED_COPY_PIECE") == nullptr)
            GTEST_SKIP() << "copies are whole unless XSCHED_COPY_PIECE says otherwise";
        const Platform& platform = Platform::get();
        if (platform.device == nullptr) GTEST_SKIP() << "no OpenCL here";
        queue_ = clCreateCommandQueue(platform.context, platform.device, 0, nullptr);
        ASSERT_NE(queue_, nullptr);
        for (cl_mem* memory : {&one_, &other_}) {
            *memory = clCreateBuffer(platform.context, CL_MEM_READ_WRITE, kLarge, nullptr, nullptr);
            ASSERT_NE(*memory, nullptr);
        }
        for (size_t i = 0; i < kLarge; ++i) host_[i] = static_cast<unsigned char>(i * 7 + (i >> 12));
        ASSERT_EQ(write(one_), CL_SUCCESS);
        ASSERT_EQ(write(other_), CL_SUCCESS);
        ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
        HwQueueHandle hwq = 0;
        ASSERT_EQ(OclQueueGet(&hwq, queue_), kXSchedSuccess);
        ASSERT_EQ(XQueueGet(&xqueue_, hwq), kXSchedSuccess);
    }
    void TearDown() override {
        if (xqueue_ == 0) return;
        EXPECT_EQ(XQueueResume(xqueue_, kQueueResumeFlagNone), kXSchedSuccess);
        EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
        EXPECT_EQ(clReleaseMemObject(one_), CL_SUCCESS);
        EXPECT_EQ(clReleaseMemObject(other_), CL_SUCCESS);
        EXPECT_EQ(clReleaseCommandQueue(queue_), CL_SUCCESS);
    }
    // Tells the queue that it may be suspended at any time from now on.
    void compete() const {
        ASSERT_EQ(XQueueSuspend(xqueue_, kQueueSuspendFlagNone), kXSchedSuccess);
        ASSERT_EQ(XQueueResume(xqueue_, kQueueResumeFlagNone), kXSchedSuccess);
    }
    cl_int write(cl_mem to, cl_event* event = nullptr, cl_uint count = 0, const cl_event* list = nullptr) {
        return clEnqueueWriteBuffer(queue_, to, CL_FALSE, 0, kLarge, host_.data(), count, list, event);
    }
    int64_t commands() const {
        int64_t count = -1;
        EXPECT_EQ(XQueueProfileHwCommandCount(xqueue_, &count), kXSchedSuccess);
        return count;
    }
    // Returns how many commands one call of the program makes.
    template <typename Call>
    int64_t commands_of(const Call& call, cl_int expected = CL_SUCCESS) {
        const int64_t before = commands();
        EXPECT_EQ(call(), expected);
        return commands() - before;
    }
    std::vector<unsigned char> contents(cl_mem memory) {
        std::vector<unsigned char> found(kLarge);
        EXPECT_EQ(clEnqueueReadBuffer(queue_, memory, CL_TRUE, 0, kLarge, found.data(), 0, nullptr, nullptr),
                  CL_SUCCESS);
        return found;
    }

    cl_command_queue queue_ = nullptr;
    XQueueHandle xqueue_ = 0;
    cl_mem one_ = nullptr, other_ = nullptr;
    std::vector<unsigned char> host_ = std::vector<unsigned char>(kLarge);
};

TEST_F(OpenClCopies, AreWholeWhileNobodyCompetes) {
    EXPECT_EQ(commands_of([&] { return write(one_); }), 1);
}

TEST_F(OpenClCopies, GoInPiecesWhileSomebodyDoes) {
    compete();
    std::fill(host_.begin(), host_.end(), static_cast<unsigned char>(3));
    EXPECT_EQ(commands_of([&] { return write(one_); }), kPieces);
    EXPECT_EQ(commands_of([&] { return clEnqueueCopyBuffer(queue_, one_, other_, 0, 0, kLarge, 0, nullptr, nullptr); }),
              kPieces);
    std::vector<unsigned char> found;
    EXPECT_EQ(commands_of([&] {
                  found = contents(other_);
                  return CL_SUCCESS;
              }),
              kPieces);
    EXPECT_TRUE(found == host_);
}

TEST_F(OpenClCopies, OneEventIsForAllOfIt) {
    compete();
    cl_event event = nullptr;
    std::vector<unsigned char> found(kLarge);
    EXPECT_EQ(commands_of([&] {
                  return clEnqueueReadBuffer(queue_, one_, CL_FALSE, 0, kLarge, found.data(), 0, nullptr, &event);
              }),
              kPieces);
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    EXPECT_TRUE(found == host_);
    cl_command_type type = 0;
    EXPECT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr), CL_SUCCESS);
    EXPECT_EQ(type, static_cast<cl_command_type>(CL_COMMAND_READ_BUFFER));
    EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
}

void expect_not_begun(const std::vector<unsigned char>& ones) {
    let_time_pass();
    EXPECT_TRUE(std::all_of(ones.begin(), ones.end(), [](unsigned char byte) { return byte == 1; }));
}

TEST_F(OpenClCopies, StandWhileTheQueueIsSuspended) {
    ASSERT_EQ(XQueueSuspend(xqueue_, kQueueSuspendFlagNone), kXSchedSuccess);
    cl_event event = nullptr;
    std::vector<unsigned char> found(kLarge, 1);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, one_, CL_FALSE, 0, kLarge, found.data(), 0, nullptr, &event), CL_SUCCESS);
    expect_not_begun(found);
    ASSERT_EQ(XQueueResume(xqueue_, kQueueResumeFlagNone), kXSchedSuccess);
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    EXPECT_TRUE(found == host_);
    EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
}

TEST_F(OpenClCopies, WaitForWhatTheProgramListed) {
    compete();
    cl_int code = CL_SUCCESS;
    cl_event before = clCreateUserEvent(Platform::get().context, &code);
    cl_event event = nullptr;
    ASSERT_EQ(code, CL_SUCCESS);
    std::vector<unsigned char> found(kLarge, 1);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, one_, CL_FALSE, 0, kLarge, found.data(), 1, &before, &event), CL_SUCCESS);
    expect_not_begun(found);
    ASSERT_EQ(clSetUserEventStatus(before, CL_COMPLETE), CL_SUCCESS);
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    EXPECT_TRUE(found == host_);
    EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
    EXPECT_EQ(clReleaseEvent(before), CL_SUCCESS);
}

// A copy that the driver refuses is refused as a whole; a copy that the driver need not take as two ranges goes to it
// as one.
TEST_F(OpenClCopies, AreRefusedAsAWhole) {
    compete();
    const auto beyond_its_end = [&] {
        return clEnqueueWriteBuffer(queue_, one_, CL_FALSE, 4096, kLarge, host_.data(), 0, nullptr, nullptr);
    };
    EXPECT_LE(commands_of(beyond_its_end, CL_INVALID_VALUE), 1);
    const int64_t before = commands();
    clEnqueueCopyBuffer(queue_, one_, one_, 0, 4096, kLarge - 4096, 0, nullptr, nullptr);
    EXPECT_LE(commands() - before, 1);
}

// A copy whose event is to tell times goes whole: in pieces, the event's times would be those of the last piece.
TEST_F(OpenClCopies, AreWholeWhereAnEventIsToTellTimes) {
    ScheduledQueue timed;
    timed.suspend();
    timed.resume();
    const int64_t before = timed.commands();
    cl_event event = nullptr;
    ASSERT_EQ(clEnqueueWriteBuffer(timed.queue, one_, CL_FALSE, 0, kLarge, host_.data(), 0, nullptr, &event),
              CL_SUCCESS);
    EXPECT_EQ(timed.commands(), before + 1);
    EXPECT_EQ(clFinish(timed.queue), CL_SUCCESS);
    EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
}

// A copy is one command: what another thread puts into the queue sees all of it or nothing.
TEST_F(OpenClCopies, NothingOfOthersComesIntoTheMiddle) {
    compete();
    std::fill(host_.begin(), host_.end(), static_cast<unsigned char>(0));
    ASSERT_EQ(write(one_), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    std::atomic<bool> over{false};
    std::atomic<int> looks{0}, torn{0};
    std::thread other([&] {
        while (!over || looks == 0) {
            unsigned char ends[2] = {};
            const size_t none[3] = {}, shape[3] = {1, 2, 1};
            ASSERT_EQ(clEnqueueReadBufferRect(queue_, one_, CL_TRUE, none, none, shape, kLarge - 1, 0, 1, 0, ends, 0,
                                              nullptr, nullptr),
                      CL_SUCCESS);
            ++looks;
            if (ends[0] != ends[1]) ++torn;
        }
    });
    for (int i = 0; i < 40; ++i) {
        std::fill(host_.begin(), host_.end(), static_cast<unsigned char>(i));
        ASSERT_EQ(clEnqueueWriteBuffer(queue_, one_, CL_TRUE, 0, kLarge, host_.data(), 0, nullptr, nullptr),
                  CL_SUCCESS);
    }
    over = true;
    other.join();
    EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace xsched::test
