#include "fake/cuda/faults.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

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

bool is_busy_elsewhere() {
    static const long busy_ms = fault_number("FAKE_CUDA_BUSY_MS", 0);
    static const int64_t first_ns = clock_ns();
    return busy_ms > 0 && clock_ns() - first_ns < busy_ms * 1'000'000;
}

// Replaces the page by a copy of this process's own, so stores of other processes are not seen there. The host's other
// pages are left as they are.
void hide_others_stores(void* start, size_t bytes) {
    static const bool hide = fault_number("FAKE_CUDA_OTHERS_UNSEEN", 0) != 0;
    if (!hide) return;
    char line[64];
    std::snprintf(line, sizeof line, "%lx-", reinterpret_cast<unsigned long>(start));
    std::ifstream maps("/proc/self/maps");
    bool found = false;
    for (std::string text; !found && std::getline(maps, text);)
        found = text.starts_with(line) && (text.find("/memfd:xsched-trial") != std::string::npos ||
                                           text.find("/memfd:xsched-probe") != std::string::npos);
    if (!found) return;
    const std::string before(static_cast<const char*>(start), bytes);
    mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    std::memcpy(start, before.data(), bytes);
}

bool result_is_lost(bool was_off) {
    static const bool lost = fault_number("FAKE_CUDA_INEXACT", 0) != 0;
    return lost && was_off;
}

bool kernels_hang() {
    static const bool hang = fault_number("FAKE_CUDA_KERNEL_HANG", 0) != 0;
    return hang;
}

bool packets_are_taken_early() {
    static const bool early = fault_number("FAKE_HSA_READS_AHEAD", 0) != 0;
    return early;
}

}  // namespace fake
