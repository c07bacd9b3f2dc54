#include "cli/pool/in_pool.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/doubling.h"
#include "base/log.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/pool/forwarded_signals.h"
#include "cli/pool/pool.h"
#include "cli/pool/pool_watch.h"
#include "cli/processes.h"
#include "cli/time_text.h"
#include "console/fold.h"

namespace xsched::cli {
namespace {

constexpr int kLookEveryMs = 200;                        // judgement: a fault is told soon, and a look costs little
constexpr int64_t kKillNs = 5 * base::kSecond;           // judgement: SIGTERM should have ended a program by then
constexpr int kTakenAlong = 75;                          // EX_TEMPFAIL of sysexits.h: it may be tried again
using BackOff = base::Doubling<int64_t, 100 * base::kMillisecond, 60 * base::kSecond>;  // docker's --restart

void say(const std::string& sentence) {
    if (isatty(STDERR_FILENO) != 0) fputc('\r', stderr);
    console::print_error("xcli: %s\n", sentence.c_str());
}

// "ended with status 1"
std::string how_ended(int status) {
    if (WIFSIGNALED(status))
        return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
    return "ended with status " + std::to_string(WEXITSTATUS(status));
}

// Ends as the program has, so that the process that started xcli sees the same.
int end_as(int status) {
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

// Puts what is started from now on into the pool, or leaves it outside with a line that says why.
// `fault`: of the pool that the program has left, which may need a new service.
bool join(const Pool& pool, const PoolWords& words, const std::optional<PoolFault>& fault) {
    try {
        fault ? pool.renew(*fault) : pool.start();
    } catch (const Failure& failure) {
        XLOG_WARN("%s; the program runs outside of a pool", failure.what());
        return false;
    }
    setenv("CUDA_MPS_PIPE_DIRECTORY", pool.folder().c_str(), 1);
    setenv("CUDA_MPS_LOG_DIRECTORY", pool.folder().c_str(), 1);
    setenv("XSCHED_SIDE_BY_SIDE", "1", 0);
    // MPS has two priorities, normal (0) and below. Blocks of urgent kernels then come first: VGG-19 beside five models
    // in its pool took 1.64 times as long as alone instead of 2.09 (p99; decision 031).
    setenv("CUDA_MPS_CLIENT_PRIORITY", words.urgent ? "0" : "1", 0);
    return true;
}

void leave() {
    for (const char* variable : {"CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY"}) unsetenv(variable);
}

class Run {
public:
    Run(const Pool& pool, const PoolWords& words, std::string program)
        : pool_(pool),
          words_(words),
          program_(std::move(program)),
          grace_ns_(time_ns(words.grace, "for --grace-period")) {}

    // Returns the exit status; in the child none.
    std::optional<int> go();

private:
    bool begin();
    int wait_for_end();
    void look(PoolWatch& watch);
    void take(const PoolFault& fault);
    void end_it();
    bool restarts_left() const { return begun_again_ < words_.restarts && fault_->kind != PoolFault::kStopped; }
    bool wait_for_neighbours();
    int end_of_it(int status);
    void tell_outcome(const std::string& outcome) { pool_.faults().tell(*fault_, {pid_, program_, outcome}); }
    std::string called() const { return program_ + " (pid " + std::to_string(pid_) + ")"; }

    const Pool& pool_;
    const PoolWords words_;
    const std::string program_;
    const int64_t grace_ns_;
    ForwardedSignals signals_;
    BackOff back_off_;
    int64_t begun_again_ = 0;
    pid_t pid_ = 0;
    std::optional<PoolFault> fault_;  // it happened while the program ran
    int64_t deadline_ns_ = 0;  // with a fault: when the next step against the program is due
    std::vector<ProcessMark> ended_;  // the program and what it has started, once we have begun to end it
};

// Begins the program. Returns false in the child.
bool Run::begin() {
    ended_.clear();
    const pid_t parent = getpid();
    fflush(nullptr);
    pid_ = fork();
    if (pid_ != 0) return true;
    signals_.give_back();
    // As without a pool, where xcli becomes the program: SIGKILL to the process that was started ends the program.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) raise(SIGKILL);
    return false;
}

// Takes note of a fault that the program cannot outlast, and tells its user.
void Run::take(const PoolFault& fault) {
    fault_ = fault;
    deadline_ns_ = base::now_ns() + grace_ns_;
    const std::string grace = base::length_text(base::milliseconds(grace_ns_));
    std::string next = "is ended if it goes on for another " + grace;
    if (restarts_left())
        next += ", and begun again in a fresh pool (restart " + std::to_string(begun_again_ + 1) + " of " +
                std::to_string(words_.restarts) + ")";
    else if (words_.restarts == 0 && fault.kind != PoolFault::kStopped)
        next += " (--max-restarts 3 would begin it again)";
    say("the pool in which " + called() + " runs cannot be used any more: " + fault.text() + "; " + program_ + " " +
        next);
    tell_outcome("is ended if it goes on for another " + grace);
}

// Ends the program and all that it has started: asks first, and kills what is left some seconds later.
void Run::end_it() {
    const bool asks = ended_.empty();
    if (asks) ended_ = family_of(pid_);
    for (const ProcessMark& process : ended_) process.send(asks ? SIGTERM : SIGKILL);
    deadline_ns_ = base::now_ns() + kKillNs;
}

void Run::look(PoolWatch& watch) {
    if (!fault_) {
        if (const std::optional<PoolFault> fault = watch.look()) take(*fault);
    } else if (base::now_ns() >= deadline_ns_) {
        end_it();
    }
}

// Returns how the program has ended, as waitpid() tells it.
int Run::wait_for_end() {
    PoolWatch watch(pool_, pid_, program_);
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) != pid_) {
        for (const int signal : signals_.wait(kLookEveryMs)) kill(pid_, signal);
        look(watch);
    }
    for (const ProcessMark& process : ended_) process.send(SIGKILL);
    if (fault_ || status == 0 || signals_.told_to_end()) return status;
    fault_ = watch.look_after_failure(how_ended(status));
    if (fault_ && !fault_->is_caused_by(pid_))
        say(called() + " " + how_ended(status) +
            ", and the pool in which it ran cannot be used any more: " + fault_->text());
    return status;
}

// Waits until the neighbours have ended too, so that no fresh pool is begun under those that use their time of grace.
// Returns false if the program is not to be begun again: a signal has come.
bool Run::wait_for_neighbours() {
    const int64_t back_off_until_ns = base::now_ns() + back_off_.next();
    const int64_t until_ns = base::now_ns() + grace_ns_ + 2 * kKillNs;
    const auto in_use = [&] {
        try {
            const std::vector<PoolServer> servers = pool_.servers();
            return std::any_of(servers.begin(), servers.end(), [&](const PoolServer& server) {
                return server.pid == fault_->server && server.failed && !server.programs.empty();
            });
        } catch (const Failure&) {
            return false;  // the service has ended
        }
    };
    while (!signals_.told_to_end()) {
        if (base::now_ns() >= back_off_until_ns && (base::now_ns() >= until_ns || !in_use())) return true;
        signals_.wait(kLookEveryMs);
    }
    return false;
}

// Returns the exit status, and says why if it is not the program's own.
int Run::end_of_it(int status) {
    if (!fault_ || signals_.told_to_end()) return end_as(status);
    if (fault_->is_caused_by(pid_)) {
        say(called() + " " + how_ended(status) +
            " after a fault on the device: the other programs in its pool cannot go on");
        return end_as(status);
    }
    const bool by_us = !ended_.empty();
    tell_outcome(by_us ? "was ended" : how_ended(status));
    if (begun_again_ > 0 && begun_again_ == words_.restarts)
        say(called() + " was begun again " + base::counted(static_cast<uint64_t>(begun_again_), "time") +
            " and lost its pool each time: it is not begun again; without --pool it runs by itself");
    if (!by_us) return end_as(status);
    say(called() + " was ended, since it could not go on in its pool: exit status " + std::to_string(kTakenAlong));
    return kTakenAlong;
}

std::optional<int> Run::go() {
    for (;; ++begun_again_) {
        const pid_t before = pid_;
        const std::optional<PoolFault> last = std::exchange(fault_, std::nullopt);
        if (!begin()) return std::nullopt;
        if (pid_ < 0) throw Failure("no process can be started for " + program_ + ": " + strerror(errno));
        if (last) {
            pool_.faults().tell(*last, {before, program_, "was begun again as pid " + std::to_string(pid_)});
            say(called() + " is begun again in a fresh pool (restart " + std::to_string(begun_again_) + " of " +
                std::to_string(words_.restarts) + ")");
        }
        const int status = wait_for_end();
        const bool lost = fault_ && !fault_->is_caused_by(pid_) && status != 0;
        if (!lost || !restarts_left() || signals_.told_to_end()) return end_of_it(status);
        tell_outcome("has ended, and is to be begun again");
        if (!wait_for_neighbours()) return kTakenAlong;
        if (!join(pool_, words_, fault_)) leave();
    }
}

}  // namespace

std::optional<int> run_in_pool(const PoolWords& words, const std::string& program) {
    std::optional<Pool> pool;
    try {
        pool.emplace();
    } catch (const Failure& failure) {
        XLOG_WARN("%s; the program runs outside of a pool", failure.what());
        return std::nullopt;
    }
    if (!join(*pool, words, std::nullopt)) return std::nullopt;
    return Run(*pool, words, program).go();
}

}  // namespace xsched::cli
