// A queue's first use makes its XQueue, which takes calls of the driver. No other queue's thread waits for these.
#include <thread>

#include "platform/vulkan/shim/program.h"

namespace xsched::test {
namespace {

class FirstUse : public Program {
protected:
    // Submits to the queue on a thread of its own, which then stands in the driver's vkCreateSemaphore.
    void stand_in_driver(int queue) {
        driver_block_semaphores();
        standing_ = std::thread([this, queue] { submit_to(queue); });
        EXPECT_TRUE(eventually(driver_is_blocked));
    }
    void submit_to(int queue) const {
        const VkSubmitInfo batch{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        EXPECT_EQ(submit(1, &batch, VK_NULL_HANDLE, queue), VK_SUCCESS);
    }
    void go_on() {
        driver_unblock();
        standing_.join();
    }
    static size_t submits_to(int queue) {
        size_t count = 0;
        for (const Submit& it : driver_submits()) count += it.queue == driver_queue(queue);
        return count;
    }

private:
    std::thread standing_;
};

TEST_F(FirstUse, KeepsNoOtherQueueOut) {
    stand_in_driver(0);
    std::thread other([&] { submit_to(1); });
    EXPECT_TRUE(eventually([] { return submits_to(1) == 1; })) << "it waits for another queue's first use";
    EXPECT_EQ(submits_to(0), 0u);
    go_on();
    other.join();
    EXPECT_TRUE(becomes_idle(xqueue(0)));
    EXPECT_TRUE(becomes_idle(xqueue(1)));
    EXPECT_NE(xqueue(0), xqueue(1));
}

// A queue that the program made with internal synchronization may be used by several threads at once.
TEST_F(FirstUse, IsOneForAllThreadsOfAQueue) {
    stand_in_driver(2);
    std::thread same([&] { submit_to(2); });
    let_time_pass();
    EXPECT_EQ(submits_to(2), 0u) << "it does not wait until the queue is ready";
    go_on();
    same.join();
    EXPECT_EQ(submits_to(2), 2u);
    EXPECT_EQ(driver_semaphores_made(), 2) << "one gate and one signal";
    EXPECT_TRUE(becomes_idle(xqueue(2)));
}

}  // namespace
}  // namespace xsched::test
