// The server tells the work of a program as quantiles at these parts, and xcli admit reads them at the same ones.
#pragma once

#include <array>

namespace xsched::base {

inline constexpr std::array<double, 9> kWorkParts{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1};

}  // namespace xsched::base
