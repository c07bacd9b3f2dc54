// Compares and prints text as ASCII. The C library's functions follow the guest's locale: in Turkish "info" and "INFO"
// are different words, and in many locales a byte above 127 is a letter. Pure; any thread.
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

// Returns whether two words are equal, ignoring the case of A to Z.
constexpr bool same_word(const char* one, const char* other) {
    while (*one != '\0' && lower(*one) == lower(*other)) ++one, ++other;
    return lower(*one) == lower(*other);
}

// Returns, for example, "0x1f", as 'xcli list' writes handles.
inline std::string hexadecimal(uint64_t number) {
    char text[24];
    snprintf(text, sizeof(text), "0x%" PRIx64, number);
    return text;
}

// Returns a count with its noun: "1 queue", "2 queues".
inline std::string counted(uint64_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Returns a length of time: "812 us", "2.1 ms" or "1.5 s".
inline std::string length_text(double ms) {
    char text[48];
    if (ms >= 1000)
        snprintf(text, sizeof(text), "%.1f s", ms / 1000);
    else
        snprintf(text, sizeof(text), ms >= 100 ? "%.0f ms" : ms >= 1 ? "%.1f ms" : "%.0f us", ms >= 1 ? ms : ms * 1000);
    return text;
}

// Replaces control characters, including those of Unicode (U+0080 to U+009F), by harmless ones. For whole lines, which
// may contain names in any language; names from outside are made printable where they enter
// (printable.h).
inline void replace_controls(char* text, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
        const auto letter = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < bytes ? text[i + 1] : 0);
        if (letter < ' ' || letter == 0x7f) text[i] = '?';
        if (letter == 0xc2 && next >= 0x80 && next < 0xa0) text[i] = text[i + 1] = '?';
    }
}

}  // namespace xsched::base
