#include "config/latency_target.h"

#include <cmath>
#include <cstdio>
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
    if (end == text.c_str() || !(number >= 0) || number > 1e10) return text;
    for (const Unit& unit : units) {
        if (std::string(end) != unit.name) continue;
        const long long whole = std::llround(number * unit.factor);
        if (whole == 0 && number > 0) return text;  // 0 would mean something else
        return std::to_string(whole);
    }
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

std::string read_latency_target(const std::string& text) {
    const std::string number = read(read_microseconds(text), kFactors);
    const bool is_factor = number != text && text.ends_with('x');
    return is_factor && number == "0" ? text : number;
}

std::string text_of_target(int64_t target) {
    if (target == 0) return "0";
    if (target > 0) {
        const bool is_seconds = target % 1'000'000 == 0, is_milliseconds = target % 1'000 == 0;
        return std::to_string(is_seconds        ? target / 1'000'000
                              : is_milliseconds ? target / 1'000
                                                : target) +
               (is_seconds        ? "s"
                : is_milliseconds ? "ms"
                                  : "us");
    }
    char text[32];
    snprintf(text, sizeof(text), "%.15gx", static_cast<double>(-target) / 100);
    return text;
}

bool is_below_alone(int64_t target) { return target < 0 && target > -100; }

}  // namespace xsched::config
