// A CUDA program in which streams wait for each other in the ways that known programs have them do it. It uses devices
// 0 and 1 and streams of several priorities. Each kernel changes a word in its own way, so that one that ran out of
// turn leaves another number.
//
//   cuda_patterns PATTERN ROUNDS   does one of them so many times, or `all` at once; exit status 0, 1 (the driver
//                                  failed), 2 (cannot start), 3 (a wrong result). It writes a point for each round,
//                                  and `done`; one that stands still never ends.
//
// Kernels are those of the fake driver (fake/cuda/builtin_kernels.cpp).
#include <sys/prctl.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "order/cuda/driver.h"
#include "order/cuda/kernels.h"

namespace {

using cuda::api;

constexpr uint32_t kKernelUs = 200;
constexpr int kLeast = 0, kMiddle = -2, kMost = -5;  // priorities of streams

void check(CUresult result, const char* call) {
    if (result == CUDA_SUCCESS) return;
    std::fprintf(stderr, "cuda_patterns: %s returned %d\n", call, static_cast<int>(result));
    std::exit(1);
}

void tell_round() {
    std::fputc('.', stdout);
    std::fflush(stdout);
}

// A word of pinned host memory that all devices can write, and the value that it must have in the end.
class Word {
public:
    Word() {
        void* memory = nullptr;
        check(api().cuMemHostAlloc(&memory, 64, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE),
              "cuMemHostAlloc");
        host_ = static_cast<volatile uint32_t*>(memory);
        *host_ = 0;
        check(api().cuMemHostGetDevicePointer_v2(&address_, memory, 0), "cuMemHostGetDevicePointer");
    }
    CUdeviceptr address() const { return address_; }
    void is_appended(uint32_t value) { expected_ = expected_ * 31 + value; }
    void expect(const char* pattern) const {
        if (*host_ == expected_) return;
        std::fprintf(stderr, "cuda_patterns: %s left 0x%x instead of 0x%x\n", pattern, *host_, expected_);
        std::exit(3);
    }

private:
    volatile uint32_t* host_ = nullptr;
    CUdeviceptr address_ = 0;
    uint32_t expected_ = 0;
};

struct Device {
    CUcontext context = nullptr;
    CUfunction append = nullptr;
    CUfunction spin = nullptr;

