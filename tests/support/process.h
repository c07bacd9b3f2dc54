// Child processes of a test, with bounds on everything: run one to its end, or keep one until the test lets it go.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "support/child.h"
#include "support/environment.h"
#include "support/eventually.h"

namespace xsched::test {

// A child process whose standard output and error the test reads. It ends with the test, and so does a server whose
// supervisor it is.
class Process {
public:
    Process(const std::vector<std::string>& words, const Environment& environment) {
        int out[2];
        int err[2];
        if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) abort();
        const pid_t parent = getpid();
        pid_ = fork();
        if (pid_ == 0) {
            die_with(parent);
            dup2(out[1], STDOUT_FILENO);
            dup2(err[1], STDERR_FILENO);
            change_environment(environment);
            std::vector<char*> arguments;
            for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
            arguments.push_back(nullptr);
            execv(arguments[0], arguments.data());
            _exit(99);
        }
        close(out[1]);
        close(err[1]);
        out_.reset(out[0]);
        err_.reset(err[0]);
    }
    ~Process() {
        if (pid_ <= 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    pid_t pid() const { return pid_; }
    const std::string& out() const { return out_text_; }
    // Returns what the process has written to standard error so far.
    const std::string& err() {
        take_output();
        return err_text_;
    }

    // Reads its output until it has `text` in it. Returns false if the output ends or kPatienceMs pass first.
    bool wait_for_output(const std::string& text) {
        const int64_t until = base::now_ns() + kPatienceMs * base::kMillisecond;
        while (out_text_.find(text) == std::string::npos)
            if (base::now_ns() > until || !read_some()) return false;
        return true;
    }

    // Reads what the child has written so far into err(). Otherwise a child that writes much would block.
    void take_output() {
        while (read_some(0)) {
        }
    }

    // Returns its exit status, 1000 + N if signal N ended it, or -1 if it does not end.
    int wait(int within_ms = kPatienceMs) {
        if (pid_ <= 0) return -1;
        int status = 0;
        const bool ended = eventually(
            [&] {
                read_some(0);
                return waitpid(pid_, &status, WNOHANG) == pid_;
            },
            within_ms);
        if (!ended) return -1;
        pid_ = 0;
        for (int i = 0; i < 1000 && read_some(0); ++i) {
        }
        return exit_status(status);
    }

private:
    // Reads what the child writes. Returns false if nothing was read and nothing more will come.
    bool read_some(int timeout_ms = 100) {
        pollfd ends[2] = {{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}};
        if (poll(ends, 2, timeout_ms) == 0) return timeout_ms > 0;
        return take(out_, ends[0], out_text_) | take(err_, ends[1], err_text_);
    }
    static bool take(base::UniqueFd& fd, const pollfd& state, std::string& text) {
        if (state.revents == 0) return false;
        char part[4096];
        const ssize_t bytes = read(fd.get(), part, sizeof(part));
        if (bytes > 0)
            text.append(part, static_cast<size_t>(bytes));
        else
            fd.reset();
        return bytes > 0;
    }

    pid_t pid_ = 0;
    base::UniqueFd out_;
    base::UniqueFd err_;
    std::string out_text_;
    std::string err_text_;
};

}  // namespace xsched::test
