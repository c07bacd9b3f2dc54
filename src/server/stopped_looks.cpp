#include "server/stopped_looks.h"

#include <atomic>
#include <new>
#include <utility>

#include "base/files.h"
#include "server/stopped_watch.h"
#include "server/system_files.h"

namespace xsched::server {

// One look, which may go on behind the answer that began it.
struct StoppedLooks::Look {
    struct Process {
        uint32_t client;
        uint64_t number;  // Client::process()
        pid_t pid;
        std::string group;
        bool stopped = false;
    };

    // Reads the files, on the thread for that.
    void read() {
        std::map<std::string, bool> frozen;
        for (Process& process : processes) {
            const auto [group, is_new] = frozen.try_emplace(process.group);
            if (is_new) group->second = is_frozen(process.group, mounts, base::text_of_file);
            process.stopped = group->second || is_stopped(process.pid, base::text_of_file);
            known.fetch_add(1, std::memory_order_release);
        }
    }

    std::vector<std::string> mounts;
    std::vector<Process> processes;
    std::atomic<size_t> known{0};  // how many of them were read
    size_t noted = 0;              // how many of these were noted; the front's
};

void StoppedLooks::look(const Clients& clients, const std::vector<uint32_t>& ids) {
    if (last_) note(clients);
    const auto next = std::make_shared<Look>();
    next->mounts = mounts_;
    for (const uint32_t id : ids)
        if (const auto at = clients.find(id); at != clients.end())
            next->processes.push_back({id, at->second->process(), at->second->peer().pid, at->second->cgroup()});
    const bool begun = look_behind([next] {
        try {
            next->read();
        } catch (const std::bad_alloc&) {
            // the others stay as they were known
        }
    });
    if (begun) last_ = next;
    if (last_) note(clients);
}

void StoppedLooks::note(const Clients& clients) {
    const size_t known = last_->known.load(std::memory_order_acquire);
    for (; last_->noted < known; ++last_->noted) {
        const Look::Process& process = last_->processes[last_->noted];
        const auto client = clients.find(process.client);
        if (client != clients.end() && client->second->process() == process.number)
            client->second->seen_stopped = process.stopped;
    }
}

}  // namespace xsched::server
