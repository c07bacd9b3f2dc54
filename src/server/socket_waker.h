// Waits for descriptors on behalf of a thread that sleeps on futex words: a small thread of its own sits in epoll,
// notes which descriptors became readable and bumps a word. Thus doorbells, the fast path, need no descriptor at all.
//
// All functions belong to the owner's thread. A descriptor is reported once and then stays silent until rearm();
// closing it ends the watch, but a token already noted may still be reported.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "base/futex.h"
#include "base/unique_fd.h"

namespace xsched::server {

class SocketWaker {
public:
    // Throws std::system_error if the system has no descriptors or threads left.
    SocketWaker();
    ~SocketWaker();
    SocketWaker(const SocketWaker&) = delete;
    SocketWaker& operator=(const SocketWaker&) = delete;

    // `token` (not 0) names the descriptor in take(). False: the system refused.
    bool watch(int fd, uint64_t token);
    void rearm(int fd, uint64_t token);

    // Changes whenever take() has something new.
    base::FutexWord& word() { return word_; }
    // The tokens that became ready since the last call.
    std::vector<uint64_t> take();

private:
    void wait_for_sockets();

    base::UniqueFd epoll_;
    base::UniqueFd stop_;  // eventfd: the thread ends
    base::FutexWord word_{0};
    std::mutex mutex_;
    std::vector<uint64_t> ready_;  // under mutex_
    std::thread thread_;
};

}  // namespace xsched::server
