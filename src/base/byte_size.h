// Reads and writes a size as people do: 20GiB, 512MiB, 1.5GB, 4096. For tools and the server; any thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>

#include "base/text.h"

namespace xsched::base {

// Returns a size such as "20GiB" as the text of a whole number of bytes, which hints of the kind kBytes take
// (base/hints.def). Other text is returned unchanged.
inline std::string read_byte_size(const std::string& text) {
    struct Unit {
        const char* name;
        double bytes;
    };
    constexpr Unit kUnits[] = {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
                               {"K", 0x1p10},   {"M", 0x1p20},   {"G", 0x1p30},   {"T", 0x1p40},
                               {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};
    const char* at = text.c_str();
    double number = 0;
    for (; is_digit(*at); ++at) number = 10 * number + (*at - '0');
    if (at == text.c_str()) return text;
    if (*at == '.')
        for (double part = 0.1; is_digit(*++at); part /= 10) number += part * (*at - '0');
    while (*at == ' ') ++at;
    for (const Unit& unit : kUnits)
        if (same_word(at, unit.name) && number * unit.bytes < 0x1p62)
            return std::to_string(std::llround(number * unit.bytes));
    return text;
}

// Returns the size in the last of `units`, each 1024 times the one before, that leaves at least one: three digits at
// most, with a fraction only if the number is small and not whole.
inline std::string rounded_size(uint64_t bytes, const char* space, std::initializer_list<const char*> units) {
    double number = static_cast<double>(bytes) / 1024;
    const char* const* unit = units.begin();
    for (; number >= 999.5 && unit + 1 != units.end(); number /= 1024) ++unit;
    char text[32];
    const bool is_whole = number == std::floor(number);
    snprintf(text, sizeof(text), number < 9.95 && !is_whole ? "%.1f%s%s" : "%.0f%s%s", number, space, *unit);
    return text;
}

// Returns "20 GiB", "1.5 GiB", "31 MiB" or "512 bytes".
inline std::string size_text(uint64_t bytes) {
    if (bytes < 1024) return counted(bytes, "byte");
    return rounded_size(bytes, " ", {"KiB", "MiB", "GiB", "TiB", "PiB"});
}

// Returns exactly that size as read_byte_size takes it, in the largest unit of which it is a whole number: "20GiB",
// "1536MiB", "4097".
inline std::string exact_size(int64_t bytes) {
    std::string unit;
    for (const char* larger : {"KiB", "MiB", "GiB", "TiB"}) {
        if (bytes == 0 || bytes % 1024 != 0) break;
        bytes /= 1024;
        unit = larger;
    }
    return std::to_string(bytes) + unit;
}

}  // namespace xsched::base
