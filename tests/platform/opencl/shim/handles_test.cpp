// Handles that are no command queues: the public functions say so, and the shim does not follow them. With the shim and
// without.
#include <cstdint>
#include <vector>

#include "platform/opencl/shim/scheduled_queue.h"

namespace xsched::test {
namespace {

class Handles : public testing::Test {
protected:
    void SetUp() override {
        if (Platform::get().device == nullptr) GTEST_SKIP() << "there is no OpenCL device";
    }
    static cl_command_queue new_queue() {
        cl_int code = CL_SUCCESS;
        cl_command_queue queue = clCreateCommandQueue(Platform::get().context, Platform::get().device, 0, &code);
        EXPECT_EQ(code, CL_SUCCESS);
        return queue;
    }
    static cl_command_queue as_queue(uintptr_t number) { return reinterpret_cast<cl_command_queue>(number); }
    static cl_command_queue as_queue(const void* object) { return as_queue(reinterpret_cast<uintptr_t>(object)); }
    static void expect_none(cl_command_queue queue, const char* what) {
        HwQueueHandle hwq = 77;
        EXPECT_EQ(OclQueueCreate(&hwq, queue), kXSchedErrorInvalidValue) << what;
        EXPECT_EQ(hwq, 77u) << what;
        EXPECT_NE(OclQueueGet(&hwq, queue), kXSchedSuccess) << what;
    }
};

TEST_F(Handles, NumbersAndOtherMemory) {
    cl_command_queue queue = new_queue();
    alignas(16) static unsigned char zeroes[8192] = {};
    alignas(16) static unsigned char letters[8192];
    for (size_t i = 0; i < sizeof letters; ++i) letters[i] = static_cast<unsigned char>(i * 37 + 11);
    // The first word of the array is an address, as an object's is, but that address is not a table of functions.
    const void* leads[] = {zeroes, letters, leads};
    expect_none(nullptr, "no queue");
    expect_none(as_queue(1234), "1234");
    expect_none(as_queue(4096), "4096");
    expect_none(as_queue(~uintptr_t{7}), "the end of the address space");
    expect_none(as_queue(zeroes), "zeroes");
    expect_none(as_queue(letters), "letters");
    for (const void** lead = leads; lead != leads + 3; ++lead) expect_none(as_queue(lead), "a pointer to other memory");
    expect_none(as_queue(reinterpret_cast<uintptr_t>(queue) + 3), "an odd address");
    HwQueueHandle hwq = 0;
    const XResult result = OclQueueCreate(&hwq, queue);
    EXPECT_TRUE(result == kXSchedSuccess || result == kXSchedErrorNotAllowed) << result;
    if (result == kXSchedSuccess) HwQueueDestroy(hwq);
    clReleaseCommandQueue(queue);
}

TEST_F(Handles, AQueueThatIsGone) {
    for (int i = 0; i < 20; ++i) {
        cl_command_queue queue = new_queue();
        ASSERT_EQ(clFinish(queue), CL_SUCCESS);
        ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
        expect_none(queue, "a released queue");
    }
}

}  // namespace
}  // namespace xsched::test
