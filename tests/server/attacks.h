// The acts of a hostile user against a server without end, for tests and programs that measure their effect on others
// (attack_judge_test.cpp, attack_cost.cpp). Each attack is an XSCHED_ATTACK.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace xsched::test {

using Ready = std::function<void()>;

enum class AttackKind {
    kFound,      // those found first, by connections, tools and many queues
    kCrowd,      // likewise, of many clients
    kUnmended,   // those that others notice: docs/SECURITY.md, "Known, and left"
    kFlips,      // by words in a client's memory
    kHolding,    // by locks of files that the server shares
    kConnecting,  // thought of from the protocol alone, by connections, packets and descriptors
    kAsking,     // likewise, by tools' requests
    kWriting,    // likewise, by words in a client's memory
    kBrowsing,   // likewise, over HTTP: aimed at what xserver serves at g_web_port
};

struct Attack {
    AttackKind kind;
    const char* name;
    const char* does;  // a phrase
    unsigned processes;
    // In a process of the attacker's own: calls `ready` once all is prepared, and goes on for ever.
    void (*body)(const std::string& path, const Ready& ready);
};

inline void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.does; }

// Filled before main(), by XSCHED_ATTACK.
inline std::vector<Attack>& all_attacks() {
    static std::vector<Attack> all;
    return all;
}

inline bool add_attack(const Attack& attack) {
    all_attacks().push_back(attack);
    return true;
}

inline std::vector<Attack> attacks_of(AttackKind kind) {
    std::vector<Attack> some;
    for (const Attack& attack : all_attacks())
        if (attack.kind == kind) some.push_back(attack);
    return some;
}

// Defines an attack by `processes` processes and what it does, a phrase. Its body follows, with `path`, the server's
// socket, and `ready`.
#define XSCHED_ATTACK(kind, name, processes, does)                                                                \
    void attack_##name(const std::string& path, const Ready& ready);                                              \
    [[maybe_unused]] const bool g_##name = add_attack({AttackKind::kind, #name, does, processes, attack_##name}); \
    void attack_##name([[maybe_unused]] const std::string& path, const Ready& ready)

// Where the attacked server has its second socket, for containers.
inline std::string guest_socket(const std::string& path) {
    return (std::filesystem::path(path).parent_path() / "guests/x.sock").string();
}
// The port of 127.0.0.1 where it serves HTTP; the test that starts it sets this before there are attackers.
inline int g_web_port = 0;

}  // namespace xsched::test
