// Makes text that strangers wrote safe for terminals and logs, and knows how wide letters are. Text is UTF-8. Pure; any
// thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace xsched::base {

// Returns how many bytes the letter of UTF-8 at `at` takes, and its number; 0: no letter begins there.
inline size_t letter_at(std::string_view text, size_t at, uint32_t* number) {
    const auto first = static_cast<unsigned char>(text[at]);
    const size_t bytes = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // a smaller number would have a shorter form
    *number = bytes == 1 ? first : first & (0x7fU >> bytes);
    if (first >= 0xf8 || (first >= 0x80 && first < 0xc0) || at + bytes > text.size()) return 0;
    for (size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[at + i]);
        if ((next & 0xc0) != 0x80) return 0;
        *number = *number << 6 | (next & 0x3f);
    }
    const bool is_half = *number >= 0xd800 && *number < 0xe000;  // half of a pair of UTF-16
    return *number < kLeast[bytes] || *number > 0x10ffff || is_half ? 0 : bytes;
}

// Returns whether a letter neither controls a terminal nor changes the order or width of those around it.
constexpr bool is_plain_letter(uint32_t number) {
    const bool controls = number < ' ' || (number >= 0x7f && number < 0xa0) || number == 0xad;
    const bool invisible = (number >= 0x200b && number <= 0x200f) || (number >= 0x2028 && number <= 0x202e) ||
                           (number >= 0x2060 && number <= 0x206f) || number == 0xfeff ||
                           (number >= 0xfff0 && number <= 0xffff) || number >= 0xe0000;
    return !controls && !invisible;
}

// Returns the text with a question mark in place of each character that could control a terminal or reorder text.
// Letters of all languages stay.
inline std::string printable(const std::string& text) {
    std::string safe;
    for (size_t at = 0; at < text.size();) {
        uint32_t number = 0;
        const size_t bytes = letter_at(text, at, &number);
        const bool keeps = bytes != 0 && is_plain_letter(number);
        safe += keeps ? text.substr(at, bytes) : std::string(std::max<size_t>(bytes, 1), '?');
        at += std::max<size_t>(bytes, 1);
    }
    return safe.empty() ? "?" : safe;
}

}  // namespace xsched::base
