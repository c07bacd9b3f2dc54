// Takes clients' work off their devices, and puts it back, for those that do not answer: level 3 by the descriptors
// that a client has handed over. A client that answers does it itself; then this does nothing.
//
// Calls to the driver take up to a millisecond, so that they are made on a thread of its own. What is wanted and what
// has been done are compared until they agree: whoever acts last, client or server, acts on the newest directive. The
// thread also sees when the server's own thread hangs, and lets everything run. The driver counts disablings: each is
// undone by an enabling of its own, whoever makes it.
//
// All functions belong to the server's main thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/unique_fd.h"
#include "device/cuda/rm_control.h"
#include "ipc/protocol.h"
#include "server/client.h"

namespace xsched::server {

class Interrupter {
public:
    Interrupter() = default;
    // Everything that it stopped runs again, then it returns.
    ~Interrupter();
    Interrupter(const Interrupter&) = delete;
    Interrupter& operator=(const Interrupter&) = delete;

    // What came from a client after its Hello, with the descriptor that came along. False: not of our protocol.
    bool take(const Client& client, const void* packet, size_t bytes, base::UniqueFd fd);
    // Looks whether the client carries out its directives, and steps in if not. Returns when to look again; 0: no need.
    int64_t look(const Client& client, int64_t now_ns);
    // The client is gone, or let go: whoever stopped it, it runs, with the timeslices that the driver had set.
    void release(const Client& client);
    // The main thread is alive.
    void beat(int64_t now_ns) { beat_ns_.store(now_ns, std::memory_order_relaxed); }

private:
    struct Set {
        cuda::rm::ChannelSet channels{};
        std::shared_ptr<base::UniqueFd> fd;
        bool wanted = false;  // stopped
        uint32_t wanted_us = 0;
        bool stopped = false;  // as last done here
        uint32_t done_us = 0;
        bool left_stopped = false;  // the client stopped it, and does not let it go
        bool renewed = false;       // the channels are others than those that were stopped
        bool dirty = false;  // to be done, whatever was done last
        bool busy = false;   // being done
        bool going = false;  // then to be closed
    };
    struct Key {
        uint32_t client;
        uint64_t device;
        uint64_t key;
        auto operator<=>(const Key&) const = default;
    };
    // How a client answers.
    struct Answer {
        uint32_t carried_out = 0;
        int64_t silent_since_ns = 0;  // 0: it is not
        bool acting = false;          // it is done for it here
    };

    void follow(const Client& client);
    bool hand_back(const Client& client);
    void run();
    bool act(std::unique_lock<std::mutex>& lock);
    bool watch_main(int64_t now_ns);

    std::map<uint32_t, Answer> answers_;  // of clients that handed something over
    std::atomic<int64_t> beat_ns_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Key, Set> sets_;  // under mutex_
    bool stop_ = false;        // under mutex_
    std::thread thread_;       // started with the first set
};

}  // namespace xsched::server
