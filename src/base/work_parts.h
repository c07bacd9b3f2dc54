// The measures of a program's work, where it is measured (xserver, xsim) and where it is read (xcli admit).
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"

namespace xsched::base {

// Work is told as quantiles at these parts.
inline constexpr std::array<double, 9> kWorkParts{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1};
inline constexpr uint64_t kEnoughRequests = 20;  // judgement: fewer requests say too little of the slow ones
// Judgement: a program that has worked for a second and rested less than 20 times is taken for one that never rests.
inline constexpr int64_t kEndlessNs = kSecond;

}  // namespace xsched::base
