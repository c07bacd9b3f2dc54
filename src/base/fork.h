// Which process of a line of forks this is. A step that another thread had begun when the process forked is never
// finished in the child: state that carries the generation it was written in is known there to be stale. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::base {

extern std::atomic<uint32_t> g_fork_generation;
uint32_t first_fork_generation();

// At least 1, and one more in fork's child (not in vfork's, which may only become another program).
inline uint32_t fork_generation() {
    const uint32_t generation = g_fork_generation.load(std::memory_order_relaxed);
    return generation != 0 ? generation : first_fork_generation();
}

}  // namespace xsched::base
