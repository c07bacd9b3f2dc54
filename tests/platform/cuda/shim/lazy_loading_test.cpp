// Under the local scheduler, on a driver that loads kernels at their first launch: such a launch of an urgent stream
// waits in the driver for the work of a stream that is suspended for it.
#include <unistd.h>

#include "platform/cuda/shim/program.h"

namespace xsched::test {
namespace {

constexpr int kLoads = 60;  // each takes half a second where only time helps

class LazyLoading : public CudaTest {
protected:
    CUfunction kernel(const char* name) {
        CUmodule module = nullptr;
        CUfunction function = nullptr;
        EXPECT_EQ(cu().cuModuleLoadData(&module, "image"), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
        return function;
    }
    static CUresult spin(CUfunction function, CUstream stream, uint32_t us) {
        void* parameters[] = {&us};
        return cu().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
    }
    // Keeps a stream full.
    void keep_busy(CUstream stream, CUfunction function) {
        cu().cuCtxSetCurrent(context_);
        while (!stop_) {
            for (int i = 0; i < 8; ++i) EXPECT_EQ(spin(function, stream, 300), CUDA_SUCCESS);
            EXPECT_EQ(cu().cuStreamSynchronize(stream), CUDA_SUCCESS);
        }
    }
    std::atomic<bool> stop_{false};
};

TEST_F(LazyLoading, TheFirstLaunchOfAKernelWaitsForASuspendedStreamAndGetsOn) {
    const CUstream low = new_stream(), high = new_stream(CU_STREAM_NON_BLOCKING, -1);
    const CUfunction spinning = kernel("spin");
    EXPECT_EQ(spin(spinning, low, 1), CUDA_SUCCESS);
    EXPECT_EQ(spin(spinning, high, 1), CUDA_SUCCESS);
    std::thread background([&] { keep_busy(low, spinning); });
    std::atomic<int> loaded{0};
    std::thread urgent([&] {
        cu().cuCtxSetCurrent(context_);
        for (; loaded < kLoads; ++loaded) {
            let_time_pass();
            const CUfunction fresh = kernel("spin");
            for (int i = 0; i < 4; ++i) EXPECT_EQ(spin(spinning, high, 200), CUDA_SUCCESS);
            EXPECT_EQ(spin(fresh, high, 200), CUDA_SUCCESS);
            EXPECT_EQ(cu().cuStreamSynchronize(high), CUDA_SUCCESS);
        }
    });
    if (!eventually([&] { return loaded == kLoads; })) {
        ADD_FAILURE() << "the launch of kernel " << loaded << " does not return";
        fflush(nullptr);
        _exit(1);  // its thread never comes back
    }
    urgent.join();
    stop_ = true;
    background.join();
    EXPECT_EQ(cu().cuStreamDestroy_v2(low), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamDestroy_v2(high), CUDA_SUCCESS);
}

}  // namespace
}  // namespace xsched::test
