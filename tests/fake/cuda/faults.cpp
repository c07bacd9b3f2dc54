#include "fake/cuda/faults.h"

#include <cstdlib>

#include "fake/cuda/engine.h"
#include "fake/cuda/settings.h"

namespace fake {

long fault_number(const char* variable, long otherwise) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? std::strtol(value, nullptr, 10) : otherwise;
}

bool wait_is_over(Command& command, bool met) {
    static const long seen_ms = fault_number("FAKE_CUDA_STORES_SEEN_MS", 0);
    static const bool open = fault_number("FAKE_CUDA_OPEN_GATES", 0) != 0;
    if (open || !met || seen_ms == 0) return open || met;
    if (command.met_ns == 0) command.met_ns = clock_ns();
    return seen_ms > 0 && clock_ns() - command.met_ns > seen_ms * 1'000'000;
}

bool result_is_lost(bool was_off) {
    static const bool lost = fault_number("FAKE_CUDA_INEXACT", 0) != 0;
    return lost && was_off;
}

bool kernels_hang() {
    static const bool hang = fault_number("FAKE_CUDA_KERNEL_HANG", 0) != 0;
    return hang;
}

}  // namespace fake
