#include "server/stopped_watch.h"

#include <cstdio>
#include <cstring>
#include <vector>

#include "base/clock.h"
#include "base/log.h"

namespace xsched::server {
namespace {

constexpr int64_t kLookEveryNs = 50 * base::kMillisecond;
constexpr int64_t kQuietNs = base::kSecond;  // for so long nobody was kept off: there is nothing to look for

}  // namespace

bool is_stopped(pid_t pid) {
    if (pid <= 0) return false;
    FILE* file = fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "re");
    if (file == nullptr) return false;
    char line[512];
    const char* text = fgets(line, sizeof(line), file);
    fclose(file);
    // The program's name comes before, in parentheses, and may have some of its own.
    const char* name_end = text != nullptr ? strrchr(text, ')') : nullptr;
    if (name_end == nullptr || name_end[1] != ' ') return false;
    return name_end[2] == 'T' || name_end[2] == 't';
}

void StoppedWatch::begin(int64_t now_ns) {
    last_busy_ns_ = now_ns;
    if (due_ns_ == 0) due_ns_ = now_ns + kLookEveryNs;
}

void StoppedWatch::look(const Clients& clients, int64_t now_ns) {
    if (due_ns_ == 0 || now_ns < due_ns_) return;
    std::vector<uint32_t> changed;
    bool any_stopped = false;
    for (const auto& [id, client] : clients) {
        dispatch::ClientRecord& record = *client->record();
        const bool known = record.stopped.load(std::memory_order_relaxed) != 0;
        if (!known && record.suspect.load(std::memory_order_relaxed) == 0) continue;
        const bool stopped = is_stopped(client->peer().pid);
        any_stopped = any_stopped || stopped;
        if (stopped == known) continue;
        record.stopped.store(stopped ? 1 : 0, std::memory_order_relaxed);
        changed.push_back(id);
        XLOG_DEBG("client %u (pid %d) %s", id, client->pid(), stopped ? "is stopped: it loses its claim" : "goes on");
    }
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
