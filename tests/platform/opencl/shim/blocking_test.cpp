// Calls that wait: they wait natively for what is held back, and return when it has run.
#include <atomic>
#include <functional>
#include <future>

#include "platform/opencl/shim/scheduled_queue.h"

namespace xsched::test {
namespace {

class Blocking : public OpenClTest {
protected:
    // `call` on another thread must not return before the queue is resumed, and must return then.
    void expect_waits_for_resume(ScheduledQueue& queue, const std::function<void()>& call) {
        std::atomic<bool> resumed{false};
        auto returned = std::async(std::launch::async, [&] {
            call();
            return resumed.load();
        });
        let_time_pass();
        resumed = true;
        queue.resume();
        ASSERT_EQ(returned.wait_for(std::chrono::seconds(60)), std::future_status::ready);
        EXPECT_TRUE(returned.get()) << "it returned while the queue was suspended";
    }
};

TEST_F(Blocking, ReadReturnsTheDataOfCommandsHeldBackBeforeIt) {
    ScheduledQueue queue;
    queue.suspend();
    queue.fill(5);
    queue.append(3);
    std::vector<cl_int> data;
    expect_waits_for_resume(queue, [&] { data = queue.read(); });
    EXPECT_EQ(data, queue.all(appended(5, 3)));
    EXPECT_TRUE(queue.becomes_idle());
}

TEST_F(Blocking, WriteAndMapWaitToo) {
    ScheduledQueue queue;
    const std::vector<cl_int> nine(kElements, 9);
    queue.suspend();
    expect_waits_for_resume(queue, [&] {
        EXPECT_EQ(clEnqueueWriteBuffer(queue.queue, queue.buffer, CL_TRUE, 0, kBytes, nine.data(), 0, nullptr, nullptr),
                  CL_SUCCESS);
    });
    queue.suspend();
    queue.append(1);
    void* mapped = nullptr;
    expect_waits_for_resume(queue, [&] {
        mapped = clEnqueueMapBuffer(queue.queue, queue.buffer, CL_TRUE, CL_MAP_READ, 0, kBytes, 0, nullptr, nullptr,
                                    nullptr);
    });
    ASSERT_NE(mapped, nullptr);
    EXPECT_EQ(*static_cast<cl_int*>(mapped), appended(9, 1));
    EXPECT_EQ(clEnqueueUnmapMemObject(queue.queue, queue.buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue.queue), CL_SUCCESS);
    EXPECT_TRUE(queue.becomes_idle());
}

TEST_F(Blocking, FinishAndWaitForEventsWait) {
    ScheduledQueue queue;
    queue.suspend();
    queue.fill(1);
    expect_waits_for_resume(queue, [&] { EXPECT_EQ(clFinish(queue.queue), CL_SUCCESS); });
    queue.suspend();
    cl_event event = nullptr;
    queue.fill(2, &event);
    expect_waits_for_resume(queue, [&] { EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS); });
    clReleaseEvent(event);
    EXPECT_TRUE(queue.becomes_idle());
}

TEST_F(Blocking, ABlockingCallWithAnEventGivesACompleteOne) {
    ScheduledQueue queue;
    cl_int value = 0;
    cl_event event = nullptr;
    ASSERT_EQ(clEnqueueReadBuffer(queue.queue, queue.buffer, CL_TRUE, 0, sizeof value, &value, 0, nullptr, &event),
              CL_SUCCESS);
    EXPECT_EQ(status_of(event), CL_COMPLETE);
    clReleaseEvent(event);
    EXPECT_TRUE(queue.becomes_idle());
}

}  // namespace
}  // namespace xsched::test
