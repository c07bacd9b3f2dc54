// Reads a fake driver's environment. Any thread, while no other thread changes the environment.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace fake {

inline const char* text_of(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}
inline int64_t number_of(const char* name) { return std::strtoll(text_of(name), nullptr, 10); }
inline bool flag_of(const char* name) { return number_of(name) != 0; }

template <typename Value>
Value value_named(const std::string& text, std::initializer_list<std::pair<const char*, Value>> names,
                  Value otherwise) {
    for (const auto& [name, value] : names)
        if (text == name) return value;
    return otherwise;
}

// The fault of a fake that the order checker has to find.
enum class Break { kNone, kOrder, kWaits, kEarly, kDrop, kTwice, kUnblock, kArgs };
inline Break parse_break(const std::string& text) {
    return value_named<Break>(text,
                              {{"1", Break::kOrder},
                               {"order", Break::kOrder},
                               {"waits", Break::kWaits},
                               {"early", Break::kEarly},
                               {"drop", Break::kDrop},
                               {"twice", Break::kTwice},
                               {"unblock", Break::kUnblock},
                               {"args", Break::kArgs}},
                              Break::kNone);
}

// "function:nth:code[:how]", divided by commas. nth "*" is 0: every call.
struct NamedFault {
    std::string function;
    long nth = 0;
    std::string code;
    std::string how;
};
inline std::vector<NamedFault> named_faults(const char* variable) {
    std::vector<NamedFault> faults;
    std::istringstream all(text_of(variable));
    for (std::string one; std::getline(all, one, ',');) {
        std::istringstream parts(one);
        std::string nth;
        NamedFault fault;
        std::getline(parts, fault.function, ':');
        std::getline(parts, nth, ':');
        std::getline(parts, fault.code, ':');
        std::getline(parts, fault.how, ':');
        fault.nth = nth == "*" ? 0 : std::strtol(nth.c_str(), nullptr, 10);
        faults.push_back(fault);
    }
    return faults;
}

}  // namespace fake
