// Attacks under way: processes of another user that attack a server until they are stopped, or that only use as much of
// the processors.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "server/attacks.h"
#include "server/hostile.h"

namespace xsched::test {

inline std::vector<pid_t> processes_of_group(pid_t group) {
    std::vector<pid_t> found;
    DIR* list = opendir("/proc");
    for (const dirent* entry = nullptr; list != nullptr && (entry = readdir(list)) != nullptr;) {
        const pid_t pid = atoi(entry->d_name);
        if (pid > 0 && getpgid(pid) == group) found.push_back(pid);
    }
    if (list != nullptr) closedir(list);
    return found;
}

// Forks a child that becomes user `uid` and runs `body`. The child is killed when its parent ends.
template <typename Body>
pid_t child_of(uid_t uid, Body body, int nice_value = 0) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    setpgid(0, 0);
    setpriority(PRIO_PROCESS, 0, nice_value);
    if (!become(uid)) _exit(100);
    die_with(parent);
    prctl(PR_SET_TIMERSLACK, 1UL);
    body();
    _exit(0);
}

// The attacking processes, or processes that only use the same processor time for comparison: one process group for
// each.
class Hostile {
public:
    Hostile() = default;
    Hostile(const Hostile&) = delete;
    Hostile& operator=(const Hostile&) = delete;
    ~Hostile() { end(); }
    void end() {
        for (const pid_t group : groups_) kill(-group, SIGKILL);
        for (const pid_t group : groups_) waitpid(group, nullptr, 0);
        groups_.clear();
    }
    // Returns false if it could not begin.
    bool attack(const Attack& attack, const std::string& path) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) abort();
        for (unsigned i = 0; i < attack.processes; ++i)
            groups_.push_back(child_of(kAttackerUid, [&] {
                attack.body(path, [&] {
                    if (write(ends[1], "", 1) != 1) _exit(1);
                });
            }));
        close(ends[1]);
        const base::UniqueFd end(ends[0]);
        for (unsigned i = 0; i < attack.processes; ++i) {
            char letter;
            pollfd waiting{end.get(), POLLIN, 0};
            if (poll(&waiting, 1, kPatienceMs) != 1 || read(end.get(), &letter, 1) != 1) return false;
        }
        return true;
    }
    // Starts processes that only compute, together for `share` processors (1.0: one processor all the time).
    void burn(double share) {
        constexpr int64_t kBurnPeriodNs = 5 * base::kMillisecond;
        for (; share > 0.005; share -= 1)
            groups_.push_back(child_of(kAttackerUid, [part = std::min(share, 1.0)] {
                for (;;) {
                    const int64_t began = base::now_ns();
                    const auto busy = static_cast<int64_t>(part * kBurnPeriodNs);
                    while (base::now_ns() - began < busy) {
                    }
                    const int64_t left = kBurnPeriodNs - (base::now_ns() - began);
                    if (part < 0.99 && left > 0) usleep(static_cast<useconds_t>(left / base::kMicrosecond));
                }
            }));
    }
    std::vector<pid_t> pids() const {
        std::vector<pid_t> all;
        for (const pid_t group : groups_)
            for (const pid_t pid : processes_of_group(group)) all.push_back(pid);
        return all;
    }

private:
    std::vector<pid_t> groups_;
};

}  // namespace xsched::test
