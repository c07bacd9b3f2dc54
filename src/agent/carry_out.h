// How the agent's thread carries out a directive: each of the process's queues does as it says. That thread alone.
#pragma once

#include <cstdint>

#include "agent/errands.h"
#include "base/time.h"
#include "ipc/layout.h"
#include "queue/pool.h"

namespace xsched::agent {

inline constexpr int64_t kLookNs = base::kSecond;  // for a server that went, should the lifeline not tell
inline constexpr int64_t kLookWhileSuspendedNs = 100 * base::kMillisecond;

template <typename Visit>
void for_each_queue(Visit visit) {
    for (uint32_t i = 0; i < queue::pool_size(); ++i)
        if (queue::XQueue* queue = queue::queue_at(i)) visit(*queue);
}

struct CarriedOut {
    bool any_suspended = false;  // the scheduler keeps some queue off at present
    int64_t due_ns = 0;          // when to look again; 0: no need
    int64_t sleep_ns() const;
};

// `header`'s directive number `seen` is what it carries out. `errands`: for what calls the vendor's driver.
CarriedOut carry_out(ipc::Header& header, uint32_t seen, Errands& errands);

}  // namespace xsched::agent
