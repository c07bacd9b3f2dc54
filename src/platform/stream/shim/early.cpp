#include "platform/stream/shim/early.h"

#include <atomic>

#include "base/confinement.h"
#include "base/fork.h"
#include "base/options.h"
#include "platform.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream {

void device_used() {
    static constinit std::atomic<uint32_t> begun{0};  // in this process, one of a line of forks
    const uint32_t process = base::fork_generation() + 1;
    if (begun.load(std::memory_order_relaxed) == process) [[likely]]
        return;
    begun.store(process, std::memory_order_relaxed);
    const KeepErrno keep;
    xq_begin(kSwitchesContexts);
    base::ask_about_sandbox(xq_entered_sandbox);
    if constexpr (kTriesGates) stream_made();
}

void stream_made() {
    device_used();
    if constexpr (kTriesGates) {
        const KeepErrno keep;
        if (base::options().auto_xqueue_on) hal_try_gates(current_context(*hal_api()));
    }
}

bool known_early() { return base::options().priority > PRIORITY_DEFAULT; }

void memory_allocated() {
    const KeepErrno keep;
    if (known_entry_of(nullptr, false) != nullptr) return;
    const StreamEntry* const entry = entry_of(nullptr, false);
    XqQueue* const queue = entry != nullptr ? entry->xqueue.load(std::memory_order_acquire) : nullptr;
    if (queue != nullptr) xq_about_to(queue, kXqFirstUse);
}

}  // namespace xsched::stream
