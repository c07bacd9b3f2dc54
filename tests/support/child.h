// Parts of a test in a forked child. Every child is bounded: an alarm ends one that hangs.
#pragma once

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace xsched::test {

// Returns the answer of waitpid() as one number: the exit status, or 1000 + N if signal N ended the process.
inline int exit_status(int wait_status) {
    return WIFSIGNALED(wait_status) ? 1000 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

// In a child: makes it end with the test that made it, whatever ends that (a time limit, a debugger). A process that
// becomes another user must call this after that. The kernel watches the thread that forked, which must live as long as
// the test.
inline void die_with(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(99);  // too late to be told
}

// Runs `body` in a child, which a signal ends after `most_seconds`, and waits for its end. Returns what `body`
// returned, or 1000 and the number of the signal that ended the child (see exit_status).
template <typename Body>
int in_child(Body body, unsigned most_seconds = 60) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        die_with(parent);
        alarm(most_seconds);
        _exit(body());
    }
    int status = 0;
    return waitpid(child, &status, 0) == child ? exit_status(status) : -1;
}

// A child process that is forked before the test starts threads, and begins its work when it is told to. A child
// forked later could inherit locks that another thread holds (that of AddressSanitizer's allocator, say).
class EarlyChild {
public:
    template <typename Body>
    explicit EarlyChild(Body body, unsigned most_seconds = 60) {
        if (pipe2(begin_, O_CLOEXEC) != 0) abort();
        const pid_t parent = getpid();
        pid_ = fork();
        if (pid_ != 0) return;
        die_with(parent);
        alarm(most_seconds);
        char go = 0;
        _exit(read(begin_[0], &go, 1) == 1 ? body() : 98);
    }
    ~EarlyChild() {
        close(begin_[0]);
        close(begin_[1]);
        if (pid_ > 0) kill(pid_, SIGKILL);
        if (pid_ > 0) waitpid(pid_, nullptr, 0);
    }
    EarlyChild(const EarlyChild&) = delete;
    EarlyChild& operator=(const EarlyChild&) = delete;

    // Lets the child begin, and returns its exit status (see exit_status).
    int run() {
        int status = 0;
        if (write(begin_[1], "", 1) != 1 || waitpid(pid_, &status, 0) != pid_) return -1;
        pid_ = 0;
        return exit_status(status);
    }

private:
    int begin_[2];
    pid_t pid_ = 0;
};

// A child that stays, with all that it has open, until the test is done with it. `body` returns whether it is ready.
class Sitter {
public:
    template <typename Body>
    explicit Sitter(Body body) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) abort();
        pid_ = fork();
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            alarm(120);
            const char good = body() ? 1 : 0;
            prctl(PR_SET_PDEATHSIG, SIGKILL);  // again: it may be another user's now
            if (write(ends[1], &good, 1) != 1) _exit(1);
            for (;;) pause();
        }
        close(ends[1]);
        char good = 0;
        ready_ = read(ends[0], &good, 1) == 1 && good == 1;
        close(ends[0]);
    }
    ~Sitter() { stop(); }
    Sitter(const Sitter&) = delete;
    Sitter& operator=(const Sitter&) = delete;

    bool ready() const { return ready_; }
    pid_t pid() const { return pid_; }
    void stop() {
        if (pid_ <= 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

private:
    pid_t pid_ = 0;
    bool ready_ = false;
};

}  // namespace xsched::test
