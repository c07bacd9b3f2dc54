// Patterns with * (any text) and ? (any letter). The time is the product of both lengths at most, since other users
// write patterns and command lines. Pure; any thread.
#pragma once

#include <string_view>

namespace xsched::config {

constexpr bool fits_pattern(std::string_view pattern, std::string_view text) {
    size_t at = 0;
    size_t begin = 0;  // of the text behind the last star
    size_t star = std::string_view::npos;
    for (size_t letter = 0; letter < text.size();) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            begin = letter;
        } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[letter])) {
            ++at;
            ++letter;
        } else if (star != std::string_view::npos) {
            at = star + 1;
            letter = ++begin;
        } else {
            return false;
        }
    }
    while (at < pattern.size() && pattern[at] == '*') ++at;
    return at == pattern.size();
}

}  // namespace xsched::config
