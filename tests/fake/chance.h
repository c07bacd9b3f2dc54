// Chance in fake drivers: a sequence of its own for each thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace fake {

// Returns a random number below `bound`, from a generator of this thread (xorshift64), which `seed` initializes at
// the thread's first call.
inline uint64_t random_below(uint64_t bound, uint64_t seed) {
    static std::atomic<uint64_t> threads{1};
    thread_local uint64_t state = (seed + threads.fetch_add(1)) * 0x9E3779B97F4A7C15ULL | 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % bound;
}

}  // namespace fake
