#include "platform/opencl/guards/hal/guard_watch.h"

#include <utility>

#include "base/clock.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace xsched::opencl {
namespace {

constexpr int64_t kLookEveryNs = 100 * base::kMillisecond;

constinit base::Mutex g_watch_mutex;
constinit WatchedGuard* g_watched = nullptr;  // each with an owner; guarded by g_watch_mutex
constinit bool g_started = false;      // guarded by g_watch_mutex
constinit base::FutexWord g_work{0};
constinit base::FutexWord g_never{0};  // never woken: only for sleeping a while

// Looks at every guard in the list once; those that need it stay in it. Returns whether there are any.
bool look_at_all() {
    WatchedGuard* all = nullptr;
    {
        base::Lock lock(g_watch_mutex);
        all = std::exchange(g_watched, nullptr);
        for (WatchedGuard* guard = all; guard != nullptr; guard = guard->next_watched) guard->watched = false;
    }
    while (all != nullptr) {
        WatchedGuard* guard = std::exchange(all, all->next_watched);
        if (guard->look_for_mutual(base::now_ns())) watch_guard(*guard);
        guard->disown();
    }
    base::Lock lock(g_watch_mutex);
    return g_watched != nullptr;
}

void* watch_body(void*) {
    for (;;) {
        const uint32_t seen = g_work.load(std::memory_order_acquire);
        const bool any = look_at_all();
        if (any)
            base::futex_wait(g_never, 0, kLookEveryNs);
        else
            base::futex_wait(g_work, seen);
    }
}

}  // namespace

void watch_guard(WatchedGuard& guard) {
    base::Lock lock(g_watch_mutex);
    if (guard.watched) return;
    if (!g_started) {
        static base::Thread thread;
        g_started = thread.start("xsched-guard", watch_body, nullptr);
        if (!g_started) {
            XLOG_WARN("no thread for level 2: a kernel whose work-groups wait for each other stands while suspended");
            return;
        }
        thread.detach();
    }
    guard.watched = true;
    guard.own();
    guard.next_watched = std::exchange(g_watched, &guard);
    g_work.fetch_add(1, std::memory_order_release);
    base::futex_wake_all(g_work);
}

}  // namespace xsched::opencl
