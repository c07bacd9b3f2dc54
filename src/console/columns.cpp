#include "console/columns.h"

#include <algorithm>
#include <cstdint>

#include "base/printable.h"

namespace xsched::console {
namespace {

struct Range {
    uint32_t first, last;
};
// https://www.unicode.org/reports/tr11: wide and full-width letters, by their blocks.
constexpr Range kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                           {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                           {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
constexpr Range kMarks[] = {{0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x20d0, 0x20ff}};  // combining marks

template <size_t kCount>
bool is_among(uint32_t letter, const Range (&ranges)[kCount]) {
    return std::any_of(ranges, ranges + kCount,
                       [letter](const Range& range) { return letter >= range.first && letter <= range.last; });
}

size_t columns_of_letter(uint32_t letter) { return is_among(letter, kWide) ? 2 : is_among(letter, kMarks) ? 0 : 1; }

}  // namespace

Step step_at(std::string_view text, size_t at) {
    if (text[at] == '\033') {
        const size_t end = text.find('m', at);
        return {end == std::string_view::npos ? text.size() - at : end + 1 - at, 0};
    }
    uint32_t letter = 0;
    const size_t bytes = base::letter_at(text, at, &letter);
    return {std::max<size_t>(bytes, 1), columns_of_letter(letter)};
}

size_t bytes_in(std::string_view text, size_t columns) {
    size_t at = 0;
    while (at < text.size()) {
        const Step step = step_at(text, at);
        if (step.columns > columns) break;
        columns -= step.columns;
        at += step.bytes;
    }
    return at;
}

size_t columns_of(std::string_view text) {
    size_t columns = 0;
    for (size_t at = 0; at < text.size();) {
        const Step step = step_at(text, at);
        columns += step.columns;
        at += step.bytes;
    }
    return columns;
}

std::string left(const std::string& text, size_t columns) {
    if (columns_of(text) <= columns) return text + std::string(columns - columns_of(text), ' ');
    const std::string fits = text.substr(0, bytes_in(text, columns > 1 ? columns - 1 : columns));
    return left(columns > 1 ? fits + "~" : fits, columns);
}

std::string right(const std::string& text, size_t columns) {
    const std::string fits = text.substr(0, bytes_in(text, columns));
    return std::string(columns - columns_of(fits), ' ') + fits;
}

}  // namespace xsched::console
