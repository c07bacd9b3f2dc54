#include "slurm/suspension.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

#include "base/files.h"
#include "console/command.h"
#include "console/end_with.h"

namespace xsched::slurm {
namespace {

// Slurm signals the children one after the other. A child that has not had its SIGTSTP yet would stop after our
// SIGCONT.
constexpr useconds_t kSignalsSentUs = 100'000;  // judgement: of the 2 s that Slurm gives
constexpr const char* kName = "xsched-suspend";  // Slurm signals no process with the name of slurmstepd

sigset_t signals_of_slurm() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTSTP);
    sigaddset(&signals, SIGCONT);
    return signals;
}

// Gives an order of xcli for each of the processes. xcli refuses those that are not scheduled, and goes on.
void order(const std::string& xcli, const std::vector<std::string>& what, const std::vector<pid_t>& processes) {
    if (processes.empty()) return;
    std::vector<std::string> words{xcli};
    words.insert(words.end(), what.begin(), what.end());
    for (const pid_t pid : processes) words.push_back(std::to_string(pid));
    console::run_command(words, console::own_environment(), console::Errors::kTogether);
}

[[noreturn]] void watch(const std::string& xcli, pid_t step) {
    prctl(PR_SET_NAME, kName);
    console::end_with(step, SIGKILL);
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);  // the ends of the tasks' pipes
    const sigset_t signals = signals_of_slurm();
    bool suspended = false;
    while (true) {
        const int signal = sigwaitinfo(&signals, nullptr);
        if (signal == SIGTSTP) {
            usleep(kSignalsSentUs);
            const std::vector<pid_t> processes = processes_below(step, getpid());
            for (const pid_t pid : processes) kill(pid, SIGCONT);
            order(xcli, {"suspend", "--memory"}, processes);
            suspended = true;
        } else if (signal == SIGCONT && suspended) {
            order(xcli, {"resume"}, processes_below(step, getpid()));
            suspended = false;
        } else if (signal < 0 && errno != EINTR) {
            _exit(1);
        }
    }
}

}  // namespace

std::vector<pid_t> processes_below(pid_t top, pid_t except) {
    std::vector<pid_t> all{top};
    for (size_t at = 0; at < all.size(); ++at) {
        const std::string threads = "/proc/" + std::to_string(all[at]) + "/task";
        for (const std::string& thread : base::names_in(threads)) {
            std::istringstream children(base::text_of_file(threads + "/" + thread + "/children"));
            for (pid_t child = 0; children >> child;)
                if (child != except) all.push_back(child);
        }
    }
    all.erase(all.begin());
    return all;
}

pid_t watch_suspensions(const std::string& xcli) {
    sigset_t before;
    const sigset_t signals = signals_of_slurm();
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    const pid_t step = getpid();
    const pid_t child = fork();
    if (child == 0) watch(xcli, step);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return child;
}

void end_watch(pid_t child) {
    if (child <= 0) return;
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace xsched::slurm
