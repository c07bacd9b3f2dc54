// The cost of handling a client in the scheduling thread, which its user pays (allowance.h). A price is ten times the
// processor time, so that one user's clients take about a tenth of the thread. With more the thread would have to rest
// (server/thread/real_time.h), and other users would wait. The prices below hold for a processor whose caches hold the
// memory. If others use the caches, work takes several times as long: reading a slot 0.4 us, writing one 0.5 us, a
// decision 0.5 us per unit (2026-11-28, virtual machine of two processors, beside 250 clients of 16 queues each).
// Therefore the time is measured as well (Dispatcher::measure_with).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace xsched::dispatch {

// Price of each nanosecond of measured time.
inline constexpr int64_t kPriceOfTime = 10;
#define XSCHED_PRICE(name, ns, evidence, meaning) inline constexpr int64_t name = ns;
#include "dispatch/prices.def"
#undef XSCHED_PRICE

constexpr int64_t decision_ns(size_t units) { return kDecisionNs + static_cast<int64_t>(units) * kUnitDecidedNs; }

// The budget of work that may be done now, at the prices of prices.def. The last piece that is begun may cost more than
// what is left.
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
