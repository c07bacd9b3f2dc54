#include "cli/size_text.h"

#include <cstdio>
#include <vector>

#include "base/text.h"
#include "config/latency_target.h"

namespace xsched::cli {

namespace {

// Returns the size in the largest unit that leaves at least one: a number of at most three digits, and the unit.
std::string in_unit(uint64_t bytes, const char* space, const std::vector<const char*>& units) {
    double number = static_cast<double>(bytes) / 1024;
    size_t unit = 0;
    for (; number >= 999.5 && unit + 1 < units.size(); number /= 1024) ++unit;
    char text[32];
    snprintf(text, sizeof(text), number < 9.95 ? "%.1f%s%s" : "%.0f%s%s", number, space, units[unit]);
    return text;
}

}  // namespace

std::string size_text(uint64_t bytes) {
    if (bytes < 1024) return base::counted(bytes, "byte");
    return in_unit(bytes, " ", {"KiB", "MiB", "GiB", "TiB", "PiB"});
}

std::string few_bytes(const std::string& before, const std::string& number) {
    constexpr size_t kFewDigits = 6;  // less than a megabyte ("judgement": no program has so little device memory)
    if (!config::lacks_unit(number) || number.size() > kFewDigits) return "";
    return before + number + " means " + number + " bytes: say " + number + "GiB or " + number + "MiB";
}

std::string short_size(uint64_t bytes) { return bytes == 0 ? "-" : in_unit(bytes, "", {"K", "M", "G", "T", "P"}); }

}  // namespace xsched::cli
