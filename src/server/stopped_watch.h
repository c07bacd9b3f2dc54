// Finds clients whose process is stopped (^Z, SIGSTOP): one that keeps others off and gets nothing done meanwhile loses
// its claim. Front thread.
//
// Looks while the scheduling thread has somebody kept off: every 50 ms for new suspects, and ever less often at those
// that stay as they are, stopped or not. Otherwise nothing is done.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

#include "server/clients/client.h"
#include "server/thread/scheduler.h"

namespace xsched::server {

// Whether /proc says so of a process; false also if there is none.
bool is_stopped(pid_t pid);

class StoppedWatch {
public:
    using Clients = std::map<uint32_t, std::unique_ptr<Client>>;

    explicit StoppedWatch(Scheduler& scheduler) : scheduler_(scheduler) {}

    // A program is kept off.
    void begin(int64_t now_ns);
    // When look() must be called; 0: no need.
    int64_t due_ns() const { return due_ns_; }
    void look(const Clients& clients, int64_t now_ns);

private:
    // At one client, while it is a suspect or was found stopped.
    struct Look {
        int64_t due_ns = 0;
        int64_t pause_ns = 0;
        uint64_t round = 0;
    };
    static bool looked(Look& look, const Client& client, int64_t now_ns);

    Scheduler& scheduler_;
    std::unordered_map<uint32_t, Look> looks_;
    uint64_t round_ = 0;
    int64_t due_ns_ = 0;
    int64_t last_busy_ns_ = 0;
};

}  // namespace xsched::server
