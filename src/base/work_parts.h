// The measures of a program's work, where it is measured (xserver, xsim) and where it is read (xcli admit).
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"

namespace xsched::base {

// Work is told as quantiles at these parts.
inline constexpr std::array<double, 9> kWorkParts{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1};
inline constexpr uint64_t kEnoughRequests = 20;  // judgement: fewer requests say too little of the slow ones

// Returns whether a program is taken for one that never rests: it has worked for a second or more, and so long for each
// of its few requests as well. Judgement: requests are shorter. (Twelve of 100 ms are too few to say anything, and no
// program without rests.)
constexpr bool is_endless(uint64_t requests, int64_t work_ns) {
    return requests < kEnoughRequests && work_ns >= kSecond && work_ns / kSecond >= static_cast<int64_t>(requests);
}

}  // namespace xsched::base
