// OpenCL C text in pieces: enough of C's lexical grammar to tell names from comments, strings and preprocessor lines.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace xsched::opencl {

struct Token {
    std::string_view text;  // a name or number, a whole string, or one character
    size_t at = 0;          // where it stands in the source
    bool directive = false;  // inside a preprocessor line
};

// Returns the tokens without comments and white space. The views point into `source`.
std::vector<Token> tokens_of(std::string_view source);

}  // namespace xsched::opencl
