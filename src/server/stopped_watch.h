// Finds clients whose process is stopped (^Z, SIGSTOP) or whose control group is frozen (Slurm, docker and podman
// suspend by that). A stopped process that keeps others off loses its claim to the device. Front thread.
//
// Looks every 50 ms for new suspects while a program is kept off, and ever less often at suspects whose state stays the
// same. Otherwise does nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/clients/client.h"
#include "server/thread/scheduler.h"

namespace xsched::server {

// Returns a file's text. The front reads by the thread that may block (system_files.h).
using ReadFile = std::string (*)(const std::string& path);
std::string read_for_front(const std::string& path);
// Returns whether /proc shows the process as stopped; false if there is no such process.
bool is_stopped(pid_t pid, ReadFile read = read_for_front);
// Returns whether the control group of version 2 is frozen, itself or by a group above it. `mounts`: where the
// hierarchy may be mounted.
bool is_frozen(const std::string& group, const std::vector<std::string>& mounts, ReadFile read = read_for_front);

class StoppedWatch {
public:
    using Clients = std::map<uint32_t, std::unique_ptr<Client>>;

    explicit StoppedWatch(Scheduler& scheduler) : scheduler_(scheduler) {}

    // Starts the looks: a program is kept off.
    void begin(int64_t now_ns);
    // Returns when look() must be called; 0: no need.
    int64_t due_ns() const { return due_ns_; }
    void look(const Clients& clients, int64_t now_ns);

private:
    // One client that is a suspect, or that was found stopped.
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
