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

extern const std::vector<Attack> kAttacks;  // by connections, tools and many queues
extern const std::vector<Attack> kCrowds;  // likewise, of many clients
extern const std::vector<Attack> kFlips;    // by words in a client's memory
inline std::vector<Attack> all_attacks() {
    std::vector<Attack> all = kAttacks;
    for (const std::vector<Attack>* more : {&kFlips, &kCrowds}) all.insert(all.end(), more->begin(), more->end());
    return all;
}

}  // namespace xsched::test
