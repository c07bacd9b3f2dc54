// The batches that the layer inserts: a wait before a held call, a signal behind each call, and the program's own
// structures passed on as they are. Each test runs with vkQueueSubmit and with vkQueueSubmit2.
#include <sys/mman.h>

#include <cstring>
#include <thread>
#include <type_traits>

#include "platform/vulkan/shim/program.h"

namespace xsched::test {
namespace {

constexpr uint32_t kMostBatches = 12;

// The program's batches with all that hangs on them, on a page that is read-only.
template <typename Info>
struct Written {
    Info batches[kMostBatches];
    VkDeviceGroupSubmitInfo group{VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO};
    VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    VkSemaphore semaphore;
    VkSemaphoreSubmitInfo operation{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    uint64_t value;
    uint32_t mask = 1;
};

template <typename Info>
class ReadOnly {
public:
    ReadOnly() : page_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        new (page_) Written<Info>{};
        constexpr bool kFirst = std::is_same_v<Info, VkSubmitInfo>;
        for (Info& batch : it().batches)
            batch.sType = kFirst ? VK_STRUCTURE_TYPE_SUBMIT_INFO : VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
    }
    ~ReadOnly() { munmap(page_, kBytes); }
    Written<Info>& it() { return *static_cast<Written<Info>*>(page_); }
    // From here on a write ends the test's process.
    const Info* sealed() {
        EXPECT_EQ(mprotect(page_, kBytes, PROT_READ), 0);
        return it().batches;
    }

private:
    static constexpr size_t kBytes = 4096;
    static_assert(sizeof(Written<Info>) <= kBytes);
    void* page_;
};

// The last batch signals this value of the semaphore.
void signal_at(Written<VkSubmitInfo>& all, uint32_t batch, VkSemaphore semaphore, uint64_t value) {
    all.semaphore = semaphore;
    all.value = value;
    all.timeline.signalSemaphoreValueCount = 1;
    all.timeline.pSignalSemaphoreValues = &all.value;
    all.batches[batch].pNext = &all.timeline;
    all.batches[batch].signalSemaphoreCount = 1;
    all.batches[batch].pSignalSemaphores = &all.semaphore;
}
void signal_at(Written<VkSubmitInfo2>& all, uint32_t batch, VkSemaphore semaphore, uint64_t value) {
    all.operation.semaphore = semaphore;
    all.operation.value = value;
    all.operation.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    all.batches[batch].signalSemaphoreInfoCount = 1;
    all.batches[batch].pSignalSemaphoreInfos = &all.operation;
}

template <typename Info>
class Batches : public Program {
protected:
    // Makes the queue known to XSched by one submit, and returns its XQueue.
    XQueueHandle used_queue() {
        ReadOnly<Info> first;
        EXPECT_EQ(submit(1, first.sealed()), VK_SUCCESS);
        return xqueue();
    }
    static std::vector<Info> last() {
        if constexpr (std::is_same_v<Info, VkSubmitInfo>)
            return driver_submits().back().first;
        else
            return driver_submits().back().second;
    }
    static Submit::Batch last_batch(size_t number) { return driver_submits().back().batches.at(number); }

