// The command behind xcli record and xcli trace: the dispatcher's observations and decisions since the tool last asked,
// or of the last while. They are read from a ring, so the scheduling thread is not delayed. Front thread.
#include <map>

#include "base/clock.h"
#include "server/tools/describing.h"
#include "server/tools/facts.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {
namespace {

using dispatch::JournalEntry;

// The journal is written for this long after the last question, unless it is always written.
constexpr int64_t kWantedNs = 2 * base::kSecond;
constexpr size_t kMostEntries = 2048;  // in one answer
constexpr size_t kMostQueues = 4096;
constexpr int64_t kMostLastMs = int64_t{24} * 3600 * 1000;
// Stands for a client of another user, which the asking user may not see.
constexpr uint32_t kAnother = UINT32_MAX;

// The clients, present and past, that the asking user may be told of.
class Visible {
public:
    explicit Visible(const Request& request) {
        for (const auto& [id, client] : request.host.clients)
            if (request.may_see(*client)) clients_.emplace(id, true);
        for (const GoneClients::Gone& gone : request.host.gone)
            if (request.may_see(gone.uid, gone.user)) clients_.emplace(gone.id, true);
    }
    bool operator()(uint32_t client) const { return clients_.contains(client); }
    uint32_t cause(uint32_t client) const { return client == 0 || (*this)(client) ? client : kAnother; }

private:
    std::map<uint32_t, bool> clients_;
};

// Returns the priority that the scheduler counts: a program in the background is less urgent than all others.
int32_t counted_priority(const Client& client, const ipc::QueueSlot& slot) {
    const int32_t priority = std::min(slot.priority.load(), client.ceiling().priority);
    return slot.background.load() != 0 ? std::min<int32_t>(priority, PRIORITY_MIN) : priority;
}

Json describe(const Request& request, const Facts& facts, const Visible& visible, const Client& client,
              const SeenQueue& queue) {
    const ipc::QueueSlot& slot = queue.slot;
    const uint64_t device = slot.device.load();
    const auto number = request.host.devices.number_of(device, client.user().uid());
    const std::string name = DeviceNumbers::name_of(device, client);
    const QueueFacts known = facts.of(queue);
    const ipc::SlotWork work = work_of(queue);
    return {{"client", client.id()},
            {"slot", queue.at},
            {"pid", client.pid()},
            {"program", client.program()},
            {"handle", slot.handle.load()},
            {"device", device},
            {"device_index", number ? Json(*number) : Json()},
            {"device_name", name.empty() ? device_name(device) : name},
            {"platform", platform_name(slot.platform.load())},
            {"level", slot.level.load()},
            {"priority", counted_priority(client, slot)},
            {"ready", work.ready},
            {"completed", work.completed},
            {"command_ns", slot.command_ns.load(std::memory_order_relaxed)},
            {"suspended", known.suspended},
            {"followed", known.watched},
            {"reason", static_cast<uint32_t>(known.reason)},
            {"mechanism", static_cast<uint32_t>(std::max(known.mechanism, sched::Mechanism::kGate))},
            {"by_client", visible.cause(known.by_client)}};
}

void add_queues(const Request& request, const Visible& visible, Json& answer) {
    const Facts facts;
    Json& queues = answer["queues"] = Json::array();
    for (const auto& [id, client] : request.host.clients) {
        if (!request.may_see(*client)) continue;
        for (const SeenQueue& queue : queues_of(*client))
            if (queues.size() < kMostQueues) queues.push_back(describe(request, facts, visible, *client, queue));
    }
    Json& reasons = answer["reasons"] = Json::array();
#define XSCHED_REASON(name, number, sentence) reasons.push_back({number, sentence});
#include "sched/facts/reason.def"
#undef XSCHED_REASON
}

// Returns how queues of a platform are kept off: number, word, sentence.
Json mechanisms_of(uint32_t platform) {
    Json mechanisms = Json::array();
    for (uint32_t i = 0; i < sched::kMechanisms; ++i) {
        const auto mechanism = static_cast<sched::Mechanism>(i);
        mechanisms.push_back({i, mechanism_word(mechanism, platform), mechanism_text(mechanism, platform)});
    }
    return mechanisms;
}

// Adds what a trace needs beyond a recording: the names of all programs, and the words.
void add_names(const Request& request, Json& answer) {
    Json& programs = answer["programs"] = Json::array();
    Json& mechanisms = answer["mechanisms"] = Json::object();
    const auto add = [&](uint32_t client, int32_t pid, const std::string& program, uint32_t platform) {
        programs.push_back({client, pid, program, platform_name(platform)});
        Json& words = mechanisms[platform_name(platform)];
        if (words.is_null()) words = mechanisms_of(platform);
    };
    for (const auto& [id, client] : request.host.clients)
        if (request.may_see(*client)) add(id, client->pid(), client->program(), platform_of(*client));
    for (const GoneClients::Gone& gone : request.host.gone)
        if (request.may_see(gone.uid, gone.user)) add(gone.id, gone.pid, gone.program, gone.platform);
}

// Adds the orders that people gave in the last minute, as far as the asking user may see them.
void add_orders(const Request& request, Json& answer) {
    Json& orders = answer["orders"] = Json::array();
    for (const OrderNotes::Note& note : request.host.notes)
        if (note.for_all || request.may_see(note.by, note.by))
            orders.push_back({note.number, note.at_ns, note.told_uid, note.text});
}

// Adds the devices, also of queues that are gone.
void add_devices(const Visible& visible, const std::vector<JournalEntry>& entries, Json& answer) {
    std::map<uint64_t, std::string> names;
    for (const JournalEntry& entry : entries) {
        const bool told = entry.kind == dispatch::JournalKind::kCame || entry.kind == dispatch::JournalKind::kGone;
        if (told && visible(entry.client)) names.emplace(entry.completed, device_name(entry.completed));
    }
    answer["devices"] = names;  // pairs
}

// Returns an entry as a row. A trace gets all kinds; a recording only those that its format has.
Json row_of(const JournalEntry& entry, uint32_t by_client, bool all) {
    Json row{entry.at_ns,     static_cast<uint32_t>(entry.kind),
             entry.client,    entry.slot,
             entry.reason,    by_client,
             entry.completed, entry.command_ns};
    if (!all) return row;
    for (const int32_t more : {int32_t{entry.mechanism}, int32_t{entry.state}, int32_t{entry.priority}})
        row.push_back(more);
    return row;
}

// Returns the number of the first entry to send.
uint64_t first_of(const Request& request, const dispatch::Journal& journal, int64_t now_ns) {
    if (const auto from = request.number("from", 0, INT64_MAX)) return static_cast<uint64_t>(*from);
    const auto last_ms = request.number("last_ms", 1, kMostLastMs);
    if (!last_ms) return journal.end();
    if (!request.host.options.flight_recorder)
        throw NotDone(
            "this server does not keep what happened (--no-flight-recorder): 'xcli trace -t 10s' traces what happens "
            "from now on");
    return journal.first_since(now_ns - *last_ms * base::kMillisecond);
}

}  // namespace

