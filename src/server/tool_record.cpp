// The command behind xcli record: what the dispatcher saw and decided since the tool asked last. Front thread.
#include "base/clock.h"
#include "server/tool_commands.h"

namespace xsched::server {
namespace {

// It is written for so long after somebody asked last.
constexpr int64_t kWantedNs = 2 * base::kSecond;
constexpr size_t kMostEntries = 4096;  // in one answer
constexpr size_t kMostQueues = 4096;

Json describe(const Client& client, const SeenQueue& queue) {
    const ipc::QueueSlot& slot = queue.slot;
    return {{"client", client.id()},        {"slot", queue.at},
            {"pid", client.pid()},          {"program", client.program()},
            {"handle", slot.handle.load()}, {"device", slot.device.load()},
            {"level", slot.level.load()},   {"priority", slot.priority.load()}};
}

}  // namespace

// Without "from": from now on. "queues": with those that there are. Others' processes are left out.
Json read_journal(const Request& request) {
    dispatch::Journal& journal = request.host.scheduler.journal();
    const int64_t now_ns = base::now_ns();
    journal.want_until(now_ns + kWantedNs);
    const auto from = request.number("from", 0, INT64_MAX);
    uint64_t lost = 0;
    std::vector<dispatch::JournalEntry> entries;
    const uint64_t next =
        journal.read(from ? static_cast<uint64_t>(*from) : journal.end(), kMostEntries, entries, lost);
    Json rows = Json::array();
    for (const dispatch::JournalEntry& entry : entries) {
        const auto client = request.host.clients.find(entry.client);
        if (client == request.host.clients.end() || !request.may_see(*client->second)) continue;
        rows.push_back({entry.at_ns, static_cast<uint32_t>(entry.kind), entry.client, entry.slot, entry.reason,
                        entry.by_client, entry.completed, entry.command_ns});
    }
    Json answer{{"next", next}, {"lost", lost}, {"more", next < journal.end()}, {"now_ns", now_ns}, {"entries", rows}};
    if (!request.body.value("queues", false)) return answer;
    Json queues = Json::array();
    for (const auto& [id, client] : request.host.clients) {
        if (!request.may_see(*client)) continue;
        for (const SeenQueue& queue : queues_of(*client))
            if (queues.size() < kMostQueues) queues.push_back(describe(*client, queue));
    }
    answer["queues"] = queues;
    Json& reasons = answer["reasons"] = Json::array();
#define XSCHED_REASON(name, number, sentence) reasons.push_back({number, sentence});
#include "sched/reason.def"
#undef XSCHED_REASON
    return answer;
}

}  // namespace xsched::server
