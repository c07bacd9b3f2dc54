#include "base/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

#include "base/clock.h"

// Debian 12's headers know futex_waitv; older ones do not: number and layout from linux/futex.h of 5.16.
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

namespace xsched::base {
namespace {

struct WaitV {
    uint64_t value;
    uint64_t address;
    uint32_t flags;
    uint32_t reserved;
};
constexpr uint32_t kFutex32 = 2;

timespec to_timespec(int64_t ns) {
    timespec ts{};
    ts.tv_sec = static_cast<time_t>(ns / kSecond);
    ts.tv_nsec = static_cast<long>(ns % kSecond);
    return ts;
}

}  // namespace

void futex_wait(FutexWord& word, uint32_t expected, int64_t timeout_ns) {
    const int saved = errno;
    const timespec timeout = to_timespec(timeout_ns < 0 ? 0 : timeout_ns);
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT, expected, timeout_ns < 0 ? nullptr : &timeout,
            nullptr, 0);
    errno = saved;
}

void futex_wake_some(FutexWord& word, int most) {
    const int saved = errno;
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE, most, nullptr, nullptr, 0);
    errno = saved;
}

void futex_wake_all(FutexWord& word) { futex_wake_some(word, INT_MAX); }

bool futex_wait_any(FutexWord* const* words, const uint32_t* expected, unsigned count, int64_t timeout_ns) {
    if (count > kMostWaitedFor) return false;
    WaitV waiters[kMostWaitedFor];
    for (unsigned i = 0; i < count; ++i) waiters[i] = {expected[i], reinterpret_cast<uint64_t>(words[i]), kFutex32, 0};
    const timespec until = to_timespec(now_ns() + (timeout_ns < 0 ? 0 : timeout_ns));  // absolute
    const long result = syscall(SYS_futex_waitv, waiters, count, 0, timeout_ns < 0 ? nullptr : &until, CLOCK_MONOTONIC);
    return result >= 0 || errno != ENOSYS;
}

}  // namespace xsched::base
