// Times in the shared memory are by the server's clock. A client in a time namespace of its own (some containers,
// restored checkpoints) has another one, which is ahead or behind by a constant. It finds out how far when it connects,
// and converts each time that it writes or reads there. 0 is no time, and stays 0. Client side; any thread.
#pragma once

#include <cstdint>

#include "ipc/layout.h"

namespace xsched::ipc {

// Returns how far a client's clock is ahead of the server's. The server made the memory at `made_ns` by its own clock,
// between the two other times by the client's clock. Returns 0 if both may have the same clock. The error is at most
// half of the time between the two.
constexpr int64_t clock_ahead_ns(int64_t made_ns, int64_t asked_ns, int64_t answered_ns) {
    if (made_ns >= asked_ns && made_ns <= answered_ns) return 0;
    return asked_ns + (answered_ns - asked_ns) / 2 - made_ns;
}

inline int64_t server_time(const Header& header, int64_t own_ns) {
    return own_ns != 0 ? own_ns - header.client_ahead_ns.load(std::memory_order_relaxed) : 0;
}
inline int64_t own_time(const Header& header, int64_t server_ns) {
    return server_ns != 0 ? server_ns + header.client_ahead_ns.load(std::memory_order_relaxed) : 0;
}

}  // namespace xsched::ipc
