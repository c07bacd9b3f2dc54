// Words and characters as ASCII has them. The C library's own functions follow the locale that the guest has chosen: in
// Turkish "info" and "INFO" are different words, and in many a byte above 127 is a letter. Pure; any thread.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

namespace xsched::base {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_alnum(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z'); }

// Equal but for the case of the letters A to Z.
constexpr bool same_word(const char* one, const char* other) {
    while (*one != '\0' && lower(*one) == lower(*other)) ++one, ++other;
    return lower(*one) == lower(*other);
}

// "0x1f", as people and 'xcli list' write handles.
inline std::string hexadecimal(uint64_t number) {
    char text[24];
    snprintf(text, sizeof(text), "0x%" PRIx64, number);
    return text;
}

// What strangers wrote, for terminals and logs.
inline std::string printable(std::string text) {
    for (char& letter : text)
        if (letter < ' ' || letter > '~') letter = '?';
    return text.empty() ? "?" : text;
}

}  // namespace xsched::base