// Reads the journal. Arguments: "from": start at that entry; "last_ms": start that many ms ago; neither: start now.
// "queues": list the present queues, too. "all": include entries that only traces show. Entries of other users'
// processes are left out.
Json read_journal(const Request& request) {
    dispatch::Journal& journal = request.host.scheduler.journal();
    const int64_t now_ns = base::now_ns();
    const bool all = request.body.value("all", false);
    const uint64_t from = first_of(request, journal, now_ns);
    journal.want_until(now_ns + kWantedNs);
    uint64_t lost = 0;
    std::vector<JournalEntry> entries;
    const uint64_t next = journal.read(from, kMostEntries, entries, lost);
    Json rows = Json::array();
    const Visible visible(request);
    for (const JournalEntry& entry : entries) {
        if (!visible(entry.client) || (!all && entry.kind > dispatch::JournalKind::kGone)) continue;
        const uint32_t by = all || entry.kind == dispatch::JournalKind::kSuspended ? entry.by_client : 0;
        rows.push_back(row_of(entry, visible.cause(by), all));
    }
    Json answer{{"next", next}, {"lost", lost}, {"more", next < journal.end()}, {"now_ns", now_ns}, {"entries", rows}};
    answer["policy"] = request.host.scheduler.policy_name();
    answer["server_began_ns"] = request.host.started_ns;
    answer["complete"] = journal.oldest() == 0 || from > journal.oldest();
    answer["left_out"] = request.asking.user.shared()->not_recorded.load();
    if (all) add_devices(visible, entries, answer);
    if (request.body.value("queues", false)) add_queues(request, visible, answer);
    if (all && request.body.value("queues", false)) {
        add_names(request, answer);
        add_orders(request, answer);
    }
    return answer;
}

}  // namespace xsched::server
