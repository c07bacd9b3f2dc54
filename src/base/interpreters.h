// Programs that run a script: people know them by the script's name. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/text.h"

namespace xsched::base {

inline constexpr const char* kInterpreters[] = {"python", "perl", "ruby", "node", "bash", "sh", "dash", "java", "lua"};

// Returns whether the name is an interpreter's. A version may follow (python3.11).
inline bool is_interpreter(const char* name) {
    for (const char* one : kInterpreters) {
        const size_t length = strlen(one);
        if (strncmp(name, one, length) != 0) continue;
        const char* rest = name + length;
        while (is_digit(*rest) || *rest == '.') ++rest;
        if (*rest == '\0') return true;
    }
    return false;
}

}  // namespace xsched::base
