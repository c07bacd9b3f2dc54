// What calls of the CUDA driver cost the host, one kind after the other in batches that the device never has to hold
// up. An ordinary CUDA program: run it with and without XSched.
//
//   launch_cost --out FILE   one line per batch and kind: number of the kind, picoseconds per call
//
// Kinds: 0 empty kernel on the NULL stream, 1 on a stream of its own, 2 event record, 3 synchronize an idle stream,
// 4 asynchronous memset of 4 bytes.
#include <cstdio>
#include <exception>
#include <functional>

#include "arguments.h"
#include "driver.h"

namespace {

constexpr int kBatch = 256;
constexpr int kWarmUpBatches = 10;

constexpr const char* kNothing = R"(
.version 6.0
.target sm_30
.address_size 64
.visible .entry nothing(.param .u64 first, .param .u32 second)
{
    ret;
}
)";

struct Calls {
    busy::CuFunction kernel = nullptr;
    busy::CuStream own = nullptr;
    busy::CuEvent event = nullptr;
    busy::CuPointer memory = 0;

    Calls() {
        busy::CuDevice device = 0;
        busy::CuContext context = nullptr;
        busy::CuModule module = nullptr;
        const busy::Driver& cu = busy::driver();
        busy::check(cu.cuDeviceGet(&device, 0), "cuDeviceGet");
        busy::check(cu.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
        busy::check(cu.cuCtxSetCurrent(context), "cuCtxSetCurrent");
        busy::check(cu.cuModuleLoadData(&module, kNothing), "cuModuleLoadData");
        busy::check(cu.cuModuleGetFunction(&kernel, module, "nothing"), "cuModuleGetFunction");
        busy::check(cu.cuStreamCreate(&own, busy::kStreamNonBlocking), "cuStreamCreate");
        busy::check(cu.cuEventCreate(&event, busy::kEventDisableTiming), "cuEventCreate");
        busy::check(cu.cuMemAlloc(&memory, 4096), "cuMemAlloc");
    }

    void launch(busy::CuStream stream) {
        uint32_t number = 0;
        void* parameters[] = {&memory, &number};
        busy::check(busy::driver().cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr),
                    "cuLaunchKernel");
    }
};

int64_t batch(const std::function<void()>& call) {
    const int64_t begin = busy::now_ns();
    for (int i = 0; i < kBatch; ++i) call();
    return (busy::now_ns() - begin) * 1000 / kBatch;
}

int run(const busy::Arguments& arguments) {
    Calls calls;
    const busy::Driver& cu = busy::driver();
    const std::function<void()> kinds[] = {
        [&] { calls.launch(nullptr); },
        [&] { calls.launch(calls.own); },
        [&] { busy::check(cu.cuEventRecord(calls.event, calls.own), "cuEventRecord"); },
        [&] { busy::check(cu.cuStreamSynchronize(calls.own), "cuStreamSynchronize"); },
        [&] { busy::check(cu.cuMemsetD8Async(calls.memory, 1, 4, calls.own), "cuMemsetD8Async"); },
    };
    busy::Rows rows;
    const int64_t end = busy::now_ns() + static_cast<int64_t>(arguments.seconds * 1e9);
    for (int number = 0; number < kWarmUpBatches || busy::now_ns() < end; ++number) {
        for (size_t kind = 0; kind < std::size(kinds); ++kind) {
            const int64_t cost = batch(kinds[kind]);
            busy::check(cu.cuStreamSynchronize(nullptr), "cuStreamSynchronize");
            busy::check(cu.cuStreamSynchronize(calls.own), "cuStreamSynchronize");
            if (number >= kWarmUpBatches) rows.push_back({static_cast<int64_t>(kind), cost});
        }
    }
    printf("ready\n");
    fflush(stdout);
    busy::write_rows(arguments.out, rows);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(busy::parse_arguments(argc, argv));
    } catch (const std::exception& error) {
        fprintf(stderr, "launch_cost: %s\n", error.what());
        return 1;
    }
}
