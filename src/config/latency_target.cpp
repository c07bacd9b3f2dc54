#include "config/latency_target.h"

#include <cmath>
#include <cstdlib>

namespace xsched::config {
namespace {

struct Unit {
    const char* name;
    double factor;
};
constexpr Unit kUnits[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"x", -100}};

}  // namespace

std::string read_latency_target(const std::string& text) {
    char* end = nullptr;
    const double number = strtod(text.c_str(), &end);
    if (end == text.c_str() || !(number > 0) || number > 1e9) return text;
    for (const Unit& unit : kUnits)
        if (std::string(end) == unit.name) return std::to_string(std::llround(number * unit.factor));
    return text;
}

}  // namespace xsched::config
