#include "cli/byte_size.h"

#include <cmath>
#include <cstdlib>

#include "base/text.h"

namespace xsched::cli {
namespace {

struct SizeUnit {
    const char* name;
    double bytes;
};
constexpr SizeUnit kSizeUnits[] = {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
                                   {"K", 0x1p10},   {"M", 0x1p20},   {"G", 0x1p30},   {"T", 0x1p40},
                                   {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};

}  // namespace

std::string read_byte_size(const std::string& text) {
    char* end = nullptr;
    const double number = strtod(text.c_str(), &end);
    if (end == text.c_str() || !(number >= 0)) return text;
    while (*end == ' ') ++end;
    for (const SizeUnit& unit : kSizeUnits)
        if (base::same_word(end, unit.name) && number * unit.bytes < 0x1p62)
            return std::to_string(std::llround(number * unit.bytes));
    return text;
}

}  // namespace xsched::cli
