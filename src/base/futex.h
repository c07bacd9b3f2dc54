// Sleeping and waking on 32-bit words in shared memory (Linux futex, process-shared). Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::base {

using FutexWord = std::atomic<uint32_t>;
static_assert(sizeof(FutexWord) == 4 && FutexWord::is_always_lock_free);

inline constexpr int64_t kForever = -1;

// Sleeps while *word == expected, at most timeout_ns. May also return early: check the word again.
void futex_wait(FutexWord& word, uint32_t expected, int64_t timeout_ns = kForever);
void futex_wake_all(FutexWord& word);
// Wakes at most `most` of the threads, those that have slept longest. Use this if other processes may let any number of
// threads sleep on the word: waking all would take too long.
void futex_wake_some(FutexWord& word, int most);

inline constexpr unsigned kMostWaitedFor = 128;  // FUTEX_WAITV_MAX of linux/futex.h

// Sleeps while every words[i] == expected[i] (count <= kMostWaitedFor). Returns false, without a wait, if the kernel
// cannot (before 5.16).
bool futex_wait_any(FutexWord* const* words, const uint32_t* expected, unsigned count, int64_t timeout_ns);

}  // namespace xsched::base
