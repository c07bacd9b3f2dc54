// Tells the processes of a chain of forks apart. A step that another thread had begun at the fork is never finished in
// the child. State that stores its writer's generation is recognised there as stale. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::base {

extern std::atomic<uint32_t> g_fork_generation;
uint32_t first_fork_generation();

// Returns this process's generation: at least 1, and one more in each forked child (not after vfork, which only
// precedes an exec).
inline uint32_t fork_generation() {
    const uint32_t generation = g_fork_generation.load(std::memory_order_relaxed);
    return generation != 0 ? generation : first_fork_generation();
}

}  // namespace xsched::base
