#include "server/supervisor.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "console/end_with.h"
#include "server/dying.h"
#include "server/ending_signals.h"
#include "server/service_manager.h"

namespace xsched::server {
namespace {

// After this many looks without a beat the scheduling thread hangs. Looks are counted, not time: if supervisor and
// server were both stopped for a while (^Z, a debugger), a single look tells nothing.
constexpr int kMostSilentLooks = 4;
// After this many looks without a beat the front thread hangs. The number is larger than the scheduling thread's,
// because programs are still scheduled while the front hangs, and a restart would interrupt them. Also, a user can
// block the front in the kernel by the lock of a directory in /proc, and a successor would block there, too
// (docs/SECURITY.md).
constexpr int kMostSilentLooksOfFront = 20;
// A server that made no pass may only be slow: after each such server the next gets twice the time, at most this often.
constexpr int kMostPatience = 4;  // times twice
// After this many servers in a row that made no pass, the settings made at run time are dropped: they may be the cause.
constexpr int kMostUnborn = 3;
constexpr int64_t kServerEndsNs = 2 * base::kSecond;
// How long a server that is exiting is awaited before its successor starts.
constexpr int64_t kDyingPatienceNs = 300 * base::kMillisecond;
// A server that lived for this long gets a successor at once. After a shorter life there is a pause.
constexpr int64_t kSettledNs = base::kSecond;
constexpr int64_t kFirstPauseNs = 100 * base::kMillisecond;
constexpr int64_t kLongestPauseNs = 5 * base::kSecond;

// One of the server's threads, as the supervisor sees it.
struct WatchedThread {
    const char* silent;  // says what the thread did, if its server was killed for its silence
    int most_silent_looks;
    uint32_t beats = 0;
    int silent_looks = 0;
};

class Supervisor {
public:
    Supervisor(const std::function<int(SupervisedMemory&)>& serve, const std::function<void()>& begun, int cannot_start,
               ServiceManager& manager, int64_t look_ns)
        : serve_(serve), begun_(begun), cannot_start_(cannot_start), manager_(manager), look_every_ns_(look_ns) {}

    int run();

private:
    int serve();
    [[noreturn]] void become_server();
    bool has_begun();
    void tell_begun();
    int watch();
    bool ended(int* status);
    bool left_behind(int* status);
    void reap_earlier();
    bool wait_until(int64_t due_ns);
    void look();
    bool is_silent(WatchedThread& thread, const std::atomic<uint32_t>& beats) const;
    void tell_to_end();
    bool is_intended(int status) const;
    void note_birth();
    void describe_end(int status, int64_t pause_ns) const;
    void begin_server();

