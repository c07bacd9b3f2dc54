// Names of up to 12 small letters, digits and hyphens as numbers, so that they fit into a hint: 1 is "a", 0 is no name.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"

namespace xsched::base {

inline constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
inline constexpr size_t kLongestName = 12;
inline constexpr int64_t kMostNames = 9065737908494995456;  // 38 to the 12th: every name's number is below

// Returns a name's number; 0 if it is not a valid name. A name begins with a letter; capitals count as small letters.
constexpr int64_t number_of_name(std::string_view name) {
    if (name.empty() || name.size() > kLongestName || is_digit(name.front()) || name.front() == '-') return 0;
    int64_t number = 0;
    for (size_t at = name.size(); at-- > 0;) {
        const size_t letter = kNameLetters.find(lower(name[at]));
        if (letter == std::string_view::npos) return 0;
        number = number * static_cast<int64_t>(kNameLetters.size() + 1) + static_cast<int64_t>(letter + 1);
    }
    return number;
}

// Returns the name of a number; "" for 0. Characters of numbers that no name has are written as underscores.
inline std::string name_of_number(int64_t number) {
    std::string name;
    constexpr auto kBase = static_cast<int64_t>(kNameLetters.size() + 1);
    for (; number > 0 && name.size() < kLongestName; number /= kBase)
        name += number % kBase == 0 ? '_' : kNameLetters[static_cast<size_t>(number % kBase - 1)];
    return name;
}

}  // namespace xsched::base
