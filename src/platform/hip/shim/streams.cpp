#include <cstdlib>

#include "platform/hip/shim/platform.h"

namespace xsched::stream {

// The runtime's own variable, and what it takes without it.
unsigned hardware_queues() {
    static constinit std::atomic<unsigned> known{0};
    constexpr unsigned kUsual = 4;
    unsigned queues = known.load(std::memory_order_relaxed);
    if (queues != 0) return queues;
    const char* text = secure_getenv("GPU_MAX_HW_QUEUES");
    const long wanted = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
    queues = wanted > 0 && wanted < 1024 ? static_cast<unsigned>(wanted) : kUsual;
    known.store(queues, std::memory_order_relaxed);
    return queues;
}

}  // namespace xsched::stream
