#include "config/latency_target.h"

#include <cmath>
#include <cstdlib>
#include <span>

namespace xsched::config {
namespace {

struct Unit {
    const char* name;
    double factor;
};
constexpr Unit kTimes[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"m", 60e6}};
constexpr Unit kFactors[] = {{"x", -100}};

std::string read(const std::string& text, std::span<const Unit> units) {
    char* end = nullptr;
    const double number = strtod(text.c_str(), &end);
    if (end == text.c_str() || !(number > 0) || number > 1e10) return text;
    for (const Unit& unit : units)
        if (std::string(end) == unit.name) return std::to_string(std::llround(number * unit.factor));
    return text;
}

}  // namespace

bool lacks_unit(const std::string& text) {
    const bool is_number = text.find_first_not_of("0123456789.") == std::string::npos;
    return is_number && text.find_first_of("123456789") != std::string::npos;
}

bool may_be_milliseconds(const std::string& text) {
    constexpr size_t kFewDigits = 3;  // less than a millisecond ("judgement")
    return lacks_unit(text) && text.size() <= kFewDigits;
}

std::string read_microseconds(const std::string& text) { return read(text, kTimes); }

std::string read_latency_target(const std::string& text) { return read(read_microseconds(text), kFactors); }

}  // namespace xsched::config
