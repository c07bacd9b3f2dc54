// How the agent's thread carries out a directive: it closes or opens each of the process's queues as the directive
// says. Only that thread calls this.
#pragma once

#include <cstdint>

#include "agent/errands.h"
#include "base/time.h"
#include "ipc/layout.h"
#include "queue/pool.h"

namespace xsched::agent {

inline constexpr int64_t kLookNs = base::kSecond;  // how often to check that the server still lives, in case the
                                                   // lifeline misses its end
inline constexpr int64_t kLookWhileSuspendedNs = 100 * base::kMillisecond;

template <typename Visit>
void for_each_queue(Visit visit) {
    for (uint32_t i = 0; i < queue::pool_size(); ++i)
        if (queue::XQueue* queue = queue::queue_at(i)) visit(*queue);
}

struct CarriedOut {
    bool any_suspended = false;  // some queue is suspended at present
    int64_t due_ns = 0;  // when to look again (CLOCK_MONOTONIC); 0: no need
    int64_t sleep_ns() const;
};

// Carries out directive number `seen` of `header`. `errands`: takes over the calls to the vendor's driver.
CarriedOut carry_out(ipc::Header& header, uint32_t seen, Errands& errands);

}  // namespace xsched::agent
