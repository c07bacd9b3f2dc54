// The common part of level 3's tests in one program: the fake kernel driver's answers, and streams at that level.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include "fake/kfd/fake_kfd.h"
#include "platform/hip/hal/kfd_api.h"
#include "platform/hip/shim/program.h"

namespace xsched::test {
using namespace xsched::hip::kfd;

template <typename Function>
inline Function* fake(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}
inline unsigned standing(uint32_t type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL) {
    return fake<decltype(fake_kfd_standing)>("fake_kfd_standing")(type);
}
inline unsigned queues() { return fake<decltype(fake_kfd_queues)>("fake_kfd_queues")(KFD_IOC_QUEUE_TYPE_COMPUTE_AQL); }
inline unsigned calls(unsigned number) { return fake<decltype(fake_kfd_calls)>("fake_kfd_calls")(number); }
inline int file() { return fake<decltype(fake_kfd_open)>("fake_kfd_open")(); }
inline bool refuses(const char* number) {
    const char* refused = std::getenv("FAKE_KFD_REFUSE");
    return refused != nullptr && std::string(refused).find(number) != std::string::npos;
}
inline bool refuses_all() { return refuses("87:"); }

inline bool observed() { return std::getenv("FAKE_HIP_HSA") != nullptr; }

class HipInterrupts : public HipTest {
protected:
    void SetUp() override {
        if (!is_set("FAKE_KFD")) GTEST_SKIP() << "without the fake kernel driver";
        HipTest::SetUp();
        ASSERT_EQ(hip().hipModuleGetFunction(&spin_, module_, "spin"), hipSuccess);
        ASSERT_GT(queues(), 0u);
    }
    void TearDown() override {
        EXPECT_EQ(standing(), 0u) << "left behind";
        HipTest::TearDown();
    }
    // Makes a stream whose queue has level 3, or the highest level that there is.
    hipStream_t stream_at_level_3(XQueueHandle* xqueue) {
        const hipStream_t stream = new_stream();
        EXPECT_EQ(noop(stream), hipSuccess);
        *xqueue = xqueue_of(stream);
        XQueueSetPreemptLevel(*xqueue, kPreemptLevelInterrupt);
        EXPECT_EQ(hip().hipStreamSynchronize(stream), hipSuccess);
        return stream;
    }
    static void destroy(std::initializer_list<hipStream_t> streams) {
        for (const hipStream_t stream : streams) EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
    }
    // Launches a kernel of 30 ms, and behind it one that appends `value`.
    void launch_long_work(hipStream_t stream, uint32_t value) {
        EXPECT_EQ(spin(stream, 30'000), hipSuccess);
        EXPECT_EQ(append(stream, value), hipSuccess);
    }
    // Makes such a stream, and suspends its queue in the middle of long work.
    hipStream_t suspended_in_long_work(XQueueHandle* xqueue, uint32_t value) {
        const hipStream_t stream = stream_at_level_3(xqueue);
        launch_long_work(stream, value);
        suspend(*xqueue);
        return stream;
    }
    // Resumes the queue, waits for the stream, compares the word and destroys the stream.
    void resume_to_the_end(XQueueHandle xqueue, hipStream_t stream, uint32_t value) {
        resume(xqueue);
        expect_at_end(stream, value);
    }
    hipError_t spin(hipStream_t stream, uint32_t us) {
        void* arguments[] = {&us};
        return hip().hipModuleLaunchKernel(spin_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
    }
    static uint32_t create(uint32_t percentage) {
        kfd_ioctl_create_queue_args request{};
        request.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
        request.ring_size = 0x1000;
        request.gpu_id = observed() ? 1001 : 0;  // the first one's, as the stand-in numbers it
        request.queue_percentage = percentage;
        EXPECT_EQ(ioctl(file(), AMDKFD_IOC_CREATE_QUEUE, &request), 0);
        return request.queue_id;
    }
    static void destroy(uint32_t id) {
        kfd_ioctl_destroy_queue_args request{id, 0};
        EXPECT_EQ(ioctl(file(), AMDKFD_IOC_DESTROY_QUEUE, &request), 0);
    }

    hipFunction_t spin_ = nullptr;
};

}  // namespace xsched::test