    explicit Device(int number) {
        check(api().cuDevicePrimaryCtxRetain(&context, number), "cuDevicePrimaryCtxRetain");
        enter();
        CUmodule module = nullptr;
        check(api().cuModuleLoadData(&module, cuda::kKernels), "cuModuleLoadData");
        check(api().cuModuleGetFunction(&append, module, "append"), "cuModuleGetFunction");
        check(api().cuModuleGetFunction(&spin, module, "spin"), "cuModuleGetFunction");
    }
    void enter() const { check(api().cuCtxSetCurrent(context), "cuCtxSetCurrent"); }
};

class Stream {
public:
    Stream(const Device& device, int priority) : device_(device) {
        device.enter();
        check(api().cuStreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, priority), "cuStreamCreate");
        CUevent event = nullptr;
        check(api().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
        event_.reset(event, [](CUevent it) { api().cuEventDestroy_v2(it); });
    }
    void append(Word& word, uint32_t value) {
        device_.enter();
        uint32_t us = kKernelUs, one = 1;
        CUdeviceptr address = word.address();
        void* of_spin[] = {&us};
        void* of_append[] = {&address, &value, &one};
        check(api().cuLaunchKernel(device_.spin, 1, 1, 1, 1, 1, 1, 0, stream_, of_spin, nullptr), "cuLaunchKernel");
        check(api().cuLaunchKernel(device_.append, 1, 1, 1, 1, 1, 1, 0, stream_, of_append, nullptr), "cuLaunchKernel");
    }
    // Makes the next work of this stream wait for all work that `other` has by now.
    void follow(const Stream& other) const {
        other.device_.enter();
        check(api().cuEventRecord(other.event_.get(), other.stream_), "cuEventRecord");
        device_.enter();
        check(api().cuStreamWaitEvent(stream_, other.event_.get(), 0), "cuStreamWaitEvent");
    }
    void wait_for(const Word& flag, uint32_t value) const {
        device_.enter();
        check(api().cuStreamWaitValue32_v2(stream_, flag.address(), value, CU_STREAM_WAIT_VALUE_GEQ),
              "cuStreamWaitValue32");
    }
    void write(const Word& flag, uint32_t value) const {
        device_.enter();
        check(api().cuStreamWriteValue32_v2(stream_, flag.address(), value, 0), "cuStreamWriteValue32");
    }
    void synchronize() const {
        device_.enter();
        check(api().cuStreamSynchronize(stream_), "cuStreamSynchronize");
    }
    // Waits, in the driver, for the other's event.
    void synchronize_event() const {
        device_.enter();
        check(api().cuEventRecord(event_.get(), stream_), "cuEventRecord");
        check(api().cuEventSynchronize(event_.get()), "cuEventSynchronize");
    }

private:
    const Device& device_;
    CUstream stream_ = nullptr;
    std::shared_ptr<std::remove_pointer_t<CUevent>> event_;  // of all copies
};

// Launches on two streams in turn. Each launch of one stream waits for the other's last one, so the more urgent stream
// also waits for the less urgent one.
void ping_pong(const Device& device, uint32_t rounds) {
    Stream ping(device, kMost), pong(device, kLeast);
    Word word;
    for (uint32_t i = 0; i < rounds; ++i) {
        ping.append(word, 2 * i);
        pong.follow(ping);
        pong.append(word, 2 * i + 1);
        ping.follow(pong);
        word.is_appended(2 * i);
        word.is_appended(2 * i + 1);
        if (i % 2 == 0) ping.synchronize();
        tell_round();
    }
    ping.synchronize();
    word.expect("ping-pong");
}

// Runs three streams of rising priority in a chain: A waits for B, which waits for C.
void chain(const Device& device, uint32_t rounds) {
    std::vector<Stream> streams{{device, kLeast}, {device, kMiddle}, {device, kMost}};
    Word word;
    for (uint32_t i = 0; i < rounds; ++i) {
        for (size_t at = 0; at < streams.size(); ++at) {
            if (at > 0) streams[at].follow(streams[at - 1]);
            streams[at].append(word, static_cast<uint32_t>(at));
            word.is_appended(static_cast<uint32_t>(at));
        }
        streams[2].synchronize_event();
        tell_round();
    }
    word.expect("chain");
}

// Runs the ring of a collective: each stream waits for a number that its neighbour writes, on either device. A waiting
// launch comes before the launch that it waits for, and only the devices see the order.
void ring(const std::array<Device, 2>& devices, uint32_t laps) {
    std::vector<Stream> streams{{devices[0], kLeast}, {devices[1], kMost}, {devices[0], kMost}, {devices[1], kLeast}};
    std::vector<Word> flags(streams.size());
    Word word;
    const auto count = static_cast<uint32_t>(streams.size());
    for (uint32_t lap = 1; lap <= laps; ++lap) {
        for (uint32_t at = count; at-- > 0;) {
            if (at > 0) streams[at].wait_for(flags[at - 1], lap);
            if (at == 0 && lap > 1) streams[at].wait_for(flags[count - 1], lap - 1);
            streams[at].append(word, at);
            streams[at].write(flags[at], lap);
        }
        for (uint32_t at = 0; at < count; ++at) word.is_appended(at);
        for (const Stream& stream : streams) stream.synchronize();
        tell_round();
    }
    word.expect("ring");
}

// Runs steps as of an inference server: each step forks to a pool of streams and joins them, and the host waits for the
// step.
void pool(const Device& device, uint32_t steps) {
    Stream main(device, kMiddle);
    std::vector<Stream> workers{{device, kMost}, {device, kLeast}, {device, kLeast}, {device, kMiddle}};
    std::vector<Word> words(workers.size());
    Word result;
    for (uint32_t step = 0; step < steps; ++step) {
        main.append(result, step);
        result.is_appended(step);
        for (size_t at = 0; at < workers.size(); ++at) {
            workers[at].follow(main);
            workers[at].append(words[at], step);
            words[at].is_appended(step);
        }
        for (const Stream& worker : workers) main.follow(worker);
        main.append(result, step + 1000);
        result.is_appended(step + 1000);
        main.synchronize();
        tell_round();
    }
    for (const Word& word : words) word.expect("pool's stream");
    result.expect("pool");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || !cuda::available()) return 2;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::string wanted = argv[1];
    const auto rounds = static_cast<uint32_t>(std::atoi(argv[2]));
    const std::array<Device, 2> devices{Device(0), Device(1)};
    const std::pair<const char*, std::function<void()>> patterns[] = {
        {"ping_pong", [&] { ping_pong(devices[0], rounds); }},
        {"chain", [&] { chain(devices[1], rounds); }},
        {"ring", [&] { ring(devices, rounds); }},
        {"pool", [&] { pool(devices[0], rounds); }},
    };
    std::vector<std::thread> threads;
    for (const auto& [name, pattern] : patterns)
        if (wanted == name || wanted == "all") threads.emplace_back(pattern);
    for (std::thread& thread : threads) thread.join();
    std::puts("done");
    return threads.empty() ? 2 : 0;
}
