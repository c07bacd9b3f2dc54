// The cost of launches for the thread that makes them, on AMD's runtime: empty kernels on a stream of its own, in
// batches with a wait behind each. The wait does not count. Batches come in pairs: one calls the runtime itself, the
// other one what the program is linked to, which is the shim where that is preloaded. Two processes differ by more than
// the shim costs, as their memory lies elsewhere.
//   launch_cost CODE PAIRS
// One line for each pair: nanoseconds for each launch by the thread's processor time, of the runtime and of the linked
// function, and the same by the clock.
#include <dlfcn.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "program.h"

namespace {

constexpr int kBatch = 64;  // launches; the runtime's queues take many more at once
constexpr int kFirstPairs = 10;  // which do not count: the runtime makes its queues, and the shim its own

using Launch = decltype(&hipModuleLaunchKernel);

struct Times {
    double own_ns, clock_ns;  // for each launch
};

int64_t now_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// Returns the runtime's own function, by its symbol version: by the name alone the shim's would be found.
Launch of_runtime() {
    for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6"}) {
        void* runtime = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
        if (runtime == nullptr) continue;
        if (void* found = dlvsym(runtime, "hipModuleLaunchKernel", "hip_4.2")) return reinterpret_cast<Launch>(found);
    }
    throw std::runtime_error("the runtime's hipModuleLaunchKernel is not found");
}

Times batch(Launch launch, hipFunction_t kernel, hipStream_t stream) {
    unsigned long ns = 0;
    unsigned long* nowhere = nullptr;
    void* arguments[] = {&ns, &nowhere};
    const int64_t clock_ns = now_ns(CLOCK_MONOTONIC), own_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < kBatch; ++i) CHECK(launch(kernel, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
    const int64_t own_end_ns = now_ns(CLOCK_THREAD_CPUTIME_ID), end_ns = now_ns(CLOCK_MONOTONIC);
    CHECK(hipStreamSynchronize(stream));
    return {static_cast<double>(own_end_ns - own_ns) / kBatch, static_cast<double>(end_ns - clock_ns) / kBatch};
}

void run(const char* code, int pairs) {
    CHECK(hipSetDevice(0));
    hipFunction_t spin = program::kernel(code);
    hipStream_t stream = nullptr;
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    const Launch launches[] = {of_runtime(), &hipModuleLaunchKernel};
    for (int pair = -kFirstPairs; pair < pairs; ++pair) {
        Times times[2];
        const int first = pair & 1;
        for (const int which : {first, 1 - first}) times[which] = batch(launches[which], spin, stream);
        if (pair >= 0)
            std::printf("%.1f %.1f %.1f %.1f\n", times[0].own_ns, times[1].own_ns, times[0].clock_ns,
                        times[1].clock_ns);
    }
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) return 2;
    return program::status_of("launch_cost", [&] { run(words[1], std::atoi(words[2])); });
}
