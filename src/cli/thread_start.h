// Threads beside the one that serves: what is to end the process goes to that one, and there may be no thread to have.
#pragma once

#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace xsched::cli {

// False: the system has no thread left (ulimit -u, pids.max), and `thread` is none.
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
