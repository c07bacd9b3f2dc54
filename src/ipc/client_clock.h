// Times in the shared memory are by the server's clock. A client in a time namespace of its own (some containers,
// restored checkpoints) has another one, which is ahead or behind by a constant. It finds out how far when it connects,
// and converts each time that it writes or reads there. 0 is no time, and stays 0. Client side; any thread.
#pragma once

#include <cstdint>

#include "ipc/layout.h"

namespace xsched::ipc {

// How far a client's clock is ahead of the server's. The server made the memory at `made_ns`; by the client's clock
// that was between these two. 0 if that can be so by one clock. Otherwise wrong by half of the time between them at
// most.
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
