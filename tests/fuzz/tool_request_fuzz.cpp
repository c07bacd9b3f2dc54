// Requests of tools, one a line: of an ordinary user, or of root where the line begins with '#'. A line that begins
// with '@' is what the ordinary user's program writes into its memory meanwhile. Each request has one answer in JSON.
// No ordinary user learns of another one's programs, or changes anything of theirs.
#include <nlohmann/json.hpp>

#include <string>

#include "fuzz/bytes.h"
#include "fuzz/target.h"
#include "fuzz/tool_host.h"
#include "ipc/slot_hints.h"

namespace xsched::fuzz::tool_request_target {
namespace {

constexpr int kMostLines = 16;

// The settings that an ordinary user may not change.
struct Untouched {
    explicit Untouched(FuzzedHost& host)
        : hints(ipc::load_hints(host.other().region().slots[0])),
          defaults(host.other().header().default_hints.load()),
          suspended(host.other().region().slots[0].suspended.load()),
          policy(host.policy()),
          clients(host.other().user().most(server::Limit::kClients)) {}
    bool operator==(const Untouched&) const = default;

    base::Hints hints;
    uint32_t defaults;
    uint32_t suspended;
    std::string policy;
    int64_t clients;
};

void write(server::Client& client, std::string_view words) {
    Bytes bytes(words);
    constexpr size_t kWords = (sizeof(ipc::Header) + sizeof(ipc::QueueSlot) * 4) / sizeof(uint32_t);
    for (size_t word = bytes.number<uint16_t>() % kWords; !bytes.empty(); ++word)
        reinterpret_cast<std::atomic<uint32_t>*>(&client.region())[word % kWords] = bytes.number<uint32_t>();
}

void ask(FuzzedHost& host, const std::string& line) {
    const bool is_root = line.starts_with('#');
    const Untouched before(host);
    const std::string answer = host.ask(is_root ? 0 : kOwnUid, is_root ? line.substr(1) : line);
    const auto said = nlohmann::json::parse(answer, nullptr, false);
    demand(said.is_object() && said.contains("ok") && said["ok"].is_boolean(), "an answer is JSON that says ok");
    demand(said["ok"] || said["error"].is_string(), "a refusal is a sentence");
    if (is_root) return;
    if (line.find(kOtherName) == std::string::npos)  // an answer may say what it was asked
        demand(answer.find(kOtherName) == std::string::npos, "others' programs are not told of");
    demand(before == Untouched(host), "others' programs are not changed");
}

}  // namespace

XSCHED_FUZZ(tool_request) {
    FuzzedHost host;
    Bytes bytes(input);
    for (int lines = 0; lines < kMostLines && !bytes.empty(); ++lines) {
        const std::string_view line = bytes.until('\n');
        if (line.starts_with('@'))
            write(host.own(), line.substr(1));
        else
            ask(host, std::string(line));
    }
}

}  // namespace xsched::fuzz::tool_request_target
