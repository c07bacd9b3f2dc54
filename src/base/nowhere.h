// The position of something that is in no list. Any thread.
#pragma once

#include <cstdint>

namespace xsched::base {

inline constexpr uint32_t kNowhere = UINT32_MAX;

}  // namespace xsched::base