    const std::function<int(SupervisedMemory&)>& serve_;
    const std::function<void()>& begun_;
    const int cannot_start_;
    ServiceManager& manager_;
    const int64_t look_every_ns_;
    SupervisedMemory* memory_ = nullptr;
    char name_[16] = "";
    sigset_t waited_{};
    sigset_t before_{};
    pid_t server_ = 0;
    std::vector<pid_t> unreaped_;  // earlier servers, with a thread that is stuck in the kernel
    bool told_ = false;
    bool told_begun_ = false;
    bool unknown_ = false;  // how it ended
    bool forgot_ = false;  // the settings made at run time were dropped
    const char* silent_when_killed_ = nullptr;  // the silence for which the server was killed; null: it was not
    int killed_after_looks_ = 0;
    int unborn_ = 0;  // servers in a row that made no pass
    int64_t kill_ns_ = 0;  // when a server that was told to end is killed
    WatchedThread scheduling_{"made no pass", kMostSilentLooks};
    WatchedThread front_{"answered no request (its front thread hangs)", kMostSilentLooksOfFront};
    int64_t dying_since_ns_ = 0;  // 0: it lives
};

int Supervisor::serve() {
    try {
        return serve_(*memory_);
    } catch (const std::exception& error) {
        fprintf(stderr, "xserver: %s\n", error.what());
        return cannot_start_;
    }
}

void Supervisor::become_server() {
    prctl(PR_SET_NAME, name_);
    console::end_with(memory_->supervisor, SIGTERM);
    // Signals that end a server stay blocked until the server listens for them.
    sigset_t mask = before_;
    const sigset_t ending = ending_signals();
    sigorset(&mask, &mask, &ending);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    const int status = serve();
    if (status == 0) memory_->ended_in_order.store(1);
    fflush(nullptr);
    _exit(status);  // the socket and its lock belong to the supervisor
}

// Waits a while until the first server serves. Returns false if it ended, is told to end, or takes too long.
bool Supervisor::has_begun() {
    const int64_t until_ns = base::now_ns() + look_every_ns_;
    while (memory_->begun.load() == 0 && !told_ && base::now_ns() < until_ns) {
        siginfo_t end{};
        if (waitid(P_PID, static_cast<id_t>(server_), &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid != 0) break;
        wait_until(base::now_ns() + base::kMillisecond);
    }
    return memory_->begun.load() != 0;
}

// Once.
void Supervisor::tell_begun() {
    if (!std::exchange(told_begun_, true)) begun_();
}

// Waits. Returns true if a signal came, false at `due_ns`.
bool Supervisor::wait_until(int64_t due_ns) {
    const int64_t left = std::max<int64_t>(due_ns - base::now_ns(), 0);
    const timespec patience{static_cast<time_t>(left / base::kSecond), static_cast<long>(left % base::kSecond)};
    siginfo_t info{};
    const int number = sigtimedwait(&waited_, &info, &patience);
    if (number > 0 && asks_to_reload(number, info.si_code)) {
        if (server_ > 0) kill(server_, number);
    } else if (is_ending(number)) {
        told_ = true;
    }
    return number > 0;
}

void Supervisor::tell_to_end() {
    if (kill_ns_ != 0) return;
    kill_ns_ = base::now_ns() + kServerEndsNs;
    manager_.tell("STOPPING=1");
    kill(server_, SIGTERM);
}

bool Supervisor::is_silent(WatchedThread& thread, const std::atomic<uint32_t>& beats) const {
    const uint32_t now = beats.load(std::memory_order_relaxed);
    thread.silent_looks = now == thread.beats ? thread.silent_looks + 1 : 0;
    thread.beats = now;
    const int patience = now != 0 ? 0 : std::min(unborn_, kMostPatience);
    return thread.silent_looks >= thread.most_silent_looks << patience;
}

void Supervisor::look() {
    manager_.feed(memory_->beats, base::now_ns());
    const bool front_hangs = is_silent(front_, memory_->beats.front);
    const bool hangs = is_silent(scheduling_, memory_->beats.scheduling);
    if (!hangs && !front_hangs) return;
    if (is_traced(server_)) return manager_.tell("WATCHDOG=1");
    WatchedThread& silent = hangs ? scheduling_ : front_;
    silent_when_killed_ = silent.silent;
    killed_after_looks_ = silent.silent_looks;
    scheduling_.silent_looks = front_.silent_looks = 0;  // counts again, in case the kill does not help
    kill(server_, SIGKILL);
}

bool Supervisor::ended(int* status) {
    const pid_t found = waitpid(server_, status, WNOHANG);
    if (found == server_) return true;
    if (found == 0 || errno == EINTR) return false;
    *status = 0;  // another part of the process has waited for it
    unknown_ = true;
    return true;
}

// Returns true if the server has been exiting for so long that its successor should start without waiting further.
bool Supervisor::left_behind(int* status) {
    const std::optional<int> coming = status_of_dying(server_);
    const int64_t now = base::now_ns();
    if (!coming)
        dying_since_ns_ = 0;
    else if (dying_since_ns_ == 0)
        dying_since_ns_ = now;
    if (!coming || now - dying_since_ns_ < kDyingPatienceNs) return false;
    *status = *coming;
    unreaped_.push_back(server_);
    return true;
}

void Supervisor::reap_earlier() {
    std::erase_if(unreaped_, [](pid_t pid) {
        const pid_t found = waitpid(pid, nullptr, WNOHANG);
        return found == pid || (found < 0 && errno == ECHILD);
    });
}

// Watches the server until it ends. Returns its wait status.
int Supervisor::watch() {
    int status = 0;
    int64_t look_ns = base::now_ns() + look_every_ns_;
    while (!ended(&status) && !left_behind(&status)) {
        reap_earlier();
        if (memory_->begun.load() != 0) tell_begun();
        if (told_) tell_to_end();
        const int64_t due_ns = kill_ns_ != 0 ? std::min(look_ns, kill_ns_) : look_ns;
        wait_until(dying_since_ns_ != 0 ? std::min(due_ns, dying_since_ns_ + kDyingPatienceNs) : due_ns);
        const int64_t now = base::now_ns();
        if (kill_ns_ != 0 && now >= kill_ns_) {
            kill(server_, SIGKILL);
            kill_ns_ = now + kServerEndsNs;
        }
        if (now < look_ns) continue;
        look_ns = now + look_every_ns_;
        look();
    }
    return status;
}

bool Supervisor::is_intended(int status) const {
    if (told_ || memory_->ended_in_order.load() != 0) return true;
    if (WIFSIGNALED(status)) return is_ending(WTERMSIG(status));
    return WEXITSTATUS(status) == cannot_start_ && memory_->restarts == 0 && memory_->begun.load() == 0;
}

// Notes, after a server's unintended end, whether it had made a pass.
void Supervisor::note_birth() {
    forgot_ = false;
    if (memory_->beats.scheduling.load() != 0) {
        unborn_ = 0;
        return;
    }
    if (++unborn_ % kMostUnborn != 0 || silent_when_killed_ != nullptr) return;
    forgot_ = memory_->checkpoint.written.exchange(0) != 0;
    memory_->accounts.written.store(0);
}

void Supervisor::describe_end(int status, int64_t pause_ns) const {
    char end[160];
    const char* words = memory_->last_words;
    if (silent_when_killed_ != nullptr)
        snprintf(end, sizeof(end), "%s for %lld s and was killed", silent_when_killed_,
                 static_cast<long long>(killed_after_looks_ * look_every_ns_ / base::kSecond));
    else if (unknown_)
        snprintf(end, sizeof(end), "ended, and not in order");
    else if (WIFSIGNALED(status))
        snprintf(end, sizeof(end), "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(end, sizeof(end), "ended with status %d%s%s%s", WEXITSTATUS(status), words[0] != '\0' ? " (" : "",
                 words, words[0] != '\0' ? ")" : "");
    const bool listed = !unreaped_.empty() && unreaped_.back() == server_;
    snprintf(memory_->obituary, sizeof(memory_->obituary), "xserver %d %s%s: this one took its place after %lld ms%s",
             server_, end, listed ? " (but is still listed, since a thread of it waits in the kernel)" : "",
             static_cast<long long>(pause_ns / base::kMillisecond),
             forgot_ ? ", without the settings made at run time, since no server could begin with them" : "");
}

void Supervisor::begin_server() {
    memory_->beats.scheduling.store(scheduling_.beats = 0);
    memory_->beats.front.store(front_.beats = 0);
    memory_->ended_in_order.store(0);
    memory_->last_words[0] = '\0';
    scheduling_.silent_looks = front_.silent_looks = 0;
    silent_when_killed_ = nullptr;
    unknown_ = false;
    dying_since_ns_ = 0;
    server_ = fork();
    if (server_ == 0) become_server();
}

int Supervisor::run() {
    void* memory = mmap(nullptr, sizeof(SupervisedMemory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        XLOG_WARN("no memory for a supervisor (%s): this server is not restarted if it dies", strerror(errno));
        static SupervisedMemory alone;
        return serve_(alone);
    }
    memory_ = static_cast<SupervisedMemory*>(memory);
    memory_->supervisor = getpid();
    signal(SIGCHLD, SIG_DFL);
    waited_ = ending_signals();
    sigaddset(&waited_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &waited_, &before_);
    prctl(PR_GET_NAME, name_);
    prctl(PR_SET_NAME, "xsched-watch");  // `pkill xserver` should hit the server, not the supervisor
    for (int64_t pause_ns = 0;;) {
        const int64_t began_ns = base::now_ns();
        begin_server();
        if (server_ < 0) {
            snprintf(memory_->obituary, sizeof(memory_->obituary), "no process could be made for a server (%s)",
                     strerror(errno));
            pause_ns = std::max(pause_ns, kFirstPauseNs);
        } else {
            if (!told_begun_ && has_begun()) tell_begun();
            const int status = watch();
            if (is_intended(status)) {
                manager_.tell("STOPPING=1");
                if (told_ && memory_->begun.load() != 0) return 0;  // also if the very end of the server failed
                return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
            }
            if (base::now_ns() - began_ns >= kSettledNs) pause_ns = 0;
            note_birth();
            describe_end(status, pause_ns);
        }
        manager_.tell("STATUS=", memory_->obituary);
        for (const int64_t due_ns = base::now_ns() + pause_ns; base::now_ns() < due_ns && !told_;) wait_until(due_ns);
        if (told_) return 0;
        pause_ns = std::clamp(2 * pause_ns, kFirstPauseNs, kLongestPauseNs);
        ++memory_->restarts;
    }
}

}  // namespace

int supervise(const std::function<int(SupervisedMemory&)>& serve, const std::function<void()>& begun, int cannot_start,
              ServiceManager& manager, int64_t look_ns) {
    return Supervisor(serve, begun, cannot_start, manager, look_ns).run();
}

}  // namespace xsched::server
