// The server's parent: it waits, and starts a server again that died or of which a thread hangs.
//
// It is forked from before the first server exists, has one thread, and holds what must outlive a server: the listening
// socket and its lock (clients that connect meanwhile wait in the backlog), and the memory below. A server is a fork of
// it. Only a server that says so has ended in order: an exit status tells nothing where somebody else has taken it, or
// a library called exit. A server that cannot begin with the settings made at run time begins without them. A server
// that cannot end, because a thread of it is stuck in the kernel, has a successor all the same. It is waited for later.
// Told to end (SIGTERM, SIGINT, SIGHUP to either of them, or the idle exit) both end. If the supervisor itself is
// killed the kernel sends its server SIGTERM: nobody is left running that nobody looks after.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <functional>

#include "base/time.h"
#include "server/beats.h"
#include "server/checkpoint.h"
#include "server/device_use.h"
#include "server/kept_accounts.h"

namespace xsched::server {

class ServiceManager;

// Shared by the supervisor and its servers, one after the other. All zero in the beginning.
struct SupervisedMemory {
    Beats beats;  // by the server
    std::atomic<uint32_t> ended_in_order;  // by a server that ends as it was meant to, before it leaves its socket
    std::atomic<uint32_t> begun;  // by a server, once it serves
    uint32_t restarts;  // by the supervisor, before it starts a server
    pid_t supervisor;  // likewise
    // What became of the server before: for its successor to log, since writing to a log may take for ever.
    char obituary[384];
    char last_words[96];  // by a server that cannot go on (last_words.h)
    std::atomic<uint32_t> in_loaded_policy;  // 1: a policy from a library decides (loaded_policy.h)
    std::atomic<uint32_t> leave_out_policy;  // 1: a server ended while it did
    CheckpointArea checkpoint;
    KeptAccounts accounts;
    UseTable use;
};

sigset_t ending_signals();  // SIGTERM, SIGINT, SIGHUP: they end a server in order
// What ends a server in order waits until a server, or its supervisor, listens to it.
void block_ending_signals();

// Runs `serve` in a child, and again until it ends as intended. Returns its exit status. Never returns in the child.
// Call it with one thread. `begun`: called here once the first server serves. `cannot_start`: the exit status of a
// server that could not begin, which at the first time ends both. `manager` is told how the server is. `look_ns`: how
// often it looks whether the server is alive.
inline constexpr int64_t kLookAtServerNs = 500 * base::kMillisecond;
int supervise(const std::function<int(SupervisedMemory&)>& serve, const std::function<void()>& begun, int cannot_start,
              ServiceManager& manager, int64_t look_ns = kLookAtServerNs);

}  // namespace xsched::server
