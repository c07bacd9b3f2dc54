// Starts threads beside the one that serves. Signals that end the process go to that one. The system may have no thread
// left.
#pragma once

#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace xsched::cli {

// Starts a thread. Returns false, with `thread` empty, if the system has no thread left (ulimit -u, pids.max).
template <typename Body>
bool begin_thread(std::thread& thread, Body body) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool begun = true;
    try {
        thread = std::thread(std::move(body));
    } catch (const std::system_error&) {
        begun = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return begun;
}

}  // namespace xsched::cli
