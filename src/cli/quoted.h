// Words for a shell. Pure.
#pragma once

#include <string>

namespace xsched::cli {

// Returns the text as one word of a shell.
inline std::string quoted(const std::string& text) {
    std::string word = "'";
    for (const char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return word + "'";
}

}  // namespace xsched::cli
