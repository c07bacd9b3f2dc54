// Reads a size as people write it: 20GiB, 512MiB, 1.5GB, 4096. For tools and the server; any thread.
#pragma once

#include <cmath>
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

}  // namespace xsched::base
