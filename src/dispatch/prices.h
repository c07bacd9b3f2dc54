// The cost of a client's words to the scheduling thread: its user pays it (allowance.h). A price is ten times
// the processor time, so that the words of one user take about a tenth of the thread. A user who made it do more
// would make it rest (server/thread/real_time.h), and others wait. The prices below are those of a processor whose
// caches hold the memory. Beside others, who take the caches, the work takes several times as long: reading a slot 0.4
// us, writing one 0.5 us, a decision 0.5 us for each unit (2026-11-28, virtual machine of two processors, beside 250
// clients of 16 queues each). A reader or writer therefore measures the time as well (Dispatcher::measure_with).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace xsched::dispatch {

// For each nanosecond that the work takes.
inline constexpr int64_t kPriceOfTime = 10;
// Reading a slot, and writing a directive into it.
inline constexpr int64_t kReadNs = 2'000;  // measured
inline constexpr int64_t kWriteNs = 4'000;  // measured
// A queue comes, goes, or belongs to another unit than before.
inline constexpr int64_t kQueueNs = 10'000;  // measured
// A unit comes or goes. It may be the first or the last one of its device and of its gang, which come or go with it.
inline constexpr int64_t kUnitNs = 50'000;  // measured
// A decision about a device, and each unit that it is about.
inline constexpr int64_t kDecisionNs = 5'000;  // measured
inline constexpr int64_t kUnitDecidedNs = 1'000;  // measured

constexpr int64_t decision_ns(size_t units) { return kDecisionNs + static_cast<int64_t>(units) * kUnitDecidedNs; }

// How much may be done now, at these prices. The last thing that is begun may cost more than what is left.
class Work {
public:
    explicit Work(int64_t most_ns) : left_ns_(std::max<int64_t>(most_ns, 1)) {}

    bool is_over() const { return left_ns_ <= 0; }
    void add(int64_t price_ns) {
        left_ns_ -= price_ns;
        done_ns_ += price_ns;
    }
    int64_t done_ns() const { return done_ns_; }

private:
    int64_t left_ns_;
    int64_t done_ns_ = 0;
};

}  // namespace xsched::dispatch
