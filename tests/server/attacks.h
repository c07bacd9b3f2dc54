// The acts of a hostile user against a server without end, for tests and programs that measure their effect on others
// (attack_judge_test.cpp, attack_cost.cpp). Each attack is a line of a table.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace xsched::test {

struct Attack {
    const char* name;
    const char* does;  // a phrase
    unsigned processes;
    // In a process of the attacker's own: calls `ready` once all is prepared, and goes on for ever.
    void (*body)(const std::string& path, const std::function<void()>& ready);
    bool http = false;  // it is aimed at what xserver serves at g_web_port
};

inline void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.does; }

// The attacks that were found first.
extern const std::vector<Attack> kAttacks;  // by connections, tools and many queues
extern const std::vector<Attack> kCrowds;   // likewise, of many clients
extern const std::vector<Attack> kUnmended;  // those that others notice: docs/SECURITY.md, "Known, and left"
extern const std::vector<Attack> kFlips;    // by words in a client's memory
extern const std::vector<Attack> kHeldFiles;  // by locks of files that the server shares
// Those that were thought of from the protocol alone: ipc/protocol.h, ipc/layout.h, docs/json.md, docs/web.md.
extern const std::vector<Attack> kConnecting;  // by connections, packets and descriptors
extern const std::vector<Attack> kAsking;      // by tools' requests
extern const std::vector<Attack> kWriting;     // by words in a client's memory
extern const std::vector<Attack> kBrowsing;    // over HTTP

inline std::vector<Attack> all_attacks() {
    std::vector<Attack> all;
    for (const auto* some :
         {&kAttacks, &kFlips, &kCrowds, &kUnmended, &kHeldFiles, &kConnecting, &kAsking, &kWriting, &kBrowsing})
        all.insert(all.end(), some->begin(), some->end());
    return all;
}

// Where the attacked server has its second socket, for containers.
inline std::string guest_socket(const std::string& path) {
    return (std::filesystem::path(path).parent_path() / "guests/x.sock").string();
}
// The port of 127.0.0.1 where it serves HTTP; the test that starts it sets this before there are attackers.
inline int g_web_port = 0;

}  // namespace xsched::test
