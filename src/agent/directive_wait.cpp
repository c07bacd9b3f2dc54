#include "agent/directive_wait.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace xsched::agent {

void DirectiveWait::sleep(ipc::Header& header, uint32_t seen, int64_t timeout_ns) {
    const int64_t until_ns = base::now_ns() + timeout_ns;
    if (look(header, seen, until_ns)) return;
    header.agent_asleep.store(1, std::memory_order_seq_cst);
    if (header.directive.load(std::memory_order_seq_cst) == seen && !stop_.load(std::memory_order_acquire))
        base::futex_wait(header.directive, seen, std::max(until_ns - base::now_ns(), int64_t{1}));
    header.agent_asleep.store(0, std::memory_order_seq_cst);
}

// Polls for a directive while the next one may ask for a level 3 call, and for a moment after the last such call.
// Returns whether a directive came or the time is over.
bool DirectiveWait::look(const ipc::Header& header, uint32_t seen, int64_t until_ns) {
    if (!spare_ || header.expect_interrupt.load(std::memory_order_relaxed) == 0) return false;
    int64_t now = base::now_ns();
    if (std::exchange(heard_, seen) != seen) heard_ns_ = now;
    for (; now - heard_ns_ < base::kSpinNs; now = base::now_ns()) {
        if (header.directive.load(std::memory_order_acquire) != seen || stop_.load(std::memory_order_relaxed))
            return true;
        if (now >= until_ns) return true;
        base::pause_processor();
    }
    return false;
}

}  // namespace xsched::agent
