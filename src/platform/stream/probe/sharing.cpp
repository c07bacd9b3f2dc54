// Finds which streams share a hardware queue. Two kernels of one block on streams 1 and n run together or in sequence.
// If gates work, a closed gate on stream 1 blocks a kernel on stream n, or does not.
#include <thread>

#include "arguments.h"
#include "busy_device.h"
#include "shared_word.h"
#include "trials.h"

namespace xsched::probe {
namespace {

using busy::now_ns;

constexpr int kStreams = 9;
constexpr double kSharingKernelMs = 5;
constexpr double kHeldAtMostMs = 30;
constexpr unsigned kThreads = 64;

class Kernels {
public:
    explicit Kernels(const Settings& settings) {
        vendor::use_device();
        kernel_ = vendor::load_busy();
        for (vendor::Stream& stream : streams_) stream = vendor::make_stream();
        for (vendor::Memory& memory : memories_) memory = vendor::allocate(kThreads * sizeof(uint32_t));
        steps_ = static_cast<uint32_t>(settings.steps_per_ms * kSharingKernelMs);
        for (int n = 0; n < kStreams; ++n) launch(n, 1);
        for (vendor::Stream stream : streams_) vendor::wait(stream);
    }
    vendor::Stream stream(int n) const { return streams_[n]; }
    void launch(int n, uint32_t steps) {
        void* parameters[] = {&memories_[n], &steps};
        vendor::launch(kernel_, 1, kThreads, streams_[n], parameters);
    }
    // Runs a kernel on each of two streams. Returns the milliseconds until both are done.
    double run(int first, int second) {
        const int64_t begin = now_ns();
        launch(first, steps_);
        if (second != first) launch(second, steps_);
        vendor::wait(streams_[first]);
        vendor::wait(streams_[second]);
        return static_cast<double>(now_ns() - begin) / 1e6;
    }

private:
    vendor::Kernel kernel_{};
    vendor::Stream streams_[kStreams] = {};
    vendor::Memory memories_[kStreams] = {};
    uint32_t steps_ = 1;
};

// Returns whether a gate on stream 1 blocks stream n.
bool is_held_back(Kernels& kernels, SharedWord& word, uint32_t value, int n) {
    if (vendor::wait_value(kernels.stream(0), word.for_device(), value) != 0)
        throw std::runtime_error("a gate was refused");
    kernels.launch(n, 1);
    const int64_t begin = now_ns();
    bool held = true;
    while (held && static_cast<double>(now_ns() - begin) / 1e6 < kHeldAtMostMs) {
        held = vendor::query(kernels.stream(n)) == vendor::kNotReady;
        std::this_thread::yield();
    }
    word.store(value);
    vendor::wait(kernels.stream(0));
    vendor::wait(kernels.stream(n));
    return held;
}

}  // namespace

Json try_sharing(const Settings& settings) {
    doing("making nine streams");
    Kernels kernels(settings);
    const double alone_ms = kernels.run(0, 0);
    Json found = {{"alone_ms", alone_ms}, {"together_ms", Json::array()}};
    doing("running kernels on two streams at a time");
    for (int n = 1; n < kStreams; ++n) found["together_ms"].push_back(kernels.run(0, n));
    if (settings.way != "gates") return found;  // they do not work
    doing("running a kernel beside a stream that stands behind a gate");
    SharedWord word;
    found["held_back"] = Json::array();
    for (int n = 1; n < kStreams; ++n)
        if (is_held_back(kernels, word, static_cast<uint32_t>(n), n)) found["held_back"].push_back(n + 1);
    return found;
}

}  // namespace xsched::probe
