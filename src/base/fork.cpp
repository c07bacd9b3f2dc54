#include "base/fork.h"

#include <pthread.h>

namespace xsched::base {

constinit std::atomic<uint32_t> g_fork_generation{0};

namespace {

constinit std::atomic<bool> g_watching{false};

void in_child() { g_fork_generation.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

// Starts to watch for forks, at the first accelerator call and not at load time: a program that never uses an
// accelerator is left alone.
uint32_t first_fork_generation() {
    if (!g_watching.exchange(true)) pthread_atfork(nullptr, nullptr, in_child);  // fails only if memory is exhausted
    uint32_t none = 0;
    g_fork_generation.compare_exchange_strong(none, 1, std::memory_order_relaxed);
    return g_fork_generation.load(std::memory_order_relaxed);
}

}  // namespace xsched::base
