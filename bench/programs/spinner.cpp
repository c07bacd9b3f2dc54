// Keeps processors awake while a device that is made of them is measured: a thread for each, of the idle class, in a
// session of its own whose group yields to all others. A processor that never sleeps is woken at once, and the
// scheduler does not put two threads that wake together on the same one (docs/benchmarks.md).
//
//   spinner PARENT CPU...    PARENT: the pid of its parent; the spinner ends with it
//
// Prints "ready" once all threads spin. Exit status 77 and a sentence if this user may not have it so, without having
// used a processor.
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr int kNotHere = 77;
constexpr const char* kAutogroup = "/proc/self/autogroup";
constexpr const char* kLeast = "19";
constexpr int kTries = 30;
constexpr useconds_t kTryAgainUs = 40'000;

int refuse(const char* what) {
    printf("%s: %s\n", what, strerror(errno));
    return kNotHere;
}

// Sets this session's autogroup to the lowest priority: otherwise the group gets as much processor time as any other,
// whatever its threads ask for. The write is tried again after EAGAIN, since the kernel accepts only one in 0.1 s
// from all ordinary users together.
bool yield_as_group() {
    const int file = open(kAutogroup, O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno == ENOENT;  // this kernel has no such groups
    ssize_t written = -1;
    for (int i = 0; i < kTries && written < 0; ++i) {
        written = write(file, kLeast, strlen(kLeast));
        if (written < 0 && errno != EAGAIN) break;
        if (written < 0) usleep(kTryAgainUs);
    }
    const int error = errno;
    close(file);
    errno = error;
    return written > 0;
}

bool be_idle_class() {
    const sched_param none{};
    return setpriority(PRIO_PROCESS, 0, 19) == 0 && sched_setscheduler(0, SCHED_IDLE, &none) == 0;
}

// Binds the spinning thread to its processor. The thread that starts it makes the call: the spinning thread has the
// idle class, and on a busy machine would get no processor to make it.
void pin(std::thread& thread, int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(thread.native_handle(), sizeof(one), &one);
}

[[noreturn]] void spin() {
    for (;;) {
#if defined(__x86_64__)
        __builtin_ia32_pause();  // leaves the core to the thread beside it
#else
        __asm__ volatile("" ::: "memory");
#endif
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        fprintf(stderr, "spinner: give the parent's pid and the numbers of processors\n");
        return 2;
    }
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return refuse("its parent's death cannot be noticed");
    if (getppid() != atoi(argv[1])) return 0;  // it has died already
    if (setsid() < 0) return refuse("no session of its own");
    if (!yield_as_group()) return refuse("its group cannot be made to yield");
    if (!be_idle_class()) return refuse("the idle class is not to be had");
    std::vector<std::thread> threads;
    for (int i = 2; i < argc; ++i) {
        threads.emplace_back(spin);
        pin(threads.back(), atoi(argv[i]));
    }
    printf("ready\n");
    fflush(stdout);
    for (std::thread& thread : threads) thread.join();
    return 0;
}
