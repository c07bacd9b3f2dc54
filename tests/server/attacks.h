// What a hostile user can do to a server without end, for programs that measure what others notice of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace xsched::test {

struct Attack {
    const char* name;
    const char* does;  // a phrase
    unsigned processes;
    // In a process of the attacker's own: calls `ready` once all is prepared, and goes on for ever.
    void (*body)(const std::string& path, const std::function<void()>& ready);
};

extern const std::vector<Attack> kAttacks;

}  // namespace xsched::test
