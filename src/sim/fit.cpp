#include "sim/fit.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "sim/results.h"

namespace xsched::sim {
namespace {

constexpr int64_t kKernels = 100;
constexpr int kRounds = 6;

std::optional<Measurement> find(const std::vector<Measurement>& measured, Peer peer, int64_t low_ns) {
    const auto found = std::find_if(measured.begin(), measured.end(), [&](const Measurement& cell) {
        return cell.peer == peer && cell.pattern == 'A' && cell.low_ns == low_ns;
    });
    return found != measured.end() ? std::optional(*found) : std::nullopt;
}

// Moves one cost until the simulated figure equals the measured one. `slope`: change of the figure in microseconds per
// microsecond of cost.
void settle(Fitted& fitted, int64_t& cost, double slope, const Measurement& cell) {
    for (int round = 0; round < kRounds; ++round) {
        const double missing_us = cell.p50_us - predict_us(fitted, cell);
        cost = std::max<int64_t>(cost + std::llround(missing_us / slope * 1e3), 0);
    }
}

}  // namespace

Workload main_job(const Fitted& fitted, char pattern, int64_t low_ns) {
    Workload workload;
    workload.name = std::string(1, pattern);
    workload.costs = fitted.costs;
    workload.duration_ns = 20 * base::kSecond;
    ProgramSpec high;
    high.name = "high";
    high.hints.priority = 1;
    high.arrival.think_ns = {12 * base::kMillisecond, 18 * base::kMillisecond};
    high.burst.kernels = {kKernels, kKernels};
    high.burst.kernel_ns = {fitted.kernel_ns, fitted.kernel_ns};
    high.burst.sync_every = pattern == 'B' ? 5 : 0;
    if (pattern == 'C') high.burst.gap_ns = {60 * base::kMicrosecond, 60 * base::kMicrosecond};
    workload.programs.push_back(high);
    if (low_ns == 0) return workload;
    ProgramSpec low;
    low.name = "low";
    low.arrival.kind = ArrivalKind::kStream;
    low.burst.kernel_ns = {low_ns, low_ns};
    workload.programs.push_back(low);
    return workload;
}

double predict_us(const Fitted& fitted, const Measurement& cell) {
    const Workload workload = main_job(fitted, cell.pattern, cell.low_ns);
    return run_workload(workload, "HPF", cell.peer == Peer::kNative).programs[0].latency.p50_us();
}

std::optional<Fitted> fit(const std::vector<Measurement>& measured, int64_t low_ns) {
    const auto alone = find(measured, Peer::kNative, 0);
    const auto xsched = find(measured, Peer::kXsched, low_ns);
    if (!alone || !xsched) return std::nullopt;
    Fitted fitted{.kernel_ns = 7 * base::kMicrosecond};
    settle(fitted, fitted.kernel_ns, static_cast<double>(kKernels), *alone);
    settle(fitted, fitted.costs.switch_us, 1, *xsched);
    return fitted;
}

}  // namespace xsched::sim