    // Expects the program's batches in what the driver got, from `at` on, equal to the last byte.
    static void expect_as_given(const Info* given, uint32_t count, size_t at) {
        const std::vector<Info> got = last();
        ASSERT_GE(got.size(), at + count);
        for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(std::memcmp(&given[i], &got[at + i], sizeof(Info)), 0) << i;
    }
    static void expect_only_signal(size_t number, uint64_t value) {
        const Submit::Batch batch = last_batch(number);
        EXPECT_TRUE(batch.waits.empty());
        ASSERT_EQ(batch.signals.size(), 1u);
        EXPECT_EQ(batch.signals[0].value, value);
    }
};

using Both = ::testing::Types<VkSubmitInfo, VkSubmitInfo2>;
TYPED_TEST_SUITE(Batches, Both);

TYPED_TEST(Batches, ASignalGoesBehind) {
    ReadOnly<TypeParam> program;
    const TypeParam* given = program.sealed();
    const auto fence = reinterpret_cast<VkFence>(uintptr_t{0x70});
    for (uint64_t time = 1; time <= 3; ++time) {
        EXPECT_EQ(this->submit(2, given, fence), VK_SUCCESS);
        EXPECT_EQ(this->last().size(), 3u);
        this->expect_as_given(given, 2, 0);
        this->expect_only_signal(2, time);
        EXPECT_EQ(driver_submits().back().fence, fence);
    }
    EXPECT_TRUE(this->becomes_idle(this->xqueue()));
}

TYPED_TEST(Batches, AWaitGoesBeforeAHeldCall) {
    const XQueueHandle queue = this->used_queue();
    const VkSemaphore semaphore = this->semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
    ReadOnly<TypeParam> program;
    signal_at(program.it(), 1, semaphore, 5);
    const TypeParam* given = program.sealed();
    this->suspend(queue);
    EXPECT_EQ(this->submit(2, given), VK_SUCCESS);
    ASSERT_EQ(this->last().size(), 4u);
    this->expect_as_given(given, 2, 1);
    const Submit::Batch wait = this->last_batch(0), signal = this->last_batch(3);
    ASSERT_EQ(wait.waits.size(), 1u);
    EXPECT_TRUE(wait.signals.empty());
    ASSERT_EQ(signal.signals.size(), 1u);
    EXPECT_TRUE(signal.waits.empty());
    EXPECT_NE(wait.waits[0].semaphore, signal.signals[0].semaphore);
    EXPECT_EQ(wait.waits[0].stages, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) << "something may start before the wait";
    EXPECT_EQ(signal.signals[0].value, 2u);
    EXPECT_EQ(this->value_of(wait.waits[0].semaphore) + 1, wait.waits[0].value) << "not the gate's next value";
    let_time_pass();
    EXPECT_EQ(this->value_of(semaphore), 0u) << "it is not held";
    this->resume(queue);
    EXPECT_TRUE(this->becomes(semaphore, 5));
    EXPECT_TRUE(this->becomes_idle(queue));
}

TYPED_TEST(Batches, ManyBatchesAreAllThere) {
    const XQueueHandle queue = this->used_queue();
    const VkSemaphore semaphore = this->semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
    ReadOnly<TypeParam> program;
    for (uint32_t i = 0; i < kMostBatches; ++i) program.it().batches[i].pNext = &program.it().group;
    if constexpr (std::is_same_v<TypeParam, VkSubmitInfo>) program.it().timeline.pNext = &program.it().group;
    signal_at(program.it(), kMostBatches - 1, semaphore, 7);
    const TypeParam* given = program.sealed();
    this->suspend(queue);
    for (uint32_t count = 1; count <= kMostBatches; ++count) {
        EXPECT_EQ(this->submit(count, given), VK_SUCCESS);
        ASSERT_EQ(this->last().size(), count + 2);
        this->expect_as_given(given, count, 1);
    }
    EXPECT_EQ(this->value_of(semaphore), 0u);
    this->resume(queue);
    EXPECT_TRUE(this->becomes(semaphore, 7));
    EXPECT_TRUE(this->becomes_idle(queue));
}

// Structures of device groups and of timelines in one chain, in either order, reach the driver untouched.
TYPED_TEST(Batches, ChainsAreTheProgramsOwn) {
    for (const bool group_first : {false, true}) {
        const VkSemaphore semaphore = this->semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
        ReadOnly<TypeParam> program;
        Written<TypeParam>& all = program.it();
        all.group.commandBufferCount = 0;
        signal_at(all, 0, semaphore, 3);
        if constexpr (std::is_same_v<TypeParam, VkSubmitInfo>) {
            all.group.signalSemaphoreCount = 1;
            all.group.pSignalSemaphoreDeviceIndices = &all.mask;
            all.batches[0].pNext = group_first ? static_cast<void*>(&all.group) : &all.timeline;
            (group_first ? all.group.pNext : all.timeline.pNext) =
                group_first ? static_cast<void*>(&all.timeline) : &all.group;
        } else {
            all.operation.deviceIndex = 1;
        }
        const TypeParam* given = program.sealed();
        EXPECT_EQ(this->submit(1, given), VK_SUCCESS);
        this->expect_as_given(given, 1, 0);
        const std::vector<TypeParam> got = this->last();
        ASSERT_EQ(got.size(), 2u);
        EXPECT_EQ(got[0].pNext, all.batches[0].pNext);
        EXPECT_TRUE(this->becomes(semaphore, 3));
    }
}

TYPED_TEST(Batches, ACallWithoutBatchesPassesAsItIs) {
    const auto fence = reinterpret_cast<VkFence>(uintptr_t{0x70});
    const auto* none = static_cast<const TypeParam*>(nullptr);
    HwQueueHandle hwq = 0;
    EXPECT_EQ(this->submit(0, none, fence), VK_SUCCESS);
    EXPECT_EQ(this->find(&hwq), kXSchedErrorNotFound) << "a call without batches is no command";
    const XQueueHandle queue = this->used_queue();
    this->suspend(queue);
    EXPECT_EQ(this->submit(0, none, fence), VK_SUCCESS);
    const Submit last = driver_submits().back();
    EXPECT_TRUE(last.batches.empty());
    EXPECT_FALSE(last.has_list);
    EXPECT_EQ(last.fence, fence);
    this->resume(queue);
}

// A present, which waits for such a semaphore, may only be submitted when the signal can follow.
TYPED_TEST(Batches, ACallThatSignalsABinarySemaphoreIsNotHeldInTheDriver) {
    const XQueueHandle queue = this->used_queue();
    ReadOnly<TypeParam> program;
    signal_at(program.it(), 0, this->semaphore(VK_SEMAPHORE_TYPE_BINARY), 0);
    const TypeParam* given = program.sealed();
    this->suspend(queue);
    const size_t before = driver_submits().size();
    std::thread caller([&] { EXPECT_EQ(this->submit(1, given), VK_SUCCESS); });
    let_time_pass();
    EXPECT_EQ(driver_submits().size(), before) << "the caller does not wait";
    this->resume(queue);
    caller.join();
    EXPECT_EQ(this->last().size(), 2u);
    this->expect_as_given(given, 1, 0);
    this->expect_only_signal(1, 2);
}

TYPED_TEST(Batches, ARefusedCallIsNoCommand) {
    const XQueueHandle queue = this->used_queue();
    ReadOnly<TypeParam> program;
    const TypeParam* given = program.sealed();
    driver_answer(VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_EQ(this->submit(1, given), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_TRUE(this->becomes_idle(queue)) << "the queue waits for what the driver never got";
    driver_answer(VK_SUCCESS);
    EXPECT_EQ(this->submit(1, given), VK_SUCCESS);
    EXPECT_EQ(this->last_batch(1).signals.at(0).value, 3u) << "values rise";
    EXPECT_TRUE(this->becomes_idle(queue));
}

}  // namespace
}  // namespace xsched::test
