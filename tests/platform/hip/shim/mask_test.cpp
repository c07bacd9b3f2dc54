// Level 3 by few compute units (XSCHED_HIP_INTERRUPT=mask) in one program, on a fake kernel driver that runs kernels
// side by side on its units: what runs goes on there, the program's own masks are put back, and refusals lead to other
// ways.
#include <array>

#include "platform/hip/shim/interrupts.h"

namespace xsched::test {
namespace {

constexpr unsigned kSetMask = 0x1a;

unsigned masked() { return fake<decltype(fake_kfd_masked)>("fake_kfd_masked")(KFD_IOC_QUEUE_TYPE_COMPUTE_AQL); }
uint64_t mask(uint32_t queue) { return fake<decltype(fake_kfd_mask)>("fake_kfd_mask")(queue); }

class HipMasks : public HipInterrupts {
protected:
    void SetUp() override {
        const char* way = std::getenv("XSCHED_HIP_INTERRUPT");
        if (way == nullptr || std::string(way) != "mask") GTEST_SKIP() << "another way";
        HipInterrupts::SetUp();
    }
    void TearDown() override {
        if (IsSkipped()) return;
        EXPECT_EQ(masked(), 0u) << "left behind";
        HipInterrupts::TearDown();
    }
    static int set_mask(uint32_t queue, uint32_t bits, const uint32_t* words) {
        kfd_ioctl_set_cu_mask_args request{queue, bits, reinterpret_cast<uintptr_t>(words)};
        return ioctl(file(), AMDKFD_IOC_SET_CU_MASK, &request);
    }
    // Makes a queue of the program's own with that mask. Returns its number.
    static uint32_t create_masked(std::array<uint32_t, 2> words) {
        const uint32_t queue = create(100);
        EXPECT_EQ(set_mask(queue, 64, words.data()), 0);
        return queue;
    }
};

TEST_F(HipMasks, WhatRunsGoesOnMoreSlowly) {
    if (refuses("1a:")) GTEST_SKIP() << "without masks";
    constexpr uint32_t kKernelMs = 50;
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    ASSERT_EQ(spin(stream, kKernelMs * 1000), hipSuccess);
    ASSERT_EQ(append(stream, 7), hipSuccess);
    const auto began = std::chrono::steady_clock::now();
    suspend(xqueue);
    EXPECT_EQ(standing(), 0u);
    EXPECT_EQ(masked(), queues()) << "all for kernels";
    EXPECT_TRUE(eventually([this] { return word() == 7; })) << "it does not go on";
    EXPECT_GT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(2 * kKernelMs))
        << "on few units it takes eight times as long";
    EXPECT_EQ(append(stream, 9), hipSuccess);
    let_time_pass();
    EXPECT_EQ(word(), 7u) << "the program itself suspended the queue: what it launches now waits";
    resume(xqueue);
    EXPECT_EQ(masked(), 0u);
    EXPECT_EQ(hip().hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(word(), 7u * 31 + 9);
    destroy({stream});
}

TEST_F(HipMasks, TheProgramsOwnMaskIsPutBackExactly) {
    if (refuses("1a:")) GTEST_SKIP() << "without masks";
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    const uint32_t queue = create_masked({0x00ff00f0, 0x1});
    suspend(xqueue);
    EXPECT_EQ(mask(queue), 0xf0u) << "a part of its own";
    resume(xqueue);
    EXPECT_EQ(mask(queue), 0x1'00ff00f0u);
    // A mask that the program sets while its queue is slowed comes into force in full after the resume; an invalid
    // one is refused.
    suspend(xqueue);
    const uint32_t words[] = {0x3f000000};
    EXPECT_EQ(set_mask(queue, 32, words), 0);
    EXPECT_EQ(words[0], 0x3f000000u) << "the program's memory";
    EXPECT_EQ(mask(queue), 0x0f000000u);
    errno = 0;
    EXPECT_EQ(set_mask(queue, 31, words), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(set_mask(queue, 32, nullptr), -1);
    EXPECT_EQ(errno, EFAULT);
    resume(xqueue);
    EXPECT_EQ(mask(queue), 0x3f000000u);
    destroy(queue);
    destroy({stream});
}

TEST_F(HipMasks, AStreamThatDoesNotAskKeepsAllUnits) {
    if (refuses("1a:")) GTEST_SKIP() << "without masks";
    XQueueHandle first = 0, second = 0;
    const hipStream_t one = stream_at_level_3(&first), other = stream_at_level_3(&second);
    suspend(first);
    EXPECT_EQ(masked(), observed() ? 1u : 0u);
    suspend(second);
    EXPECT_EQ(masked(), queues());
    resume(first);
    EXPECT_EQ(masked(), observed() ? 1u : 0u);
    resume(second);
    destroy({one, other});
}

TEST_F(HipMasks, AQueueThatGoesMeanwhileIsForgotten) {
    if (refuses("1a:")) GTEST_SKIP() << "without masks";
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    const uint32_t late = create(100);
    suspend(xqueue);
    destroy(late);
    resume(xqueue);
    const uint32_t next = create(100);  // with the same number
    EXPECT_EQ(mask(next), UINT64_MAX);
    destroy(next);
    suspend(xqueue);
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
    EXPECT_TRUE(eventually([] { return masked() == 0; }));
}

// If the kernel driver refuses the mask (EPERM, EFAULT or EINVAL), another way to suspend is used.
TEST_F(HipMasks, RefusalLeadsToAnotherWay) {
    if (!refuses("1a:")) GTEST_SKIP() << "with masks";
    XQueueHandle xqueue = 0;
    const hipStream_t stream = stream_at_level_3(&xqueue);
    for (int i = 0; i < 2; ++i) {
        suspend(xqueue);
        EXPECT_EQ(standing(), queues());
        EXPECT_EQ(masked(), 0u);
        resume(xqueue);
    }
    EXPECT_EQ(calls(kSetMask), 0u);
    EXPECT_GT(calls(0x07), 0u);
    destroy({stream});
}

}  // namespace
}  // namespace xsched::test
