// Kernels on one stream, timed, and the priority and level of its XQueue: what programs with several streams share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <vector>

#include "own_queue.h"
#include "vendor.h"

namespace busy {

// The thread that made it.
class StreamWork {
public:
    explicit StreamWork(vendor::Stream stream) : stream_(stream), kernel_(vendor::load_busy()) {
        memory_ = vendor::allocate(kThreads * sizeof(uint32_t));
    }
    // Milliseconds that so many kernels took.
    double run(int kernels, uint32_t steps) {
        const auto begin = std::chrono::steady_clock::now();
        void* parameters[] = {&memory_, &steps};
        for (int i = 0; i < kernels; ++i) vendor::launch(kernel_, 1, kThreads, stream_, parameters);
        vendor::wait(stream_);
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    }
    uint32_t steps_for(double ms) {
        uint32_t steps = 1000;
        for (int i = 0; i < 4; ++i) {
            run(1, steps);
            steps = static_cast<uint32_t>(std::max(1.0, steps * ms * 5 / run(5, steps)));
        }
        return steps;
    }

private:
    static constexpr unsigned kThreads = 64;
    vendor::Stream stream_;
    vendor::Kernel kernel_;
    vendor::Memory memory_{};
};

// Sets the priority and level of the stream's XQueue through the C interface, if XSched is loaded. Level 0: left as
// it is.
inline void set_queue(vendor::Stream stream, int32_t priority, int level) {
    try {
        OwnQueue queue(stream);
        queue.prioritize(priority);
        if (level > 0) queue.use_level(level);
    } catch (const std::exception& error) {
        fprintf(stderr, "without XSched: %s\n", error.what());
    }
}

inline double quantile(std::vector<double> values, double part) {
    std::sort(values.begin(), values.end());
    if (values.empty()) return 0;
    return values[std::min(values.size() - 1, static_cast<size_t>(part * static_cast<double>(values.size())))];
}

}  // namespace busy
