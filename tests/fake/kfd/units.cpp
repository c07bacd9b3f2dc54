#include "fake/kfd/units.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace fake::kfd {
namespace {

int units() {
    static const int count = [] {
        const char* value = std::getenv("FAKE_KFD_UNITS");
        return value != nullptr ? std::clamp(std::atoi(value), 0, 64) : 0;
    }();
    return count;
}

// The masks and priorities of the queues whose kernels this process runs at present, by place.
const std::atomic<uint64_t>* g_masks[kMostRuns];
const std::atomic<uint32_t>* g_priorities[kMostRuns];

}  // namespace

// Frees the compute units of processes that no longer exist: they were killed in the middle of a kernel.
void Runs::forget_dead() {
    for (Run& run : runs_) {
        pid_t pid = run.pid.load();
        if (pid != 0 && pid != getpid() && kill(pid, 0) != 0 && errno == ESRCH) {
            run.units = 0;
            run.pid.compare_exchange_strong(pid, 0);
        }
    }
}

int Runs::begin(const std::atomic<uint64_t>& mask, const std::atomic<uint32_t>& priority) {
    if (units() == 0) return -1;
    forget_dead();
    for (int place = 0; place < kMostRuns; ++place) {
        pid_t nobody = 0;
        if (!runs_[place].pid.compare_exchange_strong(nobody, getpid())) continue;
        g_masks[place] = &mask;
        g_priorities[place] = &priority;
        return place;
    }
    return -1;
}

double Runs::speed(int place, bool runs) {
    thread_local unsigned looks = 0;
    if (++looks % 64 == 0) forget_dead();
    const uint64_t all = units() == 64 ? UINT64_MAX : (uint64_t{1} << units()) - 1;
    const uint64_t own = runs ? g_masks[place]->load() & all : 0;
    const uint32_t priority = *g_priorities[place];
    runs_[place].priority = priority;
    runs_[place].units = own;
    uint64_t others[kMostRuns];  // of equal priority
    uint64_t left = own;  // by those of a higher one
    int count = 0;
    for (const Run& run : runs_) {
        const uint64_t its = run.units.load();
        if (&run == &runs_[place] || its == 0 || run.priority.load() < priority) continue;
        if (run.priority.load() == priority)
            others[count++] = its;
        else
            left &= ~its;
    }
    double parts = 0;
    for (int unit = 0; unit < units(); ++unit) {
        if ((left >> unit & 1) == 0) continue;
        const auto users = std::count_if(others, others + count, [&](uint64_t its) { return (its >> unit & 1) != 0; });
        parts += 1.0 / static_cast<double>(users + 1);
    }
    return parts / units();
}

void Runs::end(int place) {
    runs_[place].units = 0;
    runs_[place].pid = 0;
}

}  // namespace fake::kfd
