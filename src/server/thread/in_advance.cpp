#include "server/thread/in_advance.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <system_error>
#include <thread>
#include <vector>

#include "base/log.h"

namespace xsched::server {
namespace {

// Bytes of heap taken in advance: more than the thread uses normally. The C library makes heaps of at most 64 MiB.
constexpr int kHeapStep = 16 << 20;
// Stack of a thread, in bytes. The C library keeps 40 MiB of stacks of threads that ended; with the usual 8 MiB each
// that is only five.
constexpr size_t kStack = 1 << 20;
// Stacks taken in advance. The undertaker has at most four threads per user: enough for an attacker and one other user.
constexpr int kStacks = 8;
// Size of the descriptor table: what all users may have (limits.def), plus the server's own. The kernel uses 8 bytes
// for each.
constexpr rlim_t kDescriptors = 16384;

// Takes heap memory, and makes malloc ask the kernel in large steps and return nothing.
void take_heap() {
    mallopt(M_TOP_PAD, kHeapStep);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_MAX, 0);
    take_heap_of_thread();
}

void take_stacks() {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, kStack);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    std::barrier<> all(kStacks + 1);
    std::vector<std::thread> threads;
    try {
        while (threads.size() < kStacks) threads.emplace_back([&all] { all.arrive_and_wait(); });
    } catch (const std::system_error& error) {
        XLOG_DEBG("%zu stacks in advance instead of %d (%s)", threads.size(), kStacks, error.what());
        for (size_t missing = threads.size(); missing < kStacks; ++missing) all.arrive_and_drop();
    }
    all.arrive_and_wait();
    for (std::thread& thread : threads) thread.join();
}

void take_room_for_descriptors() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == 0) return;
    const auto last = static_cast<int>(std::min(limit.rlim_cur, kDescriptors) - 1);
    if (const int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, last); copy >= 0) close(copy);
}

}  // namespace

void take_heap_of_thread() {
    void* volatile first = malloc(kHeapStep);  // NOLINT: the first step
    free(first);  // NOLINT
}

void take_in_advance() {
    tzset();  // reads /etc/localtime, for the times of log lines
    take_room_for_descriptors();  // with a single thread this need not wait for the others
    take_heap();
    take_stacks();
}

}  // namespace xsched::server
