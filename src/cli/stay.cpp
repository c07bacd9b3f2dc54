#include "cli/stay.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/unique_fd.h"

namespace xsched::cli {
namespace {

// In the child: returns only if it cannot be executed.
void become_program(char* const* arguments, const sigset_t& mask, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever kills xcli means the program
    if (getppid() != parent) _exit(128 + SIGKILL);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    execvp(arguments[0], arguments);
}

// A terminal tells all of the job: the program has heard of it. What a process sends to this one alone is for the
// program.
bool is_for_program(const siginfo_t& told, pid_t program) { return told.si_code <= 0 && told.si_pid != program; }

// True: it has ended, `status` says how. A program that stops takes its job with it, so that the shell learns of it.
bool has_ended(pid_t program, int& status) {
    for (;;) {
        const pid_t who = waitpid(program, &status, WNOHANG | WUNTRACED);
        if (who != program) return who < 0 && errno != EINTR;
        if (!WIFSTOPPED(status)) return true;
        kill(getpid(), SIGSTOP);
        kill(program, SIGCONT);
    }
}

int wait_for(pid_t program, const sigset_t& all) {
    int status = 0;
    while (!has_ended(program, status)) {
        siginfo_t told{};
        const int number = sigwaitinfo(&all, &told);
        if (number > 0 && number != SIGCHLD && is_for_program(told, program)) kill(program, number);
    }
    return status;
}

[[noreturn]] void end_by(int number) {
    const rlimit no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    raise(number);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    _exit(128 + number);
}

}  // namespace

int run_and_wait(char* const* arguments, int& error, const std::function<void()>& ended) {
    error = 0;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return error = errno;
    const base::UniqueFd hears(ends[0]);
    base::UniqueFd says(ends[1]);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t parent = getpid();
    const pid_t program = fork();
    if (program == 0) {
        become_program(arguments, before, parent);
        const int why = errno;
        if (write(says.get(), &why, sizeof(why)) != sizeof(why)) _exit(126);
        _exit(127);
    }
    says.reset();
    if (program < 0) {
        error = errno;
    } else {
        while (read(hears.get(), &error, sizeof(error)) < 0 && errno == EINTR) {
        }
        if (error != 0) waitpid(program, nullptr, 0);
    }
    if (error != 0) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        return error;
    }
    const int status = wait_for(program, all);
    ended();
    if (WIFSIGNALED(status)) end_by(WTERMSIG(status));
    return WEXITSTATUS(status);
}

}  // namespace xsched::cli
