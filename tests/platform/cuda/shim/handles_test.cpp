// Handles that are no streams: the public functions say so, and the shim does not follow them. With the shim and
// without.
#include <cstring>
#include <thread>
#include <vector>

#include "platform/cuda/shim/program.h"

namespace xsched::test {
namespace {

class Handles : public CudaTest {
protected:
    static CUstream as_stream(uintptr_t number) { return reinterpret_cast<CUstream>(number); }
    static void expect_none(CUstream stream, const char* what) {
        HwQueueHandle hwq = 77;
        EXPECT_EQ(CudaQueueCreate(&hwq, stream), kXSchedErrorInvalidValue) << what;
        EXPECT_EQ(hwq, 77u) << what;
        EXPECT_NE(CudaQueueGet(&hwq, stream), kXSchedSuccess) << what;
    }
    void expect_good(CUstream stream) {
        HwQueueHandle hwq = 0;
        ASSERT_EQ(CudaQueueCreate(&hwq, stream), kXSchedSuccess);
        EXPECT_EQ(HwQueueDestroy(hwq), kXSchedSuccess);
    }
};

TEST_F(Handles, NumbersAndOtherMemory) {
    CUstream stream = new_stream();
    alignas(16) static unsigned char zeroes[8192] = {};
    alignas(16) static unsigned char letters[8192];
    for (size_t i = 0; i < sizeof letters; ++i) letters[i] = static_cast<unsigned char>(i * 37 + 11);
    expect_none(as_stream(1234), "1234");
    expect_none(as_stream(4096), "4096");
    expect_none(as_stream(~uintptr_t{7}), "the end of the address space");
    expect_none(reinterpret_cast<CUstream>(zeroes), "zeroes");
    expect_none(reinterpret_cast<CUstream>(letters), "letters");
    expect_none(as_stream(reinterpret_cast<uintptr_t>(stream) + 3), "an odd address");
    expect_none(as_stream(reinterpret_cast<uintptr_t>(stream) + 8), "the inside of a stream");
    expect_none(reinterpret_cast<CUstream>(context_), "a context");
    expect_good(stream);
    EXPECT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(Handles, AStreamThatIsGone) {
    CUstream stream = new_stream();
    expect_good(stream);
    ASSERT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    expect_none(stream, "a destroyed stream");
}

TEST_F(Handles, DefaultStreamsAndThoseOfOtherContextsAreGood) {
    for (CUstream stream : {CUstream{nullptr}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
        HwQueueHandle hwq = 0;
        const XResult result = CudaQueueCreate(&hwq, stream);
        EXPECT_TRUE(result == kXSchedSuccess || result == kXSchedErrorNotAllowed) << stream;
        if (result == kXSchedSuccess) HwQueueDestroy(hwq);
    }
    CUcontext other = nullptr;
    ASSERT_EQ(cu().cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);  // and current
    CUstream theirs = new_stream();
    ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
    expect_good(theirs);
    std::thread([&] {
        expect_none(as_stream(1234), "1234, on a thread without a context");
        expect_good(theirs);
    }).join();
    ASSERT_EQ(cu().cuCtxDestroy_v2(other), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
}

}  // namespace
}  // namespace xsched::test
