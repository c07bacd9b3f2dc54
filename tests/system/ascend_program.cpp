// An ordinary program for CANN's runtime, on the stand-in, for stand_in_programs_test.py. It prints one line of JSON.
//
//   ascend_program exact COMMANDS         kernels one after the other, in three streams; counts wrong numbers
//   ascend_program busy SECONDS US        kernels of US microseconds, 16 in flight
//   ascend_program urgent BURSTS US GAP   bursts of four kernels of US microseconds, GAP milliseconds apart
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "fake/ascend/fake_acl.h"

namespace {

using Clock = std::chrono::steady_clock;

void check(aclError code, const char* call) {
    if (code == ACL_SUCCESS) return;
    std::fprintf(stderr, "%s: %d\n", call, code);
    std::exit(1);
}
#define CHECK(call) check(call, #call)

aclrtFuncHandle kernel(const char* name) {
    aclrtFuncHandle found = nullptr;
    CHECK(aclrtBinaryGetFunction(nullptr, name, &found));
    return found;
}
aclrtStream stream() {
    aclrtStream made = nullptr;
    CHECK(aclrtCreateStream(&made));
    return made;
}

// Gives one kernel after the other to streams that wait for each other by an event.
long wrong_numbers(long commands) {
    constexpr uint32_t kNumbers = 16;
    struct {
        void* numbers;
        uint32_t value, count;
    } arguments{nullptr, 0, kNumbers};
    CHECK(aclrtMalloc(&arguments.numbers, kNumbers * sizeof(uint32_t), 0));
    uint32_t found[kNumbers] = {}, expected = 0;
    CHECK(aclrtMemcpy(arguments.numbers, sizeof found, found, sizeof found, 1));
    const aclrtFuncHandle append = kernel("append");
    const aclrtStream streams[] = {stream(), stream(), nullptr};
    aclrtEvent event = nullptr;
    CHECK(aclrtCreateEventWithFlag(&event, 0));
    for (long i = 0; i < commands; ++i) {
        arguments.value = static_cast<uint32_t>(i);
        expected = expected * 31 + arguments.value;
        CHECK(aclrtLaunchKernel(append, kNumbers, &arguments, sizeof arguments, streams[i % 3]));
        CHECK(aclrtRecordEvent(event, streams[i % 3]));
        CHECK(aclrtStreamWaitEvent(streams[(i + 1) % 3], event));
        if (i % 16 == 0) CHECK(aclrtSynchronizeStream(streams[i % 3]));
    }
    CHECK(aclrtSynchronizeDevice());
    CHECK(aclrtMemcpy(found, sizeof found, arguments.numbers, sizeof found, 2));
    return std::count_if(found, found + kNumbers, [&](uint32_t number) { return number != expected; });
}

// Gives this many kernels of this length, and waits for them.
void work(aclrtFuncHandle spin, aclrtStream in, int kernels, uint32_t us) {
    for (int i = 0; i < kernels; ++i) CHECK(aclrtLaunchKernel(spin, 1, &us, sizeof us, in));
    CHECK(aclrtSynchronizeStream(in));
}

void busy(double seconds, uint32_t us) {
    const aclrtFuncHandle spin = kernel("spin");
    const aclrtStream in = stream();
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    long commands = 0;
    for (; Clock::now() < end; commands += 16) work(spin, in, 16, us);
    std::printf("{\"commands\": %ld, \"wrong\": %ld}\n", commands, fake_cuda_errors());
}

void urgent(long bursts, uint32_t us, long gap_ms) {
    const aclrtFuncHandle spin = kernel("spin");
    const aclrtStream in = stream();
    std::vector<double> times_ms;
    for (long i = 0; i < bursts; ++i) {
        const auto begin = Clock::now();
        work(spin, in, 4, us);
        times_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
        std::this_thread::sleep_for(std::chrono::milliseconds(gap_ms));
    }
    std::sort(times_ms.begin(), times_ms.end());
    std::printf("{\"commands\": %ld, \"wrong\": %ld, \"p50_ms\": %.3f}\n", bursts * 4, fake_cuda_errors(),
                times_ms[times_ms.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const auto number = [&](int at) { return argc > at ? std::atof(argv[at]) : 0.0; };
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    if (what == "exact")
        std::printf("{\"commands\": %ld, \"wrong\": %ld}\n", static_cast<long>(number(2)),
                    wrong_numbers(static_cast<long>(number(2))) + fake_cuda_errors());
    else if (what == "busy")
        busy(number(2), static_cast<uint32_t>(number(3)));
    else
        urgent(static_cast<long>(number(2)), static_cast<uint32_t>(number(3)), static_cast<long>(number(4)));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
