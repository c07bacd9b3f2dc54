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

// Returns the text of a word that `quoted` made.
inline std::string unquoted(const std::string& word) {
    std::string text;
    for (size_t at = 1; at + 1 < word.size(); ++at) {
        text += word[at];
        if (word[at] == '\'') at += 3;  // '\''
    }
    return text;
}

}  // namespace xsched::cli
