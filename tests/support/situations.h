// Staged measurements: what came out of runs of two programs, and what may be said of them (situations.json, which the
// benchmarks' tests read as well). Bursts come from quantiles, so that no timing luck is in them.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <vector>

namespace xsched::test {

inline nlohmann::json situations() {
    std::ifstream file(XSCHED_SOURCES "/tests/support/situations.json");
    return nlohmann::json::parse(file);
}

// Returns `n` bursts with this p50 and p99 in order of time. The order is mixed, or with "drifts" from the shortest to
// the longest. "wide": by which part of the median the shortest is shorter.
inline std::vector<double> bursts_of(const nlohmann::json& asked) {
    constexpr size_t kMixing = 7919;  // a prime: every place is taken once
    const size_t n = asked.value("n", size_t{0});
    const bool drifts = asked.value("drifts", false);
    const double p50 = asked.value("p50", 0.0), p99 = asked.value("p99", 0.0), wide = asked.value("wide", 0.1);
    std::vector<double> bursts;
    for (size_t i = 0; i < n; ++i) {
        const size_t place = drifts ? i : (i * kMixing + 3) % n;
        const double part = (static_cast<double>(place) + 0.5) / static_cast<double>(n);
        bursts.push_back(part <= 0.5 ? p50 * (1 - wide * (0.5 - part) / 0.5)
                                     : p50 * std::pow(p99 / p50, std::pow((part - 0.5) / 0.49, 3)));
    }
    return bursts;
}

}  // namespace xsched::test
