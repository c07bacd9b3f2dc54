// The system calls that one thread of another process makes, as a debugger sees them (ptrace). Needs the right to trace
// it: root, or its parent where Yama allows that.
#pragma once

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "support/eventually.h"

namespace xsched::test {

class SystemCalls {
public:
    // Traces the system calls of this thread, by a thread of its own, from now on until stop().
    explicit SystemCalls(pid_t thread) : traced_(thread), watcher_([this] { watch(); }) {
        eventually([this] { return state_.load() != 0; });
    }
    ~SystemCalls() { stop(); }
    SystemCalls(const SystemCalls&) = delete;
    SystemCalls& operator=(const SystemCalls&) = delete;

    // Returns false if this process may not trace it.
    bool watches() const { return state_.load() > 0; }
    void stop() {
        stop_ = true;
        if (watcher_.joinable()) watcher_.join();
    }
    using Arguments = std::array<uint64_t, 3>;
    // Returns which system calls the thread began, each with its first arguments. Call after stop().
    const std::map<uint64_t, std::set<Arguments>>& calls() const { return calls_; }
    std::set<Arguments> of(uint64_t call) const {
        const auto found = calls_.find(call);
        return found != calls_.end() ? found->second : std::set<Arguments>();
    }
    const std::set<std::string>& paths() const { return paths_; }

private:
    static constexpr int kCallStop = SIGTRAP | 0x80;

    void watch() {
        const bool seized = ptrace(PTRACE_SEIZE, traced_, nullptr, PTRACE_O_TRACESYSGOOD) == 0 &&
                            ptrace(PTRACE_INTERRUPT, traced_, nullptr, nullptr) == 0;
        state_ = seized ? 1 : -1;
        bool interrupted = false;
        while (seized) {
            int status = 0;
            const pid_t stopped = waitpid(traced_, &status, __WALL | WNOHANG);
            if (stopped < 0 || (stopped == traced_ && !WIFSTOPPED(status))) return;  // it has ended
            if (stopped == 0) {
                if (stop_ && !interrupted) interrupted = ptrace(PTRACE_INTERRUPT, traced_, nullptr, nullptr) == 0;
                usleep(20);
                continue;
            }
            const int signal_number = WSTOPSIG(status);
            if (signal_number == kCallStop) note();
            if (stop_) {
                ptrace(PTRACE_DETACH, traced_, nullptr, nullptr);
                return;
            }
            const bool passed_on = signal_number != kCallStop && (status >> 16) == 0;
            ptrace(PTRACE_SYSCALL, traced_, nullptr, passed_on ? signal_number : 0);
        }
    }
    void note() {
        __ptrace_syscall_info info{};
        if (ptrace(PTRACE_GET_SYSCALL_INFO, traced_, sizeof(info), &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY)
            return;
        calls_[info.entry.nr].insert({info.entry.args[0], info.entry.args[1], info.entry.args[2]});
        if (info.entry.nr == SYS_openat || info.entry.nr == SYS_newfstatat || info.entry.nr == SYS_readlinkat)
            paths_.insert(text_at(info.entry.args[1]));
#ifdef SYS_open
        if (info.entry.nr == SYS_open || info.entry.nr == SYS_stat || info.entry.nr == SYS_lstat ||
            info.entry.nr == SYS_readlink || info.entry.nr == SYS_access)
            paths_.insert(text_at(info.entry.args[0]));
#endif
    }
    std::string text_at(uint64_t address) const {
        std::string text(256, '\0');
        iovec here{text.data(), text.size()};
        iovec there{reinterpret_cast<void*>(address), text.size()};
        const ssize_t bytes = process_vm_readv(traced_, &here, 1, &there, 1, 0);
        text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
        return text.c_str();
    }

    pid_t traced_;
    std::atomic<int> state_{0};
    std::atomic<bool> stop_{false};
    std::map<uint64_t, std::set<Arguments>> calls_;
    std::set<std::string> paths_;
    std::thread watcher_;
};

}  // namespace xsched::test
