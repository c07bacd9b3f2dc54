// The common part of each platform's chaos: threads that suspend and resume the program's XQueues at random until they
// are told to stop. They use the C API of the libraries that a shim has loaded.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "order/core/random.h"
#include "order/core/report.h"

namespace order {

template <typename World>
class ChaosOf {
public:
    ChaosOf(const ChaosOf&) = delete;
    ChaosOf& operator=(const ChaosOf&) = delete;
    int64_t suspensions() const { return suspensions_.load(); }

protected:
    ChaosOf(World& world, uint64_t seed) : world_(world), random_(seed) {}
    ~ChaosOf() = default;

    // False, and a message, if the C API is not loaded in this process.
    static bool say_whether(bool complete, const char* shim) {
        if (!complete)
            std::fprintf(stderr,
                         "order_check: --chaos needs the XSched libraries in the process; load %s with LD_PRELOAD\n",
                         shim);
        return complete;
    }
    auto& any_context() { return *world_.contexts[random_.below(static_cast<uint32_t>(world_.contexts.size()))]; }

    World& world_;
    Random random_;
    std::atomic<bool> stop_{false};
    std::atomic<int64_t> suspensions_{0};
};

}  // namespace order
