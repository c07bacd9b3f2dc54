// Times as people write them. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace xsched::cli {

// Parses "10s", "500ms", "20us", "2m" or "24h". Throws Failure unless the time has a unit and is between a nanosecond
// and a day; the sentence says what it is for ("to record for").
int64_t time_ns(const std::string& text, const std::string& what);
// Returns the time between two looks: "500ms", or a number of seconds. Throws Failure if it is too short or too long.
int64_t interval_in_ns(const std::string& text);
// Returns the time in UTC now, as strftime writes it.
std::string utc_now(const char* format);

}  // namespace xsched::cli
