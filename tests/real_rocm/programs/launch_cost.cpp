// The cost of launches for the thread that makes them, on AMD's runtime: empty kernels on a stream of its own, in
// batches with a wait behind each. The wait does not count.
//   launch_cost CODE BATCHES
// One line for each batch: nanoseconds for each launch, by the thread's processor time and by the clock.
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "program.h"

namespace {

constexpr int kBatch = 64;       // launches; the runtime's queues take many more at once
constexpr int kFirstBatches = 20;  // which do not count: the runtime makes its queues, and the shim its own

int64_t now_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void run(const char* code, int batches) {
    CHECK(hipSetDevice(0));
    hipFunction_t spin = program::kernel(code);
    hipStream_t stream = nullptr;
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    unsigned long ns = 0;
    unsigned long* nowhere = nullptr;
    void* arguments[] = {&ns, &nowhere};
    for (int batch = -kFirstBatches; batch < batches; ++batch) {
        const int64_t clock_ns = now_ns(CLOCK_MONOTONIC), own_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < kBatch; ++i)
            CHECK(hipModuleLaunchKernel(spin, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
        const int64_t own_end_ns = now_ns(CLOCK_THREAD_CPUTIME_ID), end_ns = now_ns(CLOCK_MONOTONIC);
        CHECK(hipStreamSynchronize(stream));
        if (batch >= 0)
            std::printf("%.1f %.1f\n", static_cast<double>(own_end_ns - own_ns) / kBatch,
                        static_cast<double>(end_ns - clock_ns) / kBatch);
    }
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) return 2;
    try {
        run(words[1], std::atoi(words[2]));
    } catch (const std::exception& error) {
        std::printf("launch_cost: %s\n", error.what());
        return 3;
    }
    return 0;
}
