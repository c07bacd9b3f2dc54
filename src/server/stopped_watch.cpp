#include "server/stopped_watch.h"

#include <algorithm>

#include "base/clock.h"
#include "base/log.h"
#include "server/limits/group_view.h"
#include "server/system_files.h"

namespace xsched::server {
namespace {

constexpr int64_t kLookEveryNs = 50 * base::kMillisecond;
// Longest time between two looks at a process whose state stays the same. kLookRunningNs: a suspect, which keeps others
// off without progress, but is not stopped. kLookStoppedNs: a stopped process. The latter may be long: a process that
// continues counts as busy again with its next completed command, without a look.
constexpr int64_t kLookRunningNs = 200 * base::kMillisecond;
constexpr int64_t kLookStoppedNs = 1600 * base::kMillisecond;
constexpr int64_t kQuietNs = base::kSecond;  // if no program was kept off for this long, the looks end

}  // namespace

std::string read_for_front(const std::string& path) { return read_system_file(path).text; }

bool is_stopped(pid_t pid, ReadFile read) {
    if (pid <= 0) return false;
    const std::string text = read("/proc/" + std::to_string(pid) + "/stat");
    // The program's name comes first, in parentheses, and may itself contain parentheses.
    const size_t name_end = text.rfind(')');
    if (name_end == std::string::npos || text.compare(name_end + 1, 1, " ") != 0) return false;
    return text.compare(name_end + 2, 1, "T") == 0 || text.compare(name_end + 2, 1, "t") == 0;
}

bool is_frozen(const std::string& group, const std::vector<std::string>& mounts, ReadFile read) {
    if (group.empty()) return false;
    return std::any_of(mounts.begin(), mounts.end(), [&](const std::string& mount) {
        return read(mount + group + "/cgroup.events").find("frozen 1") != std::string::npos;
    });
}

void StoppedWatch::begin(int64_t now_ns) {
    last_busy_ns_ = now_ns;
    if (due_ns_ == 0) due_ns_ = now_ns + kLookEveryNs;
}

// Returns whether the state changed: the process was stopped, or continues.
bool StoppedWatch::looked(Look& look, const Client& client, int64_t now_ns) {
    std::atomic<uint32_t>& known = client.record()->stopped;
    const bool stands = is_stopped(client.peer().pid) || is_frozen(client.cgroup(), GroupView::ours().mounts());
    const uint32_t stopped = stands ? 1 : 0;
    const bool changed = known.exchange(stopped, std::memory_order_relaxed) != stopped;
    look.pause_ns = changed
                        ? kLookEveryNs
                        : std::clamp(2 * look.pause_ns, kLookEveryNs, stopped != 0 ? kLookStoppedNs : kLookRunningNs);
    look.due_ns = now_ns + look.pause_ns;
    return changed;
}

void StoppedWatch::look(const Clients& clients, int64_t now_ns) {
    if (due_ns_ == 0 || now_ns < due_ns_) return;
    std::vector<uint32_t> changed;
    bool any_stopped = false;
    ++round_;
    for (const auto& [id, client] : clients) {
        dispatch::ClientRecord& record = *client->record();
        const bool known = record.stopped.load(std::memory_order_relaxed) != 0;
        if (!known && record.suspect.load(std::memory_order_relaxed) == 0) continue;
        Look& look = looks_[id];
        look.round = round_;
        any_stopped = any_stopped || known;
        if (now_ns < look.due_ns || !looked(look, *client, now_ns)) continue;
        const bool stopped = !known;
        any_stopped = any_stopped || stopped;
        changed.push_back(id);
        XLOG_DEBG("client %u (pid %d) %s", id, client->pid(), stopped ? "is stopped: it loses its claim" : "goes on");
    }
    std::erase_if(looks_, [this](const auto& entry) { return entry.second.round != round_; });
    if (!changed.empty())
        scheduler_.run([&changed](dispatch::Dispatcher& dispatcher) {
            for (const uint32_t id : changed) dispatcher.look_at(id);
        });
    if (any_stopped || scheduler_.keeps_off()) last_busy_ns_ = now_ns;
    due_ns_ = now_ns + kLookEveryNs;
    if (now_ns - last_busy_ns_ < kQuietNs) return;
    due_ns_ = 0;
    scheduler_.tell_of_keeping_off();
}

}  // namespace xsched::server
