#include "platform/levelzero/hal/watcher.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>

#include "base/clock.h"
#include "base/fork.h"
#include "base/futex.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace xsched::levelzero {
namespace {

// How often queues are looked at for which no other program waits: judgement, as on Vulkan.
constexpr int64_t kLookNs = 2 * base::kMillisecond;
// After this many looks without a command the thread sleeps until the next one: judgement, as on Vulkan.
constexpr uint32_t kLooksBeforeSleep = 16;

// Bounds the wait for a look at the end of the process: safety. A look takes microseconds.
constexpr int64_t kLongestLookNs = 100 * base::kMillisecond;

constinit base::Mutex g_mutex;
constinit Watched* g_first = nullptr;  // guarded by it
constinit uint32_t g_started_in = 0;   // guarded by it: the fork generation whose process has the thread
constinit base::FutexWord g_wake{0};
constinit std::atomic<bool> g_asleep{false};
constinit std::atomic<bool> g_over{false};  // the process ends: the driver is left alone
constinit std::atomic<uint32_t> g_walkers{0};  // threads that look at queues

// Runs when the process ends, before the driver gives up its memory: the driver was opened before this was registered.
void end_looks() {
    const int64_t end_ns = base::now_ns() + kLongestLookNs;
    g_over.store(true);
    while (g_walkers.load() != 0 && base::now_ns() < end_ns) sched_yield();
    base::Lock lock(g_mutex);
    for (Watched* queue = g_first; queue != nullptr; queue = queue->next) queue->process_ends(queue);
}

// Goes on to the queue behind `before`, and keeps it from ending. If `before` has gone meanwhile, begins again.
Watched* step(Watched* before) {
    base::Lock lock(g_mutex);
    Watched* next = g_first;
    for (Watched* it = g_first; before != nullptr && it != nullptr; it = it->next)
        if (it == before) next = it->next;
    if (next != nullptr) next->visitors.fetch_add(1);
    if (before != nullptr) before->visitors.fetch_sub(1);
    return next;
}

bool nothing_in_flight() {
    base::Lock lock(g_mutex);
    for (Watched* queue = g_first; queue != nullptr; queue = queue->next)
        if (queue->any_in_flight(queue)) return false;
    return true;
}

void sleep_until_launched(uint32_t seen) {
    g_asleep.store(true);
    if (nothing_in_flight()) base::futex_wait(g_wake, seen);
    g_asleep.store(false);
}

void* body(void*) {
    for (uint32_t idle_looks = 0;;) {
        const uint32_t seen = g_wake.load();
        const int64_t pause_ns = look_at_all();
        idle_looks = pause_ns == 0 ? idle_looks + 1 : 0;
        if (idle_looks > kLooksBeforeSleep)
            sleep_until_launched(seen);
        else
            base::futex_wait(g_wake, seen, pause_ns != 0 ? pause_ns : kLookNs);
    }
}

}  // namespace

int64_t look_at_all() {
    int64_t pause_ns = 0;
    g_walkers.fetch_add(1);
    for (Watched* queue = g_over.load() ? nullptr : step(nullptr); queue != nullptr; queue = step(queue)) {
        queue->look(queue);
        const int64_t wanted_ns = queue->next_look_ns(queue, kLookNs);
        if (wanted_ns != 0) pause_ns = pause_ns == 0 ? wanted_ns : std::min(pause_ns, wanted_ns);
    }
    g_walkers.fetch_sub(1);
    return pause_ns;
}

bool watch(Watched* queue) {
    bool start = false;
    {
        base::Lock lock(g_mutex);
        queue->watched_in = base::fork_generation();
        queue->next = g_first;
        g_first = queue;
        start = g_started_in != base::fork_generation();
        if (start) g_started_in = base::fork_generation();
    }
    if (!start) return true;
    std::atexit(end_looks);
    base::Thread thread;
    if (thread.start("xsched-ze", body, nullptr)) {
        thread.detach();
        return true;
    }
    {
        base::Lock lock(g_mutex);
        g_started_in = 0;
    }
    end_watch(queue);
    return false;
}

void end_watch(Watched* queue) {
    {
        base::Lock lock(g_mutex);
        Watched** link = &g_first;
        while (*link != nullptr && *link != queue) link = &(*link)->next;
        if (*link == queue) *link = queue->next;
    }
    // Wait until the watching thread has left the queue; not in a forked child, which does not have that thread.
    while (queue->watched_in == base::fork_generation() && queue->visitors.load() != 0) sched_yield();
}

void wake_watcher() {
    if (!g_asleep.load()) return;
    g_wake.fetch_add(1);
    base::futex_wake_all(g_wake);
}

}  // namespace xsched::levelzero
