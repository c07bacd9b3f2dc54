// Reads times as people write them: 5ms, 800us, 0.5s; and a latency target, which may also be 1.3x of a burst's length
// alone.
#pragma once

#include <cstdint>
#include <string>

namespace xsched::config {

// Returns a time such as "5ms" as a whole number of microseconds. Other text is returned unchanged.
std::string read_microseconds(const std::string& text);
// Returns whether the text is a number without a unit, and not 0.
bool lacks_unit(const std::string& text);
// Returns whether the text is a bare number of microseconds that is so low that milliseconds may be meant.
bool may_be_milliseconds(const std::string& text);
// Returns a target such as "5ms" or "1.3x" in the form of the hint (base/hints.def, kTarget): as microseconds, or as a
// negative number of percent. Other text is returned unchanged.
std::string read_latency_target(const std::string& text);
// Returns such a number as people write it: "5ms", in the largest unit of which it is a whole number, or "1.3x".
std::string text_of_target(int64_t target);
// Returns whether a target in that form is a factor below 1, which no scheduler can keep.
bool is_below_alone(int64_t target);

}  // namespace xsched::config
