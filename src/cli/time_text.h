// Times as people write them. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace xsched::cli {

// "10s", "500ms", "20us", "2m"; without a unit: seconds. Throws Failure, which says what the time is for ("to record
// for"), unless it is a nanosecond at least and a day at most.
int64_t time_ns(const std::string& text, const std::string& what);

}  // namespace xsched::cli
