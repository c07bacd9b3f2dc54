#include "base/mutex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace xsched::base {
namespace {

// Waits on or wakes a futex word of this process only: the kernel finds such words faster than the shared ones of
// futex.h.
void private_futex(FutexWord& word, int operation, uint32_t value) {
    const int saved = errno;
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
    errno = saved;
}

}  // namespace

// A thread that had to wait takes the lock marked as waited for: it cannot know that it was the only one.
void Mutex::lock_slowly() {
    const uint32_t wanted = locked() | kWaitedFor;
    for (;;) {
        uint32_t seen = word_.load(std::memory_order_relaxed);
        const bool free = !taken(seen);
        if (seen != wanted && !word_.compare_exchange_weak(seen, wanted, std::memory_order_acquire)) continue;
        if (free) return;
        private_futex(word_, FUTEX_WAIT, wanted);
    }
}

void Mutex::wake_one() { private_futex(word_, FUTEX_WAKE, 1); }

}  // namespace xsched::base
