#include "cli/doctor/guarded_child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "cli/doctor/hung_child.h"
#include "console/end_with.h"

namespace xsched::cli {
namespace {

constexpr int kCannotExecute = 126;
constexpr int kPollMs = 50;
constexpr int64_t kBurialNs = 2 * base::kSecond;  // longest wait after SIGKILL; a process inside a driver may not end
                                                  // at all
constexpr useconds_t kStacksUs = 200'000;  // time for threads to write their stacks, which takes some 10 ms
constexpr size_t kMostText = size_t{256} * 1024;
constexpr const char* kDoing = "doing: ";

double seconds_since(int64_t begin) {
    return static_cast<double>(base::now_ns() - begin) / static_cast<double>(base::kSecond);
}

void make_pipe(base::UniqueFd& from, base::UniqueFd& to) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Failure(std::string("no pipe: ") + strerror(errno));
    from.reset(ends[0]);
    to.reset(ends[1]);
}

[[noreturn]] void become(const std::vector<std::string>& words, const Variables& variables, pid_t parent, int out,
                         int err) {
    setpgid(0, 0);
    console::end_with(parent, SIGKILL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    for (const auto& [name, value] : variables) {
        if (value.empty())
            unsetenv(name.c_str());
        else
            setenv(name.c_str(), value.c_str(), 1);
    }
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(kCannotExecute);
}

// Reads what a pipe has. Returns false if nothing more will come.
bool take(base::UniqueFd& from, short events, std::string& text) {
    if (events == 0) return true;
    char part[4096];
    const ssize_t bytes = read(from.get(), part, sizeof part);
    if (bytes <= 0) {
        if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) return true;
        from.reset();
        return false;
    }
    text.append(part, static_cast<size_t>(bytes));
    if (text.size() > kMostText) text.erase(0, text.size() - kMostText);
    return true;
}

// Reads the rest without waiting: a process that the child left behind may still hold the other end.
void take_the_rest(base::UniqueFd& from, std::string& text) {
    if (from) fcntl(from.get(), F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 1000 && from; ++i) {
        const size_t before = text.size();
        take(from, POLLIN, text);
        if (text.size() == before) break;
    }
}

// Returns the child's last announced step; empty if it announced none.
std::string last_doing(const std::string& log) {
    const size_t at = log.rfind(kDoing);
    if (at == std::string::npos) return "";
    const size_t begin = at + strlen(kDoing);
    return log.substr(begin, log.find('\n', begin) - begin);
}

std::string last_line(const std::string& log) {
    size_t end = log.find_last_not_of('\n');
    if (end == std::string::npos) return "";
    const size_t begin = log.rfind('\n', end);
    return log.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? -1 : begin));
}

Json last_json(const std::string& out) {
    const size_t at = out.rfind("{\"");
    const size_t begin = out.rfind('\n', at == std::string::npos ? 0 : at);
    const std::string line = out.substr(begin == std::string::npos ? 0 : begin + 1);
    return Json::parse(line, nullptr, false);
}

std::string rounded(double seconds) { return std::to_string(static_cast<int>(std::ceil(seconds))) + " s"; }

std::string in(const std::string& log) {
    const std::string doing = last_doing(log);
    return doing.empty() ? "" : " while " + doing;
}

// Waits until the child is gone. Returns false if it is not gone in time.
bool buried(pid_t pid, int* status, int64_t patience_ns) {
    const int64_t begin = base::now_ns();
    while (waitpid(pid, status, WNOHANG) != pid) {
        if (base::now_ns() - begin > patience_ns) return false;
        usleep(2000);
    }
    return true;
}

void judge_status(int status, const std::string& out, ChildResult& result) {
    result.found = last_json(out);
    const bool spoke = result.found.is_object();
    if (!spoke) result.found = Json();  // text that was not parsed must not be printed as JSON
    if (WIFSIGNALED(status)) {
        result.ending = Ending::kCrashed;
        result.says = std::string("ended by ") + strsignal(WTERMSIG(status)) + in(result.log);
    } else if (spoke && result.found.value("ok", false)) {
        result.ending = Ending::kDone;
    } else {
        result.ending = Ending::kFailed;
        result.says = spoke ? result.found.value("says", "it failed")
                            : "ended with status " + std::to_string(WEXITSTATUS(status)) + ": " + last_line(result.log);
    }
}

}  // namespace

ChildResult run_guarded(const std::vector<std::string>& words, const Variables& variables, double limit_s) {
    ChildResult result;
    base::UniqueFd out_end, out_child, err_end, err_child;
    make_pipe(out_end, out_child);
    make_pipe(err_end, err_child);
    const int64_t begin = base::now_ns();
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) throw Failure(std::string("no process can be started: ") + strerror(errno));
    if (pid == 0) become(words, variables, parent, out_child.get(), err_child.get());
    setpgid(pid, pid);
    out_child.reset();
    err_child.reset();
    std::string text;
    int status = 0;
    bool ended = false;
    while (!ended && seconds_since(begin) < limit_s) {
        pollfd ends[2] = {{out_end.get(), POLLIN, 0}, {err_end.get(), POLLIN, 0}};
        if (!out_end && !err_end) usleep(2000);
        poll(ends, 2, kPollMs);
        take(out_end, ends[0].revents, text);
        take(err_end, ends[1].revents, result.log);
        ended = waitpid(pid, &status, WNOHANG) == pid;
    }
    if (!ended) {
        result.threads = threads_of_group(pid);
        ask_for_stacks(pid);
        usleep(kStacksUs);
    }
    kill(-pid, SIGKILL);  // also ends the processes that it started
    const bool gone = ended || buried(pid, &status, kBurialNs);
    take_the_rest(out_end, text);
    take_the_rest(err_end, result.log);
    result.seconds = seconds_since(begin);
    if (ended) {
        judge_status(status, text, result);
    } else {
        result.ending = Ending::kHung;
        result.says = "no answer for " + rounded(limit_s) + in(result.log) +
                      (gone ? "" : ", and cannot even be killed: the kernel driver holds it");
    }
    return result;
}

}  // namespace xsched::cli
