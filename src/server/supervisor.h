// The server's parent: it waits for the server, and starts a new one if the server dies or one of its threads hangs.
//
// The supervisor exists before the first server and has one thread. It holds what must outlive a server: the listening
// socket and its lock (clients that connect meanwhile wait in the backlog), and the memory below. A server is a fork of
// it. A server ended in order only if it says so: its exit status may be lost, or come from a library that called exit.
// A server that cannot start with the settings made at run time starts without them. If a server cannot exit because a
// thread is stuck in the kernel, a successor starts all the same; the old one is reaped later. If either is told to end
// (SIGTERM, SIGINT, a terminal that is closed, or the idle exit), both end. SIGHUP by a person is for the server. If
// the supervisor is killed, the kernel sends its server SIGTERM, so no server runs unwatched.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "base/time.h"
#include "server/beats.h"
#include "server/checkpoint.h"
#include "server/device_use.h"
#include "server/kept_accounts.h"

namespace xsched::server {

class ServiceManager;

// Memory shared by the supervisor and its servers, one after the other. All zero in the beginning.
struct SupervisedMemory {
    Beats beats;  // by the server
    std::atomic<uint32_t> ended_in_order;  // set by a server that ends as intended, before it leaves its socket
    std::atomic<uint32_t> begun;  // set by a server once it serves
    uint32_t restarts;  // set by the supervisor before it starts a server
    pid_t supervisor;  // likewise
    // How the earlier server ended. Its successor logs it, since writing to a log may block forever.
    char obituary[384];
    char last_words[96];  // the reason, by a server that cannot go on (last_words.h)
    std::atomic<uint32_t> in_loaded_policy;  // 1: a policy from a library decides (loaded_policy.h)
    std::atomic<uint32_t> programs;  // with queues, that the server has or had (returning.h)
    std::atomic<uint32_t> leave_out_policy;  // 1: a server ended while such a policy decided
    CheckpointArea checkpoint;
    KeptAccounts accounts;
    UseTable use;
};

// Runs `serve` in a child, and again until it ends as intended. Returns its exit status. Never returns in the child.
// Call it while the process has one thread. `begun`: called here once the first server serves. `cannot_start`: the exit
// status of a server that could not start; if the first server exits so, both end. `manager`: is told about the
// server's state. `look_ns`: time between looks at the server's beats.
inline constexpr int64_t kLookAtServerNs = 500 * base::kMillisecond;
int supervise(const std::function<int(SupervisedMemory&)>& serve, const std::function<void()>& begun, int cannot_start,
              ServiceManager& manager, int64_t look_ns = kLookAtServerNs);

}  // namespace xsched::server
