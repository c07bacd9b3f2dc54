#include "cli/pool/pool_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/time.h"
#include "console/fold.h"

namespace xsched::cli {
namespace {

// Judgement: a question takes the daemon some milliseconds and a line in its log. The MPS server logs whatever becomes
// of its programs, so that between its lines there is little to ask for.
constexpr int64_t kAskAtMostEveryNs = base::kSecond / 2;
constexpr int64_t kAskAtLeastEveryNs = 30 * base::kSecond;
constexpr int64_t kLateNs = 300 * base::kMillisecond;  // judgement: a program may see its fault before the server does
// Judgement: the program that caused a fault has ended by then, and its xcli has written that down. Python takes tenths
// of a second to end.
constexpr int64_t kSettledMs = 2000;

bool is_settled(const PoolFault& fault) {
    return fault.kind != PoolFault::kFault || wall_clock_ms() - fault.at_ms >= kSettledMs;
}

}  // namespace

PoolWatch::PoolWatch(const Pool& pool, pid_t pid, std::string program)
    : pool_(pool), pid_(pid), program_(std::move(program)), began_ms_(wall_clock_ms()) {}

// Returns whether the MPS server's log is longer or shorter than when this was asked last.
bool PoolWatch::changed() {
    struct stat info{};
    const int64_t bytes = stat(pool_.server_log().c_str(), &info) == 0 ? info.st_size : -1;
    return std::exchange(log_bytes_, bytes) != bytes;
}

// Returns whether the server's fault has ended the program, or what it ended was the program's: a program that is
// killed in a kernel takes its neighbours with it a moment later, and is not among those that the server ends.
bool PoolWatch::concerns(const LoggedFault& fault, const PoolServer& server, bool failed) const {
    if (fault.at_ms < began_ms_) return false;
    if (failed && server_.pid == server.pid && wall_clock_ms() - fault.at_ms < kSettledMs) return true;
    return std::any_of(fault.programs.begin(), fault.programs.end(),
                       [this](int program) { return program == pid_ || pids_.contains(program); });
}

void PoolWatch::ask(bool failed) {
    asked_ns_ = base::now_ns();
    try {
        for (const PoolServer& server : pool_.servers()) {
            for (const int program : server.programs) {
                if (!belongs_to(program, pid_)) continue;
                if (server_.pid != server.pid) server_ = mark_of(server.pid);
                pids_.insert(program);
            }
            const std::optional<LoggedFault> fault = last_fault(base::text_of_file(pool_.server_log()), server.pid);
            if (!fault || !concerns(*fault, server, failed)) continue;
            server_ = mark_of(server.pid);
            fault_ = fault;
        }
        service_ended_ = false;
    } catch (const Failure&) {
        // Programs go on without the daemon as long as the MPS server runs.
        if (!std::exchange(service_ended_, true) && server_.runs())
            console::print_error(
                "xcli: the daemon of the pool in which %s (pid %d) runs has ended: the program goes on, and the "
                "next one with --pool begins another pool\n",
                program_.c_str(), pid_);
    }
}

// Returns the fault on record if it concerns the program.
std::optional<PoolFault> PoolWatch::told() const {
    std::optional<PoolFault> fault = pool_.faults().read();
    if (!fault || fault->at_ms < began_ms_) return std::nullopt;
    const bool is_ours = server_.pid != 0 && (fault->server == server_.pid || fault->kind == PoolFault::kStopped);
    return is_ours ? fault : std::nullopt;
}

// `how`: how the program failed itself; empty: it did not.
std::optional<PoolFault> PoolWatch::seen(const std::string& how) {
    if (server_.pid == 0) return std::nullopt;
    const bool ended = !server_.runs();
    if (!ended && !fault_) return std::nullopt;
    PoolFault fault{.kind = fault_ ? PoolFault::kFault : PoolFault::kEnded,
                    .at_ms = fault_ ? fault_->at_ms : wall_clock_ms(),
                    .server = server_.pid,
                    .failed = {},
                    .neighbours = {}};
    if (fault_ && !how.empty()) fault.failed.push_back({pid_, program_, how});
    return pool_.faults().note(fault, began_ms_);
}

std::optional<PoolFault> PoolWatch::look() {
    const int64_t past_ns = base::now_ns() - asked_ns_;
    const bool had_daemon = std::exchange(had_daemon_, pool_.has_daemon());
    if (past_ns >= kAskAtLeastEveryNs || (had_daemon && !had_daemon_) || (past_ns >= kAskAtMostEveryNs && changed()))
        ask();
    std::optional<PoolFault> fault = told();
    if (!fault) fault = seen("");
    return fault && is_settled(*fault) ? fault : std::nullopt;
}

std::optional<PoolFault> PoolWatch::look_after_failure(const std::string& how) {
    std::optional<PoolFault> fault;
    for (const int64_t until_ns = base::now_ns() + kLateNs; !fault && base::now_ns() < until_ns;) {
        ask(true);
        if (server_.pid == 0) return std::nullopt;
        fault = seen(how);
        if (!fault) base::sleep_ns(kLateNs / 2);
    }
    while (fault && !is_settled(*fault)) base::sleep_ns(kLateNs);
    return told();
}

}  // namespace xsched::cli
