// A program of AMD's runtime: bursts of kernels that count themselves, each burst ended as asked. It says how long
// bursts took, and whether every kernel ran exactly once.
//   bursts CODE US KERNELS BURSTS END [PAUSE_MS] [PRIORITY] [STREAMS]
//   CODE   the kernels, as programs/hiprtc.cpp compiles them
//   END    sync, device, copy, event or query
//   STREAMS   so many are made, of which the last one is used; 0: the NULL stream is
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "program.h"

namespace {

constexpr unsigned kBlocks = 304, kThreads = 256;

double now_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

struct Asked {
    unsigned long ns;
    int kernels, bursts;
    std::string end;
    int pause_ms, priority, streams;
};

class Bursts {
public:
    Bursts(const char* code, const Asked& asked) : asked_(asked) {
        CHECK(hipSetDevice(0));
        spin_ = program::kernel(code);
        CHECK(hipMalloc(reinterpret_cast<void**>(&counter_), sizeof *counter_));
        CHECK(hipMemset(counter_, 0, sizeof *counter_));
        CHECK(hipDeviceSynchronize());  // hipMemset may return before it is done, and the streams do not wait for it
        CHECK(hipEventCreateWithFlags(&event_, hipEventDisableTiming));
        for (int i = 0; i < asked.streams; ++i)
            CHECK(hipStreamCreateWithPriority(&stream_, hipStreamNonBlocking, asked.priority));
    }

    double burst() {
        const double began = now_ms();
        void* arguments[] = {&asked_.ns, &counter_};
        for (int i = 0; i < asked_.kernels; ++i)
            CHECK(hipModuleLaunchKernel(spin_, kBlocks, 1, 1, kThreads, 1, 1, 0, stream_, arguments, nullptr));
        wait();
        return now_ms() - began;
    }

    unsigned long counted() {
        unsigned long counted = 0;
        CHECK(hipDeviceSynchronize());
        CHECK(hipMemcpy(&counted, counter_, sizeof counted, hipMemcpyDeviceToHost));
        return counted;
    }

private:
    void wait() {
        if (asked_.end == "device") return CHECK(hipDeviceSynchronize());
        if (asked_.end == "copy") return void(counted_in_stream());
        if (asked_.end == "query") {
            while (hipStreamQuery(stream_) == hipErrorNotReady) usleep(50);
            return;
        }
        if (asked_.end != "event") return CHECK(hipStreamSynchronize(stream_));
        CHECK(hipEventRecord(event_, stream_));
        CHECK(hipEventSynchronize(event_));
    }
    unsigned long counted_in_stream() {
        unsigned long counted = 0;
        CHECK(hipMemcpyAsync(&counted, counter_, sizeof counted, hipMemcpyDeviceToHost, stream_));
        CHECK(hipStreamSynchronize(stream_));
        return counted;
    }

    Asked asked_;
    hipFunction_t spin_ = nullptr;
    hipEvent_t event_ = nullptr;
    hipStream_t stream_ = nullptr;
    unsigned long* counter_ = nullptr;
};

int run(const char* code, const Asked& asked) {
    Bursts bursts(code, asked);
    std::vector<double> took;
    for (int i = 0; i < asked.bursts; ++i) {
        took.push_back(bursts.burst());
        usleep(static_cast<useconds_t>(asked.pause_ms) * 1000);
    }
    std::sort(took.begin(), took.end());
    const auto wanted = static_cast<unsigned long>(asked.kernels) * static_cast<unsigned long>(asked.bursts);
    const unsigned long counted = bursts.counted();
    std::printf("bursts: p50 %.2f ms, p90 %.2f ms; kernels %lu of %lu\n", took[took.size() / 2],
                took[took.size() * 9 / 10], counted, wanted);
    return counted == wanted ? 0 : 5;
}

}  // namespace

int main(int count, char** words) {
    if (count < 6) return 2;
    const auto number = [&](int i, int otherwise) { return count > i ? std::atoi(words[i]) : otherwise; };
    const Asked asked{std::strtoul(words[2], nullptr, 10) * 1000,
                      number(3, 1),
                      number(4, 1),
                      words[5],
                      number(6, 0),
                      number(7, 0),
                      number(8, 1)};
    try {
        return run(words[1], asked);
    } catch (const std::exception& error) {
        std::printf("bursts: %s\n", error.what());
        return 3;
    }
}
