#include "cli/size_text.h"

#include <cstdio>

namespace xsched::cli {

std::string size_text(uint64_t bytes) {
    char text[32];
    const double gibibytes = static_cast<double>(bytes) / (1 << 30);
    snprintf(text, sizeof(text), gibibytes < 0.1 ? "%.3f GiB" : "%.1f GiB", gibibytes);
    return text;
}

std::string short_size(uint64_t bytes) {
    if (bytes == 0) return "-";
    constexpr char kUnits[] = {'K', 'M', 'G', 'T', 'P'};
    double number = static_cast<double>(bytes) / 1024;
    size_t unit = 0;
    for (; number >= 999.5 && unit + 1 < sizeof(kUnits); number /= 1024) ++unit;
    char text[32];
    snprintf(text, sizeof(text), number < 9.95 ? "%.1f%c" : "%.0f%c", number, kUnits[unit]);
    return text;
}

}  // namespace xsched::cli
